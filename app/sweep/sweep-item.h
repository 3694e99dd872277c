/* sweep-item.h — a row of the table of cells.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/sweep/sweep-data.h"

#define SCOPE_TYPE_SWEEP_ITEM (scope_sweep_item_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSweepItem, scope_sweep_item, SCOPE, SWEEP_ITEM, GObject)

struct _ScopeSweepItem
{
  GObject         parent_instance;
  ScopeSweepData *data; /* owned; replaced by the newest when the folder is read again */
  guint           cell;
};

/* A row for a cell. */
ScopeSweepItem *scope_sweep_item_new (ScopeSweepData *data, guint cell);
/* The result of the cell. */
const ScopeCellResult *scope_sweep_item_get_result (ScopeSweepItem *self);
