/* trial.c — makes inputs to compare two models on.
 *
 * Shapes come from inference with guesses for unknown sizes; numbers are random, in the range of an index, in
 * that of a given array, or in the scale that is requested.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/trial.h"

#include "engine/analysis/infer-types.h"
#include "engine/analysis/model-types.h"
#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/base/remedy.h"
#include "engine/graph/roles.h"
#include "engine/variants/proof/compared-range.h"
#include "engine/variants/proof/index-range.h"
#include "engine/variants/variant-types.h"

#include <math.h>

/* --- Numbers --- */

/* Whether an operator reads the variable as a constant while it is planned, such as an index. */
static gboolean
is_index (HybGraph *graph, HybNodeId variable)
{
  guint            n;
  HybValueId       value = hyb_graph_get_node (graph, variable)->first_output;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint u = 0; u < n; u++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, users[u]);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, users[u]);

      for (guint i = 0; i < MIN (node->n_inputs, 32); i++)
        if (inputs[i] == value && node->op->constant_inputs & (1u << i))
          return TRUE;
    }
  return FALSE;
}

static void
fill_between (HybTensor *tensor, double low, double high, gboolean is_whole, guint64 seed)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    {
      double value = hyb_random_uniform (seed, (guint64) i);

      value = is_whole ? low + floor (value * (high - low + 1)) : low + (high - low) * value;
      hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i,
                            value);
    }
}

/* Whether an array holds integers other than 0 and 1, and their range. */
static gboolean
find_range (HybTensor *tensor, double *low, double *high)
{
  gint64 n = hyb_tensor_get_size (tensor);

  *low = *high = n > 0 ? hyb_tensor_get_value (tensor, 0) : 0;
  for (gint64 i = 0; i < n; i++)
    {
      double value = hyb_tensor_get_value (tensor, i);

      if (value != floor (value))
        return FALSE;
      *low = MIN (*low, value);
      *high = MAX (*high, value);
    }
  return n > 0 && (*high > 1 || *low < 0);
}

/* The bound of random values.  Weights get one that falls with the number of columns: large
 * products would make a long chain of steps chaotic, so that rounding alone would make two models
 * differ. */
static double
find_bound (HybGraph *graph, HybNodeId id, const HybShape *shape)
{
  if (shape->rank < 2 || hyb_graph_get_role (graph, id, FALSE) != HYB_ROLE_PARAMETER)
    return 1;
  return 1 / sqrt ((double) hyb_shape_size (shape) / (double) MAX (shape->dim[0], 1));
}

static const HybTrialKind unit = { .scale = 1 };

/* One random number of this kind, up to bound. */
static double
draw (const HybTrialKind *kind, double bound, guint64 seed, guint64 i)
{
  double value = 2 * hyb_random_uniform (seed, i) - 1;

  if (kind->is_mixed)
    value = (value < 0 ? -1 : 1) * pow (10, 14 * hyb_random_uniform (~seed, i) - 10);
  value *= bound * kind->scale;
  if (kind->is_half)
    value = floor (2 * value) / 2;
  return kind->sign == 0 ? value : kind->sign * fabs (value);
}

static void
fill_numbers (HybTensor *tensor, const HybTrialKind *kind, double bound, guint64 seed)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i,
                          draw (kind, bound, seed, (guint64) i));
}

/* The largest whole number that a type holds, as far as trials go. */
static double
largest_integer (HybDType dtype)
{
  return dtype == HYB_BOOL ? 1 : dtype == HYB_U8 ? 255 : dtype == HYB_I8 ? 127 : 1e9;
}

/* Whole numbers of this kind that the type can hold. */
static void
fill_integers (HybTensor *tensor, const HybTrialKind *kind, guint64 seed)
{
  HybDType dtype = hyb_tensor_get_dtype (tensor);
  double   limit = largest_integer (dtype), high = MIN (ceil (4 * kind->scale), limit);
  gboolean is_signed = dtype != HYB_BOOL && dtype != HYB_U8;

  fill_between (tensor, is_signed && kind->sign <= 0 ? -high : 0,
                is_signed && kind->sign < 0 ? 0 : high, TRUE, seed);
  for (gint64 i = 0; kind->is_mixed && i < hyb_tensor_get_size (tensor); i++)
    {
      double value = pow (limit, hyb_random_uniform (seed, (guint64) i));
      double sign = is_signed && hyb_random_uniform (~seed, (guint64) i) < 0.5 ? -1 : 1;

      hyb_dtype_set_double (hyb_tensor_get_data (tensor), dtype, (gsize) i, sign * floor (value));
    }
}

/* A variance that is negative has no root. */
static gboolean
is_variance (const HybNode *variable)
{
  return g_str_has_suffix (variable->name, "_var");
}

/* The variables of a model, and the known facts of a trial. */
typedef struct
{
  HybGraph      *graph;
  const HybType *types;
  HybGraph      *other;       /* (nullable) another graph that reads the same variables */
  const HybType *other_types; /* (nullable) its types */
  HybTensorList *like;        /* (nullable) arrays whose range is kept */
  gboolean       keep;        /* take the arrays as they are */
  guint64        seed;
  HybTrialKind   kind;
} Values;

/* The range that suits both; indices beyond it, too, if the graphs do different things with them. */
static HybIndexRange
join_ranges (const HybIndexRange *a, const HybIndexRange *b)
{
  HybIndexRange range = { MAX (a->low, b->low), MIN (a->high, b->high), a->beyond };
  double        n = range.high - range.low + 1;

  if (a->beyond != HYB_INDEX_REFUSED && b->beyond != HYB_INDEX_REFUSED && a->beyond != b->beyond)
    {
      range.low -= n;
      range.high += n;
    }
  return range;
}

/* The range of a variable that one of the graphs reads as an index. */
static gboolean
find_index_range (const Values *values, HybNodeId id, HybIndexRange *range)
{
  const char   *name = hyb_graph_get_node (values->graph, id)->name;
  HybNodeId     twin = values->other ? hyb_graph_find_variable (values->other, name) : HYB_NO_ID;
  gboolean      is_index = hyb_index_range_find (values->graph, values->types, id, range);
  HybIndexRange second;

  if (twin == HYB_NO_ID ||
      !hyb_index_range_find (values->other, values->other_types, twin, &second))
    return is_index;
  *range = is_index ? join_ranges (range, &second) : second;
  return range->low <= range->high;
}

/* Part number `part` of the range, as many numbers as there are elements. */
static void
fill_sweep (HybTensor *tensor, const HybIndexRange *range, gint64 part)
{
  gint64 n = (gint64) (range->high - range->low) + 1;
  gint64 first = part * hyb_tensor_get_size (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i,
                          range->low + (double) ((first + i) % n));
}

/* Whether a variable is a switch, in one of the graphs: a number that is compared with others and nothing else. */
static gboolean
find_reach (const Values *values, HybNodeId id, double *reach)
{
  const char *name = hyb_graph_get_node (values->graph, id)->name;
  HybNodeId   twin = values->other ? hyb_graph_find_variable (values->other, name) : HYB_NO_ID;

  return hyb_compared_range_find (values->graph, id, reach) ||
         (twin != HYB_NO_ID && hyb_compared_range_find (values->other, twin, reach));
}

static HybTensor *
make_random (const Values *values, HybNodeId id, const HybType *type, HybTensor *like)
{
  const HybNode *node = hyb_graph_get_node (values->graph, id);
  HybTensor     *tensor = hyb_tensor_new (type, NULL);
  gboolean       is_data = hyb_graph_get_role (values->graph, id, FALSE) != HYB_ROLE_PARAMETER;
  double         low = 0, high = 1, reach, bound = find_bound (values->graph, id, &type->shape);
  guint64        own = hyb_random_mix (values->seed, g_str_hash (node->name));
  HybIndexRange  range;

  if (!tensor)
    return NULL;
  if (find_index_range (values, id, &range) && values->kind.is_sweep)
    fill_sweep (tensor, &range, values->kind.part);
  else if (find_index_range (values, id, &range))
    fill_between (tensor, range.low, values->kind.scale > 0 ? range.high : range.low, TRUE, own);
  else if (hyb_dtype_is_float (type->dtype) && find_reach (values, id, &reach))
    fill_between (tensor, -reach - 1, reach + 1, FALSE, own);
  else if (like && find_range (like, &low, &high))
    /* Lengths that are all 0 end everything early. */
    fill_between (tensor, values->kind.scale > 0 ? low : MIN (low, 0),
                  values->kind.scale > 0 ? high : MIN (low, 0), TRUE, own);
  else if (is_index (values->graph, id))
    fill_between (tensor, 0, 1, TRUE, own);
  else if (is_variance (node))
    fill_between (tensor, 0.1, 1, FALSE, own);
  else if (!hyb_dtype_is_float (type->dtype))
    fill_integers (tensor, &values->kind, own);
  else
    fill_numbers (tensor, is_data ? &values->kind : &unit, bound, own);
  return tensor;
}

/* --- Shapes --- */

/* Sets the first unknown size of a variable to 2.  FALSE if there is none. */
static gboolean
guess_sizes (HybGraph *graph, HybType *types)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      HybShape *shape = &types[hyb_graph_get_node (graph, variables[i])->first_output].shape;

      for (int d = 0; d < shape->rank; d++)
        if (shape->dim[d] == HYB_UNKNOWN)
          {
            shape->dim[d] = 2;
            return TRUE;
          }
    }
  return FALSE;
}

/* Arrays of these types for all variables that are not parameters. */
static HybTensorList *
make_list (HybModel *model, const HybType *types, Values *values, GError **error)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();

  values->graph = graph;
  values->types = types;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *given = values->like ? hyb_tensor_list_find (values->like, node->name) : NULL;
      HybType        type = types[node->first_output];
      g_autoptr (HybTensor) tensor = NULL;

      if (hyb_model_get_parameter (model, node->name))
        continue;
      if (type.dtype == HYB_DTYPE_UNKNOWN)
        type.dtype = HYB_F32;
      if (!hyb_type_is_known (&type))
        {
          hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, node->name, NULL,
                        "its shape is not known, so the model cannot be run");
          hyb_error_add_remedy (error, HYB_REMEDY_SHAPES, NULL);
          return NULL;
        }
      tensor = values->keep && given ? hyb_tensor_ref (given)
                                     : make_random (values, variables[i], &type, given);
      if (!tensor)
        return NULL;
      hyb_tensor_list_set (list, node->name, tensor);
    }
  return g_steal_pointer (&list);
}

HybTensorList *
hyb_trial_complete (HybModel      *model,
                    HybModel      *other,
                    HybTensorList *input,
                    guint64        seed,
                    GError       **error)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_variant_list_types (model, input);
  g_autofree HybType *other_types = other ? hyb_variant_infer_types (other, input) : NULL;

  do
    if (!hyb_infer_types (graph, types, NULL, FALSE, error))
      return NULL;
  while (guess_sizes (graph, types));
  return make_list (model, types,
                    &(Values){ .other = other ? hyb_model_get_graph (other) : NULL,
                               .other_types = other_types,
                               .like = input,
                               .keep = TRUE,
                               .seed = seed,
                               .kind = unit },
                    error);
}

HybTensorList *
hyb_trial_random (HybModel           *model,
                  HybTensorList      *like,
                  HybTensorList      *given,
                  const HybTrialKind *kind,
                  guint64             seed)
{
  HybModel           *other = kind ? kind->other : NULL;
  g_autofree HybType *types = hyb_variant_list_types (model, like);
  g_autofree HybType *other_types = other ? hyb_variant_infer_types (other, like) : NULL;

  if (!hyb_infer_types (hyb_model_get_graph (model), types, NULL, FALSE, NULL))
    return NULL;
  return make_list (model, types,
                    &(Values){ .other = other ? hyb_model_get_graph (other) : NULL,
                               .other_types = other_types,
                               .like = given,
                               .seed = seed,
                               .kind = kind ? *kind : unit },
                    NULL);
}

gint64
hyb_trial_n_sweeps (HybModel *model, HybModel *other, HybTensorList *like)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_variant_list_types (model, like);
  g_autofree HybType *other_types = other ? hyb_variant_infer_types (other, like) : NULL;
  Values              values = {
                 .graph = graph, .types = types, .other = hyb_model_get_graph (other), .other_types = other_types
  };
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  gint64           most = 0;

  if (!hyb_infer_types (graph, types, NULL, FALSE, NULL))
    return 0;
  for (guint i = 0; i < n; i++)
    {
      HybTensor *tensor =
          hyb_tensor_list_find (like, hyb_graph_get_node (graph, variables[i])->name);
      HybIndexRange range;

      if (tensor && hyb_tensor_get_size (tensor) > 0 &&
          find_index_range (&values, variables[i], &range))
        most = MAX (most, ((gint64) (range.high - range.low) + hyb_tensor_get_size (tensor)) /
                              hyb_tensor_get_size (tensor));
    }
  return most;
}

/* --- Other sizes --- */

static gboolean
is_fixed (const GArray *fixed, gint64 size)
{
  for (guint i = 0; i < fixed->len; i++)
    if (g_array_index (fixed, gint64, i) == size)
      return TRUE;
  return FALSE;
}

/* The data of a resize: an input, its new type, and the arrays whose sizes stay where nothing says otherwise. */
typedef struct
{
  const char    *name;
  const HybType *type;
  int            axis;
  HybTensorList *like;
} Resized;

/* A file that names open dimensions says which of them have the same size; others keep theirs.  FALSE if it fixes the size. */
static gboolean
set_open_sizes (HybModel *model, HybType *types, const Resized *resized)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *declared = hyb_model_new_declared_types (model);
  HybNodeId           id = hyb_graph_find_variable (graph, resized->name);
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);
  const HybShape     *own;
  const char         *name;

  own = &declared[hyb_graph_get_node (graph, id)->first_output].shape;
  if (own->rank > resized->axis && own->dim[resized->axis] >= 0)
    return FALSE;
  name = hyb_dim_get_name (own->dim[resized->axis]);
  for (guint i = 0; i < n; i++)
    {
      HybValueId      value = hyb_graph_get_node (graph, variables[i])->first_output;
      const HybShape *shape = &declared[value].shape;

      for (int axis = 0; axis < MIN (shape->rank, types[value].shape.rank) && name; axis++)
        if (g_strcmp0 (hyb_dim_get_name (shape->dim[axis]), name) == 0)
          types[value].shape.dim[axis] = resized->type->shape.dim[resized->axis];
    }
  return TRUE;
}

/* Types by value when one input has another size; NULL if that contradicts the model. */
static HybType *
types_with (HybModel *model, const Resized *resized)
{
  HybGraph *graph = hyb_model_get_graph (model);
  gboolean  has_names = hyb_graph_get_dialect (graph) != NULL;
  HybType  *types = hyb_variant_list_types (model, has_names ? resized->like : NULL);
  HybNodeId id = hyb_graph_find_variable (graph, resized->name);

  if (id != HYB_NO_ID && has_names && !set_open_sizes (model, types, resized))
    id = HYB_NO_ID;
  if (id != HYB_NO_ID)
    types[hyb_graph_get_node (graph, id)->first_output] = *resized->type;
  if (id == HYB_NO_ID || !hyb_infer_types (graph, types, NULL, FALSE, NULL))
    g_clear_pointer (&types, g_free);
  return types;
}

/* Gives inputs of one model the types that they have in the other, where only the other model declares them.  FALSE if that
 * contradicts the model. */
static gboolean
share_types (HybModel *to, HybType *to_types, HybModel *from, const HybType *from_types)
{
  HybGraph        *graph = hyb_model_get_graph (to), *other = hyb_model_get_graph (from);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybNodeId      id = hyb_graph_find_variable (other, node->name);
      const HybType *type =
          id == HYB_NO_ID ? NULL : &from_types[hyb_graph_get_node (other, id)->first_output];

      if (type && hyb_type_is_known (type) && !hyb_model_get_parameter (to, node->name))
        to_types[node->first_output] = *type;
    }
  return hyb_infer_types (graph, to_types, NULL, FALSE, NULL);
}

/* Whether only one of both has named dimensions, and so another way to follow sizes from input to input. */
static gboolean
are_of_two_worlds (HybModel *a, HybModel *b)
{
  return hyb_graph_get_dialect (hyb_model_get_graph (a)) !=
         hyb_graph_get_dialect (hyb_model_get_graph (b));
}

/* The outputs whose known shapes differ, as a sentence; NULL if none do.  *are_known: all shapes are known.
 * (transfer full) */
static char *
compare_heads (HybModel      *a,
               const HybType *a_types,
               HybModel      *b,
               const HybType *b_types,
               gboolean      *are_known)
{
  guint             n, m;
  const HybValueId *a_heads = hyb_graph_get_heads (hyb_model_get_graph (a), &n);
  const HybValueId *b_heads = hyb_graph_get_heads (hyb_model_get_graph (b), &m);

  *are_known = n == m;
  for (guint i = 0; n == m && i < n; i++)
    {
      const HybType   *first = &a_types[a_heads[i]], *second = &b_types[b_heads[i]];
      g_autofree char *name = NULL, *one = NULL, *other = NULL;

      *are_known &= hyb_type_is_known (first) && hyb_type_is_known (second);
      if (!hyb_type_is_known (first) || !hyb_type_is_known (second) ||
          hyb_shape_equal (&first->shape, &second->shape))
        continue;
      name = hyb_graph_dup_value_name (hyb_model_get_graph (a), a_heads[i]);
      one = hyb_shape_to_string (&first->shape);
      other = hyb_shape_to_string (&second->shape);
      return g_strdup_printf ("%s is %s and %s", name, one, other);
    }
  return NULL;
}

HybTensorList *
hyb_trial_resized (HybModel       *a,
                   HybModel       *b,
                   HybTensorList  *like,
                   HybTrialResize *resize,
                   guint64         seed)
{
  const HybNamedTensor *entry = hyb_tensor_list_get (like, resize->variable);
  HybType               type = *hyb_tensor_get_type (entry->tensor);
  g_autofree HybType   *a_types = NULL;
  g_autofree HybType   *b_types = NULL;
  g_autofree char      *difference = NULL;
  gboolean              are_known;
  Resized               resized;

  if (resize->axis >= type.shape.rank || is_fixed (resize->fixed, type.shape.dim[resize->axis]))
    return NULL;
  if (type.shape.dim[resize->axis] == resize->size)
    return NULL;
  type.shape.dim[resize->axis] = resize->size;
  resized = (Resized){ entry->name, &type, resize->axis, like };
  a_types = types_with (a, &resized);
  b_types = types_with (b, &resized);
  if (!a_types || !b_types)
    return NULL;
  if (are_of_two_worlds (a, b) &&
      (!share_types (b, b_types, a, a_types) || !share_types (a, a_types, b, b_types)))
    return NULL;
  difference = compare_heads (a, a_types, b, b_types, &are_known);
  /* A form with one step has that size for good. */
  if (difference && hyb_tensor_get_shape (entry->tensor)->dim[resize->axis] > 1)
    {
      g_autofree char *shape = hyb_shape_to_string (&type.shape);

      resize->difference = g_strdup_printf ("%s if %s is %s", difference, entry->name, shape);
    }
  if (difference || !are_known)
    return NULL;
  return make_list (a, a_types,
                    &(Values){ .other = hyb_model_get_graph (b),
                               .other_types = b_types,
                               .like = resize->given,
                               .seed = seed,
                               .kind = unit },
                    NULL);
}
