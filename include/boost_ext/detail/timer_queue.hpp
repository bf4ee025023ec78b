// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMER_QUEUE_HPP
#define BOOST_EXT_DETAIL_TIMER_QUEUE_HPP

#include <boost/assert.hpp>
#include <boost/config.hpp>
#include <boost_ext/detail/entry_heap.hpp>
#include <boost_ext/detail/index_pool.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

namespace boost_ext {
namespace detail {

/// Names an element of a timer_queue. Stays harmless when the element is gone: it is found no more.
struct timer_handle
{
    std::uint32_t slot = 0;
    std::uint32_t id = 0; // 0: names nothing

    explicit operator bool() const noexcept { return id != 0; }
};

/// What becomes of an element's place when it is handed out.
enum class when_over
{
    keep_place, ///< It is parked, its value T(), until it is moved or erased: who waits for it again needs no memory.
    free_place  ///< Nobody will come back for it.
};

/// Elements with deadlines, handed out in order of deadline; among equal ones the first armed comes first.
/**
 * Knows neither clocks nor threads: deadlines are unsigned numbers, the caller says what time it is and serialises the calls.
 *
 *     handle ──► slot { value, deadline, order, … } ◄── entry { deadline, slot, sequence }   in an entry_heap
 *
 * A handle names a slot, and the heap's entries name slots; no slot points into a heap. Hence
 * - moving a deadline later changes the slot alone: the entry surfaces too early and is put back then;
 * - moving it earlier adds a second entry and leaves the first one behind, dead: its sequence matches no slot any more;
 * - erasing an element frees its slot and leaves the entry behind, dead, but known to the slot: the next element that is put there
 *   takes the entry over if its deadline is later, so that a timer made in place of another one costs the heap nothing.
 * Dead entries are dropped when they surface, and swept as soon as they are more than half as many as the live ones, and a constant, so that
 * memory is bounded by the elements alone. `insert` reserves room for as many dead entries as that, which is why `move` never allocates: when
 * the room is used up there is enough to sweep.
 *
 * An element may have a window: it may be handed out anywhere between its deadline and its deadline plus the window. Such elements
 * live in two heaps of their own: `early_`, by deadline, says what is due; `late_`, by the end of the window, says when to wake up.
 */
template <class T, class Allocator = std::allocator<void>>
class timer_queue
{
    static_assert(std::is_trivially_copyable<T>::value, "values are copied as memory");

public:
    using key_type = std::uint64_t;
    using handle = timer_handle;

    /// The deadline that never comes.
    static constexpr key_type never = (std::numeric_limits<key_type>::max)();

    /// Postcondition: empty. `start`: about the time now; affects speed only.
    explicit timer_queue(key_type start, const Allocator& a = Allocator())
        : slots_(a),
          windows_(a),
          chunks_(a),
          exact_(chunks_, sequence_, start),
          windowed_(nullptr, windowed_delete{a}),
          start_(start)
    {
    }

    timer_queue(const timer_queue&) = delete;
    timer_queue& operator=(const timer_queue&) = delete;

    /// Elements in the queue.
    std::size_t size() const noexcept { return slots_.size(); }
    bool empty() const noexcept { return size() == 0; }

    /// Entries in the heaps that belong to an element as it is now, and for which it waits.
    std::size_t live_entries() const noexcept { return live_; }

    /// Entries that are waiting to be dropped; never more than `live_entries() / 2 + slop`.
    std::size_t dead_entries() const noexcept { return entries() - live_; }
    static constexpr std::size_t slop = 32;

    /// Make room for `n` elements without windows, and keep it. Strong guarantee.
    void reserve(std::size_t n)
    {
        reserve_for(n, 0);
        least_room_ = (std::max)(least_room_, n);
    }

    /// Make room for one element more. Strong guarantee.
    void reserve_one(bool windowed) { reserve_for(slots_.size() + 1, windows_.size() + windowed); }

    /// Add an element. Strong guarantee; throws what the allocator throws. Amortised O(1).
    handle insert(key_type deadline, const T& value, key_type window = 0) { return insert(deadline, value, window, window != 0); }

    /// The same; `windowed` says whether `move` may give it a window. Precondition: `window == 0 || windowed`.
    handle insert(key_type deadline, const T& value, key_type window, bool windowed, when_over then = when_over::free_place)
    {
        if (slots_.size() == slots_.capacity() || windowed || !reserved_)
            reserve_for(slots_.size() + 1, windows_.size() + windowed);
        const std::uint32_t i = slots_.acquire();
        const std::uint32_t id = next_sequence();
        slot& s = slots_[i];
        const std::uint32_t entry = deadline >= s.deadline && window == 0 ? s.entry : 0; // to take over
        s = slot{value, deadline, id, id, entry, then == when_over::keep_place ? no_window | kept : no_window};
        if (windowed)
            windows_[set_window(s)] = window;
        if (entry != 0)
            ++live_;
        else
            file(i, s);
        return handle{i, id};
    }

    /// Let `move` give this element a window. Strong guarantee. No effect on an element that is gone.
    void reserve_window(handle h)
    {
        slot* const s = find_slot(h);
        if (!s || has_window(*s))
            return;
        reserve_for(slots_.size(), windows_.size() + 1);
        windows_[set_window(*s)] = 0;
    }

    /// Where an element is, for prefetching. Precondition: `find(h)`.
    const void* address(handle h) const noexcept { return &slots_[h.slot]; }

    /// The value, or null if the element is gone.
    T* find(handle h) noexcept
    {
        slot* const s = find_slot(h);
        return s ? &s->value : nullptr;
    }

    /// Remove an element. Precondition: `find(h)`. Amortised O(1), allocates nothing.
    void erase(handle h) noexcept
    {
        BOOST_ASSERT(find(h) != nullptr);
        slot& s = slots_[h.slot];
        if (has_window(s))
            unfile(s);
        else
            live_ -= live_entries_of(s); // the entry stays with the slot
        free_slot(h.slot);
        limit_dead();
    }

    /// Let an element wait for nothing, but keep its place: what is armed again soon, and for later, finds it.
    /**
     * Precondition: `find(h)`. It is not handed out before it is moved; its entries count as dead until then. Amortised O(1).
     */
    void park(handle h) noexcept
    {
        BOOST_ASSERT(find(h) != nullptr);
        slot& s = slots_[h.slot];
        live_ -= live_entries_of(s);
        s.place |= parked;
        limit_dead();
    }

    /// Change an element's deadline, parked or not; it counts as armed anew. Allocates nothing.
    /**
     * Precondition: `find(h)`; and `window == 0`, or the element was inserted with one, or `reserve_window(h)` was called.
     * Later: O(1), and the heaps are not touched. Earlier: amortised O(1).
     */
    void move(handle h, key_type deadline, key_type window = 0) noexcept
    {
        BOOST_ASSERT(find(h) != nullptr);
        slot& s = slots_[h.slot];
        s.order = next_sequence();
        if (deadline >= s.deadline && s.entry != 0 && window == window_of(s))
        {
            s.deadline = deadline;
            if (is_idle(s))
            {
                s.place &= ~parked;
                live_ += live_entries_of(s);
            }
        }
        else
            file_anew(h.slot, deadline, window);
    }

    /// Hand out at most `max` elements whose deadline is `<= now`, in order: `sink(value, deadline)`. Returns how many.
    /**
     * `ahead(value)` is called a little earlier, for prefetching. The sink may not touch the queue. Allocates nothing.
     */
    template <class Ahead, class Sink>
    std::size_t collect(key_type now, std::size_t max, Ahead ahead, Sink sink) noexcept
    {
        std::size_t n = 0;
        if (windowed_)
            while (n != max && collect_one(now, n, sink))
            {
            }
        else
            while (n != max && collect_run(now, max, n, ahead, sink))
            {
            }
        if (entries() == 0)
            exact_.rebase(now);
        limit_dead();
        return n;
    }

    /// When the caller should ask again: the earliest deadline or end of a window, `never` if there is none.
    /**
     * It may be too early, for an element that was moved later; it is never too late.
     */
    key_type next_wake() noexcept
    {
        const auto wanted = [this](const heap_entry& e) {
            slot& s = slots_[e.slot];
            if (s.entry != e.sequence)
                return false;
            if (!is_idle(s))
                return true;
            unfile(s); // nobody should be woken up for it
            return false;
        };
        const key_type k = exact_.next(wanted);
        return windowed_ ? (std::min)(k, windowed_->late.next(wanted)) : k;
    }

    /// The earliest deadline of any element, `never` if there is none. Changes nothing.
    /**
     * Linear in the entries that precede it: those that were moved later, and those of its bucket.
     */
    key_type next_deadline() const noexcept
    {
        const auto deadline = [this](const heap_entry& e) {
            const slot& s = slots_[e.slot];
            return s.entry == e.sequence && !is_idle(s) ? s.deadline : never;
        };
        const key_type k = exact_.earliest(deadline);
        return windowed_ ? (std::min)(k, windowed_->early.earliest(deadline)) : k;
    }

    /// Take every element out, in no particular order: `sink(value)`.
    template <class Sink>
    void drain(Sink sink) noexcept
    {
        slots_.for_each([&](std::uint32_t i) {
            sink(slots_[i].value);
            unfile(slots_[i]);
            free_slot(i);
        });
        sweep();
    }

private:
    // What `slot::place` holds: an index into windows_ or no_window, and the bits parked and kept. Not bit-fields: compilers write those
    // byte by byte, and a processor waits when it reads a word of which it has just written a byte.
    static constexpr std::uint32_t parked = std::uint32_t{1} << 31;
    static constexpr std::uint32_t kept = std::uint32_t{1} << 30;
    static constexpr std::uint32_t no_window = kept - 1;

    /// Half a cache line, where the value is no more than a pointer.
    struct alignas(sizeof(T) <= 8 ? 32 : alignof(key_type)) slot
    {
        T value;
        key_type deadline;
        std::uint32_t id;    // what a handle must say to name this element, 0 if there is none
        std::uint32_t order; // sequence of the last arming
        std::uint32_t entry; // sequence of the entries that count, or that the next element may take over; 0 if there are none
        std::uint32_t
            place; // where its window is; whether it is parked, so that its deadline does not count; and whether it is kept
    };

    struct windowed_heaps
    {
        entry_heap<Allocator> early; // by deadline
        entry_heap<Allocator> late;  // by end of window
    };
    using windowed_alloc = typename std::allocator_traits<Allocator>::template rebind_alloc<windowed_heaps>;

    struct windowed_delete
    {
        windowed_alloc alloc;
        void operator()(windowed_heaps* p) noexcept { std::allocator_traits<windowed_alloc>::deallocate(alloc, p, 1); }
    };

    std::uint32_t next_sequence() noexcept
    {
        if (++sequence_ == 0)
            ++sequence_;
        return sequence_;
    }

    BOOST_FORCEINLINE slot* find_slot(handle h) noexcept
    {
        if (h.slot >= slots_.extent())
            return nullptr;
        slot& s = slots_[h.slot];
        return s.id == h.id && h ? &s : nullptr;
    }

    std::uint32_t set_window(slot& s) noexcept
    {
        const std::uint32_t w = windows_.acquire();
        s.place = (s.place & ~no_window) | w;
        return w;
    }

    /// Whether nothing waits in a slot: there is no element, or it is parked. Its entries, if it has some, are dead.
    static bool is_idle(const slot& s) noexcept { return s.id == 0 || (s.place & parked) != 0; }
    static bool has_window(const slot& s) noexcept { return (s.place & no_window) != no_window; }
    key_type window_of(const slot& s) const noexcept { return has_window(s) ? windows_[s.place & no_window] : 0; }

    /// How many entries count for what waits in a slot.
    std::size_t live_entries_of(const slot& s) const noexcept
    {
        return s.entry == 0 || is_idle(s) ? 0 : window_of(s) == 0 ? 1 : 2;
    }

    static key_type end_of_window(key_type deadline, key_type window) noexcept
    {
        return window < never - 1 - deadline ? deadline + window : never - 1;
    }

    std::size_t entries() const noexcept
    {
        return exact_.size() + (windowed_ ? windowed_->early.size() + windowed_->late.size() : 0);
    }

    /// What a sweep keeps. An idle slot loses its entries.
    auto live() noexcept
    {
        return [this](const heap_entry& e) {
            slot& s = slots_[e.slot];
            if (s.entry != e.sequence)
                return false;
            if (is_idle(s))
                s.entry = 0;
            return s.entry != 0;
        };
    }

    /// Room for `n` elements, `windows` of them with a window, and for the dead entries that the sweep allows them.
    void reserve_for(std::size_t n, std::size_t windows)
    {
        if (n <= slots_.capacity() && windows <= windows_.capacity() && reserved_)
            return;
        reserved_ = false;
        if (windows != 0 && !windowed_)
        {
            windowed_alloc& a = windowed_.get_deleter().alloc;
            windowed_heaps* const p = std::allocator_traits<windowed_alloc>::allocate(a, 1);
            windowed_.reset(
                ::new (static_cast<void*>(p)) windowed_heaps{{chunks_, sequence_, start_}, {chunks_, sequence_, start_}});
        }
        slots_.reserve(n, slot{});
        windows_.reserve(windows);
        chunks_.reserve(chunks_needed());
        reserved_ = true;
    }

    std::size_t chunks_needed() const noexcept
    {
        const std::size_t all = slots_.capacity() + windows_.capacity();
        const std::size_t most = all + all / 2 + slop;
        return entry_heap<Allocator>::chunks_for(most, windowed_ ? 3 : 1);
    }

    /// Give a slot its entries. Precondition: it has none, and there is room.
    BOOST_FORCEINLINE void file(std::uint32_t i, slot& s) noexcept
    {
        if (s.deadline == never)
            return;
        s.entry = s.order;
        const key_type w = window_of(s);
        if (w == 0)
        {
            exact_.push({s.deadline, i, s.order});
            ++live_;
        }
        else
        {
            windowed_->early.push({s.deadline, i, s.order});
            windowed_->late.push({end_of_window(s.deadline, w), i, s.order});
            live_ += 2;
        }
    }

    /// Let a slot's entries die for good.
    void unfile(slot& s) noexcept
    {
        live_ -= live_entries_of(s);
        s.entry = 0;
    }

    void free_slot(std::uint32_t i) noexcept
    {
        slot& s = slots_[i];
        if (has_window(s))
            windows_.release(s.place & no_window);
        s.id = 0;
        slots_.release(i);
    }

    /// How many slots are kept.
    std::size_t room() const noexcept { return (std::max)(2 * slots_.size(), least_room_); }

    /// Sweep when the dead outnumber the living, or when most slots are free and some could be given back.
    void limit_dead() noexcept
    {
        // Two entries of room remain: what one element needs.
        if (dead_entries() > live_ / 2 + slop - 2 || (slots_.capacity() > 4 * room() + 256 && slots_.can_trim()))
            sweep();
    }

    void sweep() noexcept
    {
        const auto ahead = [this](const heap_entry& e) { prefetch(&slots_[e.slot]); };
        exact_.sweep(ahead, live());
        if (windowed_)
        {
            windowed_->early.sweep(ahead, live());
            windowed_->late.sweep(ahead, live());
        }
        // No entry names a free slot now, so their pages may go.
        slots_.trim(room());
        windows_.trim(2 * windows_.size());
        chunks_.trim(chunks_needed());
    }

    /// Hand out from the sorted run at the front of the exact heap. False when nothing is due.
    template <class Ahead, class Sink>
    bool collect_run(key_type now, std::size_t max, std::size_t& n, Ahead& ahead, Sink& sink) noexcept
    {
        const auto run = exact_.due(now);
        const std::size_t length = (std::min)(run.size(), max - n);
        for (std::size_t i = 0; i != length; ++i)
            prefetch(&slots_[run.begin[i].slot]);
        for (std::size_t i = 0; i != length; ++i)
        {
            const slot& s = slots_[run.begin[i].slot];
            if (s.entry == run.begin[i].sequence)
                ahead(s.value);
        }
        for (std::size_t i = 0; i != length; ++i)
            if (!hand_out(run.begin[i], n, sink) && !refile_behind(run.begin[i].slot))
            {
                // An entry to be put back, maybe among those that are due: they are looked at again.
                const std::uint32_t moved = run.begin[i].slot;
                exact_.consume(i + 1);
                refile(moved);
                return true;
            }
        exact_.consume(length);
        return length != 0;
    }

    /// The same for one element, from whichever heap has the smaller one.
    template <class Sink>
    bool collect_one(key_type now, std::size_t& n, Sink& sink) noexcept
    {
        auto& early = windowed_->early;
        const auto a = exact_.due(now);
        const auto b = early.due(now);
        if (a.size() == 0 && b.size() == 0)
        {
            // Whatever is in `late_` up to now belongs to elements that were handed out or moved.
            for (auto c = windowed_->late.due(now); c.size() != 0; c = windowed_->late.due(now))
                windowed_->late.consume(c.size());
            return false;
        }
        auto& heap = b.size() == 0 || (a.size() != 0 && entry_less{sequence_}(*a.begin, *b.begin)) ? exact_ : early;
        const heap_entry e = heap.due(now).begin[0];
        heap.consume(1);
        if (!hand_out(e, n, sink))
            refile(e.slot);
        return true;
    }

    /// Hand out the element of an entry that has surfaced, or drop a dead one. False if it must be put back.
    template <class Sink>
    bool hand_out(const heap_entry& e, std::size_t& n, Sink& sink) noexcept
    {
        slot& s = slots_[e.slot];
        if (s.entry != e.sequence)
            return true;
        if (is_idle(s))
        {
            unfile(s);
            return true;
        }
        if (s.deadline != e.key || s.order != e.sequence)
            return false;
        sink(s.value, s.deadline);
        unfile(s);
        if ((s.place & kept) != 0)
        {
            s.value = T();
            s.place |= parked;
        }
        else
            free_slot(e.slot);
        ++n;
        return true;
    }

    /// Give an element another deadline, and entries for it.
    BOOST_NOINLINE void file_anew(std::uint32_t i, key_type deadline, key_type window) noexcept
    {
        slot& s = slots_[i];
        unfile(s);
        s.place &= ~parked;
        s.deadline = deadline;
        if (has_window(s))
            windows_[s.place & no_window] = window;
        limit_dead();
        file(i, s);
    }

    /// Put a surfaced element back by the deadline that it has now.
    void refile(std::uint32_t i) noexcept
    {
        slot& s = slots_[i];
        unfile(s);
        // One entry has surfaced. An element with a window has another one, which is dead now, and gets two.
        if (has_window(s))
            limit_dead();
        file(i, s);
    }

    /// The same for one without a window, if that leaves the entries that are due as they are. False if it does not: nothing is done.
    bool refile_behind(std::uint32_t i) noexcept
    {
        slot& s = slots_[i];
        if (s.deadline == never || !exact_.push_behind({s.deadline, i, s.order}))
            return false;
        s.entry = s.order;
        return true;
    }

    static void prefetch(const void* p) noexcept
    {
#if defined(__GNUC__)
        __builtin_prefetch(p);
#else
        static_cast<void>(p);
#endif
    }

    std::uint32_t sequence_ = 0; // the newest
    index_pool<slot, Allocator> slots_;
    index_pool<key_type, Allocator> windows_;
    chunk_pool<Allocator> chunks_;
    entry_heap<Allocator> exact_;
    std::unique_ptr<windowed_heaps, windowed_delete> windowed_; // made for the first element with a window
    key_type start_;
    std::size_t least_room_ = 0; // slots that were asked for
    std::size_t live_ = 0;
    bool reserved_ = false; // there are chunks for as many elements as there are slots
};

} // namespace detail
} // namespace boost_ext

#endif
