// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_QUEUES_OURS_HPP
#define BOOST_EXT_BENCH_QUEUES_OURS_HPP

#include "entry.hpp"

#include <boost_ext/detail/timer_queue.hpp>

#include <cstddef>
#include <vector>

namespace bench {

/// The queue of this library: a monotone radix heap with lazy deletion.
class ours
{
public:
    static constexpr const char* name = "boost_ext";

    explicit ours(std::size_t n) : handles_(n), queue_(0) {}

    void push(std::uint32_t id, std::int64_t deadline) { handles_[id] = queue_.insert(static_cast<std::uint64_t>(deadline), id); }

    void cancel(std::uint32_t id) { queue_.erase(handles_[id]); }

    std::int64_t next() { return static_cast<std::int64_t>(queue_.next_wake()); }

    template <class Sink>
    std::size_t pop_due(std::int64_t now, std::size_t max, Sink sink)
    {
        return queue_.collect(
            static_cast<std::uint64_t>(now), max, [](std::uint32_t) {},
            [&](std::uint32_t id, std::uint64_t deadline) {
                sink(entry{static_cast<std::int64_t>(deadline), id});
            });
    }

private:
    std::vector<boost_ext::detail::timer_handle> handles_;
    boost_ext::detail::timer_queue<std::uint32_t> queue_;
};

} // namespace bench

#endif
