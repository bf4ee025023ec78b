// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_QUEUES_BINARY_HEAP_HPP
#define BOOST_EXT_BENCH_QUEUES_BINARY_HEAP_HPP

#include "entry.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace bench {

/// As Boost.Asio does it: a binary heap of {time, timer*} in a vector; each timer knows its place in the heap, so that
/// it can be taken out of the middle, and each swap writes to two timers. All timers are on a list besides.
class binary_heap
{
public:
    static constexpr const char* name = "binary heap, back-pointers";

    explicit binary_heap(std::size_t n) : timers_(n) {}

    void push(std::uint32_t id, std::int64_t deadline)
    {
        timer* t = &timers_[id];
        t->heap_index = heap_.size();
        heap_.push_back({deadline, t});
        up(heap_.size() - 1);
        t->prev = nullptr;
        t->next = all_;
        if (all_)
            all_->prev = t;
        all_ = t;
    }

    void cancel(std::uint32_t id) { remove(timers_[id]); }

    bool empty() const { return heap_.empty(); }
    std::int64_t next() const { return heap_.front().time; }

    entry pop()
    {
        const element first = heap_.front();
        remove(*first.who);
        return {first.time, static_cast<std::uint32_t>(first.who - timers_.data())};
    }

    template <class Sink>
    std::size_t pop_due(std::int64_t now, std::size_t max, Sink sink)
    {
        return pop_one_by_one(*this, now, max, sink);
    }

private:
    struct timer
    {
        std::size_t heap_index = 0;
        timer* next = nullptr;
        timer* prev = nullptr;
    };

    struct element
    {
        std::int64_t time;
        timer* who;
    };

    void swap(std::size_t a, std::size_t b)
    {
        std::swap(heap_[a], heap_[b]);
        heap_[a].who->heap_index = a;
        heap_[b].who->heap_index = b;
    }

    void up(std::size_t i)
    {
        while (i > 0)
        {
            const std::size_t parent = (i - 1) / 2;
            if (!(heap_[i].time < heap_[parent].time))
                return;
            swap(i, parent);
            i = parent;
        }
    }

    void down(std::size_t i)
    {
        for (std::size_t child = 2 * i + 1; child < heap_.size(); child = 2 * i + 1)
        {
            if (child + 1 < heap_.size() && heap_[child + 1].time < heap_[child].time)
                ++child;
            if (heap_[i].time < heap_[child].time)
                return;
            swap(i, child);
            i = child;
        }
    }

    void remove(timer& t)
    {
        const std::size_t i = t.heap_index;
        const std::size_t last = heap_.size() - 1;
        if (i == last)
        {
            heap_.pop_back();
        }
        else
        {
            swap(i, last);
            heap_.pop_back();
            if (i > 0 && heap_[i].time < heap_[(i - 1) / 2].time)
                up(i);
            else
                down(i);
        }
        if (all_ == &t)
            all_ = t.next;
        if (t.prev)
            t.prev->next = t.next;
        if (t.next)
            t.next->prev = t.prev;
    }

    std::vector<timer> timers_;
    std::vector<element> heap_;
    timer* all_ = nullptr;
};

} // namespace bench

#endif
