/* ring.h — the events of one thread, in a fixed piece of memory.
 *
 * Writing takes no lock and allocates nothing; when the ring is full the oldest
 * events give way, and are counted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/event.h"

typedef struct
{
  ProfEvent *events;
  guint64    mask;      /* capacity - 1; the capacity is a power of two */
  guint64    n_written; /* ever */
} ProfRing;

/* Room for n events at least; what it held is gone. */
void prof_ring_init (ProfRing *ring, gsize n);
void prof_ring_clear (ProfRing *ring);
/* More room, keeping what it holds; not while somebody writes. */
void prof_ring_reserve (ProfRing *ring, gsize n);

static inline ProfEvent *
prof_ring_next (ProfRing *ring)
{
  return &ring->events[ring->n_written++ & ring->mask];
}

/* Events still there, from the oldest; and those that are not. */
gsize            prof_ring_n_events (const ProfRing *ring);
const ProfEvent *prof_ring_get (const ProfRing *ring, gsize index);
guint64          prof_ring_n_lost (const ProfRing *ring);
