/* compare-curves.c — how times grow with the batch, the length or the units, over several groups.
 *
 * find_families() collects the groups that differ in one size only; text, JSON and charts are
 * made from families.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-curves.h"

#include "app/adapt/said-curves.h"
#include "app/command/compare/compare-group.h"
#include "profiler/base/format.h"

#include <math.h>
#include <string.h>

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

/* A candidate's numbers in a group.  Ratios are of the baseline's time to the candidate's: 2 is twice as fast. */
typedef enum
{
  MEDIAN, /* seconds, as the next two */
  LOW,
  HIGH,
  RATIO,
  RATIO_LOW,
  RATIO_HIGH,
  BYTES,
  N_QUANTITIES,
} Quantity;

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

static guint
n_candidates (const Family *family)
{
  guint n = G_MAXUINT;

  for (guint i = 0; i < family->groups->len; i++)
    n = MIN (n, ((ScopeGroup *) family->groups->pdata[i])->candidates->len);
  return n;
}

static void
read_numbers (const ScopeGroup *group, guint index, double numbers[N_QUANTITIES])
{
  const ScopeCandidate *candidate = group->candidates->pdata[index];
  const ProfInterval   *time = &candidate->clean.median;
  ProfPairing           pairing;

  scope_group_pair (group, group->candidates->pdata[0], candidate, &pairing);
  numbers[MEDIAN] = time->median;
  numbers[LOW] = time->low;
  numbers[HIGH] = time->high;
  numbers[RATIO] = pairing.ratio.median;
  numbers[RATIO_LOW] = pairing.ratio.low;
  numbers[RATIO_HIGH] = pairing.ratio.high;
  numbers[BYTES] = candidate->peak_bytes;
}

/* The numbers of a candidate, by group.  All groups have the same candidates in the same order, as they come from the same
 * options.  (transfer full) */
static double (*list_numbers (const Family *family, guint index))[N_QUANTITIES]
{
  double (*numbers)[N_QUANTITIES] = g_malloc_n (family->groups->len, sizeof *numbers);

  for (guint i = 0; i < family->groups->len; i++)
    read_numbers (family->groups->pdata[i], index, numbers[i]);
  return numbers;
}

/* --- The table --- */

/* "1.20 ms  +25%", or without a speed-up as wide.  (transfer full) */
static char *
dup_cell (const double numbers[N_QUANTITIES], gboolean is_first)
{
  g_autofree char *time = prof_format_seconds (numbers[MEDIAN]);

  if (is_first)
    return g_strdup_printf ("%s       ", time);
  if (isnan (numbers[RATIO_LOW]))
    return g_strdup_printf ("%s      –", time);
  return g_strdup_printf ("%s %+5.0f%%", time, 100 * (numbers[RATIO] - 1));
}

static void
add_row (ScopeTable *table, const Family *family, guint index)
{
  const ScopeGroup *first = family->groups->pdata[0];

  scope_table_add (table, scope_candidate_dup_name (first->candidates->pdata[index]), FALSE);
  for (guint i = 0; i < family->groups->len; i++)
    {
      double numbers[N_QUANTITIES];

      read_numbers (family->groups->pdata[i], index, numbers);
      scope_table_add (table, dup_cell (numbers, index == 0), FALSE);
    }
}

/* Times and speed-ups with a column for each size. */
static void
add_table (ScopeFigure *figure, const Family *family)
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
  table = scope_figure_add_table (figure, columns, n + 1);
  table->indent = 2;
  for (guint c = 0; c < n_candidates (family); c++)
    add_row (table, family, c);
}

/* --- Charts --- */

static char *
format_ratio (double value)
{
  return g_strdup_printf ("×%.3g", value);
}

typedef struct
{
  const char *title;
  Quantity    value, low, high;
  char *(*format) (double value);
  gboolean is_linear, is_binary;
  double   mark;
} Chart;

static const Chart charts[] = {
  { "Time of a run", MEDIAN, LOW, HIGH, prof_format_seconds, FALSE, FALSE, NAN },
  { "Speed-up over the first", RATIO, RATIO_LOW, RATIO_HIGH, format_ratio, TRUE, FALSE, 1 },
  { "Memory", BYTES, BYTES, BYTES, prof_format_bytes, FALSE, TRUE, NAN },
};

static VizCurveTable *
make_curves (const Family *family, const Chart *chart)
{
  const ScopeGroup *first = family->groups->pdata[0];
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (ScopePoint));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  VizCurveTable *curves;

  for (guint c = 0; c < n_candidates (family); c++)
    {
      g_autofree double (*numbers)[N_QUANTITIES] = list_numbers (family, c);
      char *name = scope_candidate_dup_name (first->candidates->pdata[c]);

      g_ptr_array_add (names, name);
      for (guint i = 0; i < family->groups->len; i++)
        {
          ScopePoint point = { name,
                               name,
                               (double) size_of (family->groups->pdata[i], family->axis),
                               numbers[i][chart->value],
                               numbers[i][chart->low],
                               numbers[i][chart->high] };

          g_array_append_val (points, point);
        }
    }
  curves = scope_curves_new (points, axis_of (family), chart->format);
  if (!curves)
    return NULL;
  curves->is_linear = chart->is_linear;
  curves->is_binary = chart->is_binary;
  curves->mark = chart->mark;
  return curves;
}

/* All charts of a family; the first one has the table. */
static void
say_family (ScopeSaid *said, const Family *family)
{
  g_autofree char *place = dup_title (family);
  g_autofree char *line =
      g_strdup_printf ("by %s, %s: medians, and speed-up over the first", axis_of (family), place);

  scope_said_heading (said, NULL, line);
  for (guint i = 0; i < (n_candidates (family) > 1 ? G_N_ELEMENTS (charts) : 1); i++)
    {
      g_autofree char *title =
          g_strdup_printf ("%s over the %s: %s", charts[i].title, axis_of (family), place);
      ScopeFigure *figure =
          scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_curves,
                                                   .title = title,
                                                   .is_on_pages = i > 0 });

      figure->curves = make_curves (family, &charts[i]);
      if (i == 0)
        add_table (figure, family);
    }
}

void
scope_curves_say (ScopeSaid *said, const GPtrArray *groups, guint min_sizes, guint max_sizes)
{
  g_autoptr (GPtrArray) families = find_families (groups);

  for (guint f = 0; f < families->len; f++)
    {
      const Family *family = families->pdata[f];

      if (family->groups->len >= min_sizes && family->groups->len <= max_sizes)
        say_family (said, family);
    }
}

/* --- JSON --- */

static void
describe_series (ScopeJson *json, const Family *family, guint index)
{
  static const struct
  {
    const char *key;
    Quantity    quantity;
  } lists[] = { { "median", MEDIAN },
                { "low", LOW },
                { "high", HIGH },
                { "ratio", RATIO },
                { "peak_bytes", BYTES } };
  const ScopeGroup     *group = family->groups->pdata[0];
  const ScopeCandidate *candidate = group->candidates->pdata[index];
  g_autofree double (*numbers)[N_QUANTITIES] = list_numbers (family, index);

  scope_json_begin_object (json, NULL);
  scope_json_string (json, "variant", candidate->variant);
  scope_json_string (json, "mode", scope_mode_name (candidate->mode));
  scope_json_string (json, "device", candidate->device ? candidate->device : "cpu");
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      scope_json_begin_list (json, lists[i].key);
      for (guint k = 0; k < family->groups->len; k++)
        scope_json_double (json, NULL, numbers[k][lists[i].quantity]);
      scope_json_end (json);
    }
  scope_json_end (json);
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
