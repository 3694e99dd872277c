/* describe-capture.c — a capture's numbers as members of an open JSON object.
 *
 * Scripts rely on the keys; do not rename them.  Times are in seconds, per run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-capture.h"

#include "profiler/base/statistics.h"
#include "profiler/explain/advise.h"
#include "profiler/explain/work-classes.h"
#include "profiler/summary/clean-samples.h"
#include "profiler/summary/gradients.h"
#include "profiler/summary/origins.h"

/* Every clean sample with the kernel's report on it. */
static void
describe_samples (ScopeJson *json, const ProfCapture *capture)
{
  guint                       n;
  g_autofree double          *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &n);
  g_autofree ProfSampleFacts *facts = prof_capture_dup_sample_facts (capture, PROF_SAMPLE_CLEAN);

  scope_json_begin_list (json, "list");
  for (guint i = 0; i < n; i++)
    {
      scope_json_begin_object (json, NULL);
      scope_json_double (json, "seconds", samples[i]);
      if (facts)
        {
          /* A sample of a short run is several runs; its facts are about all of them. */
          double n_runs = facts[i].wall > 0 && samples[i] > 0 ? facts[i].wall / samples[i] : 1;

          scope_json_boolean (json, "disturbed", prof_sample_is_disturbed (&facts[i]));
          scope_json_double (json, "cpu_seconds", facts[i].cpu / n_runs);
          scope_json_double (json, "wait_seconds", facts[i].wait / n_runs);
          scope_json_int (json, "voluntary_switches", facts[i].voluntary);
          scope_json_int (json, "involuntary_switches", facts[i].involuntary);
          scope_json_int (json, "migrations", facts[i].migrations);
          scope_json_int (json, "page_faults", facts[i].faults);
        }
      scope_json_end (json);
    }
  scope_json_end (json);
}

/* Clean runs by the clock of the GPU, if there is one. */
static void
describe_device_clock (ScopeJson *json, const ProfCapture *capture)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_DEVICE, &n);

  if (n > 0)
    scope_json_double (json, "gpu_median", prof_median (samples, n));
}

static void
describe_clean (ScopeJson *json, const ProfCapture *capture, const ProfSummary *summary)
{
  ProfStatistics     clean;
  guint              n, n_first;
  ProfDisturbance    disturbance;
  g_autofree double *samples = prof_capture_dup_undisturbed (capture, &n, &disturbance);
  ProfClassTimes     times;
  g_autofree double *first = prof_capture_dup_samples (capture, PROF_SAMPLE_FIRST, &n_first);

  prof_statistics (samples, n, &clean);
  clean.median = prof_clean_median (capture);
  scope_json_begin_object (json, "clean");
  scope_json_double (json, "median", clean.median.median);
  scope_json_double (json, "low", clean.median.low);
  scope_json_double (json, "high", clean.median.high);
  scope_json_int (json, "samples", clean.n);
  scope_json_double (json, "minimum", clean.minimum);
  scope_json_double (json, "p95", clean.p95);
  scope_json_int (json, "outliers", clean.n_outliers);
  scope_json_string (json, "stopped", prof_capture_get_text (capture, "clean.stopped"));
  scope_json_int (json, "samples_taken", disturbance.n);
  scope_json_int (json, "samples_disturbed", disturbance.n_disturbed);
  scope_json_boolean (json, "uses_disturbed", disturbance.uses_all);
  describe_device_clock (json, capture);
  describe_samples (json, capture);
  scope_json_end (json);
  if (n_first > 0)
    scope_json_double (json, "first_seconds", first[0]);
  scope_json_double (json, "traced_over_clean", summary->traced / summary->clean);
  prof_class_times_init (&times, capture);
  scope_json_double (json, "flops", times.flops);
  scope_json_double (json, "repeated_flops", times.repeated);
  prof_class_times_clear (&times);
}

static void
describe_groups (ScopeJson *json, const char *key, const GArray *groups)
{
  scope_json_begin_list (json, key);
  for (guint i = 0; i < groups->len; i++)
    {
      const ProfGroupSum *sum = &g_array_index (groups, ProfGroupSum, i);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", sum->name);
      scope_json_double (json, "count", sum->count);
      scope_json_int (json, "nodes", sum->n_nodes);
      scope_json_double (json, "self_seconds", sum->self);
      scope_json_double (json, "inclusive_seconds", sum->inclusive);
      scope_json_double (json, "share", sum->share);
      scope_json_double (json, "flops", sum->flops);
      scope_json_double (json, "bytes", sum->bytes);
      scope_json_double (json, "allocated_bytes", sum->allocated);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_name (ScopeJson *json, const ProfCapture *capture, guint32 row)
{
  scope_json_string (json, NULL,
                     prof_capture_get_string (capture, prof_capture_get_node (capture, row)->name));
}

/* The names of the nodes of the model that a row computes, helps or differentiates. */
static void
describe_origins (ScopeJson         *json,
                  const ProfCapture *capture,
                  const ProfOrigins *origins,
                  guint32            row)
{
  static const char *const keys[PROF_N_ROLES] = { "stands_for", "helps", "differentiates" };
  guint                    n;
  const ProfOrigin        *all = prof_origins_of (origins, row, &n);

  for (guint role = 0; role < G_N_ELEMENTS (keys); role++)
    {
      scope_json_begin_list (json, keys[role]);
      for (guint i = 0; i < n; i++)
        if (all[i].role == role)
          describe_name (json, capture, all[i].of);
      scope_json_end (json);
    }
}

/* Nodes of the model that did not run, with the names of the nodes that compute them, or else help
 * them. */
static void
describe_elsewhere (ScopeJson         *json,
                    const ProfCapture *capture,
                    const ProfSummary *summary,
                    const ProfOrigins *origins)
{
  scope_json_begin_list (json, "computed_elsewhere");
  for (guint32 of = 0; of < prof_capture_n_nodes (capture); of++)
    {
      const ProfNode   *node = prof_capture_get_node (capture, of);
      guint             n;
      const ProfOrigin *rows = prof_origins_computing (origins, of, &n);

      if (n == 0 || summary->by_row[of] != PROF_NONE || rows[0].role == PROF_DIFFERENTIATES)
        continue;
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", prof_capture_get_string (capture, node->name));
      scope_json_string (json, "operator", prof_capture_get_string (capture, node->type));
      scope_json_int (json, "graph", node->graph);
      scope_json_int (json, "id", node->id);
      scope_json_begin_list (json, "computed_in");
      for (guint i = 0; i < n && rows[i].role != PROF_DIFFERENTIATES; i++)
        describe_name (json, capture, rows[i].row);
      scope_json_end (json);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_nodes (ScopeJson         *json,
                const ProfCapture *capture,
                const ProfSummary *summary,
                const ProfOrigins *origins)
{
  scope_json_begin_list (json, "nodes");
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", prof_capture_get_string (capture, node->name));
      scope_json_string (json, "operator", prof_capture_get_string (capture, node->type));
      scope_json_int (json, "graph", node->graph);
      if (node->id != PROF_NONE)
        scope_json_int (json, "id", node->id);
      else
        scope_json_null (json, "id");
      scope_json_double (json, "count", sum->count);
      scope_json_double (json, "self_seconds", sum->self);
      scope_json_double (json, "low", sum->low);
      scope_json_double (json, "high", sum->high);
      scope_json_double (json, "inclusive_seconds", sum->inclusive);
      scope_json_double (json, "share", sum->self / summary->traced);
      scope_json_double (json, "flops", sum->flops);
      scope_json_double (json, "bytes", sum->bytes);
      scope_json_string (json, "inputs", sum->inputs);
      scope_json_string (json, "kernel", prof_capture_find_kernel (capture, sum->row));
      scope_json_double (json, "allocated_bytes", sum->allocated);
      if (node->step != PROF_NONE)
        scope_json_int (json, "step", node->step);
      describe_origins (json, capture, origins, sum->row);
      scope_json_end (json);
    }
  scope_json_end (json);
}

/* The division of a traced run's time: the self times of the nodes (and of the operators, and of the
 * scopes) and the time outside of them add up to it. */
static void
describe_traced (ScopeJson *json, const ProfSummary *summary)
{
  ProfGroupSum     rest[PROF_MAX_REST];
  guint            n = prof_summary_rest (summary, rest);
  g_autofree char *relation = prof_summary_relation (summary);
  double           between = 0;

  scope_json_begin_object (json, "traced");
  scope_json_int (json, "runs", summary->n_runs);
  scope_json_int (json, "runs_used", summary->n_used);
  scope_json_int (json, "runs_disturbed", summary->n_disturbed);
  scope_json_double (json, "seconds", summary->traced);
  scope_json_double (json, "nodes_seconds", summary->nodes);
  scope_json_double (json, "between_seconds", summary->between);
  scope_json_double (json, "other_seconds", summary->other);
  scope_json_double (json, "interpreter_seconds", summary->interpreter);
  scope_json_double (json, "interpreter_low", summary->interpreter_low);
  scope_json_double (json, "interpreter_high", summary->interpreter_high);
  scope_json_double (json, "overhead_seconds", summary->overhead);
  scope_json_double (json, "noise_seconds", summary->noise);
  scope_json_double (json, "spans", summary->n_spans);
  if (summary->is_of_device)
    {
      scope_json_double (json, "gpu_busy_seconds", summary->device_busy);
      scope_json_double (json, "gpu_no_operator_seconds", summary->no_operator);
    }
  scope_json_string (json, "relation", relation);
  scope_json_end (json);
  scope_json_begin_list (json, "outside_nodes");
  for (guint i = 0; i < n; i++)
    {
      between += rest[i].share;
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", rest[i].name);
      scope_json_double (json, "self_seconds", rest[i].self);
      scope_json_double (json, "share", rest[i].share);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_double (json, "between_share", between);
}

static void
describe_steps (ScopeJson *json, const ProfSummary *summary)
{
  scope_json_begin_list (json, "steps");
  for (guint i = 0; i < summary->step->len; i++)
    {
      const ProfStepSum *sum = &g_array_index (summary->step, ProfStepSum, i);

      scope_json_begin_object (json, NULL);
      scope_json_int (json, "step", sum->step);
      scope_json_double (json, "self_seconds", sum->self);
      scope_json_double (json, "count", sum->count);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_facts (ScopeJson *json, const ProfCapture *capture)
{
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);

  scope_json_begin_object (json, "conditions");
  for (guint i = 0; i < prof_facts_n (facts); i++)
    {
      const ProfFact *fact = prof_facts_get (facts, i);

      if (fact->text)
        scope_json_string (json, fact->key, fact->text);
      else
        scope_json_double (json, fact->key, fact->number);
    }
  scope_json_end (json);
}

static void
describe_advice (ScopeJson *json, const ProfCapture *capture, const ProfSummary *summary)
{
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);

  scope_json_begin_list (json, "advice");
  for (guint i = 0; i < list->len; i++)
    {
      const ProfAdvice *advice = list->pdata[i];

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "rule", advice->rule);
      scope_json_string (json, "trigger", advice->trigger);
      scope_json_string (json, "text", advice->text);
      scope_json_double (json, "gain_seconds", advice->gain);
      scope_json_double (json, "gain_low", advice->low);
      scope_json_double (json, "gain_high", advice->high);
      scope_json_double (json, "factor", advice->factor);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_gradients (ScopeJson *json, const ProfCapture *capture)
{
  g_autoptr (GArray) list = prof_gradients (capture);

  scope_json_begin_list (json, "gradients");
  for (guint i = 0; i < list->len; i++)
    {
      const ProfGradient *gradient = &g_array_index (list, ProfGradient, i);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", gradient->name);
      scope_json_double (json, "ready_seconds", gradient->seconds);
      scope_json_end (json);
    }
  scope_json_end (json);
}

void
scope_describe_capture (ScopeJson *json, const ProfCapture *capture, const ProfSummary *summary)
{
  g_autoptr (ProfOrigins) origins = prof_origins_new (capture, summary);

  if (prof_capture_get_missing (capture))
    scope_json_string (json, "missing", prof_capture_get_missing (capture));
  describe_clean (json, capture, summary);
  describe_traced (json, summary);
  describe_groups (json, "operators", summary->operators);
  describe_groups (json, "categories", summary->category);
  describe_groups (json, "scopes", summary->scope);
  describe_nodes (json, capture, summary, origins);
  describe_elsewhere (json, capture, summary, origins);
  describe_steps (json, summary);
  scope_json_begin_object (json, "peak_bytes");
  scope_json_double (json, "planned", prof_capture_get_number (capture, "memory.planned"));
  scope_json_double (json, "resident", prof_capture_get_number (capture, "memory.resident"));
  scope_json_end (json);
  describe_gradients (json, capture);
  describe_advice (json, capture, summary);
  describe_facts (json, capture);
}
