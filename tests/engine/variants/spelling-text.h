/* spelling-text.h — the operators that spellings of cells are written with.
 *
 * Each function adds a node to the model that is written and returns its first output.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"
#include "tests/engine/variants/spellings.h"

/* The model that is written. */
typedef struct
{
  HybModel   *model;
  HybBuilder *builder;
  HybValueId  data, x; /* all inputs (steps, batch, width); that of the step (batch, width) */
  HybValueId  h, c;
  HybValueId  all;  /* a product for all steps; HYB_NO_ID: not made */
  HybValueId  also; /* another head; HYB_NO_ID: none */
  guint       step;
} ModelText;

/* A tensor of random values; columns 0: a vector.  (transfer full) */
HybTensor *spelling_random (guint64 seed, gint64 rows, gint64 columns);
/* The parameter with this name, made with random values at its first use.  columns 0: a vector. */
HybValueId spelling_weight (ModelText *text, const char *name, gint64 rows, gint64 columns);
/* The first output of a new node; attributes: "key=value;key=value", or NULL. */
HybValueId spelling_call (ModelText        *text,
                          const char       *op,
                          guint             n,
                          const HybValueId *inputs,
                          const char       *attributes);
/* A node with one input. */
HybValueId spelling_unary (ModelText *text, const char *op, HybValueId x, const char *attributes);
/* A node with two inputs and no attributes. */
HybValueId spelling_binary (ModelText *text, const char *op, HybValueId a, HybValueId b);
/* The sum of two values of the same shape. */
HybValueId spelling_add (ModelText *text, HybValueId a, HybValueId b);
/* The product, element by element, of two values of the same shape. */
HybValueId spelling_mul (ModelText *text, HybValueId a, HybValueId b);
/* Two values concatenated along their columns. */
HybValueId spelling_join (ModelText *text, HybValueId a, HybValueId b);
/* x Wᵀ + b of inputs x, W and perhaps b. */
HybValueId
spelling_call_product (ModelText *text, guint n_inputs, const HybValueId *inputs, gint64 rows);
/* x Wᵀ + b; W is rows × columns. */
HybValueId
spelling_product (ModelText *text, HybValueId x, const char *name, gint64 rows, gint64 columns);
/* x Wᵀ; W is rows × columns. */
HybValueId spelling_plain_product (ModelText  *text,
                                   HybValueId  x,
                                   const char *name,
                                   gint64      rows,
                                   gint64      columns);
/* The sum of a product of the input and one of the state. */
HybValueId spelling_products (ModelText *text, const char *gate, gint64 rows);
