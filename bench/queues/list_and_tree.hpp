// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_QUEUES_LIST_AND_TREE_HPP
#define BOOST_EXT_BENCH_QUEUES_LIST_AND_TREE_HPP

#include "entry.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <vector>

namespace bench {

/// As Sogou Workflow does it: a list takes deadlines that are not before its last one, which constant timeouts never
/// are; a red-black tree takes the others.
class list_and_tree
{
public:
    static constexpr const char* name = "list + red-black tree";

    explicit list_and_tree(std::size_t n) : timers_(n) {}

    void push(std::uint32_t id, std::int64_t deadline)
    {
        timer& t = timers_[id];
        t.deadline = deadline;
        t.in_tree = !list_.empty() && deadline < list_.back().deadline;
        if (t.in_tree)
            tree_.insert(t);
        else
            list_.push_back(t);
    }

    void cancel(std::uint32_t id)
    {
        timer& t = timers_[id];
        if (t.in_tree)
            tree_.erase(tree_.iterator_to(t));
        else
            list_.erase(list_.iterator_to(t));
    }

    bool empty() const { return list_.empty() && tree_.empty(); }
    std::int64_t next() const { return list_is_first() ? list_.front().deadline : tree_.begin()->deadline; }

    entry pop()
    {
        timer* t;
        if (list_is_first())
        {
            t = &list_.front();
            list_.pop_front();
        }
        else
        {
            t = &*tree_.begin();
            tree_.erase(tree_.begin());
        }
        return {t->deadline, static_cast<std::uint32_t>(t - timers_.data())};
    }

    template <class Sink>
    std::size_t pop_due(std::int64_t now, std::size_t max, Sink sink)
    {
        return pop_one_by_one(*this, now, max, sink);
    }

private:
    bool list_is_first() const { return tree_.empty() || (!list_.empty() && list_.front().deadline <= tree_.begin()->deadline); }

    using unsafe = boost::intrusive::link_mode<boost::intrusive::normal_link>;

    struct timer : boost::intrusive::list_base_hook<unsafe>, boost::intrusive::set_base_hook<unsafe>
    {
        std::int64_t deadline = 0;
        bool in_tree = false;
    };

    struct earlier
    {
        bool operator()(const timer& a, const timer& b) const { return a.deadline < b.deadline; }
    };

    std::vector<timer> timers_;
    boost::intrusive::list<timer, boost::intrusive::constant_time_size<false>> list_;
    boost::intrusive::multiset<timer, boost::intrusive::compare<earlier>, boost::intrusive::constant_time_size<false>> tree_;
};

} // namespace bench

#endif
