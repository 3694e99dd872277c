/* control-private.h — a body of a loop or branch that is traced into a graph of its own.
 *
 * An inner HybF traces the body.  Its variables are placeholders (slices of loop data, states, loop
 * variables), captured values of the surrounding graph, and parameters.  Order of the calls:
 * hyb_body_open(), hyb_body_placeholders(), the user's function, hyb_body_head() for every output,
 * hyb_body_close(); then the functions that return the values of the variables, hyb_body_clear().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/control.h"
#include "engine/block/trace-private.h"

typedef struct
{
  HybF       *outer;        /* traces the surrounding graph */
  HybF       *F;            /* traces the body */
  const char *name;         /* "foreach0$cond_then0": the value of __subgraph_name__ */
  GPtrArray  *placeholders; /* of HybValue of F, in order of creation */
  HybGraph   *graph;        /* NULL before hyb_body_close() and if it failed */
} TracedBody;

/* Starts the trace.  kind: "foreach", "cond_then" …, which the body's name starts with. */
void hyb_body_open (TracedBody *body, HybF *outer, const char *kind);
/* Adds placeholders for outer values; the result is nested like outer_values. */
HybValue *hyb_body_placeholders (TracedBody *body, HybValue *outer_values);
/* The names of all variables on which values (of HybValue) depend, as a set.  (transfer full) */
GHashTable *hyb_body_input_names (TracedBody *body, GPtrArray *values);
/* The value as a head of the body.  MXNet requires a node of its own (_copy) for a head that is
 * a variable in input_names, comes from outside, or is a node named in names (which may be
 * NULL). */
HybValue *
hyb_body_head (TracedBody *body, HybValue *value, GHashTable *input_names, GHashTable *names);
/* The name of the node whose output value is. */
const char *hyb_body_node_name (TracedBody *body, HybValue *value);
/* Ends the trace.  FALSE, and an error in the outer F, if it failed. */
gboolean hyb_body_close (TracedBody *body, GPtrArray *heads);
/* Frees the members of the body. */
void hyb_body_clear (TracedBody *body);

/* --- Variables of a closed body, by their number in its graph --- */

/* How many there are. */
guint hyb_body_n_vars (TracedBody *body);
/* Which placeholder a variable is; -1 if it is not one. */
int hyb_body_placeholder_of (TracedBody *body, guint variable);
/* The outer value of a variable that is not a placeholder. */
HybValue *hyb_body_outer_value (TracedBody *body, guint variable);
/* TRUE if the variable captures the output of an outer operator, not an outer variable. */
gboolean hyb_body_is_cut (TracedBody *body, guint variable);
/* Fails unless after has as many arrays as before.  what: "outputs", "states" or "variables". */
void hyb_loop_check_step (HybF *F, HybValue *before, HybValue *after, const char *what);
/* Numbers (int) as the text of an attribute: "[0, 3]". */
const char *hyb_locations (HybF *F, const GArray *numbers);
