/* bodies.h — shared parts of If, Loop and Scan: types of a body's variables, and the engine's loop for a lowered
 * body.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* Types and contents of a body's variables. */
typedef struct
{
  guint       n;
  HybType    *types;
  HybTensor **contents; /* borrowed */
} HybOnnxVariables;

/* Captured variables have the types and contents of the captured values; the others are unknown. */
void hyb_onnx_variables_init (HybLowering *lowering, HybOnnxVariables *variables, guint body);
/* Frees the arrays. */
void hyb_onnx_variables_clear (HybOnnxVariables *variables);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybOnnxVariables, hyb_onnx_variables_clear)

/* The value that a variable of a body captures; HYB_NO_ID and a failure if it captures none: the body has more inputs than the
 * node gives it. */
HybValueId hyb_onnx_captured (HybLowering *lowering, guint body, guint variable);

/* The part that two types have in common. */
HybType hyb_onnx_common_type (const HybType *a, const HybType *b);
/* The type of n rows, stacked at an axis. */
HybType hyb_onnx_stacked_type (const HybType *row, gint64 n, int axis);

/* The states of a loop are the variables from first_variable on and the heads from first_head on. */
typedef struct
{
  guint first_variable, first_head, n;
} HybOnnxStates;

/* Lowers body 0 with use->types == variables->types until the types of its states hold in every step. (transfer
 * full); NULL after a failure */
HybLoweredBody *hyb_onnx_settle_states (HybLowering         *lowering,
                                        HybOnnxVariables    *variables,
                                        const HybOnnxStates *states,
                                        const HybBodyUse    *use);

/* Appends a head of the lowered body to *arranged, as a value that is not a variable and no other head. */
void hyb_onnx_append_head (HybLowering *inner, HybValueId head, GArray *arranged);

/* The body as MXNet's files have it: in depth-first order, without variables that it does not read.  keep: by variable, TRUE
 * if it must stay (NULL: none); the body stays as it is if it does not read one of these.  place: is set for each variable
 * of body to its number in the result, or −1.  (transfer full) */
HybGraph *hyb_onnx_order_body (HybGraph *body, const gboolean *keep, gint64 *place);

/* How a variable of a loop's body gets its value. */
typedef struct
{
  HybPortKind kind;  /* data, state or captured */
  HybValueId  value; /* all rows, the initial value, or the value */
} HybOnnxPort;

/* The engine's loop over rows.  ports: by variable of body.  n_rows: heads of body that are rows, which come first; all
 * others are states.  Returns its first output. */
HybValueId hyb_onnx_foreach (HybLowering          *lowering,
                             const HybLoweredBody *body,
                             guint                 n_variables,
                             const HybOnnxPort    *ports,
                             guint                 n_rows);
