// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_CONTROL_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_CONTROL_HPP

#include <boost_ext/detail/timeout_executor.hpp>
#include <boost_ext/detail/timeout_serialiser.hpp>

#include <boost/core/no_exceptions_support.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace boost_ext {
namespace detail {

/// The usual thing to do at the limit: a cancellation of the operation.
struct timeout_emit
{
    boost::asio::cancellation_type type = boost::asio::cancellation_type::terminal;
};

/// Instead of it, a function to call.
template <class Function>
struct timeout_call
{
    Function function;
};

/// Who was first to ask that the operation be ended.
enum class timeout_sender
{
    nobody,  ///< It was left to itself.
    outside, ///< The slot of the user's handler.
    limit,   ///< The limit.
    failure  ///< The limit could not be armed.
};

/// What the operation, its limit and the user's slot share: the turn, the signal, and who was first.
/**
 * Life of an operation, from its initiation on. Nothing is emitted or armed once it is no longer pending.
 *
 *     pending ──► called ──► finished
 *        │                      ▲
 *        └──────────────────────┘ dropped
 */
class timeout_control : public timeout_serialiser
{
public:
    /// The thread that made this has started the operation. True if it is pending.
    bool end_initiation()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        initiator_ = std::thread::id();
        return phase_ == phase::pending;
    }

    /// Calls f under the lock if the operation has not called its handler: till then its state is there.
    template <class F>
    void if_pending(F f)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (phase_ == phase::pending)
            f();
    }

    /// Ends the initiation, and if the operation is pending then, calls f, which starts the wait for the limit, and undo if
    /// it throws or if the wait has ended meanwhile.
    template <class Start, class Undo>
    void arm(Start start, Undo undo)
    {
        std::lock_guard<std::recursive_mutex> lock(timer_mutex_);
        if (!end_initiation())
            return;
        // A context that is being destroyed does away with the wait at once, which must leave the timer alone here.
        BOOST_TRY
        {
            start();
        }
        BOOST_CATCH(...)
        {
            undo();
            BOOST_RETHROW
        }
        BOOST_CATCH_END
        if (wait_ended_)
            undo();
        else
            has_timer_ = true;
    }

    /// Calls f, which destroys the timer, if there is one and its wait is there. Afterwards there is none.
    template <class F>
    void disarm(F f)
    {
        std::lock_guard<std::recursive_mutex> lock(timer_mutex_);
        if (std::exchange(has_timer_, false))
            f();
    }

    /// The wait for the limit has ended, or is being destroyed with its context: the last moment to destroy the timer.
    template <class F>
    void wait_ended(F f)
    {
        std::lock_guard<std::recursive_mutex> lock(timer_mutex_);
        wait_ended_ = true;
        if (std::exchange(has_timer_, false))
            f();
    }

    /// How the handler's call by the operation is to be passed on.
    enum class delivery
    {
        here,     ///< In a turn, with no foreign code below that would not expect it.
        dispatch, ///< From outside any turn.
        post      ///< From inside the initiation, a cancellation handler or an on_limit function.
    };

    /// The operation has called its handler in this thread.
    delivery called()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        phase_ = phase::called;
        const bool mine = is_mine();
        if (initiator_ == std::this_thread::get_id() || (mine && calling_out_))
            return delivery::post;
        return mine ? delivery::here : delivery::dispatch;
    }

    /// Ends the operation. Precondition: in a turn.
    timeout_sender finish()
    {
        timeout_sender first;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            phase_ = phase::finished;
            first = first_;
        }
        clear();
        return first;
    }

    /// The operation dropped its handler.
    void abandon() noexcept
    {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            phase_ = phase::finished;
        }
        // What is left in the signal may own a reference to this, by way of an executor say.
        try_enter([this] { clear(); });
    }

    /// Records a sender that is about to act. False if it is too late.
    bool send(timeout_sender who)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (phase_ != phase::pending)
            return false;
        if (first_ == timeout_sender::nobody)
            first_ = who;
        return true;
    }

    /// Passes a cancellation to the operation. Precondition: in a turn.
    void emit(timeout_sender who, boost::asio::cancellation_type type)
    {
        if (send(who))
        {
            calling_out guard(*this);
            signal_.emit(type);
        }
    }

    /// The slot for the operation.
    boost::asio::cancellation_slot slot() noexcept { return signal_.slot(); }

    /// Whether the user's slot holds our cancellation handler.
    std::atomic<bool> connected{false};

    /// Why the limit could not be armed.
    boost::system::error_code failure;

protected:
    /// While it exists foreign code runs that may make the operation call its handler, or drop it.
    class calling_out
    {
    public:
        explicit calling_out(timeout_control& c) : control_(c), outer_(std::exchange(c.calling_out_, true)) {}

        calling_out(const calling_out&) = delete;
        calling_out& operator=(const calling_out&) = delete;

        ~calling_out()
        {
            control_.calling_out_ = outer_;
            if (control_.is_finished())
                control_.clear();
        }

    private:
        timeout_control& control_;
        bool outer_;
    };

    /// Destroys what was to be called at the limit.
    virtual void forget() noexcept {}

private:
    enum class phase : unsigned char
    {
        pending, ///< The operation has its handler.
        called,  ///< It has called it. The completion may be on its way, if it cannot be delivered there.
        finished ///< The completion is delivered, which is decided in a turn, or the handler was dropped.
    };

    bool is_finished()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return phase_ == phase::finished;
    }

    /// Lets go of what the operation has left in the signal, and of what was to be called: they may own things that are
    /// to go with the operation. While it runs it stays, and goes when it returns: it may make the operation drop its
    /// handler, or run the context, and so the completion. Precondition: in a turn.
    void clear() noexcept
    {
        if (calling_out_)
            return;
        signal_.slot().clear();
        forget();
    }

    // Held while the timer is made or destroyed, so that its context, which waits for its handlers to be destroyed,
    // is there; recursive, since making or destroying one may destroy the handler of its wait.
    std::recursive_mutex timer_mutex_;
    bool has_timer_ = false;  // guarded by timer_mutex_
    bool wait_ended_ = false; // guarded by timer_mutex_

    boost::asio::cancellation_signal signal_;                // the turn's owner's
    bool calling_out_ = false;                               // the turn's owner's
    phase phase_ = phase::pending;                           // guarded by mutex_
    timeout_sender first_ = timeout_sender::nobody;          // guarded by mutex_
    std::thread::id initiator_ = std::this_thread::get_id(); // guarded by mutex_; nobody once it is started
};

/// With what is to be done at the limit.
template <class Action>
class timeout_action_control;

template <>
class timeout_action_control<timeout_emit> final : public timeout_control
{
public:
    /// Whether the operation is to be given a slot even if the user's handler has none.
    static constexpr bool emits = true;

    explicit timeout_action_control(timeout_emit a) : action_(a) {}

    /// Does what is to be done at the limit. Precondition: in a turn.
    void expire(timeout_sender who) { emit(who, action_.type); }

private:
    void destroy() noexcept override { timeout_delete(std::allocator<void>(), this); }

    const timeout_emit action_;
};

template <class Function>
class timeout_action_control<timeout_call<Function>> final : public timeout_control
{
public:
    static constexpr bool emits = false;

    explicit timeout_action_control(timeout_call<Function> a) : action_(std::move(a)) {}

    void expire(timeout_sender who)
    {
        if (this->send(who))
        {
            typename timeout_control::calling_out guard(*this);
            action_->function();
        }
    }

private:
    void destroy() noexcept override { timeout_delete(std::allocator<void>(), this); }

    void forget() noexcept override { action_.reset(); }

    std::optional<timeout_call<Function>> action_;
};

/// Sits in the slot of the user's handler and passes cancellations on to the operation.
/**
 * If OwnExecutor, they are emitted on Executor: a coroutine given to co_spawn is only ever touched there. Else
 * they are emitted here and now, as for the bare operation, unless it is another function's turn.
 */
template <class Executor, bool OwnExecutor>
class timeout_forwarder
{
public:
    timeout_forwarder(boost::intrusive_ptr<timeout_control> c, const Executor& ex) : control_(std::move(c)), executor_(ex)
    {
        control_->connected = true;
    }

    timeout_forwarder(const timeout_forwarder&) = delete;
    timeout_forwarder& operator=(const timeout_forwarder&) = delete;

    ~timeout_forwarder() { control_->connected = false; }

    void operator()(boost::asio::cancellation_type type)
    {
        if (type == boost::asio::cancellation_type::none)
            return;
        boost::intrusive_ptr<timeout_control> c = control_;
        Executor ex = executor_;
        // What decides is when it was sent, even if its turn is yet to come.
        if (!c->send(timeout_sender::outside))
            return;
        auto emit = [c, type] { c->emit(timeout_sender::outside, type); };
        if constexpr (OwnExecutor)
            boost::asio::dispatch(timeout_executor<Executor>(ex, c), emit);
        else
            c->enter(ex, emit);
    }

private:
    boost::intrusive_ptr<timeout_control> control_;
    Executor executor_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_CONTROL_HPP
