// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMER_SERVICE_HPP
#define BOOST_EXT_DETAIL_TIMER_SERVICE_HPP

// Ground rules
//
// 1. `mutex_` guards the queue, `armed_`, `more_due_`, `shut_down_` and the statistics. Nothing else is shared: a timer's own data
//    belongs to whoever uses the timer.
// 2. Lock order: the reactor's mutex, then ours. The reactor calls us with its mutex held (collect, wait_for_us); we call the
//    reactor (notify) with ours released.
// 3. With our lock held nothing of the scheduler is called but the count of outstanding work, and no handler is run, moved or
//    destroyed.
// 4. `armed_` is the time for which the kernel timer is set, or earlier. Whoever makes the queue's next wake-up earlier than that
//    lowers it and notifies the reactor. The reactor sets it, in wait_for_us, to the next wake-up in the queue under the same hold of the lock
//    under which it reads the queue, and then sets the kernel timer before it releases its own mutex, which notify needs. So of an
//    insertion and a computation that race, either the computation sees the entry or the insertion sees the new `armed_`.
//    A clock that may jump without our being told is asked again what a time means to the kernel, and compared with `alarm_`, when
//    the kernel timer goes off. Like `armed_`, it is set in wait_for_us.
// 5. Cancelling and postponing leave `armed_` as it is: the kernel timer is only ever moved earlier, and a wake-up that finds nothing
//    due sets it anew.

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/config.hpp>
#include <boost_ext/detail/clock_driver.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/detail/clock_steps.hpp>
#include <boost_ext/detail/light_mutex.hpp>
#include <boost_ext/detail/reactor_adapter.hpp>
#include <boost_ext/detail/service_directory.hpp>
#include <boost_ext/detail/service_statistics.hpp>
#include <boost_ext/detail/timer_queue.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>

namespace boost_ext {
namespace detail {

/// The timers of one clock in one context.
template <class Clock, class WaitTraits>
class timer_service final : public boost::asio::execution_context::service,
                            private reactor_queue,
                            private listed_service,
                            private clock_listener<Clock>
{
public:
    using key_type = timer_service;
    static inline boost::asio::execution_context::id id;

    using time_point = typename Clock::time_point;
    using duration = typename Clock::duration;

    /// What a timer keeps. Used by one thread at a time.
    struct implementation
    {
        time_point expiry{};
        duration slack{};
        timer_handle waits{}; // names the pending waits, or what were the pending ones
        // Where the last wait and its slot in the queue are, or were: for prefetching alone.
        const void* last_wait = nullptr;
        const void* last_slot = nullptr;
    };

    /// The service of a context, made if there is none. What `use_service` does, but that a thread remembers the last answer.
    /**
     * Never inlined: a stackful coroutine may go on in another thread, for which a compiler does not look up thread_local anew.
     */
    BOOST_NOINLINE static timer_service& of(boost::asio::execution_context& context)
    {
        thread_local memory last;
        // A context that was destroyed since, and whose place another one has taken, has been counted.
        const std::uint32_t now = destroyed_.load(std::memory_order_relaxed);
        if (last.context == &context && last.destroyed == now)
            return *last.service;
        timer_service& service = boost::asio::use_service<timer_service>(context);
        // What another shared library made may be counted there and not here.
        if (service.counted_in_ == &destroyed_)
            last = memory{&context, &service, now};
        return service;
    }

    explicit timer_service(boost::asio::execution_context& context)
        : boost::asio::execution_context::service(context),
          directory_(boost::asio::use_service<service_directory>(context)),
          queue_(key::from(Clock::now()), get_context_allocator(context)),
          reactor_(context, *this)
    {
        check_statistics_mode();
        queue_.reserve(configured_reserve(context));
        this->listen(context);
        directory_.add(*this); // last: it does not throw
    }

    ~timer_service()
    {
        this->stop_listening();
        directory_.remove(*this);
        // Waits that were started after the shutdown of a service that was made after it.
        destroy_all();
        counted_in_->fetch_add(1, std::memory_order_relaxed);
    }

    /// Destroy all pending handlers. From now on waits go straight to the scheduler, which destroys them.
    void shutdown() noexcept override
    {
        this->stop_listening();
        destroy_all();
    }

    // --- what timers do ---

    /// Fetch what will be looked at into the cache, while the caller is busy with the clock.
    static void prefetch(const implementation& impl) noexcept
    {
        __builtin_prefetch(impl.last_slot, 1);
        prefetch_operation(impl.last_wait);
    }

    /// Cancel all waits; returns how many. The place in the queue is kept: most timers are armed again.
    std::size_t cancel(implementation& impl)
    {
        operation_list done;
        const std::size_t n = cancel_all(impl, done, [this](timer_handle h) { queue_.park(h); });
        if (n != 0)
            reactor_.post(done);
        return n;
    }

    /// Complete all waits with success, whatever the time.
    void fire(implementation& impl)
    {
        operation_list done;
        fire(impl, done);
        reactor_.post(done);
    }

    /// The same, without handing them to the scheduler.
    void fire(implementation& impl, operation_list& done)
    {
        std::lock_guard<light_mutex> lock(mutex_);
        wait_list* const waits = queue_.find(impl.waits);
        if (!waits)
            return;
        const std::size_t n = waits->move_to(done, false);
        queue_.park(impl.waits);
        pending_.set(pending_.get() - n);
        statistics_.fired(n, 0);
    }

    /// Cancel all waits and give the place in the queue up.
    std::size_t release(implementation& impl)
    {
        prefetch(impl);
        operation_list done;
        const std::size_t n = cancel_all(impl, done, [this](timer_handle h) { queue_.erase(h); });
        impl.waits = timer_handle(); // now: what is posted may run, and use the place that impl is in, before we return
        if (n != 0)
            reactor_.post(done);
        return n;
    }

    /// Cancel the oldest wait; returns how many that were.
    std::size_t cancel_one(implementation& impl)
    {
        if (!impl.waits)
            return 0;
        reactor_.track_operation(&impl, "cancel_one");
        return cancel_if(impl.waits, [](wait_list& waits) { return waits.empty() ? nullptr : waits.pop_front(); });
    }

    /// Cancel what is pending and set a new expiry.
    std::size_t expires_at(implementation& impl, time_point t)
    {
        const std::size_t n = cancel(impl);
        impl.expiry = t;
        return n;
    }

    /// Move the deadline, and the pending waits with it; returns how many.
    std::size_t reschedule_at(implementation& impl, time_point t)
    {
        impl.expiry = t;
        if (!impl.waits)
            return 0;
        const std::uint64_t deadline = key::from(t);
        const std::uint64_t window = window_of(impl);
        std::size_t n = 0;
        bool wake = false;
        {
            std::lock_guard<light_mutex> lock(mutex_);
            wait_list* const waits = queue_.find(impl.waits);
            if (waits && !waits->empty())
            {
                n = waits->size();
                queue_.move(impl.waits, deadline, window);
                statistics_.rescheduled(n);
                wake = must_wake(deadline, window);
            }
        }
        if (wake)
            wake_reactor();
        return n;
    }

    /// Set the slack for the next arming or rescheduling.
    void slack(implementation& impl, duration d)
    {
        if (driver::in_kernel && impl.waits && d > duration::zero())
        {
            std::lock_guard<light_mutex> lock(mutex_);
            queue_.reserve_window(impl.waits); // so that rescheduling need not
        }
        impl.slack = d;
    }

    /// See to it that the next wait finds room in the queue. Strong guarantee.
    /**
     * With nothing pending the wait's may be the only work that there is, and giving it back because the queue had no room would stop
     * the context. So may it be, whatever is pending here, where the handler runs.
     */
    BOOST_NOINLINE void make_room(const implementation& impl)
    {
        std::lock_guard<light_mutex> lock(mutex_);
        if (!shut_down_)
            queue_.reserve_one(has_slack(impl));
    }

    /// Start a wait. Strong guarantee.
    template <class Handler, class IoExecutor>
    void async_wait(implementation& impl, Handler& handler, const IoExecutor& ex, when_over then = when_over::keep_place)
    {
        // With the default spelt out: Boost 1.81 finds the short form ambiguous for a reference_wrapper.
        auto slot = boost::asio::get_associated_cancellation_slot(handler, boost::asio::cancellation_slot());
        canceller* c = nullptr;
        const auto prepare = [&] {
            if (slot.is_connected())
                c = &slot.template emplace<canceller>(*this);
            if (!impl.waits && (pending_.get() == 0 || runs_elsewhere(handler, ex)))
                make_room(impl);
        };
        start_wait(handler, ex, prepare, [&](wait_base* op) {
            reactor_.track_creation(*op, &impl);
            start(impl, op, c, then);
        });
    }

    /// Block until the expiry.
    void wait(const implementation& impl) { clock_driver<Clock, WaitTraits>::sleep_until(impl.expiry); }

private:
    using key = clock_key<Clock>;
    using queue_type = timer_queue<wait_list, context_allocator>;
    using driver = clock_driver<Clock, WaitTraits>;

    /// Whether the kernel timer, once set for a time of the clock, stays right until we are told. A clock of the user's may jump.
    static constexpr bool keeps_pace =
        std::is_same<Clock, std::chrono::steady_clock>::value || (can_watch_descriptors && jumps<Clock>::value);

    /// Completions that are handed to the scheduler at a time: what the cache holds, and what I/O may have to wait for.
    static constexpr std::size_t batch = 4096;

    /// What a cancellation slot holds for a wait. Names it by handle, so that it follows a timer that is moved.
    class canceller
    {
    public:
        explicit canceller(timer_service& s) noexcept : service_(s) {}

        void operator()(boost::asio::cancellation_type_t type)
        {
            using boost::asio::cancellation_type;
            if (!!(type & (cancellation_type::terminal | cancellation_type::partial | cancellation_type::total)))
                service_.cancel_if(waits, [this](wait_list& l) { return l.remove(id); });
        }

        timer_handle waits;
        std::uint32_t id = 0;

    private:
        timer_service& service_;
    };

    /// What `of` remembers.
    struct memory
    {
        boost::asio::execution_context* context;
        timer_service* service;
        std::uint32_t destroyed;
    };

    /// Written with the lock held, by plain stores. What is read without it is a hint.
    class pending_count
    {
    public:
        std::size_t get() const noexcept { return n_.load(std::memory_order_relaxed); }
        void set(std::size_t n) noexcept { n_.store(n, std::memory_order_relaxed); }

    private:
        std::atomic<std::size_t> n_{0};
    };

    /// An operation is spread over two cache lines. There may be none at that address, or no address.
    static void prefetch_operation(const void* p) noexcept
    {
        __builtin_prefetch(p, 1);
        __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + 64), 1);
    }

    /// Whether a timer has a window in the queue, or may have one once it is rescheduled. On a clock that is moved by hand there is
    /// no wake-up to be shared, and what is due is due at once.
    static bool has_slack(const implementation& impl) noexcept { return driver::in_kernel && impl.slack != duration::zero(); }

    static std::uint64_t window_of(const implementation& impl) noexcept
    {
        if (!has_slack(impl) || impl.expiry <= Clock::now()) // what has expired already is due at once
            return 0;
        const std::uint64_t deadline = key::from(impl.expiry);
        const std::uint64_t end = (std::min)(key::from(saturating_add(impl.expiry, impl.slack)), key::last());
        return end > deadline ? end - deadline : 0;
    }

    template <class Leave>
    std::size_t cancel_all(implementation& impl, operation_list& done, Leave leave)
    {
        if (!impl.waits)
            return 0;
        reactor_.track_operation(&impl, "cancel");
        std::lock_guard<light_mutex> lock(mutex_);
        wait_list* const waits = queue_.find(impl.waits);
        if (!waits)
            return 0;
        const std::size_t n = waits->move_to(done, true);
        leave(impl.waits);
        pending_.set(pending_.get() - n);
        statistics_.cancelled(n);
        return n;
    }

    /// Cancel the wait that `take(wait_list&)` takes out, if any.
    template <class Take>
    std::size_t cancel_if(timer_handle handle, Take take)
    {
        operation_list done;
        {
            std::lock_guard<light_mutex> lock(mutex_);
            wait_list* const waits = queue_.find(handle);
            wait_base* const op = waits ? take(*waits) : nullptr;
            if (!op)
                return 0;
            if (waits->empty())
                queue_.park(handle);
            pending_.set(pending_.get() - 1);
            statistics_.cancelled(1);
            op->set_aborted();
            done.push(op);
        }
        reactor_.post(done);
        return 1;
    }

    /// Whether a handler counts as work of another executor than the timer's.
    template <class Handler, class IoExecutor>
    static bool runs_elsewhere(const Handler& handler, const IoExecutor& ex)
    {
        using boost::asio::associated_executor_t;
        using boost::asio::system_executor;
        if constexpr (!std::is_same<associated_executor_t<Handler, IoExecutor>, IoExecutor>::value)
            return true;
        else if constexpr (std::is_same<associated_executor_t<Handler, system_executor>, system_executor>::value)
            return false; // it has none of its own
        else
            return !(boost::asio::get_associated_executor(handler, ex) == ex);
    }

    void start(implementation& impl, wait_base* op, canceller* c, when_over then)
    {
        bool wake = false;
        {
            std::lock_guard<light_mutex> lock(mutex_);
            if (!shut_down_)
            {
                wake = enqueue(impl, op, c, then);
                op = nullptr;
            }
            else
                impl.waits = timer_handle(); // the handler may own the timer, and be destroyed after us
        }
        if (op)
            reactor_.post_uncounted(op);
        else if (wake)
            wake_reactor();
    }

    /// Put a wait into the queue. The lock is held. True: the reactor must be woken up when it no longer is. Strong guarantee.
    bool enqueue(implementation& impl, wait_base* op, canceller* c, when_over then)
    {
        const std::uint64_t deadline = key::from(impl.expiry);
        const std::uint64_t window = window_of(impl);
        // An expiry at the end of time has no window. One that it is rescheduled to may have, and then there must be room for it.
        const bool windowed = has_slack(impl);
        wait_list* const waits = queue_.find(impl.waits);
        const bool first = !waits || waits->empty();
        if (!waits)
        {
            impl.waits = queue_.insert(deadline, wait_list(op), window, windowed, then);
            impl.last_slot = queue_.address(impl.waits);
        }
        else
        {
            if (first)
            {
                if (windowed)
                    queue_.reserve_window(impl.waits);
                queue_.move(impl.waits, deadline, window);
            }
            waits->push_back(op);
        }
        impl.last_wait = op;
        // Nothing throws from here on. The slot's handler must be complete before another thread can complete the wait.
        if (c)
        {
            if (++last_cancellation_id_ == 0)
                ++last_cancellation_id_;
            c->waits = impl.waits;
            c->id = op->cancellation_id = last_cancellation_id_;
        }
        pending_.set(pending_.get() + 1);
        statistics_.scheduled();
        reactor_.work_started();
        return first && must_wake(deadline, window);
    }

    /// Whether the reactor must learn of what was just put into the queue, by `wake_reactor`. The lock is held.
    bool must_wake(std::uint64_t deadline, std::uint64_t window) noexcept
    {
        if constexpr (driver::in_kernel)
        {
            const std::uint64_t wake = window < key::never - deadline ? deadline + window : deadline;
            if (wake >= armed_ && !alarm_is_late(wake))
                return false;
            armed_ = wake;
        }
        else if (deadline > key::from(Clock::now()))
            return false; // the clock will tell
        statistics_.kernel_arm();
        reactor_.about_to_notify();
        return true;
    }

    /// Whether the clock has jumped, so that the kernel timer goes off too late for a time that it was set early enough for.
    bool alarm_is_late(std::uint64_t wake) const noexcept
    {
        if (keeps_pace || wake == key::never)
            return false;
        constexpr long most = 3600L * 1000000;         // further ahead than a reactor sets its timer
        constexpr std::chrono::milliseconds jitter(1); // of looking at two clocks one after the other
        const auto now = std::chrono::steady_clock::now();
        return now + std::chrono::microseconds(driver::microseconds_until(key::to(wake), most)) + jitter < alarm_;
    }

    /// Have the kernel timer set anew, as `must_wake` asked for. The lock is not held.
    void wake_reactor()
    {
        if (reactor_.notify())
            return;
        // The context is further down than we were told. The handlers stay until we go: whoever started the wait may hold a lock.
        std::lock_guard<light_mutex> lock(mutex_);
        shut_down_ = true;
    }

    /// Collect what is due and hand it to the scheduler, without the reactor.
    void hand_over_due()
    {
        operation_list due;
        {
            std::lock_guard<light_mutex> lock(mutex_);
            take_due(due, (std::numeric_limits<std::size_t>::max)());
        }
        reactor_.post(due);
    }

    void take_due(operation_list& due, std::size_t most)
    {
        const time_point now = Clock::now();
        std::size_t n = 0;
        const std::size_t timers = queue_.collect(
            key::from(now), most, [](const wait_list& waits) { prefetch_operation(waits.address()); },
            [&](wait_list waits, std::uint64_t when) {
                const std::size_t k = waits.move_to(due, false);
                n += k;
                if constexpr (service_statistics::enabled)
                    statistics_.fired(k, nanoseconds_late(now, when));
                static_cast<void>(when);
            });
        more_due_ = timers == most;
        pending_.set(pending_.get() - n);
        if (n != 0)
            statistics_.wakeup();
    }

    static std::uint64_t nanoseconds_late(time_point now, std::uint64_t deadline) noexcept
    {
        const duration late = saturating_subtract(now, key::to(deadline));
        if (late <= duration::zero())
            return 0;
        if (std::chrono::duration<double>(late) > std::chrono::hours(24 * 365 * 290)) // more than fits
            return static_cast<std::uint64_t>((std::chrono::nanoseconds::max)().count());
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(late).count());
    }

    void destroy_all() noexcept
    {
        operation_list all;
        abandon(all);
        reactor_.abandon(all);
    }

    // --- what the reactor asks; its mutex is held ---

    bool idle() override
    {
        std::lock_guard<light_mutex> lock(mutex_);
        return pending_.get() == 0;
    }

    long wait_for_us(long most) override
    {
        std::lock_guard<light_mutex> lock(mutex_);
        armed_ = queue_.next_wake();
        if (armed_ == key::never)
            return most;
        if constexpr (driver::in_kernel)
        {
            // What is left of a batch need not wait for the end of a window.
            const long us = more_due_ ? 0 : driver::microseconds_until(key::to(armed_), most);
            if (!keeps_pace)
                alarm_ = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
            return us;
        }
        else
            return armed_ <= key::from(Clock::now()) ? 0 : most;
    }

    void collect(operation_list& due) override
    {
        std::lock_guard<light_mutex> lock(mutex_);
        if (pending_.get() != 0)
            take_due(due, batch);
    }

    void abandon(operation_list& all) override
    {
        std::lock_guard<light_mutex> lock(mutex_);
        shut_down_ = true;
        pending_.set(0);
        queue_.drain([&](wait_list waits) { waits.move_to(all, false); });
    }

    // --- what the directory asks ---

    void add_to(timer_statistics& total) override
    {
        std::lock_guard<light_mutex> lock(mutex_);
        total.pending += pending_.get();
        if constexpr (service_statistics::enabled)
        {
            total.live_entries += queue_.live_entries();
            total.dead_entries += queue_.dead_entries();
        }
        statistics_.add_to(total);
    }

    void earliest(const void* tag, void* result) override
    {
        if (tag != &clock_tag<Clock>::value)
            return;
        auto& t = *static_cast<time_point*>(result);
        t = (std::min)(t, next_expiry());
    }

    // --- what the clock tells ---

    friend class clock_listener<Clock>;

    /// The earliest expiry that is waited for, `time_point::max()` if there is none.
    time_point next_expiry() override
    {
        std::lock_guard<light_mutex> lock(mutex_);
        return key::to(queue_.next_deadline());
    }

    /// The clock was moved by other means than the passing of time. For a clock of the kernel's the reactor calls this, while it
    /// reports a descriptor.
    void clock_moved() override
    {
        if constexpr (driver::in_kernel)
        {
            if (reports_under_lock)
                return;
            {
                std::lock_guard<light_mutex> lock(mutex_);
                if (pending_.get() == 0)
                {
                    armed_ = key::never; // the kernel timer may be set for later than that now: who comes next must set it anew
                    return;
                }
                if constexpr (jumps<Clock>::value)
                    take_due(this->ended(), batch);
                reactor_.about_to_notify();
            }
            reactor_.notify();
        }
        else
            hand_over_due();
    }

    // Services of this type that were destroyed: one number for all shared libraries of the program, as far as the linker knows of them.
    BOOST_SYMBOL_VISIBLE static inline std::atomic<std::uint32_t> destroyed_{0};

    std::atomic<std::uint32_t>* const counted_in_ = &destroyed_;
    service_directory& directory_;
    light_mutex mutex_;
    queue_type queue_;
    std::uint64_t armed_ = key::never;
    bool more_due_ = false;                       // maybe: the last batch was full
    std::chrono::steady_clock::time_point alarm_; // only for clocks that may jump
    pending_count pending_;
    std::uint32_t last_cancellation_id_ = 0;
    bool shut_down_ = false;
    service_statistics statistics_;
    reactor_adapter reactor_; // last: the reactor may call us as soon as it is made
};

} // namespace detail
} // namespace boost_ext

#endif
