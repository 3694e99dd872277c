/* advise.c — the rules that suggest improvements, as a table of functions.
 *
 * A rule checks a few figures of a capture; gains are estimates.  Start reading at the table rules.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/advise.h"

#include "engine/op/op.h"
#include "profiler/base/format.h"
#include "profiler/base/machine.h"
#include "profiler/base/statistics.h"
#include "profiler/explain/estimate.h"
#include "profiler/summary/roofline.h"
#include "profiler/summary/unchanging.h"

#include <math.h>
#include <string.h>

#define MIN_FACTOR      1.2  /* of a suggestion to fuse */
#define FUSED_ERROR     0.25 /* of its gain, at most: bench-profiler --fusable, eight models */
#define MIN_HOST_SHARE  0.3  /* of an exact run, between nodes */
#define MAX_NAMED_TYPES 3    /* of operators, in a sentence */
#define MIN_SAME_SHARE  0.03 /* of a traced run, in nodes that compute the same in every run */

/* The figures that rules check. */
typedef struct
{
  const ProfCapture *capture;
  const ProfSummary *summary;
  double             clean;     /* seconds of a clean run; NaN: not measured */
  double             deviation; /* of the clean runs, relative */
} RuleInput;

/* Returns FALSE if the rule does not apply, else fills in everything but rule. */
typedef gboolean (*RuleFunc) (const RuleInput *input, ProfAdvice *advice);

static gboolean
is_planned (const ProfCapture *capture)
{
  return g_strcmp0 (prof_capture_get_text (capture, "mode"), "imperative") != 0;
}

/* Whether the model can be converted to a form; FALSE if the capture does not say. */
static gboolean
can_become (const ProfCapture *capture, const char *form)
{
  const char *forms = prof_capture_get_text (capture, PROF_FORMS_KEY);
  g_auto (GStrv) list = g_strsplit (forms ? forms : "", ", ", -1);

  return g_strv_contains ((const char *const *) list, form);
}

/* The time between nodes comes from exact runs, all of which must show it. */
static gboolean
host_bound (const RuleInput *input, ProfAdvice *advice)
{
  const ProfSummary *summary = input->summary;
  g_autofree char   *between = prof_format_seconds (summary->interpreter);
  g_autofree char   *low = prof_format_seconds (summary->interpreter_low);
  g_autofree char   *high = prof_format_seconds (summary->interpreter_high);

  if (!(summary->interpreter_low > MIN_HOST_SHARE * summary->exact))
    return FALSE;
  advice->trigger =
      g_strdup_printf ("%s of a run were measured between operators (%s … %s), %.0f %%", between,
                       low, high, 100 * summary->interpreter / summary->exact);
  if (!is_planned (input->capture))
    advice->text = g_strdup (
        "Run it planned: --mode static, or hybridize (static_alloc=True, static_shape=True)");
  else if (can_become (input->capture, "fused"))
    advice->text =
        g_strdup ("The operators are too small for the cost of calling them: use larger batches or "
                  "the fused form, which this model has (hscope convert --to fused)");
  else
    advice->text =
        g_strdup ("The operators are too small for the cost of calling them: use larger batches");
  advice->low = 0;
  advice->high = summary->interpreter_high;
  return TRUE;
}

/* Traced runs have longer gaps than clean ones, but the GPU works as long.  So the rest of a clean run is the
 * time in which it idled. */
static gboolean
gpu_idles (const RuleInput *input, ProfAdvice *advice)
{
  double           idle = input->clean - input->summary->device_busy;
  g_autofree char *time = prof_format_seconds (idle);
  const char      *mode = prof_capture_get_text (input->capture, "mode");

  if (!input->summary->is_of_device || !(idle > MIN_HOST_SHARE * input->clean))
    return FALSE;
  advice->trigger = g_strdup_printf ("the GPU idles for %s of a clean run, %.0f %%", time,
                                     100 * idle / input->clean);
  if (g_strcmp0 (mode, "static") != 0)
    advice->text = g_strdup ("The host takes longer to launch the work than the GPU to do it: use "
                             "--mode static, which replays launches that were recorded once");
  else if (can_become (input->capture, "fused"))
    advice->text =
        g_strdup ("The operators are too small for the cost of launching them: use larger "
                  "batches or the fused form, which this model has (hscope convert --to fused)");
  else
    advice->text =
        g_strdup ("The operators are too small for the cost of launching them: use larger batches");
  advice->low = 0;
  advice->high = idle;
  return TRUE;
}

static gboolean
fusable (const RuleInput *input, ProfAdvice *advice)
{
  guint       n_steps;
  const char *scope;
  double      fused = prof_estimate_fused (input->capture, input->summary, &n_steps, &scope);
  double      now = input->clean;
  gboolean    is_known = prof_capture_get_text (input->capture, PROF_FORMS_KEY) != NULL;

  if (!(fused * MIN_FACTOR < now) || (is_known && !can_become (input->capture, "fused")))
    return FALSE;
  advice->gain = now - fused;
  advice->low = (1 - FUSED_ERROR) * advice->gain;
  advice->high = (1 + FUSED_ERROR) * advice->gain;
  advice->factor = now / fused;
  advice->trigger =
      g_strdup_printf ("%u steps of “%s” repeat the same operators with the same weights", n_steps,
                       scope);
  advice->text = g_strdup_printf ("This unrolled recurrent network would be about %.1f× faster "
                                  "fused%s. Try hscope convert --to fused",
                                  advice->factor, is_known ? "" : ", if it can be converted");
  return TRUE;
}

/* The operator types of the nodes that compute the same in every run, the costliest first:
 * “_rnn_param_concat” or “Cast, Reshape and 2 more types”; NULL: there are none.  (transfer full) */
static char *
sum_unchanging (const RuleInput *input, double *self, double *low, double *high)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) names = g_string_new (NULL);
  guint n_types = 0;

  *self = *low = *high = 0;
  for (guint i = 0; i < input->summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (input->summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (input->capture, sum->row);
      const char        *type = prof_capture_get_string (input->capture, node->type);

      if (!(node->flags & PROF_NODE_UNCHANGING))
        continue;
      *self += sum->self;
      *low += sum->low;
      *high += sum->high;
      if (g_hash_table_add (seen, (gpointer) type) && n_types++ < MAX_NAMED_TYPES)
        g_string_append_printf (names, "%s%s", n_types > 1 ? ", " : "", type);
    }
  if (n_types > MAX_NAMED_TYPES)
    g_string_append_printf (names, " and %u more", n_types - MAX_NAMED_TYPES);
  return n_types > 0 ? g_string_free (g_steal_pointer (&names), FALSE) : NULL;
}

/* Such nodes could be computed once, since parameters do not change between runs of inference. */
static gboolean
same_every_run (const RuleInput *input, ProfAdvice *advice)
{
  double           traced = input->summary->traced;
  double           bytes = prof_capture_get_number (input->capture, PROF_FOLDABLE_BYTES_KEY);
  double           self, low, high;
  g_autofree char *names = sum_unchanging (input, &self, &low, &high);
  g_autofree char *time = NULL, *interval = NULL, *memory = NULL;

  if (!names || !(low > MIN_SAME_SHARE * traced))
    return FALSE;
  time = prof_format_seconds (self);
  interval = prof_format_interval (low, high);
  memory = prof_format_bytes (isfinite (bytes) ? bytes : 0);
  advice->trigger =
      g_strdup_printf ("%s of a traced run (%s), %.1f %% (%.1f … %.1f %%), compute the same in "
                       "every run, since they depend on parameters alone: %s",
                       time, interval, 100 * self / traced, 100 * low / traced,
                       100 * MIN (high / traced, 1), names);
  advice->text = g_strdup_printf ("If parameters do not change between runs, --fold-parameters has "
                                  "it computed once, while planning: results stay the same, and "
                                  "what is kept takes up to %s",
                                  memory);
  advice->gain = self;
  advice->low = low;
  advice->high = high;
  return TRUE;
}

/* Half of the nodes are too short to be measured well. */
static gboolean
tiny_operators (const RuleInput *input, ProfAdvice *advice)
{
  const GArray *nodes = input->summary->node;
  double        per_span = prof_capture_get_number (input->capture, "trace.overhead_ns") * 1e-9;
  double        median;

  if (nodes->len < 16)
    return FALSE;
  median = g_array_index (nodes, ProfNodeSum, nodes->len / 2).self /
           MAX (g_array_index (nodes, ProfNodeSum, nodes->len / 2).count, 1);
  if (!(median < 10 * per_span))
    return FALSE;
  advice->trigger =
      g_strdup_printf ("half of the %u nodes take less than %.0f ns", nodes->len, median * 1e9);
  advice->text =
      g_strdup ("Their times are near the resolution of the clock: look at operators, scopes and "
                "steps rather than at single nodes. Larger batches use the machine better");
  return TRUE;
}

/* The operator type that is farthest below the roofline, in seconds. */
static gboolean
wasted_time (const RuleInput *input, ProfAdvice *advice)
{
  ProfPeaks     peaks = prof_roofline_peaks (input->capture);
  const GArray *groups = input->summary->operators;
  ProfRoofPoint worst = { 0 };
  const char   *name = NULL;

  for (guint i = 0; i < groups->len; i++)
    {
      const ProfGroupSum *sum = &g_array_index (groups, ProfGroupSum, i);
      ProfRoofPoint       point;

      if (prof_roofline_point (&peaks, sum->self, sum->flops, sum->bytes, &point) &&
          point.wasted > worst.wasted)
        {
          worst = point;
          name = sum->name;
        }
    }
  /* Less than a fifth of the measured time is not worth a change of the model. */
  if (!name || worst.wasted < 0.2 * input->summary->traced)
    return FALSE;
  advice->trigger = g_strdup_printf ("%s reaches %.0f %% of this machine's peak for such work",
                                     name, 100 * worst.reached);
  advice->text = g_strdup ("Fewer and larger operators would use the machine better: use larger "
                           "batches, or join operators");
  /* How much of the distance to the roofline larger operators gain is not known: at worst nothing,
   * at best all of it. */
  advice->low = 0;
  advice->high = worst.wasted;
  return TRUE;
}

static gboolean
data_movement (const RuleInput *input, ProfAdvice *advice)
{
  const GArray *groups = input->summary->category;

  for (guint i = 0; i < groups->len; i++)
    {
      const ProfGroupSum *sum = &g_array_index (groups, ProfGroupSum, i);

      if (sum->category != HYB_CATEGORY_MOVEMENT || sum->share < 0.25)
        continue;
      advice->trigger =
          g_strdup_printf ("%.0f %% of the time moves data without computing", 100 * sum->share);
      advice->text = g_strdup ("Slices of the slowest axis are free, others are copied: a layout "
                               "with the time first (TNC) and fused gates avoid most of it");
      advice->low = 0;
      advice->high = sum->self;
      return TRUE;
    }
  return FALSE;
}

static gboolean
first_run (const RuleInput *input, ProfAdvice *advice)
{
  guint              n;
  g_autofree double *first = prof_capture_dup_samples (input->capture, PROF_SAMPLE_FIRST, &n);

  if (n == 0 || !(first[0] > 10 * input->clean) || first[0] < 1e-3)
    return FALSE;
  advice->trigger = g_strdup_printf ("the first run takes %.0f times as long as the others",
                                     first[0] / input->clean);
  advice->text =
      g_strdup ("Run the model once before its latency matters; a change of shapes plans it again");
  return TRUE;
}

static gboolean
memory_near_limit (const RuleInput *input, ProfAdvice *advice)
{
  double used = prof_capture_get_number (input->capture, "memory.resident");
  double all = prof_capture_get_number (input->capture, "system.memory");

  if (!(used > 0.9 * all))
    return FALSE;
  advice->trigger = g_strdup_printf ("%.0f %% of the memory is in use", 100 * used / all);
  advice->text =
      g_strdup ("Use smaller batches, or shorter sequences that carry their states over");
  return TRUE;
}

static gboolean
bulking (const RuleInput *input, ProfAdvice *advice)
{
  double n = prof_capture_get_number (input->capture, "import.shared");

  if (!(n > 0))
    return FALSE;
  advice->trigger = n == 1 ? g_strdup ("one event stands for several operators")
                           : g_strdup_printf ("%.0f events stand for several operators each", n);
  advice->text = g_strdup ("Set MXNET_EXEC_BULK_EXEC_INFERENCE=0 and MXNET_EXEC_BULK_EXEC_TRAIN=0 "
                           "to see operators one by one. This changes the total time");
  return TRUE;
}

static gboolean
watching_disturbs (const RuleInput *input, ProfAdvice *advice)
{
  double ratio = input->summary->traced / input->clean;

  if (!(ratio > 1.1))
    return FALSE;
  advice->trigger = g_strdup_printf ("traced runs take ×%.2f of clean ones", ratio);
  advice->text = g_strdup ("Trust the shares and the order of nodes, not their absolute times. "
                           "Clean times are not affected");
  return TRUE;
}

static gboolean
noise (const RuleInput *input, ProfAdvice *advice)
{
  if (!(input->deviation > 0.05))
    return FALSE;
  advice->trigger = g_strdup_printf ("clean runs vary by %.0f %%", 100 * input->deviation);
  advice->text =
      g_strdup ("Repeat the measurement on a quieter machine, or with more samples (--repeat)");
  return TRUE;
}

/* Where a rule applies.  Those about the processor say nothing about a run on a GPU: their rates and costs are the
 * processor's. */
typedef enum
{
  ANYWHERE,
  ON_PROCESSOR,
  ON_GPU,
} RulePlace;

static const struct
{
  const char *name;
  RuleFunc    check;
  RulePlace   place;
} rules[] = {
  { "fusable", fusable, ON_PROCESSOR },
  { "host-bound", host_bound, ON_PROCESSOR },
  { "host-bound", gpu_idles, ON_GPU },
  { "wasted-time", wasted_time, ON_PROCESSOR },
  { "data-movement", data_movement, ON_PROCESSOR },
  { "same-every-run", same_every_run, ANYWHERE },
  { "tiny-operators", tiny_operators, ON_PROCESSOR },
  { "first-run", first_run, ANYWHERE },
  { "memory-near-limit", memory_near_limit, ON_PROCESSOR },
  { "bulking-perturbs", bulking, ANYWHERE },
  { "watching-disturbs", watching_disturbs, ANYWHERE },
  { "noise", noise, ANYWHERE },
};

static void
advice_free (gpointer data)
{
  ProfAdvice *advice = data;

  g_free (advice->trigger);
  g_free (advice->text);
  g_free (advice);
}

static int
compare_gains (gconstpointer a, gconstpointer b)
{
  const ProfAdvice *x = *(ProfAdvice *const *) a, *y = *(ProfAdvice *const *) b;
  double of_x = isfinite (x->high) ? x->high : -1, of_y = isfinite (y->high) ? y->high : -1;

  return of_x < of_y ? 1 : of_x > of_y ? -1 : 0;
}

char *
prof_advice_gain (const ProfAdvice *advice)
{
  g_autofree char *gain = prof_format_seconds (advice->gain);
  g_autofree char *low = prof_format_seconds (advice->low);
  g_autofree char *high = prof_format_seconds (advice->high);

  if (isfinite (advice->gain))
    return g_strdup_printf (" (about %s a run, %s … %s)", gain, low, high);
  if (isfinite (advice->high))
    return g_strdup_printf (" (gain not known, at most %s a run)", high);
  return g_strdup ("");
}

GPtrArray *
prof_advise (const ProfCapture *capture, const ProfSummary *summary)
{
  GPtrArray         *list = g_ptr_array_new_with_free_func (advice_free);
  guint              n;
  g_autofree double *clean = prof_capture_dup_undisturbed (capture, &n, NULL);
  ProfStatistics     statistics;
  RuleInput          input = { .capture = capture, .summary = summary };
  RulePlace other = prof_capture_get_text (capture, PROF_DEVICE_KEY) ? ON_PROCESSOR : ON_GPU;

  prof_statistics (clean, n, &statistics);
  input.clean = statistics.median.median;
  input.deviation = statistics.deviation;
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      ProfAdvice *advice = g_new0 (ProfAdvice, 1);

      *advice = (ProfAdvice){
        .rule = rules[i].name, .gain = NAN, .low = NAN, .high = NAN, .factor = NAN
      };
      if (rules[i].place != other && rules[i].check (&input, advice))
        {
          /* Amdahl: without the gain, the run takes clean − gain. */
          if (isfinite (advice->gain) && !isfinite (advice->factor) && advice->gain < input.clean)
            advice->factor = input.clean / (input.clean - advice->gain);
          g_ptr_array_add (list, advice);
        }
      else
        advice_free (advice);
    }
  g_ptr_array_sort (list, compare_gains);
  return list;
}
