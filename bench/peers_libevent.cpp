// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Against libevent, used as its users do: evtimer_new, evtimer_add (which moves a deadline too), event_free.

#include "peers.hpp"

#include <event2/event.h>

namespace {

class libevent_loop
{
public:
    static constexpr const char* name = "libevent";

    explicit libevent_loop(std::size_t n) : base_(event_base_new()), timers_(n)
    {
        for (event*& e : timers_)
            e = make();
    }

    ~libevent_loop()
    {
        for (event* e : timers_)
            event_free(e);
        event_base_free(base_);
    }

    libevent_loop(const libevent_loop&) = delete;
    libevent_loop& operator=(const libevent_loop&) = delete;

    void arm(std::size_t i, std::chrono::nanoseconds d)
    {
        const auto us = std::chrono::duration_cast<std::chrono::microseconds>(d).count();
        const timeval tv{us / 1000000, us % 1000000};
        evtimer_add(timers_[i], &tv);
    }

    void renew(std::size_t i, std::chrono::nanoseconds d)
    {
        event_free(timers_[i]);
        timers_[i] = make();
        arm(i, d);
    }

    void poll() { event_base_loop(base_, EVLOOP_NONBLOCK); }
    std::size_t fired() const { return fired_; }

private:
    event* make() { return evtimer_new(base_, &fire, this); }

    static void fire(evutil_socket_t, short, void* self) { ++static_cast<libevent_loop*>(self)->fired_; }

    event_base* base_;
    std::vector<event*> timers_;
    std::size_t fired_ = 0;
};

} // namespace

int main(int argc, char** argv)
{
    return bench::compare_with<libevent_loop>(argc, argv);
}
