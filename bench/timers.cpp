// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// boost_ext::steady_timer against boost::asio::steady_timer: the same program text, once with each type.

#include "timer_workloads.hpp"

namespace {

using namespace bench;

template <class Executor>
using asio_timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

template <class Executor>
using ext_timer =
    boost_ext::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

constexpr const char* peer = "Asio";

/// Both subjects stay alive; short slices alternate. For workloads whose population does not change.
template <class Ours, class Theirs>
void steady_state(
    report& out, const options& o, const std::string& row, const std::string& variant, std::size_t n, std::size_t slice)
{
    if (!o.wants(row))
        return;
    progress(row + ": filling", n, 0, 0);
    Ours ours(n);
    Theirs theirs(n);
    ours.run(slice / 4 + n / 4);
    theirs.run(slice / 4 + n / 4);
    compare(
        out, {{row, "ns"}}, variant, peer, n, o.rounds_or(o.quick ? 7 : 11), [&] { return std::vector<double>{ours.run(slice)}; },
        [&] { return std::vector<double>{theirs.run(slice)}; });
}

/// Everything that is built anew in each round.
template <class Ours, class Theirs>
void one_shot(report& out, const options& o, const std::vector<row_name>& rows, const std::string& variant, std::size_t n,
    Ours ours, Theirs theirs)
{
    if (!o.wants(rows[0].name))
        return;
    compare(out, rows, variant, peer, n, o.rounds_or(n > 1000000 ? 5 : o.quick ? 5 : 7), ours, theirs);
}

template <class Executor>
void all_rows(report& out, const options& o, const std::string& variant, const std::vector<std::size_t>& sizes)
{
    using ours = ext_timer<Executor>;
    using theirs = asio_timer<Executor>;
    const std::size_t slice = o.quick ? 100000 : 300000;

    for (std::size_t n : sizes)
        steady_state<rearm<ours>, rearm<theirs>>(out, o, "re-arm", variant, n, slice);
    for (std::size_t n : sizes)
        steady_state<reschedule<ours>, rearm<theirs>>(out, o, "reschedule_after", variant, n, slice);
    for (std::size_t n : sizes)
        if (!o.quick || n == 1000)
        {
            steady_state<rearm<ours, any_duration>, rearm<theirs, any_duration>>(
                out, o, "re-arm, earlier or later", variant, n, slice);
            steady_state<reschedule<ours, any_duration>, rearm<theirs, any_duration>>(
                out, o, "reschedule_after, earlier or later", variant, n, slice);
        }
    for (std::size_t n : sizes)
        steady_state<lifecycle<ours, false>, lifecycle<theirs, false>>(out, o, "lifecycle", variant, n, slice);
    for (std::size_t n : sizes)
        steady_state<lifecycle<ours, true>, lifecycle<theirs, true>>(out, o, "lifecycle, random order", variant, n, slice);

    for (std::size_t n : sizes)
        one_shot(
            out, o, {{"schedule", "ns"}, {"expire", "ns"}}, variant, n, [n] { return schedule_and_expire<ours>(n); },
            [n] { return schedule_and_expire<theirs>(n); });
    for (std::size_t n : sizes)
        if (n >= 1000000 && n < 10000000)
            one_shot(
                out, o, {{"expire, all at once", "ns"}, {"expire, longest wait of a post", "ms"}}, variant, n,
                [n] { return expire_at_once<ours>(n); }, [n] { return expire_at_once<theirs>(n); });

    for (std::size_t n : sizes)
        if (n < 10000000)
            steady_state<two_threads<ours, rearm_step>, two_threads<theirs, rearm_step>>(
                out, o, "re-arm, two threads", variant, n, slice);
    for (std::size_t n : sizes)
        if (n < 10000000)
            steady_state<two_threads<ours, reschedule_step>, two_threads<theirs, rearm_step>>(
                out, o, "reschedule_after, two threads", variant, n, slice);

    for (std::size_t n : sizes)
        if (n < 10000000 && o.wants("memory per pending wait"))
            compare(
                out, {{"memory per pending wait", "B"}}, variant, peer, n, 2, [n] { return memory_per_wait<ours>(n); },
                [n] { return memory_per_wait<theirs>(n); });
    if (o.wants("memory kept after 1 M cancelled"))
        compare(
            out, {{"memory kept after 1 M cancelled", "KiB"}}, variant, peer, 1000, 2,
            [] { return memory_after_burst<ours>(1000, 1000000); }, [] { return memory_after_burst<theirs>(1000, 1000000); });
}

} // namespace

int main(int argc, char** argv)
{
    const bench::options o(argc, argv);
    bench::report out("timers", o);
    bench::describe(out);

    std::vector<std::size_t> sizes{1000, 100000, 1000000};
    if (!o.quick)
        sizes.push_back(10000000);
    if (o.max_n)
        sizes.erase(std::remove_if(sizes.begin(), sizes.end(), [&](std::size_t n) { return n > o.max_n; }), sizes.end());

    all_rows<boost::asio::any_io_executor>(out, o, "any", sizes);
    // The executor makes a difference to what an operation costs, and none to how that grows.
    sizes.erase(
        std::remove_if(sizes.begin(), sizes.end(), [&](std::size_t n) { return n > (o.quick ? 1000u : 1000000u); }), sizes.end());
    all_rows<boost::asio::io_context::executor_type>(out, o, "io_context", sizes);
}
