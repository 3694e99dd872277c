/* trace.h — HybF, the object that a model's forward function computes with, and its values.
 *
 * The same forward function runs imperatively (every call computes its result at once) or is traced (every call becomes a
 * node of a graph).  HybF decides which; the function is written the same way for both.  Start at hyb_f_call(), or with the
 * functions at the end of this file.
 * Values belong to their HybF and are freed with it, so calls can be nested and no value is unreferenced.  A failed call
 * returns a failed value; calls that take a failed value do nothing. The first error is kept, with the path of the block in
 * which it happened (hyb_f_check()).
 * Threads: a HybF and its values belong to one thread at a time.  Threads with a HybF each may call the same block (block.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/graph/graph.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct _HybF     HybF;     /* computes or records calls */
typedef struct _HybValue HybValue; /* an array, a traced array, or a list */
typedef struct _HybTape  HybTape;  /* engine/autograd/tape.h */

/* Runs imperatively.  seed: of the random operators. */
HYB_API HybF *hyb_f_new (gboolean training, guint64 seed);
/* Records a graph. */
HYB_API HybF *hyb_f_new_trace (gboolean training);
/* Also frees all values of F.  NULL is allowed. */
HYB_API void hyb_f_free (HybF *F);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybF, hyb_f_free)

/* TRUE while calls record nodes, FALSE while they compute. */
HYB_API gboolean hyb_f_is_tracing (const HybF *F);
/* TRUE if operators such as Dropout behave as in training. */
HYB_API gboolean hyb_f_is_training (const HybF *F);

/* The first error, which belongs to F; NULL if there was none. */
HYB_API const GError *hyb_f_get_error (const HybF *F);
/* TRUE if there was no error; otherwise FALSE and a copy of the first one. */
HYB_API gboolean hyb_f_check (HybF *F, GError **error);
/* Reports an error from a forward function.  Only the first one is kept. */
HYB_API void hyb_f_fail (HybF *F, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Every call that computes is also recorded on tape, which must outlive F.  NULL ends the
 * recording. */
HYB_API void hyb_f_set_tape (HybF *F, HybTape *tape);
/* The tape that records, or NULL. */
HYB_API HybTape *hyb_f_get_tape (HybF *F);

/* A formatted string that lives as long as F; meant for values of attributes. */
HYB_API const char *hyb_f_text (HybF *F, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* --- Values: an array, or a list of values, which may be lists again --- */
/* NULL in place of a value counts as the result of a failed call. */

/* An array with the contents of tensor; fails while tracing. */
HYB_API HybValue *hyb_value_from_tensor (HybF *F, HybTensor *tensor);
/* The variable of this name, added to the graph on first use; only while tracing. */
HYB_API HybValue *hyb_value_variable (HybF *F, const char *name, const char *const *attributes);
/* The contents of an array, owned by the value; fails (NULL) for traced arrays and lists. */
HYB_API HybTensor *hyb_value_get_tensor (HybValue *value);
/* The number in an array with one element; NaN and an error in its F for other arrays, lists and
 * traced arrays, which have no numbers yet. */
HYB_API double hyb_value_get_double (HybValue *value);
/* The name of the node whose output the value is; NULL unless it is a traced array. */
HYB_API const char *hyb_value_get_name (const HybValue *value);
/* TRUE if the call that should have computed the value failed. */
HYB_API gboolean hyb_value_is_failed (const HybValue *value);
/* Shape and dtype of an array; fails for traced arrays, whose types are not inferred yet. */
HYB_API const HybType *hyb_value_get_type (HybValue *value);

/* A list of n values. */
HYB_API HybValue *hyb_list (HybF *F, guint n, HybValue *const *items);
/* A list of the arguments up to NULL: hyb_list_of (F, a, b, NULL). */
HYB_API HybValue *hyb_list_of (HybF *F, ...) G_GNUC_NULL_TERMINATED;
/* FALSE for an array. */
HYB_API gboolean hyb_is_list (const HybValue *value);
/* The length of a list; 1 for an array. */
HYB_API guint hyb_n_items (const HybValue *value);
/* An item of a list; item 0 of an array is the array itself. */
HYB_API HybValue *hyb_item (HybF *F, HybValue *value, guint index);
/* Appends all arrays in value to arrays (of HybValue), from left to right. */
HYB_API void hyb_flatten_into (HybValue *value, GPtrArray *arrays);
/* How value is nested, such as "[0, [0, 0]]"; every 0 is an array.  (transfer full) */
HYB_API char *hyb_value_structure (const HybValue *value);
/* A value that is nested like structure_of and has these arrays, from left to right. */
HYB_API HybValue *hyb_restructure (HybF *F, const HybValue *structure_of, HybValue *const *arrays);

/* --- Calling operators --- */
/* The arguments of hyb_f_call() besides the operator. */
typedef struct
{
  const char        *name;   /* of the node, after the scope's prefix; NULL: hint and a number */
  const char        *hint;   /* NULL: the operator's name in lower case */
  HybValue          *in[8];  /* inputs up to the first NULL; lists count as their arrays … */
  HybValue *const   *inputs; /* … or n_inputs of them here */
  guint              n_inputs;
  const char *const *attributes; /* key, value, …, NULL; pairs whose value is NULL are left out */
  HybGraph *const   *bodies;     /* of loops and branches */
  guint              n_bodies;
} HybOpCall;

/* Calls the operator named op.  Returns its first output, or a list if it has several outputs
 * that users see. */
HYB_API HybValue *hyb_f_call (HybF *F, const char *op, const HybOpCall *call);

/* HYB_OP (F, "Activation", .in = { x }, .attributes = HYB_WITH ("act_type", "relu")) */
#define HYB_OP(F, op, ...) hyb_f_call ((F), (op), HYB_OPTIONS (HybOpCall, __VA_ARGS__))
#define HYB_WITH(...)      HYB_STRINGS (__VA_ARGS__) /* keys and values */

/* Calls an operator like MXNet's symbolic front end (mx.sym.Convolution (x, name="c")): inputs
 * that are left out become variables "c_weight" and "c_bias", which carry a copy of the
 * attributes.  Only while tracing. */
HYB_API HybValue *hyb_f_compose (HybF *F, const char *op, const HybOpCall *call);
#define HYB_COMPOSE(F, op, ...) hyb_f_compose ((F), (op), HYB_OPTIONS (HybOpCall, __VA_ARGS__))

/* --- Names of nodes, like those of MXNet's name managers --- */

/* Until the matching pop, names of nodes start with prefix and numbers count from 0 again. */
HYB_API void hyb_f_push_scope (HybF *F, const char *prefix);
/* Returns to the scope that was open before hyb_f_push_scope(). */
HYB_API void hyb_f_pop_scope (HybF *F);
/* The prefix of the innermost scope; valid until it is popped. */
HYB_API const char *hyb_f_get_prefix (HybF *F);
/* prefix + name; if name is NULL, prefix + hint + the next number for this hint. */
HYB_API const char *hyb_f_name (HybF *F, const char *name, const char *hint);
/* Adds the name of a block to the path that error messages show. */
HYB_API void hyb_f_push_path (HybF *F, const char *path);
/* Removes the name that hyb_f_push_path() added. */
HYB_API void hyb_f_pop_path (HybF *F);
/* Puts an attribute, such as __subgraph_name__, on every node that is added from now on; a NULL
 * key ends this. */
HYB_API void hyb_f_set_node_attribute (HybF *F, const char *key, const char *value);

/* --- Whole graphs --- */

/* Ends the trace.  Returns the graph whose heads are the arrays of value, with its nodes in the
 * order in which MXNet writes them (depth first from the heads); NULL and the first error if the
 * trace failed.  (transfer full) */
HYB_API HybGraph *hyb_f_finish (HybF *F, HybValue *value, GError **error);
/* Copies graph into the trace, or computes it if F is not tracing.  variables: n arrays, one for
 * each variable of the graph in the order of its nodes.  Returns the heads of the graph. */
HYB_API HybValue *hyb_f_graph (HybF *F, HybGraph *graph, guint n, HybValue *const *variables);

/* --- Common operators as functions --- */

/* An array of zeros of a shape such as "(2, 3)". */
HYB_API HybValue *hyb_zeros (HybF *F, const char *shape);
/* An array of ones. */
HYB_API HybValue *hyb_ones (HybF *F, const char *shape);
/* a + b, for equal shapes (elemwise_add). */
HYB_API HybValue *hyb_add (HybF *F, HybValue *a, HybValue *b);
/* a − b, for equal shapes. */
HYB_API HybValue *hyb_sub (HybF *F, HybValue *a, HybValue *b);
/* a · b element by element, for equal shapes. */
HYB_API HybValue *hyb_mul (HybF *F, HybValue *a, HybValue *b);
/* a / b element by element, for equal shapes. */
HYB_API HybValue *hyb_div (HybF *F, HybValue *a, HybValue *b);
/* A binary operator that broadcasts, such as "broadcast_add". */
HYB_API HybValue *hyb_broadcast (HybF *F, const char *op, HybValue *a, HybValue *b);
/* x + scalar */
HYB_API HybValue *hyb_add_scalar (HybF *F, HybValue *x, double scalar);
/* x · scalar */
HYB_API HybValue *hyb_mul_scalar (HybF *F, HybValue *x, double scalar);
/* x − scalar */
HYB_API HybValue *hyb_sub_scalar (HybF *F, HybValue *x, double scalar);
/* scalar − x */
HYB_API HybValue *hyb_rsub_scalar (HybF *F, HybValue *x, double scalar);
/* x / scalar */
HYB_API HybValue *hyb_div_scalar (HybF *F, HybValue *x, double scalar);
/* x to the power of scalar */
HYB_API HybValue *hyb_power_scalar (HybF *F, HybValue *x, double scalar);
/* The larger of x and scalar. */
HYB_API HybValue *hyb_maximum_scalar (HybF *F, HybValue *x, double scalar);
/* The smaller of x and scalar. */
HYB_API HybValue *hyb_minimum_scalar (HybF *F, HybValue *x, double scalar);

/* How two numbers are compared. */
typedef enum
{
  HYB_EQUAL,
  HYB_NOT_EQUAL,
  HYB_LESS,
  HYB_LESS_EQUAL,
  HYB_GREATER,
  HYB_GREATER_EQUAL,
} HybComparison;

/* 1 where a compares so with b, 0 elsewhere, for equal shapes; in the element type of a. */
HYB_API HybValue *hyb_compare (HybF *F, HybValue *a, HybComparison how, HybValue *b);
/* 1 where x compares so with scalar, 0 elsewhere: hyb_compare_scalar (F, x, HYB_LESS, 10). */
HYB_API HybValue *hyb_compare_scalar (HybF *F, HybValue *x, HybComparison how, double scalar);
/* Any operator with one input and no attributes: "relu", "tanh", "sigmoid" … */
HYB_API HybValue *hyb_unary (HybF *F, const char *op, HybValue *x);
/* The operator Activation; name may be NULL. */
HYB_API HybValue *hyb_activation (HybF *F, HybValue *x, const char *act_type, const char *name);
/* Softmax along an axis, which may be negative. */
HYB_API HybValue *hyb_softmax (HybF *F, HybValue *x, int axis);
/* The logarithm of hyb_softmax(). */
HYB_API HybValue *hyb_log_softmax (HybF *F, HybValue *x, int axis);
/* Reshape with MXNet's codes: "(0, -1)". */
HYB_API HybValue *hyb_reshape (HybF *F, HybValue *x, const char *shape);
/* Permutes the axes: "(1, 0, 2)". */
HYB_API HybValue *hyb_transpose (HybF *F, HybValue *x, const char *axes);
/* Exchanges two axes. */
HYB_API HybValue *hyb_swap_axes (HybF *F, HybValue *x, int a, int b);
/* Inserts an axis of length 1. */
HYB_API HybValue *hyb_expand_dims (HybF *F, HybValue *x, int axis);
/* Removes an axis of length 1. */
HYB_API HybValue *hyb_squeeze (HybF *F, HybValue *x, int axis);
/* Elements begin to end − 1 of an axis; an end of HYB_NONE means up to the last. */
HYB_API HybValue *hyb_slice_axis (HybF *F, HybValue *x, int axis, gint64 begin, gint64 end);
/* A list of n equal parts; squeeze removes the axis, whose length must then be n. */
HYB_API HybValue *hyb_split (HybF *F, HybValue *x, guint n, int axis, gboolean squeeze);
/* Joins the arrays of a list along an axis that they have. */
HYB_API HybValue *hyb_concat (HybF *F, HybValue *list, int axis);
/* Joins the arrays of a list along a new axis. */
HYB_API HybValue *hyb_stack (HybF *F, HybValue *list, int axis);
/* The product a · b of matrices, or a · bᵀ. */
HYB_API HybValue *hyb_dot (HybF *F, HybValue *a, HybValue *b, gboolean transpose_b);
/* The sum over axes: "None" (all), "1", "(0, 1)". */
HYB_API HybValue *hyb_sum (HybF *F, HybValue *x, const char *axis);
/* The mean over axes, written as for hyb_sum(). */
HYB_API HybValue *hyb_mean (HybF *F, HybValue *x, const char *axis);
/* Elements of x where condition is not zero, elements of y elsewhere. */
HYB_API HybValue *hyb_where (HybF *F, HybValue *condition, HybValue *x, HybValue *y);

G_END_DECLS
