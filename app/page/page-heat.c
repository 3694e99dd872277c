/* page-heat.c — paints costs onto the graph: which quantity, on which scale, and the legend.
 *
 * The overlay is computed in a worker; the old colours stay until it is complete.  Start reading with
 * scope_page_update_heat().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/session/settings.h"

#include <glib/gi18n.h>
#include <string.h>

static const struct
{
  const char *name;
  VizScale    scale;
} scales[] = {
  { "log", VIZ_SCALE_LOG },
  { "linear", VIZ_SCALE_LINEAR },
  { "rank", VIZ_SCALE_RANK },
};

static VizScale
scale_of (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    if (strcmp (scales[i].name, name) == 0)
      return scales[i].scale;
  return VIZ_SCALE_LOG;
}

static void
set_overlay (ScopePage *self, VizOverlay *overlay)
{
  ScopeCanvas *canvas = scope_graph_view_get_canvas (self->graph_view);

  scope_canvas_set_overlay (canvas, overlay);
  scope_legend_set (self->legend, overlay, scope_canvas_get_theme (canvas));
}

static void
painted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopePage) self = data;
  g_autoptr (VizOverlay) overlay = scope_measurement_paint_finish (result, NULL);

  if (g_task_get_cancellable (G_TASK (result)) != self->painting)
    return;
  g_clear_object (&self->painting);
  set_overlay (self, overlay);
}

void
scope_page_cancel_heat (ScopePage *self)
{
  if (self->painting)
    g_cancellable_cancel (self->painting);
  g_clear_object (&self->painting);
}

void
scope_page_update_heat_hint (ScopePage *self)
{
  scope_page_update_remeasured (self);
  gtk_label_set_text (self->heat_hint,
                      scope_workspace_is_running (self->workspace)
                          ? _ ("Measuring. Colours follow when the run has ended.")
                          : _ ("Not measured. Run the model to colour the graph by cost."));
  gtk_widget_set_visible (GTK_WIDGET (self->heat_hint),
                          !scope_workspace_get_measurement (self->workspace) &&
                              !scope_workspace_get_numbers (self->workspace));
}

gboolean
scope_page_shows_numbers (ScopePage *self)
{
  return g_str_equal (self->heat, SCOPE_HEAT_NUMBERS);
}

/* The numbers of the user; NULL: costs are shown. */
static const ScopeNodeData *
get_shown_numbers (ScopePage *self)
{
  return scope_page_shows_numbers (self) ? scope_workspace_get_numbers (self->workspace) : NULL;
}

void
scope_page_update_heat (ScopePage *self)
{
  ScopeMeasurement *measurement = scope_workspace_get_measurement (self->workspace);
  ScopeHeat         heat = scope_heat_find (self->heat);

  scope_page_cancel_heat (self);
  scope_page_update_heat_hint (self);
  gtk_widget_set_sensitive (GTK_WIDGET (self->heat_button),
                            scope_workspace_get_document (self->workspace) != NULL);
  if (!get_shown_numbers (self) && (!measurement || heat >= SCOPE_N_HEATS))
    {
      set_overlay (self, NULL);
      return;
    }
  self->painting = g_cancellable_new ();
  if (get_shown_numbers (self))
    scope_workspace_paint_numbers_async (self->workspace, scale_of (self->heat_scale),
                                         self->painting, painted_cb, g_object_ref (self));
  else
    scope_measurement_paint_async (measurement,
                                   (ScopeHeatStyle){ heat, scale_of (self->heat_scale) },
                                   self->painting, painted_cb, g_object_ref (self));
}

static void
on_theme (ScopePage *self)
{
  ScopeCanvas *canvas = scope_graph_view_get_canvas (self->graph_view);

  scope_legend_set (self->legend, scope_canvas_get_overlay (canvas),
                    scope_canvas_get_theme (canvas));
}

void
scope_page_set_heat (ScopePage *self, const char *heat)
{
  g_free (self->heat);
  self->heat = g_strdup (heat);
  if (!scope_page_shows_numbers (self))
    scope_settings_set_text ("heat", heat);
  scope_page_update_heat (self);
}

void
scope_page_set_heat_scale (ScopePage *self, const char *scale)
{
  g_free (self->heat_scale);
  self->heat_scale = g_strdup (scale);
  if (!scope_page_shows_numbers (self))
    scope_settings_set_text ("heat-scale", scale);
  scope_page_update_heat (self);
}

void
scope_page_follow_theme (ScopePage *self)
{
  /* After the graph view, which gives the canvas its new theme. */
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (on_theme),
                           self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}
