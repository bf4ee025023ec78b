// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_TEST_COUNT_ALLOCATIONS_HPP
#define BOOST_EXT_TEST_COUNT_ALLOCATIONS_HPP

// Replaces operator new, so include it in the one translation unit of a test program: it counts what
// is allocated and can make an allocation fail.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>

// clang's ThreadSanitizer brings an operator new of its own, which cannot be replaced: there nothing is counted, and nothing fails.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BOOST_EXT_TEST_KEEP_OPERATOR_NEW
#endif
#endif

namespace allocations {

/// Whether allocations are seen at all.
#if defined(BOOST_EXT_TEST_KEEP_OPERATOR_NEW)
constexpr bool replaced = false;
#else
constexpr bool replaced = true;
#endif

inline std::atomic<std::size_t> count{0};
inline std::atomic<long long> bytes{0};

/// How many more succeed in this thread; negative: all of them.
inline thread_local long until_failure = -1;

inline void* allocate(std::size_t size, std::size_t alignment)
{
    if (until_failure == 0)
        throw std::bad_alloc();
    if (until_failure > 0)
        --until_failure;
    void* block = alignment <= alignof(std::max_align_t)
        ? std::malloc(size)
        : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!block)
        throw std::bad_alloc();
    ++count;
    bytes += static_cast<long long>(malloc_usable_size(block));
    return block;
}

inline void deallocate(void* block) noexcept
{
    if (!block)
        return;
    bytes -= static_cast<long long>(malloc_usable_size(block));
    std::free(block);
}

} // namespace allocations

/// What was allocated since this was made.
class allocation_count
{
public:
    std::size_t so_far() const { return allocations::count - count_; }
    long long bytes_kept() const { return allocations::bytes - bytes_; }

private:
    std::size_t count_ = allocations::count;
    long long bytes_ = allocations::bytes;
};

/// Lets n more allocations of this thread succeed and the next ones fail, as long as it lives.
class failing_allocations
{
public:
    explicit failing_allocations(long n) { allocations::until_failure = n; }
    ~failing_allocations() { allocations::until_failure = -1; }
    failing_allocations(const failing_allocations&) = delete;
    failing_allocations& operator=(const failing_allocations&) = delete;
};

#if !defined(BOOST_EXT_TEST_KEEP_OPERATOR_NEW)

void* operator new(std::size_t size)
{
    return allocations::allocate(size, 1);
}
void* operator new[](std::size_t size)
{
    return allocations::allocate(size, 1);
}
void* operator new(std::size_t size, std::align_val_t a)
{
    return allocations::allocate(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a)
{
    return allocations::allocate(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
try
{
    return allocations::allocate(size, 1);
}
catch (const std::bad_alloc&)
{
    return nullptr;
}
void operator delete(void* p, const std::nothrow_t&) noexcept
{
    allocations::deallocate(p);
}
void operator delete(void* p) noexcept
{
    allocations::deallocate(p);
}
void operator delete[](void* p) noexcept
{
    allocations::deallocate(p);
}
void operator delete(void* p, std::size_t) noexcept
{
    allocations::deallocate(p);
}
void operator delete[](void* p, std::size_t) noexcept
{
    allocations::deallocate(p);
}
void operator delete(void* p, std::align_val_t) noexcept
{
    allocations::deallocate(p);
}
void operator delete[](void* p, std::align_val_t) noexcept
{
    allocations::deallocate(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept
{
    allocations::deallocate(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept
{
    allocations::deallocate(p);
}

#endif

#endif // BOOST_EXT_TEST_COUNT_ALLOCATIONS_HPP
