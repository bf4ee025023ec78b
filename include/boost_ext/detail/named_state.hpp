// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_NAMED_STATE_HPP
#define BOOST_EXT_DETAIL_NAMED_STATE_HPP

#include <boost_ext/detail/named_context.hpp>
#include <boost_ext/detail/named_record.hpp>
#include <boost/container_hash/hash.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace boost_ext {
namespace detail {

/// What a basic_named_timers shares with its waits.
/**
 *     names_: text -> name --> record --> record     oldest first
 *     waits_: -------------------^-----------^----   all of them, oldest first
 *     ended_: handler --> handler                    one for each executor, the first that ended, followed by
 *                |           |                       the others, first ended first
 *             handler     handler
 *
 * Ground rules
 * - mutex_ guards everything here, every record, and the use of every record's timer.
 * - A record is in both lists exactly while it is undecided. Whoever decides takes it out.
 * - Success is decided in fire(), which runs on the handler's executor and goes on to call the
 *   handler. Until then cancel and stop may take the wait, whatever the timer has done.
 * - Handlers are called in the order in which their waits were cancelled or stopped, whichever operation
 *   comes first: one whose expiry was queued already may be ahead of that of an older wait. It then
 *   brings the older one's handler, if that has the same executor, and leaves its own to the other.
 * - No handler is called, moved or destroyed, and no allocator of the user's is called, while mutex_
 *   is held.
 * - mutex_ comes before the locks of the timers and of Asio, and after that of named_context_listeners.
 * - Timers go with the context, and nothing else here has an executor: a slot, or a wait that was handed over to
 *   another context and completes there, may keep all this alive for longer, and an executor may be a strand.
 */
template <class Timer>
class named_state final : public boost::intrusive_ref_counter<named_state<Timer>, boost::thread_safe_counter>,
                          private named_context_listener
{
public:
    using clock_type = typename Timer::clock_type;
    using time_point = typename Timer::time_point;
    using executor_type = typename Timer::executor_type;
    using record_type = named_record<Timer>;
    using record_ptr = boost::intrusive_ptr<record_type>;

    explicit named_state(const executor_type& executor) : listeners_(context_service::of(executor)) { listeners_->add(*this); }

    ~named_state() { listeners_->remove(*this); }

    /// A new wait under a name, not started.
    record_ptr prepare(std::string name);

    /// Takes a wait that was not started off its name.
    void dismiss(record_type& record);

    /// What start() has done.
    enum class start_result
    {
        waiting, ///< The wait is on its way, and the handler is in its hands.
        decided, ///< There is nothing to wait for: the handler is to be queued with the error.
        refused  ///< The context is shutting down: the handler is to be destroyed.
    };

    /// Starts a wait.
    start_result start(const record_ptr& record, const executor_type& executor, time_point expiry, named_handler<Timer>& handler,
        boost::system::error_code& ec);

    /// Whether the wait was started.
    bool is_started(const record_type& record) const;

    /// The handler of a wait that was decided before its start is queued: it was started.
    void note_start(record_type& record);

    std::size_t cancel(std::string_view name, std::size_t max);
    void cancel(record_type& record);
    std::size_t reschedule(std::string_view name, time_point expiry);
    bool contains(std::string_view name) const;
    std::size_t size() const;
    void stop();

    /// The wait on the record's timer is over. Precondition: runs on the handler's executor.
    static void fire(record_ptr record, boost::system::error_code ec);

    /// The wait on the record's timer was destroyed.
    static void abandon(record_ptr record);

private:
    using lock_type = std::unique_lock<std::mutex>;
    using name_type = named_name<Timer>;
    using handler_type = named_handler<Timer>;
    using context_service = named_context_service<clock_type, typename Timer::traits_type>;

    /// How far first_ended looks.
    static constexpr int look_ahead = 64;

    /// Gives the timers up.
    void context_goes() noexcept override;

    /// Puts a record at the end of its name's list, which is made if need be.
    void link(record_type& record, std::string&& name);

    /// Takes a record out of the lists, its name too if that was the last, and gives its timer up.
    void decide(record_type& record, named_outcome outcome);

    /// Decides against a wait, and sees to it that its handler is called.
    void end(record_type& record, named_outcome outcome);

    /// The first handler on ended_ that has the same executor. Null if there is none, or if there are too many others.
    handler_type* first_ended(const handler_type& handler);

    /// The handler that the operation of a wait which has ended is to bring, taken off the list.
    handler_type& take_ended(record_type& record);

    /// Whether a wait was moved after its expiry was queued, to a time that has not come. Where its timer is gone, nobody
    /// knows: then it is not to expire.
    static bool is_to_wait_again(const record_type& record);

    /// Lets the younger waits of the same name and time come after one that was armed late.
    static void keep_order_of_age(record_type& record);

    /// Waits on the record's timer. Returns false where the context takes no more waits, or is gone.
    static bool arm(const record_ptr& record);

    /// What the handler is told. Precondition: the outcome is decided.
    static boost::system::error_code to_error(named_outcome outcome);

    mutable std::mutex mutex_;
    const std::shared_ptr<named_context_listeners> listeners_;
    boost::unordered_flat_map<std::string_view, std::unique_ptr<name_type>,
        boost::hash<std::string_view>>
        names_; ///< The keys are the texts of the names.
    boost::intrusive::list<record_type, boost::intrusive::base_hook<named_by_age_hook>> waits_;
    typename handler_type::list_type ended_; ///< Of waits that were cancelled or stopped.
    bool stopped_ = false;
    bool context_gone_ = false;
};

} // namespace detail
} // namespace boost_ext

#include <boost_ext/impl/named_state.hpp>

#endif // BOOST_EXT_DETAIL_NAMED_STATE_HPP
