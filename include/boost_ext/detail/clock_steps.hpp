// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_CLOCK_STEPS_HPP
#define BOOST_EXT_DETAIL_CLOCK_STEPS_HPP

#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>
#include <boost_ext/detail/clock_driver.hpp>
#include <boost_ext/detail/reactor_adapter.hpp>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <limits>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <sys/timerfd.h>
#include <unistd.h>

namespace boost_ext {
namespace detail {

/// Told when the wall clock was set, or the machine resumed.
class step_listener : public boost::intrusive::list_base_hook<>
{
public:
    /// Appends waits that have ended by this; none where the reactor `reports_under_lock`, if it is the reactor that reports.
    virtual void clock_stepped(operation_list& ended) = 0;

protected:
    ~step_listener() = default;
};

/// A timerfd that never fires, but is cancelled by a step of the wall clock.
class step_descriptor
{
public:
    step_descriptor() : descriptor_(::timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC))
    {
        if (descriptor_ == -1)
            fail("timerfd_create");
        ::itimerspec far{};
        far.it_value.tv_sec = (std::numeric_limits<std::int32_t>::max)() * std::time_t{1000};
        if (::timerfd_settime(descriptor_, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &far, nullptr) != 0)
        {
            const int error = errno;
            ::close(descriptor_);
            errno = error;
            fail("timerfd_settime");
        }
    }

    step_descriptor(const step_descriptor&) = delete;
    step_descriptor& operator=(const step_descriptor&) = delete;

    ~step_descriptor() { ::close(descriptor_); }

    int get() const noexcept { return descriptor_; }

private:
    [[noreturn]] static void fail(const char* what)
    {
        boost::throw_exception(
            boost::system::system_error(boost::system::error_code(errno, boost::asio::error::get_system_category()), what));
    }

    int descriptor_;
};

/// Notices steps of the wall clock in a context that uses such clocks.
/**
 * Lock order: this mutex, then a timer service's.
 */
class clock_steps final : public boost::asio::execution_context::service, private descriptor_listener
{
public:
    using key_type = clock_steps;
    static inline boost::asio::execution_context::id id;

    explicit clock_steps(boost::asio::execution_context& context)
        : boost::asio::execution_context::service(context),
          descriptor_(std::make_unique<step_descriptor>()),
          watch_(context, *this)
    {
        watch_.start(descriptor_->get());
    }

    ~clock_steps() { watch_.stop(); }

    using mutex_type = std::recursive_mutex;
    using mutex_ptr = std::shared_ptr<mutex_type>;

    /// Held while a listener is told, so that it can guard what that changes, for longer than this service lives. Who holds it may take
    /// it again.
    const mutex_ptr& mutex() const noexcept { return mutex_; }

    /// Tell a listener of every step from now on: one that the reactor has not seen yet is told to the others first.
    void add(step_listener& l)
    {
        std::lock_guard<mutex_type> lock(*mutex_);
        catch_up();
        listeners_.push_back(l);
    }

    void remove(step_listener& l) noexcept
    {
        std::lock_guard<mutex_type> lock(*mutex_);
        listeners_.erase(listeners_.iterator_to(l));
    }

    /// Tell everybody. Called by the reactor, and by tests on machines whose clock may not be set.
    void stepped()
    {
        operation_list ended;
        stepped(ended);
        hand_on(ended);
    }

private:
    void shutdown() noexcept override {}

    void notify_fork(boost::asio::execution_context::fork_event event) override
    {
        // The child needs a descriptor of its own, or the two would read each other's notifications. It is there before the fork, so
        // that the child misses no step either.
        switch (event)
        {
        case boost::asio::execution_context::fork_prepare:
            for_child_ = std::make_unique<step_descriptor>();
            watch_.stop();
            catch_up(); // a step that the reactor has not seen yet is news to both
            break;
        case boost::asio::execution_context::fork_parent:
            for_child_.reset();
            watch_.start(descriptor_->get());
            break;
        case boost::asio::execution_context::fork_child:
            descriptor_ = std::move(for_child_);
            watch_.start(descriptor_->get());
            break;
        }
    }

    void stepped(operation_list& ended)
    {
        std::lock_guard<mutex_type> lock(*mutex_);
        for (step_listener& l : listeners_)
            l.clock_stepped(ended);
    }

    /// Report, in the reactor's place, what it has not seen yet.
    void catch_up()
    {
        operation_list ended;
        readable(ended);
        hand_on(ended);
    }

    /// Finish what the reactor has not reported itself.
    void hand_on(operation_list& ended)
    {
        watch_.post(ended);
        if (reports_under_lock)
            watch_.interrupt(); // the timers have left it to the reactor
    }

    void readable(operation_list& ended) override
    {
        std::lock_guard<mutex_type> lock(*mutex_); // what was read is told before a listener is added
        std::uint64_t expirations;
        while (::read(descriptor_->get(), &expirations, sizeof expirations) == -1)
        {
            if (errno == ECANCELED)
                stepped(ended);
            else if (errno != EINTR)
                break;
        }
    }

    const mutex_ptr mutex_ = std::make_shared<mutex_type>();
    boost::intrusive::list<step_listener> listeners_;
    std::unique_ptr<step_descriptor> descriptor_;
    std::unique_ptr<step_descriptor> for_child_; // during a fork
    descriptor_watch watch_;
};

/// The clocks that jump, as seen from the monotonic clock by which the reactor waits: when set, or when the machine resumes.
template <class Clock>
struct jumps : std::bool_constant<kernel_clock<Clock>::known>
{
};

template <class Clock>
class clock_listener<Clock, std::enable_if_t<jumps<Clock>::value>> : private step_listener
{
protected:
    ~clock_listener() = default;

    virtual typename Clock::time_point next_expiry() = 0;
    virtual void clock_moved() = 0;

    void listen(boost::asio::execution_context& context)
    {
        if (!can_watch_descriptors)
            return;
        steps_ = &boost::asio::use_service<clock_steps>(context);
        steps_->add(*this);
    }

    void stop_listening() noexcept
    {
        if (steps_)
            steps_->remove(*this);
        steps_ = nullptr;
    }

    /// While the clock is moved: where to put the waits that end by this.
    operation_list& ended() noexcept { return *ended_; }

private:
    void clock_stepped(operation_list& ended) override
    {
        ended_ = &ended;
        clock_moved();
        ended_ = nullptr;
    }

    clock_steps* steps_ = nullptr;
    operation_list* ended_ = nullptr;
};

} // namespace detail
} // namespace boost_ext

#endif
