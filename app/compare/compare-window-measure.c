/* compare-window-measure.c — hscope compare in the child, and what it brought into the panes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-window-private.h"

#include "app/compare/difference-heat.h"
#include "app/process/child.h"
#include "app/process/layout-worker.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>

#define TICK_MS 200

/* --- Colours --- */

typedef struct
{
  ScopeCompareWindow *window;
  ScopeComparePane   *pane;
  ScopeMeasurement   *measurement; /* that it shows */
  guint               number;      /* of the colouring it belongs to */
} Painting;

static Painting *
painting_new (ScopeCompareWindow *window, ScopeComparePane *pane, ScopeMeasurement *measurement)
{
  Painting *painting = g_new (Painting, 1);

  *painting = (Painting){ g_object_ref (window),
                          g_object_ref (pane),
                          scope_measurement_ref (measurement),
                          window->n_colourings };
  return painting;
}

static void
set_overlay (ScopeCompareWindow *self, ScopeComparePane *pane, VizOverlay *overlay)
{
  ScopeCanvas *canvas = scope_compare_pane_get_canvas (pane);

  scope_canvas_set_overlay (canvas, overlay);
  if (overlay)
    scope_legend_set (self->legend, overlay, scope_canvas_get_theme (canvas));
}

/* overlay: (transfer full) (nullable) */
static void
end_painting (Painting *painting, VizOverlay *overlay)
{
  ScopeCompareWindow *self = painting->window;
  ScopeWorkspace     *workspace = scope_compare_pane_get_workspace (painting->pane);

  /* Another form may have been chosen meanwhile, or the pane closed. */
  if (overlay && painting->number == self->n_colourings &&
      scope_compare_window_find_pane (self, painting->pane) < SCOPE_MAX_PANES &&
      scope_workspace_get_measurement (workspace) == painting->measurement)
    set_overlay (self, painting->pane, overlay);
  g_clear_pointer (&overlay, viz_overlay_unref);
  scope_measurement_unref (painting->measurement);
  g_object_unref (painting->window);
  g_object_unref (painting->pane);
  g_free (painting);
}

static void
difference_painted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  end_painting (data, scope_difference_paint_finish (result, NULL));
}

static void
painted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  end_painting (data, scope_measurement_paint_finish (result, NULL));
}

static void
paint_pane (ScopeCompareWindow *self, guint index)
{
  ScopeComparePane *pane = self->panes[index];
  ScopeMeasurement *base =
      scope_workspace_get_measurement (scope_compare_pane_get_workspace (self->panes[0]));
  ScopeMeasurement *own = scope_workspace_get_measurement (scope_compare_pane_get_workspace (pane));

  if (!own || g_str_equal (self->colours, "none"))
    set_overlay (self, pane, NULL);
  else if (index > 0 && base && self->sides[0] && self->sides[index] &&
           g_str_equal (self->colours, "difference"))
    scope_difference_paint_async (self->sides[0],
                                  base,
                                  self->sides[index],
                                  own,
                                  self->cancellable,
                                  difference_painted_cb,
                                  painting_new (self, pane, own));
  else
    scope_measurement_paint_async (own,
                                   SCOPE_HEAT_SELF,
                                   VIZ_SCALE_LOG,
                                   self->cancellable,
                                   painted_cb,
                                   painting_new (self, pane, own));
}

void
scope_compare_window_update_colours (ScopeCompareWindow *self)
{
  self->n_colourings++;
  scope_legend_set (self->legend, NULL, NULL);
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      paint_pane (self, i);
}

/* --- Times --- */

static void
update_pane (ScopeCompareWindow *self, guint index)
{
  ScopeComparePane      *pane = self->panes[index];
  ScopeWorkspace        *workspace = scope_compare_pane_get_workspace (pane);
  const ScopeConversion *conversion =
      self->conversions[index] ? self->conversions[index] : self->unrolled;
  const cJSON *cell = scope_compare_result_find (self->result, scope_compare_pane_get_form (pane));
  const char  *capture = scope_json_get_text (cell, "capture");
  g_autofree char *proof = conversion ? scope_conversion_describe_proof (conversion) : NULL;
  g_autofree char *time =
      cell ? prof_format_seconds (scope_json_get_number (cell, "median")) : NULL;

  if (!scope_workspace_get_document (workspace))
    return;
  scope_compare_pane_set_facts (pane, proof, time);
  if (*capture != '\0' && g_strcmp0 (scope_workspace_get_capture_path (workspace), capture) != 0)
    scope_workspace_open_capture (workspace, capture);
}

void
scope_compare_window_update_times (ScopeCompareWindow *self)
{
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      update_pane (self, i);
}

/* --- Measuring --- */

static void
end_measuring (ScopeCompareWindow *self)
{
  g_clear_handle_id (&self->tick, g_source_remove);
  g_clear_object (&self->measuring);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.measure", TRUE);
}

static void
fail (ScopeCompareWindow *self, const char *why)
{
  adw_status_page_set_description (self->failed, why);
  gtk_stack_set_visible_child_name (self->stack, "failed");
}

static void
measured_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeCompareWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = scope_child_run_finish (result, &error);
  cJSON           *json = text ? cJSON_Parse (text) : NULL;

  if (g_cancellable_is_cancelled (self->cancellable))
    {
      cJSON_Delete (json);
      return;
    }
  end_measuring (self);
  if (!json)
    {
      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        fail (self, _ ("It was cancelled. Nothing was measured."));
      else
        fail (self, error ? error->message : _ ("hscope said nothing that can be read"));
      return;
    }
  scope_compare_result_set (self->result, json);
  gtk_stack_set_visible_child_name (self->stack, "result");
  scope_compare_window_update_times (self);
}

static gboolean
on_tick (gpointer data)
{
  ScopeCompareWindow *self = data;
  double              limit = gtk_spin_button_get_value (self->seconds);
  double              elapsed = (double) (g_get_monotonic_time () - self->began) * 1e-6;
  g_autofree char *text = g_strdup_printf (_ ("Measuring the forms in turn, at most %.0f s left"),
                                           MAX (limit - elapsed, 1));

  gtk_progress_bar_set_fraction (self->progress, CLAMP (elapsed / limit, 0, 1));
  gtk_label_set_text (self->progress_label, text);
  return G_SOURCE_CONTINUE;
}

/* Each form once, if it can be written. */
static char *
list_forms (ScopeCompareWindow *self)
{
  g_autoptr (GPtrArray) forms = g_ptr_array_new ();

  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i] && !scope_compare_pane_is_refused (self->panes[i]))
      {
        const char *form = scope_compare_pane_get_form (self->panes[i]);

        if (!g_ptr_array_find_with_equal_func (forms, form, g_str_equal, NULL))
          g_ptr_array_add (forms, (gpointer) form);
      }
  g_ptr_array_add (forms, NULL);
  return forms->len > 1 ? g_strjoinv (",", (char **) forms->pdata) : NULL;
}

/* A folder of its own: other windows measure, too. */
static char *
new_prefix (ScopeCompareWindow *self)
{
  if (!self->folder)
    self->folder = g_dir_make_tmp ("hybridscope-compare-XXXXXX", NULL);
  return self->folder
             ? g_strdup_printf ("%s/%" G_GINT64_FORMAT, self->folder, g_get_monotonic_time ())
             : NULL;
}

static void
add_words (GPtrArray *argv, const char *option, const char *value)
{
  if (!value || *value == '\0')
    return;
  g_ptr_array_add (argv, g_strdup (option));
  g_ptr_array_add (argv, g_strdup (value));
}

static GPtrArray *
command_of (ScopeCompareWindow *self, const char *forms)
{
  GPtrArray       *argv = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *prefix = new_prefix (self);
  g_autofree char *batches = g_strdup (gtk_editable_get_text (self->batches));
  g_autofree char *seconds =
      g_strdup_printf ("%d", gtk_spin_button_get_value_as_int (self->seconds));
  /* What the panes show comes of the unrolled form: measured from there, names are the same.
   * Only an example can be made for another batch. */
  const char *model = *g_strstrip (batches) == '\0' ? self->unrolled->path : self->model;

  g_ptr_array_add (argv, g_strdup ("compare"));
  g_ptr_array_add (argv, g_strdup (model));
  g_ptr_array_add (argv, g_strdup ("--json"));
  add_words (argv, "--variants", forms);
  add_words (argv, "--time-limit", seconds);
  add_words (argv, "--captures", prefix);
  add_words (argv, "--batch", batches);
  if (gtk_switch_get_active (self->training))
    g_ptr_array_add (argv, g_strdup ("--backward"));
  /* A model of the gallery brings its own, which change with the batch. */
  for (guint i = 0; self->shapes && self->shapes[i] && !g_str_has_prefix (model, "gallery:"); i++)
    add_words (argv, "--shape", self->shapes[i]);
  g_ptr_array_add (argv, NULL);
  return argv;
}

void
scope_compare_window_measure (ScopeCompareWindow *self)
{
  g_autofree char *forms = list_forms (self);
  g_autoptr (GPtrArray) argv = NULL;

  if (self->measuring)
    return;
  self->was_measured = TRUE;
  if (!forms)
    {
      fail (self, self->refusal ? self->refusal : _ ("None of the forms can be written"));
      return;
    }
  argv = command_of (self, forms);
  self->measuring = g_cancellable_new ();
  self->began = g_get_monotonic_time ();
  self->tick = g_timeout_add (TICK_MS, on_tick, self);
  on_tick (self);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.measure", FALSE);
  gtk_stack_set_visible_child_name (self->stack, "waiting");
  scope_child_run_async ((const char *const *) argv->pdata,
                         self->measuring,
                         measured_cb,
                         g_object_ref (self));
}

void
scope_compare_window_stop (ScopeCompareWindow *self)
{
  if (self->measuring)
    g_cancellable_cancel (self->measuring);
}
