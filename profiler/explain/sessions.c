/* sessions.c — ratios of recordings with the variance between sessions, and the gate for a CI.
 *
 * A ratio's logarithm has two errors that are independent: that of the medians within each recording
 * (order statistics) and that between sessions.  Their half-widths are added as squares.  Start
 * reading at prof_sessions_compare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/sessions.h"

#include "engine/base/error.h"

#include <math.h>

/* Relative standard deviation between sessions where it is not measured.  These are assumptions, and
 * reports say so: no recording alone can tell. */
static const double assumed_spreads[] = {
  [PROF_SAME_MACHINE] = 0.02,
  [PROF_LIKE_MACHINE] = 0.05,
  [PROF_OTHER_MACHINE] = 0.10,
};

#define N_BLOCKS 4 /* of a recording, whose medians show how much it drifted */

/* Quantiles of the normal distribution for two-sided 95 and 99 %. */
#define NORMAL_95 1.959964
#define NORMAL_99 2.575829

/* --- Spread between sessions --- */

/* Student's t with this many degrees of freedom for the quantile z of the normal distribution:
 * Abramowitz and Stegun 26.7.5, within 1.3 % from 4 degrees on. */
static double
student_quantile (double z, double freedom)
{
  double z2 = z * z, f = freedom;

  return z + z * (z2 + 1) / (4 * f) + z * ((5 * z2 + 16) * z2 + 3) / (96 * f * f) +
         z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * f * f * f);
}

static double
deviation (const double *values, guint n)
{
  double mean = 0, squares = 0;

  for (guint i = 0; i < n; i++)
    mean += values[i] / n;
  for (guint i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean);
  return n > 1 ? sqrt (squares / (n - 1)) : 0;
}

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
  return deviation (medians, N_BLOCKS);
}

/* --- Comparing --- */

typedef struct
{
  double         *samples; /* seconds; those that make the estimate */
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
  return hyb_error_at (error,
                       PROF_ERROR,
                       PROF_ERROR_DAMAGED,
                       prof_capture_get_file (capture),
                       "Make one with hscope profile MODEL --capture FILE",
                       "this recording has no clean runs, which alone say how long a run takes; "
                       "imported traces have none");
}

/* The half-width of the interval of a median, as a logarithm. */
static double
half_width (const Recording *recording, double confidence)
{
  ProfInterval interval = prof_median_interval (recording->samples, recording->n, confidence);

  return log (interval.high / interval.low) / 2;
}

typedef struct
{
  const Recording *a; /* used ones of the baseline */
  guint            n;
  const Recording *b;
  double           middle; /* logarithm of the ratio */
} Ratio;

/* The half-width that comes from the variance between sessions. */
static double
find_between (const ProfSessions *self, double z)
{
  double quantile = self->is_spread_measured ? student_quantile (z, self->n_used - 1) : z;

  return quantile * self->spread * sqrt (1 + 1.0 / self->n_used);
}

static ProfInterval
find_interval (const ProfSessions *self, const Ratio *ratio, double z, double confidence)
{
  double quantile = self->is_spread_measured ? student_quantile (z, ratio->n - 1) : z;
  double between = quantile * self->spread * sqrt (1 + 1.0 / ratio->n);
  double squares = between * between;
  double of_b = half_width (ratio->b, confidence);

  squares += of_b * of_b;
  for (guint i = 0; i < ratio->n; i++)
    {
      double of_a = half_width (&ratio->a[i], confidence) / ratio->n;

      squares += of_a * of_a;
    }
  return (ProfInterval){ exp (ratio->middle),
                         exp (ratio->middle - sqrt (squares)),
                         exp (ratio->middle + sqrt (squares)) };
}

static void
find_spread (ProfSessions *self, const Ratio *ratio, const double *medians)
{
  self->is_spread_measured =
      ratio->n >= PROF_SESSION_MIN_MEASURED && self->machine != PROF_OTHER_MACHINE;
  self->spread = deviation (medians, ratio->n);
  if (self->is_spread_measured)
    return;
  self->spread = MAX (self->spread, assumed_spreads[self->machine]);
  for (guint i = 0; i < ratio->n; i++)
    self->spread = MAX (self->spread, find_drift (ratio->a[i].samples, ratio->a[i].n));
  self->spread = MAX (self->spread, find_drift (ratio->b->samples, ratio->b->n));
}

static ProfVerdict
find_verdict (const ProfSessions *self)
{
  if (isnan (self->certain.low))
    return PROF_UNDECIDED;
  if (self->certain.high < 1 && self->ratio.median < 1 - PROF_SAME_WITHIN)
    return PROF_FASTER;
  if (self->certain.low > 1 && self->ratio.median > 1 + PROF_SAME_WITHIN)
    return PROF_SLOWER;
  if (self->ratio.low > 1 - 2 * PROF_SAME_WITHIN && self->ratio.high < 1 + 2 * PROF_SAME_WITHIN)
    return PROF_SAME;
  return PROF_UNDECIDED;
}

static void
compare_recordings (ProfSessions *self, Ratio *ratio)
{
  g_autofree double *medians = g_new (double, ratio->n);
  guint              fewest = ratio->b->n;

  for (guint i = 0; i < ratio->n; i++)
    {
      medians[i] = log (ratio->a[i].statistics.median.median);
      ratio->middle -= medians[i] / ratio->n;
      fewest = MIN (fewest, ratio->a[i].n);
    }
  ratio->middle += log (ratio->b->statistics.median.median);
  self->a = ratio->a[ratio->n - 1].statistics;
  self->b = ratio->b->statistics;
  self->is_too_long = ratio->b->disturbance.uses_all;
  self->n_used = ratio->n;
  find_spread (self, ratio, medians);
  self->ratio = self->certain = (ProfInterval){ exp (ratio->middle), NAN, NAN };
  if (fewest >= PROF_SESSION_MIN_SAMPLES)
    {
      self->ratio = find_interval (self, ratio, NORMAL_95, 0.95);
      self->certain = find_interval (self, ratio, NORMAL_99, 0.99);
    }
  self->verdict = find_verdict (self);
}

/* Says how the variance between sessions is known, and what was left out. */
static void
add_statistics (ProfSessions *self, guint n_given, guint fewest)
{
  if (fewest < PROF_SESSION_MIN_SAMPLES)
    prof_cautions_add (self->cautions,
                       PROF_CAUTION_NOISE,
                       "Too few runs: a recording has %u clean samples, and %u are needed for an "
                       "interval.",
                       fewest,
                       PROF_SESSION_MIN_SAMPLES);
  if (self->n_used < n_given)
    prof_cautions_add (self->cautions,
                       PROF_CAUTION_MACHINE,
                       "%u of %u recordings of the baseline are of other machines and were left "
                       "out.",
                       n_given - self->n_used,
                       n_given);
  if (self->is_spread_measured)
    prof_cautions_add (self->cautions,
                       PROF_CAUTION_UNKNOWN,
                       "Sessions vary by %.1f %% (standard deviation), measured from %u recordings "
                       "of "
                       "the baseline.",
                       100 * self->spread,
                       self->n_used);
  else
    prof_cautions_add (self->cautions,
                       PROF_CAUTION_UNKNOWN,
                       "How much sessions vary by themselves is not known; %.1f %% (standard "
                       "deviation) is assumed%s.  %u recordings of the baseline would measure it.",
                       100 * self->spread,
                       self->spread > assumed_spreads[self->machine]
                           ? ", since parts of a recording differ by as much"
                           : "",
                       PROF_SESSION_MIN_MEASURED);
}

/* The recordings of the baseline with the closest relation to b, as indices.  Sets the relation. */
static GArray *
choose_recordings (ProfSessions             *self,
                   const ProfCapture *const *baseline,
                   guint                     n,
                   const ProfCapture        *b)
{
  GArray *used = g_array_new (FALSE, FALSE, sizeof (guint));

  self->machine = PROF_OTHER_MACHINE;
  for (guint i = 0; i < n; i++)
    self->machine = MIN (self->machine, prof_machine_relation (baseline[i], b));
  for (guint i = 0; i < n; i++)
    if (prof_machine_relation (baseline[i], b) == self->machine)
      g_array_append_val (used, i);
  return used;
}

gboolean
prof_sessions_compare (ProfSessions             *sessions,
                       const ProfCapture *const *baseline,
                       guint                     n,
                       const ProfCapture        *b,
                       GError                  **error)
{
  g_autoptr (GArray) used = NULL;
  g_autofree Recording *of_a = g_new0 (Recording, n);
  Recording             of_b = { 0 };
  gboolean              is_done;
  guint                 fewest;

  *sessions = (ProfSessions){ 0 };
  used = choose_recordings (sessions, baseline, n, b);
  sessions->cautions = prof_cautions (baseline[g_array_index (used, guint, used->len - 1)], b);
  sessions->is_same_work = !prof_cautions_have (sessions->cautions, PROF_CAUTION_WORK);
  is_done = recording_init (&of_b, b, error);
  fewest = of_b.n;
  for (guint i = 0; is_done && i < used->len; i++)
    {
      is_done = recording_init (&of_a[i], baseline[g_array_index (used, guint, i)], error);
      fewest = MIN (fewest, of_a[i].n);
    }
  if (is_done)
    {
      compare_recordings (sessions, &(Ratio){ .a = of_a, .n = used->len, .b = &of_b });
      add_statistics (sessions, n, fewest);
    }
  for (guint i = 0; i < used->len; i++)
    g_free (of_a[i].samples);
  g_free (of_b.samples);
  return is_done;
}

void
prof_sessions_clear (ProfSessions *sessions)
{
  g_clear_pointer (&sessions->cautions, g_ptr_array_unref);
}

static ProfInterval
widen (const ProfInterval *interval, double between)
{
  double above = hypot (log (interval->high / interval->median), between);
  double below = hypot (log (interval->median / interval->low), between);

  return (ProfInterval){ interval->median,
                         interval->median * exp (-below),
                         interval->median * exp (above) };
}

void
prof_sessions_widen (const ProfSessions *sessions, ProfPairing *pairing)
{
  pairing->ratio = widen (&pairing->ratio, find_between (sessions, NORMAL_95));
  pairing->strict = widen (&pairing->strict, find_between (sessions, NORMAL_99));
  if (!(pairing->strict.high < 1 || pairing->strict.low > 1))
    pairing->verdict = PROF_UNDECIDED;
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

ProfGate
prof_sessions_gate (const ProfSessions *self, double threshold)
{
  if (isnan (self->certain.low) || self->machine == PROF_OTHER_MACHINE || !self->is_same_work)
    return PROF_GATE_UNDECIDED;
  if (self->certain.low > 1 + threshold)
    return self->is_too_long ? PROF_GATE_UNDECIDED : PROF_GATE_FAILED;
  return self->ratio.high <= 1 + threshold ? PROF_GATE_PASSED : PROF_GATE_UNDECIDED;
}

char *
prof_sessions_dup_reason (const ProfSessions *self, double threshold)
{
  double percent = 100 * threshold;

  if (isnan (self->certain.low))
    return g_strdup_printf ("Too few runs to say: both recordings need %u clean samples.",
                            PROF_SESSION_MIN_SAMPLES);
  if (self->machine == PROF_OTHER_MACHINE)
    return g_strdup ("The recordings are of different machines, so a difference need not come from "
                     "the model.  Record the baseline on this machine.");
  if (!self->is_same_work)
    return g_strdup ("The recordings did not do the same work, so their times say nothing about a "
                     "slow-down.  Record the baseline with the same options.");
  switch (prof_sessions_gate (self, threshold))
    {
    case PROF_GATE_FAILED:
      return g_strdup_printf ("It takes at least %.1f %% longer than the baseline (99 %%), and %g "
                              "%% is "
                              "allowed.",
                              100 * (self->certain.low - 1),
                              percent);
    case PROF_GATE_PASSED:
      return g_strdup_printf ("It takes at most %.1f %% longer than the baseline (95 %%), and %g "
                              "%% is "
                              "allowed.",
                              MAX (100 * (self->ratio.high - 1), 0),
                              percent);
    case PROF_GATE_UNDECIDED:
      break;
    }
  if (self->certain.low > 1 + threshold)
    return g_strdup (
        "It took certainly longer than is allowed, but nearly all of its runs waited for a "
        "processor, so the model need not be the reason.  Measure it on a quieter machine.");
  /* The interval that decides, which is wider than the one that is shown elsewhere. */
  return g_strdup_printf ("A slow-down of more than %g %% is neither certain nor excluded: %+.1f "
                          "%% (%+.1f … %+.1f with 99 %%).",
                          percent,
                          100 * (self->ratio.median - 1),
                          100 * (self->certain.low - 1),
                          100 * (self->certain.high - 1));
}
