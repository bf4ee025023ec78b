// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_CLOCK_WATCH_WAIT_HPP
#define BOOST_EXT_DETAIL_CLOCK_WATCH_WAIT_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>
#include <boost_ext/detail/clock_steps.hpp>
#include <boost_ext/detail/timer_service.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

// A wait for a step is a wait on a timer that never expires by itself; a step completes it in the timer's stead, the user may cancel it,
// and whichever comes first takes it off the timer's queue:
//
//    timer's queue ── clock_watch_wait { handler } ──► clock_watch_state { timer, whether there is news }
//
// A handler may be handed over to another context, and run when the one that was watched is gone: nothing here refers to that one
// but the timer, which ends with the watch.

namespace boost_ext {
namespace detail {

/// A watch, as seen by its waits.
class clock_watch_state final : private step_listener
{
public:
    using executor_type = boost::asio::any_io_executor;

    clock_watch_state(const executor_type& ex, boost::asio::execution_context& context)
        : executor_(ex),
          steps_(&boost::asio::use_service<clock_steps>(context)),
          mutex_(steps_->mutex()),
          service_(&boost::asio::use_service<service_type>(context))
    {
        wait_.expiry = (std::chrono::steady_clock::time_point::max)();
        steps_->add(*this);
    }

    const executor_type& get_executor() const noexcept { return executor_; }

    /// Start a wait of the watch. Strong guarantee, except that the handler is gone.
    template <class Handler>
    static void start(std::shared_ptr<clock_watch_state> self, Handler&& handler);

    /// Cancel what is pending.
    std::size_t cancel()
    {
        const lock_type lock(*mutex_);
        return service_->cancel(wait_);
    }

    /// Nothing of the context is used from here on.
    void close() noexcept
    {
        const lock_type lock(*mutex_);
        steps_->remove(*this);
        service_->release(wait_);
        service_ = nullptr;
    }

    /// A wait tells its handler of what has happened so far.
    void reported() noexcept
    {
        const lock_type lock(*mutex_);
        news_ = false;
    }

private:
    using lock_type = std::lock_guard<clock_steps::mutex_type>;
    using service_type = timer_service<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>>;

    void clock_stepped(operation_list& ended) override
    {
        news_ = true;
        if (reports_under_lock)
            service_->fire(wait_);
        else
            service_->fire(wait_, ended);
    }

    const executor_type executor_;
    clock_steps* const steps_;
    const clock_steps::mutex_ptr mutex_;
    service_type* service_;             // none when the watch is gone
    service_type::implementation wait_; // never expires
    bool news_ = false;                 // there was a step that no wait has reported
};

/// The handler of a wait, which the state is told of when it is called.
template <class Handler>
class clock_watch_wait
{
public:
    template <class H>
    clock_watch_wait(const std::shared_ptr<clock_watch_state>& state, H&& handler)
        : state_(state), handler_(std::forward<H>(handler))
    {
    }

    const Handler& handler() const noexcept { return handler_; }

    void operator()(boost::system::error_code ec)
    {
        if (!ec)
            state_->reported();
        state_.reset();
        std::move(handler_)(std::move(ec));
    }

private:
    std::shared_ptr<clock_watch_state> state_;
    Handler handler_;
};

template <class Handler>
void clock_watch_state::start(std::shared_ptr<clock_watch_state> self, Handler&& handler)
{
    // The handler may own the watch, and be gone with it before the mutex is given back.
    clock_watch_wait<std::decay_t<Handler>> wait(self, std::forward<Handler>(handler));
    const lock_type lock(*self->mutex_);
    if (self->service_ && !self->news_)
    {
        self->service_->async_wait(self->wait_, wait, self->executor_);
        return;
    }
    boost::system::error_code ec;
    if (!self->service_)
        ec = boost::asio::error::operation_aborted;
    boost::asio::post(self->executor_, boost::asio::append(std::move(wait), ec));
}

/// Launches a wait, at once or later: deferred.
class initiate_watch_wait
{
public:
    using executor_type = clock_watch_state::executor_type;

    explicit initiate_watch_wait(const std::shared_ptr<clock_watch_state>& state) : state_(state) {}

    const executor_type& get_executor() const noexcept { return state_->get_executor(); }

    template <class Handler>
    void operator()(Handler&& handler) const
    {
        clock_watch_state::start(state_, std::forward<Handler>(handler));
    }

private:
    std::shared_ptr<clock_watch_state> state_;
};

} // namespace detail
} // namespace boost_ext

namespace boost {
namespace asio {

template <template <class, class> class Associator, class Handler, class DefaultCandidate>
struct associator<Associator, boost_ext::detail::clock_watch_wait<Handler>, DefaultCandidate>
    : Associator<Handler, DefaultCandidate>
{
    using wait_type = boost_ext::detail::clock_watch_wait<Handler>;

    static typename Associator<Handler, DefaultCandidate>::type get(const wait_type& w) noexcept
    {
        return Associator<Handler, DefaultCandidate>::get(w.handler());
    }

    static auto get(const wait_type& w, const DefaultCandidate& c) noexcept
        -> decltype(Associator<Handler, DefaultCandidate>::get(w.handler(), c))
    {
        return Associator<Handler, DefaultCandidate>::get(w.handler(), c);
    }
};

} // namespace asio
} // namespace boost

#endif
