// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_OPERATION_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_OPERATION_HPP

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/detail/timeout_control.hpp>
#include <boost_ext/detail/timeout_executor.hpp>
#include <boost_ext/detail/timeout_place.hpp>
#include <boost_ext/detail/timeout_result.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/core/empty_value.hpp>

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// The allocator of a handler; of the standard one there is one kind, which stands for the memory of operations.
template <class Handler>
auto timeout_allocator(const Handler& h) noexcept
{
    using associated = boost::asio::associated_allocator_t<Handler>;
    (void)h;
    if constexpr (std::is_same_v<std::allocator<typename associated::value_type>, associated>)
        return std::allocator<void>();
    else
        return boost::asio::get_associated_allocator(h);
}

/// One operation under a limit, as long as it is pending: what goes with the user's handler.
template <class Handler, class IoExecutor, class Clock>
struct timeout_state
{
    using handler_type = Handler;
    using executor_type = timeout_handler_executor_t<Handler, IoExecutor>;
    using timer_executor = decltype(timeout_place(std::declval<const IoExecutor&>(), std::declval<const executor_type&>()));
    using timer_type = basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, timer_executor>;

    template <class H>
    timeout_state(H&& h, const IoExecutor& ex, boost::intrusive_ptr<timeout_control> c)
        : handler(std::forward<H>(h)), io(ex), control(std::move(c))
    {
    }

    timeout_state(const timeout_state&) = delete;
    timeout_state& operator=(const timeout_state&) = delete;

    ~timeout_state()
    {
        control->disarm([this] { timer.reset(); });
    }

    executor_type get_executor() const noexcept { return timeout_handler_executor(handler, io); }

    struct deleter
    {
        void operator()(timeout_state* s) const { timeout_delete(timeout_allocator(s->handler), s); }
    };

    Handler handler;
    IoExecutor io;
    boost::intrusive_ptr<timeout_control> control;
    std::optional<timer_type> timer; // made and destroyed by way of control only
};

/// Does what is to be done at the limit: what is emitted to a coroutine, on the coroutine's executor.
/// Precondition: in a turn, on the handler's executor.
template <bool Coroutine, class Control, class IoExecutor>
void timeout_expire(const boost::intrusive_ptr<Control>& control, const IoExecutor& io, timeout_sender who)
{
    if constexpr (Coroutine && Control::emits)
    {
        // What decides is that it was sent here, even if it is yet to get there.
        if (control->send(who))
            boost::asio::dispatch(timeout_executor<IoExecutor>(io, control), [control, who] { control->expire(who); });
    }
    else
        control->expire(who);
    (void)io;
}

/// Carries a completion that could not be delivered where the operation called its handler. Rest are the arguments'
/// types as deduced there: an lvalue is kept as a copy, and passed on as an lvalue.
template <class State, class First, class... Rest>
class timeout_delivery;

/// The handler that the operation gets.
/**
 * It has the user's allocator beside the state: an operation that finds no memory may ask for it after the handler was moved.
 */
template <class State>
class timeout_handler : boost::empty_value<boost::asio::associated_allocator_t<typename State::handler_type>>
{
public:
    using cancellation_slot_type = boost::asio::cancellation_slot;
    using allocator_type = boost::asio::associated_allocator_t<typename State::handler_type>;

    timeout_handler(std::unique_ptr<State, typename State::deleter> s, bool has_slot)
        : boost::empty_value<allocator_type>(boost::empty_init_t(), boost::asio::get_associated_allocator(s->handler)),
          state_(std::move(s)),
          has_slot_(has_slot)
    {
    }

    timeout_handler(timeout_handler&&) = default;
    timeout_handler& operator=(timeout_handler&&) = delete;

    ~timeout_handler()
    {
        if (state_)
        {
            const boost::intrusive_ptr<timeout_control> control = state_->control;
            clear_slot();
            control->abandon();
        }
    }

    allocator_type get_allocator() const noexcept { return boost::empty_value<allocator_type>::get(); }

    cancellation_slot_type get_cancellation_slot() const noexcept
    {
        return has_slot_ ? state_->control->slot() : cancellation_slot_type();
    }

    /// Where the completion is delivered.
    timeout_executor<typename State::executor_type> get_delivery_executor() const noexcept
    {
        return {state_->get_executor(), state_->control};
    }

    const State& state() const noexcept { return *state_; }

    template <class First, class... Rest>
    void operator()(First&& first, Rest&&... rest)
    {
        using first_type = timeout_first_t<First>;
        const timeout_control::delivery how = state_->control->called();
        if (how == timeout_control::delivery::here)
            return finish(first_type(std::forward<First>(first)), std::forward<Rest>(rest)...);

        const typename State::executor_type ex = state_->get_executor();
        const auto io = state_->io;
        timeout_delivery<State, first_type, Rest...> d(std::move(*this), std::forward<First>(first), std::forward<Rest>(rest)...);
        if (how == timeout_control::delivery::post)
            timeout_post(ex, io, std::move(d));
        else
            boost::asio::dispatch(std::move(d));
    }

    /// Delivers the completion. Precondition: in a turn, on the handler's executor.
    template <class First, class... Rest>
    void finish(First first, Rest&&... rest)
    {
        const boost::intrusive_ptr<timeout_control> control = state_->control;
        const timeout_sender sender = control->finish();
        clear_slot();
        if (sender == timeout_sender::limit && timeout_is_cancellation(first))
            timeout_assign(first, boost::asio::error::timed_out);
        else if (sender == timeout_sender::failure && timeout_is_cancellation(first))
            timeout_assign(first, control->failure);

        typename State::handler_type handler(std::move(state_->handler));
        free_state(handler);
        control->leave();
        std::move(handler)(std::move(first), std::forward<Rest>(rest)...);
    }

private:
    /// Takes what is ours out of the user's slot, which may well outlive the handler's executor.
    void clear_slot()
    {
        if (state_->control->connected)
        {
            auto slot = boost::asio::get_associated_cancellation_slot(state_->handler, boost::asio::cancellation_slot());
            slot.clear();
        }
    }

    /// Frees the state after its handler was moved out: the timer is cancelled, and the memory is the handler's again.
    void free_state(const typename State::handler_type& handler) { timeout_delete(timeout_allocator(handler), state_.release()); }

    std::unique_ptr<State, typename State::deleter> state_;
    bool has_slot_;
};

template <class State, class First, class... Rest>
class timeout_delivery
{
public:
    using executor_type = timeout_executor<typename State::executor_type>;
    using allocator_type = typename timeout_handler<State>::allocator_type;

    template <class F, class... R>
    explicit timeout_delivery(timeout_handler<State>&& h, F&& first, R&&... rest)
        : handler_(std::move(h)), arguments_(std::forward<F>(first), std::forward<R>(rest)...)
    {
    }

    executor_type get_executor() const noexcept { return handler_.get_delivery_executor(); }

    allocator_type get_allocator() const noexcept { return handler_.get_allocator(); }

    void operator()()
    {
        // Moved here first, since the memory that this object lives in goes with the state's.
        std::tuple<First, std::decay_t<Rest>...> arguments(std::move(arguments_));
        timeout_handler<State> handler(std::move(handler_));
        std::apply(
            [&](First& first, std::decay_t<Rest>&... rest) { handler.finish(std::move(first), static_cast<Rest&&>(rest)...); },
            arguments);
    }

private:
    timeout_handler<State> handler_;
    std::tuple<First, std::decay_t<Rest>...> arguments_;
};

/// Waits for the limit, which counts as having come when the handler's executor gets to it.
/**
 * It has no executor of its own and keeps none: a wait that was cancelled since the operation has completed must not
 * go to the handler's executor, whose context may be gone by then.
 */
template <class State, class Control, bool Coroutine>
class timeout_limit_handler
{
public:
    timeout_limit_handler(boost::intrusive_ptr<Control> c, State& s) : control_(std::move(c)), state_(&s) {}

    timeout_limit_handler(timeout_limit_handler&&) = default;
    timeout_limit_handler& operator=(timeout_limit_handler&&) = delete;

    /// The operation may have been handed over to another context than the timer's, and stay there for longer.
    ~timeout_limit_handler()
    {
        if (control_)
            control_->wait_ended([this] { state_->timer.reset(); });
    }

    void operator()(const boost::system::error_code& ec)
    {
        if (ec)
            return;
        std::optional<target> to;
        control_->if_pending([&] { to.emplace(*state_); });
        if (to)
            boost::asio::dispatch(timeout_executor<executor_type>(to->executor, control_),
                [c = control_, io = to->io] { timeout_expire<Coroutine>(c, io, timeout_sender::limit); });
    }

private:
    using executor_type = typename State::executor_type;

    struct target
    {
        explicit target(const State& s) : executor(s.get_executor()), work(timeout_work(executor)), io(s.io) {}

        executor_type executor;
        decltype(timeout_work(std::declval<const executor_type&>())) work;
        decltype(State::io) io;
    };

    boost::intrusive_ptr<Control> control_;
    State* state_; // there while the operation is pending, or has its timer
};

} // namespace detail
} // namespace boost_ext

namespace boost {
namespace asio {

template <class State, class Candidate>
struct associated_executor<boost_ext::detail::timeout_handler<State>, Candidate>
{
private:
    using handler_type = typename State::handler_type;
    using inner = associated_executor<handler_type, Candidate>;

public:
    using type = boost_ext::detail::timeout_executor<typename inner::type>;

    static type get(const boost_ext::detail::timeout_handler<State>& h) noexcept
    {
        return type(inner::get(h.state().handler), h.state().control);
    }

    static type get(const boost_ext::detail::timeout_handler<State>& h, const Candidate& c) noexcept
    {
        return type(inner::get(h.state().handler, c), h.state().control);
    }
};

} // namespace asio
} // namespace boost

#endif // BOOST_EXT_DETAIL_TIMEOUT_OPERATION_HPP
