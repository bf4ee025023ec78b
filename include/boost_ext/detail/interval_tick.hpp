// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_INTERVAL_TICK_HPP
#define BOOST_EXT_DETAIL_INTERVAL_TICK_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/interval_schedule.hpp>
#include <boost_ext/detail/tick_policy.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/assert.hpp>
#include <boost/system/error_code.hpp>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

// A pending tick is a block from the handler's allocator that holds the handler, and one wait in the
// service's queue that leads to it:
//
//    queue ── interval_wait ──▶ interval_tick { handler, schedule }
//                                     ▲                              │
//                                     └──── schedule.pending ────────┘
//
// A wait that is queued already cannot be called back. A reset that moves such a tick to later arms a
// second wait, and the first counts for nothing when it arrives. Whichever arrives last delivers: then
// nothing refers to the block any more, and its memory is given back before the handler is called.

namespace boost_ext {
namespace detail {

template <class Schedule, class TickInfo, class Executor, class Handler>
class interval_wait;

/// A tick that somebody waits for. Members are guarded by the schedule's mutex.
template <class Schedule, class TickInfo, class Executor, class Handler>
class interval_tick final : public interval_tick_base
{
public:
    using schedule_ptr = std::shared_ptr<Schedule>;
    using wait_type = interval_wait<Schedule, TickInfo, Executor, Handler>;

    /// Waits for the next tick of schedule. Throws with nothing started.
    /// The schedule is a copy because the handler may run elsewhere, and destroy the interval, before
    /// this function has given the mutex back.
    template <class H>
    static void start(schedule_ptr schedule, const Executor& executor, H&& handler)
    {
        // Declared before the lock, so that a failure destroys the handler after unlocking.
        wait_type initiation(create(schedule, executor, std::forward<H>(handler)), 0);
        interval_tick& self = initiation.tick();
        const std::uint64_t ticket = ++schedule->asked;
        connect(schedule, self.handler_, ticket);

        std::unique_lock lock(schedule->mutex);
        if (schedule->pending)
        {
            lock.unlock();
            reject(executor, initiation);
            return;
        }
        schedule->timer.expiry = schedule->due;
        self.wait();
        if (initiation.is_last())
            return; // A context that is being destroyed did away with the wait at once.
        schedule->pending = &self;
        schedule->ticket = ticket;
        initiation.dismiss();
    }

    void wait() override
    {
        wait_type next(this, serial_ + 1);
        schedule_->service.async_wait(schedule_->timer, next, executor_);
        ++serial_;
        expired_ = false;
    }

private:
    friend wait_type;

    using allocator_type =
        typename std::allocator_traits<boost::asio::associated_allocator_t<Handler>>::template rebind_alloc<interval_tick>;
    using allocator_traits = std::allocator_traits<allocator_type>;

    /// What the handler's cancellation slot calls. It may do so long after the tick is gone.
    class canceller
    {
    public:
        canceller(const schedule_ptr& schedule, std::uint64_t ticket) : schedule_(schedule), ticket_(ticket) {}

        void operator()(boost::asio::cancellation_type_t type)
        {
            using boost::asio::cancellation_type;
            constexpr auto honoured = cancellation_type::terminal | cancellation_type::partial | cancellation_type::total;
            if ((type & honoured) == cancellation_type::none)
                return;
            if (const schedule_ptr schedule = schedule_.lock())
            {
                std::lock_guard lock(schedule->mutex);
                if (schedule->ticket == ticket_)
                    schedule->cancel();
            }
        }

    private:
        // Weak, because the signal may outlive everything else.
        std::weak_ptr<Schedule> schedule_;
        std::uint64_t ticket_;
    };

    template <class H>
    interval_tick(const schedule_ptr& schedule, const Executor& executor, H&& handler)
        : schedule_(schedule), executor_(executor), handler_(std::forward<H>(handler))
    {
    }

    ~interval_tick() = default;

    template <class H>
    static interval_tick* create(const schedule_ptr& schedule, const Executor& executor, H&& handler)
    {
        allocator_type allocator(boost::asio::get_associated_allocator(handler));
        const auto memory = allocator_traits::allocate(allocator, 1);
        interval_tick* tick = nullptr;
        BOOST_TRY
        {
            tick =
                ::new (static_cast<void*>(std::addressof(*memory))) interval_tick(schedule, executor, std::forward<H>(handler));
        }
        BOOST_CATCH(...)
        {
            allocator_traits::deallocate(allocator, memory, 1);
            BOOST_RETHROW
        }
        BOOST_CATCH_END
        return tick;
    }

    /// Gives the memory back, and returns the handler, which may own what the memory came from.
    static Handler dissolve(interval_tick* tick)
    {
        Handler handler(std::move(tick->handler_));
        allocator_type allocator(boost::asio::get_associated_allocator(handler));
        tick->~interval_tick();
        allocator_traits::deallocate(allocator, std::pointer_traits<typename allocator_traits::pointer>::pointer_to(*tick), 1);
        return handler;
    }

    static void connect(const schedule_ptr& schedule, const Handler& handler, std::uint64_t ticket)
    {
        // With the default spelt out: Boost 1.81 finds the short form ambiguous for a reference_wrapper.
        auto slot = boost::asio::get_associated_cancellation_slot(handler, boost::asio::cancellation_slot());
        if (slot.is_connected())
            slot.template emplace<canceller>(schedule, ticket);
    }

    static void reject(const Executor& executor, wait_type& initiation)
    {
        BOOST_ASSERT_MSG(false,
            "An interval has one pending tick at most. Wait for the handler of the "
            "previous async_tick, or cancel() it, before you call async_tick again.");
        boost::asio::post(executor,
            boost::asio::append(initiation.take(), boost::system::error_code(boost::asio::error::already_started), TickInfo{}));
    }

    /// Returns whether the caller was the last to know of this tick.
    bool release() noexcept { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

    /// Forgets a tick that is to be destroyed undelivered.
    void abandon() noexcept
    {
        std::lock_guard lock(schedule_->mutex);
        if (schedule_->pending == this)
            schedule_->pending = nullptr;
    }

    /// Applies the policy now, as the last of the waits has arrived.
    boost::system::error_code conclude(TickInfo& info)
    {
        Schedule& schedule = *schedule_;
        if (schedule.pending == this)
            schedule.pending = nullptr;
        if (!expired_ || schedule.closed)
            return boost::asio::error::operation_aborted;

        const auto step = tick_deliver(schedule.policy, schedule.due, schedule.period, Schedule::clock_type::now());
        schedule.due = step.next;
        info.scheduled = step.scheduled;
        info.missed = step.missed;
        return boost::system::error_code();
    }

    const schedule_ptr schedule_;
    const Executor executor_; ///< Where the handler runs if it has no executor.
    std::atomic<std::uint32_t> references_{0};
    std::uint32_t serial_ = 0; ///< Of the wait that counts.
    bool expired_ = false;     ///< That wait has ended, and not by cancellation.
    Handler handler_;
};

/// The handler of a tick's wait, and thereby a reason for the tick to be there.
template <class Schedule, class TickInfo, class Executor, class Handler>
class interval_wait
{
public:
    using tick_type = interval_tick<Schedule, TickInfo, Executor, Handler>;

    interval_wait(tick_type* tick, std::uint32_t serial) noexcept : tick_(tick), serial_(serial)
    {
        tick_->references_.fetch_add(1, std::memory_order_relaxed);
    }

    interval_wait(interval_wait&& other) noexcept : tick_(std::exchange(other.tick_, nullptr)), serial_(other.serial_) {}

    interval_wait& operator=(interval_wait&&) = delete;

    ~interval_wait()
    {
        if (!tick_ || !tick_->release())
            return;
        tick_->abandon();
        static_cast<void>(take());
    }

    tick_type& tick() const noexcept { return *tick_; }
    const Handler& handler() const noexcept { return tick_->handler_; }

    /// Whether nothing else leads to the tick.
    bool is_last() const noexcept { return tick_->references_.load(std::memory_order_acquire) == 1; }

    /// Gives up the last reference, for the handler.
    Handler take() { return tick_type::dissolve(std::exchange(tick_, nullptr)); }

    /// Gives up a reference that is not the last one.
    void dismiss() noexcept { std::exchange(tick_, nullptr)->release(); }

    void operator()(const boost::system::error_code& ec)
    {
        tick_type* const tick = std::exchange(tick_, nullptr);
        boost::system::error_code result;
        TickInfo info{};
        {
            std::lock_guard lock(tick->schedule_->mutex);
            if (serial_ == tick->serial_)
                tick->expired_ = !ec;
            if (!tick->release())
                return;
            result = tick->conclude(info);
        }
        tick_type::dissolve(tick)(std::move(result), std::move(info));
    }

private:
    tick_type* tick_;
    std::uint32_t serial_;
};

} // namespace detail
} // namespace boost_ext

namespace boost {
namespace asio {

template <template <class, class> class Associator, class Schedule, class TickInfo, class Executor, class Handler,
    class DefaultCandidate>
struct associator<Associator, boost_ext::detail::interval_wait<Schedule, TickInfo, Executor, Handler>, DefaultCandidate>
    : Associator<Handler, DefaultCandidate>
{
    using wait_type = boost_ext::detail::interval_wait<Schedule, TickInfo, Executor, Handler>;

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

/// The handler's slot cancels the tick, not one wait of it.
template <class Schedule, class TickInfo, class Executor, class Handler, class CancellationSlot>
struct associated_cancellation_slot<boost_ext::detail::interval_wait<Schedule, TickInfo, Executor, Handler>, CancellationSlot>
{
    using type = CancellationSlot;
    using wait_type = boost_ext::detail::interval_wait<Schedule, TickInfo, Executor, Handler>;

    static type get(const wait_type&, const CancellationSlot& s = CancellationSlot()) noexcept { return s; }
};

} // namespace asio
} // namespace boost

#endif // BOOST_EXT_DETAIL_INTERVAL_TICK_HPP
