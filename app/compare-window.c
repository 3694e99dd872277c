/* compare-window.c — forms of one model, measured side by side in the child.
 *
 * What is shown is what hscope compare --json says; charts are viz's own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare-window.h"

#include "app/child.h"
#include "profiler/report.h"
#include "viz/chart.h"

#include <cjson/cJSON.h>
#include <glib/gi18n.h>
#include <math.h>

#define SECONDS      "20"
#define CHART_HEIGHT 200

struct _ScopeCompareWindow
{
  AdwWindow     parent_instance;
  GCancellable *cancellable;
  cJSON        *result;
  GtkStack     *stack; /* borrowed: children */
  GtkBox       *box;
};

G_DEFINE_FINAL_TYPE (ScopeCompareWindow, scope_compare_window, ADW_TYPE_WINDOW)

static double
get_number (const cJSON *json, const char *key)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (json, key);

  return cJSON_IsNumber (item) ? item->valuedouble : NAN;
}

static const char *
get_text (const cJSON *json, const char *key)
{
  const char *text = cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (json, key));

  return text != NULL ? text : "";
}

/* ---- Charts ---- */

typedef struct
{
  const char *list; /* key of a list of the result */
  const char *name, *value;
  gboolean    is_waterfall;
} ChartKind;

static const ChartKind bars_kind = { "cells", "variant", "median", FALSE };
static const ChartKind buckets_kind = { "buckets", "name", "seconds", TRUE };

static const cJSON *
list_of (ScopeCompareWindow *self, const ChartKind *kind)
{
  const cJSON *where = self->result;

  if (kind->is_waterfall)
    where = cJSON_GetObjectItemCaseSensitive (where, "explanation");
  return cJSON_GetObjectItemCaseSensitive (where, kind->list);
}

static void
draw_chart (ScopeCompareWindow *self, cairo_t *cr, int width, int height, const ChartKind *kind)
{
  const VizTheme *theme = viz_theme_find (
      adw_style_manager_get_dark (adw_style_manager_get_default ()) ? "dark" : "light");
  g_autoptr (GArray) bars = g_array_new (FALSE, TRUE, sizeof (VizBar));
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  VizRect      rect = { 0, 0, width, height };
  const cJSON *item;
  VizPen      *pen;

  cJSON_ArrayForEach (item, list_of (self, kind))
  {
    VizBar bar = { .label = get_text (item, kind->name),
                   .value = get_number (item, kind->value),
                   .low = get_number (item, "low"),
                   .high = get_number (item, "high"),
                   .category = VIZ_CATEGORY_LINEAR };

    if (!isfinite (bar.value))
      continue;
    bar.is_unclear = kind->is_waterfall && bar.low <= 0 && bar.high >= 0;
    bar.text = prof_format_seconds (bar.value);
    g_ptr_array_add (texts, (gpointer) bar.text);
    g_array_append_val (bars, bar);
  }
  pen = viz_pen_new_cairo (cr, NULL);
  if (kind->is_waterfall)
    viz_chart_waterfall (pen, &rect, theme, (const VizBar *) (gpointer) bars->data, bars->len);
  else
    viz_chart_bars (pen, &rect, theme, (const VizBar *) (gpointer) bars->data, bars->len);
  viz_pen_free (pen);
}

static void
draw_bars (GtkDrawingArea *area G_GNUC_UNUSED, cairo_t *cr, int width, int height, gpointer data)
{
  draw_chart (data, cr, width, height, &bars_kind);
}

static void
draw_buckets (GtkDrawingArea *area G_GNUC_UNUSED, cairo_t *cr, int width, int height, gpointer data)
{
  draw_chart (data, cr, width, height, &buckets_kind);
}

static void
add_chart (ScopeCompareWindow *self, int height, GtkDrawingAreaDrawFunc draw, const char *name)
{
  GtkWidget *area = gtk_drawing_area_new ();

  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), height);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw, self, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (area), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_box_append (self->box, area);
}

/* ---- Sentences ---- */

static void
add_label (ScopeCompareWindow *self, const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_focusable (label, FALSE);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (self->box, label);
}

static void
add_pairs (ScopeCompareWindow *self)
{
  const cJSON *pair;

  cJSON_ArrayForEach (pair, cJSON_GetObjectItemCaseSensitive (self->result, "pairs"))
  {
    g_autofree char *text = g_strdup_printf (_ ("%s takes %.2f × the time of %s (%.2f–%.2f): %s"),
                                             get_text (pair, "a"),
                                             get_number (pair, "ratio"),
                                             get_text (pair, "b"),
                                             get_number (pair, "low"),
                                             get_number (pair, "high"),
                                             get_text (pair, "verdict"));

    add_label (self, text, "numeric");
  }
}

static void
fill (ScopeCompareWindow *self)
{
  const cJSON     *equal = cJSON_GetObjectItemCaseSensitive (self->result, "equal");
  const cJSON     *why = cJSON_GetObjectItemCaseSensitive (self->result, "explanation");
  const cJSON     *ok = cJSON_GetObjectItemCaseSensitive (equal, "ok");
  g_autofree char *proof = g_strdup_printf (_ ("All compute the same: they differ by %.2g at most"),
                                            get_number (equal, "max_abs"));
  int n = cJSON_GetArraySize (cJSON_GetObjectItemCaseSensitive (self->result, "cells"));

  add_label (self, _ ("Time of a run"), "heading");
  add_chart (self,
             (int) viz_chart_bars_height ((guint) n),
             draw_bars,
             _ ("Time of a run of each form"));
  if (cJSON_IsTrue (ok))
    add_label (self, proof, "dim-label");
  else
    add_label (self, _ ("They do not compute the same: the times cannot be compared"), "error");
  add_pairs (self);
  if (cJSON_IsObject (why))
    {
      add_label (self, _ ("Why"), "heading");
      add_label (self, get_text (why, "reason"), "dim-label");
      add_chart (self, CHART_HEIGHT, draw_buckets, _ ("What the difference is made of"));
    }
}

/* ---- The child ---- */

static void
compared_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeCompareWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = scope_child_ask_finish (result, &error);
  GtkWidget       *page;

  if (g_cancellable_is_cancelled (self->cancellable))
    return;
  self->result = text != NULL ? cJSON_Parse (text) : NULL;
  if (self->result != NULL)
    {
      fill (self);
      gtk_stack_set_visible_child_name (self->stack, "result");
      return;
    }
  page = gtk_stack_get_child_by_name (self->stack, "failed");
  adw_status_page_set_description (ADW_STATUS_PAGE (page),
                                   error != NULL ? error->message
                                                 : _ ("hscope said nothing that can be read"));
  gtk_stack_set_visible_child_name (self->stack, "failed");
}

static gboolean
scope_compare_window_close_request (GtkWindow *window)
{
  g_cancellable_cancel (SCOPE_COMPARE_WINDOW (window)->cancellable);
  return GTK_WINDOW_CLASS (scope_compare_window_parent_class)->close_request (window);
}

static void
scope_compare_window_finalize (GObject *object)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (object);

  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->result, cJSON_Delete);
  G_OBJECT_CLASS (scope_compare_window_parent_class)->finalize (object);
}

static void
scope_compare_window_class_init (ScopeCompareWindowClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_compare_window_finalize;
  GTK_WINDOW_CLASS (class)->close_request = scope_compare_window_close_request;
}

static void
scope_compare_window_init (ScopeCompareWindow *self)
{
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *stack = gtk_stack_new ();
  GtkWidget *scroller = gtk_scrolled_window_new (),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *waiting = adw_status_page_new (), *failed = adw_status_page_new ();
  GtkWidget *spinner = gtk_spinner_new ();

  self->cancellable = g_cancellable_new ();
  self->stack = GTK_STACK (stack);
  self->box = GTK_BOX (box);
  gtk_widget_add_css_class (box, "sheet");
  adw_status_page_set_title (ADW_STATUS_PAGE (waiting), _ ("Measuring the Forms in Turn…"));
  gtk_spinner_start (GTK_SPINNER (spinner));
  adw_status_page_set_child (ADW_STATUS_PAGE (waiting), spinner);
  adw_status_page_set_title (ADW_STATUS_PAGE (failed), _ ("These Cannot Be Compared"));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), box);
  gtk_stack_add_named (self->stack, waiting, "waiting");
  gtk_stack_add_named (self->stack, failed, "failed");
  gtk_stack_add_named (self->stack, scroller, "result");
  gtk_widget_set_vexpand (stack, TRUE);
  gtk_box_append (GTK_BOX (content), adw_header_bar_new ());
  gtk_box_append (GTK_BOX (content), stack);
  adw_window_set_content (ADW_WINDOW (self), content);
  gtk_window_set_title (GTK_WINDOW (self), _ ("Compare Forms"));
  gtk_window_set_default_size (GTK_WINDOW (self), 720, 560);
}

void
scope_compare_window_show (GtkWindow *parent, const char *model, const char *const *shapes)
{
  ScopeCompareWindow *self =
      g_object_new (SCOPE_TYPE_COMPARE_WINDOW, "transient-for", parent, NULL);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();

  g_ptr_array_add (argv, (gpointer) "compare");
  g_ptr_array_add (argv, (gpointer) model);
  for (const char *const *word = (const char *const[]){ "--variants",
                                                        "as-is,unrolled,foreach,fused",
                                                        "--json",
                                                        "--time-limit",
                                                        SECONDS,
                                                        NULL };
       *word != NULL;
       word++)
    g_ptr_array_add (argv, (gpointer) *word);
  for (guint i = 0; shapes != NULL && shapes[i] != NULL; i++)
    {
      g_ptr_array_add (argv, (gpointer) "--shape");
      g_ptr_array_add (argv, (gpointer) shapes[i]);
    }
  g_ptr_array_add (argv, NULL);
  scope_child_ask_async ((const char *const *) argv->pdata,
                         self->cancellable,
                         compared_cb,
                         g_object_ref (self));
  gtk_window_present (GTK_WINDOW (self));
}
