/* layout.c — finds parameters with transposed axes, or with an axis of length one too many or too few.
 *
 * Keras and TensorFlow store dense weights as (in, out) and filters as (height, width, in, out); others
 * put the channels of filters last.  Start at hyb_layout_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/layout.h"

#include "engine/analysis/infer-types.h"
#include "engine/kernels/move.h"

#include <string.h>

/* Limit of inference steps, about a second. */
#define MAX_STEPS 4000000
#define MAX_AXES  5 /* of arrays that are transposed */

typedef enum
{
  ARRAY_ABSENT, /* there is no parameter, or its shape is not known from the graph */
  ARRAY_FITS,
  ARRAY_RESHAPED,
  ARRAY_BAD,
} ArrayState;

/* A parameter of the model. */
typedef struct
{
  const HybNode *node;
  HybTensor     *tensor; /* NULL if there is none */
  HybShape       expected;
  ArrayState     state;
  const HybOp   *reader; /* the first operator that reads it, and as which operand */
  guint          operand;
  gboolean       is_permuted;
  HybLayoutFix   fix;
} Array;

typedef struct
{
  HybGraph *graph;
  HybType  *known; /* by value: from the graph alone */
  Array    *arrays;
  guint     n;
} Search;

static const struct
{
  int rank, axes[MAX_AXES];
} orders[] = {
  { 2, { 1, 0 } },       { 3, { 0, 2, 1 } },    { 3, { 2, 1, 0 } },       { 4, { 3, 2, 0, 1 } },
  { 4, { 0, 3, 1, 2 } }, { 4, { 2, 3, 0, 1 } }, { 5, { 4, 3, 0, 1, 2 } }, { 5, { 0, 4, 1, 2, 3 } },
};

static gboolean
fits (const HybShape *expected, const HybShape *shape)
{
  HybShape trial = *expected;

  return hyb_shape_assign (&trial, shape, NULL);
}

/* Removes the axes of a mask, all of which must have length one; FALSE if one does not. */
static gboolean
remove_axes (const HybShape *from, guint mask, HybShape *to)
{
  to->rank = 0;
  for (int i = 0; i < from->rank; i++)
    if (!(mask >> i & 1))
      to->dim[to->rank++] = from->dim[i];
    else if (from->dim[i] != 1)
      return FALSE;
  return TRUE;
}

/* Inserts axes of length one at the positions of a mask. */
static void
insert_axes (const HybShape *from, guint mask, int rank, HybShape *to)
{
  int at = 0;

  to->rank = rank;
  for (int i = 0; i < rank; i++)
    to->dim[i] = mask >> i & 1 ? 1 : from->dim[at++];
}

static guint
count_bits (guint mask)
{
  guint n = 0;

  for (; mask > 0; mask &= mask - 1)
    n++;
  return n;
}

/* The one shape of the expected rank that has the same axes, ignoring axes of length one. */
static gboolean
change_rank (const HybShape *expected, const HybShape *shape, HybShape *found)
{
  int      rank = MAX (expected->rank, shape->rank);
  guint    n_extra = (guint) ABS (expected->rank - shape->rank);
  gboolean has_found = FALSE;

  if (n_extra == 0 || expected->rank < 0 || rank > 8)
    return FALSE;
  for (guint mask = 1; mask < 1u << rank; mask++)
    {
      HybShape trial;

      if (count_bits (mask) != n_extra)
        continue;
      if (shape->rank < expected->rank)
        insert_axes (shape, mask, rank, &trial);
      else if (!remove_axes (shape, mask, &trial))
        continue;
      if (!fits (expected, &trial))
        continue;
      if (has_found && !hyb_shape_equal (found, &trial))
        return FALSE;
      *found = trial;
      has_found = TRUE;
    }
  return has_found;
}

static void
permute (const HybShape *from, const int *axes, HybShape *to)
{
  to->rank = from->rank;
  for (int i = 0; i < from->rank; i++)
    to->dim[i] = from->dim[axes[i]];
}

static void
describe_array (Search *search, HybModel *model, HybNodeId id, Array *array)
{
  const HybNode   *node = hyb_graph_get_node (search->graph, id);
  guint            n_users;
  const HybNodeId *users = hyb_graph_get_users (search->graph, node->first_output, &n_users);
  const HybShape  *shape;

  array->node = node;
  array->tensor = hyb_model_get_parameter (model, node->name);
  array->expected = search->known[node->first_output].shape;
  array->fix.name = node->name;
  if (!array->tensor || n_users == 0 || array->expected.rank == HYB_UNKNOWN)
    return;

  array->reader = hyb_graph_get_node (search->graph, users[0])->op;
  while (hyb_graph_get_inputs (search->graph, users[0])[array->operand] != node->first_output)
    array->operand++;
  shape = hyb_tensor_get_shape (array->tensor);
  array->fix.shape = *shape;
  array->state = fits (&array->expected, shape)                             ? ARRAY_FITS
                 : change_rank (&array->expected, shape, &array->fix.shape) ? ARRAY_RESHAPED
                                                                            : ARRAY_BAD;
}

/* TRUE if the graph accepts all arrays except the ones that are still bad. */
static gboolean
is_consistent (const Search *search)
{
  g_autofree HybType *types =
      g_memdup2 (search->known, MAX (hyb_graph_n_values (search->graph), 1) * sizeof *types);

  for (guint i = 0; i < search->n; i++)
    {
      const Array *array = &search->arrays[i];

      if (array->tensor && (array->state != ARRAY_BAD || array->is_permuted))
        types[array->node->first_output].shape =
            array->state == ARRAY_ABSENT ? *hyb_tensor_get_shape (array->tensor) : array->fix.shape;
    }
  return hyb_infer_types (search->graph, types, NULL, FALSE, NULL);
}

static gboolean
is_in_group (const Array *array, const Array *first)
{
  return (array->state == ARRAY_BAD || array->state == ARRAY_FITS) &&
         array->reader == first->reader && array->operand == first->operand &&
         hyb_tensor_get_shape (array->tensor)->rank == hyb_tensor_get_shape (first->tensor)->rank;
}

static void
reset_group (Search *search, const Array *first)
{
  for (guint i = 0; i < search->n; i++)
    if (is_in_group (&search->arrays[i], first))
      {
        search->arrays[i].is_permuted = FALSE;
        search->arrays[i].fix.shape = *hyb_tensor_get_shape (search->arrays[i].tensor);
      }
}

/* Transposes the arrays of a group: all of them, or the bad ones.  FALSE if one does not fit. */
static gboolean
try_order (Search *search, const Array *first, const int *axes, gboolean takes_all)
{
  for (guint i = 0; i < search->n; i++)
    {
      Array          *array = &search->arrays[i];
      const HybShape *shape;

      if (!is_in_group (array, first) || (!takes_all && array->state != ARRAY_BAD))
        continue;
      shape = hyb_tensor_get_shape (array->tensor);
      permute (shape, axes, &array->fix.shape);
      if (!fits (&array->expected, &array->fix.shape))
        return FALSE;
      memcpy (array->fix.axes, axes, (gsize) shape->rank * sizeof *axes);
      array->is_permuted = TRUE;
    }
  return is_consistent (search);
}

static void
transpose_group (Search *search, const Array *first)
{
  int rank = hyb_tensor_get_shape (first->tensor)->rank;

  for (int takes_all = 1; takes_all >= 0; takes_all--)
    for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
      {
        if (orders[i].rank != rank)
          continue;
        if (try_order (search, first, orders[i].axes, takes_all))
          return;
        reset_group (search, first);
      }
}

static void
find_fixes (Search *search, GArray *fixes)
{
  gboolean is_reshaped = FALSE;
  guint    n_bad = 0;

  for (guint i = 0; i < search->n; i++)
    {
      is_reshaped |= search->arrays[i].state == ARRAY_RESHAPED;
      n_bad += search->arrays[i].state == ARRAY_BAD;
    }
  if (is_reshaped && !is_consistent (search))
    return;
  if ((guint64) n_bad * hyb_graph_n_nodes (search->graph) > MAX_STEPS)
    return;
  for (guint i = 0; i < search->n; i++)
    if (search->arrays[i].state == ARRAY_BAD && !search->arrays[i].is_permuted)
      transpose_group (search, &search->arrays[i]);

  for (guint i = 0; i < search->n; i++)
    if (search->arrays[i].is_permuted || search->arrays[i].state == ARRAY_RESHAPED)
      {
        search->arrays[i].fix.is_permuted = search->arrays[i].is_permuted;
        g_array_append_val (fixes, search->arrays[i].fix);
      }
}

GArray *
hyb_layout_find (HybModel *model)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  GArray             *fixes = g_array_new (FALSE, FALSE, sizeof (HybLayoutFix));
  guint               n, n_values = hyb_graph_n_values (graph);
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);
  g_autofree Array   *arrays = g_new0 (Array, MAX (n, 1));
  g_autofree HybType *known = g_new (HybType, MAX (n_values, 1));
  Search              search = { graph, known, arrays, n };

  for (guint i = 0; i < n_values; i++)
    known[i] = HYB_TYPE_UNKNOWN;
  if (!hyb_infer_known_types (graph, known, FALSE, NULL))
    return fixes;
  for (guint i = 0; i < n; i++)
    describe_array (&search, model, variables[i], &arrays[i]);
  find_fixes (&search, fixes);
  return fixes;
}

HybTensor *
hyb_layout_apply (const HybLayoutFix *fix, HybTensor *tensor)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);
  HybType         type = { fix->shape, hyb_tensor_get_dtype (tensor) };
  HybMove         move = { .item = hyb_dtype_size (type.dtype) };
  HybTensor      *changed;

  if (!fix->is_permuted)
    return hyb_tensor_new_view (tensor, &type, 0);

  changed = hyb_tensor_new (&type, NULL);
  if (!changed)
    return NULL;
  for (int i = 0; i < fix->shape.rank; i++)
    hyb_move_axis (&move, fix->shape.dim[i], hyb_shape_count (shape, fix->axes[i] + 1, shape->rank),
                   hyb_shape_count (&fix->shape, i + 1, fix->shape.rank));
  hyb_move (&move, hyb_tensor_get_data (tensor), hyb_tensor_get_data (changed));
  return changed;
}
