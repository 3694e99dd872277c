/* loop-ports.h — adds variables to the body of a loop.
 *
 * The attributes of a loop list which variables of its body are slices of data, states and captured
 * values (see control/foreach.c).  The body of a backward loop has further variables after the
 * variables of the forward body.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"
#include "engine/analysis/rewrite.h"
#include "engine/op/param.h"

typedef struct
{
  HybInts data, states, captured; /* variables of the body; borrowed */
  guint   first;                  /* input of the node that feeds the first of data */
  guint   n_variables;            /* of the forward body; those of a backward loop follow */
} HybLoopPorts;

/* Reads the ports of a node.  FALSE if it is not such a loop or has no data. */
gboolean hyb_loop_ports_find (HybGraph *graph, HybNodeId id, HybLoopPorts *ports);

/* The number of the variable of the body that a value is, or G_MAXUINT. */
guint hyb_loop_ports_variable (HybGraph *body, HybValueId value);
/* The input of the node whose slices a variable gets, or G_MAXUINT. */
guint hyb_loop_ports_data_input (const HybLoopPorts *ports, guint variable);
/* The input of the node that a variable captures, or G_MAXUINT. */
guint hyb_loop_ports_captured_input (const HybLoopPorts *ports, guint variable);

/* The types of all values of the body, or NULL if they are not known.  (transfer full) */
HybType *hyb_loop_ports_body_types (const HybLoopPorts *ports,
                                    HybGraph           *graph,
                                    HybNodeId           id,
                                    const HybFacts     *facts);

/* Variables that a body gets in addition to its own. */
typedef struct
{
  guint              n;
  const char *const *names;  /* extended where the body has such a name already */
  HybValueId        *values; /* set by hyb_loop_ports_start_body(): the new variables */
} HybLoopAddition;

/* Starts a new body: its variables, with new ones after the variables of the forward body.  map:
 * an empty array. */
void hyb_loop_ports_start_body (const HybLoopPorts    *ports,
                                HybGraph              *body,
                                const HybLoopAddition *addition,
                                HybRewrite            *rewrite,
                                GArray                *map);

/* The body with variables in place of these nodes, which have one output each.  (transfer full) */
HybGraph *hyb_loop_ports_cut_body (const HybLoopPorts *ports,
                                   HybGraph           *body,
                                   guint               n,
                                   const HybNodeId    *nodes);

/* The replacement of a loop. */
typedef struct
{
  HybGraph         *body;
  gboolean          is_sliced; /* the new variables get slices of `added`, else all of it */
  guint             n_added;
  const HybValueId *added; /* values of the new graph that feed the new variables */
} HybLoopReplacement;

/* Adds the loop that replaces node id. */
void hyb_loop_ports_make_loop (const HybLoopPorts       *ports,
                               HybRewrite               *rewrite,
                               HybNodeId                 id,
                               const HybLoopReplacement *replacement);

/* Adds a copy of loop id with all of these inputs and this body, which has the variables and heads
 * of the old one. */
void hyb_loop_ports_copy_loop (HybRewrite       *rewrite,
                               HybNodeId         id,
                               const HybValueId *inputs,
                               HybGraph         *body);
