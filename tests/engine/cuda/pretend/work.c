/* work.c — streams and their work: who comes after whom, and running it in an order that is drawn
 * when somebody waits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/state.h"

/* --- Deeds --- */

PretendDeed *
pretend_deed_new (char *name, gboolean (*run) (gpointer, GError **), gpointer data)
{
  PretendDeed *deed = g_rc_box_new0 (PretendDeed);

  deed->name = name;
  deed->run = run;
  deed->data = data;
  return deed;
}

PretendDeed *
pretend_deed_ref (PretendDeed *deed)
{
  return g_rc_box_acquire (deed);
}

static void
clear_deed (gpointer data)
{
  PretendDeed *deed = data;

  g_free (deed->name);
  g_free (deed->data);
}

void
pretend_deed_unref (PretendDeed *deed)
{
  g_rc_box_release_full (deed, clear_deed);
}

/* --- Clocks --- */

void
pretend_join (GArray *clock, const GArray *other)
{
  if (clock->len < other->len)
    g_array_set_size (clock, other->len);
  for (guint i = 0; i < other->len; i++)
    {
      guint32 *mine = &g_array_index (clock, guint32, i);

      *mine = MAX (*mine, g_array_index (other, guint32, i));
    }
}

static GArray *
new_clock (void)
{
  return g_array_new (FALSE, TRUE, sizeof (guint32));
}

gboolean
pretend_host_knows (const PretendWork *work)
{
  return work->stream < pretend.host->len &&
         g_array_index (pretend.host, guint32, work->stream) >= work->sequence;
}

/* --- Streams --- */

CUstream
pretend_stream_new (gboolean blocking)
{
  CUstream stream = g_new0 (struct CUstream_st, 1);

  stream->index = pretend.streams->len;
  stream->blocking = blocking;
  stream->clock = new_clock ();
  stream->last = g_ptr_array_new ();
  g_queue_init (&stream->queue);
  g_ptr_array_add (pretend.streams, stream);
  return stream;
}

CUstream
pretend_stream (CUstream stream)
{
  if (!stream)
    return g_ptr_array_index (pretend.streams, 0);
  return pretend_lives (stream, PRETEND_STREAM) ? stream : NULL;
}

/* The default stream comes after every blocking stream, and they after it. */
static void
join_default_stream (CUstream stream)
{
  for (guint i = 0; i < pretend.streams->len; i++)
    {
      CUstream other = g_ptr_array_index (pretend.streams, i);

      if (other != stream && other->blocking && (!stream->index || !i))
        pretend_join (stream->clock, other->clock);
    }
}

PretendWork *
pretend_mark (CUstream stream, const GArray *after)
{
  PretendWork *work = g_new0 (PretendWork, 1);

  if (stream->blocking)
    join_default_stream (stream);
  if (after)
    pretend_join (stream->clock, after);
  pretend_join (stream->clock, pretend.host);
  g_ptr_array_add (pretend.works, work);
  work->number = pretend.works->len;
  work->stream = stream->index;
  work->correlation = pretend.correlation;
  work->sequence = ++stream->sequence;
  if (stream->clock->len <= stream->index)
    g_array_set_size (stream->clock, stream->index + 1);
  g_array_index (stream->clock, guint32, stream->index) = work->sequence;
  work->clock = g_array_copy (stream->clock);
  g_ptr_array_add (pretend.clocked, work);
  g_queue_push_tail (&stream->queue, work);
  return work;
}

CUresult
pretend_add (CUstream stream, PretendDeed *deed)
{
  if (stream->capture)
    return pretend_capture_deed (stream, deed);
  pretend_mark (stream, NULL)->deed = deed;
  return CUDA_SUCCESS;
}

/* --- Running --- */

/* Whether all that WORK comes after is done. */
static gboolean
is_ready (const PretendWork *work)
{
  for (guint i = 0; i < work->clock->len; i++)
    {
      CUstream     stream = g_ptr_array_index (pretend.streams, i);
      PretendWork *first = g_queue_peek_head (&stream->queue);

      if (first && first != work && first->sequence <= g_array_index (work->clock, guint32, i))
        return FALSE;
    }
  return TRUE;
}

static PretendWork *
draw_work (void)
{
  g_autoptr (GPtrArray) ready = g_ptr_array_new ();

  for (guint i = 0; i < pretend.streams->len; i++)
    {
      CUstream     stream = g_ptr_array_index (pretend.streams, i);
      PretendWork *first = g_queue_peek_head (&stream->queue);

      if (first && is_ready (first))
        g_ptr_array_add (ready, first);
    }
  if (!ready->len)
    return NULL;
  return g_ptr_array_index (ready, g_rand_int_range (pretend.rand, 0, (gint32) ready->len));
}

/* The pretended clock: work begins when all that it comes after has ended. */
static void
advance_time (CUstream stream, PretendWork *work)
{
  double start = stream->time;

  for (guint i = 0; i < work->clock->len; i++)
    {
      CUstream other = g_ptr_array_index (pretend.streams, i);

      start = MAX (start, other->time * (g_array_index (work->clock, guint32, i) > 0));
    }
  stream->time = work->time = start + (work->deed ? work->deed->seconds : 0);
}

static void
run_work (PretendWork *work)
{
  CUstream stream = g_ptr_array_index (pretend.streams, work->stream);
  guint64  start = pretend_nanoseconds ();
  g_autoptr (GError) error = NULL;

  g_queue_pop_head (&stream->queue);
  pretend.now = work;
  ptx_memory_set_work (pretend.memory, work->number);
  if (work->deed && !pretend.sticky && !work->deed->run (work->deed->data, &error))
    {
      g_autofree char *who = g_strdup_printf ("%s in stream %u", work->deed->name, work->stream);

      pretend_fault (who, error);
    }
  pretend.now = NULL;
  if (pretend.observer && work->deed)
    pretend.observer->worked (work, start, MAX (pretend_nanoseconds (), start + 1));
  work->done = TRUE;
  advance_time (stream, work);
}

void
pretend_some_work (void)
{
  PretendWork *work = draw_work ();

  if (work)
    run_work (work);
}

/* All that is begun from now on comes after work that the host knows, whatever that came after: its clock is
 * not needed any more. */
static void
forget_clocks (void)
{
  guint n = 0;

  for (guint i = 0; i < pretend.clocked->len; i++)
    {
      PretendWork *work = g_ptr_array_index (pretend.clocked, i);

      if (work->done && pretend_host_knows (work))
        g_clear_pointer (&work->clock, g_array_unref);
      else
        g_ptr_array_index (pretend.clocked, n++) = work;
    }
  g_ptr_array_set_size (pretend.clocked, (int) n);
}

CUresult
pretend_wait (PretendWork *work)
{
  while (!work->done)
    {
      PretendWork *next = draw_work ();

      if (!next)
        g_error ("the pretend GPU has work that nothing can begin");
      run_work (next);
    }
  if (work->clock)
    pretend_join (pretend.host, work->clock);
  forget_clocks ();
  pretend_show ();
  return pretend.sticky;
}

CUresult
pretend_wait_stream (CUstream stream)
{
  return pretend_wait (pretend_mark (stream, NULL));
}

/* Whether the host has waited for all that the stream was given. */
static gboolean
is_known (const struct CUstream_st *stream)
{
  return stream->sequence == 0 ||
         (stream->index < pretend.host->len &&
          g_array_index (pretend.host, guint32, stream->index) >= stream->sequence);
}

CUresult
pretend_wait_all (void)
{
  for (guint i = 0; i < pretend.streams->len; i++)
    {
      CUstream stream = g_ptr_array_index (pretend.streams, i);

      if (!is_known (stream))
        pretend_wait_stream (stream);
    }
  return pretend.sticky;
}
