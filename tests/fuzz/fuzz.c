/* fuzz.c — limits, counts and random choices for the harnesses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "engine/base/limits.h"
#include "engine/base/parallel.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* Small, so that an input which gets around them is noticed by the limits of libFuzzer (see run). */
#define MEMORY_LIMIT (2u << 20)
#define WORK_LIMIT   20000

static guint64 counts[FUZZ_N_STAGES];

static void
forget_message (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
}

/* A fatal message raises SIGTRAP, which libFuzzer does not handle: it would lose the input. */
static void
end_as_abort (int number)
{
  abort ();
}

static gpointer
prepare (gpointer data)
{
  signal (SIGTRAP, end_as_abort);
  /* Limits are sentences for the user elsewhere; here messages below a warning are of no use. */
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
  g_log_set_handler (NULL, G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO | G_LOG_LEVEL_DEBUG,
                     forget_message, NULL);
  hyb_limits_set (MEMORY_LIMIT, WORK_LIMIT);
  hyb_parallel_set_threads (1);
  if (g_getenv ("FUZZ_REPORT"))
    atexit (fuzz_report);
  return NULL;
}

void
fuzz_begin (void)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, prepare, NULL);
  counts[FUZZ_TRIED]++;
}

void
fuzz_reached (FuzzStage stage)
{
  counts[stage]++;
}

void
fuzz_report (void)
{
  fprintf (stderr,
           "reached: %" G_GUINT64_FORMAT " tried, %" G_GUINT64_FORMAT " read, %" G_GUINT64_FORMAT
           " planned, %" G_GUINT64_FORMAT " ran\n",
           counts[FUZZ_TRIED], counts[FUZZ_READ], counts[FUZZ_PLANNED], counts[FUZZ_RAN]);
}

GBytes *
fuzz_bytes (const guint8 *data, gsize size)
{
  return g_bytes_new (data, size);
}

guint
fuzz_below (FuzzRandom *random, guint n)
{
  *random = *random * G_GUINT64_CONSTANT (6364136223846793005) + 1442695040888963407u;
  return (guint) ((*random >> 33) % n);
}

gboolean
fuzz_once_in (FuzzRandom *random, guint n)
{
  return fuzz_below (random, n) == 0;
}

guint64
fuzz_number (FuzzRandom *random)
{
  guint64 power = G_GUINT64_CONSTANT (1) << fuzz_below (random, 64);

  switch (fuzz_below (random, 4))
    {
    case 0:
    case 1:
      return fuzz_below (random, 20);
    case 2:
      return power + fuzz_below (random, 3) - 1;
    default:
      return power | ((guint64) fuzz_below (random, 1u << 31) & (power - 1));
    }
}
