/* report-charts.c — bars, curves and tables of a capture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report-charts.h"

#include "app/command/report-bars.h"
#include "profiler/advise.h"
#include "profiler/difference.h"
#include "profiler/report.h"
#include "profiler/statistics.h"

#include <math.h>

#define MOST_BARS    20
#define CURVE_HEIGHT 140.0
#define STRIP_HEIGHT 46.0
#define N_BINS       40

/* --- Bars --- */

static void
add_groups (ScopePage *page, const char *title, const GArray *groups)
{
  ScopeBars *bars = scope_bars_new ();

  for (guint i = 0; i < MIN (groups->len, MOST_BARS); i++)
    {
      const ProfGroupSum *sum = &g_array_index (groups, ProfGroupSum, i);
      g_autofree char    *time = prof_format_seconds (sum->self);
      g_autofree char    *text =
          g_strdup_printf ("%s · %.1f %% · %.0f×", time, 100 * sum->share, sum->count);

      scope_bars_add (bars,
                      *sum->name ? sum->name : "(no scope)",
                      text,
                      sum->self,
                      sum->self,
                      sum->self,
                      scope_bars_category (sum->category));
    }
  scope_page_add_bars (page, title, bars);
}

static void
add_nodes (ScopePage *page, const ProfCapture *capture, const ProfSummary *summary)
{
  ScopeBars *bars = scope_bars_new ();

  for (guint i = 0; i < MIN (summary->node->len, MOST_BARS); i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);
      g_autofree char   *time = prof_format_seconds (sum->self);
      g_autofree char   *text =
          g_strdup_printf ("%s · %.1f %%", time, 100 * sum->self / summary->traced);

      scope_bars_add (bars,
                      prof_capture_get_string (capture, node->name),
                      text,
                      sum->self,
                      sum->low,
                      sum->high,
                      scope_bars_category (node->category));
    }
  scope_page_add_bars (page, "Nodes", bars);
}

/* --- Curves --- */

typedef struct
{
  guint   n;
  double *values;
  char   *low, *high; /* what the axes say */
} Curve;

static void
curve_free (gpointer data)
{
  Curve *curve = data;

  g_free (curve->values);
  g_free (curve->low);
  g_free (curve->high);
  g_free (curve);
}

static double
largest (const Curve *curve)
{
  double most = 0;

  for (guint i = 0; i < curve->n; i++)
    most = MAX (most, curve->values[i]);
  return most;
}

static void
write_label (VizPen *pen, const VizTheme *theme, double x, double y, double align, const char *text)
{
  VizTextAt at = { VIZ_TEXT_ROW, viz_text_size (VIZ_TEXT_ROW), x, y, align, theme->text_faint };

  pen->text (pen, &at, text);
}

/* A filled step curve; columns where several values share a pixel show the largest. */
static void
draw_curve (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const Curve        *curve = data;
  double              most = largest (curve), height = rect->height - 20;
  guint               n = MIN (curve->n, (guint) rect->width);
  g_autofree VizRect *columns = g_new (VizRect, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      guint from = (guint) ((guint64) i * curve->n / n),
            to = (guint) ((guint64) (i + 1) * curve->n / n);
      double value = 0;

      for (guint k = from; k < MAX (to, from + 1); k++)
        value = MAX (value, curve->values[k]);
      value = most > 0 ? value / most * height : 0;
      columns[i] = (VizRect){
        rect->x + i * rect->width / n, rect->y + height - value, rect->width / n, value
      };
    }
  if (n > 0)
    pen->rects (pen, columns, n, &theme->heat[2]);
  write_label (pen, theme, rect->x, rect->y + rect->height - 4, 0, curve->low);
  write_label (pen, theme, rect->x + rect->width, rect->y + rect->height - 4, 1, curve->high);
}

static void
add_memory (ScopePage *page, const ProfCapture *capture)
{
  const ProfMemoryPoint *points = prof_capture_get_memory (capture);
  Curve                 *curve;
  double                 most;

  if (prof_capture_n_memory (capture) < 2)
    return;
  curve = g_new0 (Curve, 1);
  curve->n = prof_capture_n_memory (capture);
  curve->values = g_new (double, curve->n);
  for (guint i = 0; i < curve->n; i++)
    curve->values[i] = (double) points[i].bytes;
  most = largest (curve);
  curve->high = prof_format_bytes (most);
  curve->low = g_strdup_printf ("%u steps of the plan; at most", curve->n);
  scope_page_add_chart (page,
                        "Memory in use while the plan runs",
                        CURVE_HEIGHT,
                        draw_curve,
                        curve,
                        curve_free);
}

/* How clean runs are spread: two heaps are two clock frequencies. */
static void
add_histogram (ScopePage *page, const ProfCapture *capture)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &n);
  ProfStatistics     statistics;
  Curve             *curve;

  prof_statistics (samples, n, &statistics);
  if (n < 5 || !(statistics.maximum > statistics.minimum))
    return;
  curve = g_new0 (Curve, 1);
  curve->n = N_BINS;
  curve->values = g_new0 (double, N_BINS);
  for (guint i = 0; i < n; i++)
    {
      double share = (samples[i] - statistics.minimum) / (statistics.maximum - statistics.minimum);

      curve->values[(guint) MIN (share * N_BINS, N_BINS - 1)]++;
    }
  curve->low = prof_format_seconds (statistics.minimum);
  curve->high = prof_format_seconds (statistics.maximum);
  scope_page_add_chart (page,
                        "Clean runs, from the fastest to the slowest",
                        CURVE_HEIGHT,
                        draw_curve,
                        curve,
                        curve_free);
}

static void
draw_strip (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const Curve *curve = data;

  viz_chart_heat_strip (pen, rect, theme, curve->values, curve->n);
}

static void
add_steps (ScopePage *page, const ProfSummary *summary)
{
  Curve *curve;
  double most;

  if (summary->step->len < 2)
    return;
  curve = g_new0 (Curve, 1);
  curve->n = summary->step->len;
  curve->values = g_new (double, curve->n);
  for (guint i = 0; i < curve->n; i++)
    curve->values[i] = g_array_index (summary->step, ProfStepSum, i).self;
  most = largest (curve);
  for (guint i = 0; i < curve->n; i++)
    curve->values[i] = most > 0 ? curve->values[i] / most : 0;
  scope_page_add_chart (page,
                        "Time steps: the darker, the longer",
                        STRIP_HEIGHT,
                        draw_strip,
                        curve,
                        curve_free);
}

/* --- Sentences --- */

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
add_conditions (ScopePage *page, const ProfCapture *capture)
{
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);
  g_auto (GStrv) warnings = prof_machine_warnings (facts);
  GString *html = g_string_new ("<table>");

  for (guint i = 0; i < prof_facts_n (facts); i++)
    {
      const ProfFact  *fact = prof_facts_get (facts, i);
      g_autofree char *number = fact->text ? NULL : g_strdup_printf ("%.6g", fact->number);

      append_row (html, fact->key, fact->text ? fact->text : number);
    }
  g_string_append (html, "</table>\n");
  for (guint i = 0; warnings[i]; i++)
    {
      g_string_append (html, "<p class=\"warn\">");
      scope_html_append (html, warnings[i]);
      g_string_append (html, "</p>\n");
    }
  scope_page_add_html (page, "Conditions", html);
}

static void
add_result (ScopePage *page, const ProfCapture *capture, const ProfSummary *summary)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &n);
  ProfStatistics     clean;
  GString           *html = g_string_new ("<table>");
  g_autofree char   *median = NULL, *range = NULL, *low = NULL, *high = NULL, *badge = NULL;

  prof_statistics (samples, n, &clean);
  median = prof_format_seconds (clean.median.median);
  low = prof_format_seconds (clean.median.low);
  high = prof_format_seconds (clean.median.high);
  range = g_strdup_printf ("%s … %s (95 %%), n = %u", low, high, clean.n);
  badge = g_strdup_printf ("×%.2f", summary->traced / clean.median.median);
  append_row (html, "clean median", median);
  append_row (html, "of the median", range);
  append_row (html, "traced over clean", badge);
  g_string_append (html, "</table>\n");
  scope_page_add_html (page, "Result", html);
}

static void
add_advice (ScopePage *page, const ProfCapture *capture, const ProfSummary *summary)
{
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);
  GString *html;

  if (list->len == 0)
    return;
  html = g_string_new ("<ul>");
  for (guint i = 0; i < list->len; i++)
    {
      const ProfAdvice *advice = list->pdata[i];
      g_autofree char  *gain = prof_format_seconds (advice->gain);

      g_string_append_printf (html, "<li><b>%s</b>: ", advice->rule);
      scope_html_append (html, advice->trigger);
      g_string_append (html, ". ");
      scope_html_append (html, advice->text);
      if (isfinite (advice->gain))
        g_string_append_printf (html, " (about %s a run)", gain);
      g_string_append (html, ".</li>\n");
    }
  g_string_append (html, "</ul>\n");
  scope_page_add_html (page, "Advice", html);
}

void
scope_report_add_capture (ScopePage *page, const ProfCapture *capture)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);

  add_result (page, capture, summary);
  add_advice (page, capture, summary);
  add_groups (page, "Operators", summary->operators);
  add_groups (page, "Scopes", summary->scope);
  add_nodes (page, capture, summary);
  add_steps (page, summary);
  add_memory (page, capture);
  add_histogram (page, capture);
  add_conditions (page, capture);
}

/* --- Differences --- */

void
scope_report_add_difference (ScopePage *page, const ProfCapture *a, const ProfCapture *b)
{
  g_autoptr (GArray) list = prof_difference (a, b);
  GString *html = g_string_new (
      "<table><tr><th>node</th><th>A</th><th>B</th><th>B over A</th><th>verdict</th></tr>\n");

  for (guint i = 0; i < MIN (list->len, 5 * MOST_BARS); i++)
    {
      const ProfDifference *difference = &g_array_index (list, ProfDifference, i);
      g_autofree char      *of_a = prof_format_seconds (difference->a);
      g_autofree char      *of_b = prof_format_seconds (difference->b);

      g_string_append (html, "<tr><td>");
      scope_html_append (html, difference->name);
      g_string_append_printf (html,
                              "</td><td>%s</td><td>%s</td><td>%.3f (%.3f … "
                              "%.3f)</td><td>%s</td></tr>\n",
                              of_a,
                              of_b,
                              difference->pairing.ratio.median,
                              difference->pairing.ratio.low,
                              difference->pairing.ratio.high,
                              prof_verdict_name (difference->pairing.verdict));
    }
  g_string_append (html, "</table>\n");
  scope_page_add_html (page, "Differences, largest first", html);
}

/* --- Comparisons --- */

void
scope_report_add_group (ScopePage             *page,
                        const ScopeGroup      *group,
                        const ProfExplanation *explanation)
{
  g_autofree char      *title = scope_group_dup_title (group);
  ScopeBars            *bars = scope_bars_new ();
  ScopeCandidate       *slow, *fast;
  const ScopeCandidate *first = group->candidates->len > 0 ? group->candidates->pdata[0] : NULL;

  for (guint i = 0; i < group->candidates->len; i++)
    {
      const ScopeCandidate *candidate = group->candidates->pdata[i];
      g_autofree char      *name = scope_candidate_dup_name (candidate);
      g_autofree char      *time = prof_format_seconds (candidate->clean.median.median);
      g_autofree char      *memory = prof_format_bytes (candidate->peak_bytes);
      g_autofree char      *text =
          g_strdup_printf ("%s · %+.0f %% · %s",
                           time,
                           100 * (first->clean.median.median / candidate->clean.median.median - 1),
                           memory);

      scope_bars_add (bars,
                      name,
                      text,
                      candidate->clean.median.median,
                      candidate->clean.median.low,
                      candidate->clean.median.high,
                      viz_chart_hue (i));
    }
  scope_page_add_bars (page, title, bars);
  if (explanation && scope_group_extremes (group, &slow, &fast))
    {
      g_autofree char *from = scope_candidate_dup_name (slow);
      g_autofree char *to = scope_candidate_dup_name (fast);
      g_autofree char *reason = scope_explanation_dup_reason (explanation);
      g_autofree char *why =
          g_strdup_printf ("%s: why “%s” beats “%s”: %s", title, to, from, reason);

      scope_page_add_waterfall (page,
                                why,
                                from,
                                slow->clean.median.median,
                                to,
                                fast->clean.median.median,
                                explanation);
      scope_page_add_rungs (page, explanation);
    }
}

void
scope_report_add_ladder (ScopePage             *page,
                         const ProfLadder      *ladder,
                         const ProfExplanation *explanation)
{
  ScopeBars      *bars = scope_bars_new ();
  const ProfRung *first = ladder->rungs->pdata[0];
  const ProfRung *last = ladder->rungs->pdata[ladder->rungs->len - 1];

  for (guint i = 0; i < ladder->rungs->len; i++)
    {
      const ProfRung  *rung = ladder->rungs->pdata[i];
      g_autofree char *time = prof_format_seconds (rung->seconds);
      g_autofree char *saved = prof_format_seconds (-rung->saved);
      g_autofree char *text = i == 0 ? g_strdup (time)
                                     : g_strdup_printf ("%s · %s%s · %s",
                                                        time,
                                                        rung->saved < 0 ? "+" : "",
                                                        saved,
                                                        prof_verdict_name (rung->verdict));

      scope_bars_add (bars,
                      rung->name,
                      text,
                      rung->seconds,
                      rung->seconds,
                      rung->seconds,
                      viz_chart_hue (0));
    }
  scope_page_add_bars (page, "The ladder: one switch of the engine after the other", bars);
  if (!explanation)
    return;
  scope_page_add_waterfall (page,
                            "What the ladder saves, by kind of work",
                            first->name,
                            first->seconds,
                            last->name,
                            last->seconds,
                            explanation);
  scope_page_add_rungs (page, explanation);
}
