/* loop.h — what foreach and while_loop share: a body that runs once a step, its
 * slices, states and captured values.
 *
 * The two describe themselves as a HybLoop; typing, planning, running (loop.c) and
 * the way back (loop-gradient.c) are the same for both.
 *
 * Outputs of a forward node: stacked rows, final states, the number of steps
 * (hidden; its shape stays unknown where types show only while running), and,
 * recording, for every state what it was before each step.
 * Inputs of a backward node: gradients of the outputs named by `heads`, the
 * recorded states, the number of steps, and the forward node's inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/control/control-flow.h"
#include "engine/gradient/gradient.h"

#define HYB_LOOP_NOTHING G_MAXUINT

/* A variable of the body. */
typedef struct
{
  guint    input;    /* of the node: what it is, or is at first */
  gboolean is_slice; /* it gets row after row of that input */
  guint    state;    /* which loop variable it is; HYB_LOOP_NOTHING */
} HybLoopVariable;

typedef struct
{
  guint            n_inputs; /* of the forward node */
  guint            n_variables;
  HybLoopVariable *variable;
  guint            n_states;
  guint           *state; /* number of the body variable */
  guint            n_out_data;
  gint64           limit;     /* most steps; HYB_UNKNOWN: as many as the slices' rows */
  guint            body;      /* which of the node's bodies makes the steps */
  guint            condition; /* which of them says “go on”; HYB_LOOP_NOTHING: none */
  guint            n_condition_variables;
  guint           *condition_input; /* of the node */
  gboolean         records;         /* keeps the states of every step, for its gradient */
} HybLoop;

void hyb_loop_init (HybLoop *loop, guint n_variables, guint n_states, guint n_condition_variables);
void hyb_loop_clear (HybLoop *loop);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybLoop, hyb_loop_clear)

/* The state that a value of the node's input stands for; HYB_LOOP_NOTHING. */
guint hyb_loop_state_of_input (const HybLoop *loop, guint input);

/* What the body's variables are, from the forward node's inputs. */
void hyb_loop_variable_types (const HybLoop *loop,
                              const HybType *inputs,
                              gboolean       legacy_shapes,
                              HybType       *variables);
/* Rows of the slices; HYB_UNKNOWN. */
gint64 hyb_loop_length (const HybLoop *loop, const HybType *inputs);

HybShape hyb_loop_stacked_shape (gint64 rows, const HybShape *row);

/* For the operators' members of the same names; the loop describes call. */
gboolean hyb_loop_infer (const HybLoop *loop, HybCall *call, GError **error);
/* Takes the loop over. */
gboolean hyb_loop_prepare (HybLoop *loop, HybCall *call, GError **error);
void     hyb_loop_release (HybCall *call);
gsize    hyb_loop_workspace (const HybCall *call);
void     hyb_loop_forward (const HybCall *call, const HybRun *run);
gboolean hyb_loop_compute (const HybLoop    *loop,
                           HybCall          *call,
                           const HybRun     *run,
                           HybTensor *const *inputs,
                           HybTensor       **outputs,
                           GError          **error);
void     hyb_loop_cost (const HybLoop *loop, const HybCall *call, HybCost *cost);

/* --- The way back: loop-gradient.c, loop-backward.c, loop-backward-compute.c --- */

/* What a backward node adds to its forward node's attributes. */
typedef struct
{
  HybInts heads;     /* outputs of the forward node whose gradients come in */
  HybInts gradients; /* variables of the body whose gradients go out */
} HybLoopGradientParams;

#define HYB_LOOP_GRADIENT_FIELDS(Struct)                                          \
  { .name = "heads",                                                              \
    .offset = G_STRUCT_OFFSET (Struct, way_back.heads),                           \
    .kind = HYB_PARAM_INTS,                                                       \
    .doc = "outputs of the loop whose gradients come in" },                       \
  {                                                                               \
    .name = "gradients", .offset = G_STRUCT_OFFSET (Struct, way_back.gradients),  \
    .kind = HYB_PARAM_INTS, .doc = "variables of the body whose gradients go out" \
  }

/* Where the parts of the backward node's inputs begin; those named by heads come first. */
typedef struct
{
  guint kept, count, inputs;
} HybLoopSections;

HybLoopSections hyb_loop_sections (const HybLoop *loop, const HybLoopGradientParams *params);

/* The whole of a loop's gradient function.  backward: the name of its operator. */
void hyb_loop_differentiate (const HybLoop  *loop,
                             HybGrad        *grad,
                             const char     *backward,
                             const HybParam *forward_table);

void     hyb_loop_gradient_arity (const HybLoop               *loop,
                                  const HybLoopGradientParams *params,
                                  guint                       *n_inputs,
                                  guint                       *n_outputs);
gboolean hyb_loop_gradient_infer (const HybLoop               *loop,
                                  const HybLoopGradientParams *params,
                                  HybCall                     *call,
                                  GError                     **error);
gboolean hyb_loop_gradient_prepare (HybLoop                     *loop,
                                    const HybLoopGradientParams *params,
                                    HybCall                     *call,
                                    GError                     **error);
void     hyb_loop_gradient_release (HybCall *call);
gsize    hyb_loop_gradient_workspace (const HybCall *call);
gboolean hyb_loop_gradient_compute (const HybLoop               *loop,
                                    const HybLoopGradientParams *params,
                                    HybCall                     *call,
                                    const HybRun                *run,
                                    HybTensor *const            *inputs,
                                    HybTensor                  **outputs,
                                    GError                     **error);
void     hyb_loop_gradient_forward (const HybCall *call, const HybRun *run);
void     hyb_loop_gradient_cost (const HybLoop               *loop,
                                 const HybLoopGradientParams *params,
                                 const HybCall               *call,
                                 HybCost                     *cost);
