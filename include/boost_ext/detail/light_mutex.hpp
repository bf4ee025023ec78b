// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_LIGHT_MUTEX_HPP
#define BOOST_EXT_DETAIL_LIGHT_MUTEX_HPP

#include <boost/config.hpp>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace boost_ext {
namespace detail {

/// A mutex that costs next to nothing while one thread uses it, and one atomic instruction a call when several do.
/**
 * A timer is armed in some tens of nanoseconds, and most contexts are used by one thread. So the mutex belongs to the thread that made
 * it until another one wants it: the owner enters and leaves by plain stores.
 *
 *     owner:    inside = true;  is it still mine? → enter        other:  take `state_`;  owner = nobody;
 *               otherwise inside = false, as anybody else                barrier on every processor;  wait until !inside
 *
 * The other's barrier, membarrier(2), falls either after the owner's store, which is then seen, or before the owner's question, which
 * then is answered with no. This happens once in the life of a mutex: from then on everyone takes `state_`, and waiting threads sleep
 * in the kernel. Where the kernel has no membarrier there is no owner to begin with.
 *
 * Meets the requirements of BasicLockable.
 */
class light_mutex
{
public:
    light_mutex() noexcept : owner_(have_barrier() ? this_thread() : nullptr) {}
    light_mutex(const light_mutex&) = delete;
    light_mutex& operator=(const light_mutex&) = delete;

    BOOST_FORCEINLINE void lock() noexcept
    {
        if (owner_.load(std::memory_order_relaxed) != this_thread() || !enter_as_owner())
            lock_shared_state();
    }

    BOOST_FORCEINLINE void unlock() noexcept
    {
        if (by_owner_)
            inside_.store(false, std::memory_order_release);
        else
            unlock_shared_state();
    }

private:
    enum : std::uint32_t
    {
        free,   // nobody has it
        taken,  // somebody has it, and nobody waits
        wanted, // somebody has it, and somebody may be waiting
    };
    static_assert(sizeof(std::atomic<std::uint32_t>) == 4, "the kernel looks at the value itself");

    /// An address that no other living thread has.
    /**
     * Looked up at each call: a stackful coroutine may go on in another thread, where an address of a thread_local object that the
     * compiler had kept would still be the old one's.
     */
    static const void* this_thread() noexcept
    {
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__ILP32__)
        const void* self;
        __asm__ volatile("movq %%fs:0, %0" : "=r"(self));
        return self;
#elif defined(__GNUC__) && defined(__aarch64__)
        const void* self;
        __asm__ volatile("mrs %0, tpidr_el0" : "=r"(self));
        return self;
#else
        return address_of_thread_local();
#endif
    }

    BOOST_NOINLINE static const void* address_of_thread_local() noexcept
    {
        static thread_local char self;
        const void* volatile p = &self; // a call that does nothing but return a constant might be made only once
        return p;
    }

    static bool have_barrier() noexcept
    {
        static const bool registered = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
        return registered;
    }

    bool enter_as_owner() noexcept
    {
        // Acquire: a thread that ended may have had the same address.
        static_cast<void>(inside_.load(std::memory_order_acquire));
        inside_.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst); // the barrier of the other side makes this one enough
        if (owner_.load(std::memory_order_relaxed) != nullptr)
        {
            by_owner_ = true;
            return true;
        }
        inside_.store(false, std::memory_order_release);
        return false;
    }

    BOOST_NOINLINE void lock_shared_state() noexcept
    {
        std::uint32_t expected = free;
        if (!state_.compare_exchange_strong(expected, taken, std::memory_order_acquire, std::memory_order_relaxed))
            wait();
        if (owner_.load(std::memory_order_relaxed) != nullptr)
            disown();
        by_owner_ = false;
    }

    BOOST_NOINLINE void unlock_shared_state() noexcept
    {
        if (state_.exchange(free, std::memory_order_release) == wanted)
            ::syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }

    void wait() noexcept
    {
        // The holder is usually done before a system call would have begun.
        for (int i = 0; i != 100; ++i)
        {
            std::uint32_t expected = free;
            if (state_.load(std::memory_order_relaxed) == free &&
                state_.compare_exchange_strong(expected, taken, std::memory_order_acquire, std::memory_order_relaxed))
                return;
        }
        while (state_.exchange(wanted, std::memory_order_acquire) != free)
            ::syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(wanted), nullptr, nullptr, 0);
    }

    /// Precondition: `state_` is ours.
    void disown() noexcept
    {
        owner_.store(nullptr, std::memory_order_seq_cst);
        if (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        {
            // Forbidden since the mutex was made, by a filter of system calls. Long before this is over each has seen the other's store.
            const ::timespec long_enough{0, 1000000};
            ::nanosleep(&long_enough, nullptr);
        }
        for (int i = 0; inside_.load(std::memory_order_acquire); ++i)
        {
            // Yielding lets no thread of a lower priority on, which the owner may be.
            const ::timespec moment{0, 50000};
            if (i < 100)
                ::sched_yield();
            else
                ::nanosleep(&moment, nullptr);
        }
    }

    std::atomic<const void*> owner_; // the thread that need not take state_; null: there is none
    std::atomic<std::uint32_t> state_{free};
    std::atomic<bool> inside_{false}; // written by the owner: it is in, or about to find out whether it is
    bool by_owner_ = false;           // how it was taken; belongs to whoever has it
};

} // namespace detail
} // namespace boost_ext

#endif
