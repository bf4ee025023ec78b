// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/job_id.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <type_traits>
#include <unordered_set>

using boost_ext::job_id;

BOOST_AUTO_TEST_SUITE(job_id_values)

BOOST_AUTO_TEST_CASE(the_empty_id_is_a_value)
{
    static_assert(std::is_trivially_copyable<job_id>::value, "");
    constexpr job_id none{};
    static_assert(none == job_id(), "");
    BOOST_TEST(!(none != job_id()));
    BOOST_TEST(!(none < job_id()));
    BOOST_TEST(hash_value(none) == std::hash<job_id>()(job_id{}));
    BOOST_TEST(boost_ext::hash_value(none) == hash_value(none));
}

#if defined(__cpp_lib_three_way_comparison)
BOOST_AUTO_TEST_CASE(a_class_that_holds_one_can_have_its_comparisons_defaulted)
{
    struct task
    {
        job_id id;
        int priority;
        auto operator<=>(const task&) const = default;
    };
    static_assert(task{job_id(), 1} < task{job_id(), 2}, "");
    static_assert((job_id() <=> job_id()) == 0, "");
    BOOST_TEST((task{job_id(), 1} == task{job_id(), 1}));
}
#endif

BOOST_AUTO_TEST_CASE(can_be_a_key)
{
    std::unordered_set<job_id> standard{job_id{}, job_id{}};
    boost::unordered_flat_set<job_id> flat{job_id{}, job_id{}};
    BOOST_TEST(standard.size() == 1u);
    BOOST_TEST(flat.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
