/* test-direct.c — loops without weights become the other kind of loop with the same body.
 *
 * There is nothing that shows where their steps begin once they are written out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/builder.h"
#include "engine/variants/proof/prove.h"
#include "tests/engine/variants/converted.h"
#include "tests/engine/variants/listed.h"
#include "tests/program.h"

#include <string.h>

#define STEPS 4

static HybVariant *
convert (HybModel *model, HybForm form, HybTensorList *input)
{
  HybVariant *variant = converted_new (model, form, input);

  if (variant)
    g_assert_cmpuint (variant->matches->len, >, 0);
  return variant;
}

/* Nodes of this type, those of bodies included. */
static guint
count_nodes (HybGraph *graph, const char *type)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      n += strcmp (node->type, type) == 0;
      for (guint b = 0; b < node->n_bodies; b++)
        n += count_nodes (hyb_graph_get_bodies (graph, id)[b], type);
    }
  return n;
}

static HybValueId
call (HybBuilder       *builder,
      const char       *op,
      guint             n,
      const HybValueId *inputs,
      const char       *attributes)
{
  g_auto (GStrv) words = g_strsplit_set (attributes ? attributes : "", "=;", -1);
  g_autofree char *name = g_strdup_printf ("n%u", hyb_builder_n_nodes (builder));
  g_autoptr (GError) error = NULL;
  HybNodeSpec spec = {
    .name = name, .n_inputs = n, .inputs = inputs, .attributes = (const char *const *) words
  };
  HybValueId value = hyb_builder_call (builder, op, &spec, &error);

  g_assert_no_error (error);
  return value;
}

/* Sums along axis 0: s = s + x at every step.  rank: of data. */
static HybModel *
write_cumsum (int rank, HybTensorList **input)
{
  HybModel         *model = hyb_model_new ();
  HybBuilder       *body = hyb_builder_new (), *builder = hyb_builder_new ();
  HybValueId        in[2] = { hyb_builder_add_variable (body, "x-0", NULL),
                              hyb_builder_add_variable (body, "s-0", NULL) };
  HybValueId        sum = call (body, "elemwise_add", 2, in, NULL);
  HybValueId        outer[2] = { hyb_builder_add_variable (builder, "data", NULL),
                                 hyb_builder_add_variable (builder, "begin", NULL) };
  const char *const attributes[] = {
    "in_data_locs", "[0]", "in_state_locs", "[1]", "num_args", "3", "num_out_data", "1",
    "num_outputs",  "2",   "remain_locs",   "[]",  NULL
  };
  g_autoptr (HybGraph) step = NULL;
  g_autoptr (HybGraph) graph = NULL;
  HybNodeSpec spec = { .name = "loop", .n_inputs = 2, .inputs = outer, .attributes = attributes };
  HybType     types[] = { { hyb_shape_1d (STEPS), HYB_F32 }, { hyb_shape_1d (1), HYB_F32 } };
  const char *const names[] = { "data", "begin" };
  HybValueId        first;

  hyb_builder_add_head (body, sum);
  hyb_builder_add_head (body, call (body, "_copy", 1, &sum, NULL));
  step = hyb_builder_freeze (body);
  spec.n_bodies = 1;
  spec.bodies = &step;
  first = hyb_builder_call (builder, "_foreach", &spec, NULL);
  hyb_builder_add_head (builder, first);
  hyb_builder_add_head (builder, first + 1);
  graph = hyb_builder_freeze (builder);
  hyb_model_set_graph (model, graph);

  if (rank == 2)
    types[0].shape = hyb_shape_2d (STEPS, 3), types[1].shape = hyb_shape_1d (3);
  *input = hyb_tensor_list_new ();
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&types[i], NULL);

      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        ((float *) hyb_tensor_get_data (tensor))[k] = (float) (k * k + 1);
      hyb_tensor_list_set (*input, names[i], tensor);
    }
  return model;
}

static void
test_cumsum (gconstpointer data)
{
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybModel) model = write_cumsum (GPOINTER_TO_INT (data), &input);
  g_autoptr (HybVariant) loop = convert (model, HYB_FORM_WHILE, input);
  g_autoptr (HybVariant) back = loop ? convert (loop->model, HYB_FORM_FOREACH, input) : NULL;

  g_assert_nonnull (back);
  g_assert_cmpuint (count_nodes (hyb_model_get_graph (loop->model), "_while_loop"), ==, 1);
  g_assert_cmpuint (count_nodes (hyb_model_get_graph (loop->model), "_foreach"), ==, 0);
  g_assert_cmpuint (count_nodes (hyb_model_get_graph (back->model), "_foreach"), ==, 1);
  g_assert_cmpuint (count_nodes (hyb_model_get_graph (back->model), "take"), ==, 0);
  g_assert_cmpuint (count_nodes (hyb_model_get_graph (back->model), "_arange"), ==, 0);
}

/* A golden comes back from the other kind of loop. */
static void
test_golden (gconstpointer name)
{
  g_autoptr (HybModel) model = listed_open (name, NULL);
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybVariant) loop = NULL;
  gboolean has_weights;

  if (!model)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  input = listed_input (name, model, &has_weights);
  loop = convert (model, HYB_FORM_WHILE, input);
  g_assert_nonnull (loop);
  g_assert_cmpuint (count_nodes (hyb_model_get_graph (loop->model), "_foreach"), ==, 0);
}

TEST_PROGRAM (test_direct)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_data_func ("/engine/variants/direct/sums-of-rows-go-to-while-and-back",
                        GINT_TO_POINTER (2), test_cumsum);
  g_test_add_data_func ("/engine/variants/direct/sums-of-a-vector-go-to-while-and-back",
                        GINT_TO_POINTER (1), test_cumsum);
  g_test_add_data_func ("/engine/variants/direct/a-documented-foreach-becomes-a-while-loop",
                        "sym-foreach-document", test_golden);
  return g_test_run ();
}
