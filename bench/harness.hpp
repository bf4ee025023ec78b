// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_HARNESS_HPP
#define BOOST_EXT_BENCH_HARNESS_HPP

// The method, for every program in this directory:
//
// - Two subjects are measured in the same process in alternating rounds (ours, theirs, ours, theirs, ...), so that
//   whatever else the machine does falls on both.
// - Each round gives one ratio, theirs / ours. The median of these ratios is the result, and the smallest and the
//   greatest one are its spread. Nanoseconds are shown for orientation; only ratios travel between machines.
// - Which subject goes first changes from round to round.
// - Progress goes to the standard error stream, the results to a JSON file.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using clock = std::chrono::steady_clock;

/// Nanoseconds since `start`.
inline double nanoseconds_since(clock::time_point start)
{
    return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

/// A small generator with 64 bits of state: its cost must not show beside what is measured.
class random_source
{
public:
    explicit random_source(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

    std::uint64_t operator()()
    {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    /// A value in [0, bound), by multiplication: a division would show beside a fast timer.
    std::size_t below(std::size_t bound)
    {
        __extension__ typedef unsigned __int128 wide;
        return static_cast<std::size_t>(static_cast<wide>((*this)()) * bound >> 64);
    }

    /// A duration in [0, bound).
    std::chrono::nanoseconds below(std::chrono::nanoseconds bound)
    {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(below(static_cast<std::size_t>(bound.count()))));
    }

private:
    std::uint64_t state_;
};

/// What the command line asked for.
struct options
{
    bool quick = false;     ///< fewer sizes, shorter rounds
    std::size_t rounds = 0; ///< 0: the program's own choice, at least five
    std::size_t max_n = 0;  ///< 0: the program's own choice
    std::string json;       ///< where the results go; empty: nowhere
    std::string only;       ///< run only rows whose name contains this

    options(int argc, char** argv)
    {
        for (int i = 1; i < argc; ++i)
        {
            const std::string a = argv[i];
            const auto value = [&]() -> std::string {
                if (i + 1 == argc)
                    usage(argv[0]);
                return argv[++i];
            };
            if (a == "--quick")
                quick = true;
            else if (a == "--rounds")
                rounds = std::strtoul(value().c_str(), nullptr, 10);
            else if (a == "--max")
                max_n = std::strtoul(value().c_str(), nullptr, 10);
            else if (a == "--json")
                json = value();
            else if (a == "--only")
                only = value();
            else
                usage(argv[0]);
        }
    }

    bool wants(const std::string& row) const { return only.empty() || row.find(only) != std::string::npos; }

    std::size_t rounds_or(std::size_t otherwise) const { return rounds ? rounds : otherwise; }

private:
    [[noreturn]] static void usage(const char* program)
    {
        std::fprintf(stderr, "usage: %s [--quick] [--rounds N] [--max PENDING] [--json FILE] [--only PART_OF_A_NAME]\n", program);
        std::exit(2);
    }
};

/// One measured comparison: the values of each round.
struct result
{
    std::string row;     ///< what was done
    std::string variant; ///< the executor, the distribution, ...
    std::string peer;    ///< who was compared
    std::string unit;
    std::size_t n = 0; ///< how many were pending
    std::vector<double> ours, theirs;
};

inline double median(std::vector<double> v)
{
    if (v.empty())
        return 0;
    std::sort(v.begin(), v.end());
    const std::size_t h = v.size() / 2;
    return v.size() % 2 ? v[h] : (v[h - 1] + v[h]) / 2;
}

/// theirs / ours for every round; 1 where both are 0, as nothing is to choose between them. A count of ours that is 0
/// is taken as 1, so that the ratio stays a number.
inline std::vector<double> ratios(const result& r)
{
    std::vector<double> q;
    for (std::size_t i = 0; i < r.ours.size() && i < r.theirs.size(); ++i)
        q.push_back(r.ours[i] == r.theirs[i] ? 1.0 : r.theirs[i] / (r.ours[i] == 0 ? 1.0 : r.ours[i]));
    return q;
}

/// Collects results, tells of each as it comes, and writes them all as JSON at the end.
class report
{
public:
    report(std::string program, const options& o) : program_(std::move(program)), file_(o.json) {}

    report(const report&) = delete;
    report& operator=(const report&) = delete;

    ~report() { write(); }

    void add(result r)
    {
        const std::vector<double> q = ratios(r);
        std::fprintf(stderr, "\r\033[K%-34s %-12s %9zu  %-10s", r.row.c_str(), r.variant.c_str(), r.n, r.peer.c_str());
        std::fprintf(stderr, " ours %10.1f  theirs %10.1f %-5s", median(r.ours), median(r.theirs), r.unit.c_str());
        if (!q.empty())
            std::fprintf(stderr, "  ratio %6.2f  [%.2f, %.2f]", median(q), *std::min_element(q.begin(), q.end()),
                *std::max_element(q.begin(), q.end()));
        std::fprintf(stderr, "\n");
        results_.push_back(std::move(r));
        write();
    }

    /// Extra data for a plot: a named list of numbers.
    void add_series(std::string name, std::vector<double> values) { series_.emplace_back(std::move(name), std::move(values)); }

private:
    static void list(std::FILE* f, const std::vector<double>& v)
    {
        std::fprintf(f, "[");
        for (std::size_t i = 0; i < v.size(); ++i)
            std::fprintf(f, "%s%.6g", i ? ", " : "", v[i]);
        std::fprintf(f, "]");
    }

    // After each result, so that an interrupted run leaves what it has measured.
    void write() const
    {
        if (file_.empty())
            return;
        std::FILE* f = std::fopen(file_.c_str(), "w");
        if (!f)
        {
            std::perror(file_.c_str());
            std::exit(1);
        }
        std::fprintf(f, "{\n  \"program\": \"%s\",\n  \"results\": [", program_.c_str());
        const char* separator = "\n";
        for (const result& r : results_)
        {
            std::fprintf(f, "%s    {\"row\": \"%s\", \"variant\": \"%s\", \"peer\": \"%s\", \"unit\": \"%s\", \"n\": %zu,\n",
                separator, r.row.c_str(), r.variant.c_str(), r.peer.c_str(), r.unit.c_str(), r.n);
            std::fprintf(f, "     \"ours\": ");
            list(f, r.ours);
            std::fprintf(f, ", \"theirs\": ");
            list(f, r.theirs);
            std::fprintf(f, ", \"ratios\": ");
            list(f, ratios(r));
            std::fprintf(f, "}");
            separator = ",\n";
        }
        std::fprintf(f, "\n  ],\n  \"series\": {");
        separator = "\n";
        for (const auto& s : series_)
        {
            std::fprintf(f, "%s    \"%s\": ", separator, s.first.c_str());
            list(f, s.second);
            separator = ",\n";
        }
        std::fprintf(f, "\n  }\n}\n");
        std::fclose(f);
    }

    std::string program_;
    std::string file_;
    std::vector<result> results_;
    std::vector<std::pair<std::string, std::vector<double>>> series_;
};

inline void progress(const std::string& what, std::size_t n, std::size_t round, std::size_t rounds)
{
    std::fprintf(stderr, "\r\033[K... %s, %zu pending, round %zu of %zu", what.c_str(), n, round, rounds);
    std::fflush(stderr);
}

struct row_name
{
    std::string name;
    std::string unit;
};

/// Calls ours() and theirs() in alternating rounds. Each returns one number for every row of `rows`.
template <class Ours, class Theirs>
void compare(report& out, const std::vector<row_name>& rows, const std::string& variant, const std::string& peer, std::size_t n,
    std::size_t rounds, Ours ours, Theirs theirs)
{
    std::vector<result> results(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        results[i].row = rows[i].name;
        results[i].variant = variant;
        results[i].peer = peer;
        results[i].unit = rows[i].unit;
        results[i].n = n;
    }
    for (std::size_t round = 0; round < rounds; ++round)
    {
        progress(rows[0].name, n, round + 1, rounds);
        std::vector<double> a, b;
        if (round % 2 == 0)
        {
            a = ours();
            b = theirs();
        }
        else
        {
            b = theirs();
            a = ours();
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            results[i].ours.push_back(a[i]);
            results[i].theirs.push_back(b[i]);
        }
    }
    for (result& r : results)
        out.add(std::move(r));
}

} // namespace bench

#endif
