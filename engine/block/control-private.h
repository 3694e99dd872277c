/* control-private.h — tracing a body: an inner F, its graph, and which outer values
 * its variables stand for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/control.h"
#include "engine/block/trace-private.h"

typedef struct
{
  HybF       *outer, *F;
  const char *name;         /* "foreach0$cond_then0" */
  GPtrArray  *placeholders; /* of HybValue of the inner F, in order: loop data, states */
  HybGraph   *graph;        /* after closing; NULL: a mistake, which outer knows */
} TracedBody;

void hyb_body_open (TracedBody *body, HybF *outer, const char *kind);
/* Variables of the body that stand for these outer values; nests like outer_values. */
HybValue *hyb_body_placeholders (TracedBody *body, HybValue *outer_values);
/* The output as a head: through _copy where MXNet needs one.  names: NULL, or a set of
 * node names that also need one. */
HybValue *
hyb_body_head (TracedBody *body, HybValue *value, GHashTable *input_names, GHashTable *names);
/* Names of all variables below these values. */
GHashTable *hyb_body_input_names (TracedBody *body, GPtrArray *values);
const char *hyb_body_node_name (TracedBody *body, HybValue *value);
/* Ends the trace. */
gboolean hyb_body_close (TracedBody *body, GPtrArray *heads);
void     hyb_body_clear (TracedBody *body);

/* Which placeholder variable number v of the closed body is; -1: a captured one. */
int hyb_body_placeholder_of (TracedBody *body, guint variable);
/* The outer value that a captured variable stands for. */
HybValue *hyb_body_outer_value (TracedBody *body, guint variable);
guint     hyb_body_n_vars (TracedBody *body);
/* Whether that variable is a cut edge: the output of an outer operator. */
gboolean hyb_body_is_cut (TracedBody *body, guint variable);
/* "[0, 3]" */
const char *hyb_locations (HybF *F, const GArray *numbers);
