/* report-tables.c — the tables of a report: result, nodes, advice and conditions.
 *
 * Functions named _take free the text that they append.
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

static void
append_row (GString *html, const char *label, const char *value)
{
  g_string_append (html, "<tr><td>");
  scope_html_append (html, label);
  g_string_append (html, "</td><td>");
  scope_html_append (html, value);
  g_string_append (html, "</td></tr>\n");
}

static void
append_row_take (GString *html, const char *label, char *value /* (transfer full) */)
{
  append_row (html, label, value);
  g_free (value);
}

static void
append_cell_take (GString *html, char *value /* (transfer full) */)
{
  g_string_append (html, "<td>");
  scope_html_append (html, value);
  g_string_append (html, "</td>");
  g_free (value);
}

/* --- The result --- */

/* What the kernel did during a typical clean run, and how many of them it disturbed. */
static void
append_disturbance (GString *html, const ProfCapture *capture, const ProfDisturbance *disturbance)
{
  g_autofree ProfSampleFacts *facts = prof_capture_dup_sample_facts (capture, PROF_SAMPLE_CLEAN);
  double                      inner = prof_capture_get_number (capture, "clean.inner");
  ProfTypicalFacts            typical;

  if (!facts)
    return;
  prof_typical_facts (facts, disturbance->n, inner > 0 ? inner : 1, &typical);
  append_row_take (html, "samples that waited for a processor",
                   g_strdup_printf ("%u of %u%s", disturbance->n_disturbed, disturbance->n,
                                    disturbance->n_disturbed == 0 ? ""
                                    : disturbance->uses_all       ? "; used, too few others"
                                                                  : "; not used"));
  append_row_take (html, "processor time of a typical run", prof_format_seconds (typical.cpu));
  append_row_take (html, "its wait for a processor", prof_format_seconds (typical.wait));
  append_row_take (html, "context switches (voluntary, involuntary); moves; page faults",
                   g_strdup_printf ("%.3g, %.3g; %.3g; %.3g", typical.voluntary,
                                    typical.involuntary, typical.migrations, typical.faults));
}

/* Clean runs by the clock of the GPU. */
static void
append_device (GString *html, const ProfCapture *capture)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_DEVICE, &n);

  if (n > 0)
    append_row_take (html, "the same by the clock of the GPU, from its first work to its last",
                     prof_format_seconds (prof_median (samples, n)));
}

static void
append_clean (GString *html, const ProfCapture *capture, const ProfSummary *summary)
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
      append_row_take (html, "time of a run (median of clean runs)",
                       prof_format_seconds (clean.median.median));
      append_row_take (html,
                       prof_interval_is_known (&clean.median)
                           ? "95 % confidence interval of the median"
                           : "confidence interval of the median",
                       prof_format_interval (clean.median.low, clean.median.high));
      append_row_take (html, "95th percentile", prof_format_seconds (clean.p95));
      append_row_take (html, "clean runs; why measuring ended",
                       g_strdup_printf ("%u; %s", clean.n, stop ? stop : "–"));
      append_device (html, capture);
      append_disturbance (html, capture, &disturbance);
    }
  if (n_first > 0)
    append_row_take (html, "first run", prof_format_seconds (first[0]));
}

static void
append_traced (GString *html, const ProfCapture *capture, const ProfSummary *summary)
{
  double           per_span = prof_capture_get_number (capture, "trace.overhead_ns");
  g_autofree char *overhead = prof_format_seconds (summary->overhead);
  g_autofree char *relation = prof_summary_relation (summary);

  if (summary->n_runs == 0)
    {
      if (relation)
        append_row (html, "traced runs", relation);
      return;
    }
  append_row_take (html, "traced runs; how many of them are typical",
                   g_strdup_printf ("%u; %u", summary->n_runs, summary->n_used));
  append_row_take (html, "time of a traced run", prof_format_seconds (summary->traced));
  append_row_take (html, "of that inside nodes", prof_format_seconds (summary->nodes));
  append_row_take (html, "of that between nodes", prof_format_seconds (summary->between));
  if (relation)
    append_row (html, "traced and clean time", relation);
  if (isfinite (summary->noise))
    append_row_take (html, "noise: traced − clean − recording",
                     prof_format_seconds (summary->noise));
  if (isfinite (per_span) && summary->n_runs > 0 && !summary->is_of_device)
    append_row_take (html, "recording",
                     g_strdup_printf ("%s (%.0f spans at %.0f ns)", overhead, summary->n_spans,
                                      per_span));
}

static void
append_counts (GString *html, const ProfCapture *capture)
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
      append_row_take (html, label, prof_format_count (fact->key, fact->number));
    }
  if (missing)
    append_row (html, "other counters", missing);
}

void
scope_report_page_add_result (ScopeReportPage   *page,
                              const ProfCapture *capture,
                              const ProfSummary *summary)
{
  double   planned = prof_capture_get_number (capture, "memory.planned");
  double   resident = prof_capture_get_number (capture, "memory.resident");
  GString *html = g_string_new ("<table>");

  append_clean (html, capture, summary);
  append_traced (html, capture, summary);
  if (isfinite (planned))
    append_row_take (html, "peak memory planned for values, an upper bound of what is touched",
                     prof_format_bytes (planned));
  if (isfinite (resident))
    append_row_take (html, "peak memory of the process, all that it touched",
                     prof_format_bytes (resident));
  append_counts (html, capture);
  g_string_append (html, "</table>\n");
  scope_report_page_add_html (page, "Result", html);
}

/* --- Nodes --- */

static void
append_node (GString           *html,
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

  g_string_append (html, "<tr><td>");
  scope_html_append (html, prof_capture_get_string (capture, node->name));
  g_string_append (html, "</td><td class=\"words\">");
  scope_html_append (html, prof_capture_get_string (capture, node->type));
  g_string_append (html, "</td><td class=\"words\">");
  scope_html_append (html, sum->inputs);
  g_string_append (html, "</td>");
  append_cell_take (html, g_strdup_printf ("%.0f", sum->count));
  append_cell_take (html, prof_format_seconds (sum->self));
  append_cell_take (html, prof_format_seconds (sum->inclusive));
  append_cell_take (html, summary->n_used > 0
                              ? g_strdup_printf ("%.1f %%", 100 * sum->self / summary->traced)
                              : g_strdup ("–"));
  append_cell_take (html, prof_format_quantity (rate));
  append_cell_take (html, prof_format_bytes (sum->bytes));
  append_cell_take (html, prof_format_bytes (sum->allocated));
  append_cell_take (html, has_point ? prof_roofline_text (&point) : g_strdup ("–"));
  g_string_append (html, "</tr>\n");
}

/* A row of the table of nodes that only has times. */
static void
append_times (GString *html, const char *label, const ProfGroupSum *sum)
{
  g_string_append (html, "<tr><td>");
  scope_html_append (html, label);
  g_string_append (html, "</td><td></td><td></td><td></td>");
  append_cell_take (html, prof_format_seconds (sum->self));
  append_cell_take (html, prof_format_seconds (sum->inclusive));
  append_cell_take (html, g_strdup_printf ("%.1f %%", 100 * sum->share));
  g_string_append (html, "<td></td><td></td><td></td><td></td></tr>\n");
}

/* The nodes that are not listed, what is not in nodes, and the whole. */
static void
append_rest (GString *html, const ProfSummary *summary)
{
  ProfGroupSum rest[PROF_MAX_REST];
  ProfGroupSum more = { .inclusive = NAN };
  ProfGroupSum whole = { .self = summary->traced, .inclusive = summary->traced, .share = 1 };
  guint        n = prof_summary_rest (summary, rest);

  for (guint i = MAX_NODES; i < summary->node->len; i++)
    more.self += g_array_index (summary->node, ProfNodeSum, i).self;
  more.share = more.self / summary->traced;
  if (summary->node->len > MAX_NODES)
    {
      g_autofree char *label = g_strdup_printf ("… and %u more", summary->node->len - MAX_NODES);

      append_times (html, label, &more);
    }
  for (guint i = 0; i < n; i++)
    append_times (html, rest[i].name, &rest[i]);
  append_times (html, "a traced run", &whole);
}

void
scope_report_page_add_node_table (ScopeReportPage   *page,
                                  const ProfCapture *capture,
                                  const ProfSummary *summary)
{
  ProfPeaks peaks = prof_roofline_peaks (capture);
  GString  *html;

  if (summary->node->len == 0)
    return;
  html = g_string_new (
      "<table><tr><th>node</th><th class=\"words\">operator</th><th "
      "class=\"words\">inputs</th><th>calls</th><th>self</th><th>inclusive</th><th>share</"
      "th><th>FLOP/s</th><th>bytes</th><th>allocated</th><th title=\"share of what the machine can "
      "reach at this arithmetic intensity\">of the roof</th></tr>\n");
  for (guint i = 0; i < MIN (summary->node->len, MAX_NODES); i++)
    append_node (html, capture, summary, &peaks, &g_array_index (summary->node, ProfNodeSum, i));
  append_rest (html, summary);
  g_string_append (html, "</table>\n");
  scope_report_page_add_html (page, NULL, html);
}

/* --- Advice --- */

void
scope_report_page_add_advice (ScopeReportPage   *page,
                              const ProfCapture *capture,
                              const ProfSummary *summary)
{
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);
  GString *html;

  if (list->len == 0)
    return;
  html = g_string_new ("<ul>");
  for (guint i = 0; i < list->len; i++)
    {
      const ProfAdvice *advice = list->pdata[i];
      g_autofree char  *gain = prof_advice_gain (advice);

      g_string_append_printf (html, "<li><b>%s</b>: ", advice->rule);
      scope_html_append (html, advice->trigger);
      g_string_append (html, ". ");
      scope_html_append (html, advice->text);
      g_string_append_printf (html, "%s.</li>\n", gain);
    }
  g_string_append (html, "</ul>\n");
  scope_report_page_add_html (page, "Advice", html);
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
  { "system.cpu quota", "CPU quota", PLAIN },
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
scope_report_page_add_conditions (ScopeReportPage *page, const ProfCapture *capture)
{
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);
  g_auto (GStrv) warnings = prof_machine_warnings (facts);
  GString *html = g_string_new ("<table>");

  for (guint i = 0; i < G_N_ELEMENTS (conditions); i++)
    {
      const char *text = prof_capture_get_text (capture, conditions[i].key);
      double      number = prof_capture_get_number (capture, conditions[i].key);

      if (text && *text)
        append_row (html, conditions[i].label, text);
      else if (isfinite (number))
        append_row_take (html, conditions[i].label, format_fact (number, conditions[i].kind));
    }
  if (prof_capture_get_missing (capture))
    append_row (html, "not complete", prof_capture_get_missing (capture));
  g_string_append (html, "</table>\n");
  for (guint i = 0; warnings[i]; i++)
    {
      g_string_append (html, "<p class=\"warn\">");
      scope_html_append (html, warnings[i]);
      g_string_append (html, "</p>\n");
    }
  scope_report_page_add_html (page, "Conditions", html);
}
