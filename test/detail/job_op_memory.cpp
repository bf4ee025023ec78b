// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/detail/job_op_memory.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <memory>

namespace {

using boost_ext::detail::job_op_allocator;
using boost_ext::detail::job_op_room;
using block = std::array<char, 48>;

} // namespace

BOOST_AUTO_TEST_SUITE(job_op_memory)

BOOST_AUTO_TEST_CASE(the_room_is_used_again)
{
    job_op_room<64> memory;
    job_op_allocator<block> a(memory);
    block* const first = a.allocate(1);
    block* const second = a.allocate(1);
    BOOST_TEST(static_cast<void*>(first) == memory.room());
    BOOST_TEST(static_cast<void*>(second) != memory.room());
    a.deallocate(first, 1);
    block* const third = a.allocate(1);
    BOOST_TEST(third == first);
    a.deallocate(third, 1);
    a.deallocate(second, 1);
}

BOOST_AUTO_TEST_CASE(what_did_not_fit_may_outlive_the_memory)
{
    auto memory = std::make_unique<job_op_room<64>>();
    job_op_allocator<block> a(*memory);
    block* const first = a.allocate(1);
    block* const second = a.allocate(1);
    a.deallocate(first, 1);
    memory.reset();
    a.deallocate(second, 1); // AddressSanitizer tells if this looks at the memory
}

BOOST_AUTO_TEST_SUITE_END()
