/* rebuild.h — makes a new graph from an old one and tracks the new form of each old value.
 *
 * A sequence is one value at every time step: one array with time on axis 0 or 1, or one array per
 * step.  Whichever of the two is not there is made when it is requested.  So splits undo stacks,
 * pairs of transpositions vanish, and an operation on every step becomes one on the whole array
 * where that is there.
 *
 * Every old value that was visited has a new value, a place in a sequence, or both.  This file
 * holds the state and adds nodes; sequence.h describes sequences, rebuild-value.h makes values, and
 * rebuild-node.h goes through the old graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"
#include "engine/variants/match-structure.h"

typedef struct _HybSequence HybSequence;

/* The part of a sequence that a value holds. */
typedef enum
{
  HYB_SEQUENCE_NONE,
  HYB_SEQUENCE_STEP,      /* one step */
  HYB_SEQUENCE_STEP_KEPT, /* one step that still has the time axis, of size 1 */
  HYB_SEQUENCE_WHOLE,     /* all steps, with a time axis */
  HYB_SEQUENCE_ROWS,      /* all steps as blocks of rows along axis 0 */
} HybSequencePlaceKind;

typedef struct
{
  HybSequencePlaceKind kind;
  guint                axis; /* of time, for STEP_KEPT and WHOLE */
  guint                step; /* for STEP and STEP_KEPT */
  HybSequence         *sequence;
} HybSequencePlace;

/* Places per value.  The final state of a loop has two: a step of the outputs and a row of the
 * final states. */
#define HYB_MAX_PLACES 2

/* Where time is in an array that holds all steps. */
typedef enum
{
  HYB_LAYOUT_NONE,
  HYB_LAYOUT_FIRST,  /* axis 0 */
  HYB_LAYOUT_SECOND, /* axis 1 */
  HYB_LAYOUT_ROWS,   /* axis 0 holds all rows of step 0, then all rows of step 1, and so on */
} HybTimeLayout;

/* A node between a product that is computed for all steps at once and the node that splits it
 * into steps (see split-products.h).  layout: of the node's output; NONE for other nodes. */
typedef struct
{
  HybTimeLayout layout;
  guint         n_steps;
} HybSplitProduct;

typedef struct
{
  HybGraph         *from;           /* the old graph */
  const HybType    *types;          /* by old value; borrowed; NULL if unknown */
  HybSplitProduct  *split_products; /* by old node; NULL if there are none */
  HybBuilder       *builder;        /* of the new graph */
  HybValueId       *value;          /* new value by old value; HYB_NO_ID: not made yet */
  HybSequencePlace *place;          /* HYB_MAX_PLACES for each old value */
  GPtrArray        *sequences;      /* of HybSequence, owned; NULL before the first */
  GHashTable       *names;          /* names that are taken */
  GArray           *matches;        /* of HybMatch: old node, new node */
  HybNodeId         current;        /* the old node that new nodes replace; HYB_NO_ID: none */
  gint32            step;           /* the step of current that they replace; -1: none */
  GArray           *is_open; /* of guint8, by new node; NULL: see hyb_rebuild_set_open_shapes() */
  GError           *error;   /* the first error; nothing is added after it */
} HybRebuild;

/* Begins an empty graph.  Names of the variables of from are reserved. */
void hyb_rebuild_init (HybRebuild *rebuild, HybGraph *from);
/* Frees everything that rebuild owns. */
void hyb_rebuild_clear (HybRebuild *rebuild);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybRebuild, hyb_rebuild_clear)

/* From now on, elementwise nodes that combine results of a while_loop, whose shapes MXNet cannot
 * infer, with computed arrays of known shape read copies of these with an unknown shape as well.
 * MXNet's executor would otherwise fail when it lets both share memory. */
void hyb_rebuild_set_open_shapes (HybRebuild *rebuild);
/* The inputs that a copy of node id of the graph from shall read instead of these.  (transfer full)
 */
HybValueId *hyb_rebuild_match_shapes (HybRebuild       *rebuild,
                                      HybGraph         *from,
                                      HybNodeId         id,
                                      const HybValueId *inputs);

/* --- New forms of old values and nodes --- */

/* Records that the node of this new value replaces an old node, at step or at none (-1). */
void hyb_rebuild_add_match (HybRebuild *rebuild, HybNodeId old, HybValueId new, gint32 step);
/* Records the new value of an old one. */
void hyb_rebuild_set_value (HybRebuild *rebuild, HybValueId old, HybValueId new);
/* Records a place of an old value in a sequence.  Ignored if the value has HYB_MAX_PLACES already.
 * */
void hyb_rebuild_set_place (HybRebuild *rebuild, HybValueId old, HybSequencePlace place);
/* The place of this kind that an old value has, or NULL. */
const HybSequencePlace *
hyb_rebuild_find_place (HybRebuild *rebuild, HybValueId old, HybSequencePlaceKind kind);

/* --- New nodes ---
 *
 * They return the first output.  On failure they set rebuild->error and return 0. */

/* A node to add. */
typedef struct
{
  const char        *op;   /* name of the operator */
  const char        *name; /* made unique with a number behind it */
  guint              n_inputs;
  const HybValueId  *inputs;     /* new values */
  const char *const *attributes; /* key, value, …, NULL; NULL if there are none */
} HybRebuildCall;

/* Adds a node. */
HybValueId hyb_rebuild_call (HybRebuild *rebuild, const HybRebuildCall *call);
/* Adds a node with one input; behind x follow the attributes: key, value, …, NULL. */
HybValueId
hyb_rebuild_unary (HybRebuild *rebuild, const char *op, const char *name, HybValueId x, ...)
    G_GNUC_NULL_TERMINATED;
/* Adds a copy of node id of the graph from, perhaps a loop's body, that reads inputs (new values).
 * The name must be unique (hyb_rebuild_name()). */
HybValueId hyb_rebuild_copy (HybRebuild       *rebuild,
                             HybGraph         *from,
                             HybNodeId         id,
                             const char       *name,
                             const HybValueId *inputs);
/* Adds a variable; shape (nullable) becomes its __shape__ attribute. */
HybValueId hyb_rebuild_variable (HybRebuild *rebuild, const char *name, const HybShape *shape);
/* The formatted name, with a number behind it if a node has it already.  Owned by rebuild. */
const char *hyb_rebuild_name (HybRebuild *rebuild, const char *format, ...) G_GNUC_PRINTF (2, 3);
