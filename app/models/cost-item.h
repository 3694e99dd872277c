/* cost-item.h — a row of the table of costs: one node, or a group of nodes.
 *
 * The members are read directly by the columns of the table.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/measurement.h"

#define SCOPE_TYPE_COST_ITEM (scope_cost_item_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCostItem, scope_cost_item, SCOPE, COST_ITEM, GObject)

/* Values, to be read only. */
struct _ScopeCostItem
{
  GObject           parent_instance;
  ScopeMeasurement *measurement; /* keeps the texts alive */
  const char       *name;
  const char       *type;
  guint32           box;    /* VIZ_ROOT: none, or several */
  guint32           row;    /* of the measurement; PROF_NONE: none, or several */
  const char       *inputs; /* types; "": not known */
  double            count, self, inclusive, share, flops, bytes, allocated; /* NaN: not known */
};

/* index: into the nodes of the measurement's summary. */
ScopeCostItem *scope_cost_item_new_node (ScopeMeasurement *measurement, guint index);
/* All nodes of one operator, or in one scope. */
ScopeCostItem *scope_cost_item_new_group (ScopeMeasurement *measurement, const ProfGroupSum *sum);
/* Time outside of all nodes: sum is of prof_summary_rest().  name: static, in the user's language.
 */
ScopeCostItem *
scope_cost_item_new_rest (ScopeMeasurement *measurement, const ProfGroupSum *sum, const char *name);
