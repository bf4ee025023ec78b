// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_SERIALISER_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_SERIALISER_HPP

#include <boost_ext/detail/block_cache.hpp>
#include <boost_ext/detail/timeout_place.hpp>

#include <boost/core/no_exceptions_support.hpp>
#include <boost/asio/post.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// Constructs an object in the memory that operations get, given the allocator that is associated with a handler.
template <class T, class Allocator, class... Args>
T* timeout_new(const Allocator& a, Args&&... args)
{
    using memory = operation_memory<T, Allocator>;
    void* p = memory::allocate(a);
    T* made = nullptr;
    BOOST_TRY
    {
        made = ::new (p) T(std::forward<Args>(args)...);
    }
    BOOST_CATCH(...)
    {
        memory::deallocate(a, p);
        BOOST_RETHROW
    }
    BOOST_CATCH_END
    return made;
}

/// Destroys and frees what timeout_new made.
template <class T, class Allocator>
void timeout_delete(const Allocator& a, T* p) noexcept
{
    p->~T();
    operation_memory<T, Allocator>::deallocate(a, p);
}

/// Lets one function at a time run for one operation, wherever they come from: the steps of the operation on the
/// handler's executor and the emission of a cancellation.
/**
 * A function asks for its turn when its executor runs it, so where that executor serialises already (a strand, a
 * context with one thread) everything runs at once and nothing is ever queued. Otherwise a function that finds
 * the turn taken is queued, and whoever ends a turn posts the next function to that function's own executor, the
 * turn being kept for it meanwhile. No thread ever blocks, and mutex_ is never held while foreign code runs.
 *
 * Executors made from it may outlive the completion of the operation, therefore it is shared, and its memory does
 * not come from the handler's allocator, which the handler may take with it.
 */
class timeout_serialiser
{
public:
    timeout_serialiser(const timeout_serialiser&) = delete;
    timeout_serialiser& operator=(const timeout_serialiser&) = delete;

    friend void intrusive_ptr_add_ref(timeout_serialiser* p) noexcept { p->references_.fetch_add(1, std::memory_order_relaxed); }

    friend void intrusive_ptr_release(timeout_serialiser* p) noexcept
    {
        if (p->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            p->destroy();
    }

    /// Runs f now if the turn is free or this thread's already, else when it comes to it, on ex.
    /// Precondition: the caller is where f is to be run.
    template <class Executor, class F>
    void enter(const Executor& ex, F&& f)
    {
        if (try_enter(std::forward<F>(f)))
            return;
        using item_type = queued_item<Executor, std::decay_t<F>>;
        item* i = timeout_new<item_type>(std::allocator<void>(), ex, std::forward<F>(f));
        if (take_or_queue(i))
        {
            turn t(*this);
            i->run();
        }
    }

    /// Runs f now if the turn is free or this thread's already. Otherwise returns false and leaves f alone.
    template <class F>
    bool try_enter(F&& f)
    {
        if (try_take())
        {
            turn t(*this);
            std::forward<F>(f)();
            return true;
        }
        if (in_turn())
        {
            std::forward<F>(f)();
            return true;
        }
        return false;
    }

    /// Whether the calling thread is inside a turn.
    bool in_turn() const
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return is_mine();
    }

    /// Ends the turn of the calling thread before the function that has it returns.
    void leave()
    {
        turn* t = turn_;
        t->over_ = true;
        pass_on();
    }

protected:
    timeout_serialiser() = default;

    ~timeout_serialiser()
    {
        while (item* i = first_)
        {
            first_ = i->next;
            i->drop();
        }
    }

    /// Whether the turn is the calling thread's. Precondition: mutex_ is held.
    bool is_mine() const { return taken_ && owner_ == std::this_thread::get_id(); }

    /// Destroys and frees the whole object.
    virtual void destroy() noexcept = 0;

    /// Guards the members here and those of the derived class that say so.
    mutable std::mutex mutex_;

private:
    using pointer = boost::intrusive_ptr<timeout_serialiser>;

    struct item
    {
        virtual void run() = 0;                                 ///< Frees the item, then calls the function.
        virtual void drop() noexcept = 0;                       ///< Frees the item.
        virtual void schedule(timeout_serialiser& to_whom) = 0; ///< Posts a baton for the item.

        item* next = nullptr;

    protected:
        ~item() = default;
    };

    template <class Executor, class F>
    struct queued_item final : item
    {
        template <class G>
        queued_item(const Executor& ex, G&& g) : executor_(ex), work_(timeout_work(ex)), f_(std::forward<G>(g))
        {
        }

        void run() override
        {
            F f(std::move(f_));
            drop();
            f();
        }

        void drop() noexcept override { timeout_delete(std::allocator<void>(), this); }

        void schedule(timeout_serialiser& s) override
        {
            const auto ex = timeout_place(executor_, boost::asio::system_executor());
            boost::asio::post(ex, baton(s, this));
        }

        Executor executor_;
        // Whoever has the turn may run in another context: this one must not come to its end meanwhile.
        decltype(timeout_work(std::declval<const Executor&>())) work_;
        F f_;
    };

    /// The turn on its way to the executor of a queued item.
    class baton
    {
    public:
        baton(timeout_serialiser& s, item* i) : serialiser_(&s), item_(i) {}

        baton(baton&& other) noexcept : serialiser_(std::move(other.serialiser_)), item_(std::exchange(other.item_, nullptr)) {}

        baton& operator=(baton&&) = delete;

        ~baton()
        {
            // The context was destroyed before the item could run; that of the next item may still be there.
            if (item_)
            {
                item_->drop();
                serialiser_->pass_on();
            }
        }

        void operator()()
        {
            pointer s(std::move(serialiser_));
            item* i = std::exchange(item_, nullptr);
            s->receive();
            turn t(*s);
            i->run();
        }

    private:
        pointer serialiser_;
        item* item_;
    };

    /// A running turn: ends it, also when an exception does.
    struct turn
    {
        explicit turn(timeout_serialiser& s) : serialiser_(&s) { s.turn_ = this; }

        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

        ~turn()
        {
            if (!over_)
                serialiser_->pass_on();
        }

        pointer serialiser_;
        bool over_ = false;
    };

    bool try_take()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (taken_)
            return false;
        taken_ = true;
        owner_ = std::this_thread::get_id();
        return true;
    }

    /// True if the turn was taken, false if the item was queued.
    bool take_or_queue(item* i)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!taken_)
        {
            taken_ = true;
            owner_ = std::this_thread::get_id();
            return true;
        }
        (first_ ? last_->next : first_) = i;
        last_ = i;
        return false;
    }

    void receive()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        owner_ = std::this_thread::get_id();
    }

    /// Ends a turn: gives it to the next in the queue, if any.
    void pass_on() noexcept
    {
        item* next;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            turn_ = nullptr;
            owner_ = std::thread::id();
            next = first_;
            if (!next)
            {
                taken_ = false;
                return;
            }
            first_ = next->next;
        }
        BOOST_TRY
        {
            pointer keep(this);
            next->schedule(*this);
        }
        BOOST_CATCH(...)
        {
            // No memory to post with: the baton has dropped the item, as an executor drops what it cannot take, and
            // has passed the turn on.
        }
        BOOST_CATCH_END
    }

    std::atomic<long> references_{0};
    bool taken_ = false;    // guarded by mutex_
    std::thread::id owner_; // guarded by mutex_; nobody while the turn is being handed over
    item* first_ = nullptr; // guarded by mutex_
    item* last_ = nullptr;  // guarded by mutex_; meaningful while first_ is not null
    turn* turn_ = nullptr;  // the owner's
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_SERIALISER_HPP
