/* test-gradient-shapes.c — calls the operators that autograd adds with contradictory shapes.
 *
 * Autograd never makes such graphs, but a program can use these operators directly.  Every use of
 * one in the gradient graphs of the goldens is repeated with one input that is longer, shorter, or
 * of another rank.  A gradient whose shape does not fit must be refused.  What is accepted (data
 * that gives a result of the same shape) is computed, and the sanitized build of this test checks
 * that it stays within its memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include "engine/analysis/infer-types.h"
#include "engine/gradient/backward.h"
#include "engine/imperative/imperative.h"

#include <math.h>
#include <string.h>

/* Gradients that no other input determines: of what was cut to the size of an array
 * that is not needed any more, and of what was padded. */
static const char *const free_gradients[] = { "_backward_slice_like", "_backward_Crop",
                                              "_backward_Pad", NULL };

/* Shapes near a given one; FALSE when there are no more. */
static gboolean
vary_shape (const HybShape *from, guint variant, HybShape *to)
{
  int axis = (int) (variant / 3);

  *to = *from;
  if (axis < from->rank)
    {
      to->dim[axis] = variant % 3 == 0   ? from->dim[axis] + 1
                      : variant % 3 == 1 ? MAX (from->dim[axis] - 1, 0)
                                         : 2 * from->dim[axis] + 3;
      return TRUE;
    }

  switch (variant - 3 * (guint) MAX (from->rank, 0))
    {
    case 0:
      if (to->rank > 0)
        to->rank--;
      return TRUE;
    case 1:
      if (to->rank < HYB_MAX_RANK)
        to->dim[to->rank++] = 2;
      return TRUE;
    case 2:
      to->rank = 0;
      return TRUE;
    default:
      return FALSE;
    }
}

/* Numbers that are also bad indices, lengths and labels. */
static HybTensor *
new_filled (const HybType *type, gboolean wild)
{
  static const double values[] = { 0, 1, -3, 1e9, 0.5, 1000, -1e12, 2 };
  HybType             source_type = { .shape = type->shape, .dtype = HYB_F64 };
  g_autoptr (HybTensor) source = hyb_tensor_new_zeros (&source_type, NULL);

  g_assert_nonnull (source);
  if (wild)
    for (gint64 i = 0; i < hyb_tensor_get_size (source); i++)
      ((double *) hyb_tensor_get_data (source))[i] = values[i % G_N_ELEMENTS (values)];

  return hyb_tensor_convert (source, type->dtype);
}

static gboolean
call_node (HybGraph *graph, HybNodeId id, const HybType *inputs, gboolean training, gboolean wild)
{
  const HybNode         *node = hyb_graph_get_node (graph, id);
  HybRun                 context = { .training = training, .seed = 3 };
  g_autofree HybTensor **tensors = g_new0 (HybTensor *, node->n_inputs);
  g_autofree HybTensor **outputs = g_new0 (HybTensor *, node->n_outputs);
  g_autoptr (GError) error = NULL;
  gboolean is_done;

  for (guint i = 0; i < node->n_inputs; i++)
    tensors[i] = new_filled (&inputs[i], wild);
  is_done =
      hyb_imperative_call (&(HybImperativeCall){ .op = node->op,
                                                 .params = node->params,
                                                 .bodies = node->n_bodies > 0
                                                               ? hyb_graph_get_bodies (graph, id)
                                                               : NULL,
                                                 .n_inputs = node->n_inputs,
                                                 .inputs = tensors,
                                                 .outputs = outputs },
                           &context, &error);
  g_assert_true (is_done || error);

  for (guint i = 0; i < node->n_inputs; i++)
    hyb_tensor_unref (tensors[i]);
  for (guint i = 0; i < node->n_outputs; i++)
    g_clear_pointer (&outputs[i], hyb_tensor_unref);
  return is_done;
}

/* Whether the input is the gradient of an output, which the rest determines. */
static gboolean
is_determined (const HybOp *op, guint input)
{
  g_auto (GStrv) words = g_strsplit (op->operands ? op->operands : "", " ", -1);

  return input < g_strv_length (words) && !strchr (op->operands, '*') && words[input][0] == 'g' &&
         !g_strv_contains (free_gradients, op->name);
}

static void
check_node (const char    *name,
            HybGraph      *graph,
            HybNodeId      id,
            const HybType *types,
            gboolean       training)
{
  const HybNode      *node = hyb_graph_get_node (graph, id);
  const HybValueId   *values = hyb_graph_get_inputs (graph, id);
  g_autofree HybType *inputs = g_new (HybType, MAX (node->n_inputs, 1));

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = types[values[i]];
  for (guint i = 0; i < node->n_inputs; i++)
    if (!hyb_type_is_known (&inputs[i]))
      return;

  call_node (graph, id, inputs, training, TRUE);
  for (guint i = 0; i < node->n_inputs; i++)
    for (guint variant = 0; vary_shape (&types[values[i]].shape, variant, &inputs[i].shape);
         variant++)
      {
        gboolean was_same = hyb_shape_equal (&inputs[i].shape, &types[values[i]].shape);

        if (call_node (graph, id, inputs, training, FALSE) &&
            call_node (graph, id, inputs, training, TRUE) && !was_same &&
            is_determined (node->op, i))
          {
            g_autofree char *text = hyb_shape_to_string (&inputs[i].shape);
            g_autofree char *before = hyb_shape_to_string (&types[values[i]].shape);

            g_test_message ("%s: %s takes %s for %s as input %u", name, node->op->name, text,
                            before, i);
            g_test_fail ();
          }
        inputs[i] = types[values[i]];
      }
}

static HybTensor *
find_array (GHashTable *arrays, const char *name, const char *kind, const char *what)
{
  g_autofree char *key = g_strdup_printf ("%s/%s/%s", name, kind, what);

  return g_hash_table_lookup (arrays, key);
}

/* NULL for a case without gradients. */
static HybGraph *
new_gradient_graph (HybGraph *graph, GHashTable *arrays, const char *name)
{
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  HybGraph        *result;

  for (guint i = 0; i < n; i++)
    if (find_array (arrays, name, "grad", hyb_graph_get_node (graph, variables[i])->name))
      g_array_append_val (wrt, variables[i]);
  if (wrt->len == 0)
    return NULL;

  result = hyb_graph_with_gradients (graph, wrt->len, (const HybNodeId *) wrt->data, &error);
  g_assert_no_error (error);
  return result;
}

static void
check_case (const cJSON *json, GHashTable *arrays)
{
  const char *name = cJSON_GetObjectItemCaseSensitive (json, "name")->valuestring;
  const char *mode = cJSON_GetObjectItemCaseSensitive (json, "mode")->valuestring;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model =
      golden_read_symbol (cJSON_GetObjectItemCaseSensitive (json, "symbol"), &error);
  g_autoptr (HybGraph) graph = NULL;
  g_autofree HybType *types = NULL;
  guint               n, n_forward;
  const HybNodeId    *variables;

  g_assert_no_error (error);
  graph = new_gradient_graph (hyb_model_get_graph (model), arrays, name);
  if (!graph)
    return;

  types = g_new (HybType, hyb_graph_n_values (graph));
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  hyb_graph_get_variables (hyb_model_get_graph (model), &n_forward);
  variables = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, variables[i]);
      g_autofree char *head = g_strdup_printf ("%u", i - n_forward);
      HybTensor       *tensor = i < n_forward ? find_array (arrays, name, "in", node->name)
                                              : find_array (arrays, name, "head", head);

      if (tensor)
        types[node->first_output] = *hyb_tensor_get_type (tensor);
    }
  g_assert_true (hyb_infer_types (graph, types, NULL, g_str_equal (mode, "train"), &error));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (hyb_graph_get_node (graph, id)->op->flags & HYB_OP_INTERNAL &&
        !hyb_node_is_variable (hyb_graph_get_node (graph, id)))
      check_node (name, graph, id, types, g_str_equal (mode, "train"));
}

static void
test_operator (gconstpointer data)
{
  g_autofree char *text_name = g_strconcat (data, ".json", NULL);
  g_autofree char *array_name = g_strconcat (data, ".npz", NULL);
  g_autofree char *text_path = golden_path ("ops", text_name, NULL);
  g_autofree char *array_path = golden_path ("ops", array_name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (cJSON) json = golden_read_json (text_path, &error);
  g_autoptr (GHashTable) arrays = json ? golden_read_npz (array_path, &error) : NULL;
  const cJSON *item;

  g_assert_no_error (error);
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive (json, "cases"))
      check_case (item, arrays);
}

TEST_PROGRAM (test_gradient_shapes)
{
  g_auto (GStrv) ops = NULL;

  g_test_init (&argc, &argv, NULL);

  ops = golden_list ("ops", ".npz");
  for (guint i = 0; ops[i]; i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/goldens/gradient-shapes/%s", ops[i]);

      g_test_add_data_func_full (path, g_strdup (ops[i]), test_operator, g_free);
    }

  return g_test_run ();
}
