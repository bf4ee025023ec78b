// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_COMPLETION_HPP
#define BOOST_EXT_DETAIL_JOB_COMPLETION_HPP

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/post.hpp>
#include <tuple>
#include <utility>

namespace boost_ext {
namespace detail {

/// Whether a cancellation handler of ours sits in the slot of the completion handler.
enum class slot_state
{
    untouched, ///< The slot holds nothing of ours.
    occupied   ///< It does, until just before the completion handler is called.
};

/// Takes our cancellation handler out of the slot of a completion handler.
/// Precondition: runs on the executor of the completion handler, as whoever emits to the slot does.
template <class Handler>
void vacate_slot(const Handler& handler, slot_state state)
{
    if (state == slot_state::untouched)
        return;
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected())
        slot.clear();
}

/// A completion handler bound to its arguments, on its way through the executor's queue.
template <class Handler, class... Args>
class job_completion
{
public:
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    job_completion(Handler&& handler, slot_state slot, Args... args)
        : handler_(std::move(handler)), slot_(slot), args_(std::move(args)...)
    {
    }

    allocator_type get_allocator() const noexcept { return boost::asio::get_associated_allocator(handler_); }

    void operator()()
    {
        vacate_slot(handler_, slot_);
        std::apply(std::move(handler_), std::move(args_));
    }

private:
    Handler handler_;
    slot_state slot_;
    std::tuple<Args...> args_;
};

/// Queues a call of handler with args on executor, which is the handler's associated one.
template <class Executor, class Handler, class... Args>
void post_completion(const Executor& executor, Handler&& handler, slot_state slot, Args... args)
{
    boost::asio::post(executor, job_completion<Handler, Args...>(std::move(handler), slot, std::move(args)...));
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_JOB_COMPLETION_HPP
