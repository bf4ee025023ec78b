// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_ENTRY_LISTS_HPP
#define BOOST_EXT_DETAIL_ENTRY_LISTS_HPP

#include <boost/config.hpp>
#include <boost/core/bit.hpp>
#include <boost_ext/detail/index_pool.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace boost_ext {
namespace detail {

/// What a heap orders: by `key`, then by `sequence`.
struct heap_entry
{
    std::uint64_t key;
    std::uint32_t slot;
    std::uint32_t sequence;
};

/// The order of entries, given the newest sequence.
/**
 * Sequences are compared by their age, so that the counter behind them may wrap. It is a strict weak order whatever the sequences
 * are, which a comparison by their distance from each other is not.
 */
struct entry_less
{
    std::uint32_t newest;

    bool operator()(const heap_entry& a, const heap_entry& b) const noexcept
    {
        return a.key != b.key ? a.key < b.key : newest - a.sequence > newest - b.sequence;
    }
};

/// A run of entries in neighbouring cache lines, the unit in which a heap's memory is handed out.
/**
 * Of a list that is in no cache each chunk costs a miss that nothing hides, for its address stands in the one before. Twice as
 * big, there are half as many; bigger still gains little more, and what is not used of them counts where timers are few.
 */
struct alignas(64) heap_chunk
{
    static constexpr std::uint32_t capacity = 15;
    heap_entry entries[capacity];
    heap_chunk* next;    // the chunk that follows in its list
    std::uint32_t index; // in the pool
};

/// The memory that several heaps draw from.
template <class Allocator>
using chunk_pool = index_pool<heap_chunk, Allocator>;

/// Entries in no particular order, in a row of chunks of which all but the last are full.
struct entry_list
{
    heap_chunk* head = nullptr;
    heap_chunk* tail = nullptr;
    std::uint32_t count = 0;
    std::uint16_t fill = heap_chunk::capacity; // of the last chunk
    bool sorted = true;                        // they came in order
};

/// What is done to the lists of a heap: whatever takes chunks from the pool, gives them back or walks over them.
template <class Allocator>
class entry_lists
{
public:
    using pool_type = chunk_pool<Allocator>;

    /// The longest list that can be sorted.
    static constexpr std::uint32_t max_sorted = 1024;

    /// Precondition: `pool` and `newest`, the newest sequence so far, outlive this.
    entry_lists(pool_type& pool, const std::uint32_t& newest) noexcept : pool_(pool), newest_(newest) {}

    entry_less less() const noexcept { return {newest_}; }

    /// Precondition: the pool has room.
    BOOST_FORCEINLINE void append(entry_list& l, const heap_entry& e) noexcept
    {
        if (l.fill == heap_chunk::capacity)
        {
            heap_chunk* const c = acquire_chunk();
            if (l.count == 0)
                l.head = c;
            else
            {
                l.sorted = l.sorted && !less()(e, l.tail->entries[heap_chunk::capacity - 1]);
                l.tail->next = c;
            }
            l.tail = c;
            l.fill = 0;
        }
        else if (l.sorted)
            l.sorted = !less()(e, l.tail->entries[l.fill - 1]);
        l.tail->entries[l.fill++] = e;
        ++l.count;
    }

    /// Take the first chunk off a list; returns how many entries were in it. Precondition: the list is not empty.
    std::uint32_t take_chunk(entry_list& l, heap_entry* out) noexcept
    {
        heap_chunk* const c = l.head;
        const std::uint32_t n = (std::min)(l.count, heap_chunk::capacity);
        std::copy(c->entries, c->entries + n, out);
        l.count -= n;
        if (l.count != 0)
        {
            l.head = c->next;
            prefetch(l.head);
        }
        else
            l = entry_list();
        pool_.release(c->index);
        return n;
    }

    /// Take every entry off a list: `f(entry)`.
    template <class F>
    void drain(entry_list& l, F f) noexcept
    {
        heap_entry taken[heap_chunk::capacity];
        while (l.count != 0)
        {
            const std::uint32_t n = take_chunk(l, taken);
            for (std::uint32_t i = 0; i != n; ++i)
                f(taken[i]);
        }
    }

    /// Give a list's chunks back. Precondition: it is not empty.
    void release(entry_list& l) noexcept
    {
        const heap_chunk* c = l.head;
        for (std::uint32_t left = l.count; left > heap_chunk::capacity; left -= heap_chunk::capacity)
        {
            const heap_chunk* const next = c->next;
            pool_.release(c->index);
            c = next;
        }
        pool_.release(c->index);
        l = entry_list();
    }

    /// Call `f(entry)` for every entry.
    template <class F>
    void for_each(const entry_list& l, F f) const noexcept
    {
        const heap_chunk* c = l.head;
        for (std::uint32_t left = l.count; left != 0;)
        {
            const std::uint32_t n = (std::min)(left, heap_chunk::capacity);
            const heap_chunk& chunk = *c;
            left -= n;
            if (left != 0)
            {
                c = chunk.next;
                prefetch(c);
            }
            for (std::uint32_t i = 0; i != n; ++i)
                f(chunk.entries[i]);
        }
    }

    /// Drop every entry for which `keep(entry)` is false, in place: what is kept moves up. `ahead(entry)` comes a little earlier.
    template <class Ahead, class Keep>
    void filter(entry_list& l, Ahead& ahead, Keep& keep) noexcept
    {
        if (l.count == 0)
            return;
        constexpr std::uint32_t chunks_at_a_time = 4;
        std::array<heap_entry, chunks_at_a_time * heap_chunk::capacity> taken;
        entry_list kept = l; // the same chunks; `tail` and `fill` say where the next one goes
        kept.count = 0;
        kept.tail = l.head;
        kept.fill = 0;
        heap_chunk* before_tail = nullptr;
        const heap_chunk* from = l.head;
        for (std::uint32_t left = l.count; left != 0;)
        {
            std::uint32_t n = 0;
            for (std::uint32_t i = 0; i != chunks_at_a_time && left != 0; ++i)
            {
                const std::uint32_t k = (std::min)(left, heap_chunk::capacity);
                std::copy(from->entries, from->entries + k, taken.data() + n);
                n += k;
                left -= k;
                if (left != 0)
                {
                    from = from->next;
                    prefetch(from);
                }
            }
            std::for_each(taken.data(), taken.data() + n, ahead);
            for (std::uint32_t i = 0; i != n; ++i)
            {
                if (kept.fill == heap_chunk::capacity)
                {
                    before_tail = kept.tail;
                    kept.tail = kept.tail->next;
                    kept.fill = 0;
                }
                // Written in any case, to be overwritten by the next one or not: no branch could be foretold.
                const bool stays = keep(taken[i]);
                kept.tail->entries[kept.fill] = taken[i];
                kept.fill = static_cast<std::uint16_t>(kept.fill + stays);
                kept.count += stays;
            }
        }
        if (kept.fill == 0 && before_tail)
        {
            kept.tail = before_tail;
            kept.fill = heap_chunk::capacity;
        }
        // What follows the last chunk in use is free.
        for (heap_chunk* c = kept.tail; c != l.tail;)
        {
            c = c->next;
            pool_.release(c->index);
        }
        if (kept.count == 0)
        {
            pool_.release(kept.head->index);
            kept = entry_list();
        }
        l = kept;
    }

    /// Put a list in order. Precondition: no more than `max_sorted`, and not empty.
    void sort(entry_list& l) noexcept
    {
        std::array<heap_entry, max_sorted> sorted;
        sort_into(l, sorted.data());
        const heap_entry* from = sorted.data();
        const heap_entry* const last = from + l.count;
        for (heap_chunk* c = l.head; last - from > heap_chunk::capacity; c = c->next, from += heap_chunk::capacity)
            std::copy_n(from, std::size_t{heap_chunk::capacity}, c->entries);
        std::copy(from, last, l.tail->entries);
        l.sorted = true;
    }

    /// Sort what is in a list into `out`. Linear where the keys are spread evenly. Precondition: no more than `max_sorted`, and not empty.
    void sort_into(const entry_list& l, heap_entry* out) const noexcept
    {
        // Keys are spread over as many places as there are entries, or up to twice as many, so that hardly any two share one.
        std::uint64_t least = (std::numeric_limits<std::uint64_t>::max)();
        std::uint64_t most = 0;
        for_each(l, [&](const heap_entry& e) {
            least = (std::min)(least, e.key);
            most = (std::max)(most, e.key);
        });
        const auto place_bits = static_cast<unsigned>(boost::core::bit_width(l.count));
        const auto key_bits = static_cast<unsigned>(boost::core::bit_width(most - least));
        const unsigned shift = key_bits > place_bits ? key_bits - place_bits : 0;
        const auto place_of = [&](const heap_entry& e) { return static_cast<std::size_t>((e.key - least) >> shift); };

        std::array<std::uint16_t, 2 * max_sorted> place; // how many are there; then where the next one goes
        const std::size_t places = std::size_t{1} << place_bits;
        std::fill_n(place.data(), places, std::uint16_t{0});
        for_each(l, [&](const heap_entry& e) { ++place[place_of(e)]; });
        std::uint16_t before = 0;
        std::uint16_t crowd = 0;
        for (std::size_t i = 0; i != places; ++i)
        {
            const std::uint16_t here = place[i];
            place[i] = before;
            before = static_cast<std::uint16_t>(before + here);
            crowd = (std::max)(crowd, here);
        }
        for_each(l, [&](const heap_entry& e) { out[place[place_of(e)]++] = e; });

        heap_entry* const last = out + l.count;
        if (crowd > max_crowd)
            return std::sort(out, last, less());
        for (heap_entry* i = out + 1; i != last; ++i)
        {
            const heap_entry e = *i;
            heap_entry* at = i;
            for (; at != out && less()(e, at[-1]); --at)
                *at = at[-1];
            *at = e;
        }
    }

private:
    static constexpr std::uint32_t max_crowd = 16; // entries with about the same key, beyond which spreading does not pay

    heap_chunk* acquire_chunk() noexcept
    {
        const std::uint32_t i = pool_.acquire();
        heap_chunk* const c = &pool_[i];
        c->index = i;
        return c;
    }

    static void prefetch(const heap_chunk* chunk) noexcept
    {
#if defined(__GNUC__)
        for (std::size_t line = 0; line != sizeof(heap_chunk); line += 64)
            __builtin_prefetch(reinterpret_cast<const char*>(chunk) + line);
#else
        static_cast<void>(chunk);
#endif
    }

    pool_type& pool_;
    const std::uint32_t& newest_;
};

} // namespace detail
} // namespace boost_ext

#endif
