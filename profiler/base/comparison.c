/* comparison.c — separates the need of each subject from the speed of the machine while they took turns.
 *
 * 1. Rounds are divided into blocks: builds, or parts of the series. 2. Within a block, medians over
 * subjects and over rounds are subtracted in turn (Tukey's median polish), which leaves the need of each
 * subject.  For two subjects this is the median of log (a / b). 3. A block counts as one observation.
 * The means over blocks are fitted together, since a subject may lack a block. 4. With these means, each
 * round gives the slowness of the machine.  Its median makes seconds of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/comparison.h"

#include <math.h>
#include <string.h>

#define MAX_SWEEPS 100
#define CONVERGED  1e-12
/* The speed is judged by parts of the measurement of at least this many rounds. */
#define MIN_ROUNDS_OF_PART 5
#define MAX_PARTS          10

struct _ProfComparison
{
  guint            n;        /* subjects */
  gboolean         in_turns; /* or one subject */
  ProfInterval    *time;     /* by subject */
  ProfComparison **alone;    /* by subject, where they did not take turns */

  guint   n_rounds; /* that count for some subjects */
  guint  *build;    /* by such round */
  double *seconds;  /* logarithms, by such round and subject; NaN: does not count */
  double *slowness; /* logarithms, by such round */

  guint   n_blocks, n_builds;
  guint  *end;              /* of each block, as an index of such rounds */
  double *need;             /* logarithms, by block and subject; NaN: no run */
  double *mean;             /* of need, by subject */
  double  fastest, slowest; /* the machine in parts of the measurement, as a factor on times */
};

/* The median of n values without NaN; NaN if all are NaN.  values is overwritten. */
static double
median_of_known (double *values, guint n)
{
  guint n_known = 0;

  for (guint i = 0; i < n; i++)
    if (!isnan (values[i]))
      values[n_known++] = values[i];
  return prof_median (values, n_known);
}

/* --- Which runs count --- */

static gboolean
counts (const ProfRuns *runs, guint round)
{
  return !runs->facts || !prof_sample_is_disturbed (&runs->facts[round]);
}

/* Rounds in which the runs of both count. */
static guint
count_common (const ProfRuns *a, const ProfRuns *b, guint n_rounds)
{
  guint n = 0;

  for (guint i = 0; i < n_rounds; i++)
    n += counts (a, i) && counts (b, i);
  return n;
}

/* Finds the subjects whose disturbed runs count as well, since too few others remain. */
static gboolean *
find_too_disturbed (const ProfRuns *runs, guint n, guint n_rounds)
{
  gboolean *uses_all = g_new0 (gboolean, n);

  for (guint a = 0; a < n; a++)
    for (guint b = n > 1 ? a + 1 : a; b < n; b++)
      if (count_common (&runs[a], &runs[b], n_rounds) < PROF_MIN_UNDISTURBED)
        uses_all[a] = uses_all[b] = TRUE;
  return uses_all;
}

/* Fills the rounds that count for at least two subjects, or for the only one. */
static void
select_rounds (ProfComparison *self, const ProfRuns *runs, guint n_rounds)
{
  g_autofree gboolean *uses_all = find_too_disturbed (runs, self->n, n_rounds);

  self->build = g_new0 (guint, MAX (n_rounds, 1));
  self->seconds = g_new (double, MAX (n_rounds, 1) * self->n);
  self->slowness = g_new (double, MAX (n_rounds, 1));
  for (guint r = 0; r < n_rounds; r++)
    {
      double *row = self->seconds + (gsize) self->n_rounds * self->n;
      guint   n_known = 0;

      for (guint i = 0; i < self->n; i++)
        {
          row[i] = uses_all[i] || counts (&runs[i], r) ? log (runs[i].seconds[r]) : NAN;
          n_known += !isnan (row[i]);
        }
      if (n_known < MIN (self->n, 2))
        continue;
      self->build[self->n_rounds++] = runs[0].build ? runs[0].build[r] : 0;
    }
}

/* --- Medians within blocks --- */

static void
divide_into_blocks (ProfComparison *self)
{
  self->n_builds = prof_count_builds (self->build, self->n_rounds);
  self->end = g_new (guint, self->n_rounds + 1);
  for (guint from = 0; from < self->n_rounds; from = self->end[self->n_blocks++])
    self->end[self->n_blocks] = prof_find_block_end (self->build, self->n_rounds, from);
}

/* How slow the machine was in these rounds, if subjects need so much.  buffer: room for the subjects. */
static void
find_slowness (ProfComparison *self, const double *need, guint from, guint to, double *buffer)
{
  for (guint r = from; r < to; r++)
    {
      for (guint i = 0; i < self->n; i++)
        buffer[i] = self->seconds[(gsize) r * self->n + i] - need[i];
      self->slowness[r] = median_of_known (buffer, self->n);
    }
}

/* Finds the needs of subjects from the rounds from … to.  buffer: room for the subjects and for
 * rounds. */
static void
polish (ProfComparison *self, guint from, guint to, double *need, double *buffer)
{
  double change = INFINITY;

  memset (need, 0, self->n * sizeof *need);
  for (guint sweep = 0; sweep < MAX_SWEEPS && change > CONVERGED; sweep++)
    {
      find_slowness (self, need, from, to, buffer);
      change = 0;
      for (guint i = 0; i < self->n; i++)
        {
          double before = need[i];

          for (guint r = from; r < to; r++)
            buffer[r - from] = self->seconds[(gsize) r * self->n + i] - self->slowness[r];
          need[i] = median_of_known (buffer, to - from);
          change = fmax (change, fabs (need[i] - before));
        }
    }
}

/* --- Means over blocks --- */

/* The mean need of each subject, less an offset of each block, over its blocks: the least squares
 * solution, found by taking means in turn. */
static void
find_means (ProfComparison *self)
{
  double change = INFINITY;

  self->mean = g_new0 (double, self->n);
  for (guint sweep = 0; sweep < MAX_SWEEPS && change > CONVERGED; sweep++)
    {
      g_autofree double *sum = g_new0 (double, self->n);
      g_autofree guint  *n_blocks = g_new0 (guint, self->n);

      for (guint k = 0; k < self->n_blocks; k++)
        {
          const double *need = self->need + (gsize) k * self->n;
          double        offset = 0;
          guint         n_known = 0;

          /* The offset of a block: the mean distance of its known times from the present means. */
          for (guint i = 0; i < self->n; i++)
            if (!isnan (need[i]))
              {
                offset += need[i] - self->mean[i];
                n_known++;
              }
          for (guint i = 0; i < self->n; i++)
            if (!isnan (need[i]))
              {
                sum[i] += need[i] - offset / n_known;
                n_blocks[i]++;
              }
        }
      /* Each mean is taken anew from the times without the offsets.  Blocks in which a subject is
       * missing would otherwise bias it towards fast or slow blocks. */
      change = 0;
      for (guint i = 0; i < self->n; i++)
        {
          double before = self->mean[i];

          self->mean[i] = n_blocks[i] > 0 ? sum[i] / n_blocks[i] : NAN;
          change = fmax (change, fabs (self->mean[i] - before));
        }
    }
}

/* --- Times --- */

/* Finds how slow the machine was in parts of the measurement, relative to its typical speed. */
static void
find_speed (ProfComparison *self)
{
  guint  n_parts = MIN (self->n_rounds / MIN_ROUNDS_OF_PART, MAX_PARTS);
  double typical = prof_median (self->slowness, self->n_rounds);

  self->fastest = self->slowest = 1;
  for (guint part = 0; part < n_parts; part++)
    {
      guint  from = part * self->n_rounds / n_parts, to = (part + 1) * self->n_rounds / n_parts;
      double factor = exp (prof_median (self->slowness + from, to - from) - typical);

      self->fastest = MIN (self->fastest, factor);
      self->slowest = MAX (self->slowest, factor);
    }
}

/* The interval of a subject's time: from the machine's typical speed, and from the blocks of the
 * subject. */
static void
find_time (ProfComparison *self, guint subject, double *buffer)
{
  ProfInterval *time = &self->time[subject];
  double        width = 0;
  guint         n_known = 0;

  for (guint r = 0; r < self->n_rounds; r++)
    buffer[r] = exp (self->slowness[r] + self->mean[subject]);
  *time = prof_builds_interval (buffer, self->build, self->n_rounds, 0.95);
  for (guint i = 0; i < self->n; i++)
    {
      ProfPairing pairing;

      if (i == subject)
        continue;
      prof_comparison_pair (self, subject, i, &pairing);
      if (!prof_interval_is_known (&pairing.ratio))
        continue;
      width += log (pairing.ratio.high / pairing.ratio.low) / 2;
      n_known++;
    }
  /* A subject has about half of the variance of a ratio. */
  width = n_known > 0 ? M_SQRT1_2 * width / n_known : 0;
  time->low = time->median * exp (-hypot (log (time->median / time->low), width));
  time->high = time->median * exp (hypot (log (time->high / time->median), width));
}

static void
estimate (ProfComparison *self, const ProfRuns *runs)
{
  guint              n_rounds = runs[0].n;
  g_autofree double *buffer = NULL;

  for (guint i = 1; i < self->n; i++)
    n_rounds = MIN (n_rounds, runs[i].n);
  buffer = g_new (double, MAX (n_rounds, self->n));
  select_rounds (self, runs, n_rounds);
  divide_into_blocks (self);
  self->need = g_new (double, (gsize) MAX (self->n_blocks, 1) * self->n);
  for (guint k = 0; k < self->n_blocks; k++)
    polish (self, k > 0 ? self->end[k - 1] : 0, self->end[k], self->need + (gsize) k * self->n,
            buffer);
  find_means (self);
  find_slowness (self, self->mean, 0, self->n_rounds, buffer);
  find_speed (self);
  for (guint i = 0; i < self->n; i++)
    find_time (self, i, buffer);
}

ProfComparison *
prof_comparison_new (const ProfRuns *runs, guint n, gboolean in_turns)
{
  ProfComparison *self = g_new0 (ProfComparison, 1);

  self->n = n;
  self->in_turns = in_turns || n < 2;
  self->time = g_new (ProfInterval, n);
  self->alone = g_new0 (ProfComparison *, n);
  self->fastest = self->slowest = 1;
  if (self->in_turns)
    estimate (self, runs);
  for (guint i = 0; !self->in_turns && i < n; i++)
    {
      self->alone[i] = prof_comparison_new (&runs[i], 1, TRUE);
      self->time[i] = self->alone[i]->time[0];
      self->fastest = MIN (self->fastest, self->alone[i]->fastest);
      self->slowest = MAX (self->slowest, self->alone[i]->slowest);
    }
  return self;
}

void
prof_comparison_free (ProfComparison *self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->n; i++)
    prof_comparison_free (self->alone[i]);
  g_free (self->alone);
  g_free (self->time);
  g_free (self->build);
  g_free (self->seconds);
  g_free (self->slowness);
  g_free (self->end);
  g_free (self->need);
  g_free (self->mean);
  g_free (self);
}

const ProfInterval *
prof_comparison_get_time (const ProfComparison *self, guint subject)
{
  return &self->time[subject];
}

/* --- Pairs --- */

double *
prof_comparison_dup_ratios (const ProfComparison *self, guint a, guint b, guint *n_blocks)
{
  double *ratios = g_new (double, MAX (self->n_blocks, 1));

  *n_blocks = 0;
  for (guint k = 0; k < self->n_blocks; k++)
    {
      const double *need = self->need + (gsize) k * self->n;

      if (!isnan (need[a] - need[b]))
        ratios[(*n_blocks)++] = need[a] - need[b];
    }
  return ratios;
}

double *
prof_comparison_dup_slowness (const ProfComparison *self, guint subject, guint *n_blocks)
{
  double *slowness;

  if (!self->in_turns)
    return prof_comparison_dup_slowness (self->alone[subject], 0, n_blocks);
  slowness = g_new (double, MAX (self->n_blocks, 1));
  *n_blocks = self->n_blocks;
  for (guint k = 0, from = 0; k < self->n_blocks; from = self->end[k++])
    slowness[k] = prof_median (self->slowness + from, self->end[k] - from);
  return slowness;
}

void
prof_comparison_pair (const ProfComparison *self, guint a, guint b, ProfPairing *pairing)
{
  g_autofree double *ratios = NULL;
  guint              n_blocks, n_pairs = 0;

  if (!self->in_turns)
    {
      prof_compare_unpaired (&self->time[a], &self->time[b], PROF_SESSION_DEVIATION, pairing);
      return;
    }
  ratios = prof_comparison_dup_ratios (self, a, b, &n_blocks);
  for (guint r = 0; r < self->n_rounds; r++)
    n_pairs += !isnan (self->seconds[(gsize) r * self->n + a]) &&
               !isnan (self->seconds[(gsize) r * self->n + b]);
  prof_pair_blocks (&(ProfBlocks){ .ratio = ratios,
                                   .middle = self->mean[a] - self->mean[b],
                                   .n = n_blocks,
                                   .n_builds = self->n_builds,
                                   .n_pairs = n_pairs },
                    pairing);
}

ProfInterval
prof_comparison_get_saved (const ProfComparison *self, guint a, guint b)
{
  double      seconds = self->time[b].median;
  ProfPairing pairing;

  prof_comparison_pair (self, a, b, &pairing);
  return (ProfInterval){ seconds * (pairing.ratio.median - 1), seconds * (pairing.ratio.low - 1),
                         seconds * (pairing.ratio.high - 1) };
}

ProfStop
prof_comparison_stop (const ProfComparison *self, guint min_builds)
{
  for (guint i = 1; i < self->n; i++)
    {
      ProfPairing pairing;

      prof_comparison_pair (self, i, 0, &pairing);
      if (pairing.n_builds < min_builds || pairing.verdict == PROF_UNDECIDED)
        return PROF_STOP_NOT;
    }
  return PROF_STOP_DECIDED;
}

gboolean
prof_comparison_get_speed (const ProfComparison *self, double *fastest, double *slowest)
{
  *fastest = self->fastest;
  *slowest = self->slowest;
  return self->slowest > (1 + PROF_STEADY_WITHIN) * self->fastest;
}

void
prof_pair (const double *a, const double *b, guint n, ProfPairing *pairing)
{
  g_autoptr (ProfComparison) comparison =
      prof_comparison_new ((const ProfRuns[]){ { .seconds = a, .n = n }, { .seconds = b, .n = n } },
                           2, TRUE);

  prof_comparison_pair (comparison, 0, 1, pairing);
}
