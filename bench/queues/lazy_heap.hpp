// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_QUEUES_LAZY_HEAP_HPP
#define BOOST_EXT_BENCH_QUEUES_LAZY_HEAP_HPP

#include "entry.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <vector>

namespace bench {

/// A std::priority_queue whose container can be reached, to sweep it.
template <class T, class Compare>
class standard_heap : std::priority_queue<T, std::vector<T>, Compare>
{
    using base = std::priority_queue<T, std::vector<T>, Compare>;

public:
    using base::empty;
    using base::pop;
    using base::push;
    using base::size;
    using base::top;

    template <class Dead>
    void sweep(Dead dead)
    {
        this->c.erase(std::remove_if(this->c.begin(), this->c.end(), dead), this->c.end());
        std::make_heap(this->c.begin(), this->c.end(), this->comp);
    }
};

/// The same with four children a node: half the depth, and the children share a cache line.
template <class T, class Compare>
class four_ary_heap
{
public:
    bool empty() const { return c_.empty(); }
    std::size_t size() const { return c_.size(); }
    const T& top() const { return c_.front(); }

    void push(const T& value)
    {
        c_.push_back(value);
        up(c_.size() - 1, value);
    }

    void pop()
    {
        const T last = c_.back();
        c_.pop_back();
        if (!c_.empty())
            down(0, last);
    }

    template <class Dead>
    void sweep(Dead dead)
    {
        c_.erase(std::remove_if(c_.begin(), c_.end(), dead), c_.end());
        if (c_.size() > 1)
            for (std::size_t i = (c_.size() - 2) / 4 + 1; i-- > 0;)
                down(i, T(c_[i]));
    }

private:
    void up(std::size_t i, const T value)
    {
        while (i > 0 && Compare()(c_[(i - 1) / 4], value))
        {
            c_[i] = c_[(i - 1) / 4];
            i = (i - 1) / 4;
        }
        c_[i] = value;
    }

    void down(std::size_t i, const T value)
    {
        for (std::size_t first = 4 * i + 1; first < c_.size(); first = 4 * i + 1)
        {
            const std::size_t end = std::min(first + 4, c_.size());
            std::size_t least = first;
            for (std::size_t k = first + 1; k < end; ++k)
                if (Compare()(c_[least], c_[k]))
                    least = k;
            if (!Compare()(value, c_[least]))
                break;
            c_[i] = c_[least];
            i = least;
        }
        c_[i] = value;
    }

    std::vector<T> c_;
};

struct lazy_element
{
    std::int64_t deadline;
    std::uint32_t id;
    std::uint32_t sequence;
};

struct later
{
    bool operator()(const lazy_element& a, const lazy_element& b) const { return a.deadline > b.deadline; }
};

/// A heap that cannot take from its middle: cancelling makes the entry stale, popping skips it, and when more than half
/// of the entries are stale they are swept out.
template <class Heap>
class lazy_heap
{
public:
    explicit lazy_heap(std::size_t n) : sequence_(n) {}

    void push(std::uint32_t id, std::int64_t deadline) { heap_.push({deadline, id, sequence_[id]}); }

    void cancel(std::uint32_t id)
    {
        ++sequence_[id];
        if (++dead_ > heap_.size() / 2 + 64)
        {
            heap_.sweep([this](const lazy_element& e) { return e.sequence != sequence_[e.id]; });
            dead_ = 0;
        }
    }

    bool empty()
    {
        drop_dead();
        return heap_.empty();
    }

    std::int64_t next()
    {
        drop_dead();
        return heap_.top().deadline;
    }

    template <class Sink>
    std::size_t pop_due(std::int64_t now, std::size_t max, Sink sink)
    {
        std::size_t n = 0;
        while (n != max && !heap_.empty() && heap_.top().deadline <= now)
        {
            const lazy_element e = heap_.top();
            heap_.pop();
            if (e.sequence == sequence_[e.id])
            {
                sink(entry{e.deadline, e.id});
                ++n;
            }
            else
            {
                --dead_;
            }
        }
        return n;
    }

private:
    void drop_dead()
    {
        for (; !heap_.empty() && heap_.top().sequence != sequence_[heap_.top().id]; --dead_)
            heap_.pop();
    }

    Heap heap_;
    std::vector<std::uint32_t> sequence_;
    std::size_t dead_ = 0;
};

struct priority_queue : lazy_heap<standard_heap<lazy_element, later>>
{
    static constexpr const char* name = "std::priority_queue";
    using lazy_heap::lazy_heap;
};

struct four_ary : lazy_heap<four_ary_heap<lazy_element, later>>
{
    static constexpr const char* name = "4-ary heap";
    using lazy_heap::lazy_heap;
};

} // namespace bench

#endif
