/* sessions.c — ratios of recordings with the variance between sessions, and the gate for a CI.
 *
 * A ratio's logarithm has two errors that are independent: the error of the medians within each
 * recording (order statistics) and the error between sessions.  Their half-widths are added as
 * squares, and the difference of the machine's clock as it is.  Start reading at
 * prof_sessions_compare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/sessions.h"

#include "engine/base/error.h"

#include <math.h>

/* Relative standard deviation between sessions where it is not measured.  These are assumptions, and
 * reports say so: a single recording cannot show it. */
static const double assumed_spreads[] = {
  [PROF_SAME_MACHINE] = 0.02,
  [PROF_LIKE_MACHINE] = 0.05,
  [PROF_OTHER_MACHINE] = 0.10,
};

#define N_BLOCKS 4 /* of a recording, whose medians show how much it drifted */

/* Confidence of intervals, which decide as well: recordings are compared once. */
#define CONFIDENCE 0.99

/* --- Spread between sessions --- */

/* How much the medians of parts of the recording differ, which is the least that sessions do. */
static double
find_drift (const double *samples, guint n)
{
  double medians[N_BLOCKS];
  guint  size = n / N_BLOCKS;

  if (size < 2)
    return 0;
  for (guint i = 0; i < N_BLOCKS; i++)
    medians[i] = log (prof_median (samples + (gsize) i * size, size));
  return prof_deviation (medians, N_BLOCKS);
}

/* --- Comparing --- */

typedef struct
{
  double         *samples; /* seconds of the samples that make the estimate */
  guint           n;
  ProfStatistics  statistics;
  ProfDisturbance disturbance;
} Recording;

static gboolean
recording_init (Recording *recording, const ProfCapture *capture, GError **error)
{
  recording->samples =
      prof_capture_dup_undisturbed (capture, &recording->n, &recording->disturbance);
  prof_statistics (recording->samples, recording->n, &recording->statistics);
  if (recording->n > 0 && recording->statistics.minimum > 0 &&
      isfinite (recording->statistics.maximum))
    return TRUE;
  return hyb_error_at (error, PROF_ERROR, PROF_ERROR_DAMAGED, prof_capture_get_file (capture),
                       "Make one with hscope profile MODEL --capture FILE",
                       "this recording has no clean runs, which alone say how long a run takes; "
                       "imported traces have none");
}

/* The half-width of the interval of a median, as a logarithm. */
static double
half_width (const Recording *recording)
{
  ProfInterval interval = prof_median_interval (recording->samples, recording->n, CONFIDENCE);

  return log (interval.high / interval.low) / 2;
}

typedef struct
{
  const Recording *a; /* used ones of the baseline */
  guint            n;
  guint            n_others; /* of this machine at another speed: before a */
  const Recording *b;
  guint            fewest; /* samples of one of them */
  double           middle; /* logarithm of the ratio */
} Ratio;

/* The standard deviation of the logarithm of a ratio that comes from the variance between sessions. */
static double
find_between (const ProfSessions *self)
{
  return self->spread * sqrt (1 + 1.0 / self->n_used);
}

/* Degrees of freedom that it is known with. */
static guint
find_degrees (const ProfSessions *self)
{
  return self->is_spread_measured ? self->n_spread - 1 : PROF_ASSUMED_DEGREES;
}

static ProfInterval
find_interval (const ProfSessions *self, const Ratio *ratio)
{
  double quantile = prof_student_quantile ((1 + CONFIDENCE) / 2, find_degrees (self));
  double width = hypot (quantile * find_between (self), half_width (ratio->b));

  for (guint i = 0; i < ratio->n; i++)
    width = hypot (width, half_width (&ratio->a[i]) / ratio->n);
  /* Another clock is not noise: all of it may be the reason. */
  width += self->clock;
  return (ProfInterval){ exp (ratio->middle), exp (ratio->middle - width),
                         exp (ratio->middle + width) };
}

/* The standard deviation between n recordings. */
static double
find_deviation (const Recording *recordings, guint n)
{
  g_autofree double *medians = g_new (double, n);

  for (guint i = 0; i < n; i++)
    medians[i] = log (recordings[i].statistics.median.median);
  return prof_deviation (medians, n);
}

/* The variance between sessions is measured from sessions at the speed of b or, if they are too
 * few, from all of this machine, which vary more. */
static void
find_spread (ProfSessions *self, const Ratio *ratio)
{
  guint n_more = ratio->n < PROF_SESSION_MIN_MEASURED ? ratio->n_others : 0;

  self->n_spread = ratio->n + n_more;
  self->is_spread_measured =
      self->n_spread >= PROF_SESSION_MIN_MEASURED && self->machine != PROF_OTHER_MACHINE;
  self->spread = find_deviation (ratio->a - n_more, self->n_spread);
  if (self->is_spread_measured)
    return;
  self->spread = MAX (self->spread, assumed_spreads[self->machine]);
  for (guint i = 0; i < ratio->n; i++)
    self->spread = MAX (self->spread, find_drift (ratio->a[i].samples, ratio->a[i].n));
  self->spread = MAX (self->spread, find_drift (ratio->b->samples, ratio->b->n));
}

/* TRUE if the speed of the machine may explain the verdict. */
static gboolean
is_explained_by_speed (const ProfSessions *self, ProfVerdict verdict)
{
  if (self->machine == PROF_OTHER_MACHINE || self->speed == PROF_SPEED_AGREES)
    return FALSE;
  if (verdict == PROF_SLOWER)
    return self->speed & PROF_SPEED_LOWER;
  return verdict != PROF_FASTER || self->speed & PROF_SPEED_HIGHER;
}

static void
compare_recordings (ProfSessions *self, Ratio *ratio)
{
  ratio->fewest = ratio->b->n;
  for (guint i = 0; i < ratio->n; i++)
    {
      ratio->middle -= log (ratio->a[i].statistics.median.median) / ratio->n;
      ratio->fewest = MIN (ratio->fewest, ratio->a[i].n);
    }
  ratio->middle += log (ratio->b->statistics.median.median);
  self->a = ratio->a[ratio->n - 1].statistics;
  self->b = ratio->b->statistics;
  self->is_too_long = ratio->b->disturbance.uses_all;
  self->n_used = ratio->n;
  find_spread (self, ratio);
  self->ratio = (ProfInterval){ exp (ratio->middle), NAN, NAN };
  if (ratio->fewest >= PROF_SESSION_MIN_SAMPLES)
    self->ratio = find_interval (self, ratio);
  self->verdict = prof_find_verdict (&self->ratio, &self->ratio);
  if (is_explained_by_speed (self, self->verdict))
    self->verdict = PROF_UNDECIDED;
}

/* States the source of the variance between sessions, and the recordings that were left out. */
static void
add_statistics (ProfSessions *self, guint n_given, guint fewest)
{
  if (fewest < PROF_SESSION_MIN_SAMPLES)
    prof_cautions_add (self->cautions, PROF_CAUTION_NOISE,
                       "Too few runs: a recording has %u clean samples, and %u are needed for an "
                       "interval.",
                       fewest, PROF_SESSION_MIN_SAMPLES);
  if (self->n_used < n_given)
    prof_cautions_add (self->cautions, PROF_CAUTION_MACHINE,
                       "%u of %u recordings of the baseline are of other machines, or of this one "
                       "at another speed, and were left out.",
                       n_given - self->n_used, n_given);
  if (self->is_spread_measured)
    prof_cautions_add (self->cautions, PROF_CAUTION_UNKNOWN,
                       "Sessions vary by %.1f %% (standard deviation), measured from %u recordings "
                       "of the baseline%s.",
                       100 * self->spread, self->n_spread,
                       self->n_spread > self->n_used ? ", also at another speed" : "");
  else
    prof_cautions_add (self->cautions, PROF_CAUTION_UNKNOWN,
                       "How much sessions vary by themselves is not known; %.1f %% (standard "
                       "deviation) is assumed%s.  %u recordings of the baseline would measure it.",
                       100 * self->spread,
                       self->spread > assumed_spreads[self->machine]
                           ? ", since parts of a recording differ by as much"
                           : "",
                       PROF_SESSION_MIN_MEASURED);
}

/* The recordings of the baseline with the closest relation to b, as indices, first n_others that were
 * made while the machine was not as fast as for b; 0 if all were.  Sets the relation and the fault of
 * the speed. */
static GArray *
choose_recordings (ProfSessions             *self,
                   const ProfCapture *const *baseline,
                   guint                     n,
                   const ProfCapture        *b,
                   guint                    *n_others)
{
  GArray *same = g_array_new (FALSE, FALSE, sizeof (guint));

  *n_others = 0;

  self->machine = PROF_OTHER_MACHINE;
  for (guint i = 0; i < n; i++)
    self->machine = MIN (self->machine, prof_machine_relation (baseline[i], b));
  for (guint i = 0; i < n; i++)
    {
      if (prof_machine_relation (baseline[i], b) != self->machine)
        continue;
      if (prof_machine_speed_change (baseline[i], b) == PROF_SPEED_AGREES)
        g_array_append_val (same, i);
      else
        g_array_insert_val (same, (*n_others)++, i);
    }
  if (*n_others < same->len)
    return same;
  *n_others = 0;
  self->speed_problem =
      prof_machine_dup_speed_problem (baseline[g_array_index (same, guint, same->len - 1)], b);
  for (guint i = 0; i < same->len; i++)
    self->speed |= prof_machine_speed_change (baseline[g_array_index (same, guint, i)], b);
  return same;
}

gboolean
prof_sessions_compare (ProfSessions             *sessions,
                       const ProfCapture *const *baseline,
                       guint                     n,
                       const ProfCapture        *b,
                       GError                  **error)
{
  g_autoptr (GArray) same = NULL;
  g_autofree Recording *of_a = g_new0 (Recording, n);
  Recording             of_b = { 0 };
  gboolean              is_done;
  guint                 n_others, n_used;

  *sessions = (ProfSessions){ 0 };
  same = choose_recordings (sessions, baseline, n, b, &n_others);
  n_used = same->len - n_others;
  sessions->cautions = prof_cautions (baseline[g_array_index (same, guint, same->len - 1)], b);
  if (sessions->speed_problem && sessions->machine != PROF_OTHER_MACHINE)
    prof_cautions_add (sessions->cautions, PROF_CAUTION_NOISE, "%s", sessions->speed_problem);
  sessions->is_same_work = !prof_cautions_have (sessions->cautions, PROF_CAUTION_WORK);
  is_done = recording_init (&of_b, b, error);
  for (guint i = 0; is_done && i < same->len; i++)
    {
      const ProfCapture *a = baseline[g_array_index (same, guint, i)];

      is_done = recording_init (&of_a[i], a, error);
      if (i >= n_others)
        sessions->clock += prof_machine_clock_difference (a, b) / n_used;
    }
  if (is_done)
    {
      Ratio ratio = { .a = of_a + n_others, .n = n_used, .n_others = n_others, .b = &of_b };

      compare_recordings (sessions, &ratio);
      add_statistics (sessions, n, ratio.fewest);
    }
  for (guint i = 0; i < same->len; i++)
    g_free (of_a[i].samples);
  g_free (of_b.samples);
  return is_done;
}

void
prof_sessions_clear (ProfSessions *sessions)
{
  g_clear_pointer (&sessions->cautions, g_ptr_array_unref);
  g_clear_pointer (&sessions->speed_problem, g_free);
}

void
prof_sessions_widen (const ProfSessions *sessions, ProfPairing *pairing)
{
  prof_pairing_widen (pairing, find_between (sessions), find_degrees (sessions));
}

/* --- The gate --- */

const char *
prof_gate_name (ProfGate gate)
{
  static const char *const names[] = {
    [PROF_GATE_PASSED] = "passed",
    [PROF_GATE_UNDECIDED] = "undecided",
    [PROF_GATE_FAILED] = "failed",
  };

  return names[gate];
}

/* Why the gate does not look at the ratio; NULL: it does. */
static const char *
find_obstacle (const ProfSessions *self)
{
  if (!prof_interval_is_known (&self->ratio))
    return "Too few runs to say: both recordings need " G_STRINGIFY (
        PROF_SESSION_MIN_SAMPLES) " clean samples.";
  if (self->machine == PROF_OTHER_MACHINE)
    return "The recordings are of different machines, so a difference need not come from the "
           "model.  Record the baseline on this machine.";
  if (!self->is_same_work)
    return "The recordings did not do the same work, so their times say nothing about a slow-down. "
           " Record the baseline with the same options.";
  return NULL;
}

/* The verdict of the ratio alone. */
static ProfGate
find_gate (const ProfSessions *self, double threshold)
{
  if (self->ratio.low > 1 + threshold)
    return self->is_too_long ? PROF_GATE_UNDECIDED : PROF_GATE_FAILED;
  return self->ratio.high <= 1 + threshold ? PROF_GATE_PASSED : PROF_GATE_UNDECIDED;
}

/* Whether the machine was slower and the run is, too, or faster and the run has not become slower. */
static gboolean
is_gate_explained (const ProfSessions *self, ProfGate gate)
{
  ProfSpeedChange reason = gate == PROF_GATE_FAILED ? PROF_SPEED_LOWER : PROF_SPEED_HIGHER;

  return gate == PROF_GATE_UNDECIDED ? self->speed != PROF_SPEED_AGREES : self->speed & reason;
}

ProfGate
prof_sessions_gate (const ProfSessions *self, double threshold)
{
  ProfGate gate = find_gate (self, threshold);

  return find_obstacle (self) || is_gate_explained (self, gate) ? PROF_GATE_UNDECIDED : gate;
}

char *
prof_sessions_dup_reason (const ProfSessions *self, double threshold)
{
  double      percent = 100 * threshold;
  const char *obstacle = find_obstacle (self);

  if (!obstacle && is_gate_explained (self, find_gate (self, threshold)))
    obstacle = self->speed_problem;
  if (obstacle)
    return g_strdup (obstacle);
  switch (prof_sessions_gate (self, threshold))
    {
    case PROF_GATE_FAILED:
      return g_strdup_printf ("It takes at least %.1f %% longer than the baseline, and %g %% is "
                              "allowed.",
                              100 * (self->ratio.low - 1), percent);
    case PROF_GATE_PASSED:
      return g_strdup_printf ("It takes at most %.1f %% longer than the baseline, and %g %% is "
                              "allowed.",
                              MAX (100 * (self->ratio.high - 1), 0), percent);
    case PROF_GATE_UNDECIDED:
      break;
    }
  if (self->ratio.low > 1 + threshold)
    return g_strdup (
        "It took certainly longer than is allowed, but nearly all of its runs waited for a "
        "processor, so the model need not be the reason.  Measure it on a quieter machine.");
  return g_strdup_printf (
      "Whether it takes more than %g %% longer than the baseline is not certain.", percent);
}
