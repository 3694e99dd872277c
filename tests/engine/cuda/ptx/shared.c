/* shared.c — shared memory of a block and the check for races.
 *
 * Two accesses of different threads to one byte, one of them a write, race unless a barrier of
 * the block or a meeting of the two lanes' warp lies between.  A barrier starts a new interval.
 * Within a warp each lane has a clock, and knows of the others' clocks what it learnt when they
 * met last (a shuffle, a vote, __syncwarp).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <string.h>

typedef struct
{
  guint32 interval; /* 0: never */
  guint32 clock;
  guint16 thread;
  guint8  atomic;
} Touch;

/* The last write of a byte and two of its reads: the last one, and the last one before it by
 * another thread, one of another warp where there is one. */
typedef struct
{
  Touch write, read, other;
} Marks;

struct _PtxShared
{
  gsize    bytes;
  guint8  *data, *written;
  Marks   *marks;
  guint32  interval;
  guint32 *clocks; /* [thread][lane]: what the thread knows of the lanes of its warp */
  guint    threads;
  /* The first read of a byte that was not written yet.  If it is written before the next
   * barrier, the two race; otherwise the byte was simply never written. */
  PtxThread            *early;
  const PtxInstruction *early_in;
  guint64               early_at;
};

PtxShared *
ptx_shared_new (gsize bytes, guint threads)
{
  PtxShared *shared = g_new0 (PtxShared, 1);

  shared->bytes = bytes;
  shared->threads = threads;
  shared->data = g_malloc (MAX (bytes, 1));
  shared->written = g_malloc (MAX (bytes, 1));
  shared->marks = g_new0 (Marks, MAX (bytes, 1));
  shared->clocks = g_new (guint32, ((gsize) threads + PTX_WARP) * PTX_WARP);
  return shared;
}

void
ptx_shared_free (PtxShared *shared)
{
  g_free (shared->data);
  g_free (shared->written);
  g_free (shared->marks);
  g_free (shared->clocks);
  g_free (shared);
}

void
ptx_shared_clear (PtxShared *shared)
{
  memset (shared->data, 0xff, shared->bytes);
  memset (shared->written, 0, shared->bytes);
  memset (shared->clocks, 0, (gsize) shared->threads * PTX_WARP * sizeof (guint32));
  for (guint i = 0; i < shared->threads; i++)
    shared->clocks[i * PTX_WARP + i % PTX_WARP] = 1;
  shared->interval++;
}

void
ptx_shared_pass (PtxShared *shared)
{
  PtxThread *early = shared->early;

  shared->interval++;
  shared->early = NULL;
  if (early && !shared->written[shared->early_at])
    ptx_fail (early, shared->early_in, PTX_ERROR_UNWRITTEN,
              "reads byte %" G_GUINT64_FORMAT " of shared memory, which was never written",
              shared->early_at);
}

void
ptx_shared_meet (PtxShared *shared, guint first, guint32 mask)
{
  guint32 joint[PTX_WARP] = { 0 };

  for (guint lane = 0; lane < PTX_WARP; lane++)
    if (mask >> lane & 1)
      for (guint i = 0; i < PTX_WARP; i++)
        joint[i] = MAX (joint[i], shared->clocks[(first + lane) * PTX_WARP + i]);
  for (guint lane = 0; lane < PTX_WARP; lane++)
    if (mask >> lane & 1)
      {
        guint32 *own = &shared->clocks[(first + lane) * PTX_WARP];

        memcpy (own, joint, sizeof joint);
        own[lane]++;
      }
}

/* --- Access --- */

/* Whether thread ME can know that TOUCH is over. */
static gboolean
is_over (const PtxShared *shared, const Touch *touch, guint me)
{
  if (touch->interval != shared->interval || touch->thread == me)
    return TRUE;
  if (touch->thread / PTX_WARP != me / PTX_WARP)
    return FALSE;
  return shared->clocks[me * PTX_WARP + touch->thread % PTX_WARP] >= touch->clock;
}

static const Touch *
find_race (const PtxShared *shared, const Marks *marks, const Touch *now, gboolean write)
{
  if (!is_over (shared, &marks->write, now->thread) && !(now->atomic && marks->write.atomic))
    return &marks->write;
  if (write && !is_over (shared, &marks->read, now->thread))
    return &marks->read;
  if (write && !is_over (shared, &marks->other, now->thread))
    return &marks->other;
  return NULL;
}

static void
note (const PtxShared *shared, Marks *marks, const Touch *now, gboolean write)
{
  gboolean keep = marks->other.interval == shared->interval &&
                  marks->other.thread / PTX_WARP != now->thread / PTX_WARP;

  if (write)
    {
      marks->write = *now;
      return;
    }
  if (marks->read.thread != now->thread &&
      (marks->read.thread / PTX_WARP != now->thread / PTX_WARP || !keep))
    marks->other = marks->read;
  marks->read = *now;
}

static void
tell_race (PtxThread *t, const PtxInstruction *in, const Touch *other, gboolean write, guint64 at)
{
  const Marks *marks = &t->run->shared->marks[at];

  ptx_fail (t, in, PTX_ERROR_RACE,
            "%s byte %" G_GUINT64_FORMAT
            " of shared memory, which thread %u %s, and no barrier is between",
            write ? "writes" : "reads", at, other->thread,
            other == &marks->write ? "wrote" : "read");
}

static gboolean
is_inside (PtxThread *t, const PtxInstruction *in, guint64 at, guint bytes, gboolean write)
{
  gsize size = t->run->shared->bytes;

  if (at < size && bytes <= size - at)
    return TRUE;
  if (ptx_checks (t, PTX_ERROR_BOUNDS))
    ptx_fail (t, in, PTX_ERROR_BOUNDS,
              "%s %u bytes at byte %" G_GUINT64_FORMAT " of %" G_GSIZE_FORMAT
              " bytes of shared memory",
              write ? "writes" : "reads", bytes, at, size);
  return FALSE;
}

guint8 *
ptx_shared_reach (PtxThread *t, const PtxInstruction *in, guint64 at, guint bytes, PtxUse use)
{
  gboolean   write = use != PTX_READ, atomic = use == PTX_ATOMIC;
  PtxShared *shared = t->run->shared;
  Touch      now = { .interval = shared->interval,
                     .thread = (guint16) t->index,
                     .atomic = (guint8) atomic };
  gboolean   races = ptx_checks (t, PTX_ERROR_RACE);

  if (!is_inside (t, in, at, bytes, write))
    return t->run->error ? NULL : ptx_nowhere (t);
  now.clock = shared->clocks[t->index * PTX_WARP + t->index % PTX_WARP];
  for (guint64 i = at; i < at + bytes; i++)
    {
      const Touch *other = races ? find_race (shared, &shared->marks[i], &now, write) : NULL;

      if (other)
        {
          tell_race (t, in, other, write, i);
          return NULL;
        }
      if ((!write || atomic) && !shared->written[i] && !shared->early &&
          ptx_checks (t, PTX_ERROR_UNWRITTEN))
        {
          shared->early = t;
          shared->early_in = in;
          shared->early_at = i;
        }
      note (shared, &shared->marks[i], &now, write);
      if (write && !atomic)
        shared->written[i] = 1;
    }
  return shared->data + at;
}
