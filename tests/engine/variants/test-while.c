/* test-while.c — models written with while_loop keep to what MXNet's executor can bind and
 * differentiate.
 *
 * MXNet 1.9.1 does not know the shapes of a while_loop's results.  It refuses an elementwise node
 * that may overwrite a computed array of known shape with a result of unknown shape (“Shape is
 * unknown”), and it computes wrong gradients behind a state whose initial value needs no gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/prove.h"
#include "tests/engine/variants/converted.h"
#include "tests/engine/variants/listed.h"
#include "tests/program.h"

#include <string.h>

static HybVariant *
convert (const char *name, HybModel **model, HybTensorList **input)
{
  HybConvertOptions options = { .form = HYB_FORM_WHILE };
  g_autoptr (GError) error = NULL;
  HybVariant *variant;
  gboolean    has_weights;

  *model = listed_open (name, "?hidden=8");
  if (!*model)
    {
      g_test_skip ("the golden is not here");
      return NULL;
    }
  options.input = *input = listed_input (name, *model, &has_weights);
  variant = hyb_variant_convert (*model, &options, &error);
  g_assert_no_error (error);
  return variant;
}

/* Operators whose result MXNet may write over an input of the same shape. */
static gboolean
is_in_place (const HybNode *node)
{
  static const char *const names[] = { "elemwise_add",
                                       "elemwise_sub",
                                       "elemwise_mul",
                                       "elemwise_div",
                                       "broadcast_add",
                                       "broadcast_mul",
                                       NULL };

  return g_strv_contains (names, node->type);
}

/* Whether a node computes an array whose shape MXNet knows. */
static gboolean
is_closed (HybGraph *graph, HybNodeId id, const guint8 *is_behind)
{
  return !is_behind[id] && !hyb_node_is_variable (hyb_graph_get_node (graph, id));
}

static void
check_shapes (HybGraph *graph)
{
  g_autofree guint8 *is_behind = g_new0 (guint8, hyb_graph_n_nodes (graph));
  guint              n_loops = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      n_loops += node->n_bodies > 0;
      is_behind[id] = node->n_bodies > 0;
      for (guint i = 0; i < node->n_inputs; i++)
        is_behind[id] |= is_behind[hyb_graph_get_producer (graph, inputs[i])];
      for (guint i = 0; is_behind[id] && is_in_place (node) && i < node->n_inputs; i++)
        g_assert_false (is_closed (graph, hyb_graph_get_producer (graph, inputs[i]), is_behind));
    }
  g_assert_cmpuint (n_loops, >, 0);
}

/* Whether MXNet computes a gradient of the node, even if it is zero as that of sign. */
static gboolean
has_gradient (const HybNode *node)
{
  return !(node->op->flags & HYB_OP_NO_GRADIENT) || strcmp (node->type, "sign") == 0;
}

/* Whether the gradient of a value reaches a variable. */
static gboolean
needs_gradient (HybGraph *graph, HybValueId value)
{
  HybNodeId      id = hyb_graph_get_producer (graph, value);
  const HybNode *node = hyb_graph_get_node (graph, id);

  if (hyb_node_is_variable (node))
    return TRUE;
  for (guint i = 0; has_gradient (node) && i < node->n_inputs; i++)
    if (needs_gradient (graph, hyb_graph_get_inputs (graph, id)[i]))
      return TRUE;
  return FALSE;
}

static void
check_states (HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      guint          n_states;

      if (node->n_bodies == 0)
        continue;
      n_states = (guint) (atoi (hyb_node_get_attribute (node, "num_outputs")) -
                          atoi (hyb_node_get_attribute (node, "num_out_data")));
      g_assert_cmpuint (n_states, >, 1);
      for (guint s = 1; s < n_states; s++) /* 0 is the counter */
        g_assert_true (needs_gradient (graph, hyb_graph_get_inputs (graph, id)[s]));
    }
}

static void
test_model (gconstpointer name)
{
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybVariant) variant = convert (name, &model, &input);
  HybProveOptions options = { .input = input, .variant = variant };
  g_auto (HybProof) proof = { 0 };

  if (!variant)
    return;
  check_shapes (hyb_model_get_graph (variant->model));
  check_states (hyb_model_get_graph (variant->model));
  g_assert_true (hyb_prove (model, variant->model, &options, &proof, NULL));
  g_assert_true (proof.ok);
}

/* What is only there for MXNet's while_loop vanishes in other forms. */
static void
test_back (gconstpointer name)
{
  static const char *const added[] = { "slice_like", "sign", "dot", "_mul_scalar" };
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybVariant) loop = convert (name, &model, &input);
  HybConvertOptions options = { .form = HYB_FORM_FUSED, .input = input };
  g_autoptr (HybVariant) direct = NULL;
  g_autoptr (HybVariant) fused = NULL;

  if (!loop)
    return;
  direct = hyb_variant_convert (model, &options, NULL);
  fused = hyb_variant_convert (loop->model, &options, NULL);
  g_assert_cmpuint (converted_count_nodes (loop->model, "sign"), >, 0);
  for (guint i = 0; i < G_N_ELEMENTS (added); i++)
    g_assert_cmpuint (converted_count_nodes (fused->model, added[i]), ==, 0);
  g_assert_cmpuint (converted_count_nodes (fused->model, "RNN"), ==,
                    converted_count_nodes (direct->model, "RNN"));
}

TEST_PROGRAM (test_while)
{
  static const char *const names[] = { "gallery:residual",         "gallery:stacked",
                                       "gallery:zoneout",          "cell-residual-t6-ntc-none",
                                       "cell-lstm-t6-ntc-none",    "rnn-modifiers-deep",
                                       "rnn-gru-t4-ntc-false-ones" };

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path =
          g_strconcat ("/engine/variants/while/mxnet-can-bind-and-differentiate-", names[i], NULL);

      g_test_add_data_func (g_strdelimit (path, ":", '-'), names[i], test_model);
    }
  g_test_add_data_func ("/engine/variants/while/copies-of-open-shape-vanish-in-other-forms",
                        "cell-residual-t6-ntc-none", test_back);
  g_test_add_data_func ("/engine/variants/while/a-stack-becomes-one-operator-again",
                        "gallery:stacked", test_back);
  return g_test_run ();
}
