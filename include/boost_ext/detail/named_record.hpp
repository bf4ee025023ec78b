// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_NAMED_RECORD_HPP
#define BOOST_EXT_DETAIL_NAMED_RECORD_HPP

#include <boost_ext/detail/job_op_memory.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/strand.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace boost_ext {
namespace detail {

template <class Timer>
class named_state;

template <class Timer>
struct named_record;

/// What has become of a wait. The first to decide it is the only one.
enum class named_outcome : unsigned char
{
    undecided, ///< It has its name, and may be cancelled.
    expired,   ///< Its time came and its handler is about to be called.
    cancelled, ///< By name or by its slot.
    stopped,   ///< With all the others.
    dismissed  ///< It was never started, or its context is gone.
};

/// An address for each type.
template <class T>
struct named_type_tag
{
    static constexpr char value = 0;
};

/// Unlinks itself, whichever list it is in.
using named_handler_hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// The completion handler of a started wait, its type erased.
/**
 * It is apart from the operation on the timer, so that a timer is armed, under the mutex, without
 * touching what belongs to the user, and so that it may be called by another wait's operation.
 */
template <class Timer>
class named_handler : public named_handler_hook
{
public:
    using list_type = boost::intrusive::list<named_handler, boost::intrusive::base_hook<named_handler_hook>,
        boost::intrusive::constant_time_size<false>>;

    named_handler(const named_handler&) = delete;
    named_handler& operator=(const named_handler&) = delete;

    /// Waits on the record's timer; the wait completes on the handler's executor. Called under the
    /// mutex.
    virtual void start_wait(const boost::intrusive_ptr<named_record<Timer>>& record) = 0;

    /// Frees this and calls the handler. Precondition: runs on the handler's executor.
    virtual void complete(boost::system::error_code ec) = 0;

    /// Frees this and the handler.
    virtual void destroy() noexcept = 0;

    /// Whether both are to be called on the same executor.
    bool shares_executor(const named_handler& other) const
    {
        if (type_tag_ == other.type_tag_)
            return is_bound_to(other.executor_);
        constexpr const void* any = &named_type_tag<boost::asio::any_io_executor>::value;
        if (type_tag_ == any)
            return other.is_bound_to(*static_cast<const boost::asio::any_io_executor*>(executor_));
        if (other.type_tag_ == any)
            return is_bound_to(*static_cast<const boost::asio::any_io_executor*>(other.executor_));
        return false;
    }

    named_outcome outcome = named_outcome::undecided; ///< What it is told, once that was decided against it.
    named_record<Timer>* carrier = nullptr;           ///< From then on: whose operation brings it.
    list_type followers;                              ///< And those that ended later on the same executor.

protected:
    /// What it is called on, and an address that stands for the type of that.
    named_handler(const void* executor, const void* type_tag) noexcept : executor_(executor), type_tag_(type_tag) {}

    ~named_handler() = default;

private:
    /// Whether it is to be called on an executor, which is of the same type.
    virtual bool is_bound_to(const void* executor) const = 0;

    /// Whether it is to be called on the executor that is held there.
    virtual bool is_bound_to(const boost::asio::any_io_executor& any) const = 0;

    const void* const executor_;
    const void* const type_tag_;
};

struct named_by_name;
struct named_by_age;
using named_by_name_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<named_by_name>>;
using named_by_age_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<named_by_age>>;

/// A name, which is there as long as somebody waits under it.
template <class Timer>
struct named_name
{
    explicit named_name(std::string&& s) : text(std::move(s)) {}

    const std::string text;

    /// Oldest first.
    boost::intrusive::list<named_record<Timer>, boost::intrusive::base_hook<named_by_name_hook>> waits;
};

/// A named wait, from prepare or async_wait until its handler is called.
/**
 * Guarded by the mutex of named_state. Shared by whoever may start or end it: the operation on the
 * timer, the handler's slot, and `prepared`. The lists of named_state hold it while it is undecided,
 * but do not own it.
 */
template <class Timer>
struct named_record : boost::intrusive_ref_counter<named_record<Timer>, boost::thread_safe_counter>,
                      named_by_name_hook,
                      named_by_age_hook
{
    /// Enough for the operation of a wait on any two executors of Asio's own, of which a strand on a type-erased one is
    /// the largest: a wait that was moved while its expiry was queued is armed anew without memory.
    static constexpr std::size_t room =
        112 + sizeof(typename Timer::executor_type) + sizeof(boost::asio::strand<boost::asio::any_io_executor>);

    explicit named_record(const boost::intrusive_ptr<named_state<Timer>>& owner) : state(owner) {}

    const boost::intrusive_ptr<named_state<Timer>> state;
    named_name<Timer>* own_name = nullptr;   ///< While it is in the lists.
    named_handler<Timer>* handler = nullptr; ///< Once started, until it is called or destroyed.
    std::optional<Timer> timer;              ///< From the start until the outcome is decided, or the context goes.
    named_outcome outcome = named_outcome::undecided;
    bool started = false;             ///< It was given a handler.
    bool queued_for_old_time = false; ///< It was moved after its expiry was queued: arm anew.
    bool arming = false;              ///< The wait is just being started, under the mutex.
    bool refused = false;             ///< The context destroyed the wait while it was being started.
    bool in_slot = false;             ///< The handler's slot names it. Goes with the slot, not with the mutex.
    job_op_room<room> memory;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_NAMED_RECORD_HPP
