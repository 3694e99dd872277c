/* node-view-private.h — the struct of the side pane, and its sections.
 *
 * Calls go one way: node-view.c (the class) → -facts.c, -group.c, -output.c, -weights.c → -classes.c, -costs.c,
 * -numbers.c, -origins.c, -run.c, -values.c → -places.c, -contents.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/node-view.h"

#include "app/widgets/sheet.h"

struct _ScopeNodeView
{
  ScopeView   parent_instance;
  ScopeSheet *sheet; /* borrowed: a child */
  guint       idle;  /* source that fills the pane */
  gboolean is_new; /* the pane is about something else than before, so that it begins at the top */
};

/* --- node-view-facts.c --- */

/* The model as a whole, when nothing is selected. */
void scope_node_view_show_model (ScopeNodeView *self, ScopeDocument *document);
/* One node: findings, costs, inputs, outputs, contents or values, attributes. */
void scope_node_view_show_node (ScopeNodeView    *self,
                                ScopeDocument    *document,
                                guint32           box,
                                const ScopePlace *place);

/* --- node-view-output.c --- */

/* The outputs of the model in a box: shapes, nodes that compute them, values of the last run. */
void scope_node_view_show_outputs (ScopeNodeView *self, ScopeDocument *document, guint32 box);

/* --- node-view-classes.c --- */

/* For the output that a box shows: a button that lists its five largest values, if it may be a list of classes and was
 * computed. */
void scope_node_view_show_classes (ScopeNodeView *self, ScopeDocument *document, guint32 box);

/* --- node-view-weights.c --- */

/* The weights that all steps of a layer share, if a box lists these.  FALSE: it is another box. */
gboolean scope_node_view_show_weights (ScopeNodeView *self, ScopeDocument *document, guint32 box);

/* --- node-view-group.c --- */

/* A group: costs and members. */
void scope_node_view_show_group (ScopeNodeView *self, ScopeDocument *document, guint32 box);

/* --- node-view-run.c --- */

/* The measurement as a whole: how long a run takes, how sure that is, and which run is shown. */
void scope_node_view_show_run (ScopeNodeView *self, ScopeMeasurement *measurement);

/* --- node-view-places.c --- */

/* The nodes of the model that took most of a run, with the nodes that ran in their place. */
void scope_node_view_show_places (ScopeNodeView *self, ScopeMeasurement *measurement);

/* --- node-view-origins.c --- */

/* A link of the sheet with this bit leads to a row of the measurement, not to a box. */
#define SCOPE_LINK_ROW 0x80000000u

/* The rows that compute the node in a box, unless that is itself.  measurement: (nullable) */
void scope_node_view_show_origins (ScopeNodeView *self, ScopeMeasurement *measurement, guint32 box);
/* Whether rows are other than nodes of the model.  measurement: (nullable) */
gboolean scope_node_view_has_rows (ScopeMeasurement *measurement, const GArray *rows);
/* The total cost of rows, and their source nodes in the model.  rows: of guint32, not empty */
void
scope_node_view_show_rows (ScopeNodeView *self, ScopeMeasurement *measurement, const GArray *rows);

/* --- node-view-costs.c --- */

/* Costs of one node, or of the one that computes it; nothing if it was not measured.  measurement:
 * (nullable) */
void scope_node_view_show_costs (ScopeNodeView *self, ScopeMeasurement *measurement, guint32 box);
/* Costs of all nodes in a group.  measurement: (nullable) */
void scope_node_view_show_group_costs (ScopeNodeView    *self,
                                       ScopeMeasurement *measurement,
                                       ScopeDocument    *document,
                                       guint32           box);

/* --- node-view-numbers.c --- */

/* The number of the user for a node, or the sum over the nodes in a group; nothing if there is none. */
void scope_node_view_show_numbers (ScopeNodeView *self, ScopeDocument *document, guint32 box);

/* --- node-view-contents.c --- */

/* Statistics, histogram and picture of a parameter; the computed part follows from a worker. */
void scope_node_view_show_contents (ScopeNodeView *self,
                                    ScopeDocument *document,
                                    const char    *name,
                                    HybTensor     *tensor);
/* A button that opens the table of values. */
void scope_node_view_add_values_button (ScopeNodeView *self);
/* Rows for minimum, maximum, mean and deviation, and a warning about values that are not finite. */
void scope_node_view_add_statistics (ScopeSheet *sheet, const HybStatistics *statistics);

/* --- node-view-values.c --- */

/* The results of a node in the last run. */
void
scope_node_view_show_values (ScopeNodeView *self, ScopeDocument *document, const ScopePlace *place);
/* One output of it alone.  FALSE: no values were recorded. */
gboolean scope_node_view_show_value (ScopeNodeView    *self,
                                     ScopeDocument    *document,
                                     const ScopePlace *place,
                                     guint             output);
