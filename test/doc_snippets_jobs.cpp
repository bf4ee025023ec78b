// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The code on the documentation's pages about jobs and named timers: see doc_snippets_timers.cpp.

#include <boost_ext/error.hpp>
#include <boost_ext/job_scheduler.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/named_timers.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::job_id;
using boost_ext::missed_tick;
using namespace std::chrono_literals;

using clock_type = boost_ext::basic_manual_clock<struct doc_snippets_jobs_tag>;
using job_scheduler = boost_ext::basic_job_scheduler<clock_type>;
using named_timers = boost_ext::basic_named_timers<clock_type>;

BOOST_AUTO_TEST_SUITE(doc_snippets_jobs)

BOOST_AUTO_TEST_CASE(shows_jobs)
{
    clock_type::reset();
    std::vector<std::string> log;
    // tag::jobs[]
    asio::io_context io;
    job_scheduler jobs(io);

    jobs.run_after(5s, [&] { log.push_back("warm the cache"); });
    job_id hourly = jobs.run_every(1h, [&] { log.push_back("rotate the logs"); });
    jobs.run_at(clock_type::now() + 150min, [&, hourly] {
        jobs.cancel(hourly);    // true: it will not start again
        log.push_back("shut down");
    });
    // end::jobs[]
    clock_type::run(io);
    BOOST_TEST((log == std::vector<std::string>{"warm the cache", "rotate the logs", "rotate the logs", "shut down"}));
    BOOST_TEST(jobs.size() == 0u);
}

BOOST_AUTO_TEST_CASE(shows_own_id)
{
    clock_type::reset();
    // tag::own_id[]
    asio::io_context io;
    job_scheduler jobs(io);
    int runs = 0;

    jobs.run_every(10s, [&, attempt = std::make_unique<int>(0)](job_id self) {
        ++runs;
        if (++*attempt == 3)
            jobs.cancel(self);
    });
    // end::own_id[]
    clock_type::run(io);
    BOOST_TEST(runs == 3);
}

BOOST_AUTO_TEST_CASE(shows_reschedule)
{
    clock_type::reset();
    bool lost = false;
    // tag::watchdog[]
    asio::io_context io;
    job_scheduler jobs(io);
    job_id watchdog = jobs.run_after(30s, [&] { lost = true; });

    // False once it has run.
    auto on_sign_of_life = [&] { return jobs.reschedule_after(watchdog, 30s); };
    // end::watchdog[]
    for (int i = 0; i < 10; ++i)
    {
        clock_type::run_for(io, 20s);
        BOOST_TEST(on_sign_of_life());
    }
    BOOST_TEST(!lost);
    clock_type::run(io);
    BOOST_TEST(lost);
    BOOST_TEST(!on_sign_of_life());
}

BOOST_AUTO_TEST_CASE(shows_strict_cancel)
{
    clock_type::reset();
    bool b_ran = false;
    // tag::strict[]
    asio::io_context io;
    job_scheduler jobs(io);
    job_id b;

    jobs.run_after(1s, [&] { jobs.cancel(b); });
    // Due in the same instant, and queued already.
    b = jobs.run_after(1s, [&] { b_ran = true; });

    clock_type::run(io);
    BOOST_TEST(!b_ran);
    // end::strict[]
}

BOOST_AUTO_TEST_CASE(shows_async_cancel)
{
    clock_type::reset();
    // tag::async_cancel[]
    asio::io_context io;
    job_scheduler jobs(io);
    auto buffer = std::make_unique<std::string>();
    job_id writer = jobs.run_every(1s, [&] { buffer->push_back('x'); });

    jobs.async_cancel(writer, [&](error_code ec, bool was_cancelled) {
        if (!ec && was_cancelled)
            buffer.reset();    // safe: no run is going on, and none will start
    });
    // end::async_cancel[]
    clock_type::run(io);
    BOOST_TEST(!buffer);
}

BOOST_AUTO_TEST_CASE(shows_shutdown)
{
    clock_type::reset();
    // tag::shutdown[]
    asio::io_context io;
    auto database = std::make_unique<std::string>();
    job_scheduler jobs(io);
    jobs.run_every(1min, [&] { database->push_back('x'); });

    // Later, when the server is to end:
    jobs.async_stop([&](error_code ec) {
        if (!ec)
            database.reset();    // no job is running, and none will start
    });
    io.run();
    // end::shutdown[]
    BOOST_TEST(!database);
    BOOST_TEST(jobs.size() == 0u);
}

BOOST_AUTO_TEST_CASE(shows_sessions)
{
    clock_type::reset();
    std::map<std::string, std::string> fate;
    // tag::names[]
    asio::io_context io;
    named_timers sessions(io);

    for (std::string user : {"alice", "bob", "carol"})
        sessions.async_wait(user, 30min, [&, user](error_code ec) {
            if (!ec)
                fate[user] = "expired";
            else if (ec == asio::error::operation_aborted)
                fate[user] = "logged out";
            else if (ec == boost_ext::error::stopped)
                fate[user] = "server stopped";
        });

    clock_type::run_for(io, 20min);
    sessions.reschedule_after("alice", 30min);    // she was active
    sessions.cancel("bob");                       // he logged out
    clock_type::run_for(io, 10min);               // carol's time is up
    sessions.stop();
    io.run();
    // end::names[]
    BOOST_TEST(fate["alice"] == "server stopped");
    BOOST_TEST(fate["bob"] == "logged out");
    BOOST_TEST(fate["carol"] == "expired");
    BOOST_TEST(sessions.size() == 0u);
}

// tag::requests[]
class requests
{
public:
    explicit requests(asio::io_context& io) : pending_(io) {}

    void send(const std::string& id)
    {
        pending_.async_wait(id, 5s, [this](error_code ec) {
            if (!ec)
                ++timed_out;
        });
    }

    // True for exactly the answers that came in time.
    bool on_answer(const std::string& id) { return pending_.cancel(id, 1) == 1; }

    int timed_out = 0;

private:
    named_timers pending_;
};
// end::requests[]

BOOST_AUTO_TEST_CASE(shows_requests)
{
    clock_type::reset();
    asio::io_context io;
    requests r(io);
    r.send("quick");
    r.send("slow");
    clock_type::run_for(io, 4s);
    BOOST_TEST(r.on_answer("quick"));
    clock_type::run_for(io, 1s);
    BOOST_TEST(!r.on_answer("slow"));
    BOOST_TEST(!r.on_answer("quick"));
    BOOST_TEST(r.timed_out == 1);
}

BOOST_AUTO_TEST_CASE(shows_debounce_by_key)
{
    clock_type::reset();
    int indexed = 0;
    // tag::by_key[]
    asio::io_context io;
    named_timers quiet(io);

    auto on_change = [&](const std::string& path) {
        if (quiet.reschedule_after(path, 200ms) == 0)    // nothing was pending for it
            quiet.async_wait(path, 200ms, [&](error_code ec) { indexed += !ec; });
    };
    // end::by_key[]
    for (int i = 0; i < 10; ++i)
    {
        on_change("a.txt");
        on_change("b.txt");
        clock_type::run_for(io, 10ms);
    }
    clock_type::run(io);
    BOOST_TEST(indexed == 2);
}

BOOST_AUTO_TEST_CASE(shows_prepared)
{
    clock_type::reset();
    error_code result;
    // tag::prepare[]
    asio::io_context io;
    named_timers names(io);

    // Has its name and its place, but does not run yet.
    auto request = names.prepare("request-7", 5s);
    BOOST_TEST(names.contains("request-7"));

    names.cancel("request-7");    // whoever is quicker than the start
    request.async_start([&](error_code ec) { result = ec; });
    // end::prepare[]
    clock_type::run(io);
    BOOST_TEST(result == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_SUITE_END()
