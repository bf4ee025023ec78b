// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_BLOCK_CACHE_HPP
#define BOOST_EXT_DETAIL_BLOCK_CACHE_HPP

#include <boost/config.hpp>
#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/index_pool.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BOOST_EXT_DETAIL_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define BOOST_EXT_DETAIL_ASAN 1
#endif
#if defined(BOOST_EXT_DETAIL_ASAN)
#include <sanitizer/asan_interface.h>
#endif

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
    BOOST_NOINLINE static void* allocate()
    {
        void* const p = local_.take()->storage;
        mark(p, true);
        return p;
    }

    BOOST_NOINLINE static void deallocate(void* p) noexcept
    {
        mark(p, false);
        local_.give(reinterpret_cast<block*>(static_cast<char*>(p) - offset));
    }

private:
    struct block
    {
        std::uint64_t index; // in the pool
        alignas(8) unsigned char storage[Size];
    };
    static constexpr std::size_t offset = sizeof(std::uint64_t);

    /// Tell AddressSanitizer whether a block is in use, so that it finds what is used after it was freed as with any other memory.
    static void mark(void* p, bool used) noexcept
    {
#if defined(BOOST_EXT_DETAIL_ASAN)
        if (used)
            __asan_unpoison_memory_region(p, Size);
        else
            __asan_poison_memory_region(p, Size);
#else
        static_cast<void>(p);
        static_cast<void>(used);
#endif
    }

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
    /**
     * The room for it is not part of the thread's own memory, which there is for each size in each thread, used or not, and which the
     * system takes from the thread's stack.
     */
    struct magazine
    {
        enum class phase : unsigned char
        {
            unused, // there is no room, and nothing to give it back
            in_use, // the end of the thread empties it
            closed, // the thread is ending: nothing is kept
        };

        block** blocks = nullptr;
        block* only = nullptr; // what is at hand while there is no room
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
            if (state != phase::in_use && !begin())
                return put_back(&b, 1);
            blocks[count++] = b;
            if (count == at_hand)
                empty(portion); // the oldest ones: the others are still in the cache
        }

        void close() noexcept
        {
            empty(count);
            std::allocator<block*>().deallocate(blocks, at_hand);
            state = phase::closed;
        }

    private:
        /// Empties a thread's magazine when the thread ends.
        struct closer
        {
            ~closer() { local_.close(); }
        };

        /// Precondition: not in use, and so empty. False if nothing can be kept.
        BOOST_NOINLINE bool begin() noexcept
        {
            if (state == phase::closed)
                return false;
            BOOST_TRY
            {
                blocks = std::allocator<block*>().allocate(at_hand);
            }
            BOOST_CATCH(...)
            {
                return false;
            }
            BOOST_CATCH_END
            static thread_local closer at_end;
            static_cast<void>(at_end);
            state = phase::in_use;
            return true;
        }

        void fill()
        {
            std::size_t n = portion;
            if (state != phase::in_use && !begin())
            {
                n = 1;
                blocks = &only;
            }
            shared& s = shared::instance();
            std::lock_guard<std::mutex> lock(s.mutex);
            s.pool.reserve(s.pool.size() + n);
            block** next = blocks + n; // the lowest one, which comes first, is to be taken first
            s.pool.acquire(n, [&](std::uint32_t index) {
                *--next = &s.pool[index];
                (*next)->index = index;
            });
            count = n;
        }

        void empty(std::size_t n) noexcept
        {
            put_back(blocks, n);
            std::copy(blocks + n, blocks + count, blocks);
            count -= n;
        }

        static void put_back(block** first, std::size_t n) noexcept
        {
            shared& s = shared::instance();
            std::lock_guard<std::mutex> lock(s.mutex);
            for (std::size_t i = 0; i != n; ++i)
                s.pool.release(static_cast<std::uint32_t>(first[i]->index));
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
