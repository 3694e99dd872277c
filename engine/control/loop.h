/* loop.h — shared parts of _foreach and _while_loop.
 *
 * Both describe themselves as a HybLoop: a body that runs once per step and reads slices (one row
 * of an input per step), states (loop variables, carried from step to step) and captured values
 * (the same in every step).  Everything else is common: types (loop-types.c), planning and running
 * (loop.c; loop-compute.c where types are known only while running), and the backward pass
 * (loop-gradient.c emits its node, loop-backward.c and loop-backward-compute.c run it).
 *
 * Outputs of a forward node: stacked rows; final states; the number of steps (hidden; its shape
 * stays unknown where types are known only while running); in recording nodes, for every state its
 * values before each step, stacked.
 * Inputs of a backward node: gradients of the outputs that the attribute `heads` lists; the recorded
 * states; the number of steps; the inputs of the forward node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/control/control-flow.h"
#include "engine/gradient/gradient.h"

#define HYB_LOOP_NONE     G_MAXUINT  /* no state, body or output */
#define HYB_LOOP_NO_LIMIT G_MAXINT32 /* only the condition ends the loop */

/* A variable of the body.  It is captured if it is neither a slice nor a state. */
typedef struct
{
  guint    input;    /* input of the node that feeds it (a state: in the first step) */
  gboolean is_slice; /* step i reads row i of that input */
  guint    state;    /* number of the state, or HYB_LOOP_NONE */
} HybLoopVariable;

typedef struct
{
  guint            n_inputs; /* of the forward node */
  guint            n_variables;
  HybLoopVariable *variable;
  guint            n_states;
  guint           *state;      /* by state: its variable of the body */
  guint            n_out_data; /* stacked outputs: the first heads of the body; then the states */
  gint64           limit;      /* maximum number of steps; HYB_UNKNOWN: one per row of the slices */
  guint            body;       /* number of the body that makes a step */
  guint            condition;  /* number of the body that decides about another; HYB_LOOP_NONE */
  guint            n_condition_variables;
  guint           *condition_input; /* by variable of the condition: the node's input */
  gboolean         records;         /* a recording node: outputs the states of every step */
} HybLoop;

/* Allocates the arrays; all variables start as captured ones of input 0. */
void hyb_loop_init (HybLoop *loop, guint n_variables, guint n_states, guint n_condition_variables);
void hyb_loop_clear (HybLoop *loop); /* frees the arrays */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybLoop, hyb_loop_clear)

/* The state whose initial value is an input of the node; HYB_LOOP_NONE if there is none. */
guint hyb_loop_state_of_input (const HybLoop *loop, guint input);

/* Computes the types of the body's variables from the types of the forward node's inputs. */
void hyb_loop_variable_types (const HybLoop *loop,
                              const HybType *inputs,
                              gboolean       legacy_shapes,
                              HybType       *variables);

/* Maximum number of steps: the limit or the rows of the slices; HYB_UNKNOWN. */
gint64 hyb_loop_length (const HybLoop *loop, const HybType *inputs);

/* The shape of `rows` rows; unknown if the row's is or its rank is the maximum already. */
HybShape hyb_loop_stacked_shape (gint64 rows, const HybShape *row);

/* --- The members of HybOp, for a loop that describes call --- */

gboolean hyb_loop_infer (const HybLoop *loop, HybCall *call, GError **error); /* infer_shape */

/* prepare; takes the arrays of loop over and leaves it empty. */
gboolean hyb_loop_prepare (HybLoop *loop, HybCall *call, GError **error);
void     hyb_loop_release (HybCall *call);                          /* release */
gsize    hyb_loop_workspace (const HybCall *call);                  /* workspace */
void     hyb_loop_forward (const HybCall *call, const HybRun *run); /* forward */

/* compute: for loops whose types are known only while running. */
gboolean hyb_loop_compute (const HybLoop *loop, const HybComputeArgs *args, GError **error);

/* cost: the cost of the maximum number of steps, even if a condition may end the loop earlier; of one step if there
 * is no maximum. */
void hyb_loop_cost (const HybLoop *loop, const HybCall *call, HybCost *cost);

/* --- The backward pass: loop-gradient.c, loop-backward.c, loop-backward-compute.c --- */

/* The attributes that a backward node adds to its forward node's. */
typedef struct
{
  HybInts heads;     /* outputs of the forward node that have an incoming gradient */
  HybInts gradients; /* variables of the body whose gradients are outputs */
} HybLoopGradientParams;

/* The rows of its attribute table; Struct has it as the member `backward`. */
#define HYB_LOOP_GRADIENT_FIELDS(Struct)                                         \
  { .name = "heads",                                                             \
    .offset = G_STRUCT_OFFSET (Struct, backward.heads),                          \
    .kind = HYB_PARAM_INTS,                                                      \
    .doc = "outputs of the loop that have an incoming gradient" },               \
  {                                                                              \
    .name = "gradients", .offset = G_STRUCT_OFFSET (Struct, backward.gradients), \
    .kind = HYB_PARAM_INTS, .doc = "variables of the body to differentiate by"   \
  }

/* Index of the first of the recorded states, of the number of steps and of the forward node's
 * first input among the backward node's inputs; incoming gradients start at 0. */
typedef struct
{
  guint states, n_steps, inputs;
} HybLoopSections;

/* The sections of the backward node with these attributes. */
HybLoopSections hyb_loop_sections (const HybLoop *loop, const HybLoopGradientParams *params);

/* gradient of a forward node: emits the operator named backward.  forward_table: the attributes
 * of the forward operator. */
void hyb_loop_differentiate (const HybLoop  *loop,
                             HybGrad        *grad,
                             const char     *backward,
                             const HybParam *forward_table);

/* The members of HybOp of a backward node; loop describes the forward node. */
void     hyb_loop_gradient_arity (const HybLoop               *loop,
                                  const HybLoopGradientParams *params,
                                  guint                       *n_inputs,
                                  guint                       *n_outputs); /* arity */
gboolean hyb_loop_gradient_infer (const HybLoop               *loop,
                                  const HybLoopGradientParams *params,
                                  HybCall                     *call,
                                  GError                     **error); /* infer_shape */

/* prepare; takes the arrays of loop over and leaves it empty. */
gboolean hyb_loop_gradient_prepare (HybLoop                     *loop,
                                    const HybLoopGradientParams *params,
                                    HybCall                     *call,
                                    GError                     **error);
void     hyb_loop_gradient_release (HybCall *call);                          /* release */
gsize    hyb_loop_gradient_workspace (const HybCall *call);                  /* workspace */
void     hyb_loop_gradient_forward (const HybCall *call, const HybRun *run); /* forward */

/* compute: for loops whose types are known only while running. */
gboolean hyb_loop_gradient_compute (const HybLoop               *loop,
                                    const HybLoopGradientParams *params,
                                    const HybComputeArgs        *args,
                                    GError                     **error);

/* cost: the cost of the maximum number of steps. */
void hyb_loop_gradient_cost (const HybLoop               *loop,
                             const HybLoopGradientParams *params,
                             const HybCall               *call,
                             HybCost                     *cost);
