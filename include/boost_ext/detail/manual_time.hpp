// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_MANUAL_TIME_HPP
#define BOOST_EXT_DETAIL_MANUAL_TIME_HPP

#include <boost/config.hpp>
#include <boost/intrusive/list.hpp>
#include <boost_ext/detail/clock_driver.hpp>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>

namespace boost_ext {

template <class Tag>
class BOOST_SYMBOL_VISIBLE basic_manual_clock;

namespace detail {

/// The time of one manual clock, and the timer services that must be told when it moves.
/**
 * One for all shared libraries of a program, as they share services; the tag must be visible to all of them for that.
 *
 * Lock order: this mutex, then a service's. A service that arms never takes this one: it reads the time, after it has put its
 * entry into the queue and with its lock held, while we store the time before we take that lock.
 */
template <class Clock>
class BOOST_SYMBOL_VISIBLE manual_time
{
public:
    using time_point = typename Clock::time_point;
    using duration = typename Clock::duration;

    /// Never destroyed: at the end of the program contexts may still use it, and threads be blocked on it.
    static manual_time& instance()
    {
        alignas(manual_time) static unsigned char memory[sizeof(manual_time)];
        static manual_time& t = *::new (static_cast<void*>(memory)) manual_time;
        return t;
    }

    time_point now() const noexcept { return time_point(duration(now_.load())); }

    void set(time_point t)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        move_to(t);
    }

    /// Set the time to what `next(now)` returns, in one step.
    template <class Next>
    void update(Next next)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        move_to(next(now()));
    }

    /// Set the time to `t`, if that is not in the past.
    void advance_to(time_point t)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (t >= now())
            move_to(t);
    }

    bool to_next_expiry()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        time_point first = (time_point::max)();
        for (clock_listener<Clock>& l : listeners_)
            first = (std::min)(first, l.next_expiry());
        if (first == (time_point::max)())
            return false;
        move_to((std::max)(first, now()));
        return true;
    }

    /// Block until the time is, or was meanwhile, `t` or later.
    void sleep_until(time_point t)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        if (now() >= t)
            return;
        sleeper s(t);
        sleepers_.push_back(s);
        moved_.wait(lock, [&] { return s.due; });
        sleepers_.erase(sleepers_.iterator_to(s));
    }

    void add(clock_listener<Clock>& l)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        listeners_.push_back(l);
    }

    /// Does nothing to one that is not there. Whether it is may be asked only under the lock: its neighbours write its links.
    void remove(clock_listener<Clock>& l) noexcept
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (l.is_linked())
            listeners_.erase(listeners_.iterator_to(l));
    }

private:
    /// A thread that is blocked. Like a wait it is due once its time has come, though the clock be turned back before it runs.
    struct sleeper : boost::intrusive::list_base_hook<>
    {
        explicit sleeper(time_point t) : until(t) {}

        time_point until;
        bool due = false;
    };

    void move_to(time_point t)
    {
        now_ = t.time_since_epoch().count();
        for (sleeper& s : sleepers_)
            s.due = s.due || s.until <= t;
        moved_.notify_all();
        for (clock_listener<Clock>& l : listeners_)
            l.clock_moved();
    }

    std::mutex mutex_;
    std::condition_variable moved_;
    std::atomic<typename Clock::rep> now_{0};
    boost::intrusive::list<clock_listener<Clock>> listeners_;
    boost::intrusive::list<sleeper> sleepers_;
};

template <class Tag>
class clock_listener<basic_manual_clock<Tag>> : public boost::intrusive::list_base_hook<>
{
    using clock = basic_manual_clock<Tag>;
    using time = manual_time<clock>;
    friend time;

protected:
    ~clock_listener() = default;

    virtual typename clock::time_point next_expiry() = 0;
    virtual void clock_moved() = 0;

    void listen(boost::asio::execution_context&) { time::instance().add(*this); }

    void stop_listening() noexcept { time::instance().remove(*this); }
};

template <class Tag, class WaitTraits>
struct clock_driver<basic_manual_clock<Tag>, WaitTraits>
{
    using time_point = typename basic_manual_clock<Tag>::time_point;

    static constexpr bool in_kernel = false;

    static void sleep_until(time_point t) { manual_time<basic_manual_clock<Tag>>::instance().sleep_until(t); }
};

} // namespace detail
} // namespace boost_ext

#endif
