/* op-check.h — operators tested from their declaration.
 *
 * A test of an operator file lists samples (attributes and inputs) and refusals;
 * op_check_family() turns them into GLib tests.  How to write one: README.md here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/ops/op.h"

/* hyb_ops_softmax, hyb_ops_reduce … as op-list.h names them. */
#define HYB_OPS(file) extern const HybOp hyb_ops_##file[];
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
  const char   *inputs[OP_SAMPLE_MAX_INPUTS]; /* see op_tensor_from_text() */
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

/* A tensor of "f32[2,3]" filled with distinct numbers in (-1, 1) in a fixed disorder;
 * integers with 0, 1, 2, 0, 1 …  More can be said behind the brackets:
 *   "f32[2,3] 0.5..2"    distinct numbers in that range (integers: any, both ends included)
 *   "f32[4] = 1,2,nan,4" these; the last repeats
 * dtypes: f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool.  nth: inputs of one
 * sample differ by it. */
HybTensor *op_tensor_from_text (const char *text, guint nth);

/* "f32[3]" and its values, as doubles. */
HybTensor *op_tensor (const char *type, ...);

/* Runs one operator at once and returns its first output; a failure fails the test.
 * Inputs end with NULL and are swallowed. */
HybTensor *op_run (const char *op, const char *attributes, ...) G_GNUC_NULL_TERMINATED;
/* In training mode. */
HybTensor *op_run_training (const char *op, const char *attributes, ...) G_GNUC_NULL_TERMINATED;
/* All outputs, hidden ones too; inputs are borrowed.  An array of HybTensor. */
GPtrArray *
op_run_all (const char *op, const char *attributes, gboolean training, GPtrArray *inputs);

/* As many doubles as the tensor has elements; |got - want| <= tolerance * max (1, |want|). */
void op_assert_near (HybTensor *tensor, double tolerance, ...);
/* "float32 (2, 3)" as hyb_type_to_string() says it. */
void op_assert_type (HybTensor *tensor, const char *type);
/* Equal types, |a - b| <= tolerance * max (1, |b|). */
void op_assert_same (HybTensor *a, HybTensor *b, double tolerance);
