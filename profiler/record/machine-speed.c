/* machine-speed.c — copies a block that is larger than caches, and computes a chain of operations.
 *
 * Each operation of the chain needs the result of the one before, so that its time is a number of
 * cycles of the clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/machine-speed.h"

#include "engine/base/limits.h"
#include "engine/kernels/simd/processor.h"
#include "profiler/base/clock.h"
#include "profiler/base/statistics.h"

#include <math.h>
#include <string.h>

/* Bytes of the block.  Where a part of it stays in the caches depends on which pages the process got, so
 * that processes of one quiet machine differed by a quarter with a block as large as the last cache. */
#define LEAST_BYTES ((gint64) 1 << 25)
#define MOST_BYTES  ((gint64) 1 << 26)
#define CHAIN       (1 << 20) /* operations */
#define REPETITIONS 2         /* of which the faster one counts: it lost the processor least */
#define MAX_SAMPLES 30

struct _ProfMachineSpeed
{
  gsize            size;      /* of each block */
  char            *from, *to; /* NULL: not allocated yet */
  guint            n;
  double           copy[MAX_SAMPLES], clock[MAX_SAMPLES]; /* per second */
  volatile guint64 chain;                                 /* its result, so that it is computed */
};

ProfMachineSpeed *
prof_machine_speed_new (void)
{
  return g_new0 (ProfMachineSpeed, 1);
}

void
prof_machine_speed_free (ProfMachineSpeed *speed)
{
  if (!speed)
    return;
  g_free (speed->from);
  g_free (speed->to);
  g_free (speed);
}

static void
copy_block (ProfMachineSpeed *speed)
{
  memcpy (speed->to, speed->from, speed->size);
}

static void
compute_chain (ProfMachineSpeed *speed)
{
  guint64 value = speed->chain;

  for (guint i = 0; i < CHAIN; i++)
    value = value * 6364136223846793005u + 1442695040888963407u;
  speed->chain = value;
}

/* Seconds of the fastest repetition. */
static double
time_work (ProfMachineSpeed *speed, void (*work) (ProfMachineSpeed *speed))
{
  double shortest = INFINITY;

  for (guint i = 0; i < REPETITIONS; i++)
    {
      guint64 begin = prof_clock_now ();

      work (speed);
      shortest = MIN (shortest, (double) (prof_clock_now () - begin) * 1e-9);
    }
  return shortest;
}

void
prof_machine_speed_sample (ProfMachineSpeed *speed)
{
  if (speed->n == MAX_SAMPLES)
    return;
  if (!speed->from)
    {
      speed->size = CLAMP (2 * hyb_processor ()->last_cache, LEAST_BYTES, MOST_BYTES);
      if (hyb_limits_get_run_memory () < 4 * (guint64) speed->size)
        return;
      speed->from = g_malloc (speed->size);
      speed->to = g_malloc (speed->size);
      memset (speed->from, 1, speed->size); /* maps the pages */
      memset (speed->to, 1, speed->size);
    }
  speed->copy[speed->n] = 2.0 * speed->size / time_work (speed, copy_block);
  speed->clock[speed->n++] = CHAIN / time_work (speed, compute_chain);
}

void
prof_machine_speed_get (const ProfMachineSpeed *speed, double *copy_rate, double *clock_rate)
{
  *copy_rate = prof_median (speed->copy, speed->n);
  *clock_rate = prof_median (speed->clock, speed->n);
}
