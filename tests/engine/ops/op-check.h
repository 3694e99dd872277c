/* op-check.h — tests operators by what their HybOp declares.
 *
 * The test of an operator file lists samples (attributes and inputs that must work) and refusals
 * (calls that must fail); op_check_family() turns them into GLib tests.  README.md in this folder
 * says how to write one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"
#include "tests/engine/ops/op-tensor.h"

/* hyb_ops_softmax, hyb_ops_reduce … as op-list.h names them. */
#define HYB_OPS(folder, file) extern const HybOp hyb_ops_##file[];
#include "engine/ops/op-list.h"
#undef HYB_OPS

#define OP_SAMPLE_MAX_INPUTS 16

/* Checks that a sample leaves out; its name should tell why. */
typedef enum
{
  OP_SKIP_GRADIENT = 1 << 0, /* not differentiable at these inputs (a kink, a tie) */
  OP_SKIP_DOUBLE = 1 << 1,   /* float64 gives other numbers than float32 */
  OP_TRAINING_ONLY = 1 << 2, /* the gradient is defined for training passes only */
  OP_COARSE = 1 << 3,        /* gradients agree to 2 % only (float32 inside) */
  OP_OTHER_SHAPE = 1 << 4, /* an input has another shape than the one that is inferred without it */
} OpSampleFlags;

/* One use of an operator that must work. */
typedef struct
{
  const char   *op;   /* a name, several with spaces between, or "*": all except internal ones */
  const char   *name; /* of the test: a phrase */
  const char   *attributes;                   /* "axis=0 pad=(1, 1)"; may be NULL */
  const char   *inputs[OP_SAMPLE_MAX_INPUTS]; /* op-tensor.h says what can be written here */
  OpSampleFlags flags;
  HybGraph *(*body) (guint index); /* for operators with bodies: creates each of them */
} OpSample;

/* One use that must fail.  Members as in OpSample. */
typedef struct
{
  const char *op;
  const char *name;
  const char *attributes;
  const char *inputs[OP_SAMPLE_MAX_INPUTS];
  const char *message; /* a part of the expected message */
  HybGraph *(*body) (guint index);
} OpRefusal;

/* Adds the tests of one file of operators, whose array is ops (hyb_ops_<file>).  Both lists end with
 * { 0 }; refusals may be NULL.  For every operator without a sample, except internal ones, a test is
 * added that fails. */
void op_check_family (const char      *file,
                      const HybOp     *ops,
                      const OpSample  *samples,
                      const OpRefusal *refusals);

/* Runs one operator and returns its first output; a failure fails the test.  The inputs are
 * HybTensors, whose references it takes over, and end with NULL. */
HybTensor *op_run (const char *op, const char *attributes, ...) G_GNUC_NULL_TERMINATED;
/* The same in training mode. */
HybTensor *op_run_training (const char *op, const char *attributes, ...) G_GNUC_NULL_TERMINATED;
/* Runs one operator and returns all outputs, including hidden ones, as HybTensors.  Does not take
 * over the inputs. */
GPtrArray *
op_run_all (const char *op, const char *attributes, gboolean training, GPtrArray *inputs);
