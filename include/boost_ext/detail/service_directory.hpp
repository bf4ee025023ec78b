// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_SERVICE_DIRECTORY_HPP
#define BOOST_EXT_DETAIL_SERVICE_DIRECTORY_HPP

#include <boost/asio/execution_context.hpp>
#include <boost/config.hpp>
#include <boost/intrusive/list.hpp>
#include <mutex>

namespace boost_ext {

struct timer_statistics;

namespace detail {

/// Identifies a clock without run-time type information; for all shared libraries of the program, as they share services.
template <class Clock>
struct BOOST_SYMBOL_VISIBLE clock_tag
{
    static inline const char value = 0;
};

/// What can be asked of any clock's timer service.
class listed_service : public boost::intrusive::list_base_hook<>
{
public:
    /// Add this service's figures.
    virtual void add_to(timer_statistics& total) = 0;

    /// If this service is for that clock, lower `*time`, a time_point of it, to the earliest expiry that is waited for.
    virtual void earliest(const void* clock, void* time) = 0;

protected:
    ~listed_service() = default;
};

/// A context's timer services, one a clock. Made together with the first of them.
class service_directory : public boost::asio::execution_context::service
{
public:
    using key_type = service_directory;
    static inline boost::asio::execution_context::id id;

    explicit service_directory(boost::asio::execution_context& context) : boost::asio::execution_context::service(context) {}

    void add(listed_service& s)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        services_.push_back(s);
    }

    void remove(listed_service& s)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        services_.erase(services_.iterator_to(s));
    }

    /// Lock order: the directory's, then a service's.
    template <class F>
    static void for_each(boost::asio::execution_context& context, F f)
    {
        if (!boost::asio::has_service<service_directory>(context))
            return;
        auto& self = boost::asio::use_service<service_directory>(context);
        std::lock_guard<std::mutex> lock(self.mutex_);
        for (listed_service& s : self.services_)
            f(s);
    }

private:
    void shutdown() noexcept override {}

    std::mutex mutex_;
    boost::intrusive::list<listed_service> services_;
};

} // namespace detail
} // namespace boost_ext

#endif
