// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_CLOCK_WATCH_WAIT_HPP
#define BOOST_EXT_DETAIL_CLOCK_WATCH_WAIT_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
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

// A wait for a step is a wait on a timer that never expires; a step cancels it, as the user may. What ended a wait, whichever came
// first, is written down under the mutex of the context's clock_steps, and told when the wait's handler is called:
//
//    timer's queue ── clock_watch_wait { handler, outcome } ──► clock_watch_state { timer, outcome of those that wait }
//
// A handler may be handed over to another context, and run when the one that was watched is gone: nothing here refers to that one
// but the timer, which ends with the watch.

namespace boost_ext {
namespace detail {

/// What ended the waits that were pending together.
enum class watch_outcome
{
    pending, ///< nothing yet
    stepped, ///< the clock was set
    aborted  ///< the user cancelled them, or destroyed the watch
};

/// A watch, as seen by its waits.
class clock_watch_state final : private step_listener
{
public:
    using executor_type = boost::asio::any_io_executor;
    using mutex_ptr = clock_steps::mutex_ptr;
    using lock_type = std::lock_guard<clock_steps::mutex_type>;
    using outcome_ptr = std::shared_ptr<watch_outcome>;
    using service_type = timer_service<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>>;

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
        end_waits(watch_outcome::aborted);
        return service_->cancel(wait_);
    }

    /// Nothing of the context is used from here on.
    void close() noexcept
    {
        const lock_type lock(*mutex_);
        steps_->remove(*this);
        end_waits(watch_outcome::aborted);
        service_->release(wait_);
        service_ = nullptr;
    }

private:
    template <class Handler>
    friend class clock_watch_wait;

    void clock_stepped(operation_list& ended) override
    {
        news_ = true;
        end_waits(watch_outcome::stepped);
        if (reports_under_lock)
            service_->cancel(wait_);
        else
            service_->cancel(wait_, ended);
    }

    void end_waits(watch_outcome how) noexcept
    {
        if (outcome_)
            *std::exchange(outcome_, nullptr) = how;
    }

    const executor_type executor_;
    clock_steps* const steps_;
    const mutex_ptr mutex_;
    service_type* service_;             // none when the watch is gone
    service_type::implementation wait_; // never expires
    outcome_ptr outcome_;               // of the waits that are pending
    bool news_ = false;                 // there was a step that no wait has reported
};

/// What a slot needs to know of a wait that it may cancel.
struct watch_cancellation
{
    clock_watch_state::mutex_ptr mutex;
    clock_watch_state::outcome_ptr outcome;
    bool requested = false; // before anything else ended the wait
};

/// The slot of a handler, as the timer sees it: whether a wait was cancelled through it is written down.
template <class Slot>
class watch_slot
{
public:
    watch_slot(const Slot& slot, const std::shared_ptr<watch_cancellation>& cancellation)
        : slot_(slot), cancellation_(cancellation)
    {
    }

    bool is_connected() const noexcept { return cancellation_ != nullptr; }

    template <class Canceller, class... Args>
    Canceller& emplace(Args&&... args)
    {
        return slot_.template emplace<noting<Canceller>>(cancellation_, std::forward<Args>(args)...).canceller;
    }

private:
    template <class Canceller>
    struct noting
    {
        template <class... Args>
        explicit noting(const std::shared_ptr<watch_cancellation>& c, Args&&... args)
            : cancellation(c), canceller(std::forward<Args>(args)...)
        {
        }

        void operator()(boost::asio::cancellation_type_t type)
        {
            using boost::asio::cancellation_type;
            if (!(type & (cancellation_type::terminal | cancellation_type::partial | cancellation_type::total)))
                return;
            const std::shared_ptr<watch_cancellation> c = cancellation;
            const clock_watch_state::lock_type lock(*c->mutex);
            if (*c->outcome != watch_outcome::pending)
                return;
            c->requested = true;
            canceller(type);
        }

        std::shared_ptr<watch_cancellation> cancellation;
        Canceller canceller;
    };

    Slot slot_;
    std::shared_ptr<watch_cancellation> cancellation_;
};

/// The handler of a wait, before it is told how the wait ended.
template <class Handler>
class clock_watch_wait
{
public:
    using slot_type = boost::asio::associated_cancellation_slot_t<Handler, boost::asio::cancellation_slot>;

    template <class H>
    clock_watch_wait(const std::shared_ptr<clock_watch_state>& state, H&& handler)
        : state_(state), handler_(std::forward<H>(handler))
    {
    }

    /// Wait together with all that have this outcome.
    void join(const clock_watch_state::outcome_ptr& outcome)
    {
        outcome_ = outcome;
        if (slot().is_connected())
            cancellation_ = std::make_shared<watch_cancellation>(watch_cancellation{state_->mutex_, outcome});
    }

    const Handler& handler() const noexcept { return handler_; }

    watch_slot<slot_type> noting_slot() const { return {slot(), cancellation_}; }

    void operator()(boost::system::error_code ec)
    {
        {
            const std::shared_ptr<clock_watch_state> state = std::move(state_);
            const clock_watch_state::lock_type lock(*state->mutex_);
            // Without an outcome it was not the timer that waited.
            if (outcome_ && *outcome_ == watch_outcome::stepped && !(cancellation_ && cancellation_->requested))
                ec = boost::system::error_code();
            if (!ec)
                state->news_ = false;
        }
        outcome_.reset();
        cancellation_.reset();
        std::move(handler_)(std::move(ec));
    }

private:
    // With the default spelt out: Boost 1.81 finds the short form ambiguous for a reference_wrapper.
    slot_type slot() const { return boost::asio::get_associated_cancellation_slot(handler_, boost::asio::cancellation_slot()); }

    std::shared_ptr<clock_watch_state> state_;
    clock_watch_state::outcome_ptr outcome_;
    std::shared_ptr<watch_cancellation> cancellation_; // none without a slot
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
        if (!self->outcome_)
            self->outcome_ = std::make_shared<watch_outcome>(watch_outcome::pending);
        wait.join(self->outcome_);
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

/// The timer's canceller goes into the handler's slot by way of one that takes note.
template <class Handler, class CancellationSlot>
struct associated_cancellation_slot<boost_ext::detail::clock_watch_wait<Handler>, CancellationSlot>
{
    using wait_type = boost_ext::detail::clock_watch_wait<Handler>;
    using type = boost_ext::detail::watch_slot<typename wait_type::slot_type>;

    static type get(const wait_type& w, const CancellationSlot& = CancellationSlot()) { return w.noting_slot(); }
};

} // namespace asio
} // namespace boost

#endif
