/* compare-window.c — the compare window: class, actions, header bar and frame.
 *
 * compare-window-panes.c converts the model and links the panes; compare-window-measure.c measures and
 * colours them.  Start reading with scope_compare_window_show().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-window-private.h"

#include "app/session/settings.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

G_DEFINE_FINAL_TYPE (ScopeCompareWindow, scope_compare_window, ADW_TYPE_WINDOW)

enum
{
  PROP_LINKED = 1,
  PROP_COLOURS,
  N_PROPS,
};

static GParamSpec *props[N_PROPS];

/* --- Actions --- */

static void
act_measure (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (widget);

  gtk_popover_popdown (self->options);
  scope_settings_set_int ("compare-seconds", gtk_spin_button_get_value_as_int (self->seconds));
  scope_compare_window_measure (self);
}

static void
act_stop (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_compare_window_stop (SCOPE_COMPARE_WINDOW (widget));
}

/* The first form that no pane shows. */
static void
act_add (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (widget);
  const char *const  *forms = scope_conversion_forms ();
  const char         *form = NULL;

  for (guint i = 0; !form && forms[i]; i++)
    {
      form = forms[i];
      for (guint k = 0; k < SCOPE_MAX_PANES; k++)
        if (self->panes[k] && g_str_equal (scope_compare_pane_get_form (self->panes[k]), forms[i]))
          form = NULL;
    }
  scope_compare_window_add_pane (self, form ? form : forms[0]);
}

static void
act_fit (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (widget);

  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      scope_compare_pane_show_all (self->panes[i]);
}

/* --- The frame --- */

static GtkWidget *
new_button (const char *icon, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label,
                                  -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

static GtkWidget *
new_colours_button (void)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new ();

  g_menu_append (menu, _ ("No Colours"), "compare.colours::none");
  g_menu_append (menu, _ ("Self Time"), "compare.colours::self");
  g_menu_append (menu, _ ("Difference to the First Pane"), "compare.colours::difference");
  gtk_menu_button_set_label (GTK_MENU_BUTTON (button), _ ("Colours"));
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_widget_set_tooltip_text (button, _ ("Quantity shown by colours"));
  return button;
}

static void
add_option (GtkWidget *grid, int row, const char *text, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_widget_set_halign (widget, GTK_ALIGN_END);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), widget);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (widget),
                                  GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  label,
                                  NULL,
                                  -1);
  gtk_grid_attach (GTK_GRID (grid), label, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), widget, 1, row, 1, 1);
}

static GtkWidget *
new_options (ScopeCompareWindow *self)
{
  GtkWidget *popover = gtk_popover_new (), *grid = gtk_grid_new ();
  GtkWidget *batches = gtk_entry_new (), *training = gtk_switch_new ();
  GtkWidget *seconds = gtk_spin_button_new_with_range (2, 3600, 5);

  self->options = GTK_POPOVER (popover);
  self->batches = GTK_EDITABLE (batches);
  self->training = GTK_SWITCH (training);
  self->seconds = GTK_SPIN_BUTTON (seconds);
  gtk_spin_button_set_value (self->seconds, scope_settings_get_int ("compare-seconds", 20));
  gtk_entry_set_placeholder_text (GTK_ENTRY (batches), "1, 32");
  gtk_editable_set_width_chars (self->batches, 10);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 9);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_widget_add_css_class (grid, "panel-body");
  add_option (grid, 0, _ ("Batch sizes"), batches);
  add_option (grid, 1, _ ("Forward and backward"), training);
  add_option (grid, 2, _ ("Time limit in seconds"), seconds);
  gtk_popover_set_child (self->options, grid);
  return popover;
}

static GtkWidget *
new_header (ScopeCompareWindow *self)
{
  GtkWidget *header = adw_header_bar_new (), *link = gtk_toggle_button_new ();
  GtkWidget *measure = adw_split_button_new ();

  gtk_button_set_label (GTK_BUTTON (link), _ ("Linked"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (link), "compare.linked");
  gtk_widget_set_name (link, "compare-link");
  gtk_widget_set_tooltip_text (link, _ ("Move all panes together"));
  adw_split_button_set_label (ADW_SPLIT_BUTTON (measure), _ ("Measure"));
  adw_split_button_set_popover (ADW_SPLIT_BUTTON (measure), GTK_POPOVER (new_options (self)));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (measure), "compare.measure");
  gtk_widget_set_tooltip_text (measure, _ ("Measure all forms in turn"));
  adw_split_button_set_dropdown_tooltip (ADW_SPLIT_BUTTON (measure), _ ("Measurement options"));
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), link);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header),
                             new_button ("zoom-fit-best-symbolic", _ ("Show all"), "compare.fit"));
  adw_header_bar_pack_start (ADW_HEADER_BAR (header),
                             new_button ("list-add-symbolic", _ ("Add a form"), "compare.add"));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), measure);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), new_colours_button ());
  return header;
}

static GtkWidget *
new_waiting (ScopeCompareWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *bar = gtk_progress_bar_new ();
  GtkWidget *label =
      gtk_label_new (_ ("Converting the model and proving that the forms are equal…"));
  GtkWidget *cancel = gtk_button_new_with_label (_ ("Cancel"));

  self->progress = GTK_PROGRESS_BAR (bar);
  self->progress_label = GTK_LABEL (label);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_set_size_request (bar, 320, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "compare.stop");
  gtk_widget_set_halign (cancel, GTK_ALIGN_CENTER);
  gtk_widget_set_halign (box, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress of the run"),
                                  -1);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), cancel);
  return box;
}

static GtkWidget *
new_lower (ScopeCompareWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *stack = gtk_stack_new ();
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->stack = GTK_STACK (stack);
  self->failed = ADW_STATUS_PAGE (adw_status_page_new ());
  self->result = SCOPE_COMPARE_RESULT (scope_compare_result_new ());
  self->legend = g_object_new (SCOPE_TYPE_LEGEND, NULL);
  adw_status_page_set_title (self->failed, _ ("Not Measured"));
  gtk_widget_add_css_class (GTK_WIDGET (self->failed), "compact");
  gtk_widget_add_css_class (bar, "panel-bar");
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (self->legend));
  gtk_stack_add_named (self->stack, new_waiting (self), "waiting");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->failed), "failed");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->result), "result");
  gtk_widget_set_vexpand (stack, TRUE);
  gtk_widget_set_size_request (stack, -1, 200);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), stack);
  return box;
}

/* --- Object --- */

static void
scope_compare_window_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (object);

  if (id == PROP_LINKED)
    g_value_set_boolean (value, self->is_linked);
  else if (id == PROP_COLOURS)
    g_value_set_string (value, self->colours);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
scope_compare_window_set_property (GObject      *object,
                                   guint         id,
                                   const GValue *value,
                                   GParamSpec   *pspec)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (object);

  if (id == PROP_LINKED)
    self->is_linked = g_value_get_boolean (value);
  else if (id == PROP_COLOURS)
    {
      g_free (self->colours);
      self->colours = g_value_dup_string (value);
      scope_compare_window_update_colours (self);
    }
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static gboolean
scope_compare_window_close_request (GtkWindow *window)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (window);

  g_cancellable_cancel (self->cancellable);
  scope_compare_window_stop (self);
  return GTK_WINDOW_CLASS (scope_compare_window_parent_class)->close_request (window);
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      g_remove (file);
    }
  g_rmdir (path);
}

static void
scope_compare_window_dispose (GObject *object)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (object);

  g_clear_handle_id (&self->progress_tick, g_source_remove);
  g_clear_handle_id (&self->adding, g_source_remove);
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    {
      self->panes[i] = NULL;
      g_clear_pointer (&self->maps[i], scope_node_map_unref);
      g_clear_pointer (&self->conversions[i], scope_conversion_free);
    }
  G_OBJECT_CLASS (scope_compare_window_parent_class)->dispose (object);
}

static void
scope_compare_window_finalize (GObject *object)
{
  ScopeCompareWindow *self = SCOPE_COMPARE_WINDOW (object);

  if (self->folder)
    remove_folder (self->folder);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->measuring);
  g_clear_pointer (&self->unrolled, scope_conversion_free);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_strfreev (self->shapes);
  g_free (self->refusal);
  g_free (self->colours);
  g_free (self->folder);
  g_free (self->title);
  g_free (self->model);
  G_OBJECT_CLASS (scope_compare_window_parent_class)->finalize (object);
}

static void
scope_compare_window_class_init (ScopeCompareWindowClass *class)
{
  GObjectClass   *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  object_class->get_property = scope_compare_window_get_property;
  object_class->set_property = scope_compare_window_set_property;
  object_class->dispose = scope_compare_window_dispose;
  object_class->finalize = scope_compare_window_finalize;
  GTK_WINDOW_CLASS (class)->close_request = scope_compare_window_close_request;
  props[PROP_LINKED] =
      g_param_spec_boolean ("linked", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  props[PROP_COLOURS] = g_param_spec_string ("colours",
                                             NULL,
                                             NULL,
                                             "self",
                                             G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_install_property_action (widget_class, "compare.linked", "linked");
  gtk_widget_class_install_property_action (widget_class, "compare.colours", "colours");
  gtk_widget_class_install_action (widget_class, "compare.measure", NULL, act_measure);
  gtk_widget_class_install_action (widget_class, "compare.stop", NULL, act_stop);
  gtk_widget_class_install_action (widget_class, "compare.add", NULL, act_add);
  gtk_widget_class_install_action (widget_class, "compare.fit", NULL, act_fit);
}

static void
scope_compare_window_init (ScopeCompareWindow *self)
{
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *split = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 1);

  self->is_linked = TRUE;
  self->colours = g_strdup ("self");
  self->cancellable = g_cancellable_new ();
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->row = GTK_BOX (row);
  gtk_box_set_homogeneous (self->row, TRUE);
  gtk_widget_add_css_class (row, "compare-panes");
  gtk_paned_set_start_child (GTK_PANED (split), row);
  gtk_paned_set_end_child (GTK_PANED (split), new_lower (self));
  gtk_paned_set_resize_end_child (GTK_PANED (split), FALSE);
  gtk_paned_set_shrink_start_child (GTK_PANED (split), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (split), FALSE);
  gtk_paned_set_position (GTK_PANED (split), 430);
  gtk_widget_set_vexpand (split, TRUE);
  gtk_box_append (GTK_BOX (content), new_header (self));
  gtk_box_append (GTK_BOX (content), split);
  adw_window_set_content (ADW_WINDOW (self), content);
  gtk_window_set_title (GTK_WINDOW (self), _ ("Compare Forms"));
  gtk_window_set_default_size (GTK_WINDOW (self), 1240, 780);
}

/* "lstm" for "…/lstm-symbol.json" and "gallery:lstm?length=3".  (transfer full) */
static char *
dup_title (const char *model)
{
  g_autofree char *base = g_path_get_basename (model);
  char            *begin = strchr (base, ':') ? strchr (base, ':') + 1 : base;

  for (const char *const *ending = (const char *const[]){ "?", ".json", "-symbol", NULL };
       *ending != NULL;
       ending++)
    {
      char *at = strstr (begin, *ending);

      if (at && at != begin)
        *at = '\0';
    }
  return g_strdup (begin);
}

/* Panes are added one by one from the main loop, so that the window appears at once. */
static gboolean
add_next_pane (gpointer data)
{
  static const char *const forms[] = { "unrolled", "foreach", "fused" };
  ScopeCompareWindow      *self = data;

  scope_compare_window_add_pane (self, forms[scope_compare_window_n_panes (self)]);
  if (scope_compare_window_n_panes (self) < G_N_ELEMENTS (forms))
    return G_SOURCE_CONTINUE;
  self->adding = 0;
  return G_SOURCE_REMOVE;
}

/* Tasks may keep the closed window alive for longer than its parent, to which GTK would refer. */
static void
on_parent_destroyed (GtkWindow *self)
{
  gtk_window_set_transient_for (self, NULL);
}

void
scope_compare_window_show (GtkWindow *parent, const char *model, const char *const *shapes)
{
  ScopeCompareWindow *self =
      g_object_new (SCOPE_TYPE_COMPARE_WINDOW, "transient-for", parent, NULL);
  g_autofree char *title = NULL;

  g_signal_connect_object (parent,
                           "destroy",
                           G_CALLBACK (on_parent_destroyed),
                           self,
                           G_CONNECT_SWAPPED);
  self->model = g_strdup (model);
  self->shapes = g_strdupv ((char **) shapes);
  self->title = dup_title (model);
  title = g_strdup_printf (_ ("Compare Forms of %s"), self->title);
  gtk_window_set_title (GTK_WINDOW (self), title);
  self->adding = g_idle_add_full (G_PRIORITY_HIGH_IDLE, add_next_pane, self, NULL);
  scope_compare_window_start (self);
  gtk_window_present (GTK_WINDOW (self));
}
