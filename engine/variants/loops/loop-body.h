/* loop-body.h — writes one step of a chain as the body of a loop, and places the loop's outputs.
 *
 * Used for foreach and while_loop alike: init, add the variables of the form, write, add the loop's
 * node, place its outputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"
#include "engine/variants/group.h"
#include "engine/variants/sequence.h"

/* The meaning of a variable of the body. */
typedef enum
{
  HYB_BODY_DATA,     /* the input of the step, or the array of all inputs */
  HYB_BODY_COUNTER,  /* the number of the step */
  HYB_BODY_STATE,    /* a state: index 0 is h, 1 is c */
  HYB_BODY_CAPTURED, /* an outer value: index in captured */
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
  HybBuilder      *builder;   /* of the body; NULL when it is written */
  GHashTable      *values;    /* old value → value of the body + 1 */
  GHashTable      *names;     /* name of a variable → its index in variables + 1 */
  HybValueId      *states;    /* of the body, by state: the variables that carry them */
  GArray          *variables; /* of HybBodyVariable, in the order in which they were added */
  GArray          *captured;  /* of HybValueId: old values that every step reads */
  gboolean         outputs_state[HYB_MAX_STATES]; /* a state is an output at every step */
  GArray          *other_outputs; /* of HybValueId: other values that are read outside, at step 0 */
  HybGraph        *graph;         /* the body, when it is written */
  HybBodyVariable *order;         /* by variable of graph */
  guint            n_variables;   /* of graph */
} HybLoopBody;

/* Begins the body for the first chain of group. */
void hyb_loop_body_init (HybLoopBody    *body,
                         HybConversion  *conversion,
                         const HybCells *cells,
                         const HybGroup *group);
/* Frees everything that body owns. */
void hyb_loop_body_clear (HybLoopBody *body);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybLoopBody, hyb_loop_body_clear)

/* States of the cell. */
guint hyb_loop_body_n_states (const HybLoopBody *body);
/* Outputs that the body makes at every step. */
guint hyb_loop_body_n_outputs (const HybLoopBody *body);
/* The old value that a state begins with. */
HybValueId hyb_loop_body_initial_state (const HybLoopBody *body, guint state);
/* The inputs of all steps. */
HybSequence *hyb_loop_body_inputs (HybLoopBody *body);
/* A name for the loop from the names of its weights or nodes: "lstm0_foreach" for "foreach".
 * (transfer full) */
char *hyb_loop_body_name (const HybLoopBody *body, const char *what);

/* Adds a variable to the body and returns its value; the name is made unique. */
HybValueId
hyb_loop_body_add_variable (HybLoopBody *body, const char *name, HybBodyRole role, guint index);
/* Writes the nodes of one step with input x, and freezes the body.  Heads are the outputs of every
 * step, then counter unless it is HYB_NO_ID, then the new states. */
gboolean hyb_loop_body_write (HybLoopBody *body, HybValueId x, HybValueId counter, GError **error);
/* The position among the variables of graph of the one with this role and index; G_MAXUINT if there
 * is none. */
guint hyb_loop_body_position (const HybLoopBody *body, HybBodyRole role, guint index);
/* The positions of all variables with this role, by index, as an attribute: "[0, 2]".  (transfer
 * full) */
char *hyb_loop_body_positions (const HybLoopBody *body, HybBodyRole role);
/* Maps the states and other outputs of the chain to outputs of the loop.  first: the loop's first
 * output; first_state: the index, among its outputs, of the first final state. */
void hyb_loop_body_place_outputs (HybLoopBody *body, HybValueId first, guint first_state);

/* The check of HybGroupWriter for loops. */
char *
hyb_loop_check_group (HybConversion *conversion, const HybCells *cells, const HybGroup *group);
