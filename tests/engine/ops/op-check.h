/* op-check.h — operators tested from their declaration.
 *
 * A test of an operator file lists samples (attributes and inputs) and refusals;
 * op_check_family() turns them into GLib tests.  How to write one: README.md here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"
#include "tests/engine/ops/op-tensor.h"

/* hyb_ops_softmax, hyb_ops_reduce … as op-list.h names them. */
#define HYB_OPS(folder, file) extern const HybOp hyb_ops_##file[];
#include "engine/ops/op-list.h"
#undef HYB_OPS

#define OP_SAMPLE_MAX_INPUTS 16

/* What a sample is excused from, each for a reason the sample's name should tell. */
typedef enum
{
  OP_SKIP_GRADIENT = 1 << 0, /* the point lies on a kink, or a tie decides */
  OP_SKIP_DOUBLE = 1 << 1,   /* float64 is not expected to give the same numbers */
  OP_TRAINING_ONLY = 1 << 2, /* the gradient is that of the training pass only */
  OP_COARSE = 1 << 3,        /* gradients agree to 2 % only (float32 inside) */
} OpSampleFlags;

/* One use of an operator that must work. */
typedef struct
{
  const char   *op; /* name; several with spaces between; "*": all of the file but internal ones */
  const char   *name;                         /* of the test: a phrase */
  const char   *attributes;                   /* "axis=0 pad=(1, 1)"; NULL: none */
  const char   *inputs[OP_SAMPLE_MAX_INPUTS]; /* op-tensor.h says what can be written here */
  OpSampleFlags flags;
  HybGraph *(*body) (guint index); /* control flow: makes the subgraphs; else NULL */
} OpSample;

/* One use that must be refused before anything runs. */
typedef struct
{
  const char *op;
  const char *name;
  const char *attributes;
  const char *inputs[OP_SAMPLE_MAX_INPUTS];
  const char *message; /* a part of the message expected */
  HybGraph *(*body) (guint index);
} OpRefusal;

/* Adds the tests of one file of operators: ops is hyb_ops_<file>; both lists end
 * with { 0 }, refusals may be NULL.  One more test fails for every operator of the
 * file, HYB_OP_INTERNAL aside, that has no sample. */
void op_check_family (const char      *file,
                      const HybOp     *ops,
                      const OpSample  *samples,
                      const OpRefusal *refusals);

/* Runs one operator at once and returns its first output; a failure fails the test.
 * Inputs end with NULL and are swallowed. */
HybTensor *op_run (const char *op, const char *attributes, ...) G_GNUC_NULL_TERMINATED;
/* In training mode. */
HybTensor *op_run_training (const char *op, const char *attributes, ...) G_GNUC_NULL_TERMINATED;
/* All outputs, hidden ones too; inputs are borrowed.  An array of HybTensor. */
GPtrArray *
op_run_all (const char *op, const char *attributes, gboolean training, GPtrArray *inputs);
