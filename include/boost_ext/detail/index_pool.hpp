// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_INDEX_POOL_HPP
#define BOOST_EXT_DETAIL_INDEX_POOL_HPP

#include <boost/assert.hpp>
#include <boost/config.hpp>
#include <boost/core/bit.hpp>
#include <boost/throw_exception.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace boost_ext {
namespace detail {

/// The items of a page, and beside each of them a note.
template <class T, class Note, std::size_t Size>
struct index_pool_page
{
    T items[Size];
    Note notes[Size];
};

template <class T, std::size_t Size>
struct index_pool_page<T, void, Size>
{
    T items[Size];
};

/// Paged storage for trivially copyable objects that are named by a 32-bit index.
/**
 * `acquire` always hands out the lowest free index. A free list would hand memory out in the order in which it was
 * given back, which after a large expiry is random, and every later access would miss the cache; the lowest index
 * keeps what is in use together, in address order, and leaves whole pages free to be returned.
 *
 *     open_   1 0 1 1 …           one bit a page: does it have a free item?
 *     free_   0110… 0000… …       one word a page: which of its 64 items are free?
 *     pages_  [T × 64] [T × 64]   never moved: an item keeps its address while it is in use
 *
 * Notes lie together at the end of a page: whoever goes from item to item by what is noted looks at few cache lines.
 *
 * A page that was returned leaves a hole, in which all indices read as a value-initialised item, and which is filled again first.
 * Only `reserve` allocates.
 */
template <class T, class Allocator, class Note = void>
class index_pool
{
public:
    using index = std::uint32_t;
    static constexpr std::size_t page_size = 64;

    explicit index_pool(const Allocator& a) : alloc_(a), pages_(pages_alloc(a)), free_(words_alloc(a)), open_(words_alloc(a)) {}

    index_pool(const index_pool&) = delete;
    index_pool& operator=(const index_pool&) = delete;

    ~index_pool()
    {
        for (std::size_t page = 0; page != pages_.size(); ++page)
            if (pages_[page] != hole_)
                deallocate(pages_[page]);
    }

    /// Items that are in use.
    std::size_t size() const noexcept { return used_; }

    /// Items that there is memory for.
    std::size_t capacity() const noexcept { return (pages_.size() - holes_) * page_size; }

    /// What every index handed out so far is less than.
    std::size_t extent() const noexcept { return pages_.size() * page_size; }

    /// Make room for `n` items in all. Strong guarantee. Linear in the number of new pages.
    void reserve(std::size_t n)
    {
        while (capacity() < n)
            add_page();
    }

    /// The same; what is new is set to `initial`, so that free items can be read.
    void reserve(std::size_t n, const T& initial)
    {
        while (capacity() < n)
            std::uninitialized_fill_n(add_page()->items, page_size, initial);
    }

    /// Take the lowest free item, uninitialised. Precondition: `size() < capacity()`.
    index acquire() noexcept
    {
        index taken;
        acquire(1, [&](index i) { taken = i; });
        return taken;
    }

    /// Take the `n` lowest free items, the lowest first: `f(index)`. Precondition: `n != 0` and `size() + n <= capacity()`.
    template <class F>
    BOOST_FORCEINLINE void acquire(std::size_t n, F f) noexcept
    {
        BOOST_ASSERT(used_ + n <= capacity());
        used_ += n;
        do
        {
            while (open_[first_open_] == 0)
                ++first_open_;
            std::uint64_t& open = open_[first_open_];
            const std::size_t page = first_open_ * 64 + static_cast<unsigned>(boost::core::countr_zero(open));
            std::uint64_t mask = free_[page];
            empty_pages_ -= mask == all_free;
            do
            {
                f(static_cast<index>(page * page_size + static_cast<unsigned>(boost::core::countr_zero(mask))));
                mask &= mask - 1;
            } while (--n != 0 && mask != 0);
            free_[page] = mask;
            if (mask == 0)
                open &= open - 1;
        } while (n != 0);
    }

    /// Give an item back. Precondition: `i` is in use.
    void release(index i) noexcept
    {
        const std::size_t page = i / page_size;
        const std::size_t word = page / 64;
        free_[page] |= std::uint64_t{1} << (i % page_size);
        empty_pages_ += free_[page] == all_free;
        open_[word] |= std::uint64_t{1} << (page % 64);
        if (word < first_open_)
            first_open_ = word;
        --used_;
    }

    /// Call `f(index)` for every item in use, which may release that item.
    template <class F>
    void for_each(F f)
    {
        for (std::size_t page = 0; page != pages_.size(); ++page)
            for (std::uint64_t left = ~free_[page]; left != 0; left &= left - 1)
                f(static_cast<index>(page * page_size + static_cast<unsigned>(boost::core::countr_zero(left))));
    }

    /// Whether so many pages are empty that looking for them pays.
    bool can_trim() const noexcept { return empty_pages_ * 4 > pages_.size() - holes_; }

    /// Return empty pages to the allocator, the last ones first, while room for `keep` items remains. Linear in the number of pages.
    void trim(std::size_t keep) noexcept
    {
        std::size_t page = pages_.size();
        while (page != 0 && empty_pages_ != 0 && capacity() >= keep + page_size)
        {
            --page;
            if (free_[page] == all_free && pages_[page] != hole_)
                drop_page(page);
            page = (std::min)(page, pages_.size()); // holes at the end are gone
        }
    }

    T& operator[](index i) noexcept { return pages_[i / page_size]->items[i % page_size]; }
    const T& operator[](index i) const noexcept { return pages_[i / page_size]->items[i % page_size]; }

    /// The note beside an item in use. Uninitialised.
    auto& note(index i) noexcept { return pages_[i / page_size]->notes[i % page_size]; }
    const auto& note(index i) const noexcept { return pages_[i / page_size]->notes[i % page_size]; }

private:
    using page_type = index_pool_page<T, Note, page_size>;
    static_assert(std::is_trivially_copyable<page_type>::value && std::is_trivially_destructible<page_type>::value,
        "items are neither constructed nor destroyed");

    using page_alloc = typename std::allocator_traits<Allocator>::template rebind_alloc<page_type>;
    using pages_alloc = typename std::allocator_traits<Allocator>::template rebind_alloc<page_type*>;
    using words_alloc = typename std::allocator_traits<Allocator>::template rebind_alloc<std::uint64_t>;

    static constexpr std::uint64_t all_free = ~std::uint64_t{0};

    static page_type* initial_page() noexcept
    {
        static page_type page = {};
        return &page;
    }

    page_type* add_page()
    {
        if (capacity() > (std::numeric_limits<index>::max)() - page_size)
            boost::throw_exception(std::bad_alloc());
        grow(pages_);
        grow(free_);
        grow(open_);
        page_type* const page = std::allocator_traits<page_alloc>::allocate(alloc_, 1);
        // The room is there, so that nothing below throws.
        std::size_t n = pages_.size();
        if (holes_ != 0)
        {
            while (pages_[first_hole_] != hole_)
                ++first_hole_;
            n = first_hole_;
            pages_[n] = page;
            --holes_;
        }
        else
        {
            pages_.push_back(page);
            free_.push_back(all_free);
            if (n % 64 == 0)
                open_.push_back(0);
        }
        open_[n / 64] |= std::uint64_t{1} << (n % 64);
        first_open_ = (std::min)(first_open_, n / 64);
        ++empty_pages_;
        return page;
    }

    void drop_page(std::size_t page) noexcept
    {
        deallocate(pages_[page]);
        pages_[page] = hole_;
        open_[page / 64] &= ~(std::uint64_t{1} << (page % 64));
        first_hole_ = (std::min)(first_hole_, page);
        ++holes_;
        --empty_pages_;
        while (!pages_.empty() && pages_.back() == hole_)
        {
            pages_.pop_back();
            free_.pop_back();
            if (pages_.size() % 64 == 0)
                open_.pop_back();
            --holes_;
        }
    }

    void deallocate(page_type* page) noexcept { std::allocator_traits<page_alloc>::deallocate(alloc_, page, 1); }

    template <class Vector>
    static void grow(Vector& v)
    {
        if (v.size() == v.capacity())
            v.reserve(v.size() + v.size() / 2 + 4);
    }

    page_alloc alloc_;
    // What stands for the pages that were returned. Another shared library that uses this pool may have initial_page() elsewhere.
    page_type* const hole_ = initial_page();
    std::vector<page_type*, pages_alloc> pages_;
    std::vector<std::uint64_t, words_alloc> free_;
    std::vector<std::uint64_t, words_alloc> open_;
    std::size_t first_open_ = 0;  // no word of open_ below this one has a bit set
    std::size_t first_hole_ = 0;  // no page below this one is a hole
    std::size_t holes_ = 0;       // pages that were returned
    std::size_t empty_pages_ = 0; // pages without an item in use, holes not counted
    std::size_t used_ = 0;
};

} // namespace detail
} // namespace boost_ext

#endif
