/* remedies.h — the buttons of remedies, for findings and for errors.
 *
 * Remedies that hscope words as options are buttons in the window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/finding.h"
#include "engine/graph/graph.h"

#include <gtk/gtk.h>

typedef struct
{
  const char *label;  /* translated */
  const char *action; /* with its target, "win.convert::unrolled" */
} ScopeRemedy;

/* The button of a remedy; for HYB_REMEDY_NONE it shows the log. */
ScopeRemedy scope_remedy_get (HybRemedy remedy);
/* The button of a finding (transfer floating), or NULL if nothing can be done about it here.  graph: of the
 * model that it is about. */
GtkWidget *scope_remedy_button_new (const HybFinding *finding, HybGraph *graph);
/* Makes a button offer other operators for a node whose operator the engine does not have. */
void scope_remedy_set_replacement (GtkActionable *button, const char *node);
/* Makes a button activate an action that may have a target, "win.convert::unrolled". */
void scope_remedy_set_action (GtkActionable *button, const char *action);
