/* wide-call.h — runs a float operator on integers, exactly.
 *
 * Sums of products of 8-bit integers are computed in float64 by the operator for floats, which
 * supports strides, groups and layouts already.  float64 holds integers up to 2⁵³ exactly, so the
 * result is that of int32 arithmetic without its overflow.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

/* One call, prepared while planning.  Its memory is a part of the workspace of its owner. */
typedef struct
{
  HybCall  call;       /* all operands are float64 */
  HybType *types;      /* of its inputs, then of its outputs */
  gsize   *operand;    /* offset of each operand */
  gsize    pointers;   /* offset of the pointers to them */
  gsize    scratch;    /* offset of the operator's own workspace */
  gsize    n_operands; /* inputs and outputs */
} HybWideCall;

/* The call: inputs has one type for each input of the operator; only their shapes count. */
typedef struct
{
  const HybOp   *op;
  gconstpointer  params;
  guint          n_inputs;
  const HybType *inputs;
} HybWideSpec;

/* Infers the outputs and reserves workspace behind *workspace bytes.  FALSE if the operator cannot
 * run so; the call may be cleared then, too. */
gboolean
hyb_wide_call_init (HybWideCall *wide, const HybWideSpec *spec, gsize *workspace, GError **error);
/* Frees the members set by hyb_wide_call_init(). */
void hyb_wide_call_clear (HybWideCall *wide);

/* The memory of an input, to be filled before hyb_wide_call_run(). */
double *hyb_wide_call_input (const HybWideCall *wide, const HybRun *run, guint input);
/* The memory of output 0, to be read after it. */
double *hyb_wide_call_output (const HybWideCall *wide, const HybRun *run);
/* The number of elements of an input. */
gint64 hyb_wide_call_input_size (const HybWideCall *wide, guint input);
/* The number of elements of output 0. */
gint64 hyb_wide_call_output_size (const HybWideCall *wide);
/* Fills an input with an array of the given dtype. */
void hyb_wide_call_load (const HybWideCall *wide,
                         const HybRun      *run,
                         guint              input,
                         gconstpointer      from,
                         HybDType           dtype);
/* Computes the outputs from the inputs. */
void hyb_wide_call_run (const HybWideCall *wide, const HybRun *run);
