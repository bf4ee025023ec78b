// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The assertion that an interval has one pending tick is tested, so it must not end the program.
#define BOOST_ENABLE_ASSERT_HANDLER

#include <boost_ext/interval.hpp>

#include <boost_ext/manual_clock.hpp>

#include "allocators.hpp"
#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>
#if defined(BOOST_EXT_TEST_HAS_CONTEXT)
#include <boost/asio/spawn.hpp>
#endif
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <ratio>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

struct assertion_failed : std::logic_error
{
    using std::logic_error::logic_error;
};

/// Whether a failed assertion is passed over, as in a build without them.
bool assertions_are_off = false;

} // namespace

namespace boost {

void assertion_failed(const char* expression, const char*, const char*, long)
{
    throw ::assertion_failed(expression);
}

void assertion_failed_msg(const char*, const char* message, const char*, const char*, long)
{
    if (!assertions_are_off)
        throw ::assertion_failed(message);
}

} // namespace boost

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::missed_tick;
using namespace std::chrono_literals;

namespace {

using clock_type = boost_ext::manual_clock;
using duration = clock_type::duration;
using time_point = clock_type::time_point;
using interval = boost_ext::basic_interval<clock_type>;
using tick_info = interval::tick_info;
using io_interval = interval::rebind_executor<asio::io_context::executor_type>::other;

/// A tick as it was delivered, in numbers: seconds since the start of the test.
struct record
{
    long at;        ///< When the handler ran.
    long scheduled; ///< What it was told.
    std::uint64_t missed;

    bool operator==(const record& other) const
    {
        return at == other.at && scheduled == other.scheduled && missed == other.missed;
    }

    friend std::ostream& operator<<(std::ostream& os, const record& r)
    {
        return os << '{' << r.at << ", " << r.scheduled << ", " << r.missed << '}';
    }
};

struct virtual_time
{
    long seconds(time_point tp) const { return static_cast<long>((tp - start) / std::chrono::seconds(1)); }

    time_point at(long s) const { return start + std::chrono::seconds(s); }

    /// Asks for one tick, whose outcome goes to ticks or to errors.
    template <class Interval>
    void tick(Interval& iv)
    {
        iv.async_tick(taker());
    }

    std::function<void(error_code, tick_info)> taker()
    {
        return [this](error_code ec, tick_info info) {
            if (ec)
            {
                errors.push_back(ec);
                BOOST_TEST((info == tick_info{}));
            }
            else
                ticks.push_back(record{seconds(clock_type::now()), seconds(info.scheduled), info.missed});
        };
    }

    /// Runs what is ready, with the clock standing still.
    std::size_t poll()
    {
        context.restart();
        return context.poll();
    }

    /// Takes one tick that comes in its own time.
    template <class Interval>
    record next(Interval& iv)
    {
        const auto before = ticks.size();
        tick(iv);
        context.restart();
        clock_type::run(context);
        BOOST_TEST_REQUIRE(ticks.size() == before + 1);
        return ticks.back();
    }

    /// Takes one tick at the given second: the handler was not there before.
    template <class Interval>
    record next_at(Interval& iv, long second)
    {
        clock_type::advance_to(at(second));
        return next(iv);
    }

    asio::io_context context;
    const time_point start = (clock_type::reset(), clock_type::now());
    std::vector<record> ticks;
    std::vector<error_code> errors;
};

using test::account;
using test::counting_allocator;

/// A move-only handler with an associated allocator.
struct accounted_handler
{
    using allocator_type = counting_allocator<char>;

    allocator_type get_allocator() const noexcept { return allocator_type(*memory); }

    void operator()(error_code ec, tick_info info)
    {
        live_at_call = memory->live;
        take(ec, info);
    }

    account* memory;
    std::size_t& live_at_call;
    std::function<void(error_code, tick_info)> take;
    std::unique_ptr<int> move_only = nullptr;
};

/// An account that is closed when nothing refers to it any more, and by then owes nothing.
struct owned_account : account
{
    ~owned_account() { BOOST_TEST(live == 0u); }
};

/// A handler that alone owns what its memory comes from.
struct owning_handler
{
    using allocator_type = counting_allocator<char>;

    allocator_type get_allocator() const noexcept { return allocator_type(*memory); }

    void operator()(error_code ec, tick_info info) { take(ec, info); }

    std::unique_ptr<owned_account> memory;
    std::function<void(error_code, tick_info)> take;
};

int function_calls = 0;

void function_handler(error_code, tick_info)
{
    ++function_calls;
}

using representations = std::tuple<std::int64_t, std::int16_t, std::uint32_t, double>;

using default_executor = asio::as_tuple_t<asio::deferred_t>::executor_with_default<asio::any_io_executor>;

/// An executor that keeps its value for life.
struct fixed_executor
{
    const asio::io_context::executor_type inner;

    asio::execution_context& query(asio::execution::context_t) const noexcept
    {
        return asio::query(inner, asio::execution::context);
    }

    auto require(asio::execution::blocking_t::never_t never) const { return asio::require(inner, never); }

    template <class F>
    void execute(F f) const
    {
        inner.execute(std::move(f));
    }

    friend bool operator==(const fixed_executor& a, const fixed_executor& b) noexcept { return a.inner == b.inner; }
    friend bool operator!=(const fixed_executor& a, const fixed_executor& b) noexcept { return a.inner != b.inner; }
};

/// Calls back when it is destroyed without having been called.
class last_words
{
public:
    explicit last_words(std::function<void()> f) : f_(std::move(f)) {}
    last_words(last_words&& other) noexcept : f_(std::exchange(other.f_, nullptr)) {}

    ~last_words()
    {
        if (f_)
            f_();
    }

    void operator()() { f_ = nullptr; }

private:
    std::function<void()> f_;
};

/// What an interval is supposed to do, in seconds and without any timer.
class model
{
public:
    model(long due, long period, missed_tick policy) : period_(period), policy_(policy), due_(due) {}

    void ask() { state_ = state::waiting; }
    bool is_pending() const { return state_ != state::idle; }
    void period(long seconds) { period_ = seconds; }
    void policy(missed_tick policy) { policy_ = policy; }

    /// The clock collects what is due.
    void advance(long seconds)
    {
        now_ += seconds;
        if (state_ == state::waiting && due_ <= now_)
            state_ = state::queued;
    }

    void reset() { reset_after(period_); }

    void reset_after(long seconds)
    {
        due_ = now_ + seconds;
        if (state_ == state::queued && due_ > now_)
            state_ = state::waiting;
    }

    std::size_t cancel()
    {
        if (state_ != state::waiting)
            return 0;
        return abort();
    }

    /// What becomes of the pending tick when the interval goes.
    std::size_t abort()
    {
        if (state_ == state::idle)
            return 0;
        state_ = state::idle;
        ++aborted_;
        return 1;
    }

    /// The tick that is delivered, if any.
    std::optional<record> poll()
    {
        if (state_ == state::idle || due_ > now_)
            return std::nullopt;
        state_ = state::idle;
        record r{now_, due_, 0};
        const long missed = (now_ - due_) / period_;
        if (policy_ != missed_tick::burst)
            r.missed = static_cast<std::uint64_t>(missed);
        if (policy_ == missed_tick::skip)
            r.scheduled += missed * period_;
        due_ = (policy_ == missed_tick::delay && missed != 0 ? now_ : r.scheduled) + period_;
        return r;
    }

    /// How many ticks were aborted since the last call.
    std::size_t aborted() { return std::exchange(aborted_, 0u); }

private:
    enum class state
    {
        idle,    ///< No tick was asked for.
        waiting, ///< One can still be cancelled.
        queued   ///< One was collected.
    };

    long now_ = 0;
    long period_;
    missed_tick policy_;
    long due_;
    state state_ = state::idle;
    std::size_t aborted_ = 0;
};

/// A clock of seconds that is set by hand, and of which the library knows nothing.
template <class Rep>
struct coarse_clock
{
    using rep = Rep;
    using period = std::ratio<1>;
    using duration = std::chrono::duration<rep>;
    using time_point = std::chrono::time_point<coarse_clock>;

    static constexpr bool is_steady = false;

    static time_point at(int seconds) { return time_point(duration(static_cast<rep>(seconds))); }
    static time_point now() { return current; }

    static inline time_point current{};
};

constexpr asio::cancellation_type every_type[] = {
    asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total};

} // namespace

BOOST_AUTO_TEST_SUITE(intervals)

BOOST_AUTO_TEST_CASE(names)
{
    using steady = std::chrono::steady_clock;
    using boost_ext::basic_interval;
    static_assert(std::is_same<boost_ext::interval, basic_interval<steady>>::value, "");
    static_assert(
        std::is_same<boost_ext::interval, basic_interval<steady, asio::wait_traits<steady>, asio::any_io_executor>>::value, "");
    static_assert(std::is_same<boost_ext::interval::clock_type, steady>::value, "");
    static_assert(std::is_same<boost_ext::interval::duration, steady::duration>::value, "");
    static_assert(std::is_same<boost_ext::interval::time_point, steady::time_point>::value, "");
    static_assert(std::is_same<boost_ext::interval::executor_type, asio::any_io_executor>::value, "");
    static_assert(std::is_same<io_interval,
                      basic_interval<clock_type, asio::wait_traits<clock_type>, asio::io_context::executor_type>>::value,
        "");

    // One type a clock.
    static_assert(std::is_same<interval::tick_info, io_interval::tick_info>::value, "");
    static_assert(!std::is_same<interval::tick_info, boost_ext::interval::tick_info>::value, "");
    static_assert(std::is_same<decltype(tick_info::scheduled), time_point>::value, "");
    static_assert(std::is_same<decltype(tick_info::missed), std::uint64_t>::value, "");
    constexpr tick_info zero{};
    static_assert(zero == tick_info{time_point(), 0}, "");

    static_assert(!std::is_copy_constructible<interval>::value, "");
    static_assert(!std::is_copy_assignable<interval>::value, "");
    static_assert(std::is_convertible<io_interval, interval>::value, "");
    static_assert(std::is_assignable<interval&, io_interval>::value, "");
    static_assert(!std::is_convertible<interval, io_interval>::value, "");
}

BOOST_FIXTURE_TEST_CASE(construction, virtual_time)
{
    clock_type::advance(5s);
    asio::any_io_executor any = context.get_executor();
    interval a(context, 10s);
    interval b(any, 10s, missed_tick::burst);
    interval c(context.get_executor(), at(7), 10s);
    interval d(context, at(8), 10s, missed_tick::delay);
    BOOST_TEST((a.policy() == missed_tick::skip));
    BOOST_TEST((b.policy() == missed_tick::burst));
    BOOST_TEST((c.policy() == missed_tick::skip));
    BOOST_TEST((d.policy() == missed_tick::delay));
    BOOST_TEST((a.period() == 10s));
    BOOST_TEST((a.get_executor() == any));

    BOOST_TEST(next(c) == (record{7, 7, 0}));
    BOOST_TEST(next(d) == (record{8, 8, 0}));
    BOOST_TEST(next(a) == (record{15, 15, 0}));
    BOOST_TEST(next(b) == (record{15, 15, 0}));
    BOOST_TEST(next(c) == (record{17, 17, 0}));
}

BOOST_FIXTURE_TEST_CASE(a_tick_is_never_delivered_inline, virtual_time)
{
    interval iv(context, at(-10), 10s);
    tick(iv);
    BOOST_TEST(ticks.empty());
    poll();
    BOOST_TEST(ticks.size() == 1u);
}

// The sequences after a stall. Ticks are due at 10, 20, ...; the second is asked for at 55.

BOOST_FIXTURE_TEST_CASE(burst, virtual_time)
{
    interval iv(context, 10s, missed_tick::burst);
    BOOST_TEST(next(iv) == (record{10, 10, 0}));
    BOOST_TEST(next_at(iv, 55) == (record{55, 20, 0}));
    BOOST_TEST(next(iv) == (record{55, 30, 0}));
    BOOST_TEST(next(iv) == (record{55, 40, 0}));
    BOOST_TEST(next(iv) == (record{55, 50, 0}));
    BOOST_TEST(next(iv) == (record{60, 60, 0}));
    BOOST_TEST(next(iv) == (record{70, 70, 0}));
}

BOOST_FIXTURE_TEST_CASE(skip, virtual_time)
{
    interval iv(context, 10s);
    BOOST_TEST(next(iv) == (record{10, 10, 0}));
    BOOST_TEST(next_at(iv, 55) == (record{55, 50, 3}));
    BOOST_TEST(next(iv) == (record{60, 60, 0}));
    BOOST_TEST(next_at(iv, 79) == (record{79, 70, 0}));
    BOOST_TEST(next_at(iv, 90) == (record{90, 90, 1}));
    BOOST_TEST(next(iv) == (record{100, 100, 0}));
}

BOOST_FIXTURE_TEST_CASE(delay, virtual_time)
{
    interval iv(context, 10s, missed_tick::delay);
    BOOST_TEST(next(iv) == (record{10, 10, 0}));
    BOOST_TEST(next_at(iv, 55) == (record{55, 20, 3}));
    BOOST_TEST(next(iv) == (record{65, 65, 0}));
    // Less than a period late: nothing is missed, and the lateness does not add up.
    BOOST_TEST(next_at(iv, 84) == (record{84, 75, 0}));
    BOOST_TEST(next_at(iv, 94) == (record{94, 85, 0}));
    BOOST_TEST(next(iv) == (record{95, 95, 0}));
    // Exactly one period late: one is missed.
    BOOST_TEST(next_at(iv, 115) == (record{115, 105, 1}));
    BOOST_TEST(next(iv) == (record{125, 125, 0}));
}

BOOST_FIXTURE_TEST_CASE(the_policy_is_applied_at_delivery, virtual_time)
{
    interval iv(context, 10s, missed_tick::burst);
    tick(iv);
    clock_type::advance(10s); // Queued.
    iv.policy(missed_tick::skip);
    clock_type::advance(25s);
    poll();
    BOOST_TEST(ticks.back() == (record{35, 30, 2}));

    tick(iv);
    iv.policy(missed_tick::delay);
    clock_type::advance(27s); // Due at 40, delivered at 62.
    poll();
    BOOST_TEST(ticks.back() == (record{62, 40, 2}));
    BOOST_TEST(next(iv) == (record{72, 72, 0}));
}

BOOST_FIXTURE_TEST_CASE(any_sequence_of_operations, virtual_time)
{
    using other_interval = interval::rebind_executor<default_executor>::other;
    std::mt19937 random(7);
    const auto below = [&](long n) { return static_cast<long>(random() % static_cast<unsigned long>(n)); };
    const auto any_policy = [&] { return static_cast<missed_tick>(below(3)); };
    for (int sequence = 0; sequence != 2000; ++sequence)
    {
        clock_type::reset();
        const long first = below(30) - 10;
        long period = 1 + below(12);
        missed_tick policy = any_policy();
        model expected(first, period, policy);
        std::optional<interval> iv(std::in_place, context, at(first), std::chrono::seconds(period), policy);
        asio::cancellation_signal signal;
        bool has_slot = false;
        ticks.clear();
        errors.clear();

        const auto poll_and_compare = [&] {
            poll();
            const std::optional<record> tick = expected.poll();
            BOOST_TEST_REQUIRE(errors.size() == expected.aborted());
            BOOST_TEST_REQUIRE(ticks.size() == (tick ? 1u : 0u));
            if (tick)
                BOOST_TEST_REQUIRE(ticks[0] == *tick);
            ticks.clear();
            errors.clear();
        };
        for (int step = 0; step != 50; ++step)
        {
            long s = 0;
            switch (below(14))
            {
            case 0:
            case 1:
            case 2:
                if (expected.is_pending())
                    break;
                has_slot = below(2) == 0;
                if (has_slot)
                    iv->async_tick(asio::bind_cancellation_slot(signal.slot(), taker()));
                else
                    tick(*iv);
                expected.ask();
                break;
            case 3:
            case 4:
                s = below(below(4) == 0 ? 80 : 12);
                clock_type::advance(std::chrono::seconds(s));
                expected.advance(s);
                break;
            case 5:
            case 6:
                poll_and_compare();
                break;
            case 7:
                BOOST_TEST_REQUIRE(iv->cancel() == expected.cancel());
                break;
            case 8:
                signal.emit(every_type[below(3)]);
                if (has_slot)
                    expected.cancel();
                break;
            case 9:
                iv->reset();
                expected.reset();
                break;
            case 10:
                s = below(50) - 20;
                if (s == 0)
                    iv->reset_immediately();
                else if (s % 2 == 0)
                    iv->reset_after(std::chrono::seconds(s));
                else
                    iv->reset_at(clock_type::now() + std::chrono::seconds(s));
                expected.reset_after(s);
                break;
            case 11:
                period = 1 + below(12);
                iv->period(std::chrono::seconds(period));
                expected.period(period);
                break;
            case 12:
                policy = any_policy();
                iv->policy(policy);
                expected.policy(policy);
                break;
            case 13:
                switch (below(4))
                {
                case 0:
                {
                    interval moved(std::move(*iv));
                    iv.emplace(std::move(moved));
                    break;
                }
                case 1:
                {
                    other_interval moved(std::move(*iv));
                    iv.emplace(std::move(moved));
                    break;
                }
                case 2:
                {
                    other_interval moved(std::move(*iv));
                    *iv = std::move(moved);
                    break;
                }
                case 3:
                    iv.emplace(context, std::chrono::seconds(period), policy);
                    expected.abort();
                    expected.reset();
                    break;
                }
                break;
            }
        }
        iv.reset();
        expected.abort();
        poll_and_compare();
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(coarse_clocks_of_any_representation, Rep, representations)
{
    using clock = coarse_clock<Rep>;
    using coarse_interval = boost_ext::basic_interval<clock>;
    const auto seconds = [](int n) { return typename clock::duration(static_cast<Rep>(n)); };
    struct step
    {
        int now;
        int scheduled;
        std::uint64_t missed;
    };
    const std::vector<step> sequences[] = {
        {{10, 10, 0}, {55, 20, 0}, {55, 30, 0}, {55, 40, 0}, {55, 50, 0}, {60, 60, 0}},                   // burst
        {{10, 10, 0}, {55, 20, 3}, {65, 65, 0}, {84, 75, 0}, {94, 85, 0}, {95, 95, 0}, {115, 105, 1}},    // delay
        {{10, 10, 0}, {55, 50, 3}, {60, 60, 0}, {79, 70, 0}, {90, 90, 1}, {100, 100, 0}, {127, 120, 1}}}; // skip
    for (auto policy : {missed_tick::burst, missed_tick::delay, missed_tick::skip})
    {
        clock::current = clock::at(0);
        asio::io_context context;
        coarse_interval iv(context, seconds(10), policy);
        error_code result;
        typename coarse_interval::tick_info told{};
        const auto tick = [&] {
            iv.async_tick([&](error_code ec, typename coarse_interval::tick_info info) {
                result = ec;
                told = info;
            });
            context.restart();
            return context.poll();
        };
        for (const step& s : sequences[static_cast<std::size_t>(policy)])
        {
            clock::current = clock::at(s.now);
            BOOST_TEST(tick() != 0u);
            BOOST_TEST(!result);
            BOOST_TEST((told.scheduled == clock::at(s.scheduled)));
            BOOST_TEST(told.missed == s.missed);
        }

        // What overflows never comes.
        iv.period((clock::duration::max)());
        iv.reset();
        BOOST_TEST(tick() == 0u);
        iv.reset_after((clock::duration::max)());
        BOOST_TEST(context.poll() == 0u);
        BOOST_TEST(iv.cancel() == 1u);
        context.poll();
        BOOST_TEST(result == asio::error::operation_aborted);
        iv.reset_at((clock::time_point::min)());
        BOOST_TEST(tick() != 0u);
        BOOST_TEST(!result);
    }
}

BOOST_FIXTURE_TEST_CASE(a_million_ticks_do_not_drift, virtual_time)
{
    for (auto policy : {missed_tick::burst, missed_tick::skip, missed_tick::delay})
    {
        // The usual one goes all the way; for the others a part of it will do.
        const std::uint64_t all = policy == missed_tick::skip ? 1000000 : 100000;
        const auto origin = clock_type::now();
        const duration period = 1234567ns;
        interval iv(context, period, policy);
        std::uint64_t n = 0;
        bool exact = true;
        std::function<void(error_code, tick_info)> loop = [&](error_code ec, tick_info info) {
            ++n;
            const auto due = origin + static_cast<std::int64_t>(n) * period;
            exact = exact && !ec && info.missed == 0 && info.scheduled == due && clock_type::now() - due < period;
            clock_type::advance(duration(n % 1000)); // The handler takes its time.
            if (n != all)
                iv.async_tick(std::ref(loop));
        };
        iv.async_tick(std::ref(loop));
        context.restart();
        clock_type::run(context);
        BOOST_TEST(exact);
        BOOST_TEST(n == all);
    }
}

BOOST_FIXTURE_TEST_CASE(resets_between_ticks, virtual_time)
{
    interval iv(context, 10s);
    BOOST_TEST(next(iv) == (record{10, 10, 0}));
    clock_type::advance(53s);
    iv.reset(); // At 63: what was missed is forgotten.
    BOOST_TEST(next(iv) == (record{73, 73, 0}));
    clock_type::advance(5s);
    iv.reset_immediately();
    BOOST_TEST(next(iv) == (record{78, 78, 0}));
    BOOST_TEST(next(iv) == (record{88, 88, 0}));
    iv.reset_after(3s);
    BOOST_TEST(next(iv) == (record{91, 91, 0}));
    BOOST_TEST(next(iv) == (record{101, 101, 0}));
    iv.reset_at(at(150));
    BOOST_TEST(next(iv) == (record{150, 150, 0}));
    BOOST_TEST(next(iv) == (record{160, 160, 0}));
    iv.reset_at(at(95)); // In the past, from where missed counts anew.
    BOOST_TEST(next(iv) == (record{160, 155, 6}));
    BOOST_TEST(next(iv) == (record{165, 165, 0}));
}

BOOST_FIXTURE_TEST_CASE(resets_act_on_the_pending_tick, virtual_time)
{
    interval iv(context, 10s);
    tick(iv);
    clock_type::advance(4s);
    iv.reset(); // Later: 14.
    clock_type::run_until(context, at(13));
    BOOST_TEST(ticks.empty());
    clock_type::run_until(context, at(14));
    BOOST_TEST(ticks.back() == (record{14, 14, 0}));

    tick(iv);
    iv.reset_after(2s); // Earlier: 16.
    poll();
    BOOST_TEST(ticks.size() == 1u);
    clock_type::run_until(context, at(16));
    BOOST_TEST(ticks.back() == (record{16, 16, 0}));

    tick(iv);
    iv.reset_immediately();
    poll();
    BOOST_TEST(ticks.back() == (record{16, 16, 0}));

    tick(iv);
    iv.reset_at(at(100));
    iv.reset_at(at(50));
    iv.reset_at(at(70));
    context.restart();
    clock_type::run(context);
    BOOST_TEST(ticks.back() == (record{70, 70, 0}));
    BOOST_TEST(ticks.size() == 4u);
    BOOST_TEST(errors.empty());
}

BOOST_FIXTURE_TEST_CASE(a_queued_tick_that_is_moved_later_keeps_waiting, virtual_time)
{
    interval iv(context, 10s);
    tick(iv);
    clock_type::advance(12s); // Queued.
    iv.reset();
    clock_type::run_until(context, at(21));
    BOOST_TEST(ticks.empty());
    clock_type::run_until(context, at(22));
    BOOST_TEST_REQUIRE(ticks.size() == 1u);
    BOOST_TEST(ticks.back() == (record{22, 22, 0}));

    // Again and again.
    tick(iv);
    clock_type::advance_to(at(32));
    iv.reset_at(at(40));
    clock_type::advance_to(at(40));
    iv.reset_at(at(50));
    clock_type::advance_to(at(50));
    iv.reset_at(at(60));
    iv.reset_at(at(65));
    context.restart();
    clock_type::run(context);
    BOOST_TEST_REQUIRE(ticks.size() == 2u);
    BOOST_TEST(ticks.back() == (record{65, 65, 0}));
    BOOST_TEST(next(iv) == (record{75, 75, 0}));
    BOOST_TEST(errors.empty());
}

BOOST_FIXTURE_TEST_CASE(a_queued_tick_that_is_moved_but_not_later_is_delivered, virtual_time)
{
    interval iv(context, 10s);
    tick(iv);
    clock_type::advance(12s);
    iv.reset_immediately();
    poll();
    BOOST_TEST(ticks.back() == (record{12, 12, 0}));

    tick(iv); // 22
    clock_type::advance(12s);
    iv.reset_at(at(50));
    iv.reset_at(at(21)); // Back again.
    poll();
    BOOST_TEST(ticks.back() == (record{24, 21, 0}));
    BOOST_TEST(next(iv) == (record{31, 31, 0}));
    BOOST_TEST(errors.empty());
}

BOOST_FIXTURE_TEST_CASE(a_queued_tick_that_is_moved_can_be_cancelled_again, virtual_time)
{
    interval iv(context, 10s);
    tick(iv);
    clock_type::advance(12s);
    iv.reset();
    BOOST_TEST(iv.cancel() == 1u);
    BOOST_TEST(iv.cancel() == 0u);
    poll();
    BOOST_TEST(ticks.empty());
    BOOST_TEST_REQUIRE(errors.size() == 1u);
    BOOST_TEST(next(iv) == (record{22, 22, 0}));

    asio::cancellation_signal signal;
    iv.async_tick(asio::bind_cancellation_slot(signal.slot(), taker()));
    clock_type::advance(15s);
    iv.reset_after(100s);
    signal.emit(asio::cancellation_type::total);
    poll();
    BOOST_TEST(errors.size() == 2u);
    BOOST_TEST(ticks.size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_reset_does_not_revive_a_cancelled_tick, virtual_time)
{
    interval iv(context, 10s);
    tick(iv);
    BOOST_TEST(iv.cancel() == 1u);
    iv.reset_after(20s);
    poll();
    BOOST_TEST_REQUIRE(errors.size() == 1u);
    BOOST_TEST(errors[0] == asio::error::operation_aborted);
    BOOST_TEST(next(iv) == (record{20, 20, 0}));
}

BOOST_FIXTURE_TEST_CASE(a_period_takes_effect_when_the_next_tick_is_computed, virtual_time)
{
    interval iv(context, 10s);
    std::vector<long> at_seconds;
    std::function<void(error_code, tick_info)> loop = [&](error_code, tick_info info) {
        at_seconds.push_back(seconds(info.scheduled));
        if (at_seconds.size() == 2)
            iv.period(3s); // In the handler: the tick after the next.
        if (at_seconds.size() != 5)
            iv.async_tick(std::ref(loop));
    };
    iv.async_tick(std::ref(loop));
    clock_type::run(context);
    BOOST_TEST((at_seconds == std::vector<long>{10, 20, 30, 33, 36}));
    BOOST_TEST((iv.period() == 3s));

    // While a tick is pending: it stays, the following one is computed with the new period.
    tick(iv); // 39
    iv.period(20s);
    context.restart();
    clock_type::run(context);
    BOOST_TEST(ticks.back() == (record{39, 39, 0}));
    BOOST_TEST(next(iv) == (record{59, 59, 0}));

    // reset() applies it at once.
    tick(iv); // 79
    iv.period(5s);
    iv.reset();
    context.restart();
    clock_type::run(context);
    BOOST_TEST(ticks.back() == (record{64, 64, 0}));
}

BOOST_FIXTURE_TEST_CASE(cancelling_uses_up_no_tick, virtual_time)
{
    interval iv(context, 10s);
    BOOST_TEST(iv.cancel() == 0u);
    tick(iv);
    clock_type::advance(3s);
    BOOST_TEST(iv.cancel() == 1u);
    BOOST_TEST(iv.cancel() == 0u);
    BOOST_TEST(errors.empty());
    tick(iv); // At once, for the same tick.
    poll();
    BOOST_TEST_REQUIRE(errors.size() == 1u);
    BOOST_TEST(errors[0] == asio::error::operation_aborted);
    BOOST_TEST(iv.cancel() == 1u);
    poll();
    BOOST_TEST(errors.size() == 2u);
    BOOST_TEST(next(iv) == (record{10, 10, 0}));
    BOOST_TEST(iv.cancel() == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_queued_tick_is_past_cancelling, virtual_time)
{
    interval iv(context, 10s);
    asio::cancellation_signal signal;
    iv.async_tick(asio::bind_cancellation_slot(signal.slot(), taker()));
    clock_type::advance(10s);
    BOOST_TEST(iv.cancel() == 0u);
    signal.emit(asio::cancellation_type::all);
    poll();
    BOOST_TEST(errors.empty());
    BOOST_TEST_REQUIRE(ticks.size() == 1u);
    BOOST_TEST(ticks.back() == (record{10, 10, 0}));
}

BOOST_FIXTURE_TEST_CASE(every_kind_of_cancellation_ends_a_tick, virtual_time)
{
    interval iv(context, 10s);
    for (auto type : every_type)
    {
        asio::cancellation_signal signal;
        iv.async_tick(asio::bind_cancellation_slot(signal.slot(), taker()));
        signal.emit(type);
        poll();
    }
    BOOST_TEST(errors == std::vector<error_code>(3, asio::error::operation_aborted), boost::test_tools::per_element());
    BOOST_TEST(next(iv) == (record{10, 10, 0}));
}

BOOST_FIXTURE_TEST_CASE(a_slot_cancels_its_own_tick_alone, virtual_time)
{
    interval iv(context, 10s);
    asio::cancellation_signal signal;
    iv.async_tick(asio::bind_cancellation_slot(signal.slot(), taker()));
    context.restart();
    clock_type::run(context);
    BOOST_TEST(ticks.size() == 1u);
    tick(iv);
    signal.emit(asio::cancellation_type::terminal); // Of the tick before.
    context.restart();
    clock_type::run(context);
    BOOST_TEST(ticks.size() == 2u);
    BOOST_TEST(errors.empty());

    auto gone = std::make_unique<interval>(context, 10s);
    gone->async_tick(asio::bind_cancellation_slot(signal.slot(), taker()));
    gone.reset();
    poll();
    signal.emit(asio::cancellation_type::terminal); // Of an interval that is no more.
    BOOST_TEST(errors.size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_slot_follows_a_moved_interval, virtual_time)
{
    asio::cancellation_signal signal;
    auto from = std::make_unique<interval>(context, 10s);
    from->async_tick(asio::bind_cancellation_slot(signal.slot(), taker()));
    interval to(std::move(*from));
    from.reset();
    poll();
    BOOST_TEST(errors.empty());
    signal.emit(asio::cancellation_type::terminal);
    poll();
    BOOST_TEST(errors.size() == 1u);
    BOOST_TEST(next(to) == (record{10, 10, 0}));
}

BOOST_FIXTURE_TEST_CASE(destroying_aborts_the_tick, virtual_time)
{
    {
        interval iv(context, 10s);
        tick(iv);
    }
    poll();
    BOOST_TEST(errors == std::vector<error_code>(1, asio::error::operation_aborted), boost::test_tools::per_element());
    {
        interval iv(context, 10s);
        tick(iv);
        clock_type::advance(10s); // Queued: its handler must not find the interval gone.
    }
    poll();
    BOOST_TEST(errors == std::vector<error_code>(2, asio::error::operation_aborted), boost::test_tools::per_element());
    BOOST_TEST(ticks.empty());
}

BOOST_FIXTURE_TEST_CASE(moving_carries_the_tick_along, virtual_time)
{
    auto a = std::make_unique<interval>(context, 10s, missed_tick::burst);
    tick(*a);
    interval b(std::move(*a));
    BOOST_TEST(a->cancel() == 0u);
    a.reset();
    BOOST_TEST((b.period() == 10s));
    BOOST_TEST((b.policy() == missed_tick::burst));
    b.reset_after(4s);
    clock_type::run(context);
    BOOST_TEST(errors.empty());
    BOOST_TEST_REQUIRE(ticks.size() == 1u);
    BOOST_TEST(ticks.back() == (record{4, 4, 0}));
    BOOST_TEST(next(b) == (record{14, 14, 0}));

    // By assignment, which aborts the target's own.
    interval c(context, 1h);
    tick(c);
    tick(b);
    c = std::move(b);
    poll();
    BOOST_TEST(errors.size() == 1u);
    BOOST_TEST(c.cancel() == 1u);
    poll();
    BOOST_TEST(errors.size() == 2u);
    BOOST_TEST(next(c) == (record{24, 24, 0}));

    // Onto itself.
    interval& same = c;
    tick(c);
    c = std::move(same);
    BOOST_TEST(c.cancel() == 1u);
    poll();
    BOOST_TEST(errors.size() == 3u);

    // When it is queued already.
    tick(c);
    clock_type::advance_to(at(34));
    interval d(std::move(c));
    poll();
    BOOST_TEST(ticks.back() == (record{34, 34, 0}));
    BOOST_TEST(next(d) == (record{44, 44, 0}));
}

BOOST_FIXTURE_TEST_CASE(moved_from_can_be_used_again, virtual_time)
{
    interval a(context, 10s, missed_tick::burst);
    interval b(std::move(a));
    clock_type::advance(3s);
    BOOST_TEST((a.get_executor() == b.get_executor()));
    BOOST_TEST((a.period() == 10s));
    BOOST_TEST((a.policy() == missed_tick::burst));
    BOOST_TEST(a.cancel() == 0u);
    BOOST_TEST(next(b) == (record{10, 10, 0}));
    BOOST_TEST(next(a) == (record{20, 20, 0}));
    a = std::move(b);
    BOOST_TEST(next(a) == (record{20, 20, 0}));
    b = std::move(a);
    a.period(3s);
    a.policy(missed_tick::skip);
    a.reset_after(1s);
    BOOST_TEST(next(a) == (record{21, 21, 0}));
    BOOST_TEST(next(b) == (record{30, 30, 0}));

    interval c(std::move(a));
    interval d(std::move(a)); // Of nothing.
    BOOST_TEST((d.period() == 3s));
    BOOST_TEST(next(d) == (record{33, 33, 0}));
}

BOOST_FIXTURE_TEST_CASE(converting_moves_carry_the_tick_along, virtual_time)
{
    auto a = std::make_unique<io_interval>(context, 10s);
    tick(*a);
    interval b(std::move(*a));
    BOOST_TEST(a->cancel() == 0u);
    a.reset();
    BOOST_TEST((b.get_executor() == asio::any_io_executor(context.get_executor())));
    b.reset_after(4s);
    clock_type::run(context);
    BOOST_TEST_REQUIRE(ticks.size() == 1u);
    BOOST_TEST(ticks.back() == (record{4, 4, 0}));
    BOOST_TEST(next(b) == (record{14, 14, 0}));

    io_interval c(context, 10s);
    tick(b);
    tick(c);
    clock_type::advance(12s); // c's is queued, at 26.
    b = std::move(c);         // Aborts b's, which is queued too.
    b.reset();                // And moves c's to 36.
    context.restart();
    clock_type::run(context);
    BOOST_TEST(errors.size() == 1u);
    BOOST_TEST(ticks.back() == (record{36, 36, 0}));
    BOOST_TEST(next(b) == (record{46, 46, 0}));

    io_interval d(context, 10s);
    tick(d);
    b = std::move(d);
    BOOST_TEST(b.cancel() == 1u);
    tick(b);
    BOOST_TEST(b.cancel() == 1u);
    poll();
    BOOST_TEST(errors.size() == 3u);
}

BOOST_FIXTURE_TEST_CASE(a_second_pending_tick_is_asserted, virtual_time)
{
    interval iv(context, 10s);
    tick(iv);
    BOOST_CHECK_EXCEPTION(tick(iv), assertion_failed,
        [](const assertion_failed& e) { return std::string(e.what()).find("cancel()") != std::string::npos; });
    context.restart();
    clock_type::run(context);
    BOOST_TEST(ticks.size() == 1u);
    BOOST_TEST(errors.empty());
}

BOOST_FIXTURE_TEST_CASE(a_second_pending_tick_without_assertions, virtual_time)
{
    interval iv(context, 10s);
    tick(iv);
    assertions_are_off = true;
    asio::cancellation_signal signal;
    iv.async_tick(asio::bind_cancellation_slot(signal.slot(), owning_handler{std::make_unique<owned_account>(), taker()}));
    assertions_are_off = false;
    signal.emit(asio::cancellation_type::terminal); // Not of the tick that is pending.
    BOOST_TEST(errors.empty());
    clock_type::run(context);
    BOOST_TEST(errors == std::vector<error_code>(1, asio::error::already_started), boost::test_tools::per_element());
    BOOST_TEST(ticks.size() == 1u);
    BOOST_TEST(next(iv) == (record{20, 20, 0}));
}

BOOST_FIXTURE_TEST_CASE(a_period_must_be_positive, virtual_time)
{
    BOOST_CHECK_THROW(interval(context, 0s), std::invalid_argument);
    BOOST_CHECK_THROW(interval(context, -1s), std::invalid_argument);
    BOOST_CHECK_THROW(interval(context.get_executor(), 0s), std::invalid_argument);
    BOOST_CHECK_THROW(interval(context, at(5), 0s), std::invalid_argument);
    BOOST_CHECK_THROW(interval(context.get_executor(), at(5), -1s), std::invalid_argument);

    interval iv(context, 10s);
    tick(iv);
    BOOST_CHECK_THROW(iv.period(0s), std::invalid_argument);
    BOOST_CHECK_THROW(iv.period((duration::min)()), std::invalid_argument);
    BOOST_TEST((iv.period() == 10s));
    clock_type::run(context);
    BOOST_TEST(ticks.back() == (record{10, 10, 0}));
    BOOST_TEST(next(iv) == (record{20, 20, 0}));

    interval moved(std::move(iv));
    BOOST_CHECK_THROW(iv.period(0s), std::invalid_argument);
    BOOST_TEST((iv.period() == 10s));
}

BOOST_FIXTURE_TEST_CASE(what_overflows_saturates_and_never_comes, virtual_time)
{
    clock_type::advance(1s);
    interval iv(context, (duration::max)());
    tick(iv);
    BOOST_TEST(clock_type::run(context) == 0u);
    BOOST_TEST(!context.stopped());
    iv.reset();
    iv.reset_after((duration::max)());
    iv.reset_at((time_point::max)());
    BOOST_TEST(clock_type::run(context) == 0u);
    iv.reset_at((time_point::min)());
    poll();
    BOOST_TEST(ticks.size() == 1u);

    interval burst(context, at(5), (duration::max)(), missed_tick::burst);
    BOOST_TEST(next(burst) == (record{5, 5, 0}));
    tick(burst); // Never.
    context.restart();
    BOOST_TEST(clock_type::run(context) == 0u);
    BOOST_TEST(burst.cancel() == 1u);
    burst.period(10s);
    burst.reset_after((duration::min)());
    tick(burst);
    poll();
    BOOST_TEST(ticks.size() == 3u);
}

BOOST_FIXTURE_TEST_CASE(counting_missed_ticks_does_not_overflow, virtual_time)
{
    interval iv(context, (time_point::min)(), 1ns);
    std::uint64_t missed = 0;
    iv.async_tick([&](error_code, tick_info info) { missed = info.missed; });
    poll();
    BOOST_TEST(missed == static_cast<std::uint64_t>(start.time_since_epoch().count()) + (std::uint64_t(1) << 63));
}

BOOST_FIXTURE_TEST_CASE(token_left_out_is_deferred, virtual_time)
{
    interval iv(context, 10s);
    auto operation = iv.async_tick();
    clock_type::advance(25s);
    operation(taker());
    BOOST_TEST(ticks.empty());
    poll();
    BOOST_TEST(ticks.back() == (record{25, 20, 1}));
}

BOOST_FIXTURE_TEST_CASE(token_left_out_is_the_executors_own, virtual_time)
{
    using executor_type = asio::as_tuple_t<asio::deferred_t>::executor_with_default<asio::io_context::executor_type>;
    interval::rebind_executor<executor_type>::other iv(executor_type(context.get_executor()), 10s);
    bool done = false;
    iv.async_tick()([&](std::tuple<error_code, tick_info> t) { done = !std::get<0>(t) && std::get<1>(t).scheduled == at(10); });
    clock_type::run(context);
    BOOST_TEST(done);
}

BOOST_FIXTURE_TEST_CASE(tokens, virtual_time)
{
    interval iv(context, 10s);
    auto run = [&] {
        context.restart();
        clock_type::run(context);
    };
    std::future<tick_info> future = iv.async_tick(asio::use_future);
    run();
    BOOST_TEST(seconds(future.get().scheduled) == 10);
    bool called = false;
    iv.async_tick(asio::as_tuple(
        [&](std::tuple<error_code, tick_info> t) { called = !std::get<0>(t) && std::get<1>(t).scheduled == at(20); }));
    run();
    BOOST_TEST(called);
    error_code ec = asio::error::would_block;
    iv.async_tick(asio::redirect_error([&](tick_info) {}, ec));
    run();
    BOOST_TEST(!ec);
    iv.async_tick(asio::detached);
    run();
    BOOST_TEST((clock_type::now() == at(40)));
}

BOOST_FIXTURE_TEST_CASE(all_kinds_of_handlers, virtual_time)
{
    interval iv(context, 10s);
    int calls = 0;
    auto take = [&](auto&& handler) {
        iv.async_tick(std::forward<decltype(handler)>(handler));
        context.restart();
        clock_type::run(context);
    };
    auto changing = [&](error_code, tick_info) mutable { ++calls; };
    const auto constant = [&](const error_code&, const tick_info&) { ++calls; };
    function_calls = 0;
    take(changing);
    take(std::ref(changing));
    take(constant);
    take([&](error_code&&, tick_info&&) { ++calls; });
    take([&, move_only = std::make_unique<int>()](auto&&...) { ++calls; });
    take(asio::any_completion_handler<void(error_code, tick_info)>(constant));
    take(function_handler);
    take(&function_handler);
    BOOST_TEST(calls == 6);
    BOOST_TEST(function_calls == 2);
}

BOOST_FIXTURE_TEST_CASE(runs_on_the_associated_executor, virtual_time)
{
    auto strand = asio::make_strand(context);
    interval iv(context, 10s);
    int calls = 0;
    auto note = [&](error_code, tick_info) {
        BOOST_TEST(strand.running_in_this_thread());
        ++calls;
    };
    iv.async_tick(asio::bind_executor(strand, note));
    clock_type::advance(10s);
    iv.reset(); // The second wait runs there, too.
    clock_type::run(context);
    boost_ext::basic_interval<clock_type, asio::wait_traits<clock_type>, asio::strand<asio::io_context::executor_type>> own(
        strand, 10s);
    own.async_tick(note);
    context.restart();
    clock_type::run(context);
    BOOST_TEST(calls == 2);
}

BOOST_FIXTURE_TEST_CASE(memory_is_the_handlers_and_is_back_before_the_call, virtual_time)
{
    interval iv(context, 10s);
    account memory;
    std::size_t live_at_call = 99;
    iv.async_tick(accounted_handler{&memory, live_at_call, taker()});
    BOOST_TEST(memory.live >= 1u);
    clock_type::run(context);
    BOOST_TEST(ticks.size() == 1u);
    BOOST_TEST(live_at_call == 0u);

    live_at_call = 99;
    iv.async_tick(accounted_handler{&memory, live_at_call, taker()});
    clock_type::advance(10s);
    iv.reset();
    context.restart();
    clock_type::run(context);
    BOOST_TEST(ticks.size() == 2u);
    BOOST_TEST(live_at_call == 0u);
    BOOST_TEST(memory.live == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_handler_may_own_what_its_memory_comes_from, virtual_time)
{
    std::optional<asio::io_context> other(std::in_place);
    std::optional<interval> iv(std::in_place, *other, 10s);
    auto handler = [&](std::size_t fail_at = 0) {
        auto memory = std::make_unique<owned_account>();
        memory->fail_at = fail_at;
        return owning_handler{std::move(memory), taker()};
    };
    iv->async_tick(handler());
    clock_type::run(*other);
    BOOST_TEST(ticks.size() == 1u);

    BOOST_CHECK_THROW(iv->async_tick(handler(1)), std::bad_alloc);
    BOOST_CHECK_THROW(iv->async_tick(handler(2)), std::bad_alloc); // The tick's memory is there, that of its wait is not.

    iv->async_tick(handler());
    iv.reset();
    interval queued(*other, 10s);
    queued.async_tick(handler());
    clock_type::advance(10s);
    interval twice(*other, 10s);
    twice.async_tick(handler());
    clock_type::advance(10s);
    twice.reset();
    interval pending(*other, 10s);
    pending.async_tick(handler());
    { // Intervals end before their context.
        interval a(std::move(queued));
        interval b(std::move(twice));
        interval c(std::move(pending));
    }
    other.reset(); // Destroys the handlers.
    BOOST_TEST(ticks.size() == 1u);
    BOOST_TEST(errors.empty());
}

BOOST_FIXTURE_TEST_CASE(a_failed_allocation_changes_nothing, virtual_time)
{
    interval iv(context, 10s);
    std::size_t live_at_call = 99;
    std::size_t failures = 0;
    for (bool started = false; !started;)
    {
        account memory;
        memory.fail_at = failures + 1;
        try
        {
            iv.async_tick(accounted_handler{&memory, live_at_call, taker()});
            started = true;
            context.restart();
            clock_type::run(context);
        }
        catch (const std::bad_alloc&)
        {
            ++failures;
            BOOST_TEST(iv.cancel() == 0u);
        }
        BOOST_TEST(memory.live == 0u);
    }
    BOOST_TEST(failures >= 2u);
    BOOST_TEST(ticks.size() == 1u);
    BOOST_TEST(ticks.back() == (record{10, 10, 0}));

    // A reset that would have to arm a second wait.
    account memory;
    iv.async_tick(accounted_handler{&memory, live_at_call, taker()});
    clock_type::advance(10s);
    memory.fail_at = memory.allocated + 1;
    BOOST_CHECK_THROW(iv.reset_after(100s), std::bad_alloc);
    poll();
    BOOST_TEST_REQUIRE(ticks.size() == 2u);
    BOOST_TEST(ticks.back() == (record{20, 20, 0}));
    BOOST_TEST(memory.live == 0u);
    BOOST_TEST(next(iv) == (record{30, 30, 0}));
}

BOOST_FIXTURE_TEST_CASE(a_context_that_goes_takes_the_tick_along, virtual_time)
{
    auto alive = std::make_shared<int>(0);
    std::optional<asio::io_context> other(std::in_place);
    {
        // The handler owns the interval, as a session's does.
        auto owned = std::make_shared<interval>(*other, 10s);
        owned->async_tick([owned, alive](error_code, tick_info) { ++*alive; });
        auto queued = std::make_shared<interval>(*other, 5s);
        queued->async_tick([queued, alive](error_code, tick_info) { ++*alive; });
        auto moved = std::make_shared<interval>(*other, 5s);
        moved->async_tick([moved, alive](error_code, tick_info) { ++*alive; });
        clock_type::advance(5s);
        moved->reset();
    }
    BOOST_TEST(alive.use_count() == 4);
    other.reset();
    BOOST_TEST(alive.use_count() == 1);
    BOOST_TEST(*alive == 0);
}

BOOST_FIXTURE_TEST_CASE(a_queued_tick_outlives_interval_and_context, virtual_time)
{
    enum
    {
        plain,
        cancelled,
        converted,
        converted_twice
    };
    for (int way : {plain, cancelled, converted, converted_twice})
    {
        std::optional<asio::io_context> ticking(std::in_place);
        {
            io_interval iv(*ticking, 10s);
            iv.async_tick(asio::bind_executor(context.get_executor(), taker()));
            std::optional<interval> any;
            std::optional<interval::rebind_executor<default_executor>::other> other;
            if (way >= converted)
                any.emplace(std::move(iv));
            if (way == converted_twice)
                other.emplace(std::move(*any));
            if (way == cancelled)
                BOOST_TEST(iv.cancel() == 1u);
            clock_type::run(*ticking); // Hands it over to the handler's context.
        }
        ticking.reset();
        BOOST_TEST(poll() == 1u);
    }
    BOOST_TEST(errors == std::vector<error_code>(4, asio::error::operation_aborted), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_converted_tick_can_be_converted_again, virtual_time)
{
    io_interval a(context, 10s);
    tick(a);
    interval b(std::move(a));
    interval::rebind_executor<default_executor>::other c(std::move(b));
    c.reset_after(4s);
    clock_type::run(context);
    BOOST_TEST_REQUIRE(ticks.size() == 1u);
    BOOST_TEST(ticks.back() == (record{4, 4, 0}));
    BOOST_TEST(next(c) == (record{14, 14, 0}));
    tick(c);
    BOOST_TEST(c.cancel() == 1u);
    poll();
    BOOST_TEST(errors.size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_tick_that_starts_while_the_context_goes, virtual_time)
{
    auto alive = std::make_shared<int>(0);
    auto other = std::make_unique<asio::io_context>();
    asio::post(*other, last_words([alive, &going = *other] {
        boost_ext::interval iv(going, 10s);
        iv.async_tick([alive](error_code, boost_ext::interval::tick_info) { ++*alive; });
        iv.reset();
        interval unnoticed(going, 10s); // Its clock does not tell the reactor of what is not due.
        unnoticed.async_tick([alive](error_code, tick_info) { ++*alive; });
        unnoticed.reset_immediately();
        auto owned = std::make_shared<boost_ext::interval>(going, 10s);
        owned->async_tick([owned, alive](error_code, boost_ext::interval::tick_info) { ++*alive; });
    }));
    asio::steady_timer(*other).cancel(); // Has the reactor made, which goes before the handler.
    other.reset();
    BOOST_TEST(alive.use_count() == 1);
    BOOST_TEST(*alive == 0);
}

BOOST_FIXTURE_TEST_CASE(the_slot_of_a_tick_that_failed_to_start_cancels_no_other, virtual_time)
{
    interval iv(context, 10s);
    asio::cancellation_signal signal;
    account memory;
    std::size_t live_at_call = 99;
    memory.fail_at = 2; // The wait's.
    BOOST_CHECK_THROW(
        iv.async_tick(asio::bind_cancellation_slot(signal.slot(), accounted_handler{&memory, live_at_call, taker()})),
        std::bad_alloc);
    tick(iv);
    signal.emit(asio::cancellation_type::terminal);
    clock_type::run(context);
    BOOST_TEST(errors.empty());
    BOOST_TEST_REQUIRE(ticks.size() == 1u);
    BOOST_TEST(ticks.back() == (record{10, 10, 0}));
}

BOOST_FIXTURE_TEST_CASE(executors_need_not_be_assignable, virtual_time)
{
    using fixed = interval::rebind_executor<fixed_executor>::other;
    asio::io_context other;
    fixed a(fixed_executor{context.get_executor()}, 10s);
    fixed b(fixed_executor{other.get_executor()}, 20s);
    tick(a);
    b = std::move(a);
    BOOST_TEST((b.get_executor() == fixed_executor{context.get_executor()}));
    BOOST_TEST((b.get_executor() != fixed_executor{other.get_executor()}));
    clock_type::run(context);
    BOOST_TEST(ticks.back() == (record{10, 10, 0}));
}

BOOST_FIXTURE_TEST_CASE(a_handler_may_destroy_the_interval, virtual_time)
{
    auto iv = std::make_unique<interval>(context, 10s);
    bool done = false;
    iv->async_tick([&](error_code ec, tick_info) {
        BOOST_TEST(!ec);
        iv.reset();
        done = true;
    });
    clock_type::run(context);
    BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE(real_time_is_never_early)
{
    using steady = std::chrono::steady_clock;
    asio::io_context context;
    const auto start = steady::now();
    boost_ext::interval iv(context, 2ms, missed_tick::burst);
    int n = 0;
    std::function<void(error_code, boost_ext::interval::tick_info)> loop = [&](error_code ec,
                                                                               boost_ext::interval::tick_info info) {
        BOOST_TEST(!ec);
        BOOST_TEST((info.scheduled >= start + ++n * 2ms));
        BOOST_TEST((steady::now() >= info.scheduled));
        if (n != 10)
            iv.async_tick(std::ref(loop));
    };
    iv.async_tick(std::ref(loop));
    context.run();
    BOOST_TEST(n == 10);
}

#if defined(BOOST_EXT_TEST_HAS_CONTEXT)
BOOST_FIXTURE_TEST_CASE(stackful_coroutine, virtual_time)
{
    std::vector<long> seen;
    asio::spawn(
        context,
        [&](asio::yield_context yield) {
            interval iv(context, 10s);
            for (int i = 0; i != 3; ++i)
                seen.push_back(seconds(iv.async_tick(yield).scheduled));
        },
        asio::detached);
    clock_type::run(context);
    BOOST_TEST((seen == std::vector<long>{10, 20, 30}));
}
#endif

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
BOOST_FIXTURE_TEST_CASE(coroutine, virtual_time)
{
    std::vector<long> seen;
    auto body = [&]() -> asio::awaitable<void> {
        interval iv(co_await asio::this_coro::executor, 10s);
        for (int i = 0; i != 3; ++i)
            seen.push_back(seconds((co_await iv.async_tick()).scheduled));
        auto [ec, info] = co_await iv.async_tick(asio::as_tuple(asio::use_awaitable));
        BOOST_TEST(!ec);
        seen.push_back(seconds(info.scheduled));
    };
    asio::co_spawn(context, body(), asio::detached);
    clock_type::run(context);
    BOOST_TEST((seen == std::vector<long>{10, 20, 30, 40}));
}

BOOST_FIXTURE_TEST_CASE(cancelling_a_coroutine_ends_its_tick, virtual_time)
{
    auto body = []() -> asio::awaitable<void> {
        interval iv(co_await asio::this_coro::executor, 10s);
        co_await iv.async_tick();
    };
    asio::cancellation_signal signal;
    std::exception_ptr thrown;
    asio::co_spawn(context, body(), asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) { thrown = e; }));
    context.poll();
    signal.emit(asio::cancellation_type::terminal);
    poll();
    BOOST_TEST_REQUIRE(!!thrown);
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(thrown), boost::system::system_error,
        [](const boost::system::system_error& e) { return e.code() == asio::error::operation_aborted; });
}
#endif

BOOST_AUTO_TEST_SUITE_END()
