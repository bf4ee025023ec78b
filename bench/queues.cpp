// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The data structures alone: ours against re-creations of what others use.
//
//   fill     push n
//   hold     pop the earliest, push it again, with n pending
//   cancel   cancel one picked at random, push it again, with n pending
//   drain    pop all of n: time going on in steps of 1 ms or to the next deadline; and all of them due at once
//
// The durations are random (up to 60 s), constant (30 s), or mixed (four in five are 1, 5 or 30 s, the fifth is random).

#include "harness.hpp"
#include "queues/binary_heap.hpp"
#include "queues/lazy_heap.hpp"
#include "queues/list_and_tree.hpp"
#include "queues/ours.hpp"
#include "queues/pair_of_sets.hpp"
#include "queues/wheel.hpp"

#include <memory>

namespace {

using namespace bench;

enum class durations
{
    random,   ///< uniform below a minute
    constant, ///< one timeout for all
    mixed     ///< a few usual ones, and some of any length
};

const char* name_of(durations d)
{
    return d == durations::random ? "random" : d == durations::constant ? "constant" : "mixed";
}

class duration_source
{
public:
    explicit duration_source(durations kind) : kind_(kind) {}

    std::int64_t operator()()
    {
        constexpr std::int64_t second = 1000000000;
        if (kind_ == durations::constant)
            return 30 * second;
        if (kind_ == durations::mixed)
        {
            const std::int64_t usual[] = {second, 5 * second, 30 * second, 30 * second};
            const std::size_t which = random_.below(5);
            if (which < 4)
                return usual[which];
        }
        return static_cast<std::int64_t>(random_.below(60 * second));
    }

private:
    durations kind_;
    random_source random_{99};
};

const std::vector<row_name> rows{{"queue: fill", "ns"}, {"queue: hold", "ns"}, {"queue: cancel", "ns"},
    {"queue: drain, 1 ms steps", "ns"}, {"queue: drain", "ns"}};

/// The workloads on one queue, in nanoseconds an operation, in the order of `rows`.
template <class Queue>
std::vector<double> measure(std::size_t n, std::size_t slice, durations kind)
{
    // No longer than this a workload: a cancel that searches a list of thousands would take minutes.
    constexpr double patience = 3e9;

    duration_source duration(kind);
    random_source random(17);
    std::int64_t now = 0;
    auto queue = std::make_unique<Queue>(n);

    auto start = clock::now();
    for (std::size_t i = 0; i < n; ++i)
        queue->push(static_cast<std::uint32_t>(i), (now += 100) + duration());
    const double fill = nanoseconds_since(start) / static_cast<double>(n);

    start = clock::now();
    std::size_t done = 0;
    entry again{};
    while (done < slice)
    {
        now = std::max(now, queue->next());
        if (queue->pop_due(now, 1, [&](const entry& e) { again = e; }) == 0)
            continue;
        queue->push(again.id, now + duration());
        ++done;
    }
    const double hold = nanoseconds_since(start) / static_cast<double>(done);

    start = clock::now();
    for (done = 0; done < slice; ++done)
    {
        const auto id = static_cast<std::uint32_t>(random.below(n));
        queue->cancel(id);
        queue->push(id, now + duration());
        if (done % 64 == 63 && nanoseconds_since(start) > patience)
            break;
    }
    const double cancel = nanoseconds_since(start) / static_cast<double>(done);

    start = clock::now();
    std::int64_t last = 0;
    std::uint64_t disorder = 0;
    for (done = 0; done < n;)
    {
        done += queue->pop_due(now, n, [&](const entry& e) {
            disorder += e.deadline / 1000000 < last / 1000000;
            last = e.deadline;
        });
        if (done < n)
            now = std::max(now + 1000000, queue->next());
    }
    const double drain = nanoseconds_since(start) / static_cast<double>(n);
    if (disorder != 0)
        std::fprintf(stderr, "\n%s: %zu out of order\n", Queue::name, static_cast<std::size_t>(disorder));

    // Everything due when the queue is asked for the first time: after a stall, or at the end.
    queue = std::make_unique<Queue>(n);
    for (std::size_t i = 0; i < n; ++i)
        queue->push(static_cast<std::uint32_t>(i), static_cast<std::int64_t>(i) * 100 + duration());
    now = static_cast<std::int64_t>(n) * 100 + 61000000000;
    start = clock::now();
    done = queue->pop_due(now, n, [](const entry&) {});
    const double drain_all = nanoseconds_since(start) / static_cast<double>(n);
    if (done != n)
        std::fprintf(stderr, "\n%s: %zu of %zu\n", Queue::name, done, n);
    return {fill, hold, cancel, drain, drain_all};
}

template <class... Peers>
void compare_all(report& out, const options& o, std::size_t n, durations kind)
{
    const std::size_t rounds = o.rounds_or(5);
    const std::size_t slice = std::max<std::size_t>(std::min<std::size_t>(n, 1000000), o.quick ? 100000 : 300000);
    // Ours once a round, then every peer: one figure of ours serves them all.
    std::vector<std::vector<result>> results(sizeof...(Peers), std::vector<result>(rows.size()));
    for (std::size_t round = 0; round < rounds; ++round)
    {
        progress(std::string("queues, ") + name_of(kind), n, round + 1, rounds);
        const std::vector<double> mine = measure<ours>(n, slice, kind);
        std::size_t p = 0;
        const auto one = [&](const char* peer, const std::vector<double>& theirs) {
            for (std::size_t i = 0; i < rows.size(); ++i)
            {
                result& r = results[p][i];
                r.row = rows[i].name;
                r.unit = rows[i].unit;
                r.variant = name_of(kind);
                r.peer = peer;
                r.n = n;
                r.ours.push_back(mine[i]);
                r.theirs.push_back(theirs[i]);
            }
            ++p;
        };
        (one(Peers::name, measure<Peers>(n, slice, kind)), ...);
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::vector<result>& peer : results)
            out.add(std::move(peer[i]));
}

} // namespace

int main(int argc, char** argv)
{
    const options o(argc, argv);
    report out("queues", o);
    std::vector<std::size_t> sizes{1000, 10000, 100000, 1000000, 10000000};
    if (o.quick)
        sizes = {1000, 100000, 1000000};
    for (std::size_t n : sizes)
    {
        if (o.max_n && n > o.max_n)
            continue;
        for (durations kind : {durations::random, durations::constant, durations::mixed})
        {
            if (!o.wants(name_of(kind)) || (o.quick && kind != durations::random && n != 100000))
                continue;
            if (n < 10000000)
                compare_all<binary_heap, pair_of_sets, list_and_tree, wheel, priority_queue, four_ary>(out, o, n, kind);
            else if (kind == durations::random)
                compare_all<binary_heap, wheel, priority_queue, four_ary>(out, o, n, kind);
        }
    }
}
