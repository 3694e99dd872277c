/* trace.h — F: what a model's forward function computes with.
 *
 * The same forward runs at once (imperative: every call computes) or is traced
 * (every call becomes a node of a graph); F decides, the function cannot tell.
 * Values belong to F and live as long as it does, so expressions nest and
 * nothing is unref'd.  A mistake marks the value it happened to, is kept once
 * with the path of the block, and the rest of the forward falls through.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct _HybF     HybF;
typedef struct _HybValue HybValue;
typedef struct _HybTape  HybTape; /* engine/autograd/tape.h */

HybF *hyb_f_new (gboolean training, guint64 seed); /* runs at once */
HybF *hyb_f_new_trace (gboolean training);         /* records a graph */
void  hyb_f_free (HybF *F);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybF, hyb_f_free)

gboolean      hyb_f_is_tracing (const HybF *F);
gboolean      hyb_f_is_training (const HybF *F);
void          hyb_f_set_training (HybF *F, gboolean training);
const GError *hyb_f_get_error (const HybF *F);       /* the first mistake; NULL: none */
gboolean      hyb_f_check (HybF *F, GError **error); /* the same as a GError */
void          hyb_f_fail (HybF *F, const char *format, ...) G_GNUC_PRINTF (2, 3);
void          hyb_f_set_tape (HybF *F, HybTape *tape); /* records what runs; NULL: no more */
HybTape      *hyb_f_get_tape (HybF *F);

/* Text that lives as long as F: attribute values. */
const char *hyb_f_text (HybF *F, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* --- Values: one array, or a list of values (nested at will) --- */

HybValue *hyb_value_from_tensor (HybF *F, HybTensor *tensor);
HybValue *
hyb_value_variable (HybF *F, const char *name, const char *const *attributes); /* traced only */
HybTensor *hyb_value_get_tensor (HybValue *value);   /* NULL (and a mistake) for a traced one */
HybValueId hyb_value_get_id (const HybValue *value); /* traced only */
/* Of the node that makes it; NULL unless traced. */
const char *hyb_value_get_name (const HybValue *value);
gboolean    hyb_value_is_failed (const HybValue *value);
/* Shape and dtype of an array; a mistake for a traced one, which has none yet. */
const HybType *hyb_value_get_type (HybValue *value);

HybValue *hyb_list (HybF *F, guint n, HybValue *const *items);
/* hyb_list_of (F, a, b, NULL) */
HybValue *hyb_list_of (HybF *F, ...) G_GNUC_NULL_TERMINATED;
gboolean  hyb_is_list (const HybValue *value);
guint     hyb_n_items (const HybValue *value); /* 1 for an array */
HybValue *
hyb_item (HybF *F, HybValue *value, guint index); /* of a list; an array is its own item 0 */
/* All arrays in it, from left to right. */
void hyb_flatten_into (HybValue *value, GPtrArray *arrays);
/* "[0, [0, 0]]": how it nests; (transfer full) */
char *hyb_value_structure (const HybValue *value);
/* A value that nests like structure_of, with these arrays in order. */
HybValue *hyb_restructure (HybF *F, const HybValue *structure_of, HybValue *const *arrays);

/* --- Operators --- */

typedef struct
{
  const char        *name;   /* full name below the scope's prefix; NULL: hint and a number */
  const char        *hint;   /* NULL: the operator's name in lower case */
  HybValue          *in[8];  /* inputs, up to the first NULL … */
  HybValue *const   *inputs; /* … or any number of them here */
  guint              n_inputs;
  const char *const *attributes; /* key, value, …, NULL; a value NULL leaves the pair out */
  HybGraph *const   *bodies;
  guint              n_bodies;
} HybOpCall;

/* The first visible output, or a list if the operator has several. */
HybValue *hyb_f_call (HybF *F, const char *op, const HybOpCall *call);

/* HYB_OP (F, "Activation", .in = { x }, .attributes = HYB_WITH ("act_type", "relu")) */
#define HYB_OP(F, op, ...) hyb_f_call ((F), (op), &(const HybOpCall){ __VA_ARGS__ })
#define HYB_WITH(...)      ((const char *const[]){ __VA_ARGS__, NULL, NULL })

/* As a symbolic front end composes (mx.sym.Convolution (x, name="c")): inputs left out
 * become variables "c_weight", "c_bias" with a copy of the attributes.  Traced only. */
HybValue *hyb_f_compose (HybF *F, const char *op, const HybOpCall *call);
#define HYB_COMPOSE(F, op, ...) hyb_f_compose ((F), (op), &(const HybOpCall){ __VA_ARGS__ })

/* --- Names, as MXNet's name managers give them --- */

/* Nodes made from now on are called prefix + name, with fresh counters. */
void        hyb_f_push_scope (HybF *F, const char *prefix);
void        hyb_f_pop_scope (HybF *F);
const char *hyb_f_get_prefix (HybF *F);
/* prefix + (name or hint + counter) */
const char *hyb_f_name (HybF *F, const char *name, const char *hint);
/* For messages: block paths, innermost last. */
void hyb_f_push_path (HybF *F, const char *path);
void hyb_f_pop_path (HybF *F);
/* Attributes put on every node from now on (__subgraph_name__); NULL: none. */
void hyb_f_set_node_attribute (HybF *F, const char *key, const char *value);

/* The traced graph: heads are the arrays of value, nodes in the order in which
 * MXNet writes them (depth-first from the heads).  Ends the trace. */
HybGraph *hyb_f_finish (HybF *F, HybValue *value, GError **error);
/* All nodes of graph with these arrays for its variables (node order); for a
 * tracing F they are copied into the trace, else computed. */
HybValue *hyb_f_graph (HybF *F, HybGraph *graph, guint n, HybValue *const *variables);

/* --- The most usual operators, by name --- */

HybValue *hyb_add (HybF *F, HybValue *a, HybValue *b); /* equal shapes, as a + b of two symbols */
HybValue *hyb_sub (HybF *F, HybValue *a, HybValue *b);
HybValue *hyb_mul (HybF *F, HybValue *a, HybValue *b);
HybValue *hyb_div (HybF *F, HybValue *a, HybValue *b);
HybValue *hyb_broadcast (HybF *F, const char *op, HybValue *a, HybValue *b); /* "broadcast_add" … */
HybValue *hyb_add_scalar (HybF *F, HybValue *x, double scalar);
HybValue *hyb_mul_scalar (HybF *F, HybValue *x, double scalar);
HybValue *hyb_rsub_scalar (HybF *F, HybValue *x, double scalar); /* scalar − x */
HybValue *hyb_unary (HybF *F, const char *op, HybValue *x);      /* "relu", "tanh", "sigmoid" … */
HybValue *hyb_activation (HybF *F, HybValue *x, const char *act_type, const char *name);
HybValue *hyb_softmax (HybF *F, HybValue *x, int axis);
HybValue *hyb_log_softmax (HybF *F, HybValue *x, int axis);
HybValue *hyb_reshape (HybF *F, HybValue *x, const char *shape); /* "(0, -1)" */
HybValue *hyb_transpose (HybF *F, HybValue *x, const char *axes);
HybValue *hyb_swap_axes (HybF *F, HybValue *x, int a, int b);
HybValue *hyb_expand_dims (HybF *F, HybValue *x, int axis);
HybValue *hyb_squeeze (HybF *F, HybValue *x, int axis);
HybValue *hyb_slice_axis (HybF     *F,
                          HybValue *x,
                          int       axis,
                          gint64    begin,
                          gint64    end); /* HYB_NONE: to the end */
HybValue *hyb_split (HybF *F, HybValue *x, guint n, int axis, gboolean squeeze); /* a list */
HybValue *hyb_concat (HybF *F, HybValue *list, int axis);
HybValue *hyb_stack (HybF *F, HybValue *list, int axis);
HybValue *hyb_dot (HybF *F, HybValue *a, HybValue *b, gboolean transpose_b);
HybValue *hyb_sum (HybF *F, HybValue *x, const char *axis); /* "None", "1", "(0, 1)" */
HybValue *hyb_mean (HybF *F, HybValue *x, const char *axis);
HybValue *hyb_where (HybF *F, HybValue *condition, HybValue *x, HybValue *y);
HybValue *hyb_pick (HybF *F, HybValue *x, HybValue *index);

G_END_DECLS
