/* vocabulary.h — what a node says, for those who look for recurrent cells: the few
 * kinds of work that cells are spelled with, and attributes by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef enum
{
  HYB_KIND_OTHER,
  HYB_KIND_ADD,
  HYB_KIND_SUB,
  HYB_KIND_MUL,
  HYB_KIND_SIGMOID,
  HYB_KIND_TANH,
  HYB_KIND_RELU,
  HYB_KIND_ONES_LIKE,
  HYB_KIND_ONE_MINUS, /* 1 − x */
  HYB_KIND_LINEAR,    /* x Wᵀ + b */
  HYB_KIND_DOT,
  HYB_KIND_SPLIT,
  HYB_KIND_SLICE_AXIS,
  HYB_KIND_STACK,
  HYB_KIND_CONCAT,
  HYB_KIND_EXPAND,
  HYB_KIND_SQUEEZE,
  HYB_KIND_SWAP, /* of the first two axes; other transpositions are OTHER */
  HYB_KIND_REVERSE,
  HYB_KIND_CONSTANT, /* an array filled with one number */
  HYB_KIND_COPY,
  HYB_KIND_TAKE,
  HYB_KIND_LAST, /* the last step of a sequence */
  HYB_KIND_RESHAPE,
  HYB_KIND_PARAM_CONCAT,
  HYB_KIND_DROPOUT,
  HYB_KIND_RNN,
  HYB_KIND_FOREACH,
  HYB_KIND_WHILE,
  HYB_KIND_LESSER_SCALAR,
  HYB_KIND_PLUS_SCALAR,
} HybNodeKind;

HybNodeKind hyb_node_kind (const HybNode *node);
/* Of the node that makes a value. */
HybNodeKind hyb_value_kind (const HybGraph *graph, HybValueId value);

/* An attribute as parsed, defaults included; fallback where the operator has none such. */
gint64   hyb_node_int (const HybNode *node, const char *name, gint64 fallback);
double   hyb_node_double (const HybNode *node, const char *name, double fallback);
gboolean hyb_node_bool (const HybNode *node, const char *name);
/* NULL: no such attribute. */
const HybInts *hyb_node_ints (const HybNode *node, const char *name);

/* Computes every element from the elements at its own place in all inputs. */
gboolean hyb_node_is_elementwise (const HybNode *node);
/* The same operator with the same attributes (inputs may differ). */
gboolean hyb_nodes_alike (const HybNode *a, const HybNode *b);
gboolean hyb_value_is_variable (const HybGraph *graph, HybValueId value);
/* "node “x”" for messages; (transfer full) */
char *hyb_value_describe (const HybGraph *graph, HybValueId value);
