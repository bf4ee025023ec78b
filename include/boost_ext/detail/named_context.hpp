// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_NAMED_CONTEXT_HPP
#define BOOST_EXT_DETAIL_NAMED_CONTEXT_HPP

#include <boost_ext/detail/executor_context.hpp>
#include <boost_ext/detail/timer_service.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <mutex>

namespace boost_ext {
namespace detail {

/// Is told when the context of its timers goes: a wait that was handed over to another context is left,
/// and from then on it must not touch its timer.
class named_context_listener : public boost::intrusive::list_base_hook<>
{
public:
    named_context_listener(const named_context_listener&) = delete;
    named_context_listener& operator=(const named_context_listener&) = delete;

    /// Called with the lock of named_context_listeners held.
    virtual void context_goes() noexcept = 0;

protected:
    named_context_listener() = default;
    ~named_context_listener() = default;
};

/// Who is to be told. Shared, as either side may be the first to go.
class named_context_listeners
{
public:
    void add(named_context_listener& l)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        all_.push_back(l);
    }

    void remove(named_context_listener& l) noexcept
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        all_.erase(all_.iterator_to(l));
    }

    void tell() noexcept
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (named_context_listener& l : all_)
            l.context_goes();
    }

private:
    std::mutex mutex_;
    boost::intrusive::list<named_context_listener> all_;
};

/// Tells when its context goes.
/**
 * Newer than the service of the timers, and so gone before it: timers can be given up when this tells.
 */
template <class Clock, class WaitTraits>
class named_context_service final : public boost::asio::execution_context::service
{
public:
    using key_type = named_context_service;
    static inline boost::asio::execution_context::id id;

    explicit named_context_service(boost::asio::execution_context& context)
        : boost::asio::execution_context::service(context), listeners_(std::make_shared<named_context_listeners>())
    {
        boost::asio::use_service<timer_service<Clock, WaitTraits>>(context);
    }

    ~named_context_service() { listeners_->tell(); } // Of those that came after the shutdown.

    void shutdown() noexcept override { listeners_->tell(); }

    /// Those of the context of an executor.
    template <class Executor>
    static const std::shared_ptr<named_context_listeners>& of(const Executor& executor)
    {
        return boost::asio::use_service<named_context_service>(context_of(executor)).listeners_;
    }

private:
    const std::shared_ptr<named_context_listeners> listeners_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_NAMED_CONTEXT_HPP
