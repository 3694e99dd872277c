/* loop-body.h — one step of a chain as the body of a loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"
#include "engine/variants/group.h"
#include "engine/variants/sequence.h"

/* What a variable of the body stands for. */
typedef enum
{
  HYB_BODY_DATA,     /* the input of the step */
  HYB_BODY_COUNTER,  /* the number of the step */
  HYB_BODY_STATE,    /* index 0: h, 1: c, … */
  HYB_BODY_CAPTURED, /* index: in captured */
} HybBodyRole;

typedef struct
{
  HybBodyRole role;
  guint       index;
} HybBodyVariable;

typedef struct
{
  HybConversion   *conversion;
  const HybCells  *cells;
  const HybChain  *chain;
  HybBuilder      *builder;
  GHashTable      *values;                /* old value to value of the body + 1 */
  GHashTable      *names;                 /* of variables, to their index in variables + 1 */
  GArray          *variables;             /* of HybBodyVariable, as they were made */
  GArray          *captured;              /* of HybValueId: old values */
  gboolean         gives[HYB_MAX_STATES]; /* whether states of all steps are outputs */
  GArray          *others; /* of HybValueId: what else is read of a step, as step 0 makes it */
  HybGraph        *graph;
  HybBodyVariable *order; /* by variable of graph */
  guint            n_variables;
} HybLoopBody;

void hyb_loop_body_init (HybLoopBody    *body,
                         HybConversion  *conversion,
                         const HybCells *cells,
                         const HybGroup *group);
void hyb_loop_body_clear (HybLoopBody *body);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybLoopBody, hyb_loop_body_clear)

guint hyb_loop_body_n_states (const HybLoopBody *body);
HybValueId
hyb_loop_body_add_variable (HybLoopBody *body, const char *name, HybBodyRole role, guint index);
/* A node of the body's own. */
HybValueId hyb_loop_body_call (HybLoopBody       *body,
                               const char        *op,
                               const char        *name,
                               guint              n_inputs,
                               const HybValueId  *inputs,
                               const char *const *attributes,
                               GError           **error);
/* Writes the step, reading x; heads: outputs given, then more (counter), then states. */
gboolean hyb_loop_body_write (HybLoopBody *body, HybValueId x, HybValueId counter, GError **error);
/* "[0, 2]" of the variables with this role in the order of their indices. (transfer full) */
char *hyb_loop_body_positions (const HybLoopBody *body, HybBodyRole role);
guint hyb_loop_body_position (const HybLoopBody *body, HybBodyRole role, guint index);
guint hyb_loop_body_n_outputs (const HybLoopBody *body);
/* The loop's outputs in place of the chain's states. */
void hyb_loop_body_place_outputs (HybLoopBody *body, HybValueId first, guint first_state);
/* Old values: what the chain reads and begins with. */
HybSequence *hyb_loop_body_inputs (HybLoopBody *body);
HybValueId   hyb_loop_body_initial_state (const HybLoopBody *body, guint state);
/* A name for the loop: "lstm0_foreach". (transfer full) */
char *hyb_loop_body_name (const HybLoopBody *body, const char *what);
char *
hyb_loop_check_group (HybConversion *conversion, const HybCells *cells, const HybGroup *group);
