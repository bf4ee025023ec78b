// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Against libuv, used as its users do: the handle is a member of something, uv_timer_start moves a deadline, and a
// handle is closed before its memory goes.

#include "peers.hpp"

#include <uv.h>

namespace {

class libuv_loop
{
public:
    static constexpr const char* name = "libuv";

    explicit libuv_loop(std::size_t n) : timers_(n)
    {
        uv_loop_init(&loop_);
        for (uv_timer_t*& t : timers_)
            t = make();
    }

    ~libuv_loop()
    {
        for (uv_timer_t* t : timers_)
            drop(t);
        uv_run(&loop_, UV_RUN_DEFAULT);
        uv_loop_close(&loop_);
    }

    libuv_loop(const libuv_loop&) = delete;
    libuv_loop& operator=(const libuv_loop&) = delete;

    void arm(std::size_t i, std::chrono::nanoseconds d)
    {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
        uv_timer_start(timers_[i], &fire, static_cast<std::uint64_t>(ms), 0);
    }

    void renew(std::size_t i, std::chrono::nanoseconds d)
    {
        drop(timers_[i]);
        timers_[i] = make();
        arm(i, d);
    }

    void poll() { uv_run(&loop_, UV_RUN_NOWAIT); }
    std::size_t fired() const { return fired_; }

private:
    uv_timer_t* make()
    {
        auto* t = new uv_timer_t;
        uv_timer_init(&loop_, t);
        t->data = this;
        return t;
    }

    static void drop(uv_timer_t* t)
    {
        uv_close(reinterpret_cast<uv_handle_t*>(t), [](uv_handle_t* h) { delete reinterpret_cast<uv_timer_t*>(h); });
    }

    static void fire(uv_timer_t* t) { ++static_cast<libuv_loop*>(t->data)->fired_; }

    uv_loop_t loop_;
    std::vector<uv_timer_t*> timers_;
    std::size_t fired_ = 0;
};

} // namespace

int main(int argc, char** argv)
{
    return bench::compare_with<libuv_loop>(argc, argv);
}
