/* loop-ports.h — what feeds the body of a loop, for passes that give it more.
 *
 * A loop names the variables of its body that are slices, states and captured in attributes;
 * a way back has further variables behind those of the forward body.  See foreach.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"
#include "engine/analysis/rewrite.h"
#include "engine/op/param.h"

typedef struct
{
  HybInts data, states, captured; /* variables of the body; borrowed */
  guint   first;                  /* input of the node that feeds the first of data */
  guint   n_variables;            /* of the forward body; those of the way back follow */
} HybLoopPorts;

/* FALSE: not such a loop, or one without data. */
gboolean hyb_loop_ports_find (HybGraph *graph, HybNodeId id, HybLoopPorts *ports);

/* Which variable of the body a value is; G_MAXUINT: none. */
guint hyb_loop_ports_variable (HybGraph *body, HybValueId value);
/* The input of the node that feeds a variable, if it is a slice or captured; G_MAXUINT. */
guint hyb_loop_ports_data_input (const HybLoopPorts *ports, guint variable);
guint hyb_loop_ports_captured_input (const HybLoopPorts *ports, guint variable);

/* Types of all values of the body; NULL: not known.  (transfer full) */
HybType *hyb_loop_ports_body_types (const HybLoopPorts *ports,
                                    HybGraph           *graph,
                                    HybNodeId           id,
                                    const HybFacts     *facts);

/* Starts a new body: its variables, and behind those of the forward body new ones with
 * these names (or longer ones where they are taken), whose values are returned in added.
 * map: an empty array. */
void hyb_loop_ports_start_body (const HybLoopPorts *ports,
                                HybGraph           *body,
                                guint               n_added,
                                const char *const  *names,
                                HybRewrite         *rewrite,
                                GArray             *map,
                                HybValueId         *added);

/* The body with variables in the place of these nodes of one output. */
HybGraph *hyb_loop_ports_cut_body (const HybLoopPorts *ports,
                                   HybGraph           *body,
                                   guint               n,
                                   const HybNodeId    *nodes);

/* The loop with that body, fed by these values of the new graph: slices of them if sliced,
 * else captured.  FALSE and an error if the builder refuses. */
gboolean hyb_loop_ports_make_loop (const HybLoopPorts *ports,
                                   HybRewrite         *rewrite,
                                   HybNodeId           id,
                                   HybGraph           *body,
                                   gboolean            sliced,
                                   guint               n_added,
                                   const HybValueId   *added,
                                   GError            **error);
