// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_EXECUTOR_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_EXECUTOR_HPP

#include <boost_ext/detail/timeout_serialiser.hpp>

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// What executors have that know no properties, io_context::strand say: nothing for the others.
template <class Derived, bool HasProperties>
class timeout_executor_base
{
};

template <class Derived>
class timeout_executor_base<Derived, false>
{
public:
    boost::asio::execution_context& context() const noexcept { return self().executor_.context(); }

    void on_work_started() const noexcept { self().executor_.on_work_started(); }

    void on_work_finished() const noexcept { self().executor_.on_work_finished(); }

    template <class F, class Allocator>
    void dispatch(F&& f, const Allocator& a) const
    {
        self().executor_.dispatch(self().in_turn(std::forward<F>(f)), a);
    }

    template <class F, class Allocator>
    void post(F&& f, const Allocator& a) const
    {
        self().executor_.post(self().in_turn(std::forward<F>(f)), a);
    }

    template <class F, class Allocator>
    void defer(F&& f, const Allocator& a) const
    {
        self().executor_.defer(self().in_turn(std::forward<F>(f)), a);
    }

private:
    const Derived& self() const noexcept { return static_cast<const Derived&>(*this); }
};

/// An executor that runs functions on another one, each in its turn.
/**
 * It is the associated executor of the handler that an operation under a limit gets, so that the intermediate
 * steps of composed operations and the final completion take turns with the emission. All properties are those of
 * the inner executor, except that execution never blocks the caller until the turn comes.
 */
template <class Executor>
class timeout_executor
    : public timeout_executor_base<timeout_executor<Executor>, boost::asio::execution::is_executor<Executor>::value>
{
public:
    timeout_executor(const Executor& ex, boost::intrusive_ptr<timeout_serialiser> s) noexcept
        : executor_(ex), serialiser_(std::move(s))
    {
    }

    // Said aloud, since executors must not throw here and the pointer does not promise it.
    timeout_executor(const timeout_executor& other) noexcept : base(), executor_(other.executor_), serialiser_(other.serialiser_)
    {
    }

    timeout_executor(timeout_executor&& other) noexcept
        : executor_(std::move(other.executor_)), serialiser_(std::move(other.serialiser_))
    {
    }

    timeout_executor& operator=(const timeout_executor& other) noexcept
    {
        executor_ = other.executor_;
        serialiser_ = other.serialiser_;
        return *this;
    }

    timeout_executor& operator=(timeout_executor&& other) noexcept
    {
        executor_ = std::move(other.executor_);
        serialiser_ = std::move(other.serialiser_);
        return *this;
    }

    template <class F>
    auto execute(F&& f) const
        -> std::enable_if_t<boost::asio::execution::is_executor<Executor>::value && std::is_invocable_v<std::decay_t<F>&>>
    {
        executor_.execute(in_turn(std::forward<F>(f)));
    }

    template <class Property>
    auto query(const Property& p) const noexcept(noexcept(boost::asio::query(std::declval<const Executor&>(), p)))
        -> std::enable_if_t<boost::asio::can_query<const Executor&, Property>::value,
            decltype(boost::asio::query(std::declval<const Executor&>(), p))>
    {
        return boost::asio::query(executor_, p);
    }

    template <class Property>
    auto require(const Property& p) const -> std::enable_if_t<boost::asio::can_require<const Executor&, Property>::value &&
            !std::is_convertible<Property, boost::asio::execution::blocking_t::always_t>::value,
        timeout_executor<std::decay_t<decltype(boost::asio::require(std::declval<const Executor&>(), p))>>>
    {
        return {boost::asio::require(executor_, p), serialiser_};
    }

    template <class Property>
    auto prefer(const Property& p) const -> std::enable_if_t<boost::asio::can_prefer<const Executor&, Property>::value &&
            !std::is_convertible<Property, boost::asio::execution::blocking_t::always_t>::value,
        timeout_executor<std::decay_t<decltype(boost::asio::prefer(std::declval<const Executor&>(), p))>>>
    {
        return {boost::asio::prefer(executor_, p), serialiser_};
    }

    friend bool operator==(const timeout_executor& a, const timeout_executor& b) noexcept
    {
        return a.serialiser_ == b.serialiser_ && a.executor_ == b.executor_;
    }

    friend bool operator!=(const timeout_executor& a, const timeout_executor& b) noexcept { return !(a == b); }

private:
    using base = timeout_executor_base<timeout_executor, boost::asio::execution::is_executor<Executor>::value>;
    friend base;

    template <class F>
    struct step
    {
        template <class G>
        step(const timeout_executor& ex, G&& g) : ex_(ex), f_(std::forward<G>(g))
        {
        }

        void operator()() { ex_.serialiser_->enter(ex_.executor_, std::move(f_)); }

        timeout_executor ex_;
        F f_;
    };

    template <class F>
    step<std::decay_t<F>> in_turn(F&& f) const
    {
        return {*this, std::forward<F>(f)};
    }

    Executor executor_;
    boost::intrusive_ptr<timeout_serialiser> serialiser_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_EXECUTOR_HPP
