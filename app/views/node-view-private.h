/* node-view-private.h — the struct of the side pane, and its sections.
 *
 * Calls go one way: node-view.c (the class) → -facts.c, -group.c → -costs.c, -values.c → -contents.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/node-view.h"

#include "app/widgets/sheet.h"

struct _ScopeNodeView
{
  ScopeView   parent_instance;
  ScopeSheet *sheet; /* borrowed: a child */
  guint       idle;  /* source that fills the pane */
};

/* --- node-view-facts.c --- */

/* The model as a whole, when nothing is selected. */
void scope_node_view_show_model (ScopeNodeView *self, ScopeDocument *document);
/* One node: findings, costs, inputs, outputs, contents or values, attributes. */
void scope_node_view_show_node (ScopeNodeView    *self,
                                ScopeDocument    *document,
                                guint32           box,
                                const ScopePlace *place);

/* --- node-view-group.c --- */

/* A group: costs and members. */
void scope_node_view_show_group (ScopeNodeView *self, ScopeDocument *document, guint32 box);

/* --- node-view-costs.c --- */

/* Costs of one node; nothing if it was not measured.  measurement: (nullable) */
void scope_node_view_show_costs (ScopeNodeView *self, ScopeMeasurement *measurement, guint32 box);
/* Costs of all nodes in a group.  measurement: (nullable) */
void scope_node_view_show_group_costs (ScopeNodeView    *self,
                                       ScopeMeasurement *measurement,
                                       ScopeDocument    *document,
                                       guint32           box);

/* --- node-view-contents.c --- */

/* Statistics, histogram and picture of a parameter; the computed part follows from a worker. */
void scope_node_view_show_contents (ScopeNodeView *self,
                                    ScopeDocument *document,
                                    const char    *name,
                                    HybTensor     *tensor);
/* Rows for minimum, maximum, mean and deviation, and a warning about values that are not finite. */
void scope_node_view_add_statistics (ScopeSheet *sheet, const HybStatistics *statistics);

/* --- node-view-values.c --- */

/* What a node computed in the last run. */
void
scope_node_view_show_values (ScopeNodeView *self, ScopeDocument *document, const ScopePlace *place);
