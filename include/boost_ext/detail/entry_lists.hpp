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
struct alignas(64) heap_chunk
{
    static constexpr std::uint32_t capacity = 16;
    heap_entry entries[capacity];
};

/// The memory that several heaps draw from. Noted beside each chunk is the one that follows in its list.
/**
 * Chunks of a big list are in no cache. If the address of each stood in the one before, every step would wait for a miss; the notes, of which
 * a cache line holds sixteen, can be followed ahead, so that the chunks are there when they are looked at.
 */
template <class Allocator>
using chunk_pool = index_pool<heap_chunk, Allocator, std::uint32_t>;

/// Entries in no particular order, in a row of chunks of which all but the last are full.
struct entry_list
{
    std::uint32_t head = 0;     // the first chunk, if there are entries
    std::uint32_t tail = 0;     // the last one
    heap_chunk* last = nullptr; // where that is
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

    /// The first entry. Precondition: there is one.
    const heap_entry& front(const entry_list& l) const noexcept { return pool_[l.head].entries[0]; }

    /// Precondition: the pool has room.
    BOOST_FORCEINLINE void append(entry_list& l, const heap_entry& e) noexcept
    {
        if (l.fill == heap_chunk::capacity)
            add_chunk(l, e);
        else if (l.sorted)
            l.sorted = !less()(e, l.last->entries[l.fill - 1]);
        l.last->entries[l.fill++] = e;
        ++l.count;
    }

    /// Take the first entries off a list, whole chunks, no more than `room`; returns how many.
    std::uint32_t take(entry_list& l, std::uint32_t room, heap_entry* out) noexcept
    {
        std::uint32_t n = 0;
        chunk_walk w(pool_, l);
        for (; !w.done() && n + w.size() <= room; w.step())
        {
            std::copy(w.begin(), w.end(), out + n);
            n += w.size();
            pool_.release(w.index());
        }
        l.head = w.index();
        l.count -= n;
        if (l.count == 0)
            l = entry_list();
        return n;
    }

    /// Take every entry off a list: `f(entry)`, which may append to others.
    template <class F>
    void drain(entry_list& l, F f) noexcept
    {
        heap_entry taken[heap_chunk::capacity];
        chunk_walk w(pool_, l);
        l = entry_list();
        while (!w.done())
        {
            const std::uint32_t n = w.size();
            std::copy(w.begin(), w.end(), taken);
            const std::uint32_t free = w.index();
            w.step();
            pool_.release(free);
            for (std::uint32_t i = 0; i != n; ++i)
                f(taken[i]);
        }
    }

    /// Give a list's chunks back.
    void release(entry_list& l) noexcept
    {
        if (l.count != 0)
            release_from(l.head, l.tail);
        l = entry_list();
    }

    /// Call `f(entry)` for every entry.
    template <class F>
    void for_each(const entry_list& l, F f) const noexcept
    {
        for (chunk_walk w(pool_, l); !w.done(); w.step())
            std::for_each(w.begin(), w.end(), f);
    }

    /// The entries at `places`, in that order: `f(entry)`. Precondition: they increase, and there are entries at them.
    template <class Places, class F>
    void for_each_at(const entry_list& l, const Places& places, F f) const noexcept
    {
        std::uint32_t c = l.head;
        std::uint32_t before = 0; // entries in the chunks that were passed
        for (const std::uint32_t at : places)
        {
            for (; at - before >= heap_chunk::capacity; before += heap_chunk::capacity)
                c = pool_.note(c);
            f(pool_[c].entries[at - before]);
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
        entry_list kept = l; // the same chunks; `tail`, `last` and `fill` say where the next one goes
        kept.count = 0;
        kept.fill = 0;
        kept.tail = l.head;
        kept.last = &pool_[l.head];
        std::uint32_t before_tail = l.head;
        for (chunk_walk w(pool_, l); !w.done();)
        {
            heap_entry* end = taken.data();
            for (std::uint32_t i = 0; i != chunks_at_a_time && !w.done(); ++i, w.step())
                end = std::copy(w.begin(), w.end(), end);
            std::for_each(taken.data(), end, ahead);
            for (const heap_entry* e = taken.data(); e != end; ++e)
            {
                if (kept.fill == heap_chunk::capacity)
                {
                    before_tail = kept.tail;
                    kept.tail = pool_.note(kept.tail);
                    kept.last = &pool_[kept.tail];
                    kept.fill = 0;
                }
                // Written in any case, to be overwritten by the next one or not: no branch could be foretold.
                const bool stays = keep(*e);
                kept.last->entries[kept.fill] = *e;
                kept.fill = static_cast<std::uint16_t>(kept.fill + stays);
                kept.count += stays;
            }
        }
        if (kept.count == 0)
            return release(l);
        if (kept.fill == 0)
        {
            kept.tail = before_tail;
            kept.last = &pool_[before_tail];
            kept.fill = heap_chunk::capacity;
        }
        if (kept.tail != l.tail)
            release_from(pool_.note(kept.tail), l.tail);
        l = kept;
    }

    /// Put a list in order. Precondition: no more than `max_sorted`, and not empty.
    void sort(entry_list& l) noexcept
    {
        std::array<heap_entry, max_sorted> sorted;
        sort_into(l, sorted.data());
        const heap_entry* from = sorted.data();
        const heap_entry* const last = from + l.count;
        for (std::uint32_t c = l.head; last - from > heap_chunk::capacity; c = pool_.note(c), from += heap_chunk::capacity)
            std::copy_n(from, std::size_t{heap_chunk::capacity}, pool_[c].entries);
        std::copy(from, last, l.last->entries);
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

    /// Goes from chunk to chunk of a list; those that come next are on their way to the cache meanwhile.
    class chunk_walk
    {
    public:
        chunk_walk(const pool_type& pool, const entry_list& l) noexcept
            : pool_(pool),
              left_(l.count),
              index_(l.head),
              chunk_(l.count != 0 ? pool[l.head].entries : nullptr),
              chunks_ahead_(l.count > heap_chunk::capacity ? (l.count - 1) / heap_chunk::capacity + 1 : 0),
              ahead_(l.head)
        {
            if (chunks_ahead_ != 0)
                for (int i = 0; i != distance; ++i)
                    look_ahead();
        }

        bool done() const noexcept { return left_ == 0; }

        /// The chunk, and what is in it. Precondition: not done.
        std::uint32_t index() const noexcept { return index_; }
        std::uint32_t size() const noexcept { return (std::min)(left_, heap_chunk::capacity); }
        const heap_entry* begin() const noexcept { return chunk_; }
        const heap_entry* end() const noexcept { return chunk_ + size(); }

        void step() noexcept
        {
            look_ahead();
            left_ -= size();
            if (left_ != 0)
            {
                index_ = pool_.note(index_);
                chunk_ = pool_[index_].entries;
            }
        }

    private:
        static constexpr int distance = 4;

        void look_ahead() noexcept
        {
            if (chunks_ahead_ == 0)
                return;
#if defined(__GNUC__)
            const char* const chunk = reinterpret_cast<const char*>(&pool_[ahead_]);
            for (std::size_t line = 0; line != sizeof(heap_chunk); line += 64)
                __builtin_prefetch(chunk + line);
#endif
            if (--chunks_ahead_ != 0)
                ahead_ = pool_.note(ahead_);
        }

        const pool_type& pool_;
        std::uint32_t left_; // entries
        std::uint32_t index_;
        const heap_entry* chunk_;
        std::uint32_t chunks_ahead_; // that were not looked at; a single one is, at once
        std::uint32_t ahead_;        // the first of them
    };

    /// Append an empty chunk. Precondition: the last one is full, or the list is empty; `e` is what comes next.
    void add_chunk(entry_list& l, const heap_entry& e) noexcept
    {
        const std::uint32_t c = pool_.acquire();
        if (l.count == 0)
            l.head = c;
        else
        {
            l.sorted = l.sorted && !less()(e, l.last->entries[heap_chunk::capacity - 1]);
            pool_.note(l.tail) = c;
        }
        l.tail = c;
        l.last = &pool_[c];
        l.fill = 0;
    }

    /// Give back the chunks of a list from one to another.
    void release_from(std::uint32_t first, std::uint32_t last) noexcept
    {
        while (first != last)
        {
            const std::uint32_t c = first;
            first = pool_.note(first);
            pool_.release(c);
        }
        pool_.release(last);
    }

    pool_type& pool_;
    const std::uint32_t& newest_;
};

} // namespace detail
} // namespace boost_ext

#endif
