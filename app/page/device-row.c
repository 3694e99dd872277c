/* device-row.c — a list of the processor and the first GPUs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/device-row.h"

#include <glib/gi18n.h>

#define N_GPUS 4

struct _ScopeDeviceRow
{
  AdwComboRow parent_instance;
  GPtrArray  *names; /* of char *, in the order of the list */
};

G_DEFINE_FINAL_TYPE (ScopeDeviceRow, scope_device_row, ADW_TYPE_COMBO_ROW)

static void
add_device (ScopeDeviceRow *self, const char *name, const char *title)
{
  GListModel *model = adw_combo_row_get_model (ADW_COMBO_ROW (self));

  g_ptr_array_add (self->names, g_strdup (name));
  gtk_string_list_append (GTK_STRING_LIST (model), title);
}

const char *
scope_device_row_get_device (ScopeDeviceRow *self)
{
  guint selected = adw_combo_row_get_selected (ADW_COMBO_ROW (self));

  return self->names->pdata[MIN (selected, self->names->len - 1)];
}

void
scope_device_row_set_device (ScopeDeviceRow *self, const char *device)
{
  guint index;

  if (g_str_equal (device, "gpu"))
    device = "gpu:0";
  if (!g_ptr_array_find_with_equal_func (self->names, device, g_str_equal, &index))
    {
      index = self->names->len;
      add_device (self, device, device);
    }
  adw_combo_row_set_selected (ADW_COMBO_ROW (self), index);
}

static void
scope_device_row_finalize (GObject *object)
{
  g_ptr_array_unref (SCOPE_DEVICE_ROW (object)->names);
  G_OBJECT_CLASS (scope_device_row_parent_class)->finalize (object);
}

static void
scope_device_row_class_init (ScopeDeviceRowClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_device_row_finalize;
}

static void
scope_device_row_init (ScopeDeviceRow *self)
{
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

  self->names = g_ptr_array_new_with_free_func (g_free);
  adw_combo_row_set_model (ADW_COMBO_ROW (self), G_LIST_MODEL (list));
  add_device (self, "cpu", _ ("Processor"));
  for (guint i = 0; i < N_GPUS; i++)
    {
      g_autofree char *name = g_strdup_printf ("gpu:%u", i);
      g_autofree char *title = g_strdup_printf (_ ("GPU %u"), i);

      add_device (self, name, title);
    }
}
