/* ring.h — the events of one thread in a ring buffer.
 *
 * Writing takes no lock and allocates nothing.  When the ring is full, the oldest events are
 * overwritten and counted as lost.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/event.h"

typedef struct
{
  ProfEvent *events;
  guint64    mask;      /* capacity - 1; the capacity is a power of two */
  guint64    n_written; /* in total */
} ProfRing;

/* An empty ring with room for at least n events (at most 2^27).  Does not free the former
 * contents of ring. */
void prof_ring_init (ProfRing *ring, gsize n);
/* Frees the events. */
void prof_ring_clear (ProfRing *ring);
/* Makes room for at least n events, keeping those it has.  Must not be called while another thread
 * writes. */
void prof_ring_reserve (ProfRing *ring, gsize n);

/* Room for the next event, which counts as written. */
static inline ProfEvent *
prof_ring_next (ProfRing *ring)
{
  return &ring->events[ring->n_written++ & ring->mask];
}

/* Events that are still there. */
gsize prof_ring_n_events (const ProfRing *ring);
/* An event, from the oldest one that is still there. */
const ProfEvent *prof_ring_get (const ProfRing *ring, gsize index);
/* Events that were overwritten. */
guint64 prof_ring_n_lost (const ProfRing *ring);
