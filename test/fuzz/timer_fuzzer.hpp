// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_TEST_FUZZ_TIMER_FUZZER_HPP
#define BOOST_EXT_TEST_FUZZ_TIMER_FUZZER_HPP

// Turns bytes into operations on timers of two contexts, in virtual time, and holds every result against a model that is too simple
// to be wrong: exactly once, right code, right order, never early, right counts.

#ifndef BOOST_EXT_ENABLE_STATISTICS
#define BOOST_EXT_ENABLE_STATISTICS
#endif

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/timer_statistics.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fuzz {

namespace asio = boost::asio;
using boost::system::error_code;

struct fuzz_tag;
using manual = boost_ext::basic_manual_clock<fuzz_tag>;
using timer = boost_ext::basic_waitable_timer<manual>;
using time_point = manual::time_point;
using duration = manual::duration;

constexpr time_point never = (time_point::max)();

/// Reads numbers from the input; zeros after its end.
class byte_source
{
public:
    byte_source(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    bool empty() const { return at_ == end_; }
    unsigned next() { return at_ == end_ ? 0u : *at_++; }
    unsigned next(unsigned below) { return next() % below; }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

/// Where a wait is, as far as the model knows.
enum class whereabouts
{
    pending,   ///< In the queue.
    expired,   ///< Was armed for the past: in the queue still, or collected, as the reactor pleases.
    collected, ///< Was armed for the past, and is in the queue no longer.
    ready,     ///< On its way to its handler, and its place on that way is known.
    done       ///< Its handler was called.
};

/// What the model knows of a handler: of a wait, or one that was posted.
struct wait_record
{
    std::size_t context = 0;
    std::size_t timer = 0; // while it is pending or expired
    whereabouts where = whereabouts::pending;
    bool aborted = false;      // how it ends, once it is ready
    bool quiet = false;        // its handler does nothing
    time_point expiry{};       // for which it waits
    std::uint64_t started = 0; // which operation started it, or moved it
    std::unique_ptr<asio::cancellation_signal> signal;
};

/// What the model knows of a timer.
struct timer_record
{
    std::size_t context = 0;
    time_point expiry{};
    duration slack{};
    time_point latest{};            // the end of its window, as armed
    std::uint64_t order = 0;        // when it was armed
    std::vector<std::size_t> waits; // pending, or else expired; first in, first out
};

struct thrown_by_handler
{
};

/// One run over one input.
class timer_fuzzer
{
public:
    /// `trace`: print every operation.
    timer_fuzzer(const std::uint8_t* data, std::size_t size, bool trace = false) : bytes_(data, size), trace_(trace)
    {
        manual::reset();
        static constexpr int hints[] = {
            BOOST_ASIO_CONCURRENCY_HINT_SAFE, 1, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
        const unsigned hint = bytes_.next();
        for (std::size_t c = 0; c != 2; ++c)
            contexts_[c] = std::make_unique<asio::io_context>(hints[(hint >> (2 * c)) % 4]);
        for (std::size_t i = 0; i != few; ++i)
            make(i % 2);
    }

    timer_fuzzer(const timer_fuzzer&) = delete;
    timer_fuzzer& operator=(const timer_fuzzer&) = delete;

    /// What was wrong first, if anything was.
    std::optional<std::string> run()
    {
        while (!bytes_.empty() && !failure_)
        {
            step();
            check();
        }
        if (!failure_)
            finish();
        return failure_;
    }

    std::uint64_t operations() const { return operation_; }
    std::uint64_t completions() const { return completions_; }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static constexpr std::size_t few = 12;   // timers that are there always
    static constexpr std::size_t many = 900; // and with the crowd

    /// Tells the driver when it is called; `alive` tells when it is destroyed.
    struct handler
    {
        timer_fuzzer* self;
        std::size_t wait;
        std::shared_ptr<int> alive;

        void operator()(error_code ec = error_code()) { self->completed(wait, ec); }
    };

    /// One call of a function that runs a context.
    struct run_record
    {
        std::size_t context;
        run_record* outer;
        std::size_t handlers = 0;
        bool threw = false;
        bool was_stopped = false;
    };

    // --- operations ---

    void step()
    {
        ++operation_;
        const std::size_t t = some_timer();
        switch (const unsigned op = bytes_.next(run_ && run_->outer ? 30 : 40))
        {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
            return arm(t, false);
        case 5:
        case 6:
            return arm(t, true);
        case 7:
            return cancel(t);
        case 8:
            return cancel_one(t);
        case 9:
        case 10:
            return expires(t);
        case 11:
        case 12:
        case 13:
            return reschedule(t);
        case 14:
            return slack(t);
        case 15:
            return move_construct(t);
        case 16:
            return move_assign(t, some_timer());
        case 17:
            return remake(t);
        case 18:
        case 19:
            return emit();
        case 20:
        case 21:
            return advance();
        case 22:
            return post(some_context());
        case 23:
            return run_ ? throw_later() : post(some_context());
        case 24:
            return stop(some_context());
        case 25:
            return reset();
        case 26:
            return gather();
        case 27:
            return disperse();
        case 28:
            return reschedule_crowd();
        case 29:
            return advance_to_next();
        case 30:
        case 31:
        case 32:
            return run_one(idle_context());
        case 33:
        case 34:
        case 35:
            return poll(idle_context());
        case 36:
        case 37:
            return run_until(idle_context());
        default:
            return op == 38 ? run_virtual(idle_context()) : poll_one(idle_context());
        }
    }

    void arm(std::size_t t, bool with_slot)
    {
        say("arm", t);
        const std::size_t id = start_wait(t);
        wait_record& w = waits_[id];
        if (with_slot)
        {
            w.signal = std::make_unique<asio::cancellation_signal>();
            timers_[t]->async_wait(asio::bind_cancellation_slot(w.signal->slot(), make_handler(id)));
        }
        else
            timers_[t]->async_wait(make_handler(id));
    }

    void cancel(std::size_t t)
    {
        say("cancel", t);
        took_off(t, timers_[t]->cancel(), true);
    }

    void cancel_one(std::size_t t)
    {
        timer_record& m = models_[t];
        if (!m.waits.empty() && waits_[m.waits.front()].where == whereabouts::expired)
            return cancel(t); // which of them is the oldest that was not collected cannot be told
        say("cancel_one", t);
        const std::size_t n = timers_[t]->cancel_one();
        expect(n == (m.waits.empty() ? 0u : 1u), "cancel_one: not the one that was pending");
        if (!m.waits.empty())
            abort(m.waits.front());
    }

    void expires(std::size_t t)
    {
        const bool after = bytes_.next(2) != 0;
        const duration d = some_duration();
        const time_point at = saturated(d);
        say(after ? "expires_after" : "expires_at", t, at);
        took_off(t, after ? timers_[t]->expires_after(d) : timers_[t]->expires_at(at), true);
        models_[t].expiry = at;
    }

    void reschedule(std::size_t t)
    {
        const bool after = bytes_.next(2) != 0;
        const duration d = some_duration();
        say(after ? "reschedule_after" : "reschedule_at", t, saturated(d));
        carried_over(t, after ? timers_[t]->reschedule_after(d) : timers_[t]->reschedule_at(saturated(d)), saturated(d));
    }

    void slack(std::size_t t)
    {
        const duration d = (std::max)(some_duration(), duration::zero());
        say("slack", t, time_point(d));
        timers_[t]->slack(d);
        models_[t].slack = d;
    }

    void move_construct(std::size_t t)
    {
        say("move", t);
        auto moved = std::make_unique<timer>(std::move(*timers_[t]));
        expect_moved_from(*timers_[t]);
        timers_[t] = std::move(moved);
    }

    void move_assign(std::size_t to, std::size_t from)
    {
        say("move_assign to", to);
        say("           from", from);
        if (to == from)
        {
            timer& self = *timers_[to];
            self = std::move(*timers_[from]);
            return;
        }
        const std::size_t before = pending(models_[to].context);
        *timers_[to] = std::move(*timers_[from]);
        took_off(to, before - pending(models_[to].context), true);
        const std::size_t context = models_[from].context;
        models_[to] = std::exchange(models_[from], timer_record());
        models_[from].context = context;
        for (const std::size_t id : models_[to].waits)
            waits_[id].timer = to;
        expect_moved_from(*timers_[from]);
    }

    void remake(std::size_t t)
    {
        say("destroy and make", t);
        destroy(t);
        models_[t] = timer_record();
        models_[t].context = some_context();
        timers_[t] = std::make_unique<timer>(*contexts_[models_[t].context]);
    }

    void emit()
    {
        static constexpr asio::cancellation_type types[] = {asio::cancellation_type::terminal, asio::cancellation_type::partial,
            asio::cancellation_type::total, asio::cancellation_type::all};
        const asio::cancellation_type type = types[bytes_.next(4)];
        // One of the later ones, or any.
        const std::size_t back = bytes_.next();
        if (waits_.empty())
            return;
        const std::size_t id = waits_.size() - 1 - back % waits_.size();
        wait_record& w = waits_[id];
        if (!w.signal)
            return;
        say("emit", w.where == whereabouts::pending || w.where == whereabouts::expired ? w.timer : none);
        const std::size_t before = pending(w.context);
        w.signal->emit(type);
        const std::size_t n = before - pending(w.context);
        if (w.where == whereabouts::pending)
            expect(n == 1, "emit: it was pending");
        else if (w.where != whereabouts::expired)
            expect(n == 0, "emit: it was not pending");
        if (n != 0 && !failure_)
            abort(id);
        else if (w.where == whereabouts::expired)
            collected(id);
    }

    void advance()
    {
        const bool to = bytes_.next(2) != 0;
        const duration d = (std::max)(some_duration(), duration::zero());
        say("advance", none, saturated(d));
        to ? manual::advance_to(saturated(d)) : manual::advance(d);
        expect(manual::now() == saturated(d), "advance: wrong time");
        follow_clock();
    }

    void advance_to_next()
    {
        resolve();
        say("advance_to_next", none);
        const bool overdue = any_expired(0) || any_expired(1); // and still in the queue: then the clock stays
        const time_point next = overdue ? now_ : (std::min)(next_expiry(0), next_expiry(1));
        const bool moved = manual::advance_to_next();
        expect(moved == (overdue || next != never), "advance_to_next: wrong result");
        expect(manual::now() == (moved ? next : now_), "advance_to_next: wrong time");
        follow_clock();
    }

    void reset()
    {
        resolve();
        if (any_expired(0) || any_expired(1))
            return; // they would be in the future again, but which?
        say("reset", none);
        manual::reset();
        now_ = time_point();
        ++resets_;
    }

    void post(std::size_t context)
    {
        say("post", none);
        const std::size_t id = new_wait(context);
        waits_[id].where = whereabouts::ready;
        ready_[context].push_back(id);
        asio::post(*contexts_[context], make_handler(id));
    }

    void throw_later()
    {
        say("throw", none);
        throw_ = true;
    }

    void stop(std::size_t context)
    {
        say("stop", none);
        contexts_[context]->stop();
        stopped_[context] = true;
    }

    // --- a crowd, for what depends on numbers ---

    void gather()
    {
        say("gather", none);
        std::size_t n = 2u * bytes_.next() + 1;
        const some_times times(*this);
        const unsigned which = bytes_.next(3);
        for (; n != 0 && timers_.size() < many; --n)
        {
            const std::size_t t = make(which == 2 ? n % 2 : which);
            models_[t].expiry = times(n);
            timers_[t]->expires_at(models_[t].expiry);
            const std::size_t id = start_wait(t);
            waits_[id].quiet = true;
            timers_[t]->async_wait(make_handler(id));
        }
    }

    void disperse()
    {
        say("disperse", none);
        for (std::size_t n = 2u * bytes_.next(); n != 0 && timers_.size() > few; --n)
        {
            destroy(timers_.size() - 1);
            timers_.pop_back();
            models_.pop_back();
        }
    }

    void reschedule_crowd()
    {
        say("reschedule the crowd", none);
        const some_times times(*this);
        for (std::size_t t = few; t < timers_.size() && !failure_; ++t)
            carried_over(t, timers_[t]->reschedule_at(times(t)), times(t));
    }

    /// Many times from a few bytes: in order or not, all over the place or many the same.
    class some_times
    {
    public:
        explicit some_times(timer_fuzzer& f)
            : f_(f), unit_(f.some_duration()), span_(1 + f.bytes_.next() * f.bytes_.next()), factor_(2 * f.bytes_.next() + 1)
        {
            const duration most = std::chrono::hours(24); // so that the products fit
            unit_ = (std::max)(-most, (std::min)(unit_, most));
        }

        time_point operator()(std::size_t i) const
        {
            // A factor of 1 leaves them in order.
            return f_.saturated(unit_ * static_cast<std::int64_t>((i * factor_) % span_));
        }

    private:
        timer_fuzzer& f_;
        duration unit_;
        std::size_t span_;
        std::size_t factor_;
    };

    // --- running ---

    void run_one(std::size_t c)
    {
        say("run_one, context", none, time_point(), c);
        const bool ready = surely_ready(c);
        const bool maybe = maybe_ready(c);
        // What is ready needs no waiting; should it be lost, the time limit says so.
        const run_record r =
            running(c, [&](asio::io_context& ctx) { return ready ? ctx.run_one_for(std::chrono::seconds(30)) : ctx.poll_one(); });
        if (!r.threw && !r.was_stopped)
            expect(r.handlers <= 1 && r.handlers >= ready && (maybe || r.handlers == 0), "run_one: wrong count");
    }

    void poll_one(std::size_t c)
    {
        say("poll_one, context", none, time_point(), c);
        const bool maybe = maybe_ready(c);
        const run_record r = running(c, [](asio::io_context& ctx) { return ctx.poll_one(); });
        if (!r.threw && !r.was_stopped)
            expect(r.handlers <= 1 && (maybe || r.handlers == 0), "poll_one: wrong count");
    }

    void poll(std::size_t c)
    {
        say("poll, context", none, time_point(), c);
        const run_record r = running(c, [](asio::io_context& ctx) { return ctx.poll(); });
        if (!r.threw && !stopped_[c])
            expect(!surely_ready(c), "poll: left something that was ready");
    }

    void run_until(std::size_t c)
    {
        const time_point end = saturated(some_duration());
        say("run_until, context", none, end, c);
        const time_point before = now_;
        const std::uint64_t resets = resets_;
        const run_record r = running(c, [&](asio::io_context& ctx) { return manual::run_until(ctx, end); });
        if (r.threw || (stopped_[c] && !r.was_stopped) || resets != resets_)
            return;
        if (r.was_stopped)
            return expect(now_ == (std::max)(before, end), "run_until: a stopped context does not stop the clock");
        expect(now_ >= (std::max)(before, end), "run_until: wrong time");
        expect(!surely_ready(c), "run_until: left something that was ready");
        for_each_open(c,
            [&](const wait_record& w) { expect(w.expiry > end || w.expiry == never, "run_until: left something that was due"); });
    }

    void run_virtual(std::size_t c)
    {
        say("run, context", none, time_point(), c);
        const run_record r = running(c, [&](asio::io_context& ctx) { return manual::run(ctx); });
        if (r.threw || stopped_[c] || r.was_stopped)
            return;
        expect(!surely_ready(c), "run: left something that was ready");
        for_each_open(c, [&](const wait_record& w) { expect(w.expiry == never, "run: left something that would expire"); });
    }

    /// Run a context, and count what is called.
    template <class Run>
    run_record running(std::size_t c, Run run)
    {
        run_record r{c, run_};
        asio::io_context& ctx = *contexts_[c];
        if (stopped_[c] && bytes_.next(4) != 0)
            stopped_[c] = false;
        if (stopped_[c])
            r.was_stopped = true;
        else
            ctx.restart();
        run_ = &r;
        std::size_t n = 0;
        try
        {
            n = run(ctx);
        }
        catch (const thrown_by_handler&)
        {
            r.threw = true;
        }
        run_ = r.outer;
        follow_clock();
        if (!r.threw)
        {
            expect(n == r.handlers, "a run counted something else than the handlers that it called");
            bool work = maybe_ready(c);
            for_each_open(c, [&](const wait_record&) { work = true; });
            expect(ctx.stopped() == (stopped_[c] || !work), "stopped(): not what the outstanding work says");
        }
        if (r.was_stopped)
            expect(n == 0, "a stopped context ran something");
        return r;
    }

    // --- what handlers do ---

    void completed(std::size_t id, error_code ec)
    {
        ++completions_;
        follow_clock();
        wait_record& w = waits_[id];
        expect(run_ && run_->context == w.context, "completed outside its context");
        if (run_)
            ++run_->handlers;
        expect(!ec || ec == asio::error::operation_aborted, "completed with another error");
        switch (w.where)
        {
        case whereabouts::ready:
        {
            auto& ready = ready_[w.context];
            if (trace_ && !ready.empty() && ready.front() != id)
                std::printf("--> wait %zu for %lld, not %zu for %lld\n", id, ticks(w.expiry), ready.front(),
                    ticks(waits_[ready.front()].expiry));
            expect(!ready.empty() && ready.front() == id, "completed out of order");
            expect(w.aborted == !!ec, "completed with the wrong code");
            if (!ready.empty())
                ready.pop_front();
            break;
        }
        case whereabouts::expired:
            collected(id);
            [[fallthrough]];
        case whereabouts::collected:
        {
            expect(!ec, "a wait that nobody cancelled was aborted");
            auto& floating = floating_[w.context];
            const auto not_overtaken = [&](const wait_record& other) {
                expect(other.started >= w.started || other.expiry >= w.expiry,
                    "what was armed for the past earlier, and has the earlier expiry, was overtaken");
            };
            for (const std::size_t other : floating)
                not_overtaken(waits_[other]);
            for_each_open(w.context, [&](const wait_record& other) {
                if (other.where == whereabouts::expired)
                    not_overtaken(other);
            });
            floating.erase(std::find(floating.begin(), floating.end(), id));
            break;
        }
        case whereabouts::pending:
            expect(false, "completed while it was pending");
            break;
        case whereabouts::done:
            expect(false, "completed twice");
            break;
        }
        w.where = whereabouts::done;
        if (w.quiet)
            return;
        for (unsigned n = bytes_.next(4); n != 0 && !failure_; --n)
        {
            step();
            check();
        }
        if (std::exchange(throw_, false))
            throw thrown_by_handler();
    }

    // --- the model ---

    std::size_t make(std::size_t context)
    {
        timers_.push_back(std::make_unique<timer>(*contexts_[context]));
        models_.emplace_back();
        models_.back().context = context;
        return timers_.size() - 1;
    }

    void destroy(std::size_t t)
    {
        const std::size_t before = pending(models_[t].context);
        timers_[t].reset();
        took_off(t, before - pending(models_[t].context), true);
    }

    std::size_t new_wait(std::size_t context)
    {
        waits_.emplace_back();
        waits_.back().context = context;
        waits_.back().started = operation_;
        return waits_.size() - 1;
    }

    /// A wait that is about to be started on a timer.
    std::size_t start_wait(std::size_t t)
    {
        timer_record& m = models_[t];
        const std::size_t id = new_wait(m.context);
        if (m.waits.empty())
            arm(m);
        else if (waits_[m.waits.front()].where == whereabouts::expired)
            m.latest = (std::max)(m.latest, end_of_window(m)); // whether it is armed anew cannot be told
        wait_record& w = waits_[id];
        w.timer = t;
        w.expiry = m.expiry;
        w.where = where_armed(m.expiry);
        m.waits.push_back(id);
        ++scheduled_[m.context];
        return id;
    }

    handler make_handler(std::size_t id) { return handler{this, id, alive_}; }

    void arm(timer_record& m)
    {
        m.order = ++armings_;
        m.latest = end_of_window(m);
    }

    whereabouts where_armed(time_point expiry) const
    {
        return expiry <= now_ && expiry != never ? whereabouts::expired : whereabouts::pending;
    }

    static time_point end_of_window(const timer_record& m)
    {
        return m.expiry > time_point() && m.slack > never - m.expiry ? never : m.expiry + m.slack;
    }

    /// An operation on a timer found `n` waits in the queue, and cancelled them or not: the last `n` of those that may be there.
    void took_off(std::size_t t, std::size_t n, bool cancelled)
    {
        timer_record& m = models_[t];
        expect(n <= m.waits.size(), "more waits than were pending");
        if (!m.waits.empty() && waits_[m.waits.front()].where == whereabouts::pending)
            expect(n == m.waits.size(), "fewer waits than were pending");
        if (failure_)
            return;
        if (m.waits.size() > n)
            collected(m.waits[m.waits.size() - n - 1]);
        while (cancelled && !m.waits.empty())
            abort(m.waits.front());
    }

    /// `reschedule_*` returned `n`.
    void carried_over(std::size_t t, std::size_t n, time_point at)
    {
        took_off(t, n, false);
        timer_record& m = models_[t];
        m.expiry = at;
        rescheduled_[m.context] += n;
        if (m.waits.empty())
            return;
        arm(m);
        for (const std::size_t id : m.waits)
        {
            wait_record& w = waits_[id];
            w.expiry = at;
            w.started = operation_;
            w.where = where_armed(at);
        }
    }

    void abort(std::size_t id)
    {
        wait_record& w = waits_[id];
        auto& waits = models_[w.timer].waits;
        waits.erase(std::find(waits.begin(), waits.end(), id));
        w.where = whereabouts::ready;
        w.aborted = true;
        ready_[w.context].push_back(id);
        ++cancelled_[w.context];
    }

    /// The reactor collected it, and so those of its timer that were there before, at a moment that we do not know.
    void collected(std::size_t id)
    {
        auto& waits = models_[waits_[id].timer].waits;
        const auto end = std::find(waits.begin(), waits.end(), id) + 1;
        for (auto i = waits.begin(); i != end; ++i)
        {
            expect(waits_[*i].where == whereabouts::expired, "a wait was collected before its time");
            waits_[*i].where = whereabouts::collected;
            floating_[waits_[*i].context].push_back(*i);
        }
        waits.erase(waits.begin(), end);
    }

    /// Find out whether what was armed for the past is still in the queue: if none is, that can be seen.
    void resolve()
    {
        for (std::size_t c = 0; c != 2; ++c)
        {
            std::size_t sure = 0;
            for_each_open(c, [&](const wait_record& w) { sure += w.where == whereabouts::pending; });
            if (pending(c) != sure)
                continue;
            for (timer_record& m : models_)
                if (m.context == c && !m.waits.empty() && waits_[m.waits.front()].where == whereabouts::expired)
                    collected(m.waits.back());
        }
    }

    /// Collect what the clock has reached, in order.
    void follow_clock()
    {
        if (manual::now() == now_)
            return;
        now_ = manual::now();
        std::vector<timer_record*> due;
        for (timer_record& m : models_)
            if (!m.waits.empty() && m.expiry <= now_ && m.expiry != never &&
                waits_[m.waits.front()].where == whereabouts::pending)
                due.push_back(&m);
        std::sort(due.begin(), due.end(), [](const timer_record* a, const timer_record* b) {
            return std::make_pair(a->expiry, a->order) < std::make_pair(b->expiry, b->order);
        });
        for (timer_record* m : due)
        {
            for (const std::size_t id : m->waits)
            {
                waits_[id].where = whereabouts::ready;
                ready_[m->context].push_back(id);
            }
            m->waits.clear();
        }
    }

    /// Every wait of a context that is pending or expired.
    template <class F>
    void for_each_open(std::size_t c, F f) const
    {
        for (const timer_record& m : models_)
            if (m.context == c)
                for (const std::size_t id : m.waits)
                    f(waits_[id]);
    }

    bool any_expired(std::size_t c) const
    {
        bool any = false;
        for_each_open(c, [&](const wait_record& w) { any = any || w.where == whereabouts::expired; });
        return any;
    }

    /// Whether something is there to be run, and need not be: within its slack a wait may fire when it likes.
    bool surely_ready(std::size_t c) const
    {
        bool any = !ready_[c].empty() || !floating_[c].empty();
        for_each_open(
            c, [&](const wait_record& w) { any = any || (w.where == whereabouts::expired && models_[w.timer].latest <= now_); });
        return any;
    }

    bool maybe_ready(std::size_t c) const { return surely_ready(c) || any_expired(c); }

    time_point next_expiry(std::size_t c) const
    {
        time_point first = never;
        for_each_open(c, [&](const wait_record& w) {
            if (w.where == whereabouts::pending)
                first = (std::min)(first, w.expiry);
        });
        return first;
    }

    std::size_t pending(std::size_t c) const { return boost_ext::statistics(*contexts_[c]).pending; }

    /// What can be asked at any time must be what the model says.
    void check()
    {
        if (failure_)
            return;
        for (std::size_t t = 0; t != timers_.size(); ++t)
        {
            expect(timers_[t]->expiry() == models_[t].expiry, "expiry(): wrong");
            expect(timers_[t]->slack() == models_[t].slack, "slack(): wrong");
        }
        for (std::size_t c = 0; c != 2; ++c)
        {
            std::size_t sure = 0;
            std::size_t doubtful = 0;
            for_each_open(c, [&](const wait_record& w) { ++(w.where == whereabouts::pending ? sure : doubtful); });
            const boost_ext::timer_statistics s = boost_ext::statistics(*contexts_[c]);
            expect(sure <= s.pending && s.pending <= sure + doubtful, "statistics: wrong number of pending waits");
            expect(s.scheduled == scheduled_[c], "statistics: wrong number of waits");
            expect(s.cancelled == cancelled_[c], "statistics: wrong number of cancelled waits");
            expect(s.rescheduled == rescheduled_[c], "statistics: wrong number of rescheduled waits");
            expect(s.fired == s.scheduled - s.cancelled - s.pending, "statistics: wrong number of waits that fired");
            expect(s.fired == std::accumulate(s.lateness.begin(), s.lateness.end(), std::uint64_t{0}),
                "statistics: not every wait that fired was late by so much");
            expect(s.dead_entries <= s.live_entries + 64, "statistics: dead entries were not swept");
            const auto next = boost_ext::next_expiry<manual>(*contexts_[c]);
            if (s.pending == sure)
                expect(next.value_or(never) == next_expiry(c), "next_expiry: wrong");
            else
                expect(next && *next <= now_, "next_expiry: something has expired");
        }
        expect(manual::now() == now_, "the clock moved by itself");
    }

    void expect_moved_from(timer& t)
    {
        expect(t.expiry() == time_point(), "a moved-from timer has an expiry");
        expect(t.slack() == duration::zero(), "a moved-from timer has slack");
        expect(t.cancel() == 0, "a moved-from timer has waits");
    }

    /// Destroy all there is: timers, then what is queued; or contexts, whose handlers own the timers.
    void finish()
    {
        if (operation_ % 2 != 0)
        {
            for (std::size_t t = 0; t != timers_.size(); ++t)
                destroy(t);
            for (std::size_t c = 0; c != 2 && !failure_; ++c)
            {
                stopped_[c] = false;
                running(c, [](asio::io_context& ctx) { return ctx.run(); });
                expect(!maybe_ready(c), "run: left something behind");
            }
        }
        else
            for (std::size_t t = 0; t != timers_.size(); ++t)
            {
                // With its waits, into a handler that will never be called; some are due, and some of the other context.
                auto owned = std::make_shared<timer>(std::move(*timers_[t]));
                timers_[t].reset();
                if (t % 3 == 0)
                    asio::post(*contexts_[0], [owned, alive = alive_] {});
                else
                    owned->async_wait([owned, alive = alive_](error_code) {});
            }
        const std::uint64_t called = completions_;
        contexts_[0].reset();
        contexts_[1].reset();
        expect(called == completions_, "a context that was destroyed called handlers");
        expect(alive_.use_count() == 1, "handlers were leaked");
    }

    // --- odds and ends ---

    std::size_t some_context() { return bytes_.next(2); }

    /// One to be run. In a handler it is the other one: what Asio does in a context that runs inside itself is its own affair.
    std::size_t idle_context() { return run_ ? 1 - run_->context : some_context(); }

    std::size_t some_timer()
    {
        const std::size_t n = bytes_.next();
        if (n < 192 || timers_.size() == few)
            return n % few;
        return few + ((n - 192) * 256 + bytes_.next()) % (timers_.size() - few);
    }

    duration some_duration()
    {
        static constexpr std::int64_t units[] = {1, 1, 7, 64, 65536, 1000000000, 3600000000000, 1};
        const unsigned unit = bytes_.next(8);
        const std::int64_t n = bytes_.next();
        if (unit == 7)
            return n < 8 ? (duration::max)() : n < 12 ? (duration::min)() : duration(-n);
        return duration(units[unit] * n);
    }

    time_point saturated(duration d) const { return d > never - now_ ? never : now_ + d; }

    void expect(bool ok, const char* message)
    {
        if (!ok && !failure_)
        {
            failure_ = std::string(message) + " (operation " + std::to_string(operation_) + ")";
            if (trace_)
                std::printf("--> %s\n", failure_->c_str());
        }
    }

    static long long ticks(time_point t) { return static_cast<long long>(t.time_since_epoch().count()); }

    void say(const char* what, std::size_t t, time_point to = time_point(), std::size_t c = none) const
    {
        if (!trace_)
            return;
        std::printf("%4llu %*s%s", static_cast<unsigned long long>(operation_), !run_ ? 0 : run_->outer ? 8 : 4, "", what);
        if (c != none)
            std::printf(" %zu", c);
        if (t != none)
            std::printf(" timer %zu of context %zu, expiry %lld, waits %zu", t, models_[t].context, ticks(models_[t].expiry),
                models_[t].waits.size());
        if (to != time_point())
            std::printf(", to %lld", ticks(to));
        std::printf(", now %lld\n", ticks(now_));
        std::fflush(stdout);
    }

    byte_source bytes_;
    bool trace_;
    std::optional<std::string> failure_;
    std::shared_ptr<int> alive_ = std::make_shared<int>();

    std::array<std::unique_ptr<asio::io_context>, 2> contexts_;
    std::vector<std::unique_ptr<timer>> timers_;

    std::vector<timer_record> models_;
    std::deque<wait_record> waits_; // all there ever were
    std::array<std::deque<std::size_t>, 2> ready_;
    std::array<std::vector<std::size_t>, 2> floating_; // collected, in an order that we do not know
    std::array<bool, 2> stopped_{};
    std::array<std::uint64_t, 2> scheduled_{};
    std::array<std::uint64_t, 2> cancelled_{};
    std::array<std::uint64_t, 2> rescheduled_{};
    time_point now_{};
    std::uint64_t operation_ = 0;
    std::uint64_t armings_ = 0;
    std::uint64_t completions_ = 0;
    std::uint64_t resets_ = 0;
    run_record* run_ = nullptr; // the innermost
    bool throw_ = false;
};

} // namespace fuzz

#endif
