/* roofline.c — measures the peaks with a large matrix product and a large copy, and places
 * operators below them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/roofline.h"

#include "engine/base/limits.h"
#include "engine/base/parallel.h"
#include "engine/kernels/matrix/blas.h"
#include "engine/kernels/matrix/gemm.h"
#include "profiler/base/clock.h"
#include "profiler/machine/machine-store.h"
#include "profiler/record/kernel-watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE            512               /* of the matrices; larger ones are hardly faster */
#define COPY_BYTES      ((gsize) 1 << 26) /* larger than any cache */
#define MEASURING_BYTES (4 * (guint64) COPY_BYTES)
#define N_AGREE         3    /* fastest undisturbed repetitions that must agree */
#define AGREEMENT       0.05 /* relative */
#define MIN_ROUNDS      10   /* repetitions at least */
#define SECONDS         0.5  /* for repetitions, at most, unless fewer than MIN_ROUNDS were made */

/* The fastest repetitions of one measurement. */
typedef struct
{
  ProfKernelWatch *watch;
  guint64          begin;         /* ns */
  double           shortest;      /* seconds, of all repetitions */
  double           best[N_AGREE]; /* seconds, of undisturbed repetitions, shortest first */
  guint            n;
} PeakSearch;

static void
search_init (PeakSearch *search)
{
  *search = (PeakSearch){ .watch = prof_kernel_watch_new (),
                          .begin = prof_clock_now (),
                          .shortest = G_MAXDOUBLE };
  for (guint i = 0; i < N_AGREE; i++)
    search->best[i] = G_MAXDOUBLE;
}

/* Adds a repetition that took this long, measured since prof_kernel_watch_begin(). */
static void
search_add (PeakSearch *search, double seconds)
{
  ProfSampleFacts facts;

  prof_kernel_watch_end (search->watch, seconds, &facts);
  search->n++;
  search->shortest = MIN (search->shortest, seconds);
  if (prof_sample_is_disturbed (&facts))
    return;
  for (guint i = 0; i < N_AGREE; i++)
    if (seconds < search->best[i])
      {
        double larger = search->best[i];

        search->best[i] = seconds;
        seconds = larger;
      }
}

static gboolean
search_agrees (const PeakSearch *search)
{
  return search->best[N_AGREE - 1] <= (1 + AGREEMENT) * search->best[0];
}

static gboolean
search_goes_on (const PeakSearch *search)
{
  if (search->n < MIN_ROUNDS)
    return TRUE;
  return !search_agrees (search) && (double) (prof_clock_now () - search->begin) * 1e-9 < SECONDS;
}

/* Ends the search.  Returns the shortest time in seconds; clears *agrees if it may be too long. */
static double
search_end (PeakSearch *search, gboolean *agrees)
{
  *agrees = *agrees && search_agrees (search);
  prof_kernel_watch_free (search->watch);
  return search->shortest;
}

/* FLOP per second of a matrix product. */
static double
measure_flops (gboolean *agrees)
{
  g_autofree float *a = g_new0 (float, SIDE *SIDE);
  g_autofree float *b = g_new0 (float, SIDE *SIDE);
  g_autofree float *c = g_new0 (float, SIDE *SIDE);
  HybGemm           gemm = {
              .m = SIDE, .n = SIDE, .k = SIDE, .lda = SIDE, .ldb = SIDE, .ldc = SIDE, .alpha = 1
  };
  PeakSearch search;

  hyb_gemm_f32 (&gemm, a, b, c); /* starts the threads */
  search_init (&search);
  while (search_goes_on (&search))
    {
      guint64 begin;

      prof_kernel_watch_begin (search.watch, FALSE);
      begin = prof_clock_now ();
      hyb_gemm_f32 (&gemm, a, b, c);
      search_add (&search, (double) (prof_clock_now () - begin) * 1e-9);
    }
  return 2.0 * SIDE * SIDE * SIDE / search_end (&search, agrees);
}

typedef struct
{
  const char *from;
  char       *to;
} Copy;

static void
copy_slice (gint64 begin, gint64 end, gpointer data)
{
  const Copy *copy = data;

  memcpy (copy->to + begin, copy->from + begin, (gsize) (end - begin));
}

/* Bytes per second of a copy, read and written. */
static double
measure_bytes (gboolean *agrees)
{
  g_autofree char *from = g_malloc0 (COPY_BYTES);
  g_autofree char *to = g_malloc0 (COPY_BYTES);
  Copy             copy = { from, to };
  PeakSearch       search;

  memset (from, 1, COPY_BYTES); /* maps the pages */
  memset (to, 1, COPY_BYTES);
  search_init (&search);
  while (search_goes_on (&search))
    {
      guint64 begin;

      prof_kernel_watch_begin (search.watch, FALSE);
      begin = prof_clock_now ();
      hyb_parallel_for ((gint64) COPY_BYTES, 1 << 20, copy_slice, &copy);
      search_add (&search, (double) (prof_clock_now () - begin) * 1e-9);
    }
  return 2.0 * COPY_BYTES / search_end (&search, agrees);
}

char *
prof_roofline_dup_machine (const ProfFacts *machine)
{
  const char *host = prof_facts_get_text (machine, "system.host");
  const char *processor = prof_facts_get_text (machine, "cpu.model");

  return g_strdup_printf ("%s, %s, %s, %u threads", host ? host : "?", processor ? processor : "?",
                          hyb_blas ()->openblas_get_corename (), hyb_parallel_get_threads ());
}

/* Bounds: a slow processor of a telephone, and more than any machine has. */
static const ProfStoredNumber peak_numbers[] = { { "flops", 1e7, 1e16 }, { "bytes", 1e7, 1e15 } };

ProfPeaks
prof_roofline_measure (const ProfFacts *machine)
{
  g_autofree char *name = prof_roofline_dup_machine (machine);
  double           values[G_N_ELEMENTS (peak_numbers)];
  ProfPeaks        peaks = { 0 };
  gboolean         agrees = TRUE;

  if (prof_machine_store_read (name, peak_numbers, G_N_ELEMENTS (peak_numbers), values))
    return (ProfPeaks){ .flops = values[0], .bytes = values[1] };

  /* Measuring must not take the memory that a limited process needs. */
  if (hyb_limits_get_run_memory () < MEASURING_BYTES)
    return (ProfPeaks){ .flops = NAN, .bytes = NAN };
  values[0] = peaks.flops = measure_flops (&agrees);
  values[1] = peaks.bytes = measure_bytes (&agrees);
  if (agrees)
    prof_machine_store_write (name, peak_numbers, G_N_ELEMENTS (peak_numbers), values);
  else
    /* Good enough for now, but not to be stored. */
    peaks.disturbed = "The peak rates were measured while other processes used the processor; "
                      "the real ones may be higher, and shares of the roof lower.";
  return peaks;
}

ProfPeaks
prof_roofline_peaks (const ProfCapture *capture)
{
  return (ProfPeaks){ prof_capture_get_number (capture, "peak.flops"),
                      prof_capture_get_number (capture, "peak.bytes"),
                      prof_capture_get_text (capture, PROF_PEAKS_KEY) };
}

gboolean
prof_roofline_point (const ProfPeaks *peaks,
                     double           seconds,
                     double           flops,
                     double           bytes,
                     ProfRoofPoint   *point)
{
  double min_seconds;

  if (!(peaks->flops > 0) || !(peaks->bytes > 0) || !(seconds > 0) || !(flops >= 0) || !(bytes > 0))
    return FALSE;

  /* A rate would be 0 for operators that only move data, so compare times. */
  min_seconds = MAX (flops / peaks->flops, bytes / peaks->bytes);
  point->intensity = flops / bytes;
  point->flops = flops / seconds;
  point->attainable = MIN (peaks->flops, point->intensity * peaks->bytes);
  point->reached = min_seconds / seconds;
  point->wasted = seconds * MAX (1 - point->reached, 0);
  return TRUE;
}

char *
prof_roofline_text (const ProfRoofPoint *point)
{
  return point->reached > 1 ? g_strdup_printf ("above (×%.1f)", point->reached)
                            : g_strdup_printf ("%.0f %%", 100 * point->reached);
}
