// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_TEST_ALLOCATORS_HPP
#define BOOST_EXT_TEST_ALLOCATORS_HPP

// Allocators for handlers, to be associated with them, which count and fail.

#include <cstddef>
#include <memory>
#include <new>

namespace test {

/// What a counting_allocator did.
struct account
{
    std::size_t allocated = 0;
    std::size_t live = 0;
    std::size_t fail_at = 0; // The how-manieth allocation fails; 0: none.
};

/// Counts what is allocated through it, and fails when told to.
template <class T>
struct counting_allocator
{
    using value_type = T;

    explicit counting_allocator(account& a) : account_(&a) {}
    template <class U>
    counting_allocator(const counting_allocator<U>& other) : account_(other.account_)
    {
    }

    T* allocate(std::size_t n)
    {
        if (++account_->allocated == account_->fail_at)
            throw std::bad_alloc();
        T* const p = std::allocator<T>().allocate(n);
        ++account_->live;
        return p;
    }

    void deallocate(T* p, std::size_t n)
    {
        --account_->live;
        std::allocator<T>().deallocate(p, n);
    }

    template <class U>
    bool operator==(const counting_allocator<U>& other) const
    {
        return account_ == other.account_;
    }
    template <class U>
    bool operator!=(const counting_allocator<U>& other) const
    {
        return account_ != other.account_;
    }

    account* account_;
};

/// Lets a number of allocations succeed.
template <class T>
struct limited_allocator
{
    using value_type = T;
    explicit limited_allocator(int& n) : left(&n) {}
    template <class U>
    limited_allocator(const limited_allocator<U>& other) : left(other.left)
    {
    }
    T* allocate(std::size_t n)
    {
        if (*left == 0)
            throw std::bad_alloc();
        --*left;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
    friend bool operator==(const limited_allocator& a, const limited_allocator& b) { return a.left == b.left; }
    friend bool operator!=(const limited_allocator& a, const limited_allocator& b) { return a.left != b.left; }
    int* left;
};

} // namespace test

#endif
