/* pointwise.h — formulas of pointwise operators, from which kernels are made.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"
#include "engine/cuda/ops/axes.h"

/* The numbers s, t and u of a formula. */
#define POINTWISE_NUMBERS 3

/* The inputs are x, w, v and p, i is the number of the element, s, t and u are numbers; T is the type of the
 * result Result, or long long for integers. */
typedef struct
{
  const char *op;
  const char *formula; /* NULL: the sum of all inputs */
  const char *numbers; /* names of the attributes s, t and u, with a space between; may be NULL */
  const char *choice;  /* an enumerated attribute on which the formula depends; may be NULL */
  int         value;   /* of that attribute */
  guint       raw;     /* bit i: input i keeps its type */
  guint       unread;  /* bit i: of input i only the type counts */
  /* Computes the number s from attributes and shapes; NULL: it is an attribute, if anything. */
  double (*measure) (const HybCall *call);
  /* Computes s, t and u from the attributes, for a result of this stored type; they stay double.
   * Default: they are the attributes `numbers`, converted to T. */
  void (*find_numbers) (const HybOp *op, gconstpointer params, HybDType stored, double *numbers);
  /* Sets the walk over the elements of the output, with the strides of all inputs.  Default: inputs are
   * broadcast, aligned at the last axis. */
  void (*lay) (const HybCall *call, HybAxes *axes);
} HybPointwise;

/* All formulas; ends with an empty one. */
extern const HybPointwise hyb_pointwise_formulas[];

/* The formula for an operator with these attributes; NULL if there is none. */
const HybPointwise *hyb_pointwise_find (const HybOp *op, gconstpointer params);
/* The text of the kernel `each` of a call that is not refused.  NULL and an error if it would need more
 * arguments or axes than a kernel takes.  (transfer full) */
char *hyb_pointwise_dup_text (const HybCall *call, GError **error);
/* Calls function for the name of every operator that has a formula, and for chains of them. */
void hyb_pointwise_list (void (*function) (const HybDeviceOp *op, gpointer data), gpointer data);
