/* rewritten-loop.h — a loop that keeps its body but becomes another kind of loop.
 *
 * init, add variables and nodes to the body, end_body, add inputs, add.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"

/* A loop that is written anew. */
typedef struct
{
  HybConversion    *conversion;
  HybRebuild       *rebuild;
  HybNodeId         id;
  const HybNode    *node;
  const HybValueId *inputs; /* old values */
  HybGraph         *body;
  guint             n_steps, n_out, n_states;
  HybBuilder       *builder;       /* of the new body */
  HybValueId       *values;        /* of the new body, by value of body */
  GHashTable       *input_of_name; /* input of the new node + 1 by name of a variable */
  HybGraph         *written;       /* the new body */
  GArray           *new_inputs;    /* of HybValueId */
  GError           *error;
} HybRewrittenLoop;

/* Begins the body of a new loop for node id of the old graph. */
void hyb_rewritten_loop_init (HybRewrittenLoop *loop, HybConversion *conversion, HybNodeId id);
/* Frees everything that loop owns. */
void hyb_rewritten_loop_clear (HybRewrittenLoop *loop);
/* Sets the error that this loop cannot be written, and returns FALSE. */
gboolean hyb_rewritten_loop_refuse (const HybRewrittenLoop *loop, GError **error, const char *what);
/* Adds a variable that this input of the new node feeds. */
HybValueId hyb_rewritten_loop_variable (HybRewrittenLoop *loop, const char *name, guint input);
/* Adds a node to the new body; 0 after an error, which loop keeps. */
HybValueId
hyb_rewritten_loop_call (HybRewrittenLoop *loop, const char *op, const HybNodeSpec *spec);
/* Copies the nodes of the body whose values are not set. */
void hyb_rewritten_loop_copy_nodes (HybRewrittenLoop *loop);
/* Makes a head of the old body a head of the new one. */
void hyb_rewritten_loop_add_head (HybRewrittenLoop *loop, guint head);
/* The variables of the written body that these inputs of the new node feed, as an attribute.  NULL
 * if one of them feeds none.  (transfer full) */
char *hyb_rewritten_loop_positions (const HybRewrittenLoop *loop, guint first, guint n);
/* The inputs of the new node that feed the variables of the written body, as an attribute.
 * (transfer full) */
char *hyb_rewritten_loop_inputs (const HybRewrittenLoop *loop);
/* Ends the body in the order of MXNet's files. */
void hyb_rewritten_loop_end_body (HybRewrittenLoop *loop);
/* Adds the new node; bodies may be preceded by a condition.  Returns its first output. */
HybValueId hyb_rewritten_loop_add (HybRewrittenLoop  *loop,
                                   const char        *op,
                                   const char *const *attributes,
                                   HybGraph          *condition);
/* Appends an input of the new node, a new value. */
void hyb_rewritten_loop_add_input (HybRewrittenLoop *loop, HybValueId value);
