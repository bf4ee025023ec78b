// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_SLEEP_OP_HPP
#define BOOST_EXT_DETAIL_SLEEP_OP_HPP

#include <boost_ext/detail/executor_context.hpp>
#include <boost_ext/detail/timer_service.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/is_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>
#include <type_traits>
#include <utility>

// A sleep is one wait in the queue that no timer owns. One that expires leaves nothing behind there;
// one that is cancelled is taken out by what sits in its handler's slot. So nothing of the sleep
// refers to the context any more when its handler is handed over to an executor of another one.

namespace boost_ext {
namespace detail {

/// What the slot of a sleeping handler holds.
template <class Service>
class sleep_canceller
{
public:
    using implementation = typename Service::implementation;

    sleep_canceller(Service& service, const implementation& w) : wait(w), service_(&service) {}

    void operator()(boost::asio::cancellation_type_t type)
    {
        using boost::asio::cancellation_type;
        constexpr auto honoured = cancellation_type::terminal | cancellation_type::partial | cancellation_type::total;
        if ((type & honoured) != cancellation_type::none)
            service_->release(wait);
    }

    implementation wait; ///< Names the wait once it is started.

private:
    Service* service_;
};

/// A sleeping handler, without its slot.
template <class Handler>
class sleep_handler
{
public:
    template <class H>
    sleep_handler(std::in_place_t, H&& handler) : handler_(std::forward<H>(handler))
    {
    }

    const Handler& handler() const noexcept { return handler_; }

    void operator()(boost::system::error_code ec) { std::move(handler_)(std::move(ec)); }

private:
    Handler handler_;
};

/// Completes handler at deadline, which context waits for.
/// Nothing but a post happens for a deadline that is not after now.
template <class Clock, class Executor, class Handler>
void start_sleep(boost::asio::execution_context& context, const Executor& executor, typename Clock::time_point now,
    typename Clock::time_point deadline, Handler&& handler)
{
    using service_type = timer_service<Clock, boost::asio::wait_traits<Clock>>;

    if (!(now < deadline) && deadline != (Clock::time_point::max)())
    {
        boost::asio::post(executor, boost::asio::append(std::forward<Handler>(handler), boost::system::error_code()));
        return;
    }

    auto& service = service_type::of(context);
    typename service_type::implementation wait;
    wait.expiry = deadline;
    sleep_handler<typename std::decay<Handler>::type> sleeper(std::in_place, std::forward<Handler>(handler));

    // With the default spelt out: Boost 1.81 finds the short form ambiguous for a reference_wrapper.
    auto slot = boost::asio::get_associated_cancellation_slot(sleeper.handler(), boost::asio::cancellation_slot());
    // What the slot holds may be gone, with the handler, as soon as the wait is started; the queue
    // does not look at it from there on.
    auto& named = slot.is_connected() ? slot.template emplace<sleep_canceller<service_type>>(service, wait).wait : wait;
    service.async_wait(named, sleeper, executor, when_over::free_place);
}

/// Whether an executor says which context it belongs to. Type-erased ones of handlers may not, and
/// neither does one that runs everything inline.
template <class Executor>
struct has_sleep_context : std::integral_constant<bool,
                               !boost::asio::execution::is_executor<Executor>::value ||
                                   boost::asio::can_query<const Executor&, boost::asio::execution::context_t>::value>
{
};

/// Launches a sleep on a given executor.
template <class Clock, class Executor>
class initiate_sleep_on_executor
{
public:
    using executor_type = Executor;

    explicit initiate_sleep_on_executor(const Executor& executor) : executor_(executor) {}

    executor_type get_executor() const noexcept { return executor_; }

    template <class Handler, class Limit>
    void operator()(Handler&& handler, const Limit& limit) const
    {
        const auto now = Clock::now();
        start_sleep<Clock>(context_of(executor_), executor_, now, limit.deadline(now), std::forward<Handler>(handler));
    }

private:
    Executor executor_;
};

/// Launches a sleep on a given context.
template <class Clock, class Context>
class initiate_sleep_on_context
{
public:
    using executor_type = typename Context::executor_type;

    explicit initiate_sleep_on_context(Context& context) : context_(&context) {}

    executor_type get_executor() const noexcept { return context_->get_executor(); }

    template <class Handler, class Limit>
    void operator()(Handler&& handler, const Limit& limit) const
    {
        const auto now = Clock::now();
        start_sleep<Clock>(*context_, get_executor(), now, limit.deadline(now), std::forward<Handler>(handler));
    }

private:
    Context* context_;
};

/// Launches a sleep on the associated executor of the handler.
template <class Clock>
class initiate_sleep
{
public:
    template <class Handler, class Limit>
    void operator()(Handler&& handler, const Limit& limit) const
    {
        // Newer Boosts' own default is an inline executor, which has no context to sleep on.
        const auto executor = boost::asio::get_associated_executor(handler, boost::asio::system_executor());
        launch(place(executor), std::forward<Handler>(handler), limit);
    }

private:
    template <class Executor>
    static auto place(const Executor& executor)
    {
        if constexpr (has_sleep_context<Executor>::value)
            return executor;
        else // The handler is handed over to its executor all the same.
            return boost::asio::system_executor();
    }

    template <class Executor, class Handler, class Limit>
    static void launch(const Executor& executor, Handler&& handler, const Limit& limit)
    {
        const initiate_sleep_on_executor<Clock, Executor> initiation(executor);
        initiation(std::forward<Handler>(handler), limit);
    }
};

/// Whether T can say where a sleep is to run, as an executor.
template <class T>
struct is_sleep_executor
    : std::integral_constant<bool, boost::asio::execution::is_executor<T>::value || boost::asio::is_executor<T>::value>
{
};

/// Whether T can say where a sleep is to run, as an execution context.
template <class T>
struct is_sleep_context : std::is_convertible<T&, boost::asio::execution_context&>
{
};

} // namespace detail
} // namespace boost_ext

namespace boost {
namespace asio {

template <template <class, class> class Associator, class Handler, class DefaultCandidate>
struct associator<Associator, boost_ext::detail::sleep_handler<Handler>, DefaultCandidate> : Associator<Handler, DefaultCandidate>
{
    static typename Associator<Handler, DefaultCandidate>::type get(const boost_ext::detail::sleep_handler<Handler>& h) noexcept
    {
        return Associator<Handler, DefaultCandidate>::get(h.handler());
    }

    static auto get(const boost_ext::detail::sleep_handler<Handler>& h, const DefaultCandidate& c) noexcept
        -> decltype(Associator<Handler, DefaultCandidate>::get(h.handler(), c))
    {
        return Associator<Handler, DefaultCandidate>::get(h.handler(), c);
    }
};

/// The handler's slot is the canceller's.
template <class Handler, class CancellationSlot>
struct associated_cancellation_slot<boost_ext::detail::sleep_handler<Handler>, CancellationSlot>
{
    using type = CancellationSlot;

    static type get(const boost_ext::detail::sleep_handler<Handler>&, const CancellationSlot& s = CancellationSlot()) noexcept
    {
        return s;
    }
};

} // namespace asio
} // namespace boost

#endif // BOOST_EXT_DETAIL_SLEEP_OP_HPP
