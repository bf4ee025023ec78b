// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_QUEUES_PAIR_OF_SETS_HPP
#define BOOST_EXT_BENCH_QUEUES_PAIR_OF_SETS_HPP

#include "entry.hpp"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace bench {

/// As muduo does it: one std::set of {time, timer*} for the order, one of {timer*, sequence} to cancel by.
class pair_of_sets
{
public:
    static constexpr const char* name = "two std::set";

    explicit pair_of_sets(std::size_t n) : timers_(n) {}

    void push(std::uint32_t id, std::int64_t deadline)
    {
        timer* t = &timers_[id];
        t->deadline = deadline;
        t->sequence = ++sequence_;
        by_time_.insert({deadline, t});
        active_.insert({t, t->sequence});
    }

    void cancel(std::uint32_t id)
    {
        timer* t = &timers_[id];
        by_time_.erase({t->deadline, t});
        active_.erase({t, t->sequence});
    }

    bool empty() const { return by_time_.empty(); }
    std::int64_t next() const { return by_time_.begin()->first; }

    entry pop()
    {
        const auto first = by_time_.begin();
        timer* t = first->second;
        by_time_.erase(first);
        active_.erase({t, t->sequence});
        return {t->deadline, static_cast<std::uint32_t>(t - timers_.data())};
    }

    template <class Sink>
    std::size_t pop_due(std::int64_t now, std::size_t max, Sink sink)
    {
        return pop_one_by_one(*this, now, max, sink);
    }

private:
    struct timer
    {
        std::int64_t deadline = 0;
        std::int64_t sequence = 0;
    };

    std::vector<timer> timers_;
    std::set<std::pair<std::int64_t, timer*>> by_time_;
    std::set<std::pair<timer*, std::int64_t>> active_;
    std::int64_t sequence_ = 0;
};

} // namespace bench

#endif
