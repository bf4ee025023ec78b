// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_QUEUES_ENTRY_HPP
#define BOOST_EXT_BENCH_QUEUES_ENTRY_HPP

// What every queue in this directory offers. Timers are numbered 0 .. n-1, and each is in the queue at most once.
//
//   explicit Queue(std::size_t n);
//   void push(std::uint32_t id, std::int64_t deadline);   // id is not in the queue
//   void cancel(std::uint32_t id);                        // id is in the queue
//   std::int64_t next();                                  // when the earliest is due; the queue is not empty
//   std::size_t pop_due(now, max, sink);                  // calls sink(entry) for at most max that are due, in order
//
// Deadlines are nanoseconds, and never earlier than the latest `now`.

#include <cstddef>
#include <cstdint>

namespace bench {

struct entry
{
    std::int64_t deadline;
    std::uint32_t id;
};

/// pop_due for a queue that has empty(), next() and pop(), the removal of the earliest.
template <class Queue, class Sink>
std::size_t pop_one_by_one(Queue& queue, std::int64_t now, std::size_t max, Sink sink)
{
    std::size_t n = 0;
    for (; n != max && !queue.empty() && queue.next() <= now; ++n)
        sink(queue.pop());
    return n;
}

} // namespace bench

#endif
