// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The memory of operations, over the ends of threads and their stacks.

#include <boost_ext/detail/block_cache.hpp>

#include <boost/test/unit_test.hpp>

#ifdef BOOST_EXT_TEST_HAS_CONTEXT
#include <boost/context/fiber.hpp>
#endif

#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

namespace {

/// A cache that nothing else uses.
using cache = boost_ext::detail::block_cache<488>;

/// What a thread destroys after everything that it made later.
struct last_of_the_thread
{
    void* block = nullptr;

    ~last_of_the_thread()
    {
        if (!block)
            return;
        cache::deallocate(block);
        void* const another = cache::allocate();
        cache::deallocate(another);
    }
};
thread_local last_of_the_thread last;

} // namespace

BOOST_AUTO_TEST_SUITE(block_cache)

BOOST_AUTO_TEST_CASE(a_thread_that_frees_while_it_ends_leaves_nothing_behind)
{
    std::set<void*> blocks;
    for (int i = 0; i != 500; ++i)
        std::thread([&] {
            last.block = nullptr; // made before the thread's memory is, and so destroyed after it
            last.block = cache::allocate();
            blocks.insert(last.block);
        }).join();
    BOOST_TEST(blocks.size() == 1u); // the lowest free one each time
}

#ifdef BOOST_EXT_DETAIL_ASAN
BOOST_AUTO_TEST_CASE(what_was_freed_is_known_to_the_sanitizer)
{
    void* const p = cache::allocate();
    BOOST_TEST(!__asan_address_is_poisoned(p));
    cache::deallocate(p);
    BOOST_TEST(__asan_address_is_poisoned(p));
    void* const again = cache::allocate();
    BOOST_TEST(again == p);
    BOOST_TEST(!__asan_address_is_poisoned(p));
    cache::deallocate(again);
}
#endif

BOOST_AUTO_TEST_CASE(a_thread_that_only_frees_leaves_nothing_behind)
{
    void* const first = cache::allocate();
    cache::deallocate(first);
    std::set<void*> blocks;
    for (int i = 0; i != 500; ++i)
    {
        void* p = nullptr;
        std::thread([&] { p = cache::allocate(); }).join();
        blocks.insert(p);
        std::thread([&] { cache::deallocate(p); }).join();
    }
    BOOST_TEST(blocks.size() == 1u);
}

BOOST_AUTO_TEST_CASE(no_block_is_handed_out_twice)
{
    const auto some = [](std::vector<void*>& out) {
        for (int i = 0; i != 3000; ++i)
            out.push_back(cache::allocate());
        for (int i = 0; i != 1500; ++i)
        {
            cache::deallocate(out.back());
            out.pop_back();
        }
    };
    std::vector<void*> a, b;
    std::thread ta([&] { some(a); }), tb([&] { some(b); });
    ta.join();
    tb.join();
    std::set<void*> all(a.begin(), a.end());
    all.insert(b.begin(), b.end());
    BOOST_TEST(all.size() == 3000u);
    for (void* const p : all)
        cache::deallocate(p);
}

/// Uses a cache of each size that there is.
template <std::size_t... I>
void use_all(std::index_sequence<I...>)
{
    (boost_ext::detail::block_cache<8 * (I + 1)>::deallocate(boost_ext::detail::block_cache<8 * (I + 1)>::allocate()), ...);
}

// The stack of a thread is smaller by the memory of its own, of which the caches must not take much.
BOOST_AUTO_TEST_CASE(a_thread_of_a_small_stack_can_be_made_and_use_it)
{
    ::pthread_attr_t small;
    BOOST_REQUIRE_EQUAL(::pthread_attr_init(&small), 0);
    BOOST_REQUIRE_EQUAL(::pthread_attr_setstacksize(&small, 64 * 1024), 0);
    ::pthread_t thread;
    const auto use = [](void*) -> void* {
        use_all(std::make_index_sequence<64>());
        return nullptr;
    };
    BOOST_REQUIRE_EQUAL(::pthread_create(&thread, &small, use, nullptr), 0);
    BOOST_CHECK_EQUAL(::pthread_join(thread, nullptr), 0);
    ::pthread_attr_destroy(&small);
}

#ifdef BOOST_EXT_TEST_HAS_CONTEXT

BOOST_AUTO_TEST_CASE(a_stack_that_goes_on_in_another_thread_uses_the_memory_of_that_thread)
{
    void* here = nullptr;
    void* there = nullptr;
    boost::context::fiber fiber([&](boost::context::fiber&& caller) {
        here = cache::allocate();
        caller = std::move(caller).resume();
        there = cache::allocate();
        return std::move(caller);
    });
    // What was given back last is handed out next.
    const auto next = [] {
        void* const p = cache::allocate();
        cache::deallocate(p);
        return p;
    };
    void* const next_here = next();
    fiber = std::move(fiber).resume();
    BOOST_TEST(here == next_here);
    std::thread([&] {
        void* const next_there = next();
        fiber = std::move(fiber).resume();
        BOOST_TEST(there == next_there);
        cache::deallocate(there);
    }).join();
    cache::deallocate(here);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
