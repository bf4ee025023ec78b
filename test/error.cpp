// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/error.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <type_traits>

BOOST_AUTO_TEST_SUITE(error)

BOOST_AUTO_TEST_CASE(stopped_is_an_error_code)
{
    static_assert(boost::system::is_error_code_enum<std::remove_cv_t<decltype(boost_ext::error::stopped)>>::value, "");
    const boost::system::error_code ec = boost_ext::error::stopped;
    BOOST_TEST(ec.failed());
    BOOST_TEST((ec == boost_ext::error::stopped));
    BOOST_TEST((ec == make_error_code(boost_ext::error::stopped)));
    BOOST_TEST((ec != boost::asio::error::operation_aborted));
    BOOST_TEST((boost::system::error_code() != boost_ext::error::stopped));
}

BOOST_AUTO_TEST_CASE(has_its_own_category)
{
    const boost::system::error_code ec = boost_ext::error::stopped;
    BOOST_TEST((ec.category() == boost_ext::error::get_timer_category()));
    BOOST_TEST((ec.category() != boost::system::system_category()));
    BOOST_TEST((ec.category() != boost::system::generic_category()));
    BOOST_TEST(std::string(ec.category().name()) == "boost_ext.timers");
    BOOST_TEST(ec.message().find("stopped") != std::string::npos);
    BOOST_TEST(ec.category().message(99) != ec.message());
    const boost_ext::error::timer_category_type another;
    BOOST_TEST((ec.category() == another));
}

BOOST_AUTO_TEST_SUITE_END()
