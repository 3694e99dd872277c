/* report-text.c — prints a capture as a report for a terminal.
 *
 * One function per section; prof_report_text() lists them in their order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/report-text.h"

#include "engine/base/one-line.h"
#include "profiler/base/format.h"
#include "profiler/base/machine.h"
#include "profiler/base/statistics.h"
#include "profiler/exchange/report-origins.h"
#include "profiler/explain/advise.h"
#include "profiler/explain/work-classes.h"
#include "profiler/summary/clean-samples.h"
#include "profiler/summary/gradients.h"
#include "profiler/summary/unchanging.h"

#include <math.h>
#include <string.h>

#define MAX_ROWS   20
#define NAME_WIDTH 36

static void
append_padded (GString *to, const char *text, int width)
{
  glong length = g_utf8_strlen (text, -1);

  g_string_append (to, text);
  for (glong i = length; i < width; i++)
    g_string_append_c (to, ' ');
}

static void
append_right (GString *to, char *text /* (transfer full) */, int width)
{
  for (glong i = g_utf8_strlen (text, -1); i < width; i++)
    g_string_append_c (to, ' ');
  g_string_append (to, text);
  g_free (text);
}

/* Shortens a name in the middle, so that both the layer and the part of it can be read.  (transfer
 * full) */
static char *
shorten (const char *name, glong width)
{
  glong            length = g_utf8_strlen (name, -1);
  glong            head = (width - 1) / 2;
  g_autofree char *first = NULL, *last = NULL;

  if (length <= width)
    return g_strdup (name);
  first = g_utf8_substring (name, 0, head);
  last = g_utf8_substring (name, length - (width - 1 - head), length);
  return g_strconcat (first, "…", last, NULL);
}

static void
append_conditions (GString *to, const ProfCapture *capture)
{
  static const struct
  {
    const char *key, *label;
  } lines[] = {
    { "subject", "model" },
    { "variant", "variant" },
    { "mode", "mode" },
    { "pass", "pass" },
    { "without", "passes left out" },
    { PROF_FOLDED_KEY, "computed once" },
    { PROF_DEVICE_KEY, "device" },
    { PROF_DEVICE_WORK_KEY, "work" },
    { PROF_DEVICE_MATH_KEY, "products" },
    { PROF_DEVICE_EXCLUDED_KEY, "left to the host" },
    { PROF_DEVICE_TRACE_KEY, "traced by" },
    { "target", "target" },
    { "system.host", "machine" },
    { "cpu.model", "processor" },
    { "cpu.features", "features" },
    { "library.openblas", "OpenBLAS" },
    { "time", "time" },
  };
  double threads = prof_capture_get_number (capture, "threads");
  double n_filled = prof_capture_get_number (capture, "model.filled");

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      const char *text = prof_capture_get_text (capture, lines[i].key);

      if (!text || !*text)
        continue;
      append_padded (to, lines[i].label, 18);
      g_string_append_printf (to, "%s\n", hyb_one_line (text));
    }
  if (isfinite (threads))
    g_string_append_printf (to, "%-18s%.0f\n", "threads", threads);
  if (n_filled > 0)
    g_string_append_printf (to, "%-18s%.0f parameters\n", "random values", n_filled);
  if (prof_capture_get_missing (capture))
    g_string_append_printf (to, "%-18s%s\n", "not complete",
                            hyb_one_line (prof_capture_get_missing (capture)));
}

/* The kernel's report on a typical clean run, and the number of disturbed runs. */
static void
append_disturbance (GString *to, const ProfCapture *capture, const ProfDisturbance *disturbance)
{
  g_autofree ProfSampleFacts *facts = prof_capture_dup_sample_facts (capture, PROF_SAMPLE_CLEAN);
  double                      inner = prof_capture_get_number (capture, "clean.inner");
  ProfTypicalFacts            typical;
  g_autofree char            *cpu = NULL, *wait = NULL;

  if (!facts || disturbance->n == 0)
    return;
  prof_typical_facts (facts, disturbance->n, inner > 0 ? inner : 1, &typical);
  cpu = prof_format_seconds (typical.cpu);
  wait = isfinite (typical.wait) ? prof_format_seconds (typical.wait) : g_strdup ("unknown time");
  g_string_append_printf (to,
                          "a typical one     %s of processor time, waited %s for a processor; "
                          "switches: %.3g voluntary, %.3g involuntary; %.3g moves, %.3g page "
                          "faults\n",
                          cpu, wait, typical.voluntary, typical.involuntary, typical.migrations,
                          typical.faults);
  g_string_append_printf (to, "disturbed         %u of %u clean samples%s\n",
                          disturbance->n_disturbed, disturbance->n,
                          disturbance->n_disturbed == 0 ? ""
                          : disturbance->uses_all       ? ", and used: too few others"
                                                        : ", not used");
}

/* Clean runs by the clock of the GPU. */
static void
append_device (GString *to, const ProfCapture *capture)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_DEVICE, &n);
  g_autofree char   *median = prof_format_seconds (prof_median (samples, n));

  if (n > 0)
    g_string_append_printf (to,
                            "by the GPU        %s from its first work to its last, by its own "
                            "clock; n = %u\n",
                            median, n);
}

static void
append_clean (GString *to, const ProfCapture *capture, const ProfSummary *summary)
{
  guint              n, n_first;
  ProfDisturbance    disturbance;
  g_autofree double *samples = prof_capture_dup_undisturbed (capture, &n, &disturbance);
  g_autofree double *first = prof_capture_dup_samples (capture, PROF_SAMPLE_FIRST, &n_first);
  ProfStatistics     clean;
  g_autofree char   *median = NULL, *interval = NULL, *p95 = NULL, *once = NULL;
  const char        *stop = prof_capture_get_text (capture, "clean.stopped");

  prof_statistics (samples, n, &clean);
  clean.median = prof_clean_median (capture);
  median = prof_format_seconds (clean.median.median);
  interval = prof_format_interval (clean.median.low, clean.median.high);
  p95 = prof_format_seconds (clean.p95);
  g_string_append_c (to, '\n');
  if (n > 0)
    g_string_append_printf (to, "clean runs        %s (%s%s), p95 %s, n = %u; stopped: %s\n",
                            median, prof_interval_is_known (&clean.median) ? "95 %: " : "",
                            interval, p95, clean.n, stop ? hyb_one_line (stop) : "–");
  append_device (to, capture);
  append_disturbance (to, capture, &disturbance);
  if (n_first > 0)
    {
      once = prof_format_seconds (first[0]);
      g_string_append_printf (to, "first run         %s\n", once);
    }
  if (summary->n_runs > 0 && n == 0)
    g_string_append_printf (to, "traced runs       %u, by another program\n", summary->n_runs);
  else if (summary->n_runs > 0)
    g_string_append_printf (to, "traced runs       %u, %u of them disturbed, ×%.2f of clean%s\n",
                            summary->n_runs, summary->n_disturbed,
                            summary->traced / clean.median.median,
                            summary->traced > 1.1 * clean.median.median
                                ? ": trust shares, not absolute times"
                                : "");
}

/* The FLOP of a run, which are the same in all forms of a model.  Recomputation in a backward pass is
 * not. */
static void
append_work (GString *to, const ProfCapture *capture)
{
  ProfClassTimes   times;
  g_autofree char *work = NULL, *again = NULL;

  prof_class_times_init (&times, capture);
  work = prof_format_quantity (times.flops);
  again = prof_format_quantity (times.repeated);
  if (times.flops > 0)
    g_string_append_printf (to, "work              %s FLOP", work);
  if (times.flops > 0 && times.repeated > 0)
    g_string_append_printf (to, ", and %s of the forward pass again in the backward pass", again);
  if (times.flops > 0)
    g_string_append_c (to, '\n');
  prof_class_times_clear (&times);
}

/* Values that a plan computed once and keeps. */
static void
append_folded (GString *to, const ProfCapture *capture)
{
  double           bytes = prof_capture_get_number (capture, PROF_FOLDED_BYTES_KEY);
  g_autofree char *kept = prof_format_bytes (bytes);

  if (isfinite (bytes))
    g_string_append_printf (to, "computed once     kept in %s besides the parameters\n", kept);
}

static void
append_memory (GString *to, const ProfCapture *capture)
{
  g_autofree char *planned =
      prof_format_bytes (prof_capture_get_number (capture, "memory.planned"));
  g_autofree char *resident =
      prof_format_bytes (prof_capture_get_number (capture, "memory.resident"));

  if (!isfinite (prof_capture_get_number (capture, "memory.planned")))
    return;
  g_string_append_printf (to,
                          "memory            planned %s, an upper bound of the memory touched; the "
                          "process held at most %s\n",
                          planned, resident);
  append_folded (to, capture);
}

static void
append_counters (GString *to, const ProfCapture *capture)
{
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);
  const char *missing = prof_capture_get_text (capture, "counters.missing");

  for (guint i = 0; i < prof_facts_n (facts); i++)
    {
      const ProfFact *fact = prof_facts_get (facts, i);

      if (fact->text || !g_str_has_prefix (fact->key, "counter."))
        continue;
      append_padded (to, fact->key + strlen ("counter."), 20);
      append_right (to, prof_format_count (fact->key, fact->number), 0);
      g_string_append (to, " a run\n");
    }
  if (missing)
    g_string_append_printf (to, "%s.\n", missing);
}

static void
append_count (GString *to, double count)
{
  append_right (to, g_strdup_printf (count == floor (count) ? "%.0f" : "%.2f", count), 7);
}

/* The beginning of a row: name, self time and its share of a traced run. */
static void
append_share (GString *to, const char *label, double count, double self, double share)
{
  g_autofree char *name = shorten (*label ? hyb_one_line (label) : "(none)", NAME_WIDTH);

  append_padded (to, name, NAME_WIDTH);
  if (count > 0)
    append_count (to, count);
  else
    g_string_append (to, "       ");
  append_right (to, prof_format_seconds (self), 11);
  append_right (to, isfinite (share) ? g_strdup_printf ("%.1f %%", 100 * share) : g_strdup ("–"),
                8);
}

/* The end of every table of shares: the time outside of nodes, and the whole. */
static void
append_rest (GString *to, const ProfSummary *summary)
{
  ProfGroupSum rest[PROF_MAX_REST];
  guint        n = prof_summary_rest (summary, rest);

  for (guint i = 0; i < n; i++)
    {
      append_share (to, rest[i].name, 0, rest[i].self, rest[i].share);
      g_string_append_c (to, '\n');
    }
  append_share (to, "a traced run", 0, summary->traced, 1);
  g_string_append_c (to, '\n');
}

static void
append_groups (GString *to, const char *title, const ProfSummary *summary, const GArray *groups)
{
  double self = 0, share = 0;

  if (groups->len == 0)
    return;
  g_string_append_c (to, '\n');
  append_padded (to, title, NAME_WIDTH);
  g_string_append (to, "  calls       self  share     FLOP/s     byte/s  allocated\n");
  for (guint i = 0; i < groups->len; i++)
    {
      const ProfGroupSum *sum = &g_array_index (groups, ProfGroupSum, i);

      if (i >= MAX_ROWS)
        {
          self += sum->self;
          share += sum->share;
          continue;
        }
      append_share (to, sum->name, sum->count, sum->self, sum->share);
      append_right (to, prof_format_quantity (sum->self > 0 ? sum->flops / sum->self : NAN), 10);
      append_right (to, prof_format_quantity (sum->self > 0 ? sum->bytes / sum->self : NAN), 11);
      append_right (to, prof_format_bytes (sum->allocated), 11);
      g_string_append_c (to, '\n');
    }
  if (groups->len > MAX_ROWS)
    {
      g_autofree char *label = g_strdup_printf ("… and %u more", groups->len - MAX_ROWS);

      append_share (to, label, 0, self, share);
      g_string_append_c (to, '\n');
    }
  append_rest (to, summary);
}

static void
append_nodes (GString *to, const ProfCapture *capture, const ProfSummary *summary)
{
  double self = 0;

  if (summary->node->len == 0)
    return;
  g_string_append_c (to, '\n');
  append_padded (to, "node", NAME_WIDTH);
  g_string_append (to,
                   "  calls       self  share     FLOP/s  allocated  operator, inputs; kernel\n");
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);
      const char        *kernel = prof_capture_find_kernel (capture, sum->row);

      if (i >= MAX_ROWS)
        {
          self += sum->self;
          continue;
        }
      append_share (to, prof_capture_get_string (capture, node->name), sum->count, sum->self,
                    sum->self / summary->traced);
      append_right (to, prof_format_quantity (prof_node_rate (node, sum)), 10);
      append_right (to, prof_format_bytes (sum->allocated), 11);
      g_string_append_printf (to, "  %s %s%s%s\n",
                              hyb_one_line (prof_capture_get_string (capture, node->type)),
                              hyb_one_line (sum->inputs), *kernel ? "; " : "",
                              hyb_one_line (kernel));
    }
  if (summary->node->len > MAX_ROWS)
    {
      g_autofree char *label = g_strdup_printf ("… and %u more", summary->node->len - MAX_ROWS);

      append_share (to, label, 0, self, self / summary->traced);
      g_string_append_c (to, '\n');
    }
  append_rest (to, summary);
}

static void
append_totals (GString *to, const ProfCapture *capture, const ProfSummary *summary)
{
  double           per_span = prof_capture_get_number (capture, "trace.overhead_ns");
  g_autofree char *overhead = prof_format_seconds (summary->overhead);
  g_autofree char *interpreter = prof_format_seconds (summary->interpreter);
  g_autofree char *low = prof_format_seconds (summary->interpreter_low);
  g_autofree char *high = prof_format_seconds (summary->interpreter_high);
  g_autofree char *relation = prof_summary_relation (summary);

  if (summary->n_runs == 0 && !relation)
    return;
  g_string_append_c (to, '\n');
  if (isfinite (summary->noise))
    {
      append_share (to, "noise: traced − clean − recording", 0, summary->noise,
                    summary->noise / summary->traced);
      g_string_append_c (to, '\n');
    }
  if (relation)
    g_string_append_printf (to, "%s\n", relation);
  if (isfinite (summary->interpreter))
    g_string_append_printf (to, "between nodes, in exact runs: %s (%s … %s)\n", interpreter, low,
                            high);
  if (isfinite (per_span) && summary->n_runs > 0 && !summary->is_of_device)
    g_string_append_printf (to, "recording: %.0f spans a run at %.0f ns each = %s\n",
                            summary->n_spans, per_span, overhead);
}

static void
append_gradients (GString *to, const ProfCapture *capture)
{
  g_autoptr (GArray) list = prof_gradients (capture);

  for (guint i = 0; i < MIN (list->len, MAX_ROWS); i++)
    {
      const ProfGradient *gradient = &g_array_index (list, ProfGradient, i);

      if (i == 0)
        g_string_append (to, "\ngradient ready after\n");
      append_padded (to, hyb_one_line (gradient->name), NAME_WIDTH);
      append_right (to, prof_format_seconds (gradient->seconds), 11);
      g_string_append_c (to, '\n');
    }
}

static void
append_warnings (GString *to, const ProfCapture *capture)
{
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);
  g_auto (GStrv) warnings = prof_machine_warnings (facts);

  for (guint i = 0; warnings[i]; i++)
    g_string_append_printf (to, "%s%s\n", i == 0 ? "\n" : "", hyb_one_line (warnings[i]));
}

static void
append_advice (GString *to, const ProfCapture *capture, const ProfSummary *summary)
{
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);

  for (guint i = 0; i < list->len; i++)
    {
      const ProfAdvice *advice = list->pdata[i];
      g_autofree char  *gain = prof_advice_gain (advice);

      g_string_append_printf (to, "%s%s: %s. %s%s.\n", i == 0 ? "\n" : "", advice->rule,
                              hyb_one_line (advice->trigger), hyb_one_line (advice->text), gain);
    }
}

char *
prof_report_text (const ProfCapture *capture, const ProfSummary *summary)
{
  GString *text = g_string_new (NULL);

  append_conditions (text, capture);
  append_clean (text, capture, summary);
  append_work (text, capture);
  append_memory (text, capture);
  append_counters (text, capture);
  append_groups (text, "operator", summary, summary->operators);
  append_groups (text, "scope", summary, summary->scope);
  append_nodes (text, capture, summary);
  prof_report_origins (text, capture, summary);
  append_gradients (text, capture);
  append_totals (text, capture, summary);
  append_advice (text, capture, summary);
  append_warnings (text, capture);
  return g_string_free (text, FALSE);
}
