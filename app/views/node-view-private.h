/* node-view-private.h — the parts of the side pane, for views/node-view*.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/node-view.h"

#include "app/widgets/sheet.h"

struct _ScopeNodeView
{
  ScopeView   parent_instance;
  ScopeSheet *sheet; /* borrowed: a child */
  guint       idle;
};

/* A model as a whole, when nothing is selected. */
void scope_node_view_show_model (ScopeNodeView *self, ScopeDocument *document);
/* One node: operands, attributes. */
void scope_node_view_show_node (ScopeNodeView    *self,
                                ScopeDocument    *document,
                                guint32           box,
                                const ScopePlace *place);
/* A group: what is in it. */
void scope_node_view_show_group (ScopeNodeView *self, ScopeDocument *document, guint32 box);
void scope_node_view_show_findings (ScopeNodeView *self, ScopeDocument *document, const char *node);
/* node-view-costs.c */
void scope_node_view_show_costs (ScopeNodeView *self, ScopeMeasurement *measurement, guint32 box);
void scope_node_view_show_group_costs (ScopeNodeView    *self,
                                       ScopeMeasurement *measurement,
                                       ScopeDocument    *document,
                                       guint32           box);
/* node-view-contents.c */
void scope_node_view_show_contents (ScopeNodeView *self,
                                    ScopeDocument *document,
                                    const char    *name,
                                    HybTensor     *tensor);
void scope_node_view_add_statistics (ScopeSheet *sheet, const HybStatistics *statistics);
/* node-view-values.c: what a node gave in the last run. */
void
scope_node_view_show_values (ScopeNodeView *self, ScopeDocument *document, const ScopePlace *place);
