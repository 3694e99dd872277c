/* ring.c — the ring buffer of events.
 *
 * Makes room in powers of two, and reads from the oldest event on.  GLib's queues take a lock or allocate for each
 * element, which would be measured along with the operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/ring.h"

#include <string.h>

#define MIN_CAPACITY 1024
#define MAX_CAPACITY (G_GUINT64_CONSTANT (1) << 27) /* 4 GiB of events */

static guint64
capacity_for (gsize n)
{
  guint64 capacity = MIN_CAPACITY;

  while (capacity < n && capacity < MAX_CAPACITY)
    capacity *= 2;
  return capacity;
}

void
prof_ring_init (ProfRing *ring, gsize n)
{
  guint64 capacity = capacity_for (n);

  *ring = (ProfRing){ .events = g_new (ProfEvent, capacity), .mask = capacity - 1 };
  /* Written, so that the pages are mapped before anything is measured; g_new0() maps large blocks only
   * when they are used, which took 10 ns an event in static mode and 45 ns operator by operator. */
  memset (ring->events, 0, capacity * sizeof (ProfEvent));
}

void
prof_ring_clear (ProfRing *ring)
{
  g_clear_pointer (&ring->events, g_free);
  *ring = (ProfRing){ 0 };
}

void
prof_ring_reserve (ProfRing *ring, gsize n)
{
  ProfRing larger;

  if (ring->events && ring->mask + 1 >= capacity_for (n))
    return;

  prof_ring_init (&larger, n);
  for (gsize i = 0; i < prof_ring_n_events (ring); i++)
    *prof_ring_next (&larger) = *prof_ring_get (ring, i);
  g_free (ring->events);
  *ring = larger;
}

gsize
prof_ring_n_events (const ProfRing *ring)
{
  return ring->events ? (gsize) MIN (ring->n_written, ring->mask + 1) : 0;
}

const ProfEvent *
prof_ring_get (const ProfRing *ring, gsize index)
{
  return &ring->events[(ring->n_written - prof_ring_n_events (ring) + index) & ring->mask];
}

guint64
prof_ring_n_lost (const ProfRing *ring)
{
  return ring->n_written - prof_ring_n_events (ring);
}
