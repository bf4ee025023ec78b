// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The model-based fuzzing of test/fuzz on random bytes, for compilers without libFuzzer. The same inputs every time unless told:
//
//   BOOST_EXT_FUZZ_SEED     start with this seed (1); 0: with one that nobody knows before
//   BOOST_EXT_FUZZ_SECONDS  go on for so long, instead of for a number of inputs
//   BOOST_EXT_FUZZ_TRACE    run one seed only, and print every operation

#include "fuzz/timer_fuzzer.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace {

std::uint64_t number(const char* name, std::uint64_t otherwise)
{
    const char* const value = std::getenv(name);
    return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

std::vector<std::uint8_t> input(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> bytes(random() % (std::uint64_t{1} << (3 + seed % 9)));
    for (std::uint8_t& b : bytes)
        b = static_cast<std::uint8_t>(random() >> 32);
    return bytes;
}

struct totals
{
    std::uint64_t inputs = 0;
    std::uint64_t operations = 0;
    std::uint64_t completions = 0;

    void add(std::uint64_t seed, bool trace)
    {
        const std::vector<std::uint8_t> bytes = input(seed);
        fuzz::timer_fuzzer f(bytes.data(), bytes.size(), trace);
        const auto failure = f.run();
        BOOST_REQUIRE_MESSAGE(!failure, failure.value_or("") << "; to repeat: BOOST_EXT_FUZZ_TRACE=1 BOOST_EXT_FUZZ_SEED=" << seed);
        ++inputs;
        operations += f.operations();
        completions += f.completions();
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(fuzz_random)

BOOST_AUTO_TEST_CASE(what_failed_once_stays_right)
{
    totals t;
    // An entry beyond the last list of the heap's front, which then was taken for one inside it.
    for (const std::uint64_t seed : {7001u, 7818u})
        t.add(seed, false);
    BOOST_TEST(t.completions > 0u);
}

BOOST_AUTO_TEST_CASE(random_operations_agree_with_the_model)
{
    std::uint64_t first = number("BOOST_EXT_FUZZ_SEED", 1);
    if (first == 0)
        first = std::random_device{}();
    const bool trace = std::getenv("BOOST_EXT_FUZZ_TRACE") != nullptr;
    const std::uint64_t seconds = number("BOOST_EXT_FUZZ_SECONDS", 0);
    // Under a sanitizer or on a busy machine fewer inputs do.
    const std::uint64_t inputs = trace ? 1 : seconds != 0 ? (std::numeric_limits<std::uint64_t>::max)() : 1000;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds != 0 ? seconds : 10);

    std::printf("seeds from %llu on\n", static_cast<unsigned long long>(first));
    totals t;
    while (t.inputs < inputs && std::chrono::steady_clock::now() < end)
        t.add(first + t.inputs, trace);
    std::printf("%llu inputs, %llu operations, %llu completions\n", static_cast<unsigned long long>(t.inputs),
        static_cast<unsigned long long>(t.operations), static_cast<unsigned long long>(t.completions));
    BOOST_TEST((trace || t.completions > 0u));
}

BOOST_AUTO_TEST_SUITE_END()
