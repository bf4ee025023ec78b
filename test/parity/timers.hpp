// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The two families of timers that the parity suite runs over, and what its tests share.

#ifndef BOOST_EXT_TEST_PARITY_TIMERS_HPP
#define BOOST_EXT_TEST_PARITY_TIMERS_HPP

#include <boost_ext/basic_waitable_timer.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace parity {

namespace asio = boost::asio;
using boost::system::error_code;
using steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

template <class Executor = asio::any_io_executor, class Clock = steady, class WaitTraits = asio::wait_traits<Clock>>
using asio_timer = asio::basic_waitable_timer<Clock, WaitTraits, Executor>;

template <class Executor = asio::any_io_executor, class Clock = steady, class WaitTraits = asio::wait_traits<Clock>>
using our_timer = boost_ext::basic_waitable_timer<Clock, WaitTraits, Executor>;

using io_executor = asio::io_context::executor_type;

/// Every behavioural test runs over these four.
using timers = std::tuple<asio_timer<>, our_timer<>, asio_timer<io_executor>, our_timer<io_executor>>;

/// For tests that choose the executor, the clock or the traits themselves.
struct asio_family
{
    template <class Executor = asio::any_io_executor, class Clock = steady, class WaitTraits = asio::wait_traits<Clock>>
    using timer = asio_timer<Executor, Clock, WaitTraits>;
    static constexpr bool ours = false;
};

struct our_family
{
    template <class Executor = asio::any_io_executor, class Clock = steady, class WaitTraits = asio::wait_traits<Clock>>
    using timer = our_timer<Executor, Clock, WaitTraits>;
    static constexpr bool ours = true;
};

using families = std::tuple<asio_family, our_family>;

template <class Timer>
struct is_ours : std::false_type
{
};

template <class Clock, class WaitTraits, class Executor>
struct is_ours<boost_ext::basic_waitable_timer<Clock, WaitTraits, Executor>> : std::true_type
{
};

/// What completed, in the order in which it did.
struct journal
{
    struct line
    {
        int id;
        error_code ec;
    };

    std::vector<line> lines;

    /// A handler that writes a line under id.
    auto operator()(int id)
    {
        return [this, id](error_code ec) { lines.push_back({id, ec}); };
    }

    std::vector<int> ids() const
    {
        std::vector<int> result;
        for (const line& l : lines)
            result.push_back(l.id);
        return result;
    }

    std::size_t aborted() const
    {
        std::size_t n = 0;
        for (const line& l : lines)
            n += l.ec == asio::error::operation_aborted;
        return n;
    }

    std::size_t succeeded() const
    {
        std::size_t n = 0;
        for (const line& l : lines)
            n += !l.ec;
        return n;
    }
};

/// Returns when the clock has passed tp, having run nothing.
inline void let_pass(steady::time_point tp)
{
    while (steady::now() <= tp)
        std::this_thread::sleep_until(tp + 1ms);
}

} // namespace parity

#endif
