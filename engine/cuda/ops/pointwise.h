/* pointwise.h — formulas of pointwise operators, from which kernels are made.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"

/* The inputs are x, w and v, i is the number of the element, s, t and u are attributes; T is the type
 * of the result, or long long for integers. */
typedef struct
{
  const char *op;
  const char *formula; /* NULL: the sum of all inputs */
  const char *numbers; /* names of the attributes s, t and u, with a space between; may be NULL */
  const char *choice;  /* an enumerated attribute on which the formula depends; may be NULL */
  int         value;   /* of that attribute */
  guint       raw;     /* bit i: input i keeps its type */
} HybPointwise;

/* All formulas; ends with an empty one. */
extern const HybPointwise hyb_pointwise_formulas[];

/* The formula for an operator with these attributes; NULL if there is none. */
const HybPointwise *hyb_pointwise_find (const HybOp *op, gconstpointer params);
/* Calls function for the name of every operator that has a formula, and for chains of them. */
void hyb_pointwise_list (void (*function) (const HybDeviceOp *op, gpointer data), gpointer data);
