// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_NAMED_COMPLETION_HPP
#define BOOST_EXT_DETAIL_NAMED_COMPLETION_HPP

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/is_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/require.hpp>
#include <boost/system/error_code.hpp>
#include <utility>

namespace boost_ext {
namespace detail {

/// A completion handler with what it is told, on its way through a queue.
template <class Handler, class Executor>
class named_completion
{
public:
    using allocator_type = boost::asio::associated_allocator_t<Handler>;
    using executor_type = Executor;

    named_completion(Handler&& handler, const Executor& executor, boost::system::error_code ec)
        : handler_(std::move(handler)), executor_(executor), ec_(ec)
    {
    }

    allocator_type get_allocator() const noexcept { return boost::asio::get_associated_allocator(handler_); }

    executor_type get_executor() const noexcept { return executor_; }

    void operator()() { std::move(handler_)(ec_); }

private:
    Handler handler_;
    Executor executor_;
    boost::system::error_code ec_;
};

/// Queues a call of a handler on its executor.
/**
 * By way of the timers' executor, as an expiry goes, where nothing can be posted to the handler's: one that
 * runs everything inline, or that of an any_completion_handler.
 */
template <class Executor, class TimersExecutor, class Handler>
void post_named_completion(
    const Executor& executor, const TimersExecutor& timers, Handler&& handler, boost::system::error_code ec)
{
    using boost::asio::execution::blocking_t;

    named_completion<Handler, Executor> completion(std::move(handler), executor, ec);
    if constexpr (boost::asio::is_executor<Executor>::value ||
        boost::asio::can_require<const Executor&, blocking_t::never_t>::value)
        boost::asio::post(std::move(completion));
    else
        boost::asio::post(timers, std::move(completion));
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_NAMED_COMPLETION_HPP
