/* compare-explanation.c — where the difference between two forms comes from, as a waterfall.
 *
 * The bars lead from the slower form to the faster one.  Start reading with
 * scope_compare_explanation_append().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-explanation.h"

#include "app/compare/compare-cells.h"
#include "app/compare/compare-curves.h"
#include "app/compare/compare-numbers.h"
#include "app/process/json-fields.h"
#include "app/widgets/chart-area.h"
#include "app/widgets/label.h"
#include "app/widgets/theme.h"
#include "app/widgets/tooltip.h"
#include "profiler/base/format.h"
#include "viz/paint/chart.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

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

static void
draw_waterfall (GtkDrawingArea *area,
                cairo_t        *cr,
                int             width,
                int             height,
                gpointer data   G_GNUC_UNUSED)
{
  const VizTheme          *theme = scope_theme_get ();
  const ScopeComparedPair *pair = g_object_get_data (G_OBJECT (area), "pair");
  g_autofree char         *slow = scope_cell_dup_title (pair->a, pair->result);
  g_autofree char         *fast = scope_cell_dup_title (pair->b, pair->result);
  GStringChunk            *texts = g_string_chunk_new (256);
  g_autoptr (GArray) bars = NULL;
  ProfExplanation explanation;
  VizRect         rect;
  VizPen         *pen = scope_chart_area_pen (area, cr, width, height, &rect);

  scope_explanation_read (scope_pair_find_explanation (pair->result, pair->a, pair->b),
                          &explanation);
  bars = scope_list_waterfall ((ScopeLevel){ slow, scope_json_get_number (pair->a, "median") },
                               (ScopeLevel){ fast, scope_json_get_number (pair->b, "median") },
                               &explanation, texts);
  viz_chart_waterfall (pen, &rect, theme, (const VizBar *) (gpointer) bars->data, bars->len);
  viz_pen_free (pen);
  prof_explanation_clear (&explanation);
  g_string_chunk_free (texts);
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

/* is_noise: in grey. */
static GtkWidget *
new_row (const char *name, const char *value, gboolean is_noise)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = scope_label_new (name, NULL), *right = scope_label_new (value, "numeric");

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), right);
  if (is_noise)
    gtk_widget_add_css_class (row, "dim-label");
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

/* The measurement behind each bar. */
static void
add_measurements (GtkBox *parent, const ProfExplanation *explanation)
{
  GtkBox *box = NULL;

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];
      g_autofree char  *text = NULL;

      if (!bucket->rung)
        continue;
      if (!box)
        box = add_expander (parent, _ ("How each bar was measured"));
      text = g_strdup_printf ("%s – %s", gettext (bucket->name), bucket->rung);
      gtk_box_append (box, scope_label_new_wrapping (text, "numeric"));
    }
}

/* The optimisations, switched on one after the other. */
static void
add_ladder (GtkBox *parent, const cJSON *ladder)
{
  g_autoptr (GArray) list = scope_rungs_read (ladder);
  const ScopeRung *rungs = (const ScopeRung *) (gpointer) list->data;
  g_autofree char *sum = NULL;
  GtkBox          *box;

  if (list->len == 0)
    return;
  box = add_expander (parent, _ ("Optimisations, switched on one after the other"));
  for (guint i = 0; i < list->len; i++)
    {
      g_autofree char *time = prof_format_seconds (rungs[i].time.median);
      g_autofree char *change = scope_say_change (&rungs[i].saved, rungs[i].verdict);
      g_autofree char *text = g_strconcat (time, i > 0 ? "   " : NULL, change, NULL);

      gtk_box_append (box,
                      new_row (rungs[i].name, text, i > 0 && scope_is_noise (rungs[i].verdict)));
    }
  sum = scope_say_rungs (rungs, list->len);
  gtk_box_append (box, scope_label_new_wrapping (sum, "numeric"));
}

/* --- All of it --- */

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

/* The reason with a capital letter and a full stop. */
static char *
dup_sentence (const ProfExplanation *explanation)
{
  g_autofree char *reason = scope_say_reason (explanation);
  g_autofree char *capital = g_utf8_strup (reason, g_utf8_next_char (reason) - reason);

  return g_strconcat (capital, g_utf8_next_char (reason), ".", NULL);
}

void
scope_compare_explanation_append (GtkBox *box, const ScopeComparedPair *unordered)
{
  const ScopeComparedPair pair = order (unordered);
  g_autofree char        *slow = scope_cell_dup_title (pair.a, pair.result);
  g_autofree char        *fast = scope_cell_dup_title (pair.b, pair.result);
  g_autofree char        *saved = NULL, *text = NULL, *reason = NULL;
  ProfExplanation         explanation;

  if (scope_explanation_read (scope_pair_find_explanation (pair.result, pair.a, pair.b),
                              &explanation))
    reason = dup_sentence (&explanation);
  else
    reason = g_strdup (
        _ ("Nothing was run for this comparison, so no cause of a difference was measured."));
  saved = prof_format_seconds (explanation.saved.median);
  text = prof_explanation_has_cause (&explanation)
             ? g_strdup_printf (_ ("From %s to %s: %s less. Blue saves time, orange costs time, "
                                   "grey is within the noise."),
                                slow, fast, saved)
             : g_strdup_printf (_ ("From %s to %s"), slow, fast);
  gtk_box_append (box, scope_label_new_wrapping (text, NULL));
  gtk_box_append (box, scope_label_new_wrapping (reason, "dim-label"));
  if (prof_explanation_has_cause (&explanation))
    gtk_box_append (box, new_waterfall (&pair));
  else
    add_differences_of_work (box, &pair);
  add_measurements (box, &explanation);
  add_ladder (box, cJSON_GetObjectItemCaseSensitive (pair.result, "ladder"));
  prof_explanation_clear (&explanation);
}
