/* test-ring.c — the ring buffer keeps the newest events and counts the lost ones.
 *
 * Also packing and unpacking of the fields of an event.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/ring.h"
#include "tests/program.h"

static void
test_full_ring_drops_oldest (void)
{
  ProfRing ring;
  gsize    capacity;

  prof_ring_init (&ring, 1);
  capacity = ring.mask + 1;
  for (guint i = 0; i < capacity + 10; i++)
    *prof_ring_next (&ring) = (ProfEvent){ .node = i };

  g_assert_cmpuint (prof_ring_n_events (&ring), ==, capacity);
  g_assert_cmpuint (prof_ring_n_lost (&ring), ==, 10);
  g_assert_cmpuint (prof_ring_get (&ring, 0)->node, ==, 10);
  g_assert_cmpuint (prof_ring_get (&ring, capacity - 1)->node, ==, capacity + 9);
  prof_ring_clear (&ring);
}

static void
test_reserving_keeps_events (void)
{
  ProfRing ring;

  prof_ring_init (&ring, 1);
  for (guint i = 0; i < 700; i++)
    *prof_ring_next (&ring) = (ProfEvent){ .node = i };
  prof_ring_reserve (&ring, 100000);
  g_assert_cmpuint (ring.mask, >=, 99999);
  g_assert_cmpuint (prof_ring_n_events (&ring), ==, 700);
  for (guint i = 0; i < 700; i++)
    g_assert_cmpuint (prof_ring_get (&ring, i)->node, ==, i);
  prof_ring_clear (&ring);
}

static void
test_event_holds_what_was_packed (void)
{
  ProfEvent event = { .packed = prof_event_pack (123456789012, PROF_EVENT_BRANCH, 255, 7, 200) };
  ProfEvent bytes = { .node = 0xfffffff0, .step = 0xffffffff };

  g_assert_cmpuint (prof_event_duration (&event), ==, 123456789012);
  g_assert_cmpint (prof_event_kind (&event), ==, PROF_EVENT_BRANCH);
  g_assert_cmpuint (prof_event_depth (&event), ==, 255);
  g_assert_cmpuint (prof_event_device (&event), ==, 7);
  g_assert_cmpuint (prof_event_stream (&event), ==, 200);
  g_assert_cmpint (prof_event_bytes (&bytes), ==, -16);

  event.packed = prof_event_pack (G_MAXUINT64, PROF_EVENT_NODE, 0, 0, 0);
  g_assert_cmpuint (prof_event_duration (&event), ==, PROF_DURATION_MAX);
  g_assert_cmpint (prof_event_kind (&event), ==, PROF_EVENT_NODE);
}

TEST_PROGRAM (test_ring)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/ring/full-ring-drops-oldest", test_full_ring_drops_oldest);
  g_test_add_func ("/profiler/ring/reserving-keeps-events", test_reserving_keeps_events);
  g_test_add_func ("/profiler/ring/event-holds-what-was-packed", test_event_holds_what_was_packed);
  return g_test_run ();
}
