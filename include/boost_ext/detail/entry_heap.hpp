// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_ENTRY_HEAP_HPP
#define BOOST_EXT_DETAIL_ENTRY_HEAP_HPP

#include <boost/assert.hpp>
#include <boost/config.hpp>
#include <boost/core/bit.hpp>
#include <boost_ext/detail/entry_lists.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace boost_ext {
namespace detail {

/// A monotone radix heap of entries.
/**
 * Time only moves forward, so what is due next lies close to what was due last. The heap keeps a `base`, the granule (2^16
 * ticks, 65 µs of a nanosecond clock) up to which entries were brought to the front, and files everything later by the
 * highest 6-bit digit in which its granule differs from the base:
 *
 *       front: granules <= base                       back: granules > base
 *     +-----------------------------------+   +--------------------------------------------------+
 *     | ready_   sorted, at most 256      |   | level 0   [ 1 granule  each ] × 64               |
 *     | front_   lists, each with smaller |   | level 1   [ 64 granules each ] × 64   unsorted   |
 *     |          entries than the one     |   | level 2   [ 64² granules    ] × 64    lists      |
 *     |          below it                 |   | level 3   [ 64³ granules    ] × 64               |
 *     +-----------------------------------+   | beyond    everything later                       |
 *                                             +--------------------------------------------------+
 *
 * - Pushing appends to one list: O(1), and the write goes to the end of a chunk.
 * - When the first bucket of the back becomes due, it becomes the bottom of the front if it is a single granule or holds but a few
 *   entries; otherwise it is filed anew around its smallest entry, each entry a level lower or more. So an entry moves at most once a level.
 * - The front is a quicksort that goes no further than it must: the topmost list is split by sampled splitters until it is short
 *   enough to be sorted at once, by spreading its keys over as many places. A list whose entries came in order is taken from as it is.
 * - Entries for granules at or before the base, deadlines in the past or a clock that went back, are put where they belong in
 *   the front. The order is exact whatever is pushed; monotony buys speed only.
 * - A few entries are in `ready_` alone, wherever they would belong: a program with a handful of timers finds what is due in one cache
 *   line, and cold caches are most of what a thread that was asleep spends.
 *
 * All lists are made of chunks; every walk over them is a walk over whole cache lines. Nothing but `chunk_pool::reserve` allocates:
 * `chunks_for(n)` says how many chunks n entries can need at most.
 */
template <class Allocator>
class entry_heap
{
public:
    using key_type = std::uint64_t;
    using pool_type = chunk_pool<Allocator>;

    /// Precondition: `pool` and `newest`, the newest sequence so far, outlive the heap. `start`: about the first key that will be due.
    entry_heap(pool_type& pool, const std::uint32_t& newest, key_type start) noexcept
        : lists_(pool, newest), base_(granule(start))
    {
    }

    entry_heap(const entry_heap&) = delete;
    entry_heap& operator=(const entry_heap&) = delete;

    /// The number of chunks that suffices for `n` entries, however they are spread over so many heaps.
    static constexpr std::size_t chunks_for(std::size_t n, std::size_t heaps = 1) noexcept
    {
        // Each list has at most one chunk that is not full, and at least one entry in it. One chunk is being moved.
        const std::size_t in_use = n < heaps * most_lists ? n : heaps * most_lists;
        return (n + in_use * (heap_chunk::capacity - 1)) / heap_chunk::capacity + 1;
    }

    std::size_t size() const noexcept { return size_; }

    /// Tell an empty heap about where the next keys will be. Precondition: `size() == 0`.
    void rebase(key_type start) noexcept { base_ = granule(start); }

    /// Add an entry. Precondition: the pool has room for it. O(1).
    BOOST_FORCEINLINE void push(const heap_entry& e) noexcept
    {
        if (size_ == 0)
            all_ready_ = true;
        ++size_;
        if (all_ready_)
        {
            if (size_ <= max_small)
                return insert_ready(e);
            file_ready();
        }
        file(e);
    }

    /// Add an entry that is behind all that `due` may have given, and leave that range valid. False, and nothing done: it is not.
    /**
     * Precondition: the pool has room for it. O(1).
     */
    bool push_behind(const heap_entry& e) noexcept
    {
        const std::uint64_t g = granule(e.key);
        if (all_ready_ || g <= base_)
            return false;
        ++size_;
        push_back_part(e, g);
        return true;
    }

    struct range
    {
        const heap_entry* begin;
        const heap_entry* end;
        std::size_t size() const noexcept { return static_cast<std::size_t>(end - begin); }
    };

    /// The smallest entries with `key <= now`, in order; empty if and only if there is none. Not all at a time: ask again.
    /**
     * The range is valid until the next call of a member that is not const.
     */
    range due(key_type now) noexcept
    {
        while (!have_ready())
        {
            if (depth_ != 0)
                refine();
            else if (!gather() && !advance(now))
                return {nullptr, nullptr};
        }
        if (all_ready_)
            base_ = granule(now);
        const heap_entry* const first = ready_.data() + ready_begin_;
        const heap_entry* last = ready_.data() + ready_end_;
        if (last[-1].key > now)
            last = std::upper_bound(first, last, now, [](key_type k, const heap_entry& e) { return k < e.key; });
        return {first, last};
    }

    /// Remove the first `n` entries of the range that `due` gave last.
    void consume(std::size_t n) noexcept
    {
        ready_begin_ += static_cast<std::uint32_t>(n);
        size_ -= n;
    }

    /// The smallest key among the entries for which `live(entry)` holds, or the greatest value if there is none.
    /**
     * O(1) when nothing changed since the last call; otherwise linear in one bucket.
     */
    template <class Live>
    key_type next(Live live) noexcept
    {
        for (;;)
        {
            while (have_ready())
            {
                if (live(ready_[ready_begin_]))
                    return ready_[ready_begin_].key;
                consume(1);
            }
            if (depth_ != 0)
                refine();
            else if (!gather())
                break;
        }
        while (!back_known_)
        {
            const bucket_position b = lowest();
            if (b.none())
                return none;
            back_min_ = smallest(buckets_[b.index], live);
            if (back_min_ != none)
                back_known_ = true;
            else
                erase_bucket(b);
        }
        return back_min_;
    }

    /// The smallest `value(entry)`, which is never less than the entry's key. Changes nothing.
    /**
     * Linear in the entries whose key is less than the result, and those that share their lists; of what is sorted already only the
     * former are looked at.
     */
    template <class Value>
    key_type earliest(Value value) const noexcept
    {
        key_type best = none;
        const auto look = [&](const heap_entry& e) { best = e.key < best ? (std::min)(best, value(e)) : best; };
        for (std::uint32_t i = ready_begin_; i != ready_end_ && ready_[i].key < best; ++i)
            look(ready_[i]);
        key_type least = have_ready() ? ready_upper_.key : 0; // of what comes next
        for (std::uint32_t i = depth_; i-- != 0 && least < best; least = front_[i].upper.key)
            lists_.for_each(front_[i].entries, look);
        for (unsigned level = 0; level != levels; ++level)
            for (std::uint64_t left = occupied_[level]; left != 0; left &= left - 1)
            {
                const auto digit = static_cast<unsigned>(boost::core::countr_zero(left));
                if (position(level, digit).first << granule_bits >= best)
                    return best;
                lists_.for_each(buckets_[level * digits + digit], look);
            }
        lists_.for_each(buckets_[beyond], look);
        return best;
    }

    /// Drop every entry for which `keep(entry)` is false. Linear. `ahead(entry)` is called a little earlier, for prefetching.
    template <class Ahead, class Keep>
    void sweep(Ahead ahead, Keep keep) noexcept
    {
        size_ = 0;
        const auto filter = [&](entry_list& l) {
            lists_.filter(l, ahead, keep);
            size_ += l.count;
            return l.count != 0;
        };
        for (unsigned level = 0; level != levels; ++level)
            for (std::uint64_t left = occupied_[level]; left != 0; left &= left - 1)
            {
                const std::size_t b = level * digits + static_cast<unsigned>(boost::core::countr_zero(left));
                if (!filter(buckets_[b]))
                    mark_empty(b);
            }
        filter(buckets_[beyond]);
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i != depth_; ++i)
            if (filter(front_[i].entries))
                front_[kept++] = front_[i];
        depth_ = kept;
        heap_entry* const first = ready_.data() + ready_begin_;
        heap_entry* const last = std::remove_if(first, ready_.data() + ready_end_, [&](const heap_entry& e) { return !keep(e); });
        ready_end_ = static_cast<std::uint32_t>(last - ready_.data());
        size_ += ready_end_ - ready_begin_;
        back_known_ = false;
    }

    /// The value of `next` for an empty heap.
    static constexpr key_type none = (std::numeric_limits<key_type>::max)();

private:
    static constexpr unsigned granule_bits = 16;
    static constexpr unsigned digit_bits = 6;
    static constexpr unsigned levels = 4;
    static constexpr std::size_t digits = std::size_t{1} << digit_bits;
    static constexpr std::size_t beyond = levels * digits;
    static constexpr std::size_t buckets = beyond + 1;
    static constexpr std::uint32_t max_small = 32;
    static constexpr std::uint32_t max_depth = 24;
    static constexpr std::uint32_t max_ready = 256;
    static constexpr std::uint32_t few = 96;
    static constexpr std::uint32_t max_splitters = 15;
    static constexpr std::size_t most_lists = buckets + max_depth + max_splitters + 1;

    /// A list of the front: its entries are less than `upper`, and not less than the `upper` of the list above it.
    struct front_list
    {
        entry_list entries;
        heap_entry upper;
    };

    /// The lowest bucket in use: its place, and the granules that it covers.
    struct bucket_position
    {
        std::size_t index;
        std::uint64_t first;
        std::uint64_t last;
        bool none() const noexcept { return index == buckets; }
    };

    static std::uint64_t granule(key_type k) noexcept { return k >> granule_bits; }
    bool have_ready() const noexcept { return ready_begin_ != ready_end_; }

    static constexpr heap_entry greatest() noexcept { return {none, 0, 0}; }

    template <class Live>
    key_type smallest(const entry_list& l, Live& live) noexcept
    {
        key_type result = none;
        lists_.for_each(l, [&](const heap_entry& e) {
            if (e.key < result && live(e))
                result = e.key;
        });
        return result;
    }

    /// Put an entry where it belongs, for the first time or anew. Precondition: it is counted in `size_`.
    BOOST_FORCEINLINE void file(const heap_entry& e) noexcept
    {
        const std::uint64_t g = granule(e.key);
        if (g > base_)
            push_back_part(e, g);
        else
            push_front_part(e);
    }

    // --- the back ---

    void push_back_part(const heap_entry& e, std::uint64_t g) noexcept
    {
        const auto level = (static_cast<unsigned>(boost::core::bit_width(g ^ base_)) - 1) / digit_bits;
        std::size_t b = beyond;
        if (level < levels)
        {
            const std::size_t digit = (g >> (level * digit_bits)) & (digits - 1);
            b = level * digits + digit;
            occupied_[level] |= std::uint64_t{1} << digit;
        }
        lists_.append(buckets_[b], e);
        if (e.key < back_min_)
            back_min_ = e.key; // of no consequence while it is not known
    }

    void mark_empty(std::size_t b) noexcept
    {
        if (b != beyond)
            occupied_[b / digits] &= ~(std::uint64_t{1} << (b % digits));
    }

    bucket_position position(unsigned level, unsigned digit) const noexcept
    {
        const unsigned shift = level * digit_bits;
        const std::uint64_t above = base_ >> (shift + digit_bits) << digit_bits;
        const std::uint64_t first = (above | digit) << shift;
        return {level * digits + digit, first, first + ((std::uint64_t{1} << shift) - 1)};
    }

    bucket_position lowest() const noexcept
    {
        for (unsigned level = 0; level != levels; ++level)
            if (occupied_[level] != 0)
                return position(level, static_cast<unsigned>(boost::core::countr_zero(occupied_[level])));
        if (buckets_[beyond].count != 0)
            return {beyond, base_ + 1, granule(none)};
        return {buckets, 0, 0};
    }

    /// A bucket that holds nothing alive is as good as none.
    void erase_bucket(const bucket_position& b) noexcept
    {
        lists_.drain(buckets_[b.index], [&](const heap_entry&) { --size_; });
        mark_empty(b.index);
    }

    /// Bring the first bucket to the front if any of it is due. Precondition: the front is empty.
    bool advance(key_type now) noexcept
    {
        const bucket_position b = lowest();
        if (b.none() || b.first > granule(now) || (back_known_ && back_min_ > now))
            return false;
        entry_list& entries = buckets_[b.index];
        const bool whole = b.last < granule(now); // all of it is due
        if (b.first == b.last || (entries.count <= few && b.index != beyond) ||
            (whole && (entries.sorted || entries.count <= entry_lists<Allocator>::max_sorted)))
        {
            base_ = b.last;
            front_[depth_++] = {entries, greatest()};
            entries = entry_list();
            mark_empty(b.index);
        }
        else
        {
            auto any = [](const heap_entry&) { return true; };
            const key_type m = whole ? b.first << granule_bits : smallest(entries, any);
            if (m > now)
            {
                back_min_ = m;
                back_known_ = true;
                return false;
            }
            entry_list all = entries;
            entries = entry_list();
            mark_empty(b.index);
            base_ = granule(m);
            lists_.drain(all, [&](const heap_entry& e) { file(e); });
        }
        back_known_ = false;
        back_min_ = none;
        return true;
    }

    // --- the front ---

    void push_front_part(const heap_entry& e) noexcept
    {
        if (have_ready() && lists_.less()(e, ready_upper_))
        {
            if (ready_end_ - ready_begin_ != max_ready)
                return insert_ready(e);
            spill_ready();
        }
        if (depth_ == 0)
            front_[depth_++] = {entry_list(), greatest()};
        std::uint32_t i = depth_ - 1;
        while (i != 0 && !lists_.less()(e, front_[i].upper))
            --i;
        if (i == 0)
            front_[0].upper = greatest(); // those that were below it are gone
        lists_.append(front_[i].entries, e);
    }

    /// Precondition: `ready_` is not full.
    void insert_ready(const heap_entry& e) noexcept
    {
        if (ready_end_ == max_ready || !have_ready())
        {
            std::copy(ready_.data() + ready_begin_, ready_.data() + ready_end_, ready_.data());
            ready_end_ -= ready_begin_;
            ready_begin_ = 0;
        }
        heap_entry* const last = ready_.data() + ready_end_;
        heap_entry* const at = std::upper_bound(ready_.data() + ready_begin_, last, e, lists_.less());
        std::copy_backward(at, last, last + 1);
        *at = e;
        ++ready_end_;
    }

    /// Bring the few entries that there are to `ready_`. False if they are not few, or none. Precondition: the front is empty.
    bool gather() noexcept
    {
        if (size_ == 0 || size_ > max_small / 2)
            return false;
        for (bucket_position b = lowest(); !b.none(); b = lowest())
        {
            lists_.drain(buckets_[b.index], [&](const heap_entry& e) { insert_ready(e); });
            mark_empty(b.index);
        }
        all_ready_ = true;
        back_known_ = false;
        back_min_ = none;
        return true;
    }

    /// They are no longer few: those that belong to the back go there.
    void file_ready() noexcept
    {
        all_ready_ = false;
        ready_upper_ = greatest();
        while (have_ready() && granule(ready_[ready_end_ - 1].key) > base_)
        {
            const heap_entry& e = ready_[--ready_end_];
            push_back_part(e, granule(e.key));
        }
    }

    /// Make the sorted entries a list of the front again.
    void spill_ready() noexcept
    {
        make_room();
        front_list& f = front_[depth_++];
        f = {entry_list(), ready_upper_};
        for (; ready_begin_ != ready_end_; ++ready_begin_)
            lists_.append(f.entries, ready_[ready_begin_]);
    }

    /// Keep a place free above the topmost list.
    void make_room() noexcept
    {
        if (depth_ != max_depth)
            return;
        // Two neighbours in one list are as right as two lists, only less sorted.
        lists_.drain(front_[1].entries, [&](const heap_entry& e) { lists_.append(front_[0].entries, e); });
        std::copy(front_.data() + 2, front_.data() + depth_, front_.data() + 1);
        --depth_;
    }

    /// Fill ready_ with the smallest entries of the front. Precondition: ready_ is empty, the front is not.
    void refine() noexcept
    {
        while (depth_ != 0)
        {
            front_list& top = front_[depth_ - 1];
            if (top.entries.count == 0)
                --depth_;
            else if (top.entries.sorted || top.entries.count <= max_ready)
                return fill_ready(top);
            else if (top.entries.count <= entry_lists<Allocator>::max_sorted)
                lists_.sort(top.entries);
            else
                split_top();
        }
    }

    void fill_ready(front_list& top) noexcept
    {
        ready_begin_ = ready_end_ = 0;
        if (!top.entries.sorted)
        {
            lists_.sort_into(top.entries, ready_.data());
            ready_end_ = top.entries.count;
            lists_.release(top.entries);
        }
        ready_end_ += lists_.take(top.entries, max_ready - ready_end_, ready_.data() + ready_end_);
        if (top.entries.count != 0)
        {
            // What is in order is handed on piece by piece: what follows is not less than what comes next.
            ready_upper_ = lists_.front(top.entries);
            return;
        }
        ready_upper_ = top.upper;
        --depth_;
    }

    /// Replace the topmost list by several, by splitters sampled from it.
    void split_top() noexcept
    {
        make_room();
        front_list top = front_[--depth_];

        // Evenly spaced samples.
        constexpr std::uint32_t max_samples = 4 * (max_splitters + 1) - 1;
        std::array<heap_entry, max_samples> samples;
        std::array<std::uint32_t, max_samples> places;
        for (std::uint32_t i = 0; i != max_samples; ++i)
            places[i] = static_cast<std::uint32_t>(std::uint64_t{top.entries.count} * i / max_samples);
        heap_entry* next = samples.data();
        lists_.for_each_at(top.entries, places, [&](const heap_entry& e) { *next++ = e; });
        std::sort(samples.begin(), samples.end(), lists_.less());

        const std::uint32_t room = (max_depth - depth_) / 3;
        const std::uint32_t splitters = room < 2 ? 1 : (std::min)(room, max_splitters);
        std::array<heap_entry, max_splitters> splitter;
        for (std::uint32_t i = 0; i != splitters; ++i)
            splitter[i] = samples[(i + 1) * (max_samples + 1) / (splitters + 1) - 1];

        std::array<entry_list, max_splitters + 1> parts;
        const heap_entry* const first = splitter.data();
        lists_.drain(top.entries, [&](const heap_entry& e) {
            lists_.append(
                parts[static_cast<std::size_t>(std::upper_bound(first, first + splitters, e, lists_.less()) - first)], e);
        });
        for (std::uint32_t i = splitters + 1; i-- != 0;)
            if (parts[i].count != 0)
                front_[depth_++] = {parts[i], i == splitters ? top.upper : splitter[i]};
    }

    entry_lists<Allocator> lists_;
    std::size_t size_ = 0;
    std::uint64_t base_;       // the last granule that belongs to the front
    key_type back_min_ = none; // smallest key of the back, while back_known_
    bool back_known_ = false;
    bool all_ready_ = true;   // there are but a few entries, and all of them are in ready_
    std::uint32_t depth_ = 0; // lists in front_, the topmost last
    std::uint32_t ready_begin_ = 0;
    std::uint32_t ready_end_ = 0;
    heap_entry ready_upper_ = greatest(); // while ready_ is not empty: less than this belongs there
    std::array<std::uint64_t, levels> occupied_{};
    std::array<entry_list, buckets> buckets_{};
    std::array<front_list, max_depth> front_;
    std::array<heap_entry, max_ready> ready_;
};

} // namespace detail
} // namespace boost_ext

#endif
