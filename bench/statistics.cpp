// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Nanoseconds of a re-arm with 1,000 pending. Built twice, with and without BOOST_EXT_ENABLE_STATISTICS.

#include "timer_workloads.hpp"

#include <boost_ext/timer_statistics.hpp>

int main()
{
    bench::rearm<boost_ext::steady_timer> subject(1000);
    subject.run(200000);
    std::printf("%.2f", subject.run(1000000));
}
