/* report-tables.c — the tables of a report: result, nodes, advice and conditions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sections.h"

#include "profiler/base/format.h"
#include "profiler/base/machine.h"
#include "profiler/base/statistics.h"
#include "profiler/explain/advise.h"
#include "profiler/summary/clean-samples.h"
#include "profiler/summary/gradients.h"
#include "profiler/summary/roofline.h"
#include "profiler/summary/unchanging.h"

#include <math.h>
#include <string.h>

#define MAX_NODES 40

/* --- The result --- */

/* What the kernel did during a typical clean run, and how many of them it disturbed. */
static void
add_disturbance (ScopeTable *table, const ProfCapture *capture, const ProfDisturbance *disturbance)
{
  g_autofree ProfSampleFacts *facts = prof_capture_dup_sample_facts (capture, PROF_SAMPLE_CLEAN);
  double                      inner = prof_capture_get_number (capture, "clean.inner");
  ProfTypicalFacts            typical;

  if (!facts)
    return;
  prof_typical_facts (facts, disturbance->n, inner > 0 ? inner : 1, &typical);
  scope_table_add_name (table, "samples that waited for a processor",
                        g_strdup_printf ("%u of %u%s", disturbance->n_disturbed, disturbance->n,
                                         disturbance->n_disturbed == 0 ? ""
                                         : disturbance->uses_all       ? "; used, too few others"
                                                                       : "; not used"));
  scope_table_add_name (table, "processor time of a typical run",
                        prof_format_seconds (typical.cpu));
  scope_table_add_name (table, "its wait for a processor", prof_format_seconds (typical.wait));
  scope_table_add_name (table, "context switches (voluntary, involuntary); moves; page faults",
                        g_strdup_printf ("%.3g, %.3g; %.3g; %.3g", typical.voluntary,
                                         typical.involuntary, typical.migrations, typical.faults));
}

/* Clean runs by the clock of the GPU. */
static void
add_device (ScopeTable *table, const ProfCapture *capture)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_DEVICE, &n);

  if (n > 0)
    scope_table_add_name (table,
                          "the same by the clock of the GPU, from its first work to its last",
                          prof_format_seconds (prof_median (samples, n)));
}

static void
add_clean (ScopeTable *table, const ProfCapture *capture)
{
  guint              n, n_first;
  ProfDisturbance    disturbance;
  g_autofree double *samples = prof_capture_dup_undisturbed (capture, &n, &disturbance);
  g_autofree double *first = prof_capture_dup_samples (capture, PROF_SAMPLE_FIRST, &n_first);
  const char        *stop = prof_capture_get_text (capture, "clean.stopped");
  ProfStatistics     clean;

  prof_statistics (samples, n, &clean);
  clean.median = prof_clean_median (capture);
  if (n > 0)
    {
      scope_table_add_name (table, "time of a run (median of clean runs)",
                            prof_format_seconds (clean.median.median));
      scope_table_add_name (table,
                            prof_interval_is_known (&clean.median)
                                ? "95 % confidence interval of the median"
                                : "confidence interval of the median",
                            prof_format_interval (clean.median.low, clean.median.high));
      scope_table_add_name (table, "95th percentile", prof_format_seconds (clean.p95));
      scope_table_add_name (table, "clean runs; why measuring ended",
                            g_strdup_printf ("%u; %s", clean.n, stop ? stop : "–"));
      add_device (table, capture);
      add_disturbance (table, capture, &disturbance);
    }
  if (n_first > 0)
    scope_table_add_name (table, "first run", prof_format_seconds (first[0]));
}

static void
add_traced (ScopeTable *table, const ProfCapture *capture, const ProfSummary *summary)
{
  double           per_span = prof_capture_get_number (capture, "trace.overhead_ns");
  g_autofree char *overhead = prof_format_seconds (summary->overhead);
  g_autofree char *relation = prof_summary_relation (summary);

  if (summary->n_runs == 0)
    {
      if (relation)
        scope_table_add_name (table, "traced runs", g_strdup (relation));
      return;
    }
  scope_table_add_name (table, "traced runs; how many of them are typical",
                        g_strdup_printf ("%u; %u", summary->n_runs, summary->n_used));
  scope_table_add_name (table, "time of a traced run", prof_format_seconds (summary->traced));
  scope_table_add_name (table, "of that inside nodes", prof_format_seconds (summary->nodes));
  scope_table_add_name (table, "of that between nodes", prof_format_seconds (summary->between));
  if (relation)
    scope_table_add_name (table, "traced and clean time", g_strdup (relation));
  if (isfinite (summary->noise))
    scope_table_add_name (table, "noise: traced − clean − recording",
                          prof_format_seconds (summary->noise));
  if (isfinite (per_span) && summary->n_runs > 0 && !summary->is_of_device)
    scope_table_add_name (table, "recording",
                          g_strdup_printf ("%s (%.0f spans at %.0f ns)", overhead, summary->n_spans,
                                           per_span));
}

static void
add_counts (ScopeTable *table, const ProfCapture *capture)
{
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);
  const char *missing = prof_capture_get_text (capture, "counters.missing");

  for (guint i = 0; i < prof_facts_n (facts); i++)
    {
      const ProfFact  *fact = prof_facts_get (facts, i);
      g_autofree char *label = NULL;

      if (fact->text || !g_str_has_prefix (fact->key, "counter."))
        continue;
      label = g_strdup_printf ("%s per run", fact->key + strlen ("counter."));
      scope_table_add_name (table, label, prof_format_count (fact->key, fact->number));
    }
  if (missing)
    scope_table_add_name (table, "other counters", g_strdup (missing));
}

void
scope_say_result (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary)
{
  double      planned = prof_capture_get_number (capture, "memory.planned");
  double      resident = prof_capture_get_number (capture, "memory.resident");
  ScopeTable *table;

  scope_said_heading (said, "Result", "");
  table = scope_said_names (said, 0, TRUE);
  add_clean (table, capture);
  add_traced (table, capture, summary);
  if (isfinite (planned))
    scope_table_add_name (table,
                          "peak memory planned for values, an upper bound of what is touched",
                          prof_format_bytes (planned));
  if (isfinite (resident))
    scope_table_add_name (table, "peak memory of the process, all that it touched",
                          prof_format_bytes (resident));
  add_counts (table, capture);
}

/* --- Nodes --- */

static void
add_node (ScopeTable        *table,
          const ProfCapture *capture,
          const ProfSummary *summary,
          const ProfPeaks   *peaks,
          const ProfNodeSum *sum)
{
  const ProfNode *node = prof_capture_get_node (capture, sum->row);
  ProfRoofPoint   point;
  double          rate = prof_node_rate (node, sum);
  gboolean        has_point =
      isfinite (rate) && prof_roofline_point (peaks, sum->self, sum->flops, sum->bytes, &point);
  char *const texts[] = {
    g_strdup (prof_capture_get_string (capture, node->name)),
    g_strdup (prof_capture_get_string (capture, node->type)),
    g_strdup (sum->inputs),
    g_strdup_printf ("%.0f", sum->count),
    prof_format_seconds (sum->self),
    prof_format_seconds (sum->inclusive),
    summary->n_used > 0 ? g_strdup_printf ("%.1f %%", 100 * sum->self / summary->traced)
                        : g_strdup ("–"),
    prof_format_quantity (rate),
    prof_format_bytes (sum->bytes),
    prof_format_bytes (sum->allocated),
    has_point ? prof_roofline_text (&point) : g_strdup ("–"),
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    scope_table_add (table, texts[i], FALSE);
}

/* A row of the table of nodes that only has times. */
static void
add_times (ScopeTable *table, char *label /* (transfer full) */, const ProfGroupSum *sum)
{
  char *const texts[] = { label,
                          NULL,
                          NULL,
                          NULL,
                          prof_format_seconds (sum->self),
                          prof_format_seconds (sum->inclusive),
                          g_strdup_printf ("%.1f %%", 100 * sum->share),
                          NULL,
                          NULL,
                          NULL,
                          NULL };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    scope_table_add (table, texts[i], FALSE);
}

/* The nodes that are not listed, what is not in nodes, and the whole. */
static void
add_rest (ScopeTable *table, const ProfSummary *summary)
{
  ProfGroupSum rest[PROF_MAX_REST];
  ProfGroupSum more = { .inclusive = NAN };
  ProfGroupSum whole = { .self = summary->traced, .inclusive = summary->traced, .share = 1 };
  guint        n = prof_summary_rest (summary, rest);

  for (guint i = MAX_NODES; i < summary->node->len; i++)
    more.self += g_array_index (summary->node, ProfNodeSum, i).self;
  more.share = more.self / summary->traced;
  if (summary->node->len > MAX_NODES)
    add_times (table, g_strdup_printf ("… and %u more", summary->node->len - MAX_NODES), &more);
  for (guint i = 0; i < n; i++)
    add_times (table, g_strdup (rest[i].name), &rest[i]);
  add_times (table, g_strdup ("a traced run"), &whole);
}

void
scope_say_nodes (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary)
{
  static const ScopeTableColumn columns[] = {
    { .title = "node" },
    { .title = "operator" },
    { .title = "inputs" },
    { .title = "calls", .is_number = TRUE },
    { .title = "self", .is_number = TRUE },
    { .title = "inclusive", .is_number = TRUE },
    { .title = "share", .is_number = TRUE },
    { .title = "FLOP/s", .is_number = TRUE },
    { .title = "bytes", .is_number = TRUE },
    { .title = "allocated", .is_number = TRUE },
    { .title = "of the roof", .is_number = TRUE },
  };
  ProfPeaks   peaks = prof_roofline_peaks (capture);
  ScopeTable *table;

  if (summary->node->len == 0)
    return;
  table = scope_said_table (said, columns, G_N_ELEMENTS (columns));
  for (guint i = 0; i < MIN (summary->node->len, MAX_NODES); i++)
    add_node (table, capture, summary, &peaks, &g_array_index (summary->node, ProfNodeSum, i));
  add_rest (table, summary);
}

/* --- Advice --- */

void
scope_say_advice (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary)
{
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);

  if (list->len > 0)
    scope_said_heading (said, "Advice", "");
  for (guint i = 0; i < list->len; i++)
    {
      const ProfAdvice *advice = list->pdata[i];
      g_autofree char  *gain = prof_advice_gain (advice);
      g_autofree char  *text = g_strdup_printf ("%s. %s%s.", advice->trigger, advice->text, gain);

      scope_said_fact (said, advice->rule, text);
    }
}

/* --- Conditions --- */

typedef enum
{
  PLAIN,
  BYTES,
  SHARE,
  FLOPS,
  BYTE_RATE,
  YES,
} FactKind;

/* Facts to print.  Others are printed elsewhere in the report or are for programs only. */
static const struct
{
  const char *key, *label;
  FactKind    kind;
} conditions[] = {
  { "program", "program", PLAIN },
  { "model", "model", PLAIN },
  { "parameters", "parameters", PLAIN },
  { "variant", "form", PLAIN },
  { "mode", "mode", PLAIN },
  { "pass", "pass", PLAIN },
  { "without", "passes left out", PLAIN },
  { PROF_FOLDED_KEY, "computed once, while planning", PLAIN },
  { PROF_FOLDED_BYTES_KEY, "memory of what was computed once", BYTES },
  { "batch", "batch", PLAIN },
  { "length", "length", PLAIN },
  { "seed", "seed", PLAIN },
  { "model.filled", "parameters with random values", PLAIN },
  { "time", "measured at", PLAIN },
  { PROF_DEVICE_KEY, "device", PLAIN },
  { PROF_DEVICE_WORK_KEY, "what it did", PLAIN },
  { PROF_DEVICE_MATH_KEY, "products", PLAIN },
  { PROF_DEVICE_EXCLUDED_KEY, "left to the host after the self-test", PLAIN },
  { "target", "target", PLAIN },
  { "cpu.model", "processor", PLAIN },
  { "cpu.features", "instruction sets", PLAIN },
  { "cpu.cores", "cores", PLAIN },
  { "cpu.smt", "hyper-threading", PLAIN },
  { "cpu.governor", "frequency governor", PLAIN },
  { "cpu.turbo", "turbo", PLAIN },
  { "cpu.virtual", "virtual machine", YES },
  { "clock.source", "clock", PLAIN },
  { "threads", "threads", PLAIN },
  { "threads.openblas", "OpenBLAS threads", PLAIN },
  { "library.openblas", "OpenBLAS", PLAIN },
  { "library.openblas core", "OpenBLAS kernels", PLAIN },
  { "library.glib", "GLib", PLAIN },
  { "system.kernel", "kernel", PLAIN },
  { "system.host", "machine", PLAIN },
  { "system.cpu limit", "CPU quota", PLAIN },
  { "system.cpu quota", "CPU quota", PLAIN }, /* of older captures */
  { "system.memory", "memory", BYTES },
  { "system.load", "load average", PLAIN },
  { "system.stolen", "CPU time stolen by the host", SHARE },
  { "peak.flops", "peak arithmetic rate (measured)", FLOPS },
  { "peak.bytes", "peak memory bandwidth (measured)", BYTE_RATE },
  { "clean.deviation", "spread of clean runs", SHARE },
};

static char *
format_fact (double number, FactKind kind)
{
  g_autofree char *quantity = prof_format_quantity (number);
  g_autofree char *bytes = prof_format_bytes (number);

  switch (kind)
    {
    case BYTES:
      return g_steal_pointer (&bytes);
    case SHARE:
      return g_strdup_printf ("%.1f %%", 100 * number);
    case FLOPS:
      return g_strconcat (quantity, "FLOP/s", NULL);
    case BYTE_RATE:
      return g_strconcat (bytes, "/s", NULL);
    case YES:
      return g_strdup (number > 0 ? "yes" : "no");
    case PLAIN:
      break;
    }
  return g_strdup_printf ("%.6g", number);
}

void
scope_say_conditions (ScopeSaid *said, const ProfCapture *capture)
{
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);
  g_auto (GStrv) warnings = prof_machine_warnings (facts);
  ScopeTable *table;

  scope_said_heading (said, "Conditions", "");
  table = scope_said_names (said, 0, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (conditions); i++)
    {
      const char *text = prof_capture_get_text (capture, conditions[i].key);
      double      number = prof_capture_get_number (capture, conditions[i].key);

      if (text && *text)
        scope_table_add_name (table, conditions[i].label, g_strdup (text));
      else if (isfinite (number))
        scope_table_add_name (table, conditions[i].label, format_fact (number, conditions[i].kind));
    }
  if (prof_capture_get_missing (capture))
    scope_table_add_name (table, "not complete", g_strdup (prof_capture_get_missing (capture)));
  for (guint i = 0; warnings[i]; i++)
    scope_said_sentence (said, SCOPE_SAID_WARNING, g_strdup (warnings[i]));
}
