/* compare-result.c — the result of hscope compare --json as widgets.
 *
 * Left: the table of times (forms × sizes), the curves and a sentence per pair.  Right: where the
 * difference between the slowest and the fastest form comes from.  Start reading with
 * scope_compare_result_set().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-result.h"

#include "app/compare/compare-curves.h"
#include "app/process/conversion.h"
#include "app/process/json-fields.h"
#include "app/widgets/tooltip.h"
#include "profiler/base/format.h"
#include "viz/paint/chart.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

struct _ScopeCompareResult
{
  AdwBin  parent_instance;
  cJSON  *result;
  GtkBox *left, *right; /* borrowed: children */
};

G_DEFINE_FINAL_TYPE (ScopeCompareResult, scope_compare_result, ADW_TYPE_BIN)

/* Names of buckets as hscope writes them, listed for the translation. */
static const char *const words[] G_GNUC_UNUSED = {
  N_ ("host and dispatch"), N_ ("gemm batching"), N_ ("pointwise fusion"),
  N_ ("data movement"),     N_ ("overlap"),       N_ ("memory"),
};

static const cJSON *
get_member (ScopeCompareResult *self, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive (self->result, key);
}

const cJSON *
scope_compare_result_find (ScopeCompareResult *self, const char *form)
{
  const cJSON *cell;

  cJSON_ArrayForEach (cell, get_member (self, "cells"))
  {
    if (g_str_equal (scope_json_get_text (cell, "variant"), form))
      return cell;
  }
  return NULL;
}

static GtkWidget *
new_label (const char *text, const char *css_class, gboolean wraps)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), wraps);
  if (css_class)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

/* --- The matrix: forms down, sizes across --- */

static gboolean
has_same_size (const cJSON *a, const cJSON *b)
{
  double batch_a = scope_json_get_number (a, "batch"), batch_b = scope_json_get_number (b, "batch");
  double length_a = scope_json_get_number (a, "length"),
         length_b = scope_json_get_number (b, "length");

  return (batch_a == batch_b || (isnan (batch_a) && isnan (batch_b))) &&
         (length_a == length_b || (isnan (length_a) && isnan (length_b)));
}

static char *
dup_size_title (const cJSON *cell)
{
  double      batch = scope_json_get_number (cell, "batch");
  double      length = scope_json_get_number (cell, "length");
  const char *way = cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (cell, "train"))
                        ? _ ("training")
                        : _ ("inference");

  if (isnan (batch) && isnan (length))
    return g_strdup (way);
  if (isnan (length))
    return g_strdup_printf (_ ("batch %.0f, %s"), batch, way);
  if (isnan (batch))
    return g_strdup_printf (_ ("length %.0f, %s"), length, way);
  return g_strdup_printf (_ ("batch %.0f, length %.0f, %s"), batch, length, way);
}

/* The slowest and fastest cell of the same size as like; NULL: none has a time. */
static void
find_extremes (ScopeCompareResult *self, const cJSON *like, const cJSON **slow, const cJSON **fast)
{
  const cJSON *cell;

  *slow = *fast = NULL;
  cJSON_ArrayForEach (cell, get_member (self, "cells"))
  {
    double median = scope_json_get_number (cell, "median");

    if (!has_same_size (cell, like) || isnan (median))
      continue;
    if (!*slow || median > scope_json_get_number (*slow, "median"))
      *slow = cell;
    if (!*fast || median < scope_json_get_number (*fast, "median"))
      *fast = cell;
  }
}

/* One time with a bar relative to the slowest form of that size. */
static GtkWidget *
new_cell (ScopeCompareResult *self, const cJSON *cell)
{
  GtkWidget       *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget       *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget       *meter = gtk_progress_bar_new ();
  double           median = scope_json_get_number (cell, "median");
  g_autofree char *time = prof_format_seconds (median);
  g_autofree char *low = prof_format_seconds (scope_json_get_number (cell, "low"));
  g_autofree char *high = prof_format_seconds (scope_json_get_number (cell, "high"));
  g_autofree char *bytes = prof_format_bytes (scope_json_get_number (cell, "peak_bytes"));
  g_autofree char *times = NULL;
  g_autofree char *hint = NULL;
  const cJSON     *slow, *fast;

  find_extremes (self, cell, &slow, &fast);
  times = g_strdup_printf ("%.2f ×", median / scope_json_get_number (fast, "median"));
  hint = isnan (scope_json_get_number (cell, "low"))
             ? g_strdup_printf (_ ("Median of %.0f runs, too few for a confidence interval. Peak "
                                   "memory %s."),
                                scope_json_get_number (cell, "samples"),
                                bytes)
             : g_strdup_printf (_ ("Median of %.0f runs, 95 %% confidence interval %s to %s. Peak "
                                   "memory %s."),
                                scope_json_get_number (cell, "samples"),
                                low,
                                high,
                                bytes);
  gtk_box_append (GTK_BOX (line), new_label (time, cell == fast ? "heading" : NULL, FALSE));
  gtk_widget_add_css_class (gtk_widget_get_first_child (line), "numeric");
  gtk_widget_set_hexpand (gtk_widget_get_first_child (line), TRUE);
  gtk_box_append (GTK_BOX (line), new_label (times, "dim-label", FALSE));
  gtk_widget_add_css_class (gtk_widget_get_last_child (line), "numeric");
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (meter),
                                 median / scope_json_get_number (slow, "median"));
  gtk_box_append (GTK_BOX (box), line);
  gtk_box_append (GTK_BOX (box), meter);
  gtk_widget_set_hexpand (box, TRUE);
  scope_tooltip_set (box, hint);
  return box;
}

/* The grid row of a form, which gets one if it has none; row 0 holds the titles. */
static int
find_row (GPtrArray *rows, const char *name)
{
  guint index;

  if (!g_ptr_array_find_with_equal_func (rows, name, g_str_equal, &index))
    {
      index = rows->len;
      g_ptr_array_add (rows, (gpointer) name);
    }
  return (int) index + 1;
}

static void
add_matrix (ScopeCompareResult *self)
{
  GtkWidget *grid = gtk_grid_new ();
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  const cJSON *cell, *previous = NULL;
  int          column = 0;

  gtk_widget_set_name (grid, "compare-matrix");
  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 9);
  cJSON_ArrayForEach (cell, get_member (self, "cells"))
  {
    const char *form = scope_json_get_text (cell, "variant");
    int         row = find_row (rows, form);

    if (!previous || !has_same_size (previous, cell))
      {
        g_autofree char *title = dup_size_title (cell);

        gtk_grid_attach (GTK_GRID (grid), new_label (title, "dim-label", FALSE), ++column, 0, 1, 1);
      }
    if (column == 1)
      gtk_grid_attach (GTK_GRID (grid),
                       new_label (scope_conversion_title (form), NULL, FALSE),
                       0,
                       row,
                       1,
                       1);
    gtk_grid_attach (GTK_GRID (grid), new_cell (self, cell), column, row, 1, 1);
    previous = cell;
  }
  gtk_box_append (self->left, grid);
}

/* --- Verdicts --- */

/* The title of the form in a name such as "fused, static". */
static const char *
title_of_name (const char *name)
{
  g_autofree char *form = g_strndup (name, strcspn (name, ","));

  return scope_conversion_title (form);
}

static char *
describe_pair (const cJSON *pair)
{
  const char *a = title_of_name (scope_json_get_text (pair, "a"));
  const char *b = title_of_name (scope_json_get_text (pair, "b"));
  const char *verdict = scope_json_get_text (pair, "verdict");
  double      ratio = scope_json_get_number (pair, "ratio");
  double low = scope_json_get_number (pair, "low"), high = scope_json_get_number (pair, "high");

  if (g_str_equal (verdict, "faster"))
    return g_strdup_printf (_ ("%s is %.2f × as fast as %s (%.2f – %.2f)"),
                            a,
                            1 / ratio,
                            b,
                            1 / high,
                            1 / low);
  if (g_str_equal (verdict, "slower"))
    return g_strdup_printf (_ ("%s is %.2f × as fast as %s (%.2f – %.2f)"), b, ratio, a, low, high);
  if (g_str_equal (verdict, "same"))
    return g_strdup_printf (_ ("%s and %s take the same time"), a, b);
  if (isnan (low))
    return g_strdup_printf (_ ("%s and %s: too few runs for a comparison"), a, b);
  return g_strdup_printf (_ ("%s and %s: no measurable difference (%.2f – %.2f)"), a, b, low, high);
}

static void
add_verdicts (ScopeCompareResult *self)
{
  const cJSON     *equal = get_member (self, "equal"), *first = get_member (self, "cells"), *pair;
  double           worst = scope_json_get_number (equal, "max_abs");
  g_autofree char *proof = worst > 0 ? g_strdup_printf (_ ("✓ The outputs agree to %.2g"), worst)
                                     : g_strdup (_ ("✓ The outputs are equal"));

  if (cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (equal, "ok")))
    gtk_box_append (self->left, new_label (proof, "dim-label", TRUE));
  else
    gtk_box_append (self->left,
                    new_label (_ ("The outputs differ, so the times cannot be compared"),
                               "error",
                               TRUE));
  first = cJSON_GetArrayItem (first, 0);
  cJSON_ArrayForEach (pair, get_member (self, "pairs"))
  {
    g_autofree char *sentence = describe_pair (pair);
    g_autofree char *size = has_same_size (pair, first) ? NULL : dup_size_title (pair);
    g_autofree char *text = size ? g_strdup_printf ("%s · %s", sentence, size) : NULL;

    gtk_box_append (self->left, new_label (text ? text : sentence, "numeric", TRUE));
  }
}

/* --- Explanation --- */

static VizBar
bar_of (const char *label, double value, gboolean is_total, GPtrArray *texts)
{
  VizBar bar = { .label = label, .value = value, .is_total = is_total };

  bar.text = prof_format_seconds (value);
  g_ptr_array_add (texts, (gpointer) bar.text);
  bar.category = VIZ_CATEGORY_LINEAR;
  return bar;
}

/* Bars of the waterfall: the slow form, what each bucket saves, the fast form. */
static GArray *
list_bars (ScopeCompareResult *self, GPtrArray *texts)
{
  GArray      *bars = g_array_new (FALSE, TRUE, sizeof (VizBar));
  const cJSON *explanation = get_member (self, "explanation"), *slow, *fast, *bucket;
  VizBar       bar;

  find_extremes (self, cJSON_GetArrayItem (get_member (self, "cells"), 0), &slow, &fast);
  if (!slow || slow == fast)
    return bars;
  bar = bar_of (scope_conversion_title (scope_json_get_text (slow, "variant")),
                scope_json_get_number (slow, "median"),
                TRUE,
                texts);
  g_array_append_val (bars, bar);
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
  bar = bar_of (scope_conversion_title (scope_json_get_text (fast, "variant")),
                scope_json_get_number (fast, "median"),
                TRUE,
                texts);
  g_array_append_val (bars, bar);
  return bars;
}

static void
draw_waterfall (GtkDrawingArea *area G_GNUC_UNUSED,
                cairo_t             *cr,
                int                  width,
                int                  height,
                gpointer             data)
{
  const VizTheme *theme = viz_theme_find (
      adw_style_manager_get_dark (adw_style_manager_get_default ()) ? "dark" : "light");
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) bars = list_bars (data, texts);
  VizRect rect = { 0, 0, width, height };
  VizPen *pen = viz_pen_new_cairo (cr, NULL);

  viz_chart_waterfall (pen, &rect, theme, (const VizBar *) (gpointer) bars->data, bars->len);
  viz_pen_free (pen);
}

static GtkWidget *
new_row (const char *name, const char *value, const char *hint)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = new_label (name, NULL, FALSE), *right = new_label (value, "numeric", FALSE);

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
add_measurements (ScopeCompareResult *self, const cJSON *explanation)
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
      box = add_expander (self->right, _ ("How each bar was measured"));
    text = g_strdup_printf ("%s – %s", gettext (scope_json_get_text (item, "name")), rung);
    gtk_box_append (box, new_label (text, "numeric", TRUE));
  }
  box = NULL;
  cJSON_ArrayForEach (item, get_member (self, "ladder"))
  {
    double           saved = scope_json_get_number (item, "saved");
    g_autofree char *seconds = prof_format_seconds (scope_json_get_number (item, "seconds"));
    g_autofree char *change = prof_format_seconds (fabs (saved));
    g_autofree char *text =
        isnan (saved) ? g_strdup (seconds)
                      : g_strdup_printf ("%s  (%s%s)", seconds, saved > 0 ? "−" : "+", change);

    if (!box)
      box = add_expander (self->right, _ ("Optimisations, switched on one after the other"));
    gtk_box_append (box,
                    new_row (scope_json_get_text (item, "name"),
                             text,
                             scope_json_get_text (item, "verdict")));
  }
}

/* Why no cause of a difference is named. */
static const char *
describe_no_cause (const cJSON *explanation)
{
  if (cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (explanation, "same_plan")))
    return _ ("Both forms execute the same operators, so nothing in the model causes a "
              "difference.");
  return _ ("No difference is beyond the noise, so there is no cause to name.");
}

static void
add_explanation (ScopeCompareResult *self)
{
  const cJSON     *explanation = get_member (self, "explanation"), *slow, *fast;
  GtkWidget       *area;
  g_autofree char *saved = NULL;
  g_autofree char *text = NULL;

  find_extremes (self, cJSON_GetArrayItem (get_member (self, "cells"), 0), &slow, &fast);
  if (!cJSON_IsObject (explanation) || !slow || slow == fast)
    return;
  gtk_box_append (self->right, new_label (_ ("Where the Difference Comes From"), "heading", FALSE));
  if (!cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (explanation, "has_cause")))
    {
      gtk_box_append (self->right, new_label (describe_no_cause (explanation), "dim-label", TRUE));
      add_measurements (self, explanation);
      return;
    }
  saved = prof_format_seconds (scope_json_get_number (explanation, "saved"));
  text = g_strdup_printf (_ ("From %s to %s: %s less. Blue saves time, orange costs time, "
                             "grey is "
                             "within the noise."),
                          scope_conversion_title (scope_json_get_text (slow, "variant")),
                          scope_conversion_title (scope_json_get_text (fast, "variant")),
                          saved);
  if (cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (explanation, "has_cause")) &&
      cJSON_IsFalse (cJSON_GetObjectItemCaseSensitive (explanation, "complete")))
    gtk_box_append (self->right,
                    new_label (_ ("This explanation is incomplete: more than a tenth of the "
                                  "difference is unexplained, or a bar disagrees with its "
                                  "measurement."),
                               "warning",
                               TRUE));
  gtk_box_append (self->right, new_label (text, "dim-label", TRUE));
  area = scope_compare_chart_new ("compare-waterfall",
                                  _ ("Parts of the difference"),
                                  draw_waterfall,
                                  self);
  gtk_box_append (self->right, area);
  add_measurements (self, explanation);
}

/* --- Object --- */

static void
remove_children (GtkBox *box)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
}

void
scope_compare_result_set (ScopeCompareResult *self, cJSON *result)
{
  GtkWidget *curves;

  remove_children (self->left);
  remove_children (self->right);
  g_clear_pointer (&self->result, cJSON_Delete);
  self->result = result;
  if (!result)
    return;
  gtk_box_append (self->left, new_label (_ ("Time of a Run"), "heading", FALSE));
  add_matrix (self);
  curves = scope_compare_curves_new (get_member (self, "cells"));
  if (curves)
    gtk_box_append (self->left, curves);
  add_verdicts (self);
  add_explanation (self);
}

static void
scope_compare_result_finalize (GObject *object)
{
  g_clear_pointer (&SCOPE_COMPARE_RESULT (object)->result, cJSON_Delete);
  G_OBJECT_CLASS (scope_compare_result_parent_class)->finalize (object);
}

static void
scope_compare_result_class_init (ScopeCompareResultClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_compare_result_finalize;
}

static void
scope_compare_result_init (ScopeCompareResult *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *columns = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 30);

  self->left = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  self->right = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  gtk_box_set_homogeneous (GTK_BOX (columns), TRUE);
  gtk_widget_add_css_class (columns, "sheet");
  gtk_box_append (GTK_BOX (columns), GTK_WIDGET (self->left));
  gtk_box_append (GTK_BOX (columns), GTK_WIDGET (self->right));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller),
                                  GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), columns);
  adw_bin_set_child (ADW_BIN (self), scroller);
}

GtkWidget *
scope_compare_result_new (void)
{
  return g_object_new (SCOPE_TYPE_COMPARE_RESULT, NULL);
}
