/* page.c — the class of pages: actions, searching, following the workspace.
 *
 * The views are in page-views.c, colours in page-heat.c, the graph after a pass in page-pass.c,
 * forms in page-form.c and page-remeasure.c, saving in page-state.c.  on_state() chooses the
 * contents of a page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/process/limits.h"
#include "app/session/settings.h"
#include "app/views/outline-view.h"
#include "app/views/passes-view.h"
#include "app/views/remedies.h"
#include "app/widgets/popover-focus.h"
#include "app/widgets/spinner.h"
#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE (ScopePage, scope_page, ADW_TYPE_BIN)

static ScopeOutlineView *
get_outline (ScopePage *self)
{
  return SCOPE_OUTLINE_VIEW (scope_page_get_view (self, "outline"));
}

/* --- Actions --- */

static void
act_dismiss (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_show_message (SCOPE_PAGE (widget), NULL, NULL, NULL);
}

static void
act_reload (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_workspace_reload (SCOPE_PAGE (widget)->workspace);
}

static void
act_raise_limits (GtkWidget          *widget,
                  const char *name    G_GNUC_UNUSED,
                  GVariant *parameter G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = SCOPE_PAGE (widget)->workspace;
  GFile          *file = scope_workspace_get_file (workspace);
  g_autoptr (GFileInfo) info =
      file ? g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_SIZE, 0, NULL, NULL) : NULL;

  scope_limits_raise (info ? (guint64) g_file_info_get_size (info) : 0);
  scope_workspace_reload (workspace);
}

static void
act_stop (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_workspace_stop_run (SCOPE_PAGE (widget)->workspace);
}

static void
act_show_log (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_show_view (SCOPE_PAGE (widget), "log");
}

static void
act_show_findings (GtkWidget          *widget,
                   const char *name    G_GNUC_UNUSED,
                   GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_show_view (SCOPE_PAGE (widget), "findings");
}

/* The node that the shown error concerns. */
static void
act_show_node (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage *self = SCOPE_PAGE (widget);

  if (self->faulty != VIZ_ROOT)
    scope_workspace_show (self->workspace, self->faulty);
}

static void
act_go (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  scope_history_go (SCOPE_PAGE (widget)->history, g_str_has_suffix (name, "back") ? -1 : 1);
}

static void
act_bookmark (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = SCOPE_PAGE (widget)->workspace;

  scope_workspace_toggle_bookmark (workspace, scope_workspace_get_selected (workspace));
}

static void
on_history (gpointer data)
{
  ScopePage *self = data;

  gtk_widget_action_set_enabled (data, "page.go-back", scope_history_can_go (self->history, -1));
  gtk_widget_action_set_enabled (data, "page.go-forward", scope_history_can_go (self->history, 1));
}

/* The buttons that many mice have for this. */
#define BACK_BUTTON    8
#define FORWARD_BUTTON 9

static void
on_button (GtkGestureClick *gesture,
           int n            G_GNUC_UNUSED,
           double x         G_GNUC_UNUSED,
           double y         G_GNUC_UNUSED,
           gpointer         data)
{
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));

  if (button != BACK_BUTTON && button != FORWARD_BUTTON)
    return;
  gtk_widget_activate_action (data, button == BACK_BUTTON ? "page.go-back" : "page.go-forward",
                              NULL);
}

static void
init_history (ScopePage *self)
{
  GtkGesture *buttons = gtk_gesture_click_new ();

  self->history = scope_history_new (self->workspace, on_history, self);
  on_history (self);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (buttons), 0);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (buttons), GTK_PHASE_CAPTURE);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (buttons), "page-history");
  g_signal_connect (buttons, "pressed", G_CALLBACK (on_button), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (buttons));
}

static void
act_run_unlimited (GtkWidget          *widget,
                   const char *name    G_GNUC_UNUSED,
                   GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_run_unlimited (SCOPE_PAGE (widget));
}

static void
act_side (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  const char *view = g_str_has_suffix (name, "outline") ? "outline" : "node";
  GtkWidget  *pane = GTK_WIDGET (scope_page_get_view (SCOPE_PAGE (widget), view));

  gtk_widget_set_visible (pane, !gtk_widget_get_visible (pane));
}

static void
act_save_view (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_save_beside (SCOPE_PAGE (widget));
}

static void
act_leave_pass (GtkWidget          *widget,
                const char *name    G_GNUC_UNUSED,
                GVariant *parameter G_GNUC_UNUSED)
{
  scope_passes_view_unselect (
      SCOPE_PASSES_VIEW (scope_page_get_view (SCOPE_PAGE (widget), "passes")));
}

static void
act_dismiss_measured (GtkWidget          *widget,
                      const char *name    G_GNUC_UNUSED,
                      GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_clear_remeasured (SCOPE_PAGE (widget));
  scope_page_update_remeasured (SCOPE_PAGE (widget));
}

/* Costs have the scale of the settings; numbers of the user begin with a linear one. */
static void
change_heat (GSimpleAction *action, GVariant *value, gpointer data)
{
  ScopePage       *self = data;
  const char      *heat = g_variant_get_string (value, NULL);
  gboolean         are_numbers = g_str_equal (heat, SCOPE_HEAT_NUMBERS);
  gboolean         were_numbers = self->heat && scope_page_shows_numbers (self);
  g_autofree char *scale = NULL;

  if (are_numbers && !scope_workspace_get_numbers (self->workspace))
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "win.open-numbers", NULL);
      return;
    }
  g_simple_action_set_state (action, value);
  scope_page_set_heat (self, heat);
  if (are_numbers == were_numbers)
    return;
  scale = are_numbers ? g_strdup ("linear") : scope_settings_get_text ("heat-scale", "log");
  gtk_widget_activate_action (GTK_WIDGET (self), "page.heat-scale", "s", scale);
}

static void
act_remove_numbers (GtkWidget          *widget,
                    const char *name    G_GNUC_UNUSED,
                    GVariant *parameter G_GNUC_UNUSED)
{
  scope_workspace_remove_numbers (SCOPE_PAGE (widget)->workspace);
}

static void
change_heat_scale (GSimpleAction *action, GVariant *value, gpointer data)
{
  g_simple_action_set_state (action, value);
  scope_page_set_heat_scale (data, g_variant_get_string (value, NULL));
}

static void
change_panel (GSimpleAction *action, GVariant *value, gpointer data)
{
  g_simple_action_set_state (action, value);
  scope_page_set_panel_shown (data, g_variant_get_boolean (value));
}

/* Actions with a state, which is a setting; class actions cannot have one. */
static void
add_stateful_actions (ScopePage *self)
{
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  g_autofree char   *heat = scope_settings_get_text ("heat", "self");
  g_autofree char   *scale = scope_settings_get_text ("heat-scale", "log");
  gboolean           has_panel = scope_settings_get_flag ("panel", FALSE);
  const GActionEntry entries[] = {
    { "heat", NULL, "s", "'self'", change_heat, { 0 } },
    { "heat-scale", NULL, "s", "'log'", change_heat_scale, { 0 } },
    { "panel", NULL, NULL, "false", change_panel, { 0 } },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (group), entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "page", G_ACTION_GROUP (group));
  g_action_group_change_action_state (G_ACTION_GROUP (group), "heat", g_variant_new_string (heat));
  g_action_group_change_action_state (G_ACTION_GROUP (group), "heat-scale",
                                      g_variant_new_string (scale));
  g_action_group_change_action_state (G_ACTION_GROUP (group), "panel",
                                      g_variant_new_boolean (has_panel));
}

/* --- Searching --- */

static void
on_found (ScopePage *self)
{
  guint          n;
  const guint32 *boxes;

  if (!self->views) /* the page was closed */
    return;
  boxes = scope_outline_view_get_hits (get_outline (self), &n);
  scope_graph_view_set_hits (self->graph_view, boxes, n);
}

void
scope_page_search (ScopePage *self, const char *query)
{
  if (query && *query != '\0')
    gtk_widget_set_visible (GTK_WIDGET (get_outline (self)), TRUE);
  scope_outline_view_search (get_outline (self), query);
}

void
scope_page_step_search (ScopePage *self, int direction)
{
  scope_outline_view_step (get_outline (self), direction);
}

/* --- Following the workspace --- */

static void
show_failure (ScopePage *self)
{
  const char *message = scope_workspace_get_error (self->workspace);
  HybRemedy   remedy = scope_workspace_get_error_remedy (self->workspace);
  gboolean    is_limit = remedy == HYB_REMEDY_MEMORY || remedy == HYB_REMEDY_WORK;

  if (scope_workspace_get_document (self->workspace))
    {
      scope_page_show_message (self, message,
                               is_limit ? scope_remedy_get (remedy).label : _ ("Try Again"),
                               is_limit ? "page.raise-limits" : "page.reload");
      return;
    }
  gtk_widget_set_visible (self->raise_limits, is_limit);
  adw_status_page_set_description (self->failed, message);
  gtk_stack_set_visible_child_name (self->stack, "failed");
}

static void
on_state (ScopePage *self)
{
  switch (scope_workspace_get_state (self->workspace))
    {
    case SCOPE_STATE_EMPTY:
      break;
    case SCOPE_STATE_LOADING:
      if (!scope_workspace_get_document (self->workspace))
        gtk_stack_set_visible_child_name (self->stack, "loading");
      break;
    case SCOPE_STATE_READY:
      scope_page_show_message (self, NULL, NULL, NULL);
      gtk_stack_set_visible_child_name (self->stack, "model");
      scope_page_update_heat (self);
      scope_page_restore (self);
      break;
    case SCOPE_STATE_FAILED:
      show_failure (self);
      break;
    }
}

static void
on_running (ScopePage *self)
{
  gboolean is_running = scope_workspace_is_running (self->workspace);

  gtk_revealer_set_reveal_child (self->run_revealer, is_running);
  scope_page_update_heat_hint (self);
}

static void
on_progress (ScopePage *self)
{
  gtk_progress_bar_set_fraction (self->run_progress,
                                 scope_workspace_get_progress (self->workspace));
  if (scope_page_is_remeasuring (self))
    {
      g_autofree char *text = g_strdup_printf (_ ("Measuring this form: %s"),
                                               scope_workspace_get_phase (self->workspace));

      gtk_label_set_text (self->run_label, text);
      return;
    }
  gtk_label_set_text (self->run_label, scope_workspace_get_phase (self->workspace));
}

/* New numbers are shown at once; when they are removed, costs take their place. */
static void
on_numbers (ScopePage *self)
{
  gboolean         has_numbers = scope_workspace_get_numbers (self->workspace) != NULL;
  g_autofree char *heat =
      has_numbers ? g_strdup (SCOPE_HEAT_NUMBERS) : scope_settings_get_text ("heat", "self");

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "page.remove-numbers", has_numbers);
  if (has_numbers)
    scope_page_show_message (self, NULL, NULL, NULL);
  if (has_numbers || scope_page_shows_numbers (self))
    gtk_widget_activate_action (GTK_WIDGET (self), "page.heat", "s", heat);
  scope_page_update_heat_hint (self);
}

static void
on_problem (ScopeWorkspace *workspace G_GNUC_UNUSED, const GError *error, gpointer data)
{
  scope_page_show_error (data, error);
}

void
scope_page_open (ScopePage *self, GFile *file, const char *params)
{
  scope_page_restore_inputs (self, file);
  scope_workspace_open (self->workspace, file, params);
}

ScopeWorkspace *
scope_page_get_workspace (ScopePage *self)
{
  return self->workspace;
}

ScopeGraphView *
scope_page_get_graph_view (ScopePage *self)
{
  return self->graph_view;
}

/* --- Object --- */

static void
scope_page_dispose (GObject *object)
{
  ScopePage *self = SCOPE_PAGE (object);

  scope_page_cancel_heat (self);
  if (self->workspace)
    {
      g_signal_handlers_disconnect_by_data (self->workspace, self);
      g_clear_pointer (&self->history, scope_history_free);
      scope_workspace_cancel (self->workspace);
      scope_workspace_stop_run (self->workspace);
      scope_workspace_stop_run (self->workspace); /* the second call kills it */
    }
  g_clear_object (&self->workspace);
  g_clear_object (&self->pass_workspace);
  g_clear_pointer (&self->heat, g_free);
  g_clear_pointer (&self->heat_scale, g_free);
  scope_page_clear_family (self);
  scope_page_clear_remeasured (self);
  g_clear_pointer (&self->saved_state, g_free);
  g_clear_pointer (&self->views, g_hash_table_unref);
  G_OBJECT_CLASS (scope_page_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *class)
{
  gtk_widget_class_bind_template_child (class, ScopePage, stack);
  gtk_widget_class_bind_template_child (class, ScopePage, banner);
  gtk_widget_class_bind_template_child (class, ScopePage, banner_label);
  gtk_widget_class_bind_template_child (class, ScopePage, banner_button);
  gtk_widget_class_bind_template_child (class, ScopePage, banner_show);
  gtk_widget_class_bind_template_child (class, ScopePage, switcher);
  gtk_widget_class_bind_template_child (class, ScopePage, run_revealer);
  gtk_widget_class_bind_template_child (class, ScopePage, run_progress);
  gtk_widget_class_bind_template_child (class, ScopePage, run_label);
  gtk_widget_class_bind_template_child (class, ScopePage, remeasured);
  gtk_widget_class_bind_template_child (class, ScopePage, remeasured_label);
  gtk_widget_class_bind_template_child (class, ScopePage, split);
  gtk_widget_class_bind_template_child (class, ScopePage, left);
  gtk_widget_class_bind_template_child (class, ScopePage, sides);
  gtk_widget_class_bind_template_child (class, ScopePage, panel_button);
  gtk_widget_class_bind_template_child (class, ScopePage, panel_revealer);
  gtk_widget_class_bind_template_child (class, ScopePage, panel);
  gtk_widget_class_bind_template_child (class, ScopePage, heat_hint);
  gtk_widget_class_bind_template_child (class, ScopePage, heat_button);
  gtk_widget_class_bind_template_child (class, ScopePage, legend);
  gtk_widget_class_bind_template_child (class, ScopePage, graphs);
  gtk_widget_class_bind_template_child (class, ScopePage, pass_box);
  gtk_widget_class_bind_template_child (class, ScopePage, pass_label);
  gtk_widget_class_bind_template_child (class, ScopePage, failed);
  gtk_widget_class_bind_template_child (class, ScopePage, raise_limits);
}

static void
scope_page_class_init (ScopePageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_page_dispose;
  g_type_ensure (SCOPE_TYPE_FITTING);
  g_type_ensure (SCOPE_TYPE_LEGEND);
  g_type_ensure (SCOPE_TYPE_SPINNER);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/page.ui");
  bind_children (widget_class);
  gtk_widget_class_install_action (widget_class, "page.dismiss", NULL, act_dismiss);
  gtk_widget_class_install_action (widget_class, "page.reload", NULL, act_reload);
  gtk_widget_class_install_action (widget_class, "page.raise-limits", NULL, act_raise_limits);
  gtk_widget_class_install_action (widget_class, "page.stop", NULL, act_stop);
  gtk_widget_class_install_action (widget_class, "page.go-back", NULL, act_go);
  gtk_widget_class_install_action (widget_class, "page.go-forward", NULL, act_go);
  gtk_widget_class_install_action (widget_class, "page.bookmark", NULL, act_bookmark);
  gtk_widget_class_install_action (widget_class, "page.show-log", NULL, act_show_log);
  gtk_widget_class_install_action (widget_class, "page.show-findings", NULL, act_show_findings);
  gtk_widget_class_install_action (widget_class, "page.show-node", NULL, act_show_node);
  gtk_widget_class_install_action (widget_class, "page.run-unlimited", NULL, act_run_unlimited);
  gtk_widget_class_install_action (widget_class, "page.outline", NULL, act_side);
  gtk_widget_class_install_action (widget_class, "page.side", NULL, act_side);
  gtk_widget_class_install_action (widget_class, "page.save-view", NULL, act_save_view);
  gtk_widget_class_install_action (widget_class, "page.leave-pass", NULL, act_leave_pass);
  gtk_widget_class_install_action (widget_class, "page.remove-numbers", NULL, act_remove_numbers);
  gtk_widget_class_install_action (widget_class, "page.dismiss-measured", NULL,
                                   act_dismiss_measured);
}

/* The first time that the graph is shown it takes the focus, so that keys move in it.  A text that is typed keeps
 * the focus. */
static void
on_first_shown (GtkWidget *canvas, gpointer data)
{
  ScopePage *self = data;
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (canvas));

  g_clear_signal_handler (&self->first_shown, canvas);
  if (!GTK_IS_TEXT (focus))
    gtk_widget_grab_focus (canvas);
}

static void
follow_workspace (ScopePage *self)
{
  g_signal_connect_swapped (self->workspace, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect_swapped (self->workspace, "notify::running", G_CALLBACK (on_running), self);
  g_signal_connect_swapped (self->workspace, "notify::progress", G_CALLBACK (on_progress), self);
  g_signal_connect_swapped (self->workspace, "capture-changed", G_CALLBACK (scope_page_update_heat),
                            self);
  g_signal_connect_swapped (self->workspace, "numbers-changed", G_CALLBACK (on_numbers), self);
  g_signal_connect (self->workspace, "problem", G_CALLBACK (on_problem), self);
}

static void
scope_page_init (ScopePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->workspace = scope_workspace_new ();
  init_history (self);
  scope_page_build_views (self);
  scope_tooltip_yield (self->heat_button);
  scope_popover_return_focus (gtk_menu_button_get_popover (self->heat_button),
                              GTK_WIDGET (self->heat_button));
  add_stateful_actions (self);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "page.remove-numbers", FALSE);
  scope_page_follow_theme (self);
  scope_page_init_pass (self);
  g_signal_connect_object (get_outline (self), "found", G_CALLBACK (on_found), self,
                           G_CONNECT_SWAPPED);
  follow_workspace (self);
  self->first_shown =
      g_signal_connect_object (scope_graph_view_get_canvas (self->graph_view), "map",
                               G_CALLBACK (on_first_shown), self, G_CONNECT_AFTER);
}

GtkWidget *
scope_page_new (void)
{
  return g_object_new (SCOPE_TYPE_PAGE, NULL);
}
