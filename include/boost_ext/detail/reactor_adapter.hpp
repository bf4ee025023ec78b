// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_REACTOR_ADAPTER_HPP
#define BOOST_EXT_DETAIL_REACTOR_ADAPTER_HPP

// The one file that names boost::asio::detail. It turns what the library needs of Asio's reactor and scheduler into a few small
// types; everything above is written against these and Asio's public interface.
//
//     wait_operation   a handler that waits, in the form in which the scheduler completes it
//     wait_list        the operations waiting for one deadline, first in, first out
//     operation_list   operations on their way to the scheduler
//     reactor_adapter  a queue of ours, plugged into the reactor beside Asio's own timer queues
//     descriptor_watch a descriptor of ours whose readiness the reactor reports, as it does for signals

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/detail/bind_handler.hpp>
#include <boost/asio/detail/config.hpp>
#include <boost/asio/detail/fenced_block.hpp>
#include <boost/asio/detail/handler_alloc_helpers.hpp>
#include <boost/asio/detail/handler_tracking.hpp>
#include <boost/asio/detail/handler_work.hpp>
#include <boost/asio/detail/op_queue.hpp>
#include <boost/asio/detail/operation.hpp>
// clang-format off
#include <boost/asio/detail/scheduler.hpp> // before the reactor, which some Boosts need
#include <boost/asio/detail/reactor.hpp>
// clang-format on
#include <boost/asio/detail/reactor_op.hpp>
#include <boost/asio/detail/timer_queue_base.hpp>
#include <boost/asio/detail/timer_scheduler.hpp>
#include <boost/asio/detail/wait_op.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/version.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>
#include <boost_ext/detail/block_cache.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <sys/select.h>

#if defined(__has_include)
#if __has_include(<boost/asio/cancel_after.hpp>) // Boost 1.86
#define BOOST_EXT_DETAIL_CANCEL_AFTER 1
#include <boost/asio/detail/timed_cancel_op.hpp>
#endif
#endif

#if BOOST_ASIO_VERSION >= 103600 // Boost 1.89: contexts have allocators and a configuration
#define BOOST_EXT_DETAIL_CONTEXT_ALLOCATOR 1
#include <boost/asio/config.hpp>
#endif

namespace boost_ext {
namespace detail {

namespace asio = boost::asio;

using operation_list = asio::detail::op_queue<asio::detail::operation>;

/// The part of a waiting handler that does not depend on its type.
/**
 * How it ended travels in the operation's result word: the scheduler passes it on, and no error_code need be stored.
 */
class wait_base : public asio::detail::operation
{
public:
    void set_aborted() noexcept { this->task_result_ = 1; }

    /// Run the handler in place of an operation of ours that the scheduler is about to run, and has counted.
    void complete_instead(void* owner) { this->complete(owner, boost::system::error_code(), this->task_result_); }

    std::uint32_t cancellation_id = 0; // what a slot's handler must say to cancel this wait; 0: nothing does

protected:
    explicit wait_base(func_type f) : asio::detail::operation(f) {}
};

/// A waiting handler and the work it holds.
template <class Handler, class IoExecutor>
class wait_operation : public wait_base
{
public:
    /// Where the memory comes from: the handler's allocator.
    using allocator_type = asio::associated_allocator_t<Handler>;
    using memory = operation_memory<wait_operation, allocator_type>;

    wait_operation(Handler& h, const IoExecutor& ex)
        : wait_base(&wait_operation::do_complete), handler_(std::move(h)), work_(handler_, ex)
    {
    }

    Handler& handler() noexcept { return handler_; }

private:
    static void do_complete(void* owner, asio::detail::operation* base, const boost::system::error_code&, std::size_t aborted)
    {
        auto* const self = static_cast<wait_operation*>(base);
        BOOST_ASIO_HANDLER_COMPLETION((*self));

        // The handler, and whatever owns the memory through it, must outlive the memory; the memory is free when it is called.
        asio::detail::handler_work<Handler, IoExecutor> work(std::move(self->work_));
        asio::detail::binder1<Handler, boost::system::error_code> bound(
            self->handler_, aborted ? boost::system::error_code(asio::error::operation_aborted) : boost::system::error_code());
        const allocator_type alloc = asio::get_associated_allocator(bound.handler_);
        self->~wait_operation();
        memory::deallocate(alloc, self);

        if (owner) // otherwise the scheduler is only destroying it
        {
            asio::detail::fenced_block fence(asio::detail::fenced_block::half);
            BOOST_ASIO_HANDLER_INVOCATION_BEGIN((bound.arg1_));
            work.complete(bound, bound.handler_);
            BOOST_ASIO_HANDLER_INVOCATION_END;
        }
    }

    Handler handler_;
    asio::detail::handler_work<Handler, IoExecutor> work_;
};

/// The operations that wait for one deadline, first in, first out: a ring, of which the last one is kept.
/**
 * A plain value that owns nothing: the queue copies it as memory.
 */
class wait_list
{
public:
    wait_list() noexcept : last_(nullptr) {}
    explicit wait_list(wait_base* only) noexcept : last_(only) { link(last_, last_); }

    bool empty() const noexcept { return last_ == nullptr; }

    /// Where the operations are, for prefetching.
    const void* address() const noexcept { return last_; }

    void push_back(wait_base* op) noexcept
    {
        link(op, last_ ? next(last_) : op);
        if (last_)
            link(last_, op);
        last_ = op;
    }

    /// Precondition: not empty.
    wait_base* pop_front() noexcept
    {
        wait_base* const first = next(last_);
        if (first == last_)
            last_ = nullptr;
        else
            link(last_, next(first));
        return first;
    }

    std::size_t size() const noexcept
    {
        std::size_t n = 0;
        for_each([&](wait_base*) { ++n; });
        return n;
    }

    /// Take the operation with that id out, or null.
    wait_base* remove(std::uint32_t cancellation_id) noexcept
    {
        if (empty())
            return nullptr;
        wait_base* before = last_;
        do
        {
            wait_base* const op = next(before);
            if (op->cancellation_id == cancellation_id)
            {
                link(before, next(op));
                if (op == last_)
                    last_ = before == op ? nullptr : before;
                return op;
            }
            before = op;
        } while (before != last_);
        return nullptr;
    }

    /// Append all operations to the list of those that are done. Postcondition: empty.
    std::size_t move_to(operation_list& done, bool aborted) noexcept
    {
        std::size_t n = 0;
        while (!empty())
        {
            wait_base* const op = pop_front();
            if (aborted)
                op->set_aborted();
            done.push(op);
            ++n;
        }
        return n;
    }

private:
    static wait_base* next(wait_base* op) noexcept
    {
        return static_cast<wait_base*>(asio::detail::op_queue_access::next(static_cast<asio::detail::operation*>(op)));
    }

    static void link(wait_base* op, wait_base* following) noexcept
    {
        asio::detail::operation* o = op;
        asio::detail::op_queue_access::next(o, static_cast<asio::detail::operation*>(following));
    }

    template <class F>
    void for_each(F f) const noexcept
    {
        if (empty())
            return;
        wait_base* op = last_;
        do
        {
            op = next(op);
            f(op);
        } while (op != last_);
    }

    wait_base* last_;
};

/// What the reactor asks of a queue that is plugged into it; called with the reactor's lock held.
class reactor_queue
{
public:
    /// Whether nothing is pending.
    virtual bool idle() = 0;

    /// Microseconds until the next wake-up, at most `most`; 0 if something is due.
    virtual long wait_for_us(long most) = 0;

    /// Append what is due.
    virtual void collect(operation_list& due) = 0;

    /// Append all there is: the context is going down.
    virtual void abandon(operation_list& all) = 0;

protected:
    ~reactor_queue() = default;
};

/// Names our queues where Asio's timer queue is specialised.
struct reactor_traits
{
    using time_type = int;
    using duration_type = int;
};

} // namespace detail
} // namespace boost_ext

// Asio's reactors take timer queues of any time traits, which is the door through which ours goes in. The qualified name finds the
// template also where Asio lives in an inline namespace.
#if defined(BOOST_EXT_DETAIL_CONTEXT_ALLOCATOR)
template <class Allocator>
class boost::asio::detail::timer_queue<boost_ext::detail::reactor_traits, Allocator>
#else
template <>
class boost::asio::detail::timer_queue<boost_ext::detail::reactor_traits>
#endif
    : public boost::asio::detail::timer_queue_base
{
public:
    /// Tells `schedule_timer`'s caller that the reactor took note.
    struct per_timer_data
    {
        bool noted = false;
    };

    explicit timer_queue(boost_ext::detail::reactor_queue& queue) : queue_(queue) {}

    bool enqueue_timer(int, per_timer_data& timer, boost::asio::detail::wait_op*)
    {
        timer.noted = true;
        return true; // have the kernel timer set anew
    }

    bool empty() const override { return queue_.idle(); }
    long wait_duration_msec(long most) const override { return (queue_.wait_for_us(most * 1000) + 999) / 1000; }
    long wait_duration_usec(long most) const override { return queue_.wait_for_us(most); }
    void get_ready_timers(boost_ext::detail::operation_list& ops) override { queue_.collect(ops); }
    void get_all_timers(boost_ext::detail::operation_list& ops) override { queue_.abandon(ops); }

private:
    boost_ext::detail::reactor_queue& queue_;
};

namespace boost_ext {
namespace detail {

#if defined(BOOST_EXT_DETAIL_CONTEXT_ALLOCATOR)
/// The allocator that a context's services use.
using context_allocator = asio::execution_context::allocator<void>;
inline context_allocator get_context_allocator(asio::execution_context& context)
{
    return context_allocator(context);
}
/// How many timers the user wants room for from the start.
inline std::size_t configured_reserve(asio::execution_context& context)
{
    return asio::config(context).get("timer", "heap_reserve", std::size_t(0));
}
#else
using context_allocator = std::allocator<void>;
inline context_allocator get_context_allocator(asio::execution_context&)
{
    return context_allocator();
}
inline std::size_t configured_reserve(asio::execution_context&)
{
    return 0;
}
#endif

/// A queue of ours, plugged into a context's reactor, and the scheduler that its operations are handed to.
class reactor_adapter
{
public:
    /// Plugs `queue` in. The reactor may call it from here on.
    reactor_adapter(asio::execution_context& context, reactor_queue& queue)
        : context_(context),
          scheduler_(asio::use_service<asio::detail::scheduler>(context)),
          reactor_(asio::use_service<asio::detail::timer_scheduler>(context)),
          queue_(queue),
          notification_(new notification)
    {
        reactor_.init_task();
        reactor_.add_timer_queue(queue_);
    }

    reactor_adapter(const reactor_adapter&) = delete;
    reactor_adapter& operator=(const reactor_adapter&) = delete;

    ~reactor_adapter() { reactor_.remove_timer_queue(queue_); }

    /// Keep the context at work until `notify` is done: what is to be notified of may be over by then, and the context out of work and
    /// used for something else, which `notify` must not stop.
    void about_to_notify() { scheduler_.work_started(); }

    /// Have the kernel timer set anew. False if the reactor is shut down already. Takes the reactor's lock.
    /**
     * Precondition: `about_to_notify` was called for it.
     */
    bool notify()
    {
        if (!notification_)
            return false; // as it was before
        queue_type::per_timer_data data;
        reactor_.schedule_timer(queue_, 0, data, notification_.get());
        if (data.noted)
        {
            scheduler_.work_finished(); // schedule_timer counted a wait, which this is not
            scheduler_.work_finished();
            return true;
        }
        notification_.release(); // a reactor that is shut down hands it to the scheduler
        return false;
    }

    /// Count a wait as outstanding work.
    void work_started() { scheduler_.work_started(); }

    /// Queue operations that were counted before.
    void post(operation_list& ops) { scheduler_.post_deferred_completions(ops); }

    /// Queue an operation that was not counted.
    void post_uncounted(wait_base* op) { scheduler_.post_immediate_completion(op, false); }

    /// Destroy operations without calling their handlers.
    void abandon(operation_list& ops) { scheduler_.abandon_operations(ops); }

    /// Tell the handler tracker about a new wait.
    void track_creation(wait_base& op, const void* timer)
    {
        BOOST_ASIO_HANDLER_CREATION((context_, op, "waitable_timer", const_cast<void*>(timer), 0, "async_wait"));
        static_cast<void>(context_);
        static_cast<void>(op);
        static_cast<void>(timer);
    }

    /// Tell the handler tracker what is done to a timer.
    void track_operation(const void* timer, const char* name)
    {
        BOOST_ASIO_HANDLER_OPERATION((context_, "waitable_timer", const_cast<void*>(timer), 0, name));
        static_cast<void>(timer);
        static_cast<void>(name);
    }

private:
#if defined(BOOST_EXT_DETAIL_CONTEXT_ALLOCATOR)
    using queue_type = asio::detail::timer_queue<reactor_traits, context_allocator>;
#else
    using queue_type = asio::detail::timer_queue<reactor_traits>;
#endif

    /// What `schedule_timer` is given in place of a wait. Never queued but by a reactor that is shut down.
    struct notification : asio::detail::wait_op
    {
        notification() : asio::detail::wait_op(&notification::do_complete) {}

        static void do_complete(void*, asio::detail::operation* base, const boost::system::error_code&, std::size_t)
        {
            delete static_cast<notification*>(base);
        }
    };

    asio::execution_context& context_;
    asio::detail::scheduler& scheduler_;
    asio::detail::timer_scheduler& reactor_;
    queue_type queue_;
    std::unique_ptr<notification> notification_;
};

/// Wrap a handler into an operation and give it to `start(operation)`, which takes it over unless it throws.
/**
 * `prepare()` comes before the operation counts as work: work that is given back, because something failed, stops a context that has
 * no other. So that is where to fail.
 */
template <class Handler, class IoExecutor, class Prepare, class Start>
void start_operation(Handler& handler, const IoExecutor& ex, const Prepare& prepare, const Start& start)
{
    using op = wait_operation<Handler, IoExecutor>;
    using memory = typename op::memory;

    /// Undoes what was done when something throws.
    struct owner
    {
        typename op::allocator_type alloc;
        void* raw;
        op* made;

        ~owner()
        {
            if (made)
            {
                [[maybe_unused]] const Handler last(std::move(made->handler())); // may own what its memory comes from
                made->~op();
                memory::deallocate(alloc, raw);
            }
            else if (raw)
                memory::deallocate(alloc, raw);
        }
    };

    const typename op::allocator_type alloc = asio::get_associated_allocator(handler);
    owner o = {alloc, memory::allocate(alloc), nullptr};
    prepare();
    o.made = ::new (o.raw) op(handler, ex);
    start(o.made);
    o.made = nullptr;
    o.raw = nullptr;
}

/// Whether a handler runs on whatever executor the timer has.
template <class Handler, class IoExecutor>
using follows_timer = std::conjunction<std::is_same<asio::associated_executor_t<Handler, IoExecutor>, IoExecutor>,
    std::is_same<asio::associated_executor_t<Handler, asio::io_context::executor_type>, asio::io_context::executor_type>>;

/// Start a wait: `prepare()`, then `start(operation)`, which takes the operation over unless it throws.
/**
 * A type-erased executor is two thirds of an operation, and Asio leaves it empty where it stands for an io_context's own. There the
 * operation is made for that type, which takes no room.
 */
template <class Handler, class IoExecutor, class Prepare, class Start>
void start_wait(Handler& handler, const IoExecutor& ex, const Prepare& prepare, const Start& start)
{
    if constexpr (std::is_same<IoExecutor, asio::any_io_executor>::value && follows_timer<Handler, IoExecutor>::value)
        if (const auto* const own = ex.template target<asio::io_context::executor_type>())
            return start_operation(handler, *own, prepare, start);
    start_operation(handler, ex, prepare, start);
}

#if defined(BOOST_EXT_DETAIL_CANCEL_AFTER)
/// Start an operation together with a timer that cancels it, as Asio's cancel_after does.
/**
 * If there is no memory for it, the timer stays as it was.
 */
template <class... Signatures, class Handler, class Limit, class Initiation, class... Args>
void start_timed(Handler& handler, const Limit& limit, Initiation&& initiation, Args&&... args)
{
    using op = asio::detail::timed_cancel_op<Handler, decltype((*limit.timer)), Signatures...>;
    typename op::ptr p = {std::addressof(handler), op::ptr::allocate(handler), nullptr};
    limit.set();
    p.p = new (p.v) op(handler, *limit.timer, limit.type);
    op* const o = p.p;
    p.v = p.p = nullptr;
    o->start(std::forward<Initiation>(initiation), std::forward<Args>(args)...);
}
#endif

/// Told when a descriptor becomes readable.
class descriptor_listener
{
public:
    /// Read all there is: readiness is reported once. May not call back into the watch, nor into the reactor where
    /// `reports_under_lock`.
    /**
     * Appends waits, counted as work, that have ended by this; none where `reports_under_lock`. The scheduler counts the report as a
     * handler: the first of them takes its place, so that no more is counted than completes.
     */
    virtual void readable(operation_list& ended) = 0;

protected:
    ~descriptor_listener() = default;
};

/// Whether the reactor in use can watch descriptors on the side.
#if defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
constexpr bool can_watch_descriptors = false;
#else
constexpr bool can_watch_descriptors = true;
#endif

/// Whether the reactor holds its lock while it reports a descriptor, as the one on `select` does. That one also looks at what is due
/// right after, and computes anew how long to wait: it need not be notified.
#if defined(BOOST_ASIO_HAS_EPOLL) || defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
constexpr bool reports_under_lock = false;
#else
constexpr bool reports_under_lock = true;
#endif

/// A descriptor whose readiness the reactor reports without a pending operation and without counting as work.
class descriptor_watch
{
public:
    descriptor_watch(asio::execution_context& context, descriptor_listener& listener)
        : scheduler_(asio::use_service<asio::detail::scheduler>(context)),
          reactor_(asio::use_service<reactor_type>(context)),
          listener_(listener)
    {
        reactor_.init_task();
    }

    descriptor_watch(const descriptor_watch&) = delete;
    descriptor_watch& operator=(const descriptor_watch&) = delete;

    /// Precondition: nothing is watched. Strong guarantee. No effect on a descriptor whose number is greater than `select` takes, where
    /// the reactor is the one on that.
    void start(int descriptor)
    {
#if !defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
        if (reports_under_lock && descriptor >= FD_SETSIZE)
            return;
        auto op = std::make_unique<reading>(*this);
        reading_ = op.get();
        const int error = reactor_.register_internal_descriptor(reactor_type::read_op, descriptor, data_, op.get());
        op.release(); // the reactor has it, also when the kernel does not take the descriptor
        if (error != 0)
        {
            reactor_.deregister_internal_descriptor(descriptor, data_);
            reactor_.cleanup_descriptor_data(data_);
            boost::throw_exception(boost::system::system_error(
                boost::system::error_code(error, boost::system::system_category()), "boost_ext timers: watching the clock"));
        }
#endif
        descriptor_ = descriptor;
    }

    void stop() noexcept
    {
#if !defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
        if (descriptor_ != -1)
        {
            reactor_.deregister_internal_descriptor(descriptor_, data_);
            reactor_.cleanup_descriptor_data(data_);
        }
        reading_ = nullptr;
#endif
        descriptor_ = -1;
    }

    /// Queue waits that have ended.
    void post(operation_list& ended)
    {
        scheduler_.post_deferred_completions(ended);
    }

    /// Have the reactor compute anew how long to wait, if it waits. Only where it `reports_under_lock`; takes no lock.
    void interrupt()
    {
        reactor_.interrupt();
    }

private:
#if defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
    using reactor_type = asio::detail::timer_scheduler;
#else
    using reactor_type = asio::detail::reactor;
#endif

    /// Stays with the descriptor for as long as it is watched.
    class reading : public asio::detail::reactor_op
    {
    public:
        explicit reading(descriptor_watch& watch)
            : asio::detail::reactor_op(boost::system::error_code(), &reading::do_perform, &reading::do_complete), watch_(watch)
        {
        }

    private:
        static status do_perform(asio::detail::reactor_op* base)
        {
            auto* const self = static_cast<reading*>(base);
            self->watch_.listener_.readable(self->ended_);
            return self->ended_.empty() ? not_done : done;
        }

        static void do_complete(void* owner, asio::detail::operation* base, const boost::system::error_code&, std::size_t)
        {
            auto* const self = static_cast<reading*>(base);
            if (!owner)
            {
                delete self;
                return;
            }
            auto* const first = static_cast<wait_base*>(self->ended_.front());
            self->ended_.pop();
            operation_list rest;
            rest.push(self->ended_);
            self->watch_.resume(self);
            self->watch_.post(rest);
            first->complete_instead(owner); // last: a handler may throw, or destroy anything
        }

        descriptor_watch& watch_;
        operation_list ended_;
    };

    /// Go on watching, unless that was stopped. What became readable meanwhile is reported.
    void resume(reading* op)
    {
#if !defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
        if (op != reading_)
        {
            delete op;
            return;
        }
        reactor_.start_op(reactor_type::read_op, descriptor_, data_, op, false, false);
        scheduler_.work_finished(); // start_op counted it as work, which watching is not; the first wait still counts
#else
        static_cast<void>(op);
#endif
    }

    asio::detail::scheduler& scheduler_;
    reactor_type& reactor_;
    descriptor_listener& listener_;
#if !defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
    reactor_type::per_descriptor_data data_{};
    reading* reading_ = nullptr; // while a descriptor is watched
#endif
    int descriptor_ = -1;
};

} // namespace detail
} // namespace boost_ext

#endif
