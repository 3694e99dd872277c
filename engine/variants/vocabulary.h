/* vocabulary.h — what a node says, for those who look for recurrent cells: the few
 * kinds of work that cells are spelled with, and attributes by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef enum
{
  HYB_WORD_OTHER,
  HYB_WORD_ADD,
  HYB_WORD_SUB,
  HYB_WORD_MUL,
  HYB_WORD_SIGMOID,
  HYB_WORD_TANH,
  HYB_WORD_RELU,
  HYB_WORD_ONES_LIKE,
  HYB_WORD_ONE_MINUS, /* 1 − x */
  HYB_WORD_LINEAR,    /* x Wᵀ + b */
  HYB_WORD_DOT,
  HYB_WORD_SPLIT,
  HYB_WORD_SLICE_AXIS,
  HYB_WORD_STACK,
  HYB_WORD_CONCAT,
  HYB_WORD_EXPAND,
  HYB_WORD_SQUEEZE,
  HYB_WORD_SWAP, /* of the first two axes; other transpositions are OTHER */
  HYB_WORD_REVERSE,
  HYB_WORD_CONSTANT, /* an array filled with one number */
  HYB_WORD_COPY,
  HYB_WORD_TAKE,
  HYB_WORD_LAST, /* the last step of a sequence */
  HYB_WORD_RESHAPE,
  HYB_WORD_PARAM_CONCAT,
  HYB_WORD_DROPOUT,
  HYB_WORD_RNN,
  HYB_WORD_FOREACH,
  HYB_WORD_WHILE,
  HYB_WORD_LESSER_SCALAR,
  HYB_WORD_PLUS_SCALAR,
} HybWord;

HybWord hyb_node_word (const HybNode *node);
/* Of the node that makes a value. */
HybWord hyb_value_word (const HybGraph *graph, HybValueId value);

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
