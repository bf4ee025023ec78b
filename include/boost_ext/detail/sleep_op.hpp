// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_SLEEP_OP_HPP
#define BOOST_EXT_DETAIL_SLEEP_OP_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/basic_waitable_timer.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/is_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

// A sleep is one wait on a timer that nobody sees. The wait's handler owns the timer, so whoever ends
// the wait, by running its handler or by destroying it with the context, ends the timer too.

namespace boost_ext {
namespace detail {

/// Sole owner of a timer whose memory comes from the sleeping handler's allocator.
template <class Timer, class Allocator>
class sleep_timer_ptr
{
public:
  using timer_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<Timer>;
  using traits = std::allocator_traits<timer_allocator>;

  template <class ExecutorOrContext>
  sleep_timer_ptr(const Allocator& allocator, ExecutorOrContext& where,
      const typename Timer::time_point& deadline)
    : allocator_(allocator)
    , timer_(traits::allocate(allocator_, 1))
  {
    BOOST_TRY
    {
      // Not by traits::construct: an allocator's say in memory is all that a handler promises.
      ::new (static_cast<void*>(std::addressof(*timer_))) Timer(where, deadline);
    }
    BOOST_CATCH (...)
    {
      traits::deallocate(allocator_, timer_, 1);
      BOOST_RETHROW
    }
    BOOST_CATCH_END
  }

  sleep_timer_ptr(sleep_timer_ptr&& other) noexcept
    : allocator_(std::move(other.allocator_))
    , timer_(std::exchange(other.timer_, nullptr))
  {
  }

  sleep_timer_ptr& operator=(sleep_timer_ptr&&) = delete;

  ~sleep_timer_ptr() { reset(); }

  Timer& operator*() const noexcept { return *timer_; }

  void reset() noexcept
  {
    if (auto timer = std::exchange(timer_, nullptr))
    {
      timer->~Timer();
      traits::deallocate(allocator_, timer, 1);
    }
  }

private:
  timer_allocator allocator_;
  typename traits::pointer timer_;
};

/// The handler of the hidden timer's wait.
template <class Timer, class Handler>
class sleep_handler
{
public:
  using timer_ptr = sleep_timer_ptr<Timer, boost::asio::associated_allocator_t<Handler>>;

  template <class H>
  sleep_handler(timer_ptr timer, H&& handler)
    : timer_(std::move(timer))
    , handler_(std::forward<H>(handler))
  {
  }

  Timer& timer() const noexcept { return *timer_; }
  const Handler& handler() const noexcept { return handler_; }

  /// The timer's memory is given back before the upcall, as Asio does with its operations'.
  void operator()(const boost::system::error_code& ec)
  {
    timer_.reset();
    std::move(handler_)(ec);
  }

private:
  timer_ptr timer_;
  Handler handler_;
};

/// Completes handler at deadline with a timer on where, an executor or an execution context.
/// Nothing but a post happens for a deadline that is not after now.
template <class Clock, class Executor, class ExecutorOrContext, class Handler>
void start_sleep(ExecutorOrContext& where, const Executor& executor,
    typename Clock::time_point now, typename Clock::time_point deadline, Handler&& handler)
{
  using handler_type = typename std::decay<Handler>::type;
  using timer_type =
      basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;
  using wait_type = sleep_handler<timer_type, handler_type>;

  if (!(now < deadline) && deadline != (Clock::time_point::max)())
  {
    boost::asio::post(executor, boost::asio::append(
        std::forward<Handler>(handler), boost::system::error_code()));
    return;
  }

  typename wait_type::timer_ptr timer(
      boost::asio::get_associated_allocator(handler), where, deadline);
  wait_type wait(std::move(timer), std::forward<Handler>(handler));
  timer_type& armed = wait.timer();
  armed.async_wait(std::move(wait));
}

/// Launches a sleep on a given executor.
template <class Clock, class Executor>
class initiate_sleep_on_executor
{
public:
  using executor_type = Executor;

  explicit initiate_sleep_on_executor(const Executor& executor) : executor_(executor) {}

  executor_type get_executor() const noexcept { return executor_; }

  template <class Handler, class Limit>
  void operator()(Handler&& handler, const Limit& limit) const
  {
    const auto now = Clock::now();
    start_sleep<Clock>(executor_, executor_, now, limit.deadline(now),
        std::forward<Handler>(handler));
  }

private:
  Executor executor_;
};

/// Launches a sleep on a given context.
template <class Clock, class Context>
class initiate_sleep_on_context
{
public:
  using executor_type = typename Context::executor_type;

  explicit initiate_sleep_on_context(Context& context) : context_(&context) {}

  executor_type get_executor() const noexcept { return context_->get_executor(); }

  template <class Handler, class Limit>
  void operator()(Handler&& handler, const Limit& limit) const
  {
    const auto now = Clock::now();
    start_sleep<Clock>(*context_, get_executor(), now, limit.deadline(now),
        std::forward<Handler>(handler));
  }

private:
  Context* context_;
};

/// Launches a sleep on the associated executor of the handler.
template <class Clock>
class initiate_sleep
{
public:
  template <class Handler, class Limit>
  void operator()(Handler&& handler, const Limit& limit) const
  {
    // Newer Boosts' own default is an inline executor, which has no context to sleep on.
    const auto executor =
        boost::asio::get_associated_executor(handler, boost::asio::system_executor());
    const auto now = Clock::now();
    start_sleep<Clock>(executor, executor, now, limit.deadline(now),
        std::forward<Handler>(handler));
  }
};

/// Whether T can say where a sleep is to run, as an executor.
template <class T>
struct is_sleep_executor
  : std::integral_constant<bool,
        boost::asio::execution::is_executor<T>::value || boost::asio::is_executor<T>::value>
{
};

/// Whether T can say where a sleep is to run, as an execution context.
template <class T>
struct is_sleep_context : std::is_convertible<T&, boost::asio::execution_context&>
{
};

} // namespace detail
} // namespace boost_ext

namespace boost {
namespace asio {

template <template <class, class> class Associator, class Timer, class Handler,
    class DefaultCandidate>
struct associator<Associator, boost_ext::detail::sleep_handler<Timer, Handler>, DefaultCandidate>
  : Associator<Handler, DefaultCandidate>
{
  static typename Associator<Handler, DefaultCandidate>::type get(
      const boost_ext::detail::sleep_handler<Timer, Handler>& h) noexcept
  {
    return Associator<Handler, DefaultCandidate>::get(h.handler());
  }

  static auto get(const boost_ext::detail::sleep_handler<Timer, Handler>& h,
      const DefaultCandidate& c) noexcept
      -> decltype(Associator<Handler, DefaultCandidate>::get(h.handler(), c))
  {
    return Associator<Handler, DefaultCandidate>::get(h.handler(), c);
  }
};

} // namespace asio
} // namespace boost

#endif // BOOST_EXT_DETAIL_SLEEP_OP_HPP
