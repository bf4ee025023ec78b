// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_SHRINK_HPP
#define BOOST_EXT_DETAIL_JOB_SHRINK_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <cstddef>
#include <new>

namespace boost_ext {
namespace detail {

/// Gives memory back when an open-addressing map has become sparse, so that what it holds is bounded
/// by what is in it. Amortised constant; where memory is short, the map stays as it is.
template <class Map>
void shrink_if_sparse(Map& map) noexcept
{
    constexpr std::size_t small = 256;
    const std::size_t buckets = map.bucket_count();
    if (buckets <= small || map.size() >= buckets / 8)
        return;
    BOOST_TRY
    {
        map.rehash(map.size() * 2);
    }
    BOOST_CATCH(const std::bad_alloc&)
    {
    }
    BOOST_CATCH_END
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_JOB_SHRINK_HPP
