// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_WAITER_HPP
#define BOOST_EXT_DETAIL_JOB_WAITER_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/job_completion.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace boost_ext {
namespace detail {

/// A pending async_cancel or async_stop: somebody who waits for running jobs to return.
class job_waiter : public boost::intrusive::list_base_hook<>
{
public:
  /// The value of job where a waiter waits for every job.
  static constexpr std::uint64_t every_job = 0;

  job_waiter(const job_waiter&) = delete;
  job_waiter& operator=(const job_waiter&) = delete;

  /// Frees this, and queues the handler. Precondition: not linked; no lock is held.
  virtual void complete(boost::system::error_code ec) = 0;

  std::uint64_t key = 0; ///< Tells waiters apart; a key is never used again.
  std::uint64_t job = 0; ///< The job that is waited for.
  bool cancelled = false; ///< What cancel returned.

protected:
  job_waiter() = default;
  ~job_waiter() = default;
};

using job_waiter_list = boost::intrusive::list<job_waiter>;

/// Completes every waiter in the list, in order. Precondition: no lock is held.
/// Where memory to queue a handler runs out, the first such exception is thrown after all the rest.
inline void complete_waiters(job_waiter_list& waiters)
{
  std::exception_ptr failure;
  while (!waiters.empty())
  {
    job_waiter& waiter = waiters.front();
    waiters.pop_front();
    BOOST_TRY
    {
      waiter.complete(boost::system::error_code());
    }
    BOOST_CATCH (...)
    {
      if (!failure)
        failure = std::current_exception();
    }
    BOOST_CATCH_END
  }
  if (failure)
    std::rethrow_exception(failure);
}

/// A waiter with its handler, in memory of the handler's associated allocator.
/**
 * @tparam WithResult Whether the handler takes a bool after the error code.
 */
template <class Handler, class Executor, bool WithResult>
class job_waiter_of final : public job_waiter
{
public:
  static job_waiter_of* create(Handler&& handler, const Executor& fallback, slot_state slot)
  {
    allocator_type allocator(boost::asio::get_associated_allocator(handler));
    job_waiter_of* memory = traits::allocate(allocator, 1);
    BOOST_TRY
    {
      return ::new (static_cast<void*>(memory))
          job_waiter_of(std::move(handler), fallback, slot);
    }
    BOOST_CATCH (...)
    {
      traits::deallocate(allocator, memory, 1);
      BOOST_RETHROW
    }
    BOOST_CATCH_END
  }

  void complete(boost::system::error_code ec) override
  {
    work_type work(std::move(work_));
    const slot_state slot = slot_;
    [[maybe_unused]] const bool result = cancelled;
    if constexpr (WithResult)
      post_completion(work.get_executor(), take_handler(), slot, ec, result);
    else
      post_completion(work.get_executor(), take_handler(), slot, ec);
  }

private:
  using work_type = boost::asio::executor_work_guard<
      boost::asio::associated_executor_t<Handler, Executor>>;
  using allocator_type = typename std::allocator_traits<boost::asio::associated_allocator_t<
      Handler>>::template rebind_alloc<job_waiter_of>;
  using traits = std::allocator_traits<allocator_type>;

  job_waiter_of(Handler&& handler, const Executor& fallback, slot_state slot)
    : work_(boost::asio::get_associated_executor(handler, fallback)),
      handler_(std::move(handler)), slot_(slot)
  {
  }

  /// Moves the handler out and frees this.
  Handler take_handler()
  {
    Handler handler(std::move(handler_));
    allocator_type allocator(boost::asio::get_associated_allocator(handler));
    this->~job_waiter_of();
    traits::deallocate(allocator, this, 1);
    return handler;
  }

  work_type work_;
  Handler handler_;
  slot_state slot_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_JOB_WAITER_HPP
