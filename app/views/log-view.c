/* log-view.c — the log of the workspace as a table; selecting a line shows its node.
 *
 * The table follows the list model of the workspace by itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/log-view.h"

#include "app/document/log-item.h"
#include "app/widgets/columns.h"

#include <glib/gi18n.h>

struct _ScopeLogView
{
  ScopeView  parent_instance;
  GtkWidget *scroller; /* borrowed: child */
};

G_DEFINE_FINAL_TYPE (ScopeLogView, scope_log_view, SCOPE_TYPE_VIEW)

static char *
text_time (gpointer item)
{
  return g_strdup (scope_log_item_get_time (item));
}

static char *
text_level (gpointer item)
{
  static const char *const names[] = { N_ ("note"), N_ ("warning"), N_ ("error") };

  return g_strdup (_ (names[CLAMP (scope_log_item_get_level (item), 0, 2)]));
}

static char *
text_text (gpointer item)
{
  return g_strdup (scope_log_item_get_text (item));
}

static ScopeColumn columns[] = {
  { N_ ("Time"), text_time, NULL, FALSE, FALSE, NULL, 10 },
  { N_ ("Kind"), text_level, NULL, FALSE, FALSE, NULL, 10 },
  { N_ ("What"), text_text, NULL, FALSE, TRUE },
};

static void
on_row (GtkSingleSelection *selection, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  gpointer        item = gtk_single_selection_get_selected_item (selection);
  ScopeWorkspace *workspace = scope_view_get_workspace (data);

  if (item && workspace && scope_log_item_get_box (item) != VIZ_ROOT)
    scope_workspace_show (workspace, scope_log_item_get_box (item));
}

static void
scope_log_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeLogView   *self = SCOPE_LOG_VIEW (view);
  ScopeWorkspace *workspace = scope_view_get_workspace (view);
  GtkWidget      *table;

  if (!workspace || !self->scroller)
    return;
  table = scope_columns_new (scope_workspace_get_log (workspace), columns, G_N_ELEMENTS (columns),
                             NULL);
  gtk_widget_set_name (table, "log-table");
  g_signal_connect (gtk_column_view_get_model (GTK_COLUMN_VIEW (table)), "notify::selected-item",
                    G_CALLBACK (on_row), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), table);
}

static void
scope_log_view_class_init (ScopeLogViewClass *class)
{
  SCOPE_VIEW_CLASS (class)->workspace_changed = scope_log_view_workspace_changed;
}

static void
scope_log_view_init (ScopeLogView *self)
{
  static gboolean is_translated;

  for (guint i = 0; !is_translated && i < G_N_ELEMENTS (columns); i++)
    columns[i].title = _ (columns[i].title);
  is_translated = TRUE;
  self->scroller = gtk_scrolled_window_new ();
  adw_bin_set_child (ADW_BIN (self), self->scroller);
}
