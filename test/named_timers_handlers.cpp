// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Named waits whose handlers are type-erased. Apart from the other tests, which replace operator new: these handlers bring memory
// from its nothrow form.

#include <boost_ext/manual_clock.hpp>
#include <boost_ext/named_timers.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#if __has_include(<boost/asio/any_completion_handler.hpp>)
#include <boost/asio/any_completion_handler.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

using clock_type = boost_ext::basic_manual_clock<struct named_timers_handlers_test>;
using named_timers_t = boost_ext::basic_named_timers<clock_type>;
using any_handler = asio::any_completion_handler<void(error_code)>;

struct fixture
{
    fixture() { clock_type::reset(); }

    /// A handler that logs its name and what it got.
    auto append(std::string who)
    {
        return [this, who](error_code ec) { log.push_back(who + ": " + ec.message()); };
    }

    /// What such a handler logs.
    static std::string line(std::string who, error_code ec) { return who + ": " + ec.message(); }

    asio::io_context io;
    std::vector<std::string> log;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(named_timers_handlers, fixture)

BOOST_AUTO_TEST_CASE(a_handler_whose_executor_cannot_be_posted_to)
{
    named_timers_t names(io);
    names.async_wait("a", 1s, any_handler(append("expires")));
    auto p = names.prepare("p", 1s);
    names.cancel("p");
    p.async_start(any_handler(asio::bind_executor(io, append("cancelled"))));
    p.async_start(any_handler(append("again")));
    BOOST_TEST(log.empty());
    BOOST_TEST(clock_type::run(io) == 3u);
    names.stop();
    names.async_wait("a", 1s, any_handler(append("late")));
    BOOST_TEST(log.size() == 3u);
    io.restart();
    BOOST_TEST(io.run() == 1u);
    const std::vector<std::string> expected{line("cancelled", asio::error::operation_aborted),
        line("again", asio::error::already_started), line("expires", error_code()), line("late", boost_ext::error::stopped)};
    BOOST_TEST(log == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(type_erased_handlers_keep_the_order_and_their_slots)
{
    named_timers_t names(io);
    asio::cancellation_signal signal;
    names.async_wait("a", 1h, any_handler(append("1")));
    names.async_wait("a", 1s, any_handler(append("2")));
    names.async_wait("a", 1h, any_handler(asio::bind_cancellation_slot(signal.slot(), append("slot"))));
    clock_type::advance(1s);
    BOOST_TEST(names.cancel("a", 2) == 2u);
    signal.emit(asio::cancellation_type::partial);
    BOOST_TEST(names.size() == 0u);
    BOOST_TEST(io.run() == 3u);
    const error_code aborted = asio::error::operation_aborted;
    const std::vector<std::string> expected{line("1", aborted), line("2", aborted), line("slot", aborted)};
    BOOST_TEST(log == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

#endif
