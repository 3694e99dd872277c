/* compare-curves.c — how times grow with the batch, the length or the units, over several groups.
 *
 * find_families() collects the groups that differ in one size only; text, JSON and charts are
 * made from families.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-curves.h"

#include "app/command/compare/compare-group.h"
#include "profiler/base/format.h"
#include "viz/paint/chart.h"

#include <math.h>
#include <string.h>

#define CHART_HEIGHT 240.0
#define NAME_WIDTH   32 /* characters, as below */
#define COLUMN_WIDTH 20

typedef enum
{
  OVER_BATCH,
  OVER_LENGTH,
  OVER_HIDDEN,
  N_AXES,
} Axis;

static const char *const axis_names[N_AXES] = { "batch", "length", "hidden" };

/* Groups that differ in one size only. */
typedef struct
{
  Axis       axis;
  GPtrArray *groups; /* of ScopeGroup, by increasing size; not owned */
} Family;

/* One candidate's numbers, by group of the family. */
typedef struct
{
  double *median, *low, *high;            /* seconds */
  double *ratio, *ratio_low, *ratio_high; /* baseline over candidate: 2 is twice as fast */
  double *bytes;
} Series;

/* --- Families --- */

static void
family_free (gpointer data)
{
  Family *family = data;

  g_ptr_array_unref (family->groups);
  g_free (family);
}

/* The member of a group that an axis stands for. */
static gint64 *
size_member (ScopeGroup *group, Axis axis)
{
  gint64 *const members[N_AXES] = { &group->batch, &group->length, &group->hidden };

  return members[axis];
}

static gint64
size_of (ScopeGroup *group, Axis axis)
{
  return *size_member (group, axis);
}

static int
compare_sizes (gconstpointer a, gconstpointer b, gpointer axis)
{
  gint64 x = size_of (*(ScopeGroup *const *) a, GPOINTER_TO_UINT (axis));
  gint64 y = size_of (*(ScopeGroup *const *) b, GPOINTER_TO_UINT (axis));

  return (x > y) - (x < y);
}

/* A GPU may have left some out of one of them. */
static gboolean
has_same_candidates (const ScopeGroup *a, const ScopeGroup *b)
{
  if (a->candidates->len != b->candidates->len)
    return FALSE;
  for (guint i = 0; i < a->candidates->len; i++)
    if (!scope_candidate_is_like (a->candidates->pdata[i], b->candidates->pdata[i]))
      return FALSE;
  return TRUE;
}

static gboolean
is_same_family (ScopeGroup *a, ScopeGroup *b, Axis axis)
{
  for (guint other = 0; other < N_AXES; other++)
    if (other != axis && size_of (a, other) != size_of (b, other))
      return FALSE;
  return scope_group_is_measured (b) && has_same_candidates (a, b) &&
         g_strcmp0 (a->cell, b->cell) == 0 && a->backward == b->backward;
}

/* Adds the family of group number index, unless an earlier group has added it. */
static void
add_family (GPtrArray *families, const GPtrArray *groups, guint index, Axis axis)
{
  ScopeGroup *first = groups->pdata[index];
  Family     *family = g_new0 (Family, 1);

  family->axis = axis;
  family->groups = g_ptr_array_new ();
  for (guint i = 0; i < groups->len; i++)
    if (size_of (groups->pdata[i], axis) > 0 && is_same_family (first, groups->pdata[i], axis))
      g_ptr_array_add (family->groups, groups->pdata[i]);
  if (family->groups->len < 2 || family->groups->pdata[0] != first)
    {
      family_free (family);
      return;
    }
  g_ptr_array_sort_with_data (family->groups, compare_sizes, GUINT_TO_POINTER (axis));
  g_ptr_array_add (families, family);
}

static GPtrArray *
find_families (const GPtrArray *groups)
{
  GPtrArray *families = g_ptr_array_new_with_free_func (family_free);

  for (guint axis = 0; axis < N_AXES; axis++)
    for (guint i = 0; i < groups->len; i++)
      add_family (families, groups, i, axis);
  return families;
}

static const char *
axis_of (const Family *family)
{
  return axis_names[family->axis];
}

/* Title of the family: a group's title without the size that differs. */
static char *
dup_title (const Family *family)
{
  ScopeGroup shown = *(const ScopeGroup *) family->groups->pdata[0];

  *size_member (&shown, family->axis) = 0;
  return scope_group_dup_title (&shown);
}

/* --- Numbers --- */

static void
series_clear (Series *series)
{
  g_free (series->median);
  g_free (series->low);
  g_free (series->high);
  g_free (series->ratio);
  g_free (series->ratio_low);
  g_free (series->ratio_high);
  g_free (series->bytes);
}

static guint
n_candidates (const Family *family)
{
  guint n = G_MAXUINT;

  for (guint i = 0; i < family->groups->len; i++)
    n = MIN (n, ((ScopeGroup *) family->groups->pdata[i])->candidates->len);
  return n;
}

/* All groups have the same candidates in the same order, as they come from the same options. */
static void
fill_series (const Family *family, guint index, Series *series)
{
  guint n = family->groups->len;

  *series = (Series){ g_new (double, n), g_new (double, n), g_new (double, n), g_new (double, n),
                      g_new (double, n), g_new (double, n), g_new (double, n) };
  for (guint i = 0; i < n; i++)
    {
      const ScopeGroup     *group = family->groups->pdata[i];
      const ScopeCandidate *first = group->candidates->pdata[0];
      const ScopeCandidate *candidate = group->candidates->pdata[index];
      ProfPairing           pairing;

      scope_group_pair (group, first, candidate, &pairing);
      series->median[i] = candidate->clean.median.median;
      series->low[i] = candidate->clean.median.low;
      series->high[i] = candidate->clean.median.high;
      series->bytes[i] = candidate->peak_bytes;
      series->ratio[i] = pairing.ratio.median;
      series->ratio_low[i] = pairing.ratio.low;
      series->ratio_high[i] = pairing.ratio.high;
    }
}

/* --- What is said --- */

/* "1.20 ms  +25%", or without a speed-up as wide.  (transfer full) */
static char *
dup_cell (const Series *series, guint index, gboolean is_first)
{
  g_autofree char *time = prof_format_seconds (series->median[index]);

  if (is_first)
    return g_strdup_printf ("%s       ", time);
  if (isnan (series->ratio_low[index]))
    return g_strdup_printf ("%s      –", time);
  return g_strdup_printf ("%s %+5.0f%%", time, 100 * (series->ratio[index] - 1));
}

static void
add_row (ScopeTable *table, const Family *family, guint index)
{
  const ScopeGroup *group = family->groups->pdata[0];
  Series            series;

  fill_series (family, index, &series);
  scope_table_add (table, scope_candidate_dup_name (group->candidates->pdata[index]), FALSE);
  for (guint i = 0; i < family->groups->len; i++)
    scope_table_add (table, dup_cell (&series, i, index == 0), FALSE);
  series_clear (&series);
}

/* An empty table with a column for each size. */
static ScopeTable *
add_table (ScopeSaid *said, const Family *family)
{
  guint                        n = family->groups->len;
  g_autofree ScopeTableColumn *columns = g_new0 (ScopeTableColumn, n + 1);
  g_auto (GStrv) sizes = g_new0 (char *, n + 1);
  ScopeTable *table;

  columns[0] = (ScopeTableColumn){ .title = axis_of (family), .width = NAME_WIDTH };
  for (guint i = 0; i < n; i++)
    {
      sizes[i] = g_strdup_printf ("%" G_GINT64_FORMAT "       ",
                                  size_of (family->groups->pdata[i], family->axis));
      columns[i + 1] =
          (ScopeTableColumn){ .title = sizes[i], .is_number = TRUE, .width = COLUMN_WIDTH };
    }
  table = scope_said_table (said, columns, n + 1);
  table->indent = 2;
  return table;
}

void
scope_curves_say (ScopeSaid *said, const GPtrArray *groups)
{
  g_autoptr (GPtrArray) families = find_families (groups);

  for (guint f = 0; f < families->len; f++)
    {
      const Family    *family = families->pdata[f];
      g_autofree char *place = dup_title (family);
      g_autofree char *line = g_strdup_printf ("by %s, %s: medians, and speed-up over the first",
                                               axis_of (family), place);
      ScopeTable      *table;

      scope_said_heading (said, NULL, line);
      table = add_table (said, family);
      for (guint c = 0; c < n_candidates (family); c++)
        add_row (table, family, c);
    }
}

/* --- JSON --- */

static void
describe_numbers (ScopeJson *json, const char *key, const double *values, guint n)
{
  scope_json_begin_list (json, key);
  for (guint i = 0; i < n; i++)
    scope_json_double (json, NULL, values[i]);
  scope_json_end (json);
}

static void
describe_series (ScopeJson *json, const Family *family, guint index)
{
  const ScopeGroup     *group = family->groups->pdata[0];
  const ScopeCandidate *candidate = group->candidates->pdata[index];
  guint                 n = family->groups->len;
  Series                series;

  fill_series (family, index, &series);
  scope_json_begin_object (json, NULL);
  scope_json_string (json, "variant", candidate->variant);
  scope_json_string (json, "mode", scope_mode_name (candidate->mode));
  scope_json_string (json, "device", candidate->device ? candidate->device : "cpu");
  describe_numbers (json, "median", series.median, n);
  describe_numbers (json, "low", series.low, n);
  describe_numbers (json, "high", series.high, n);
  describe_numbers (json, "ratio", series.ratio, n);
  describe_numbers (json, "peak_bytes", series.bytes, n);
  scope_json_end (json);
  series_clear (&series);
}

void
scope_curves_describe (ScopeJson *json, const GPtrArray *groups)
{
  g_autoptr (GPtrArray) families = find_families (groups);

  scope_json_begin_list (json, "curves");
  for (guint f = 0; f < families->len; f++)
    {
      const Family    *family = families->pdata[f];
      g_autofree char *place = dup_title (family);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "over", axis_of (family));
      scope_json_string (json, "at", place);
      scope_json_begin_list (json, "sizes");
      for (guint i = 0; i < family->groups->len; i++)
        scope_json_int (json, NULL, size_of (family->groups->pdata[i], family->axis));
      scope_json_end (json);
      scope_json_begin_list (json, "series");
      for (guint c = 0; c < n_candidates (family); c++)
        describe_series (json, family, c);
      scope_json_end (json);
      scope_json_end (json);
    }
  scope_json_end (json);
}

/* --- Charts --- */

typedef enum
{
  CHART_TIME,
  CHART_RATIO,
  CHART_MEMORY,
  N_CHARTS,
} ChartKind;

typedef struct
{
  guint         n, n_series;
  double       *sizes;
  Series       *series;
  char        **names;
  ChartKind     kind;
  VizCurveChart axes;
} Chart;

static void
chart_free (gpointer data)
{
  Chart *chart = data;

  for (guint c = 0; c < chart->n_series; c++)
    series_clear (&chart->series[c]);
  g_free (chart->series);
  g_strfreev (chart->names);
  g_free (chart->sizes);
  g_free (chart);
}

static char *
format_ratio (double value)
{
  return g_strdup_printf ("×%.3g", value);
}

static Chart *
chart_new (const Family *family, ChartKind kind)
{
  static char *(*const formats[N_CHARTS]) (double) = { prof_format_seconds, format_ratio,
                                                       prof_format_bytes };
  Chart            *chart = g_new0 (Chart, 1);
  const ScopeGroup *group = family->groups->pdata[0];

  chart->n = family->groups->len;
  chart->n_series = n_candidates (family);
  chart->sizes = g_new (double, chart->n);
  for (guint i = 0; i < chart->n; i++)
    chart->sizes[i] = (double) size_of (family->groups->pdata[i], family->axis);
  chart->series = g_new0 (Series, chart->n_series + 1);
  chart->names = g_new0 (char *, chart->n_series + 1);
  for (guint c = 0; c < chart->n_series; c++)
    {
      fill_series (family, c, &chart->series[c]);
      chart->names[c] = scope_candidate_dup_name (group->candidates->pdata[c]);
    }
  chart->kind = kind;
  chart->axes = (VizCurveChart){ .x = chart->sizes,
                                 .n_x = chart->n,
                                 .x_name = axis_of (family),
                                 .format = formats[kind],
                                 .is_logarithmic = kind != CHART_RATIO,
                                 .is_binary = kind == CHART_MEMORY,
                                 .mark = kind == CHART_RATIO ? 1 : NAN };
  return chart;
}

static void
draw_chart (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const Chart         *chart = data;
  g_autofree VizCurve *curves = g_new (VizCurve, chart->n_series + 1);
  VizCurveChart        axes;

  for (guint c = 0; c < chart->n_series; c++)
    {
      const Series *series = &chart->series[c];

      const double *const values[N_CHARTS] = { series->median, series->ratio, series->bytes };
      const double *const low[N_CHARTS] = { series->low, series->ratio_low };
      const double *const high[N_CHARTS] = { series->high, series->ratio_high };

      curves[c] =
          (VizCurve){ chart->names[c], values[chart->kind], low[chart->kind], high[chart->kind] };
    }
  axes = chart->axes;
  axes.curves = curves;
  axes.n_curves = chart->n_series;
  viz_chart_curves (pen, rect, theme, &axes);
}

void
scope_report_page_add_curves (ScopeReportPage *page,
                              const GPtrArray *groups,
                              guint            min_sizes,
                              guint            max_sizes)
{
  static const char *const titles[N_CHARTS] = { "Time of a run", "Speed-up over the first",
                                                "Memory" };
  g_autoptr (GPtrArray) families = find_families (groups);

  for (guint f = 0; f < families->len; f++)
    {
      const Family    *family = families->pdata[f];
      g_autofree char *place = dup_title (family);

      if (family->groups->len < min_sizes || family->groups->len > max_sizes)
        continue;
      for (guint kind = 0; kind < N_CHARTS; kind++)
        {
          g_autofree char *title =
              g_strdup_printf ("%s over the %s: %s", titles[kind], axis_of (family), place);

          if (kind == CHART_TIME || n_candidates (family) > 1)
            scope_report_page_add_chart (page, &(ScopeChart){ .title = title,
                                                              .height = CHART_HEIGHT,
                                                              .draw = draw_chart,
                                                              .data = chart_new (family, kind),
                                                              .destroy = chart_free });
        }
    }
}
