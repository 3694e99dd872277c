/* trees.c — TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor of ai.onnx.ml.
 *
 * All rows go down all trees at once: in each step the number of a node is looked up for each row and tree, tested, and
 * replaced by the number of the branch.  Start with descend().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ml/forest.h"
#include "engine/onnx/ml/scores.h"
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

/* Elements of the table of leaves' weights. */
#define MAX_WEIGHTS 16777216

/* How the weights of all trees become a result. */
typedef struct
{
  const char *name;
  const char *engine;
  double      nothing; /* the weight where a leaf has none */
} Aggregate;

/* In the order of TreeEnsemble's numbers. */
static const Aggregate aggregates[] = {
  { "AVERAGE", "_np_sum", 0 },
  { "SUM", "_np_sum", 0 },
  { "MIN", "_np_min", INFINITY },
  { "MAX", "_np_max", -INFINITY },
};

/* --- Tables of nodes --- */

static HybTensor *
new_table (const OnnxForest *forest, HybDType dtype)
{
  HybType type = { hyb_shape_1d (forest->nodes->len), dtype };

  return hyb_tensor_new (&type, NULL);
}

/* One integer of each node. */
static HybValueId
list_ints (HybLowering *lowering, const OnnxForest *forest, gsize member)
{
  HybTensor *table = new_table (forest, HYB_I64);

  for (guint i = 0; table && i < forest->nodes->len; i++)
    ((gint64 *) hyb_tensor_get_data (table))[i] =
        *(const gint64 *) (gconstpointer) ((const char *) &g_array_index (forest->nodes,
                                                                          OnnxForestNode, i) +
                                           member);
  return hyb_lowering_constant (lowering, table);
}

/* One truth value of each node; HYB_NO_ID if none is true. */
static HybValueId
list_flags (HybLowering *lowering, const OnnxForest *forest, gsize member)
{
  HybTensor *table = new_table (forest, HYB_BOOL);
  gboolean   is_any = FALSE;

  for (guint i = 0; table && i < forest->nodes->len; i++)
    {
      gboolean flag =
          *(const gboolean *) (gconstpointer) ((const char *) &g_array_index (forest->nodes,
                                                                              OnnxForestNode, i) +
                                               member);

      ((guint8 *) hyb_tensor_get_data (table))[i] = flag != 0;
      is_any |= flag;
    }
  if (is_any)
    return hyb_lowering_constant (lowering, table);
  hyb_tensor_unref (table);
  return HYB_NO_ID;
}

static HybValueId
list_values (HybLowering *lowering, const OnnxForest *forest, HybDType dtype)
{
  HybTensor *table = new_table (forest, dtype);

  for (guint i = 0; table && i < forest->nodes->len; i++)
    hyb_dtype_set_double (hyb_tensor_get_data (table), dtype, i,
                          g_array_index (forest->nodes, OnnxForestNode, i).value);
  return hyb_lowering_constant (lowering, table);
}

/* --- Rows down the trees --- */

/* The tables that a step reads. */
typedef struct
{
  HybValueId x, rows; /* elements of all rows; where each row begins, [rows, 1] */
  HybValueId feature, value, yes, no;
  HybValueId is_equal; /* HYB_NO_ID: no test is one for equality */
  HybValueId nan_is_no;
} Tables;

/* Whether the test of each node holds, [rows, trees]. */
static HybValueId
test (HybLowering *lowering, const Tables *tables, HybValueId node)
{
  HybValueId at = onnx_add (lowering, onnx_take (lowering, tables->feature, node, 0), tables->rows);
  HybValueId x = onnx_take (lowering, tables->x, at, 0);
  HybValueId value = onnx_take (lowering, tables->value, node, 0);
  HybValueId holds = hyb_onnx_binary (lowering, "_npi_less_equal", x, value), nan;

  if (tables->is_equal != HYB_NO_ID)
    holds = onnx_where (lowering, onnx_take (lowering, tables->is_equal, node, 0),
                        hyb_onnx_binary (lowering, "_npi_equal", x, value), holds);
  /* Unless NaN leads to the other branch, as it does by itself. */
  nan = tables->nan_is_no == HYB_NO_ID
            ? hyb_onnx_scalar (lowering, 1, HYB_BOOL)
            : hyb_onnx_unary (lowering, "logical_not",
                              onnx_take (lowering, tables->nan_is_no, node, 0));
  nan = onnx_and (lowering, hyb_onnx_unary (lowering, "_npi_isnan", x),
                  hyb_onnx_cast (lowering, nan, HYB_BOOL));
  return hyb_onnx_binary (lowering, "broadcast_logical_or", holds, nan);
}

/* The leaf of each row in each tree, [rows, trees]. */
static HybValueId
descend (HybLowering *lowering, const OnnxForest *forest, HybValueId x)
{
  gint64     n_rows = onnx_size (lowering, x, 0), n_features = onnx_size (lowering, x, 1);
  HybDType   dtype = hyb_lowering_get_type (lowering, x)->dtype;
  HybShape   shape = hyb_shape_2d (n_rows, 1);
  HybValueId node = hyb_onnx_int64s (lowering, forest->roots->len,
                                     (const gint64 *) (gpointer) forest->roots->data);
  Tables     tables = {
        .x = onnx_flatten (lowering, x),
        .rows = onnx_scale (lowering, onnx_count (lowering, n_rows, 0, 2), (double) n_features),
        .feature = list_ints (lowering, forest, G_STRUCT_OFFSET (OnnxForestNode, feature)),
        .value = list_values (lowering, forest, dtype),
        .yes = list_ints (lowering, forest, G_STRUCT_OFFSET (OnnxForestNode, yes)),
        .no = list_ints (lowering, forest, G_STRUCT_OFFSET (OnnxForestNode, no)),
        .is_equal = list_flags (lowering, forest, G_STRUCT_OFFSET (OnnxForestNode, is_equal)),
        .nan_is_no = list_flags (lowering, forest, G_STRUCT_OFFSET (OnnxForestNode, nan_is_no)),
  };

  node = hyb_onnx_reshape (lowering, node, 2, (gint64[]){ 1, -1 });
  node = onnx_add (lowering, node, onnx_fill (lowering, &shape, HYB_I64, 0));
  for (guint i = 0; i < forest->depth; i++)
    node = onnx_where (lowering, test (lowering, &tables, node),
                       onnx_take (lowering, tables.yes, node, 0),
                       onnx_take (lowering, tables.no, node, 0));
  return node;
}

/* Weights by node and target. */
static HybValueId
list_weights (HybLowering *lowering, const OnnxForest *forest, gint64 n, const Aggregate *aggregate)
{
  gint64     size = forest->nodes->len * n;
  HybShape   shape = hyb_shape_2d (forest->nodes->len, n);
  double    *values;
  HybValueId table;

  if (n < 1 || size > MAX_WEIGHTS)
    {
      hyb_lowering_fail (lowering, NULL, "it has too many leaves and targets");
      return HYB_NO_ID;
    }
  values = g_new (double, MAX (size, 1));
  for (gint64 i = 0; i < size; i++)
    values[i] = aggregate->nothing;
  for (guint i = 0; i < forest->weights->len; i++)
    {
      const OnnxForestWeight *weight = &g_array_index (forest->weights, OnnxForestWeight, i);
      double                 *value = &values[weight->node * n + MIN (weight->target, n - 1)];

      *value = (isinf (*value) ? 0 : *value) + weight->weight;
    }
  table = onnx_ml_floats (lowering, &shape, values);
  g_free (values);
  return table;
}

/* The weights of all trees together, [rows, n]. */
static HybValueId
sum_trees (HybLowering      *lowering,
           const OnnxForest *forest,
           HybValueId        x,
           gint64            n,
           const Aggregate  *aggregate)
{
  HybValueId weights = list_weights (lowering, forest, n, aggregate), y;

  y = onnx_take (lowering, weights, descend (lowering, forest, x), 0);
  y = onnx_reduce (lowering, aggregate->engine, y, 1, FALSE);
  if (aggregate->nothing != 0)
    y = onnx_where (lowering, hyb_onnx_unary (lowering, "_npi_isinf", y),
                    hyb_onnx_unary (lowering, "zeros_like", y), y);
  if (aggregate == &aggregates[0])
    y = onnx_scale (lowering, y, 1 / (double) MAX (forest->roots->len, 1));
  return y;
}

/* TRUE if the rows are known, and have the features that are tested. */
static gboolean
fits_input (HybLowering *lowering, const OnnxForest *forest, HybValueId x)
{
  gint64 n_features = onnx_size (lowering, x, 1);

  for (guint i = 0; i < forest->nodes->len; i++)
    if (g_array_index (forest->nodes, OnnxForestNode, i).feature >= n_features)
      {
        hyb_lowering_fail (lowering, NULL, "it tests features that its input does not have");
        return FALSE;
      }
  return !hyb_lowering_has_failed (lowering);
}

static HybValueId
add_base (HybLowering *lowering, HybValueId y)
{
  guint         n;
  const double *values;
  HybShape      shape;

  if (!hyb_onnx_floats (lowering, "base_values", &n, &values) || n == 0)
    return y;
  shape = hyb_shape_1d (n);
  return onnx_add (lowering, y, onnx_ml_floats (lowering, &shape, values));
}

/* --- The operators --- */

static void
lower_regressor (HybLowering *lowering)
{
  const char      *name = hyb_onnx_string (lowering, "aggregate_function", "SUM");
  const Aggregate *aggregate = &aggregates[1];
  g_auto (OnnxForest) forest = { 0 };
  HybValueId x, y;

  for (guint i = 0; i < G_N_ELEMENTS (aggregates); i++)
    if (strcmp (aggregates[i].name, name) == 0)
      aggregate = &aggregates[i];
  if (!onnx_ml_are_rows_known (lowering, 0) || !onnx_forest_read (lowering, &forest, "target"))
    return;
  x = onnx_ml_rows (lowering, 0);
  if (!fits_input (lowering, &forest, x))
    return;
  y = sum_trees (lowering, &forest, x, hyb_onnx_int (lowering, "n_targets", 1), aggregate);
  y = add_base (lowering, y);
  hyb_lowering_set_output (lowering, 0, onnx_ml_transform (lowering, y));
}

/* All numbers are floats or doubles, as the input is. */
static void
lower_ensemble (HybLowering *lowering)
{
  HybDType dtype = hyb_onnx_type (lowering, 0)->dtype;
  gint64   number = CLAMP (hyb_onnx_int (lowering, "aggregate_function", 1), 0, 3);
  g_auto (OnnxForest) forest = { 0 };
  HybValueId x = hyb_onnx_input (lowering, 0), y;

  if (!onnx_ml_are_rows_known (lowering, 0) || !onnx_forest_read_new (lowering, &forest) ||
      !fits_input (lowering, &forest, x))
    return;
  y = sum_trees (lowering, &forest, x, hyb_onnx_int (lowering, "n_targets", 1),
                 &aggregates[number]);
  if (hyb_onnx_int (lowering, "post_transform", 0))
    hyb_lowering_fail (lowering, NULL, "its post_transform is not supported");
  else
    hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, y, dtype));
}

/* TRUE if all leaves speak of the first class; *is_positive: and of no negative weight. */
static gboolean
has_one_class (const OnnxForest *forest, gboolean *is_positive)
{
  *is_positive = TRUE;
  for (guint i = 0; i < forest->weights->len; i++)
    {
      const OnnxForestWeight *weight = &g_array_index (forest->weights, OnnxForestWeight, i);

      if (weight->target != 0)
        return FALSE;
      *is_positive &= weight->weight >= 0;
    }
  return TRUE;
}

/* Two classes of which leaves score one, which is the second: probabilities if no weight is negative, else distances. */
static void
set_two_scores (HybLowering *lowering, HybValueId s, gboolean is_positive)
{
  gboolean is_logistic =
      strcmp (hyb_onnx_string (lowering, "post_transform", "NONE"), "LOGISTIC") == 0;
  HybValueId pair[] = {
    hyb_onnx_with_scalar (lowering, "_rminus_scalar", s, is_positive && !is_logistic ? 1 : 0), s
  };

  onnx_ml_set_binary (lowering, "classlabels_int64s", s, is_positive ? 0.5 : 0);
  s = hyb_onnx_concat (lowering, 2, pair, 1);
  hyb_lowering_set_output (lowering, 1, is_logistic ? hyb_onnx_unary (lowering, "sigmoid", s) : s);
}

static void
lower_classifier (HybLowering *lowering)
{
  HybType  labels = { hyb_shape_1d (HYB_UNKNOWN), HYB_I64 };
  guint    n = onnx_ml_n_classes (lowering, "classlabels_int64s");
  gboolean is_positive, is_single;
  g_auto (OnnxForest) forest = { 0 };
  HybValueId x, y;

  hyb_lowering_set_type (lowering, 0, &labels);
  if (!onnx_ml_are_rows_known (lowering, 1) || !onnx_forest_read (lowering, &forest, "class"))
    return;
  x = onnx_ml_rows (lowering, 0);
  if (!fits_input (lowering, &forest, x))
    return;
  is_single = n == 2 && has_one_class (&forest, &is_positive);
  y = add_base (lowering,
                sum_trees (lowering, &forest, x, is_single ? 1 : (gint64) n, &aggregates[1]));
  if (is_single)
    {
      set_two_scores (lowering, y, is_positive);
      return;
    }
  x = hyb_onnx_cast (lowering, onnx_reduce (lowering, "_npi_argmax", y, 1, FALSE), HYB_I64);
  onnx_ml_set_labels (lowering, "classlabels_int64s", x);
  hyb_lowering_set_output (lowering, 1, onnx_ml_transform (lowering, y));
}

static const char *const inputs[] = { "X", NULL };
static const char *const outputs[] = { "Y", "Z", NULL };

#define TREES(NAME, SINCE, UNTIL, DOC, LOWER)                                                        \
  {                                                                                                  \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = HYB_CATEGORY_REDUCTION, \
            .inputs = inputs, .outputs = outputs, .lower = LOWER },                                  \
    .domain = "ai.onnx.ml", .since = SINCE, .until = UNTIL                                           \
  }

const HybOnnxOp hyb_onnx_ops_ml_trees[] = {
  TREES ("TreeEnsembleClassifier", 1, 0, "The class that trees give each row.", lower_classifier),
  TREES ("TreeEnsembleRegressor", 1, 0, "The numbers that trees give each row.", lower_regressor),
  TREES ("TreeEnsemble", 5, 0, "The numbers that trees give each row.", lower_ensemble),
  { .since = 0 },
};
