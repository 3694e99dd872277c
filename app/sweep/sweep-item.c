/* sweep-item.c — a row of the table of cells, with texts owned by the results.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-item.h"

G_DEFINE_FINAL_TYPE (ScopeSweepItem, scope_sweep_item, G_TYPE_OBJECT)

static void
scope_sweep_item_finalize (GObject *object)
{
  g_clear_pointer (&SCOPE_SWEEP_ITEM (object)->data, scope_sweep_data_unref);
  G_OBJECT_CLASS (scope_sweep_item_parent_class)->finalize (object);
}

static void
scope_sweep_item_class_init (ScopeSweepItemClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_sweep_item_finalize;
}

static void
scope_sweep_item_init (ScopeSweepItem *self G_GNUC_UNUSED)
{
}

ScopeSweepItem *
scope_sweep_item_new (ScopeSweepData *data, guint cell)
{
  ScopeSweepItem *self = g_object_new (SCOPE_TYPE_SWEEP_ITEM, NULL);

  self->data = scope_sweep_data_ref (data);
  self->cell = cell;
  return self;
}

const ScopeCellResult *
scope_sweep_item_get_result (ScopeSweepItem *self)
{
  return &self->data->cells[self->cell];
}
