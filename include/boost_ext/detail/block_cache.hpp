// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_BLOCK_CACHE_HPP
#define BOOST_EXT_DETAIL_BLOCK_CACHE_HPP

#include <boost/config.hpp>
#include <boost_ext/detail/index_pool.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>

namespace boost_ext {
namespace detail {

/// Memory for the operations of handlers that have no allocator of their own.
/**
 * A million operations that were allocated in one order are freed in another, by expiry. A general-purpose allocator then spends its
 * time on merging neighbours, and a free list hands the memory out again in that random order. Here a pool for the whole process gives
 * out the lowest free block, so that what is armed one after the other lies side by side; each thread keeps a few blocks at hand, so
 * that most calls take no lock and get memory that is still in the cache.
 *
 * @tparam Size The size of a block.
 */
template <std::size_t Size>
class block_cache
{
public:
    // Never inlined: a stackful coroutine may go on in another thread, for which a compiler does not look up thread_local anew.

    /// Throws std::bad_alloc.
    BOOST_NOINLINE static void* allocate() { return local_.take()->storage; }

    BOOST_NOINLINE static void deallocate(void* p) noexcept
    {
        local_.give(reinterpret_cast<block*>(static_cast<char*>(p) - offset));
    }

private:
    struct block
    {
        std::uint64_t index; // in the pool
        alignas(8) unsigned char storage[Size];
    };
    static constexpr std::size_t offset = sizeof(std::uint64_t);
    static constexpr std::size_t at_hand = 256;
    static constexpr std::size_t portion = at_hand / 2;

    /// What all threads share. Never destroyed: handlers may be freed while the program ends.
    struct shared
    {
        std::mutex mutex;
        index_pool<block, std::allocator<void>> pool{std::allocator<void>()};

        static shared& instance()
        {
            static shared& s = *new shared;
            return s;
        }

        /// A fork copies the pool as it is: no thread may be at work on it then.
        shared()
        {
            ::pthread_atfork(
                [] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); }, [] { instance().mutex.unlock(); });
        }
    };

    /// What a thread has at hand. It is not destroyed with the thread's objects, whose destructors may still need it.
    struct magazine
    {
        enum class phase : unsigned char
        {
            unused, // nothing will empty it yet
            in_use, // the end of the thread empties it
            closed, // the thread is ending: nothing is kept
        };

        std::array<block*, at_hand> blocks{};
        std::size_t count = 0;
        phase state = phase::unused;

        block* take()
        {
            if (count == 0)
                fill();
            return blocks[--count];
        }

        void give(block* b) noexcept
        {
            blocks[count++] = b;
            if (count == at_hand)
                empty(portion); // the oldest ones: the others are still in the cache
            else if (state != phase::in_use)
                begin_or_end();
        }

        void close() noexcept
        {
            empty(count);
            state = phase::closed;
        }

    private:
        /// Empties a thread's magazine when the thread ends.
        struct closer
        {
            ~closer() { local_.close(); }
        };

        void begin_or_end() noexcept
        {
            if (state == phase::closed)
                return empty(count);
            static thread_local closer at_end;
            static_cast<void>(at_end);
            state = phase::in_use;
        }

        void fill()
        {
            if (state == phase::unused)
                begin_or_end();
            shared& s = shared::instance();
            std::lock_guard<std::mutex> lock(s.mutex);
            const std::size_t n = state == phase::closed ? 1 : portion;
            s.pool.reserve(s.pool.size() + n);
            for (std::size_t i = n; i-- != 0;) // the lowest is taken first
            {
                const auto index = s.pool.acquire();
                blocks[i] = &s.pool[index];
                blocks[i]->index = index;
            }
            count = n;
        }

        void empty(std::size_t n) noexcept
        {
            shared& s = shared::instance();
            std::lock_guard<std::mutex> lock(s.mutex);
            for (std::size_t i = 0; i != n; ++i)
                s.pool.release(static_cast<std::uint32_t>(blocks[i]->index));
            std::copy(blocks.begin() + static_cast<std::ptrdiff_t>(n), blocks.begin() + static_cast<std::ptrdiff_t>(count),
                blocks.begin());
            count -= n;
            if (s.pool.capacity() > 4 * s.pool.size() + 1024 && s.pool.can_trim())
                s.pool.trim(2 * s.pool.size());
        }
    };

    static inline thread_local magazine local_;
};

/// Where an operation of that type gets its memory from, given the allocator associated with its handler.
template <class T, class Allocator>
struct operation_memory
{
    using rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;

    static void* allocate(const Allocator& a)
    {
        rebound r(a);
        return std::allocator_traits<rebound>::allocate(r, 1);
    }

    static void deallocate(const Allocator& a, void* p) noexcept
    {
        rebound r(a);
        std::allocator_traits<rebound>::deallocate(r, static_cast<T*>(p), 1);
    }
};

template <class T>
struct operation_memory<T, std::allocator<void>>
{
    // Sizes in steps of 8 share a pool.
    static constexpr std::size_t size = (sizeof(T) + 7) / 8 * 8;
    static constexpr bool cached = size <= 512 && alignof(T) <= 8;

    static void* allocate(const std::allocator<void>&)
    {
        if constexpr (cached)
            return block_cache<size>::allocate();
        else
            return std::allocator<T>().allocate(1);
    }

    static void deallocate(const std::allocator<void>&, void* p) noexcept
    {
        if constexpr (cached)
            block_cache<size>::deallocate(p);
        else
            std::allocator<T>().deallocate(static_cast<T*>(p), 1);
    }
};

} // namespace detail
} // namespace boost_ext

#endif
