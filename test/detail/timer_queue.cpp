// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The queue against a reference model, its bound on memory, and allocation failure.

#include <boost_ext/detail/timer_queue.hpp>

#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <new>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using boost_ext::detail::timer_handle;
using boost_ext::detail::when_over;

/// Counts what is allocated, and fails on demand.
struct memory
{
    static inline std::size_t bytes = 0;
    static inline std::size_t allocations = 0;
    static inline std::size_t fail_at = 0; // the how-manieth allocation fails; 0: none

    static void* take(std::size_t n, std::size_t align)
    {
        if (++allocations == fail_at)
            throw std::bad_alloc();
        bytes += n;
        return ::operator new(n, std::align_val_t(align));
    }
    static void give(void* p, std::size_t n, std::size_t align)
    {
        bytes -= n;
        ::operator delete(p, std::align_val_t(align));
    }
};

template <class T>
struct counting_allocator
{
    using value_type = T;
    counting_allocator() = default;
    template <class U>
    counting_allocator(const counting_allocator<U>&) noexcept
    {
    }
    T* allocate(std::size_t n) { return static_cast<T*>(memory::take(n * sizeof(T), alignof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { memory::give(p, n * sizeof(T), alignof(T)); }
    friend bool operator==(const counting_allocator&, const counting_allocator&) noexcept { return true; }
    friend bool operator!=(const counting_allocator&, const counting_allocator&) noexcept { return false; }
};

using queue = boost_ext::detail::timer_queue<std::uint64_t, counting_allocator<void>>;

/// The queue and a model of it, driven in step.
class checked
{
public:
    explicit checked(std::uint64_t start) : queue_(start), now_(start) {}

    std::uint64_t now() const { return now_; }
    std::size_t size() const { return model_.size(); }
    queue& get() { return queue_; }

    void insert(std::uint64_t deadline, std::uint64_t window = 0)
    {
        const std::uint64_t value = ++counter_;
        const timer_handle h = queue_.insert(deadline, value, window);
        add(value, h, deadline, window);
    }

    void erase(std::size_t n)
    {
        const std::uint64_t value = nth(n);
        element& e = elements_.at(value);
        BOOST_REQUIRE(queue_.find(e.handle) && *queue_.find(e.handle) == value);
        queue_.erase(e.handle);
        stale_.push_back(e.handle);
        model_.erase({e.deadline, e.order});
        ends_.erase(ends_.find(e.end()));
        elements_.erase(value);
    }

    void move(std::size_t n, std::uint64_t deadline, std::uint64_t window = 0, bool park = false)
    {
        const std::uint64_t value = nth(n);
        element e = elements_.at(value);
        if (park)
            queue_.park(e.handle);
        if (park && n % 3 == 0)
            queue_.next_wake();
        if (window != 0)
            queue_.reserve_window(e.handle);
        const std::size_t before = memory::allocations;
        queue_.move(e.handle, deadline, window);
        BOOST_REQUIRE_EQUAL(memory::allocations, before);
        model_.erase({e.deadline, e.order});
        ends_.erase(ends_.find(e.end()));
        elements_.erase(value);
        add(value, e.handle, deadline, window);
    }

    void collect(std::uint64_t now, std::size_t max)
    {
        now_ = now;
        const std::size_t before = memory::allocations;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
        const std::size_t n = queue_.collect(
            now, max, [](std::uint64_t) {}, [&](std::uint64_t v, std::uint64_t d) { got.emplace_back(v, d); });
        BOOST_REQUIRE_EQUAL(memory::allocations, before);
        BOOST_REQUIRE_EQUAL(n, got.size());
        std::size_t expected = 0;
        for (auto i = model_.begin(); i != model_.end() && expected != max && i->first.first <= now; ++expected)
        {
            BOOST_REQUIRE_LT(expected, got.size());
            BOOST_REQUIRE_EQUAL(got[expected].first, i->second);
            BOOST_REQUIRE_EQUAL(got[expected].second, i->first.first);
            element& e = elements_.at(i->second);
            stale_.push_back(e.handle);
            ends_.erase(ends_.find(e.end()));
            elements_.erase(i->second);
            i = model_.erase(i);
        }
        BOOST_REQUIRE_EQUAL(n, expected);
    }

    void check()
    {
        BOOST_REQUIRE_EQUAL(queue_.size(), model_.size());
        BOOST_REQUIRE_LE(queue_.dead_entries(), queue_.live_entries() / 2 + queue::slop);
        const std::uint64_t end = ends_.empty() ? queue::never : *ends_.begin();
        BOOST_REQUIRE_LE(queue_.next_wake(), end);
        for (const timer_handle h : stale_)
            BOOST_REQUIRE(!queue_.find(h));
        stale_.clear();
    }

    void check_next_deadline()
    {
        const std::uint64_t first = model_.empty() ? queue::never : model_.begin()->first.first;
        BOOST_REQUIRE_EQUAL(queue_.next_deadline(), first);
    }

private:
    struct element
    {
        timer_handle handle;
        std::uint64_t deadline;
        std::uint64_t order;
        std::uint64_t window;
        std::uint64_t end() const
        {
            return deadline == queue::never            ? deadline
                : deadline < queue::never - 1 - window ? deadline + window
                                                       : queue::never - 1;
        }
    };

    void add(std::uint64_t value, timer_handle h, std::uint64_t deadline, std::uint64_t window)
    {
        const element e{h, deadline, ++order_, window};
        model_.emplace(std::make_pair(deadline, order_), value);
        ends_.insert(e.end());
        elements_.emplace(value, e);
    }

    std::uint64_t nth(std::size_t n)
    {
        auto i = elements_.lower_bound(1 + n % counter_);
        return i == elements_.end() ? elements_.begin()->first : i->first;
    }

    queue queue_;
    std::uint64_t now_;
    std::uint64_t counter_ = 0;
    std::uint64_t order_ = 0;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> model_; // (deadline, order) -> value
    std::map<std::uint64_t, element> elements_;
    std::multiset<std::uint64_t> ends_;
    std::vector<timer_handle> stale_;
};

unsigned new_seed()
{
    return std::random_device()();
}

/// What kind of deadlines a round uses, as bits of distance from now.
struct profile
{
    unsigned spread;   // deadlines up to 2^spread ticks ahead
    bool windows;      // some elements have windows
    bool backwards;    // the clock sometimes goes back
    std::size_t limit; // elements at most
};

void drive(const profile& p, unsigned seed, std::size_t steps)
{
    BOOST_TEST_MESSAGE("seed " << seed << ", spread 2^" << p.spread);
    std::mt19937_64 random(seed);
    checked q(std::uint64_t{1} << 62);
    auto deadline = [&]() -> std::uint64_t {
        switch (random() % 32)
        {
        case 0:
            return queue::never;
        case 1:
            return random() % (std::uint64_t{1} << 62); // long past
        case 2:
            return q.now();
        case 3:
            return q.now() + (random() % 8 << 20); // many ties
        case 4:
            return q.now() + (random() >> (random() % 64)) / 4; // any distance
        default:
            return q.now() + random() % (std::uint64_t{1} << p.spread);
        }
    };
    auto window = [&]() -> std::uint64_t { return p.windows && random() % 2 ? random() % (std::uint64_t{1} << p.spread) : 0; };
    for (std::size_t step = 0; step != steps; ++step)
    {
        const auto what = random() % 16;
        if (q.size() == 0 || (what < 6 && q.size() < p.limit))
            q.insert(deadline(), window());
        else if (what < 8)
            q.erase(random());
        else if (what < 13)
            q.move(random(), deadline(), window(), random() % 2 == 0);
        else
        {
            std::uint64_t now = q.now() + random() % (std::uint64_t{1} << p.spread) / 16;
            if (p.backwards && random() % 64 == 0)
                now = q.now() - random() % (std::uint64_t{1} << p.spread);
            q.collect(now, random() % 4 == 0 ? 1 + random() % 8 : 100000);
        }
        if (step % 64 == 0)
            q.check();
        if (step % 256 == 7)
            q.check_next_deadline();
    }
    q.collect(queue::never - 1, queue::never);
    q.check();
}

} // namespace

BOOST_AUTO_TEST_SUITE(timer_queue)

BOOST_AUTO_TEST_CASE(against_the_model)
{
    for (unsigned spread : {4u, 12u, 20u, 30u, 40u, 50u})
        drive({spread, false, false, 300}, new_seed(), 100000);
    drive({30, false, false, 30000}, new_seed(), 400000);
    drive({10, false, false, 30000}, new_seed(), 300000);
}

BOOST_AUTO_TEST_CASE(against_the_model_with_windows)
{
    for (unsigned spread : {12u, 30u, 45u})
        drive({spread, true, false, 1000}, new_seed(), 100000);
}

BOOST_AUTO_TEST_CASE(against_the_model_with_a_clock_that_goes_back)
{
    for (unsigned spread : {12u, 30u, 45u})
        drive({spread, true, true, 1000}, new_seed(), 100000);
}

BOOST_AUTO_TEST_CASE(equal_deadlines_in_order_of_arming)
{
    queue q(0);
    std::vector<timer_handle> handles;
    for (std::uint64_t i = 0; i != 10000; ++i)
        handles.push_back(q.insert(1000000, i));
    // Rescheduling to the same time is arming anew: the even ones come last, in the order of their moves.
    for (std::size_t i = 10000; i-- != 0;)
        if (i % 2 == 0)
            q.move(handles[i], 1000000);
    std::vector<std::uint64_t> got;
    q.collect(
        2000000, 100000, [](std::uint64_t) {}, [&](std::uint64_t v, std::uint64_t) { got.push_back(v); });
    BOOST_REQUIRE_EQUAL(got.size(), 10000u);
    for (std::size_t i = 0; i != 5000; ++i)
        BOOST_REQUIRE_EQUAL(got[i], 2 * i + 1);
    for (std::size_t i = 0; i != 5000; ++i)
        BOOST_REQUIRE_EQUAL(got[5000 + i], 9998 - 2 * i);
}

BOOST_AUTO_TEST_CASE(what_is_parked_is_not_handed_out)
{
    queue q(0);
    const timer_handle a = q.insert(100, 1);
    const timer_handle b = q.insert(200, 2);
    q.park(a);
    BOOST_TEST(q.next_deadline() == 200u);
    BOOST_TEST(q.next_wake() == 200u);
    std::vector<std::uint64_t> got;
    const auto collect = [&](std::uint64_t now) {
        q.collect(
            now, 10, [](std::uint64_t) {}, [&](std::uint64_t v, std::uint64_t) { got.push_back(v); });
    };
    collect(150);
    BOOST_TEST(got.empty());
    BOOST_TEST(q.find(a));
    q.park(b);
    q.move(b, 300); // later than the entry that it left behind
    q.move(a, 250);
    collect(299);
    BOOST_TEST((got == std::vector<std::uint64_t>{1}));
    collect(300);
    BOOST_TEST((got == std::vector<std::uint64_t>{1, 2}));
    BOOST_TEST(q.empty());
}

BOOST_AUTO_TEST_CASE(what_is_kept_has_its_place_when_it_was_handed_out)
{
    memory::bytes = 0;
    {
        queue q(0);
        std::vector<timer_handle> all;
        for (std::uint64_t i = 0; i != 1000; ++i)
        {
            const when_over then = i % 2 == 0 ? when_over::keep_place : when_over::free_place;
            all.push_back(q.insert(100 + i, i, i % 3, i % 3 != 0, then));
        }
        const std::size_t bytes = memory::bytes;
        for (std::uint64_t round = 1; round != 20; ++round)
        {
            std::vector<std::uint64_t> got;
            q.collect(
                10000 * round, 2000, [](std::uint64_t) {}, [&](std::uint64_t v, std::uint64_t) { got.push_back(v); });
            BOOST_TEST(got.size() == (round == 1 ? 1000u : 500u));
            BOOST_TEST(q.size() == 500u);
            BOOST_TEST(q.live_entries() == 0u);
            BOOST_TEST(q.next_wake() == queue::never);
            for (std::uint64_t i = 0; i != 1000; ++i)
            {
                std::uint64_t* const value = q.find(all[i]);
                BOOST_REQUIRE((value != nullptr) == (i % 2 == 0));
                if (!value)
                    continue;
                BOOST_REQUIRE_EQUAL(*value, 0u);
                *value = i;
                q.move(all[i], 10000 * round + 100 + i);
            }
            BOOST_TEST(memory::bytes <= bytes);
        }
        for (std::uint64_t i = 0; i != 1000; i += 2)
            q.erase(all[i]);
        BOOST_TEST(q.empty());
    }
    BOOST_TEST(memory::bytes == 0u);
}

BOOST_AUTO_TEST_CASE(equal_deadlines_in_order_of_arming_when_the_counter_has_wrapped)
{
    using heap = boost_ext::detail::entry_heap<counting_allocator<void>>;
    boost_ext::detail::chunk_pool<counting_allocator<void>> pool{counting_allocator<void>()};
    constexpr std::uint32_t n = 3000;
    constexpr std::uint32_t step = 0xffffffffu / n; // from the oldest to the newest it is nearly once round
    std::uint32_t newest = 0x12345678;
    heap h(pool, newest, 0);
    pool.reserve(heap::chunks_for(n));
    std::vector<std::uint32_t> ages;
    for (std::uint32_t i = 0; i != n; ++i)
        ages.push_back(i * step);
    std::shuffle(ages.begin(), ages.end(), std::mt19937(1));
    for (const std::uint32_t age : ages)
        h.push({1000000, 0, newest - age});
    std::uint32_t expected = n;
    for (auto run = h.due(1000000); run.size() != 0; run = h.due(1000000))
    {
        for (auto* e = run.begin; e != run.end; ++e)
            BOOST_REQUIRE_EQUAL(newest - e->sequence, --expected * step);
        h.consume(run.size());
    }
    BOOST_TEST(expected == 0u);
}

BOOST_AUTO_TEST_CASE(a_batch_is_bounded_and_the_rest_stays)
{
    queue q(0);
    for (std::uint64_t i = 0; i != 1000; ++i)
        q.insert(1000 - i, i);
    std::uint64_t last = 0;
    for (std::size_t left = 1000; left != 0; left -= 100)
    {
        BOOST_TEST(q.size() == left);
        BOOST_TEST(q.collect(
                       5000, 100, [](std::uint64_t) {},
                       [&](std::uint64_t, std::uint64_t d) {
                           BOOST_REQUIRE_GT(d, last);
                           last = d;
                       }) == 100u);
    }
}

BOOST_AUTO_TEST_CASE(memory_is_bounded_by_what_is_alive)
{
    memory::bytes = 0;
    {
        queue q(0);
        // One element, re-armed in ways that leave an entry behind each time.
        timer_handle h = q.insert(std::uint64_t{1} << 40, 0);
        const std::size_t bytes = memory::bytes;
        for (std::uint64_t i = 0; i != 1000000; ++i)
        {
            q.erase(h);
            h = q.insert((std::uint64_t{1} << 40) - i, 0);
            BOOST_REQUIRE_LE(q.dead_entries(), q.live_entries() / 2 + queue::slop);
        }
        for (std::uint64_t i = 1000000; i != 2000000; ++i)
            q.move(h, (std::uint64_t{1} << 40) - i);
        for (std::uint64_t i = 0; i != 1000000; ++i) // to and fro
            q.move(h, (std::uint64_t{1} << 40) + (i % 2 ? 1000000 : 0));
        BOOST_TEST(memory::bytes == bytes);

        // A burst leaves next to nothing behind.
        std::mt19937_64 random(1);
        std::vector<timer_handle> burst;
        for (std::uint64_t i = 0; i != 200000; ++i)
            burst.push_back(q.insert(random() >> 20, i));
        const std::size_t peak = memory::bytes;
        BOOST_TEST_MESSAGE("bytes for each of 200,000 elements: " << peak / 200000);
        for (const timer_handle b : burst)
            q.erase(b);
        BOOST_TEST_MESSAGE("bytes after the burst: " << memory::bytes);
        BOOST_TEST(memory::bytes < peak / 50);
        BOOST_TEST(q.size() == 1u);
    }
    BOOST_TEST(memory::bytes == 0u);
}

BOOST_AUTO_TEST_CASE(postponed_windows_that_surface_together_need_no_more_room)
{
    for (const std::uint64_t n : {40u, 1000u, 5000u, 20000u})
    {
        queue q(0);
        std::vector<timer_handle> all;
        for (std::uint64_t i = 0; i != n; ++i)
            all.push_back(q.insert((std::uint64_t{1} << 50) + i, i, 5));
        // As many dead entries as there may be, far away, where no search for what is due comes across them.
        for (const timer_handle h : all)
        {
            if (q.dead_entries() + 2 > q.live_entries() / 2 + queue::slop - 2)
                break;
            q.move(h, 1000000, 5);
        }
        const std::size_t allocations = memory::allocations;
        for (const timer_handle h : all)
            q.move(h, std::uint64_t{1} << 52, 5);
        const auto nothing = [](std::uint64_t, std::uint64_t = 0) {};
        BOOST_TEST(q.collect(std::uint64_t{1} << 51, n, nothing, nothing) == 0u);
        BOOST_TEST(q.dead_entries() <= q.live_entries() / 2 + queue::slop);
        BOOST_TEST(q.live_entries() == 2 * n);
        BOOST_TEST(memory::allocations == allocations);
        BOOST_TEST(q.collect(std::uint64_t{1} << 53, n, nothing, nothing) == n);
    }
    BOOST_TEST(memory::bytes == 0u);
}

BOOST_AUTO_TEST_CASE(allocation_failure_changes_nothing)
{
    std::size_t failures = 0;
    for (std::size_t fail = 1;; ++fail)
    {
        queue q(0);
        std::vector<timer_handle> handles;
        memory::allocations = 0;
        memory::fail_at = fail;
        bool failed = false;
        for (std::uint64_t i = 0; i != 4000; ++i)
        {
            const std::uint64_t window = i % 7 == 0 ? 5 : 0;
            try
            {
                handles.push_back(q.insert(i * 100000, i, window));
            }
            catch (const std::bad_alloc&)
            {
                failed = true;
                ++failures;
                BOOST_REQUIRE_EQUAL(q.size(), i);
                handles.push_back(q.insert(i * 100000, i, window)); // the next one works
            }
            if (i % 100 == 3)
            {
                try
                {
                    q.reserve_window(handles[i - 2]);
                }
                catch (const std::bad_alloc&)
                {
                    failed = true;
                    ++failures;
                    q.reserve_window(handles[i - 2]);
                }
                q.move(handles[i - 2], (i - 2) * 100000, 7);
            }
        }
        memory::fail_at = 0;
        for (std::uint64_t i = 0; i != 4000; ++i)
            BOOST_REQUIRE(q.find(handles[i]) && *q.find(handles[i]) == i);
        std::uint64_t expected = 0;
        q.collect(
            queue::never - 1, 100000, [](std::uint64_t) {},
            [&](std::uint64_t v, std::uint64_t) {
                BOOST_REQUIRE_EQUAL(v, expected);
                ++expected;
            });
        BOOST_REQUIRE_EQUAL(expected, 4000u);
        if (!failed)
            break;
    }
    BOOST_TEST(failures > 100u);
    BOOST_TEST_MESSAGE(failures << " allocations were made to fail");
}

BOOST_AUTO_TEST_CASE(drain_takes_everything)
{
    queue q(0);
    for (std::uint64_t i = 0; i != 1000; ++i)
        q.insert(i % 3 == 0 ? queue::never : i, i, i % 5);
    std::set<std::uint64_t> got;
    q.drain([&](std::uint64_t v) { got.insert(v); });
    BOOST_TEST(got.size() == 1000u);
    BOOST_TEST(q.empty());
    BOOST_TEST(q.next_wake() == queue::never);
}

BOOST_AUTO_TEST_SUITE_END()
