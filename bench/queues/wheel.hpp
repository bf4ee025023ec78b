// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_QUEUES_WHEEL_HPP
#define BOOST_EXT_BENCH_QUEUES_WHEEL_HPP

#include "entry.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace bench {

/// As faio does it: wheels of 64 slots, each slot of one being the span of the whole wheel below it, 1 ms at the
/// bottom, and as many of them as the farthest deadline needs. Slots are counted from the present, so that time
/// passing shifts them. A slot is a singly linked list, newest first; cancelling searches it.
/// The order is exact to 1 ms only: the one structure here that promises less than the others.
class wheel
{
public:
    static constexpr const char* name = "64-slot wheel, 1 ms";

    explicit wheel(std::size_t n) : timers_(n) {}

    void push(std::uint32_t id, std::int64_t deadline)
    {
        timer& t = timers_[id];
        t.deadline = deadline;
        place(&t);
    }

    void cancel(std::uint32_t id)
    {
        timer& t = timers_[id];
        if (t.level == is_due)
        {
            unlink(due_, t);
            return;
        }
        level& l = levels_[t.level];
        const auto i = static_cast<std::size_t>((tick_of(t) >> (bits * t.level)) - (now_ >> (bits * t.level)));
        unlink(l.slot[i], t);
        if (!l.slot[i])
            l.used &= ~(std::uint64_t(1) << i);
    }

    std::int64_t next()
    {
        while (!due_)
            advance_to(next_opening());
        return static_cast<std::int64_t>(now_ * 1000000);
    }

    template <class Sink>
    std::size_t pop_due(std::int64_t now, std::size_t max, Sink sink)
    {
        const std::uint64_t last = static_cast<std::uint64_t>(now) / 1000000;
        std::size_t n = 0;
        while (n != max)
        {
            if (!due_)
            {
                const std::uint64_t opens = next_opening();
                if (opens > last)
                    break;
                advance_to(opens);
                continue;
            }
            timer* t = due_;
            due_ = t->next;
            sink(entry{t->deadline, static_cast<std::uint32_t>(t - timers_.data())});
            ++n;
        }
        return n;
    }

private:
    static constexpr std::size_t bits = 6;
    static constexpr std::size_t slots = 64;
    static constexpr std::size_t is_due = ~std::size_t(0);

    struct timer
    {
        std::int64_t deadline = 0;
        timer* next = nullptr;
        std::size_t level = is_due;
    };

    struct level
    {
        std::array<timer*, slots> slot{};
        std::uint64_t used = 0;
    };

    struct position
    {
        std::size_t level;
        std::size_t slot;
    };

    static std::uint64_t tick_of(const timer& t) { return static_cast<std::uint64_t>(t.deadline) / 1000000 + 1; }

    static void unlink(timer*& head, const timer& t)
    {
        for (timer** link = &head; *link; link = &(*link)->next)
        {
            if (*link == &t)
            {
                *link = t.next;
                return;
            }
        }
    }

    position where(std::uint64_t tick) const
    {
        for (std::size_t k = 0;; ++k)
        {
            const std::uint64_t distance = (tick >> (bits * k)) - (now_ >> (bits * k));
            if (distance < slots)
                return {k, static_cast<std::size_t>(distance)};
        }
    }

    void place(timer* t)
    {
        const std::uint64_t tick = tick_of(*t);
        if (tick <= now_)
        {
            t->next = due_;
            t->level = is_due;
            due_ = t;
            return;
        }
        const position p = where(tick);
        while (levels_.size() <= p.level)
            levels_.emplace_back();
        level& l = levels_[p.level];
        t->next = l.slot[p.slot];
        t->level = p.level;
        l.slot[p.slot] = t;
        l.used |= std::uint64_t(1) << p.slot;
    }

    // The next instant at which a slot opens.
    std::uint64_t next_opening()
    {
        while (levels_.size() > 1 && !levels_.back().used)
            levels_.pop_back();
        std::uint64_t next = ~std::uint64_t(0);
        for (std::size_t k = 0; k < levels_.size(); ++k)
        {
            if (!levels_[k].used)
                continue;
            const auto first = static_cast<std::uint64_t>(__builtin_ctzll(levels_[k].used));
            const std::uint64_t opens = ((now_ >> (bits * k)) + first) << (bits * k);
            next = opens < next ? opens : next;
        }
        return next;
    }

    // Hands the timers of the slots that open down.
    void advance_to(std::uint64_t instant)
    {
        const std::uint64_t before = now_;
        now_ = instant;
        // From the bottom up: what is handed down goes to places that count from the new present already.
        for (std::size_t k = 0; k < levels_.size(); ++k)
        {
            level& l = levels_[k];
            const auto passed = static_cast<std::size_t>((now_ >> (bits * k)) - (before >> (bits * k)));
            if (passed == 0 || !l.used)
                continue;
            if (passed >= slots)
            {
                l = level();
                continue;
            }
            for (std::size_t i = 0; i < slots; ++i)
                l.slot[i] = i + passed < slots ? l.slot[i + passed] : nullptr;
            l.used >>= passed;
            timer* t = l.slot[0];
            l.slot[0] = nullptr;
            l.used &= ~std::uint64_t(1);
            while (t)
            {
                timer* const following = t->next;
                place(t);
                t = following;
            }
        }
    }

    std::vector<timer> timers_;
    std::vector<level> levels_;
    timer* due_ = nullptr;
    std::uint64_t now_ = 0;
};

} // namespace bench

#endif
