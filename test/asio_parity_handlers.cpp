// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Parity of what is associated with a handler (cancellation slot, allocator, executor) and of handlers that throw.

#include "parity/timers.hpp"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/test/unit_test.hpp>

#if __has_include(<boost/asio/bind_immediate_executor.hpp>)
#include <boost/asio/bind_immediate_executor.hpp>
#endif

#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

namespace {

using namespace parity;

constexpr asio::cancellation_type all_types[] = {
    asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total};

struct account
{
    std::size_t blocks = 0;
    std::size_t bytes = 0;
    std::size_t allocations = 0;
};

/// Keeps an account of what was taken and not yet given back.
template <class T = void>
struct counting_allocator
{
    using value_type = T;

    account* book;

    explicit counting_allocator(account& a) : book(&a) {}

    template <class U>
    counting_allocator(const counting_allocator<U>& other) : book(other.book)
    {
    }

    T* allocate(std::size_t n) const
    {
        void* p = ::operator new(n * sizeof(T));
        ++book->blocks;
        ++book->allocations;
        book->bytes += n * sizeof(T);
        return static_cast<T*>(p);
    }

    void deallocate(T* p, std::size_t n) const
    {
        --book->blocks;
        book->bytes -= n * sizeof(T);
        ::operator delete(p);
    }

    template <class U>
    bool operator==(const counting_allocator<U>& other) const
    {
        return book == other.book;
    }

    template <class U>
    bool operator!=(const counting_allocator<U>& other) const
    {
        return book != other.book;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(asio_parity_handlers)

// ---- Cancellation slots ------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(each_type_cancels_that_one_wait, Timer, timers)
{
    for (auto type : all_types)
    {
        asio::io_context ctx;
        journal l;
        asio::cancellation_signal signals[3];
        Timer t(ctx, 1h);
        for (int i = 0; i < 3; ++i)
            t.async_wait(asio::bind_cancellation_slot(signals[i].slot(), l(i)));
        signals[1].emit(type);
        BOOST_CHECK(l.lines.empty());
        BOOST_CHECK_EQUAL(ctx.poll(), 1u);
        BOOST_CHECK((l.ids() == std::vector<int>{1}));
        BOOST_CHECK_EQUAL(l.aborted(), 1u);
        signals[1].emit(type);
        BOOST_CHECK_EQUAL(ctx.poll(), 0u);
        signals[0].emit(type);
        BOOST_CHECK_EQUAL(t.cancel(), 1u);
        BOOST_CHECK_EQUAL(ctx.run(), 2u);
        BOOST_CHECK((l.ids() == std::vector<int>{1, 0, 2}));
        BOOST_CHECK_EQUAL(l.aborted(), 3u);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(type_none_cancels_nothing, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    asio::cancellation_signal signal;
    Timer t(ctx, 1ms);
    t.async_wait(asio::bind_cancellation_slot(signal.slot(), l(0)));
    signal.emit(asio::cancellation_type::none);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(several_types_at_once_cancel_once, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    asio::cancellation_signal signal;
    Timer t(ctx, 1h);
    t.async_wait(asio::bind_cancellation_slot(signal.slot(), l(0)));
    signal.emit(asio::cancellation_type::all);
    signal.emit(asio::cancellation_type::all);
    BOOST_CHECK_EQUAL(t.cancel(), 0u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(emitting_after_completion_does_nothing, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    asio::cancellation_signal signal;
    std::optional<Timer> t(std::in_place, ctx, 0ms);
    t->async_wait(asio::bind_cancellation_slot(signal.slot(), l(0)));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    ctx.restart();
    signal.emit(asio::cancellation_type::terminal);
    BOOST_CHECK_EQUAL(ctx.run(), 0u);

    // The slot serves again, and a signal left over from the wait before does not reach the next one.
    t->expires_after(1h);
    t->async_wait(asio::bind_cancellation_slot(signal.slot(), l(1)));
    ctx.restart();
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    signal.emit(asio::cancellation_type::total);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
    t.reset();
    signal.emit(asio::cancellation_type::terminal);
    BOOST_CHECK_EQUAL(l.lines.size(), 2u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(emitting_in_the_handler_does_nothing, Timer, timers)
{
    asio::io_context ctx;
    asio::cancellation_signal signal;
    journal l;
    Timer t(ctx, 0ms);
    t.async_wait(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) {
        l(0)(ec);
        t.expires_after(1ms);
        t.async_wait(l(1));
        signal.emit(asio::cancellation_type::terminal);
    }));
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(l.succeeded(), 2u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_collected_wait_is_not_cancelled_by_its_slot, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    asio::cancellation_signal signal;
    Timer a(ctx, steady::now() - 2s);
    Timer b(ctx, steady::now() - 1s);
    a.async_wait(l(0));
    b.async_wait(asio::bind_cancellation_slot(signal.slot(), l(1)));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    signal.emit(asio::cancellation_type::terminal);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 2u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_elapsed_wait_is_cancelled_by_its_slot, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    asio::cancellation_signal signal;
    Timer t(ctx, steady::now() - 1s);
    t.async_wait(asio::bind_cancellation_slot(signal.slot(), l(0)));
    signal.emit(asio::cancellation_type::partial);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_unconnected_slot, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 0ms);
    t.async_wait(asio::bind_cancellation_slot(asio::cancellation_slot(), l(0)));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_signal_may_die_before_the_handler_runs, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1h);
    {
        asio::cancellation_signal signal;
        t.async_wait(asio::bind_cancellation_slot(signal.slot(), l(0)));
        signal.emit(asio::cancellation_type::terminal);
        BOOST_CHECK_EQUAL(ctx.run(), 1u);
    }
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
}

// Ours: Asio's slot keeps a pointer to the timer the wait was started on.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_slot_cancels_after_its_timer_was_moved, Timer, timers)
{
    if (!is_ours<Timer>())
        return;
    for (auto type : all_types)
    {
        asio::io_context one, two;
        journal l;
        asio::cancellation_signal signal, other;
        auto a = std::make_unique<Timer>(one, 1h);
        a->async_wait(asio::bind_cancellation_slot(signal.slot(), l(0)));
        a->async_wait(asio::bind_cancellation_slot(other.slot(), l(1)));
        auto b = std::make_unique<Timer>(std::move(*a));
        a.reset();
        Timer c(two, 2h);
        c = std::move(*b);
        // b is another timer now, with a wait of its own that the signal must leave alone.
        b->expires_after(1h);
        b->async_wait(l(2));
        signal.emit(type);
        BOOST_CHECK_EQUAL(one.poll(), 1u);
        BOOST_CHECK((l.ids() == std::vector<int>{0}));
        BOOST_CHECK_EQUAL(l.aborted(), 1u);
        BOOST_CHECK_EQUAL(b->cancel(), 1u);
        BOOST_CHECK_EQUAL(one.poll(), 1u);
        b.reset();
        other.emit(type);
        BOOST_CHECK_EQUAL(one.run(), 1u);
        BOOST_CHECK_EQUAL(l.aborted(), 3u);
        BOOST_CHECK_EQUAL(c.cancel(), 0u);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(slots_of_timers_in_a_growing_vector, Timer, timers)
{
    if (!is_ours<Timer>())
        return;
    asio::io_context ctx;
    journal l;
    std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
    std::vector<Timer> all;
    for (int i = 0; i < 50; ++i)
    {
        signals.push_back(std::make_unique<asio::cancellation_signal>());
        all.emplace_back(ctx, 1h);
        all.back().async_wait(asio::bind_cancellation_slot(signals.back()->slot(), l(i)));
    }
    std::vector<int> expected;
    for (int i = 49; i >= 0; i -= 2)
    {
        signals[static_cast<std::size_t>(i)]->emit(asio::cancellation_type::total);
        expected.push_back(i);
    }
    BOOST_CHECK_EQUAL(ctx.poll(), 25u);
    BOOST_CHECK(l.ids() == expected);
    BOOST_CHECK_EQUAL(l.aborted(), 25u);
    all.clear();
    BOOST_CHECK_EQUAL(ctx.run(), 25u);
}

// ---- Allocators --------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(memory_comes_from_the_associated_allocator, Timer, timers)
{
    asio::io_context ctx;
    account book;
    Timer t(ctx, 0ms);
    bool called = false;
    t.async_wait(asio::bind_allocator(counting_allocator<>(book), [&](error_code ec) {
        called = true;
        BOOST_CHECK(!ec);
        // Freed before the handler is called, so that it may use the memory again.
        BOOST_CHECK_EQUAL(book.blocks, 0u);
        BOOST_CHECK_EQUAL(book.bytes, 0u);
    }));
    BOOST_CHECK_GE(book.blocks, 1u);
    BOOST_CHECK(!called);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK(called);
    BOOST_CHECK_GE(book.allocations, 1u);
    BOOST_CHECK_EQUAL(book.blocks, 0u);
    BOOST_CHECK_EQUAL(book.bytes, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(memory_of_cancelled_and_destroyed_waits, Timer, timers)
{
    account book;
    auto handler = [&book](error_code) { BOOST_CHECK_EQUAL(book.blocks, 1u); };
    {
        asio::io_context ctx;
        Timer t(ctx, 1h);
        t.async_wait(asio::bind_allocator(counting_allocator<>(book), handler));
        t.async_wait(asio::bind_allocator(counting_allocator<>(book), handler));
        BOOST_CHECK_EQUAL(book.blocks, 2u);
        t.cancel_one();
        BOOST_CHECK_EQUAL(ctx.poll(), 1u);
        BOOST_CHECK_EQUAL(book.blocks, 1u);
        // The other wait is dropped with the context.
    }
    BOOST_CHECK_EQUAL(book.blocks, 0u);
    BOOST_CHECK_EQUAL(book.bytes, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(memory_of_a_handler_on_another_executor, Timer, timers)
{
    asio::io_context ctx, other;
    account book;
    Timer t(ctx, 0ms);
    bool called = false;
    t.async_wait(asio::bind_executor(other.get_executor(), asio::bind_allocator(counting_allocator<>(book), [&](error_code) {
        called = true;
        BOOST_CHECK_EQUAL(book.blocks, 0u);
    })));
    BOOST_CHECK_GE(book.blocks, 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK(!called);
    BOOST_CHECK_EQUAL(other.run(), 1u);
    BOOST_CHECK(called);
    BOOST_CHECK_EQUAL(book.blocks, 0u);
}

// ---- Executors ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(a_handler_runs_on_its_associated_executor, Timer, timers)
{
    asio::io_context ctx, other;
    journal l;
    Timer t(ctx, 1ms);
    t.async_wait(asio::bind_executor(other.get_executor(), l(0)));
    // The hand-over counts as one where the timer lives.
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK(l.lines.empty());
    BOOST_CHECK(!other.stopped());
    BOOST_CHECK_EQUAL(other.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);

    ctx.restart();
    other.restart();
    t.expires_after(1h);
    t.async_wait(asio::bind_executor(other.get_executor(), l(1)));
    // Work is held on both.
    BOOST_CHECK_EQUAL(other.poll(), 0u);
    BOOST_CHECK(!other.stopped());
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK(!ctx.stopped());
    // An abort takes the same way.
    BOOST_CHECK_EQUAL(t.cancel(), 1u);
    BOOST_CHECK_EQUAL(other.poll(), 0u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(other.run(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_handler_on_a_strand, Timer, timers)
{
    asio::io_context ctx;
    auto strand = asio::make_strand(ctx);
    Timer t(ctx, 0ms);
    bool called = false;
    t.async_wait(asio::bind_executor(strand, [&](error_code ec) {
        called = true;
        BOOST_CHECK(!ec);
        BOOST_CHECK(strand.running_in_this_thread());
    }));
    ctx.run();
    BOOST_CHECK(called);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_strand_serialises_on_two_threads, Timer, timers)
{
    asio::io_context ctx;
    auto strand = asio::make_strand(ctx);
    int unprotected = 0;
    std::vector<std::unique_ptr<Timer>> all;
    const auto base = steady::now();
    for (int i = 0; i < 500; ++i)
    {
        all.push_back(std::make_unique<Timer>(ctx, base + i % 10 * 1ms));
        all.back()->async_wait(asio::bind_executor(strand, [&](error_code) { ++unprotected; }));
    }
    std::thread second([&] { ctx.run(); });
    ctx.run();
    second.join();
    BOOST_CHECK_EQUAL(unprotected, 500);
}

#if __has_include(<boost/asio/bind_immediate_executor.hpp>)
BOOST_AUTO_TEST_CASE_TEMPLATE(never_on_the_immediate_executor, Timer, timers)
{
    asio::io_context ctx, immediate;
    journal l;
    Timer t(ctx, steady::now() - 1s);
    t.async_wait(asio::bind_immediate_executor(immediate.get_executor(), l(0)));
    BOOST_CHECK_EQUAL(immediate.poll(), 0u);
    BOOST_CHECK(l.lines.empty());
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}
#endif

// ---- Exceptions --------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(an_exception_leaves_run_and_the_rest_stays_queued, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    const auto past = steady::now() - 1s;
    Timer a(ctx, past), b(ctx, past + 1ms), c(ctx, past + 2ms);
    a.async_wait(l(0));
    a.async_wait([](error_code) { throw std::runtime_error("from a handler"); });
    a.async_wait(l(1));
    b.async_wait([](error_code) { throw 42; });
    b.async_wait(l(2));
    c.async_wait(l(3));
    BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
    BOOST_CHECK((l.ids() == std::vector<int>{0}));
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_THROW(ctx.run(), int);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1}));
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2, 3}));
    BOOST_CHECK_EQUAL(l.succeeded(), 4u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_handler_that_moves_its_timer_and_throws, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    std::optional<Timer> a(std::in_place, ctx, 0ms);
    std::optional<Timer> b;
    a->async_wait([&](error_code) {
        b.emplace(std::move(*a));
        a.reset();
        b->expires_after(0ms);
        b->async_wait(l(0));
        throw 1;
    });
    BOOST_CHECK_THROW(ctx.run(), int);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

// A handler whose move constructor throws while the operation is made: nothing was started.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_handler_that_cannot_be_stored, Timer, timers)
{
    struct unmovable_now
    {
        bool armed = true;
        unmovable_now() = default;
        unmovable_now(const unmovable_now&) = default;
        unmovable_now(unmovable_now&& other) : armed(other.armed)
        {
            if (armed)
                throw std::domain_error("no");
        }
        void operator()(error_code) {}
    };
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1h);
    BOOST_CHECK_THROW(t.async_wait(unmovable_now()), std::domain_error);
    BOOST_CHECK_EQUAL(t.cancel(), 0u);
    BOOST_CHECK_EQUAL(ctx.run(), 0u);
    ctx.restart();
    t.expires_after(0ms);
    t.async_wait(l(0));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

BOOST_AUTO_TEST_SUITE_END()
