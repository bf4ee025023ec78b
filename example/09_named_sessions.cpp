// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// A session table whose sessions expire by name: every packet moves the expiry, logging out
// cancels it, and shutting down ends all of them.

#include <boost_ext/error.hpp>
#include <boost_ext/named_timers.hpp>
#include <boost_ext/steady_timer.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <iostream>
#include <map>
#include <string>

using namespace std::chrono_literals;
using boost::system::error_code;

namespace {

class session_table
{
public:
    session_table(boost::asio::io_context& io, std::chrono::milliseconds idle)
        : expiries_(io), idle_(idle)
    {
    }

    void log_in(const std::string& user)
    {
        expiries_.async_wait(user, idle_, [this, user](error_code ec) {
            if (!ec)
                end_[user] = "expired";
            else if (ec == boost::asio::error::operation_aborted)
                end_[user] = "logged out";
            else if (ec == boost_ext::error::stopped)
                end_[user] = "the server stopped";
        });
    }

    /// One look-up and one store: no allocation, no cancelled wait, no system call.
    bool packet(const std::string& user)
    {
        return expiries_.reschedule_after(user, idle_) != 0;
    }

    /// True: the handler gets operation_aborted, even if the session's time is up already.
    bool log_out(const std::string& user) { return expiries_.cancel(user) != 0; }

    bool is_logged_in(const std::string& user) const { return expiries_.contains(user); }
    void shut_down() { expiries_.stop(); }
    const std::map<std::string, std::string>& ends() const { return end_; }

private:
    boost_ext::named_timers expiries_;
    std::chrono::milliseconds idle_;
    std::map<std::string, std::string> end_;
};

} // namespace

int main()
{
    boost::asio::io_context io;
    session_table sessions(io, 500ms);

    for (const char* user : {"alice", "bob", "carol"})
        sessions.log_in(user);

    boost_ext::steady_timer later(io, 100ms);
    later.async_wait([&](error_code) {
        sessions.log_out("bob");
        // From here on only alice sends packets; carol's session runs out.
    });

    boost_ext::named_timers script(io);
    for (int i = 1; i <= 15; ++i)
        script.async_wait(
            "alice sends", i * 50ms, [&](error_code) { sessions.packet("alice"); });
    script.async_wait("the end", 800ms, [&](error_code) { sessions.shut_down(); });

    // A request has its name before it is started, so that it can be cancelled at any time.
    boost_ext::named_timers requests(io);
    auto request = requests.prepare("request-7", 5s);
    requests.cancel("request-7");
    bool aborted = false;
    request.async_start(
        [&](error_code ec) { aborted = ec == boost::asio::error::operation_aborted; });

    io.run();

    for (const auto& [user, end] : sessions.ends())
        std::cout << user << ": " << end << '\n';
    const bool right = sessions.ends().size() == 3 && sessions.ends().at("bob") == "logged out";
    return aborted && right ? 0 : 1;
}
