/* compare-explanation.c — where the difference between two forms comes from, as a waterfall.
 *
 * The bars lead from the slower form to the faster one.  Start reading with
 * scope_compare_explanation_append().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-explanation.h"

#include "app/compare/compare-cells.h"
#include "app/compare/compare-curves.h"
#include "app/process/json-fields.h"
#include "app/widgets/label.h"
#include "app/widgets/theme.h"
#include "app/widgets/tooltip.h"
#include "profiler/base/format.h"
#include "viz/paint/chart.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

/* Names of buckets as hscope writes them, listed for the translation. */
static const char *const words[] G_GNUC_UNUSED = {
  N_ ("host and dispatch"), N_ ("gemm batching"), N_ ("pointwise fusion"),
  N_ ("data movement"),     N_ ("overlap"),       N_ ("memory"),
};

/* The pair with its slower cell as a. */
static ScopeComparedPair
order (const ScopeComparedPair *pair)
{
  ScopeComparedPair ordered = *pair;

  if (scope_json_get_number (pair->a, "median") < scope_json_get_number (pair->b, "median"))
    {
      ordered.a = pair->b;
      ordered.b = pair->a;
    }
  return ordered;
}

/* --- The waterfall --- */

static VizBar
bar_of (const char *label, double value, gboolean is_total, GPtrArray *texts)
{
  VizBar bar = { .label = label, .value = value, .is_total = is_total };

  bar.text = prof_format_seconds (value);
  g_ptr_array_add (texts, (gpointer) bar.text);
  bar.category = VIZ_CATEGORY_LINEAR;
  return bar;
}

static void
append_total (GArray *bars, const ScopeComparedPair *pair, const cJSON *cell, GPtrArray *texts)
{
  char  *title = scope_cell_dup_title (cell, pair->result);
  VizBar bar = bar_of (title, scope_json_get_number (cell, "median"), TRUE, texts);

  g_ptr_array_add (texts, title);
  g_array_append_val (bars, bar);
}

/* The slow form, what each bucket saves, the fast form. */
static GArray *
list_bars (const ScopeComparedPair *pair, GPtrArray *texts)
{
  GArray      *bars = g_array_new (FALSE, TRUE, sizeof (VizBar));
  const cJSON *explanation = scope_pair_find_explanation (pair->result, pair->a, pair->b), *bucket;
  VizBar       bar;

  append_total (bars, pair, pair->a, texts);
  cJSON_ArrayForEach (bucket, cJSON_GetObjectItemCaseSensitive (explanation, "buckets"))
  {
    double seconds = scope_json_get_number (bucket, "seconds");

    if (!isfinite (seconds) || seconds == 0)
      continue;
    bar = bar_of (gettext (scope_json_get_text (bucket, "name")), -seconds, FALSE, texts);
    bar.is_unclear =
        scope_json_get_number (bucket, "low") <= 0 && scope_json_get_number (bucket, "high") >= 0;
    g_array_append_val (bars, bar);
  }
  bar =
      bar_of (_ ("unexplained"), -scope_json_get_number (explanation, "unexplained"), FALSE, texts);
  bar.is_unclear = TRUE;
  if (isfinite (bar.value) && bar.value != 0)
    g_array_append_val (bars, bar);
  append_total (bars, pair, pair->b, texts);
  return bars;
}

static void
draw_waterfall (GtkDrawingArea *area,
                cairo_t        *cr,
                int             width,
                int             height,
                gpointer data   G_GNUC_UNUSED)
{
  const VizTheme *theme = scope_theme_get ();
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) bars = list_bars (g_object_get_data (G_OBJECT (area), "pair"), texts);
  VizRect rect = { 0, 0, width, height };
  VizPen *pen = viz_pen_new_cairo (cr, NULL);

  viz_chart_waterfall (pen, &rect, theme, (const VizBar *) (gpointer) bars->data, bars->len);
  viz_pen_free (pen);
}

static GtkWidget *
new_waterfall (const ScopeComparedPair *pair)
{
  GtkWidget *area =
      scope_compare_chart_new ("compare-waterfall", _ ("Parts of the difference"), draw_waterfall);

  g_object_set_data_full (G_OBJECT (area), "pair", g_memdup2 (pair, sizeof *pair), g_free);
  return area;
}

/* --- How it was measured --- */

static GtkWidget *
new_row (const char *name, const char *value, const char *hint)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = scope_label_new (name, NULL), *right = scope_label_new (value, "numeric");

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), right);
  scope_tooltip_set (row, hint);
  return row;
}

static GtkBox *
add_expander (GtkBox *box, const char *title)
{
  GtkWidget *expander = gtk_expander_new (title),
            *inside = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);

  gtk_widget_set_margin_top (inside, 6);
  gtk_widget_set_margin_start (inside, 18);
  gtk_expander_set_child (GTK_EXPANDER (expander), inside);
  gtk_box_append (box, expander);
  return GTK_BOX (inside);
}

/* The measurement behind each bar, and the optimisations switched on one after the other. */
static void
add_measurements (GtkBox *parent, const ScopeComparedPair *pair, const cJSON *explanation)
{
  GtkBox      *box = NULL;
  const cJSON *item;

  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive (explanation, "buckets"))
  {
    const char      *rung = scope_json_get_text (item, "rung");
    g_autofree char *text = NULL;

    if (*rung == '\0')
      continue;
    if (!box)
      box = add_expander (parent, _ ("How each bar was measured"));
    text = g_strdup_printf ("%s – %s", gettext (scope_json_get_text (item, "name")), rung);
    gtk_box_append (box, scope_label_new_wrapping (text, "numeric"));
  }
  box = NULL;
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive (pair->result, "ladder"))
  {
    double           saved = scope_json_get_number (item, "saved");
    g_autofree char *seconds = prof_format_seconds (scope_json_get_number (item, "seconds"));
    g_autofree char *change = prof_format_seconds (fabs (saved));
    g_autofree char *text =
        isnan (saved) ? g_strdup (seconds)
                      : g_strdup_printf ("%s  (%s%s)", seconds, saved > 0 ? "−" : "+", change);

    if (!box)
      box = add_expander (parent, _ ("Optimisations, switched on one after the other"));
    gtk_box_append (box,
                    new_row (scope_json_get_text (item, "name"),
                             text,
                             scope_json_get_text (item, "verdict")));
  }
}

/* --- All of it --- */

/* Why no cause of a difference is named. */
static const char *
describe_no_cause (const cJSON *explanation)
{
  if (!explanation || !cJSON_GetObjectItemCaseSensitive (explanation, "has_cause"))
    return _ ("Nothing was run for this comparison, so no cause of a difference was measured.");
  if (cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (explanation, "same_plan")))
    return _ ("Both forms execute the same operators, so nothing in the model causes a "
              "difference.");
  if (isnan (scope_json_get_number (explanation, "low")))
    return _ ("There were too few runs to tell a difference from the noise.");
  return _ ("No difference is beyond the noise, so there is no cause to name.");
}

/* How two recordings were not made alike, such as on different devices. */
static void
add_differences_of_work (GtkBox *box, const ScopeComparedPair *pair)
{
  const cJSON *comparison, *caution;

  cJSON_ArrayForEach (comparison, cJSON_GetObjectItemCaseSensitive (pair->result, "comparisons"))
  {
    const char *file = scope_json_get_text (comparison, "file");

    if (!g_str_equal (file, scope_json_get_text (pair->a, "capture")) &&
        !g_str_equal (file, scope_json_get_text (pair->b, "capture")))
      continue;
    cJSON_ArrayForEach (caution, cJSON_GetObjectItemCaseSensitive (comparison, "cautions"))
    {
      if (g_str_equal (scope_json_get_text (caution, "kind"), "work"))
        gtk_box_append (box,
                        scope_label_new_wrapping (scope_json_get_text (caution, "text"), NULL));
    }
  }
}

void
scope_compare_explanation_append (GtkBox *box, const ScopeComparedPair *unordered)
{
  const ScopeComparedPair pair = order (unordered);
  const cJSON            *explanation = scope_pair_find_explanation (pair.result, pair.a, pair.b);
  g_autofree char        *slow = scope_cell_dup_title (pair.a, pair.result);
  g_autofree char        *fast = scope_cell_dup_title (pair.b, pair.result);
  g_autofree char        *saved = NULL, *text = NULL, *names = NULL;

  if (!cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (explanation, "has_cause")))
    {
      names = g_strdup_printf (_ ("From %s to %s"), slow, fast);
      gtk_box_append (box, scope_label_new_wrapping (names, NULL));
      gtk_box_append (box, scope_label_new_wrapping (describe_no_cause (explanation), "dim-label"));
      add_differences_of_work (box, &pair);
      add_measurements (box, &pair, explanation);
      return;
    }
  saved = prof_format_seconds (scope_json_get_number (explanation, "saved"));
  text = g_strdup_printf (_ ("From %s to %s: %s less. Blue saves time, orange costs time, "
                             "grey is "
                             "within the noise."),
                          slow,
                          fast,
                          saved);
  if (cJSON_IsFalse (cJSON_GetObjectItemCaseSensitive (explanation, "complete")))
    gtk_box_append (
        box,
        scope_label_new_wrapping (_ ("This explanation is incomplete: more than a tenth of the "
                                     "difference is unexplained, or a bar disagrees with its "
                                     "measurement."),
                                  "warning"));
  gtk_box_append (box, scope_label_new_wrapping (text, "dim-label"));
  gtk_box_append (box, new_waterfall (&pair));
  add_measurements (box, &pair, explanation);
}
