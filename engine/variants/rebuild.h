/* rebuild.h — a graph made anew from another, with sequences known as such.
 *
 * A sequence is what one value is at every step: as one array with time on axis 0 or
 * 1, or as one array a step, whichever is there; the other is made when somebody asks.
 * So splits undo stacks, transpositions meet and vanish, and what is done to every
 * step alike is done to the whole where that is at hand.
 *
 * Every value of the old graph has a new value or a place in a sequence, or both.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"
#include "engine/variants/match-structure.h"

typedef struct _HybSequence HybSequence;

typedef enum
{
  HYB_SEQUENCE_NONE,
  HYB_SEQUENCE_STEP,
  HYB_SEQUENCE_STEP_KEPT, /* a step whose time axis is still there, of size 1 */
  HYB_SEQUENCE_WHOLE,     /* all steps */
  HYB_SEQUENCE_ROWS,      /* all steps, one below the other on axis 0 */
} HybSequencePlaceKind;

typedef struct
{
  HybSequencePlaceKind kind;
  guint                axis; /* KEPT, WHOLE: where time is */
  guint                step; /* STEP, KEPT */
  HybSequence         *sequence;
} HybSequencePlace;

/* A final state of a loop is a step of its outputs and a row of its final states. */
#define HYB_MAX_PLACES 2

typedef enum
{
  HYB_LAYOUT_NONE,
  HYB_LAYOUT_FIRST,  /* time is axis 0 */
  HYB_LAYOUT_SECOND, /* time is axis 1 */
  HYB_LAYOUT_ROWS,   /* axis 0 holds all rows of step 0, then all of step 1 … */
} HybTimeLayout;

/* What a node gives; NONE: it has no part in this. */
typedef struct
{
  HybTimeLayout layout;
  guint         n_steps;
} HybSplitProduct;

typedef struct
{
  HybGraph         *from;
  const HybType    *types; /* by old value; NULL: not known */
  HybSplitProduct  *cuts;  /* by old node; NULL: none */
  HybBuilder       *builder;
  HybValueId       *value;     /* by old value; HYB_NO_ID: not made */
  HybSequencePlace *place;     /* HYB_MAX_PLACES by old value */
  GPtrArray        *sequences; /* all that were made */
  GHashTable       *names;     /* that are taken */
  GArray           *matches;   /* of HybMatch: old node, new node */
  HybNodeId         current;   /* the old node that is being made anew; HYB_NO_ID */
  gint32            step;      /* … and the step of it; -1 */
  GError           *error;     /* the first; everything after it is void */
} HybRebuild;

void hyb_rebuild_init (HybRebuild *rebuild, HybGraph *from);
void hyb_rebuild_clear (HybRebuild *rebuild);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybRebuild, hyb_rebuild_clear)
/* Says that the node which makes this new value stands for an old node, too. */
void hyb_rebuild_add_match (HybRebuild *rebuild, HybNodeId old, HybValueId new, gint32 step);
/* Says what an old value has become. */
void hyb_rebuild_set_value (HybRebuild *rebuild, HybValueId old, HybValueId new);
void hyb_rebuild_set_place (HybRebuild *rebuild, HybValueId old, HybSequencePlace place);
const HybSequencePlace *
hyb_rebuild_find_place (HybRebuild *rebuild, HybValueId old, HybSequencePlaceKind kind);

/* New nodes.  name is made unique; attributes key, value, …, NULL. */
HybValueId hyb_rebuild_call (HybRebuild        *rebuild,
                             const char        *op,
                             const char        *name,
                             guint              n_inputs,
                             const HybValueId  *inputs,
                             const char *const *attributes);
HybValueId
hyb_rebuild_unary (HybRebuild *rebuild, const char *op, const char *name, HybValueId x, ...)
    G_GNUC_NULL_TERMINATED;
/* A node of another graph (a body) read with these inputs. */
HybValueId hyb_rebuild_copy (HybRebuild       *rebuild,
                             HybGraph         *from,
                             HybNodeId         id,
                             const char       *name,
                             const HybValueId *inputs);
HybValueId hyb_rebuild_variable (HybRebuild *rebuild, const char *name, const HybShape *shape);
/* name, or name with a number behind it, that no node has; lives as long as rebuild. */
const char *hyb_rebuild_name (HybRebuild *rebuild, const char *format, ...) G_GNUC_PRINTF (2, 3);
