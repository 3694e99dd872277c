/* run-panel.c — the popover with run options; get_options() reads the rows, init() fills them.
 *
 * The template is resources/ui/run-panel.ui.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/run-panel.h"

#include "app/page/device-row.h"
#include "app/page/target-row.h"
#include "app/session/settings.h"
#include "app/views/inputs-view.h"
#include "app/widgets/combo-label.h"

#include <glib/gi18n.h>
#include <string.h>

struct _ScopeRunPanel
{
  AdwBin parent_instance;

  /* Template */
  ScopeInputsView *inputs;
  AdwComboRow     *mode;
  AdwComboRow     *direction;
  AdwComboRow     *init;
  AdwActionRow    *fold_row;
  GtkSwitch       *fold;
  ScopeDeviceRow  *device;
  ScopeDeviceNote *device_note;
  GtkSpinButton   *threads;
  GtkSpinButton   *seconds;
  AdwEntryRow     *input;
  ScopeTargetRow  *target;
  AdwEntryRow     *launcher;
};

G_DEFINE_FINAL_TYPE (ScopeRunPanel, scope_run_panel, ADW_TYPE_BIN)

/* In the order of the lists in run-panel.ui. */
static const char *const modes[] = { "static", "hybrid", "imperative", NULL };
static const char *const inits[] = { "uniform", "zeros", "xavier", NULL };

static guint
index_of (const char *const *words, const char *word)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], word) == 0)
      return i;
  return 0;
}

static char *
text_of (AdwEntryRow *row)
{
  return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (row))));
}

ScopeRunOptions *
scope_run_panel_get_options (ScopeRunPanel *self)
{
  ScopeRunOptions *options = g_new0 (ScopeRunOptions, 1);
  guint            direction = adw_combo_row_get_selected (self->direction);

  options->device = g_strdup (scope_device_row_get_device (self->device));
  options->mode = g_strdup (modes[MIN (adw_combo_row_get_selected (self->mode), 2u)]);
  options->init = g_strdup (inits[MIN (adw_combo_row_get_selected (self->init), 2u)]);
  options->input = text_of (self->input);
  options->launcher = text_of (self->launcher);
  options->target = g_strdup (scope_target_row_get_target (self->target));
  options->threads = gtk_spin_button_get_value_as_int (self->threads);
  options->seconds = gtk_spin_button_get_value_as_int (self->seconds);
  options->patience = scope_settings_get_int ("run-patience", SCOPE_RUN_PATIENCE);
  options->train = direction == 1;
  options->backward = direction == 2;
  options->fold = gtk_switch_get_active (self->fold);
  scope_run_options_save (options);
  return options;
}

void
scope_run_panel_set_workspace (ScopeRunPanel *self, ScopeWorkspace *workspace)
{
  scope_view_set_workspace (SCOPE_VIEW (self->inputs), workspace);
}

void
scope_run_panel_focus_inputs (ScopeRunPanel *self)
{
  scope_inputs_view_focus_open (self->inputs);
}

void
scope_run_panel_set_input (ScopeRunPanel *self, const char *path)
{
  gtk_editable_set_text (GTK_EDITABLE (self->input), path);
}

void
scope_run_panel_focus_device (ScopeRunPanel *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->device));
}

static void
scope_run_panel_class_init (ScopeRunPanelClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  g_type_ensure (SCOPE_TYPE_INPUTS_VIEW);
  g_type_ensure (SCOPE_TYPE_DEVICE_ROW);
  g_type_ensure (SCOPE_TYPE_DEVICE_NOTE);
  g_type_ensure (SCOPE_TYPE_TARGET_ROW);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/run-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, inputs);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, mode);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, direction);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, init);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, fold_row);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, fold);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, device);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, device_note);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, threads);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, seconds);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, input);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, launcher);
  gtk_widget_class_bind_template_child (widget_class, ScopeRunPanel, target);
}

static void
update_host (ScopeRunPanel *self)
{
  g_autofree char *launcher = text_of (self->launcher);
  gboolean         has_target = *scope_target_row_get_target (self->target) != '\0';

  scope_device_row_set_remote (self->device, has_target || *launcher != '\0');
  /* A target has a launcher of its own. */
  gtk_widget_set_sensitive (GTK_WIDGET (self->launcher), !has_target);
}

static void
update_fold (ScopeRunPanel *self)
{
  const char *mode = modes[MIN (adw_combo_row_get_selected (self->mode), 2u)];

  gtk_widget_set_sensitive (GTK_WIDGET (self->fold_row),
                            scope_run_options_may_fold (mode, adw_combo_row_get_selected (
                                                                  self->direction) != 0));
}

static void
scope_run_panel_init (ScopeRunPanel *self)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();

  gtk_widget_init_template (GTK_WIDGET (self));
  scope_combo_row_show_whole (self->mode);
  scope_combo_row_show_whole (self->direction);
  scope_combo_row_show_whole (self->init);
  adw_combo_row_set_selected (self->mode, index_of (modes, options->mode));
  adw_combo_row_set_selected (self->init, index_of (inits, options->init));
  adw_combo_row_set_selected (self->direction, options->backward ? 2 : options->train ? 1 : 0);
  gtk_switch_set_active (self->fold, options->fold);
  g_signal_connect_swapped (self->mode, "notify::selected", G_CALLBACK (update_fold), self);
  g_signal_connect_swapped (self->direction, "notify::selected", G_CALLBACK (update_fold), self);
  update_fold (self);
  scope_device_row_set_note (self->device, self->device_note);
  scope_device_row_set_device (self->device, options->device);
  gtk_editable_set_text (GTK_EDITABLE (self->input), options->input);
  g_signal_connect_swapped (self->launcher, "changed", G_CALLBACK (update_host), self);
  g_signal_connect_swapped (self->target, "notify::selected", G_CALLBACK (update_host), self);
  scope_target_row_set_target (self->target, options->target);
  gtk_editable_set_text (GTK_EDITABLE (self->launcher), options->launcher);
  gtk_spin_button_set_value (self->threads, options->threads);
  gtk_spin_button_set_value (self->seconds, options->seconds);
}
