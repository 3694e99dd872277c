/* cost-item.c — a row of the table of costs, with strings owned by the measurement.
 *
 * Rows are created by the operators view, which fills its table with them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/models/cost-item.h"

#include <math.h>

G_DEFINE_FINAL_TYPE (ScopeCostItem, scope_cost_item, G_TYPE_OBJECT)

static void
scope_cost_item_finalize (GObject *object)
{
  ScopeCostItem *self = SCOPE_COST_ITEM (object);

  g_clear_pointer (&self->measurement, scope_measurement_unref);
  G_OBJECT_CLASS (scope_cost_item_parent_class)->finalize (object);
}

static void
scope_cost_item_class_init (ScopeCostItemClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_cost_item_finalize;
}

static void
scope_cost_item_init (ScopeCostItem *self G_GNUC_UNUSED)
{
}

ScopeCostItem *
scope_cost_item_new_node (ScopeMeasurement *measurement, guint index)
{
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, index);
  const ProfNode    *node = prof_capture_get_node (capture, sum->row);
  ScopeCostItem     *self = g_object_new (SCOPE_TYPE_COST_ITEM, NULL);

  self->measurement = scope_measurement_ref (measurement);
  self->name = prof_capture_get_string (capture, node->name);
  self->type = prof_capture_get_string (capture, node->type);
  self->box = scope_measurement_get_box (measurement, sum->row);
  self->row = sum->row;
  self->inputs = sum->inputs;
  self->allocated = sum->allocated;
  self->count = sum->count;
  self->self = sum->self;
  self->inclusive = sum->inclusive;
  self->share = sum->self / summary->traced;
  self->flops = sum->flops;
  self->bytes = sum->bytes;
  return self;
}

ScopeCostItem *
scope_cost_item_new_group (ScopeMeasurement *measurement, const ProfGroupSum *sum)
{
  ScopeCostItem *self = g_object_new (SCOPE_TYPE_COST_ITEM, NULL);

  self->measurement = scope_measurement_ref (measurement);
  self->name = sum->name;
  self->type = sum->name;
  self->row = PROF_NONE;
  self->inputs = "";
  self->allocated = sum->allocated;
  self->count = sum->count;
  self->self = sum->self;
  self->inclusive = sum->inclusive;
  self->share = sum->share;
  self->flops = sum->flops;
  self->bytes = sum->bytes;
  return self;
}

ScopeCostItem *
scope_cost_item_new_rest (ScopeMeasurement *measurement, const ProfGroupSum *sum, const char *name)
{
  ScopeCostItem *self = scope_cost_item_new_group (measurement, sum);

  self->name = name;
  self->type = "";
  self->count = NAN;
  return self;
}
