// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_OP_MEMORY_HPP
#define BOOST_EXT_DETAIL_JOB_OP_MEMORY_HPP

#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

namespace boost_ext {
namespace detail {

/// Room for the one operation that waits on an internal timer, kept for the next wait, so that
/// re-arming allocates nothing and cannot fail for want of memory.
/**
 * A second block at the same time, or one that does not fit, comes from operator new. Allocation
 * and deallocation follow the life of the operation, which orders them: no lock is needed.
 */
class job_op_memory
{
public:
    job_op_memory(void* room, std::uint32_t size) noexcept : room_(room), size_(size) {}

    job_op_memory(const job_op_memory&) = delete;
    job_op_memory& operator=(const job_op_memory&) = delete;

    void* allocate(std::size_t size, std::size_t alignment)
    {
        if (!in_use_ && size <= size_ && reinterpret_cast<std::uintptr_t>(room_) % alignment == 0)
        {
            in_use_ = true;
            return room_;
        }
        return ::operator new(size);
    }

    /// Where the block is that is kept.
    void* room() const noexcept { return room_; }

    /// That block is free again.
    void room_is_free() noexcept { in_use_ = false; }

private:
    void* const room_;
    const std::uint32_t size_;
    bool in_use_ = false;
};

/// A job_op_memory together with its room.
template <std::size_t Size>
class job_op_room : public job_op_memory
{
public:
    job_op_room() noexcept : job_op_memory(room_, std::uint32_t{Size}) {}

private:
    alignas(std::max_align_t) unsigned char room_[Size];
};

/// The associated allocator of an internal wait. The memory has to outlive its operation; where there is none, operator new does.
/**
 * What came from operator new goes back without a look at the memory. A strand that hands the handler over has such a block for itself,
 * and a context that goes may destroy the handler, and the memory with it, before that.
 */
template <class T>
class job_op_allocator
{
public:
    using value_type = T;

    explicit job_op_allocator(job_op_memory& memory) noexcept : job_op_allocator(&memory) {}
    explicit job_op_allocator(job_op_memory* memory) noexcept : memory_(memory), room_(memory ? memory->room() : nullptr) {}

    template <class U>
    job_op_allocator(const job_op_allocator<U>& other) noexcept : memory_(other.memory_), room_(other.room_)
    {
    }

    T* allocate(std::size_t n)
    {
        static_assert(alignof(T) <= alignof(std::max_align_t), "operations are not over-aligned");
        if (n > (std::numeric_limits<std::size_t>::max)() / sizeof(T))
            boost::throw_exception(std::bad_alloc());
        return static_cast<T*>(memory_ ? memory_->allocate(n * sizeof(T), alignof(T)) : ::operator new(n * sizeof(T)));
    }

    void deallocate(T* block, std::size_t) noexcept
    {
        if (block == room_)
            memory_->room_is_free();
        else
            ::operator delete(block);
    }

    friend bool operator==(const job_op_allocator& a, const job_op_allocator& b) noexcept { return a.memory_ == b.memory_; }

    friend bool operator!=(const job_op_allocator& a, const job_op_allocator& b) noexcept { return a.memory_ != b.memory_; }

private:
    template <class U>
    friend class job_op_allocator;

    job_op_memory* memory_;
    void* room_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_JOB_OP_MEMORY_HPP
