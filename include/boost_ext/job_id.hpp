// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_JOB_ID_HPP
#define BOOST_EXT_JOB_ID_HPP

#include <cstddef>
#include <cstdint>
#include <functional>

#if __has_include(<compare>)
#include <compare>
#endif

namespace boost_ext {

namespace detail {
struct job_id_access;
} // namespace detail

/// Names a job of a job scheduler.
/**
 * A value: it owns nothing, and may be kept for longer than its job, its scheduler and its context.
 * No two jobs in the process ever have the same id, whatever their schedulers, so that an id whose
 * job is gone names nothing for good.
 *
 * @par Thread Safety
 * As an integer.
 *
 * @par Exception Safety
 * Nothing here throws.
 *
 * @par Complexity
 * Constant.
 *
 * @par Example
 * @code
 * job_id hourly = jobs.run_every(1h, [&] { log.push_back("rotate the logs"); });
 * ...
 * jobs.cancel(hourly);    // true: it will not start again
 * @endcode
 */
class job_id
{
public:
    /// Constructs the id that names no job.
    constexpr job_id() noexcept = default;

    /// Whether both name the same job.
    friend constexpr bool operator==(job_id a, job_id b) noexcept { return a.value_ == b.value_; }

    /// Whether they name different jobs.
    friend constexpr bool operator!=(job_id a, job_id b) noexcept { return a.value_ != b.value_; }

    /// Orders ids by submission, the empty one first.
    friend constexpr bool operator<(job_id a, job_id b) noexcept { return a.value_ < b.value_; }

    /// Orders ids by submission, the empty one first.
    friend constexpr bool operator>(job_id a, job_id b) noexcept { return b < a; }

    /// Orders ids by submission, the empty one first.
    friend constexpr bool operator<=(job_id a, job_id b) noexcept { return !(b < a); }

    /// Orders ids by submission, the empty one first.
    friend constexpr bool operator>=(job_id a, job_id b) noexcept { return !(a < b); }

#if defined(__cpp_lib_three_way_comparison)
    /// How two ids compare, in C++20.
    friend constexpr auto operator<=>(job_id a, job_id b) noexcept
    {
        return a.value_ <=> b.value_;
    }
#endif

private:
    friend struct detail::job_id_access;

    constexpr job_id(std::uint64_t value, std::uint32_t place) noexcept : value_(value), place_(place)
    {
    }

    std::uint64_t value_ = 0;
    std::uint32_t place_ = 0; // where its scheduler finds it; follows from the value
};

namespace detail {

/// Makes ids and looks into them. Zero is the id of no job.
struct job_id_access
{
    static constexpr job_id make(std::uint64_t value, std::uint32_t place) noexcept { return job_id(value, place); }

    static constexpr std::uint64_t value(job_id id) noexcept { return id.value_; }

    static constexpr std::uint32_t place(job_id id) noexcept { return id.place_; }
};

} // namespace detail

/// The hash value, for the containers of Boost.
/**
 * @par Thread Safety
 * As an integer.
 *
 * @par Exception Safety
 * Does not throw.
 *
 * @par Complexity
 * Constant.
 *
 * @par Example
 * @code
 * boost::unordered_flat_set<boost_ext::job_id> urgent;
 * urgent.insert(rotation);
 * @endcode
 */
inline std::size_t hash_value(job_id id) noexcept
{
    return std::hash<std::uint64_t>()(detail::job_id_access::value(id));
}

} // namespace boost_ext

/// The hash value, for the containers of the standard library.
/**
 * @par Thread Safety
 * Distinct objects: safe. Shared objects: safe, they have no state.
 *
 * @par Exception Safety
 * Does not throw.
 *
 * @par Complexity
 * Constant.
 *
 * @par Example
 * @code
 * std::unordered_map<boost_ext::job_id, std::string> labels;
 * labels[rotation] = "rotate the logs";
 * @endcode
 */
template <>
struct std::hash<boost_ext::job_id>
{
    /// The hash value of an id.
    std::size_t operator()(boost_ext::job_id id) const noexcept { return hash_value(id); }
};

#endif // BOOST_EXT_JOB_ID_HPP
