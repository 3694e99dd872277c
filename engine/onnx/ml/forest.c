/* forest.c — reads decision trees of ai.onnx.ml into one form.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ml/forest.h"

#include <math.h>
#include <string.h>

/* Paths of more tests than this are not written out. */
#define MAX_DEPTH 512

static void
forest_init (OnnxForest *forest)
{
  forest->nodes = g_array_new (FALSE, TRUE, sizeof (OnnxForestNode));
  forest->roots = g_array_new (FALSE, FALSE, sizeof (gint64));
  forest->weights = g_array_new (FALSE, FALSE, sizeof (OnnxForestWeight));
}

void
onnx_forest_clear (OnnxForest *forest)
{
  g_clear_pointer (&forest->nodes, g_array_unref);
  g_clear_pointer (&forest->roots, g_array_unref);
  g_clear_pointer (&forest->weights, g_array_unref);
}

static gboolean
refuse (HybLowering *lowering, const char *what)
{
  hyb_lowering_fail (lowering, NULL, "%s", what);
  return FALSE;
}

/* --- Tests --- */

/* How a test becomes x ≤ value or x = value. */
typedef struct
{
  const char *name;
  gboolean    is_strict; /* x < value is x ≤ the number before it */
  gboolean    is_equal;
  gboolean    is_turned; /* its meaning is the opposite */
} Test;

/* In the order of TreeEnsemble's numbers. */
#define TEST_EQUAL 4
static const Test tests[] = {
  { "BRANCH_LEQ", FALSE, FALSE, FALSE }, { "BRANCH_LT", TRUE, FALSE, FALSE },
  { "BRANCH_GTE", TRUE, FALSE, TRUE },   { "BRANCH_GT", FALSE, FALSE, TRUE },
  { "BRANCH_EQ", FALSE, TRUE, FALSE },   { "BRANCH_NEQ", FALSE, TRUE, TRUE },
};

/* The node of a test with these branches.  is_wide: values are doubles, not floats. */
static OnnxForestNode
make_node (const Test *test, const OnnxForestNode *given, gboolean nan_is_yes, gboolean is_wide)
{
  OnnxForestNode node = *given;

  if (test->is_strict)
    node.value = is_wide ? nextafter (node.value, -INFINITY)
                         : (double) nextafterf ((float) node.value, -INFINITY);
  node.is_equal = test->is_equal;
  node.yes = test->is_turned ? given->no : given->yes;
  node.no = test->is_turned ? given->yes : given->no;
  /* NaN differs from every number. */
  nan_is_yes |= test->is_turned && test->is_equal;
  node.nan_is_no = test->is_turned ? nan_is_yes : !nan_is_yes;
  return node;
}

static OnnxForestNode
make_leaf (gint64 number)
{
  return (OnnxForestNode){ .yes = number, .no = number, .is_leaf = TRUE };
}

/* --- Depth --- */

/* Follows all paths at once; FALSE and a failure if one does not end. */
static gboolean
measure_depth (HybLowering *lowering, OnnxForest *forest)
{
  g_autoptr (GArray) level = g_array_copy (forest->roots);

  for (forest->depth = 0; forest->depth <= MAX_DEPTH; forest->depth++)
    {
      g_autoptr (GArray) next = g_array_new (FALSE, FALSE, sizeof (gint64));

      for (guint i = 0; i < level->len; i++)
        {
          const OnnxForestNode *node =
              &g_array_index (forest->nodes, OnnxForestNode, g_array_index (level, gint64, i));

          if (node->is_leaf)
            continue;
          g_array_append_val (next, node->yes);
          g_array_append_val (next, node->no);
        }
      if (next->len == 0)
        return TRUE;
      if (next->len > 2 * forest->nodes->len + 2)
        break;
      g_array_unref (level);
      level = g_steal_pointer (&next);
    }
  return refuse (lowering, "one of its paths does not end, or is too long");
}

static gboolean
check_forest (HybLowering *lowering, OnnxForest *forest)
{
  gint64 n = forest->nodes->len;

  for (guint i = 0; i < forest->nodes->len; i++)
    {
      const OnnxForestNode *node = &g_array_index (forest->nodes, OnnxForestNode, i);

      if (node->yes < 0 || node->yes >= n || node->no < 0 || node->no >= n || node->feature < 0)
        return refuse (lowering, "one of its nodes leads nowhere");
    }
  for (guint i = 0; i < forest->weights->len; i++)
    {
      const OnnxForestWeight *weight = &g_array_index (forest->weights, OnnxForestWeight, i);

      if (weight->node < 0 || weight->node >= n || weight->target < 0 ||
          weight->target > G_MAXINT16)
        return refuse (lowering, "one of its weights belongs to no leaf");
    }
  return measure_depth (lowering, forest);
}

/* --- TreeEnsembleClassifier, TreeEnsembleRegressor --- */

/* Lists of one length, by node. */
typedef struct
{
  guint                   n;
  const gint64           *trees, *numbers, *features, *yes, *no, *missing;
  const HybOnnxAttribute *modes;
  const double           *values;
} Lists;

static gboolean
read_ints (HybLowering *lowering, const char *name, guint n, const gint64 **values)
{
  guint n_given;

  return hyb_onnx_ints (lowering, name, &n_given, values) && n_given == n;
}

static gboolean
read_lists (HybLowering *lowering, Lists *lists)
{
  guint n_values, n_missing;

  lists->modes = hyb_onnx_attribute (lowering, "nodes_modes");
  if (!lists->modes || lists->modes->kind != HYB_ONNX_ATTRIBUTE_STRINGS)
    return refuse (lowering, "its trees are not complete");
  lists->n = lists->modes->n;
  if (!hyb_onnx_floats (lowering, "nodes_values", &n_values, &lists->values) ||
      n_values != lists->n || !read_ints (lowering, "nodes_treeids", lists->n, &lists->trees) ||
      !read_ints (lowering, "nodes_nodeids", lists->n, &lists->numbers) ||
      !read_ints (lowering, "nodes_featureids", lists->n, &lists->features) ||
      !read_ints (lowering, "nodes_truenodeids", lists->n, &lists->yes) ||
      !read_ints (lowering, "nodes_falsenodeids", lists->n, &lists->no))
    return refuse (lowering, "its trees are not complete, or their numbers are doubles");
  hyb_onnx_ints (lowering, "nodes_missing_value_tracks_true", &n_missing, &lists->missing);
  if (n_missing != lists->n)
    lists->missing = NULL;
  return TRUE;
}

/* A node by its tree and number. */
typedef struct
{
  gint64 tree, number;
} Key;

static guint
hash_key (gconstpointer data)
{
  const Key *key = data;

  return g_int64_hash (&key->tree) * 31 + g_int64_hash (&key->number);
}

static gboolean
equal_keys (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->tree == y->tree && x->number == y->number;
}

/* The place of a node in the lists; −1 if there is none. */
static gint64
find_node (GHashTable *places, gint64 tree, gint64 number)
{
  Key key = { tree, number };

  return (gint64) GPOINTER_TO_UINT (g_hash_table_lookup (places, &key)) - 1;
}

static const Test *
find_test (const HybOnnxAttribute *modes, guint i)
{
  for (guint t = 0; t < G_N_ELEMENTS (tests); t++)
    if (modes->strings[i].length == strlen (tests[t].name) &&
        memcmp (modes->strings[i].data, tests[t].name, modes->strings[i].length) == 0)
      return &tests[t];
  return NULL;
}

/* The roots are the first nodes of trees. */
static void
add_nodes (OnnxForest *forest, const Lists *lists, GHashTable *places)
{
  g_autoptr (GHashTable) trees = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < lists->n; i++)
    {
      const Test    *test = find_test (lists->modes, i);
      gint64         number = i;
      OnnxForestNode node = {
        .feature = lists->features[i],
        .value = lists->values[i],
        .yes = find_node (places, lists->trees[i], lists->yes[i]),
        .no = find_node (places, lists->trees[i], lists->no[i]),
      };

      node = test ? make_node (test, &node, lists->missing && lists->missing[i] != 0, FALSE)
                  : make_leaf (number);
      g_array_append_val (forest->nodes, node);
      if (g_hash_table_add (trees, (gpointer) &lists->trees[i]))
        g_array_append_val (forest->roots, number);
    }
}

/* Attributes of leaves: KIND_ids, KIND_nodeids, KIND_treeids, KIND_weights. */
static gboolean
add_weights (HybLowering *lowering, OnnxForest *forest, GHashTable *places, const char *kind)
{
  guint         n, n_weights;
  const gint64 *targets, *numbers, *trees;
  const double *weights;
  const char   *ids = hyb_lowering_text (lowering, "%s_ids", kind);

  if (!hyb_onnx_ints (lowering, ids, &n, &targets) ||
      !read_ints (lowering, hyb_lowering_text (lowering, "%s_nodeids", kind), n, &numbers) ||
      !read_ints (lowering, hyb_lowering_text (lowering, "%s_treeids", kind), n, &trees) ||
      !hyb_onnx_floats (lowering, hyb_lowering_text (lowering, "%s_weights", kind), &n_weights,
                        &weights) ||
      n_weights != n)
    return refuse (lowering, "the weights of its leaves are not complete, or are doubles");
  for (guint i = 0; i < n; i++)
    {
      OnnxForestWeight weight = { find_node (places, trees[i], numbers[i]), targets[i],
                                  weights[i] };

      g_array_append_val (forest->weights, weight);
    }
  return TRUE;
}

gboolean
onnx_forest_read (HybLowering *lowering, OnnxForest *forest, const char *kind)
{
  Lists lists;
  g_autoptr (GHashTable) places = g_hash_table_new (hash_key, equal_keys);
  g_autofree Key *keys = NULL;

  forest_init (forest);
  if (!read_lists (lowering, &lists))
    return FALSE;
  keys = g_new (Key, MAX (lists.n, 1));
  for (guint i = 0; i < lists.n; i++)
    {
      keys[i] = (Key){ lists.trees[i], lists.numbers[i] };
      g_hash_table_insert (places, &keys[i], GUINT_TO_POINTER (i + 1));
    }
  add_nodes (forest, &lists, places);
  return add_weights (lowering, forest, places, kind) && check_forest (lowering, forest);
}

/* --- TreeEnsemble --- */

/* Element i of a tensor attribute whose elements are in the file. */
static double
tensor_value (const HybOnnxTensor *tensor, gint64 i)
{
  HybDType      dtype = hyb_onnx_dtype_to_engine (tensor->dtype);
  gsize         size = hyb_dtype_size (dtype);
  const guint8 *data = tensor->typed ? tensor->typed : tensor->raw.data;
  guint8        element[8];

  memcpy (element, data + (gsize) i * size, size);
  return hyb_dtype_get_double (element, dtype, 0);
}

/* The tensor of an attribute, with its number of elements; NULL if it is not there or not complete. */
static const HybOnnxTensor *
read_tensor (HybLowering *lowering, const char *name, gint64 *n)
{
  const HybOnnxAttribute *attribute = hyb_onnx_attribute (lowering, name);
  const HybOnnxTensor    *tensor =
      attribute && attribute->kind == HYB_ONNX_ATTRIBUTE_TENSOR ? attribute->tensor : NULL;
  HybDType dtype = tensor ? hyb_onnx_dtype_to_engine (tensor->dtype) : HYB_DTYPE_UNKNOWN;
  gsize    bytes;

  *n = 0;
  if (dtype == HYB_DTYPE_UNKNOWN || tensor->is_external || tensor->n_dims != 1)
    return NULL;
  bytes = tensor->typed ? tensor->typed_bytes : tensor->raw.data ? tensor->raw.length : 0;
  *n = tensor->dims[0];
  return *n >= 0 && (guint64) *n == bytes / hyb_dtype_size (dtype) ? tensor : NULL;
}

/* The arrays that describe the trees; leaves follow the inner nodes. */
typedef struct
{
  gint64               n, n_leaves, n_members, next_member;
  const HybOnnxTensor *modes, *splits, *weights, *members;
  const gint64        *features, *yes, *no, *yes_is_leaf, *no_is_leaf, *targets, *missing;
} Trees;

static gboolean
read_trees (HybLowering *lowering, Trees *trees)
{
  gint64 n_splits;
  guint  n_missing;

  trees->modes = read_tensor (lowering, "nodes_modes", &trees->n);
  trees->splits = read_tensor (lowering, "nodes_splits", &n_splits);
  trees->weights = read_tensor (lowering, "leaf_weights", &trees->n_leaves);
  trees->members = read_tensor (lowering, "membership_values", &trees->n_members);
  trees->next_member = 0;
  hyb_onnx_ints (lowering, "nodes_missing_value_tracks_true", &n_missing, &trees->missing);
  if (n_missing != trees->n)
    trees->missing = NULL;
  return (trees->modes && trees->splits && trees->weights && n_splits == trees->n &&
          read_ints (lowering, "nodes_featureids", (guint) trees->n, &trees->features) &&
          read_ints (lowering, "nodes_truenodeids", (guint) trees->n, &trees->yes) &&
          read_ints (lowering, "nodes_falsenodeids", (guint) trees->n, &trees->no) &&
          read_ints (lowering, "nodes_trueleafs", (guint) trees->n, &trees->yes_is_leaf) &&
          read_ints (lowering, "nodes_falseleafs", (guint) trees->n, &trees->no_is_leaf) &&
          read_ints (lowering, "leaf_targetids", (guint) trees->n_leaves, &trees->targets)) ||
         refuse (lowering, "its trees are not complete");
}

/* A node that tests for members of a set becomes a chain of tests for one; all but the first are behind the leaves. */
static void
add_members (OnnxForest *forest, Trees *trees, gint64 number, const OnnxForestNode *node)
{
  gboolean nan_is_yes = trees->missing && trees->missing[number] != 0;
  gint64   place = number;

  /* Of an empty set no element is a member. */
  g_array_index (forest->nodes, OnnxForestNode, number) =
      (OnnxForestNode){ .feature = node->feature, .value = NAN, .yes = node->no, .no = node->no };
  for (guint n = 0; trees->next_member < trees->n_members; n++)
    {
      OnnxForestNode one = *node;

      one.value = tensor_value (trees->members, trees->next_member++);
      if (isnan (one.value))
        return;
      one = make_node (&tests[TEST_EQUAL], &one, nan_is_yes, TRUE);
      if (n == 0)
        g_array_index (forest->nodes, OnnxForestNode, number) = one;
      else
        {
          g_array_append_val (forest->nodes, one);
          g_array_index (forest->nodes, OnnxForestNode, place).no = forest->nodes->len - 1;
          place = forest->nodes->len - 1;
        }
    }
}

static void
add_inner (OnnxForest *forest, Trees *trees, gint64 i)
{
  guint          mode = (guint) tensor_value (trees->modes, i);
  OnnxForestNode node = {
    .feature = trees->features[i],
    .value = tensor_value (trees->splits, i),
    .yes = trees->yes_is_leaf[i] ? trees->n + trees->yes[i] : trees->yes[i],
    .no = trees->no_is_leaf[i] ? trees->n + trees->no[i] : trees->no[i],
  };

  if (mode >= G_N_ELEMENTS (tests))
    add_members (forest, trees, i, &node);
  else
    g_array_index (forest->nodes, OnnxForestNode, i) =
        make_node (&tests[mode], &node, trees->missing && trees->missing[i] != 0,
                   hyb_onnx_dtype_to_engine (trees->splits->dtype) == HYB_F64);
}

gboolean
onnx_forest_read_new (HybLowering *lowering, OnnxForest *forest)
{
  Trees         trees;
  guint         n_roots;
  const gint64 *roots;

  forest_init (forest);
  if (!read_trees (lowering, &trees))
    return FALSE;
  hyb_onnx_ints (lowering, "tree_roots", &n_roots, &roots);
  g_array_append_vals (forest->roots, roots, n_roots);
  g_array_set_size (forest->nodes, (guint) (trees.n + trees.n_leaves));
  for (gint64 i = 0; i < trees.n_leaves; i++)
    {
      OnnxForestWeight weight = { trees.n + i, trees.targets[i], tensor_value (trees.weights, i) };

      g_array_index (forest->nodes, OnnxForestNode, trees.n + i) = make_leaf (trees.n + i);
      g_array_append_val (forest->weights, weight);
    }
  for (gint64 i = 0; i < trees.n; i++)
    add_inner (forest, &trees, i);
  for (guint i = 0; i < n_roots; i++)
    if (roots[i] < 0 || roots[i] >= (gint64) forest->nodes->len)
      return refuse (lowering, "one of its trees has no root");
  return check_forest (lowering, forest);
}
