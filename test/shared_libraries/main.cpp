// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Two shared libraries with hidden symbols share a context, and so its timer service: what either looks for there by its address must not
// be its own copy.

#include <boost/asio/io_context.hpp>

#include <cstdio>

extern "C" {
void a_arm(boost::asio::io_context&, long&);
void b_arm(boost::asio::io_context&, long&);
void a_destroy_all_but_the_last();
void b_destroy_all_but_the_last();
void a_destroy();
void b_destroy();
}

int main()
{
    boost::asio::io_context context;
    long completed = 0;
    for (int round = 0; round != 3; ++round)
    {
        a_arm(context, completed);
        a_destroy_all_but_the_last();
        context.poll();
        b_arm(context, completed);
        context.poll();
        b_destroy_all_but_the_last();
        context.poll();
    }
    a_destroy();
    b_destroy();
    context.run();
    std::printf("%ld waits completed\n", completed);
    return completed == 3 * 2 * 20000 ? 0 : 1;
}
