/* machine-samples.c — times loops over sets that grow, and products with weights of chosen sizes.
 *
 * One thread, whose processor time is read, since it may lose the processor to others.  A sample is several runs, of
 * which the fastest counts; the first one warms the caches up.  Products are those
 * that kernels compute, with invented machines for which they prefetch or do not.  Start at samples_list().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/machine/machine-samples.h"

#include "engine/base/limits.h"
#include "engine/base/parallel.h"
#include "engine/kernels/matrix/panels.h"
#include "engine/kernels/simd/machine-model.h"
#include "engine/kernels/simd/processor.h"
#include "profiler/base/clock.h"

#include <math.h>
#include <string.h>

#define CHAINS      12 /* multiply-adds under way: two a cycle that take four each, and a few more */
#define SIMD_KERNEL "profiler/machine/machine-loops.h"
#include "engine/kernels/simd/each-simd.h"

#define MIN_SET   4096                /* bytes of the smallest set, … */
#define UNIT      4096                /* … and that all are a multiple of */
#define MIN_ROOM  ((gint64) 32 << 20) /* bytes of the largest set */
#define MAX_ROOM  ((gint64) 128 << 20)
#define PIECE     ((gsize) 1 << 20) /* bytes that are written before the clock is read again */
#define MIN_BYTES ((gsize) 4 << 20) /* read in a run: 8 µs or more */
#define MIN_RUNS  2
#define SHORT     0.0004 /* seconds of a sample at least; of a product, whose differences are small: */
#define LONG      0.001
#define STEPS     16384 /* of a sample that counts or multiplies */
#define SMALL_SET 16384 /* bytes, in every first-level cache */

/* Products with weights of DEPTH rows. */
#define DEPTH    512
#define WIDTH    HYB_PANEL_WIDTH
#define MAX_ROWS 8

typedef struct Sample Sample;
struct Sample
{
  /* Does the work, and returns how much of it there was. */
  double (*work) (const ProfMachineSamples *samples, const Sample *sample);
  gsize             bytes;   /* that are read */
  gint64            rows;    /* of a product */
  const HybMachine *machine; /* for which a product is computed; NULL: none is */
  HybSimdLevel      level;
  double            best[2]; /* per second, in even and odd rounds */
};

struct _ProfMachineSamples
{
  guint64        end; /* ns */
  guint          n_rounds;
  float         *set;  /* `room` bytes */
  gsize          room; /* that is mapped */
  float         *x, *y;
  volatile float sink;                 /* so that the loops are computed */
  Sample         single[PROF_N_RATES]; /* work: NULL where it cannot be measured here */
  guint          n_sizes;
  Sample         sizes[PROF_MAX_SIZES];
};

/* --- Work --- */

static double
count (const ProfMachineSamples *samples, const Sample *sample G_GNUC_UNUSED)
{
  guint64 value = 1, one = samples->n_rounds | 1;

  for (guint i = 0; i < STEPS; i++)
    {
#pragma GCC unroll 8
      for (guint j = 0; j < 8; j++)
        {
          value += one;
          __asm__ volatile("" : "+r"(value)); /* one addition after the other */
        }
    }
  return 8.0 * STEPS;
}

static double
read_set (const ProfMachineSamples *samples, const Sample *sample)
{
  gsize passes = MAX (MIN_BYTES / sample->bytes, 1);
  float (*read_floats) (const float *from, gsize n) = HYB_SIMD_CHOOSE (read_floats);

  for (gsize i = 0; i < passes; i++)
    ((ProfMachineSamples *) samples)->sink =
        read_floats (samples->set, sample->bytes / sizeof (float));
  return (double) (passes * sample->bytes);
}

static guint
lanes_of (HybSimdLevel level)
{
  return level == HYB_SIMD_AVX512 ? 16 : level == HYB_SIMD_AVX2 ? 8 : 4;
}

static double
load_vectors (const ProfMachineSamples *samples, const Sample *sample)
{
  return read_set (samples, sample) / (sizeof (float) * lanes_of (hyb_simd_level ()));
}

static double
multiply (const ProfMachineSamples *samples, const Sample *sample)
{
  float result;

#ifdef __x86_64__
  if (sample->level == HYB_SIMD_AVX512)
    result = multiply_add_avx512 (samples->x, STEPS);
  else if (sample->level == HYB_SIMD_AVX2)
    result = multiply_add_avx2 (samples->x, STEPS);
  else
#endif
    result = multiply_add_plain (samples->x, STEPS);
  ((ProfMachineSamples *) samples)->sink = result;
  return (double) STEPS * CHAINS * lanes_of (sample->level);
}

static double
multiply_weights (const ProfMachineSamples *samples, const Sample *sample)
{
  gint64          n = (gint64) (sample->bytes / (sizeof (float) * DEPTH * WIDTH)) * WIDTH;
  HybPanelProduct product = { .m = sample->rows, .n = n, .k = DEPTH, .ldx = DEPTH, .ldy = n };

  hyb_panels_multiply (&product, samples->x, samples->set, samples->y);
  return (double) n * DEPTH * sizeof (float);
}

/* --- What is measured --- */

#define NOT \
  {         \
    2, 1    \
  }
#define AHEAD \
  {           \
    1, 2      \
  }

/* Machines for which all weights are in the last-level cache, or in memory, and are prefetched or not. */
static const HybMachine invented[2][2] = {
  { { .second_cache = 1, .last_cache = 1e15, .last = { NOT, NOT, NOT } },
    { .second_cache = 1, .last_cache = 1e15, .last = { AHEAD, AHEAD, AHEAD } } },
  { { .second_cache = 1, .last_cache = 1, .memory = { NOT, NOT, NOT } },
    { .second_cache = 1, .last_cache = 1, .memory = { AHEAD, AHEAD, AHEAD } } },
};

#undef NOT
#undef AHEAD

/* The rows that stand for each class. */
static const gint64 rows[HYB_ROW_CLASSES] = { 1, 2, MAX_ROWS };

/* Weights between the second-level and the last-level cache, and of about twice the last-level cache.  What is not larger than
 * a cache, or has no room, is not measured. */
static void
list_products (ProfMachineSamples *samples)
{
  const HybProcessor *processor = hyb_processor ();
  double second = (double) processor->second_cache, last = (double) processor->last_cache;
  gsize  between = (gsize) sqrt (second * MIN (last, 32 * second));

  for (guint i = 0; i < 4 * HYB_ROW_CLASSES; i++)
    {
      guint is_memory = i / 2 % 2, is_ahead = i % 2;
      gsize bytes = is_memory ? samples->room : between;

      if (bytes <= samples->room && (double) bytes >= (is_memory ? 1.9 * last : 1.5 * second))
        samples->single[PROF_RATE_WEIGHTS + i] =
            (Sample){ .work = multiply_weights,
                      .bytes = bytes,
                      .rows = rows[i / 4],
                      .machine = &invented[is_memory][is_ahead] };
    }
}

static void
samples_list (ProfMachineSamples *samples)
{
  samples->single[PROF_RATE_CLOCK].work = count;
  samples->single[PROF_RATE_LOADS] = (Sample){ load_vectors, SMALL_SET };
  for (guint level = HYB_SIMD_PLAIN; level <= hyb_simd_processor_level (); level++)
    samples->single[PROF_RATE_PLAIN + level] =
        (Sample){ .work = multiply, .level = (HybSimdLevel) level };
  list_products (samples);
  /* Half an octave from one to the next. */
  for (double bytes = MIN_SET; (gsize) bytes <= samples->room && samples->n_sizes < PROF_MAX_SIZES;
       bytes *= G_SQRT2)
    samples->sizes[samples->n_sizes++] = (Sample){ read_set, (gsize) bytes / UNIT * UNIT };
}

static gboolean
has_time (const ProfMachineSamples *samples)
{
  return prof_clock_now () < samples->end;
}

/* Writes the set, since pages that were never written are all the same memory. */
static void
map_set (ProfMachineSamples *samples, gsize room)
{
  samples->set = g_aligned_alloc (1, room, UNIT);
  for (samples->room = 0; samples->room < room && has_time (samples); samples->room += PIECE)
    memset ((char *) samples->set + samples->room, 0x3f, PIECE); /* floats of 0.747 */
}

ProfMachineSamples *
prof_machine_samples_new (double seconds)
{
  gsize room =
      (gsize) (CLAMP (2 * hyb_processor ()->last_cache, MIN_ROOM, MAX_ROOM) / (gint64) PIECE) *
      PIECE;
  ProfMachineSamples *samples;

  /* Measuring must not take the memory that a limited process needs. */
  if (hyb_limits_get_run_memory () < 2 * (guint64) room)
    return NULL;
  samples = g_new0 (ProfMachineSamples, 1);
  samples->end = prof_clock_now () + (guint64) (seconds * 1e9);
  samples->x = g_new (float, MAX_ROWS *DEPTH);
  samples->y = g_new0 (float, MAX_ROWS *(room / (sizeof (float) * DEPTH) + WIDTH));
  for (guint i = 0; i < MAX_ROWS * DEPTH; i++)
    samples->x[i] = 0.5f;
  map_set (samples, room);
  samples_list (samples);
  return samples;
}

void
prof_machine_samples_free (ProfMachineSamples *samples)
{
  if (!samples)
    return;
  g_aligned_free (samples->set);
  g_free (samples->x);
  g_free (samples->y);
  g_free (samples);
}

/* --- Rounds --- */

/* Seconds of the processor that this thread has used. */
static double
read_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Whether the sample needs another run, after n runs that used these seconds.  What comes from memory needs no warm-up. */
static gboolean
needs_run (const Sample *sample, guint n, double used)
{
  if (sample->bytes > (gsize) hyb_processor ()->last_cache)
    return n == 0;
  return n < MIN_RUNS || used < (sample->rows > 0 ? LONG : SHORT);
}

/* FALSE if there is no time for it. */
static gboolean
take_sample (ProfMachineSamples *samples, Sample *sample)
{
  double *best = &sample->best[samples->n_rounds & 1], used = 0;

  for (guint i = 0; sample->work && needs_run (sample, i, used); i++)
    {
      double begin = read_seconds (), amount, seconds;

      if (!has_time (samples))
        return FALSE;
      amount = sample->work (samples, sample);
      seconds = MAX (read_seconds () - begin, 1e-9);
      used += seconds;
      *best = MAX (*best, amount / seconds);
    }
  return TRUE;
}

/* The most important rates come first, in case that time ends. */
static gboolean
take_samples (ProfMachineSamples *samples)
{
  for (guint i = 0; i < PROF_N_RATES; i++)
    {
      hyb_machine_use (samples->single[i].machine);
      if (!take_sample (samples, &samples->single[i]))
        return FALSE;
    }
  for (guint i = 0; i < samples->n_sizes; i++)
    if (!take_sample (samples, &samples->sizes[i]))
      return FALSE;
  samples->n_rounds++;
  return TRUE;
}

gboolean
prof_machine_samples_add_round (ProfMachineSamples *samples)
{
  HybMachine before = *hyb_machine_get ();
  guint      n_threads = hyb_parallel_get_threads ();
  gboolean   is_done;

  hyb_parallel_set_threads (1);
  is_done = take_samples (samples);
  hyb_parallel_set_threads (n_threads);
  hyb_machine_use (&before);
  return is_done;
}

static double
choose_half (const Sample *sample, guint which)
{
  return which < 2 ? sample->best[which] : MAX (sample->best[0], sample->best[1]);
}

void
prof_machine_samples_view (const ProfMachineSamples *samples, guint which, ProfMachineView *view)
{
  *view = (ProfMachineView){ .n_sizes = samples->n_sizes };
  for (guint i = 0; i < PROF_N_RATES; i++)
    view->rates[i] = choose_half (&samples->single[i], which);
  /* A larger set is never read faster; where it seems so, the smaller one was disturbed. */
  for (guint i = samples->n_sizes; i-- > 0;)
    {
      view->sizes[i] = samples->sizes[i].bytes;
      view->reads[i] = choose_half (&samples->sizes[i], which);
      if (i + 1 < samples->n_sizes)
        view->reads[i] = MAX (view->reads[i], view->reads[i + 1]);
    }
}
