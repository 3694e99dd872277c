/* lowering.h — turns a graph of another format into one of the engine's operators.
 *
 * Each operator of such a format has a function lower() (op/op.h), which reads the types of its inputs and, as far as
 * they are known while planning, their contents, and writes nodes of the engine.  Types of the new nodes are inferred
 * at once, and small values that depend on known contents alone are computed at once, so that shape arithmetic never
 * runs.  Functions that take a HybLowering refer to the node that is being lowered.  The first failure is kept: later
 * calls return HYB_NO_ID and do nothing, so lower() needs no checks in between.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/error.h"
#include "engine/graph/builder.h"

/* --- The node to lower --- */

/* The node; its params are the format's own. */
const HybNode *hyb_lowering_get_node (const HybLowering *lowering);
/* The type of input number `index`, as far as it is known; owned by lowering until the next call. */
const HybType *hyb_lowering_input_type (const HybLowering *lowering, guint index);
/* The contents of that input if they are known while planning, owned by lowering; else NULL. */
HybTensor *hyb_lowering_input_contents (const HybLowering *lowering, guint index);
/* The value of the new graph for that input. */
HybValueId hyb_lowering_input (HybLowering *lowering, guint index);
/* TRUE if nodes that cannot be lowered may be replaced by values without a node. */
gboolean hyb_lowering_is_tolerant (const HybLowering *lowering);
/* TRUE if the new graph is to be written to a file, so that operators of the engine alone should be avoided. */
gboolean hyb_lowering_is_portable (const HybLowering *lowering);

/* TRUE if the new graph will only run, on the processor: operators without a gradient or a conversion may be written. */
gboolean hyb_lowering_is_for_run (const HybLowering *lowering);

/* --- Writing --- */

/* Adds a node by the name of its operator and returns its first value; the others follow it.  attributes: key,
 * value, …, NULL, or NULL. */
HybValueId hyb_lowering_call (HybLowering       *lowering,
                              const char        *op,
                              guint              n_inputs,
                              const HybValueId  *inputs,
                              const char *const *attributes);
/* The same with everything that a node may have.  Its name is set here. */
HybValueId hyb_lowering_add (HybLowering *lowering, const char *op, const HybNodeSpec *spec);
/* The same as hyb_lowering_call() with attributes as arguments: key, value, …, NULL. */
HybValueId hyb_lowering_emit (HybLowering      *lowering,
                              const char       *op,
                              guint             n_inputs,
                              const HybValueId *inputs,
                              ...) G_GNUC_NULL_TERMINATED;
/* Text for attributes, which lives until the lowering ends. */
const char *hyb_lowering_text (HybLowering *lowering, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* “(2, 3)”, likewise. */
const char *hyb_lowering_text_ints (HybLowering *lowering, guint n, const gint64 *values);
/* A value with these contents.  (transfer full) */
HybValueId hyb_lowering_constant (HybLowering *lowering, HybTensor *contents);
/* The type of a value of the new graph, as far as it is known; valid until the next value is added. */
const HybType *hyb_lowering_get_type (const HybLowering *lowering, HybValueId value);
/* The contents of such a value if they are known while planning, owned by lowering; else NULL. */
HybTensor *hyb_lowering_get_contents (const HybLowering *lowering, HybValueId value);
/* The node of the new graph that makes a value, and its inputs; valid until the next node is added.  NULL without such a node. */
const HybNode *
hyb_lowering_get_maker (const HybLowering *lowering, HybValueId value, const HybValueId **inputs);

/* --- Results --- */

/* Sets the value of output number `index`. */
void hyb_lowering_set_output (HybLowering *lowering, guint index, HybValueId value);
/* Sets only the type of an output: nothing that computes it could be written. */
void hyb_lowering_set_type (HybLowering *lowering, guint index, const HybType *type);
/* Records why the node cannot be lowered.  remedy: the way out; NULL: none is known. */
void hyb_lowering_fail (HybLowering *lowering, const char *remedy, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* The same with a code of HYB_OP_ERROR, for a node that nothing can compute. */
void
hyb_lowering_refuse (HybLowering *lowering, HybOpError code, const char *remedy, const char *text);
/* TRUE if something failed since the node was entered. */
gboolean hyb_lowering_has_failed (const HybLowering *lowering);

/* --- Bodies --- */

/* Body number `body` of the node, owned by its graph. */
HybGraph *hyb_lowering_get_body (const HybLowering *lowering, guint body);

/* Lowers body number `body` into the same graph.  variables: a value for each variable of the body.  heads:
 * space for a value for each head.  FALSE after a failure. */
gboolean hyb_lowering_inline (HybLowering      *lowering,
                              guint             body,
                              const HybValueId *variables,
                              HybValueId       *heads);

/* A body as a graph of its own. */
typedef struct
{
  HybGraph   *graph;
  guint       n_heads;
  HybType    *head_types;
  HybTensor **head_contents; /* known while planning; NULL otherwise */
} HybLoweredBody;

/* The purpose for which a body is lowered. */
typedef struct
{
  const HybType    *types;    /* by variable of the body */
  HybTensor *const *contents; /* by variable: known contents, or NULL; may be NULL */
  /* Writes the heads of the new graph into *arranged (of HybValueId), given the heads of the body; may
   * write nodes. Variable number i of the body is value i of the new graph.  NULL: the same heads. */
  void (*arrange) (HybLowering      *inner,
                   const HybValueId *heads,
                   gconstpointer     data,
                   GArray           *arranged);
  gconstpointer data;
  /* By head of the body, whether it is computed; NULL: all are.  Nodes that only the others need are left out, the others
   * have no type, and the new graph has no such heads.  Only with may_fail and without arrange. */
  const guint8 *by_head;
  gboolean may_fail; /* a failure is forgotten, so that the node can be lowered in another way */
} HybBodyUse;

/* Lowers body number `body` into a graph of its own.  NULL after a failure.  (transfer full) */
HybLoweredBody *hyb_lowering_lower_body (HybLowering *lowering, guint body, const HybBodyUse *use);
/* The same for a body that is in no file: it has n_variables variables, and use->arrange adds all nodes and heads.  Its node
 * is part of the lowered operator.  NULL after a failure.  (transfer full) */
HybLoweredBody *
hyb_lowering_write_body (HybLowering *lowering, guint n_variables, const HybBodyUse *use);
/* Frees a lowered body; accepts NULL. */
void hyb_lowered_body_free (HybLoweredBody *body);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybLoweredBody, hyb_lowered_body_free)

/* --- The whole graph --- */

/* Why a node could not be lowered. */
typedef struct
{
  HybNodeId node;  /* of the graph that was given, also for nodes inside its bodies */
  GError   *error; /* with the innermost node's name */
} HybLoweringFault;

/* A lowered graph. */
typedef struct
{
  gatomicrefcount references;
  HybGraph       *graph;       /* it has the variables of the given graph, in the same order */
  HybType        *types;       /* by value of graph */
  HybTensor     **contents;    /* by value of graph: known contents, or NULL */
  HybType        *value_types; /* by value of the given graph */
  GArray *map;    /* of HybValueId: by value of the given graph its value in graph, or HYB_NO_ID */
  GArray *faults; /* of HybLoweringFault */
  /* HybGraph → HybType *, by value of the body: the types inside bodies of the given graph that were lowered, at any
   * depth; NULL: it cannot be lowered. */
  GHashTable *entered;
} HybLowered;

/* The input of a lowering. */
typedef struct
{
  const HybType
      *types; /* by value: the types of variables, and of outputs of nodes that cannot be lowered */
  HybTensor *const *contents; /* by value: the known contents; NULL: the contents of the file
                  * (hyb_graph_get_contents()) */
  gboolean          training;
  gboolean          for_run; /* the graph will only run, on the processor */
  gboolean
           is_tolerant; /* a node that cannot be lowered becomes an opaque one and a fault; else it is an error */
  gboolean may_lack_heads; /* heads without a value are left out; HybLowered.map has HYB_NO_ID for
                       * them */
  gboolean is_portable; /* the graph is written to a file: operators that MXNet has are preferred */
} HybLowerOptions;

/* Lowers a graph.  HybNode.origin of a new node is the node of the given graph whose work it does, also for nodes of
 * bodies.  NULL and an error if a node cannot be lowered.  (transfer full) */
HybLowered *hyb_lower (HybGraph *graph, const HybLowerOptions *options, GError **error);
/* TRUE if planning decided that a body never runs: another body of the node was lowered in its place.  node: of the given
 * graph or of a body of it. */
gboolean
hyb_lowered_is_dead (const HybLowered *lowered, HybGraph *graph, HybNodeId node, guint body);
/* Adds a reference and returns lowered. */
HybLowered *hyb_lowered_ref (HybLowered *lowered);
/* Drops a reference; accepts NULL. */
void hyb_lowered_unref (HybLowered *lowered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybLowered, hyb_lowered_unref)
