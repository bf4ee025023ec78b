// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// For libFuzzer: clang++ -fsanitize=fuzzer,address. BOOST_EXT_FUZZ_TRACE in the environment prints every operation.

#include "timer_fuzzer.hpp"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const bool trace = std::getenv("BOOST_EXT_FUZZ_TRACE") != nullptr;
    fuzz::timer_fuzzer f(data, size, trace);
    if (const auto failure = f.run())
    {
        std::fprintf(stderr, "timers and model disagree: %s\n", failure->c_str());
        std::abort();
    }
    return 0;
}
