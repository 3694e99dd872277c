/* page-heat.c — costs as colours: which, and on what scale.
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

/* SCOPE_N_HEATS: no colours. */
static ScopeHeat
heat_of (const char *name)
{
  for (ScopeHeat heat = 0; heat < SCOPE_N_HEATS; heat++)
    if (strcmp (scope_heat_name (heat), name) == 0)
      return heat;
  return SCOPE_N_HEATS;
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

/* What is to be known of the colours, or why there are none. */
void
scope_page_update_heat_hint (ScopePage *self)
{
  scope_page_update_remeasured (self);
  gtk_label_set_text (self->heat_hint,
                      scope_workspace_is_running (self->workspace)
                          ? _ ("Measuring: colours will follow")
                          : _ ("Not measured: run it to colour the graph by cost"));
  gtk_widget_set_visible (GTK_WIDGET (self->heat_hint),
                          !scope_workspace_get_measurement (self->workspace));
}

/* The colours of before stay until the new ones are there. */
void
scope_page_update_heat (ScopePage *self)
{
  ScopeMeasurement *measurement = scope_workspace_get_measurement (self->workspace);
  ScopeHeat         heat = heat_of (self->heat);

  scope_page_cancel_heat (self);
  scope_page_update_heat_hint (self);
  gtk_widget_set_sensitive (GTK_WIDGET (self->heat_button), measurement != NULL);
  if (!measurement || heat >= SCOPE_N_HEATS)
    {
      set_overlay (self, NULL);
      return;
    }
  self->painting = g_cancellable_new ();
  scope_measurement_paint_async (measurement,
                                 heat,
                                 scale_of (self->heat_scale),
                                 self->painting,
                                 painted_cb,
                                 g_object_ref (self));
}

static void
on_theme (ScopePage *self)
{
  ScopeCanvas *canvas = scope_graph_view_get_canvas (self->graph_view);

  scope_legend_set (self->legend,
                    scope_canvas_get_overlay (canvas),
                    scope_canvas_get_theme (canvas));
}

static void
act_heat (GSimpleAction *action, GVariant *value, gpointer data)
{
  ScopePage *self = data;

  g_free (self->heat);
  self->heat = g_variant_dup_string (value, NULL);
  scope_settings_set_text ("heat", self->heat);
  g_simple_action_set_state (action, value);
  scope_page_update_heat (self);
}

static void
act_scale (GSimpleAction *action, GVariant *value, gpointer data)
{
  ScopePage *self = data;

  g_free (self->heat_scale);
  self->heat_scale = g_variant_dup_string (value, NULL);
  scope_settings_set_text ("heat-scale", self->heat_scale);
  g_simple_action_set_state (action, value);
  scope_page_update_heat (self);
}

static void
change_panel (GSimpleAction *action, GVariant *value, gpointer data)
{
  ScopePage *self = data;
  gboolean   shown = g_variant_get_boolean (value);

  g_simple_action_set_state (action, value);
  gtk_revealer_set_reveal_child (self->panel_revealer, shown);
  gtk_widget_set_visible (GTK_WIDGET (self->panel_revealer), shown);
  gtk_button_set_icon_name (GTK_BUTTON (self->panel_button),
                            shown ? "go-down-symbolic" : "go-up-symbolic");
  /* The divider goes where the panel wants it. */
  gtk_paned_set_position (self->split, -1);
  scope_settings_set_flag ("panel", shown);
}

void
scope_page_init_heat (ScopePage *self)
{
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  const GActionEntry entries[] = {
    { "heat", NULL, "s", "'self'", act_heat, { 0 } },
    { "heat-scale", NULL, "s", "'log'", act_scale, { 0 } },
    { "panel", NULL, NULL, "false", change_panel, { 0 } },
  };

  self->heat = scope_settings_get_text ("heat", "self");
  self->heat_scale = scope_settings_get_text ("heat-scale", "log");
  g_action_map_add_action_entries (G_ACTION_MAP (group), entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "page", G_ACTION_GROUP (group));
  g_action_group_change_action_state (G_ACTION_GROUP (group),
                                      "heat",
                                      g_variant_new_string (self->heat));
  g_action_group_change_action_state (G_ACTION_GROUP (group),
                                      "heat-scale",
                                      g_variant_new_string (self->heat_scale));
  g_action_group_change_action_state (G_ACTION_GROUP (group),
                                      "panel",
                                      g_variant_new_boolean (
                                          scope_settings_get_flag ("panel", FALSE)));
  g_signal_connect_object (adw_style_manager_get_default (),
                           "notify::dark",
                           G_CALLBACK (on_theme),
                           self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}
