// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The protocol by which no wake-up is lost: the ground rules at the top of include/boost_ext/detail/timer_service.hpp.
//
// An entry for time 1 is in the queue and the kernel timer is set for it. The reactor wakes up, collects it, computes the next wake-up
// and sets the kernel timer; it may compute again. Two inserters arm one deadline each, 2 or 3. NEVER is a kernel timer that is off.
// Locks are explicit, everything else interleaves freely.
//
// Claim: when the inserters are through and the reactor is asleep, the kernel timer is set for the earliest deadline, or earlier.
//
// Faults, each of which must be found:
//   -DNO_NOTIFY         an inserter lowers `armed` and does not notify the reactor
//   -DSTORE_UNLOCKED    the reactor stores `armed` after it has released the queue's lock
//   -DREAD_BEFORE_LOCK  an inserter compares with `armed` before it takes the queue's lock

#define NEVER 9
#define INSERTERS 2

bool queue_lock, reactor_lock;
bool queue[4];             // queue[d]: somebody waits for d
byte armed = 1;            // what the service believes the kernel timer is set to
byte kernel = 1;           // what it is set to
byte inserted = 0;         // inserters that are through
bool asleep = false;       // the reactor is in epoll_wait

inline lock(l) { atomic { !l -> l = true } }
inline unlock(l) { l = false }

#define queue_next (queue[1] -> 1 : (queue[2] -> 2 : (queue[3] -> 3 : NEVER)))

// wait_for_us, and the setting of the kernel timer by its result, with the reactor's lock held.
inline compute(next) {
    lock(queue_lock);
    next = queue_next;
#ifdef STORE_UNLOCKED
    unlock(queue_lock);
    armed = next;
#else
    armed = next;
    unlock(queue_lock);
#endif
    kernel = next
}

proctype inserter() {
    byte deadline, next, seen;
    bool must_notify;
    if
    :: deadline = 2
    :: deadline = 3
    fi;
#ifdef READ_BEFORE_LOCK
    seen = armed;
    lock(queue_lock);
#else
    lock(queue_lock);
    seen = armed;
#endif
    queue[deadline] = true;
    must_notify = deadline < seen;
    if
    :: must_notify -> armed = deadline
    :: else
    fi;
    unlock(queue_lock);
    if
    :: must_notify ->
#ifndef NO_NOTIFY
        lock(reactor_lock);
        compute(next);
        unlock(reactor_lock)
#else
        skip
#endif
    :: else
    fi;
    inserted++
}

// Wakes up for the entry, then perhaps for other reasons, and computes anew each time.
proctype reactor() {
    byte next, rounds = 0;
    lock(reactor_lock);
    lock(queue_lock);
    queue[1] = false;
    unlock(queue_lock);
    compute(next);
    unlock(reactor_lock);
    do
    :: rounds < 2 ->
        lock(reactor_lock);
        compute(next);
        unlock(reactor_lock);
        rounds++
    :: break
    od;
    asleep = true
}

init {
    byte i;
    atomic {
        queue[1] = true;
        run reactor();
        for (i : 1 .. INSERTERS) { run inserter() }
    }
    (inserted == INSERTERS && asleep);
    assert(kernel <= queue_next);
    assert(armed <= queue_next)
}
