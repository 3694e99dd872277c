/* target-row.c — the list of targets as a row with a drop-down.
 *
 * The first entry is this computer.  Start at read_targets().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/target-row.h"

#include "app/targets/target-list.h"

#include <glib/gi18n.h>

struct _ScopeTargetRow
{
  AdwComboRow parent_instance;

  GStrv names; /* of the entries; "" for this computer */
};

G_DEFINE_FINAL_TYPE (ScopeTargetRow, scope_target_row, ADW_TYPE_COMBO_ROW)

/* A file that makes no sense offers this computer only. */
static void
read_targets (ScopeTargetRow *self)
{
  g_autoptr (GPtrArray) targets = scope_targets_read (NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);

  g_strv_builder_add (names, "");
  gtk_string_list_append (titles, _ ("This Computer"));
  for (guint i = 0; targets && i < targets->len; i++)
    {
      const ScopeTarget *target = targets->pdata[i];

      g_strv_builder_add (names, target->name);
      gtk_string_list_append (titles, target->name);
    }
  g_strfreev (self->names);
  self->names = g_strv_builder_end (names);
  adw_combo_row_set_model (ADW_COMBO_ROW (self), G_LIST_MODEL (titles));
}

const char *
scope_target_row_get_target (ScopeTargetRow *self)
{
  guint selected = adw_combo_row_get_selected (ADW_COMBO_ROW (self));

  return selected < g_strv_length (self->names) ? self->names[selected] : "";
}

void
scope_target_row_set_target (ScopeTargetRow *self, const char *target)
{
  guint found = 0;

  for (guint i = 0; self->names[i]; i++)
    if (g_strcmp0 (self->names[i], target) == 0)
      found = i;
  adw_combo_row_set_selected (ADW_COMBO_ROW (self), found);
}

/* Targets may have been added or removed meanwhile. */
static void
scope_target_row_map (GtkWidget *widget)
{
  ScopeTargetRow  *self = SCOPE_TARGET_ROW (widget);
  g_autofree char *target = g_strdup (scope_target_row_get_target (self));

  read_targets (self);
  scope_target_row_set_target (self, target);
  GTK_WIDGET_CLASS (scope_target_row_parent_class)->map (widget);
}

static void
scope_target_row_finalize (GObject *object)
{
  g_strfreev (SCOPE_TARGET_ROW (object)->names);
  G_OBJECT_CLASS (scope_target_row_parent_class)->finalize (object);
}

static void
scope_target_row_class_init (ScopeTargetRowClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_target_row_finalize;
  GTK_WIDGET_CLASS (class)->map = scope_target_row_map;
}

static void
scope_target_row_init (ScopeTargetRow *self)
{
  read_targets (self);
}
