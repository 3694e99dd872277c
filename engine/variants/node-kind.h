/* node-kind.h — the few kinds of operators that recurrent cells are written with.
 *
 * Files that look for cells switch on the kind of a node instead of comparing operator names:
 * several operators, or attributes of one, give the same kind.
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
  HYB_KIND_SLICE,
  HYB_KIND_SIGN,
  HYB_KIND_MUL_SCALAR,
  HYB_KIND_SLICE_LIKE,
  HYB_KIND_STACK,
  HYB_KIND_CONCAT,
  HYB_KIND_EXPAND,
  HYB_KIND_SQUEEZE,
  HYB_KIND_SWAP, /* of axes 0 and 1; other transpositions are OTHER */
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
  HYB_KIND_CAST,
  HYB_KIND_COUNT, /* equally spaced numbers */
  HYB_KIND_LESS,  /* x < y */
  HYB_KIND_WHERE,
  HYB_KIND_SEQUENCE_MASK,
  HYB_KIND_SEQUENCE_REVERSE,
} HybNodeKind;

/* The kind of a node. */
HybNodeKind hyb_node_kind (const HybNode *node);
/* The kind of the node that makes a value. */
HybNodeKind hyb_value_kind (const HybGraph *graph, HybValueId value);

/* An integer, enumeration or boolean attribute as parsed, defaults included; fallback if the
 * operator has no such attribute. */
gint64 hyb_node_int (const HybNode *node, const char *name, gint64 fallback);
/* The same for a floating-point attribute. */
double hyb_node_double (const HybNode *node, const char *name, double fallback);
/* A boolean attribute; FALSE if the operator has no such attribute. */
gboolean hyb_node_bool (const HybNode *node, const char *name);
/* A list of integers, owned by node; NULL if the operator has no such attribute. */
const HybInts *hyb_node_ints (const HybNode *node, const char *name);
/* A shape as written, owned by node; NULL if the operator has no such attribute. */
const HybShape *hyb_node_shape (const HybNode *node, const char *name);

/* Whether each element of the output depends only on the elements at the same place in the inputs.
 * */
gboolean hyb_node_is_elementwise (const HybNode *node);
/* Whether two nodes have the same operator with the same attributes; inputs may differ. */
gboolean hyb_nodes_alike (const HybNode *a, const HybNode *b);
/* Whether a value is made by a variable. */
gboolean hyb_value_is_variable (const HybGraph *graph, HybValueId value);
/* The name of a value in quotation marks, for messages.  (transfer full) */
char *hyb_value_describe (const HybGraph *graph, HybValueId value);
/* The axis along which a node of HYB_KIND_CONCAT joins, as written. */
gint64 hyb_node_concat_axis (const HybNode *node);
