/* preferences.c — the preferences dialog; every change takes effect at once.
 *
 * Stored data is measured and deleted by count_in_worker().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/preferences.h"

#include "app/process/worker.h"
#include "app/session/settings.h"
#include "app/widgets/combo-label.h"
#include "app/window/targets-page.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

struct _ScopePreferences
{
  AdwPreferencesWindow parent_instance;

  /* Template */
  AdwComboRow  *colours;
  GtkSwitch    *reopen;
  GtkSwitch    *reread;
  GtkSwitch    *measure_forms;
  AdwActionRow *recent;
  AdwActionRow *kept;

  AdwPreferencesPage *targets;
};

G_DEFINE_FINAL_TYPE (ScopePreferences, scope_preferences, ADW_TYPE_PREFERENCES_WINDOW)

/* In the order of the row's list. */
static const char *const schemes[] = { "follow", "light", "dark" };

static void
on_colours (ScopePreferences *self)
{
  guint chosen = MIN (adw_combo_row_get_selected (self->colours), G_N_ELEMENTS (schemes) - 1u);

  gtk_widget_activate_action (GTK_WIDGET (self), "app.colours", "s", schemes[chosen]);
}

static void
on_switch (GtkSwitch *toggle, GParamSpec *pspec G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  scope_settings_set_flag (gtk_widget_get_name (GTK_WIDGET (toggle)),
                           gtk_switch_get_active (toggle));
}

static void
update_recent (ScopePreferences *self)
{
  g_auto (GStrv) uris = scope_settings_get_recent ();
  guint            n = g_strv_length (uris);
  g_autofree char *text = g_strdup_printf (g_dngettext (NULL, "%u file", "%u files", n), n);

  adw_action_row_set_subtitle (self->recent, text);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "preferences.forget", n > 0);
}

static void
act_forget (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_settings_set_list ("recent", (const char *const[]){ NULL });
  update_recent (SCOPE_PREFERENCES (widget));
}

/* --- Stored data --- */

/* The size of a file or folder in bytes; with delete, files are removed and only those that remain count.
 * Symbolic links are not followed. */
static goffset
measure_or_delete (const char *path, gboolean delete)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  goffset     bytes = 0;
  const char *name;
  GStatBuf    info;

  if (!dir)
    {
      if (g_stat (path, &info) == 0 && (!delete || g_remove (path) != 0))
        bytes = info.st_size;
      return bytes;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      /* A link leads elsewhere. */
      if (!g_file_test (inside, G_FILE_TEST_IS_SYMLINK))
        bytes += measure_or_delete (inside, delete);
    }
  return bytes;
}

static void
count_in_worker (GTask *task, gpointer data)
{
  gboolean delete = GPOINTER_TO_INT (data);
  gssize bytes = 0;

  for (const char *const *part = (const char *const[]){ "captures", "converted", "unpacked", NULL };
       *part != NULL; part++)
    {
      g_autofree char *path =
          g_build_filename (g_get_user_cache_dir (), "hybridscope", *part, NULL);

      bytes += (gssize) measure_or_delete (path, delete);
    }
  g_task_return_int (task, bytes);
}

static void
counted_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopePreferences *self = SCOPE_PREFERENCES (source);
  gssize            bytes = g_task_propagate_int (G_TASK (result), NULL);
  g_autofree char  *text = g_format_size ((guint64) MAX (bytes, 0));

  adw_action_row_set_subtitle (self->kept, text);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "preferences.empty", bytes > 0);
}

static void
count (ScopePreferences *self, gboolean delete)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, counted_cb, NULL);

  g_task_set_task_data (task, GINT_TO_POINTER (delete), NULL);
  scope_worker_run (task, count_in_worker);
}

static void
act_empty (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  count (SCOPE_PREFERENCES (widget), TRUE);
}

/* --- Object --- */

static void
scope_preferences_class_init (ScopePreferencesClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  g_type_ensure (SCOPE_TYPE_TARGETS_PAGE);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/preferences.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopePreferences, colours);
  gtk_widget_class_bind_template_child (widget_class, ScopePreferences, reopen);
  gtk_widget_class_bind_template_child (widget_class, ScopePreferences, reread);
  gtk_widget_class_bind_template_child (widget_class, ScopePreferences, measure_forms);
  gtk_widget_class_bind_template_child (widget_class, ScopePreferences, recent);
  gtk_widget_class_bind_template_child (widget_class, ScopePreferences, kept);
  gtk_widget_class_bind_template_child (widget_class, ScopePreferences, targets);
  gtk_widget_class_install_action (widget_class, "preferences.forget", NULL, act_forget);
  gtk_widget_class_install_action (widget_class, "preferences.empty", NULL, act_empty);
}

static void
scope_preferences_init (ScopePreferences *self)
{
  g_autofree char *scheme = scope_settings_get_text ("colours", schemes[0]);

  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_str_equal (scheme, schemes[i]))
      adw_combo_row_set_selected (self->colours, i);
  gtk_switch_set_active (self->reopen, scope_settings_get_flag ("reopen", FALSE));
  gtk_switch_set_active (self->reread, scope_settings_get_flag ("reread", TRUE));
  gtk_switch_set_active (self->measure_forms, scope_settings_get_flag ("measure-forms", TRUE));
  scope_combo_row_show_whole (self->colours);
  g_signal_connect_swapped (self->colours, "notify::selected", G_CALLBACK (on_colours), self);
  g_signal_connect (self->reopen, "notify::active", G_CALLBACK (on_switch), NULL);
  g_signal_connect (self->reread, "notify::active", G_CALLBACK (on_switch), NULL);
  g_signal_connect (self->measure_forms, "notify::active", G_CALLBACK (on_switch), NULL);
  update_recent (self);
  count (self, FALSE);
}

/* A task may keep the closed dialog alive for longer than its parent, to which GTK would refer. */
static void
on_parent_destroyed (GtkWindow *self)
{
  gtk_window_set_transient_for (self, NULL);
}

static ScopePreferences *
show (GtkWindow *parent)
{
  ScopePreferences *self =
      g_object_new (SCOPE_TYPE_PREFERENCES, "application", gtk_window_get_application (parent),
                    "transient-for", parent, "modal", TRUE, NULL);

  g_signal_connect_object (parent, "destroy", G_CALLBACK (on_parent_destroyed), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (self));
  return self;
}

void
scope_preferences_show (GtkWindow *parent)
{
  show (parent);
}

void
scope_preferences_show_targets (GtkWindow *parent)
{
  ScopePreferences *self = show (parent);

  adw_preferences_window_set_visible_page (ADW_PREFERENCES_WINDOW (self), self->targets);
}
