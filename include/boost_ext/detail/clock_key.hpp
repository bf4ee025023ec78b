// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_CLOCK_KEY_HPP
#define BOOST_EXT_DETAIL_CLOCK_KEY_HPP

#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace boost_ext {
namespace detail {

/// The sum, or the nearest time point there is.
template <class Clock, class Duration>
constexpr std::chrono::time_point<Clock, Duration> saturating_add(std::chrono::time_point<Clock, Duration> t, Duration d) noexcept
{
    using time_point = std::chrono::time_point<Clock, Duration>;
    if (t.time_since_epoch() >= Duration::zero())
    {
        if ((time_point::max)() - t < d)
            return (time_point::max)();
    }
    else if (d < (time_point::min)() - t)
        return (time_point::min)();
    return t + d;
}

/// The difference, or the nearest duration there is.
template <class Clock, class Duration>
constexpr Duration saturating_subtract(
    std::chrono::time_point<Clock, Duration> a, std::chrono::time_point<Clock, Duration> b) noexcept
{
    const Duration x = a.time_since_epoch();
    const Duration y = b.time_since_epoch();
    if (x >= Duration::zero() && y < Duration::zero() && x > (Duration::max)() + y)
        return (Duration::max)();
    if (x < Duration::zero() && y >= Duration::zero() && x < (Duration::min)() + y)
        return (Duration::min)();
    return x - y;
}

/// A clock's time points as unsigned numbers in the same order, which is what the queue sorts by.
template <class Clock>
class clock_key
{
public:
    using time_point = typename Clock::time_point;
    using duration = typename Clock::duration;
    using rep = typename duration::rep;

    /// The key of `time_point::max()`, and of nothing else.
    static constexpr std::uint64_t never = (std::numeric_limits<std::uint64_t>::max)();

    /// The key of the last time that comes.
    static std::uint64_t last() noexcept { return encode((time_point::max)().time_since_epoch().count()) - 1; }

    static std::uint64_t from(time_point t) noexcept
    {
        return t >= (time_point::max)() ? never : encode(t.time_since_epoch().count());
    }

    static time_point to(std::uint64_t key) noexcept
    {
        return key == never ? (time_point::max)() : time_point(duration(decode(key)));
    }

private:
    static constexpr std::uint64_t top = std::uint64_t{1} << 63;
    static_assert(sizeof(rep) <= sizeof(std::uint64_t) || std::is_floating_point<rep>::value,
        "the clock's representation must fit into 64 bits");

    template <class T = rep>
    static std::uint64_t encode(T v) noexcept
    {
        if constexpr (std::is_floating_point<T>::value)
        {
            // The bits of floating-point numbers are ordered as the numbers are, but for the sign.
            const auto d = static_cast<double>(v);
            std::uint64_t bits;
            std::memcpy(&bits, &d, sizeof bits);
            return bits & top ? ~bits : bits | top;
        }
        else if constexpr (std::is_unsigned<T>::value)
            return static_cast<std::uint64_t>(v);
        else
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) ^ top;
    }

    template <class T = rep>
    static T decode(std::uint64_t key) noexcept
    {
        if constexpr (std::is_floating_point<T>::value)
        {
            const std::uint64_t bits = key & top ? key ^ top : ~key;
            double d;
            std::memcpy(&d, &bits, sizeof d);
            return static_cast<T>(d);
        }
        else if constexpr (std::is_unsigned<T>::value)
            return static_cast<T>(key);
        else
            return static_cast<T>(static_cast<std::int64_t>(key ^ top));
    }
};

} // namespace detail
} // namespace boost_ext

#endif
