/* test-extended.c — recurrent models whose memories or weights are read by something else as well.
 *
 * Each model is a known one with further heads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/variants/proof/prove.h"
#include "tests/engine/variants/converted.h"
#include "tests/engine/variants/listed.h"
#include "tests/engine/variants/spellings.h"
#include "tests/program.h"

#include <string.h>

/* A model that is extended: its nodes are copied, and further ones added. */
typedef struct
{
  HybModel   *model;
  HybBuilder *builder;
  HybValueId *value; /* by value of the old graph */
} Extension;

static void
begin_extension (Extension *extension, HybModel *from)
{
  HybGraph *graph = hyb_model_get_graph (from);

  extension->model = hyb_model_new ();
  extension->builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (extension->builder, hyb_graph_has_legacy_shapes (graph));
  extension->value = g_new (HybValueId, hyb_graph_n_values (graph));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode         *node = hyb_graph_get_node (graph, id);
      const HybValueId      *inputs = hyb_graph_get_inputs (graph, id);
      g_autofree HybValueId *values = g_new (HybValueId, node->n_inputs + 1);
      HybValueId             first;

      for (guint i = 0; i < node->n_inputs; i++)
        values[i] = extension->value[inputs[i]];
      first = hyb_builder_copy (extension->builder, graph, id, values);
      for (guint i = 0; i < node->n_outputs; i++)
        extension->value[node->first_output + i] = first + i;
    }
  for (guint i = 0; i < hyb_model_n_parameters (from); i++)
    {
      const char *name = hyb_model_get_parameter_name (from, i);

      hyb_model_set_parameter (extension->model, name, hyb_model_get_parameter (from, name));
    }
}

/* Adds a node; attributes: "key=value;key=value", or NULL. */
static HybValueId
add_node (Extension *extension, const char *op, HybValueId x, const char *attributes)
{
  g_auto (GStrv) words = g_strsplit_set (attributes ? attributes : "", "=;", -1);
  g_autofree char *name = g_strdup_printf ("more%u", hyb_builder_n_nodes (extension->builder));
  g_autoptr (GError) error = NULL;
  HybNodeSpec spec = {
    .name = name, .n_inputs = 1, .inputs = &x, .attributes = (const char *const *) words
  };
  HybValueId value = hyb_builder_call (extension->builder, op, &spec, &error);

  g_assert_no_error (error);
  return value;
}

/* (transfer full) */
static HybModel *
end_extension (Extension *extension)
{
  g_autoptr (HybGraph) graph = hyb_builder_freeze (extension->builder);

  hyb_model_set_graph (extension->model, graph);
  g_free (extension->value);
  return extension->model;
}

static guint
count_findings (HybModel *model, const char *code)
{
  GPtrArray *findings = hyb_model_get_findings (model);
  guint      n = 0;

  for (guint i = 0; i < findings->len; i++)
    n += strcmp (((const HybFinding *) findings->pdata[i])->code, code) == 0;
  return n;
}

/* --- The last memory --- */

/* foreachrnn-lstm gives the memory of every step, which no fused operator does.  Where only the
 * last of them is read, it can be fused. */
static void
test_last_memory (gconstpointer data)
{
  const char *const *cut = data; /* operator, attributes */
  g_autoptr (HybModel) whole = listed_open ("foreachrnn-lstm", NULL);
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybVariant) variant = NULL;
  HybGraph  *graph;
  HybValueId outputs, last;
  guint      n;
  gboolean   has_weights;
  Extension  extension;

  if (!whole)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  input = listed_input ("foreachrnn-lstm", whole, &has_weights);
  graph = hyb_model_get_graph (whole);
  outputs = hyb_graph_get_heads (graph, &n)[0];
  begin_extension (&extension, whole);
  last = add_node (&extension, cut[0], extension.value[outputs + 2], cut[1]);
  hyb_builder_add_head (extension.builder, extension.value[outputs]);
  hyb_builder_add_head (extension.builder, last);
  model = end_extension (&extension);
  variant = converted_new (model, HYB_FORM_FUSED, input);
  g_assert_nonnull (variant);
  g_assert_cmpuint (converted_count_nodes (variant->model, "RNN"), ==, 1);
  g_assert_cmpuint (converted_count_nodes (variant->model, "tanh"), ==, 0);
}

/* A memory of a certain step is still refused: it is the last one for this number of steps only. */
static void
test_earlier_memory (void)
{
  g_autoptr (HybModel) whole = listed_open ("foreachrnn-lstm", NULL);
  g_autoptr (HybModel) model = NULL;
  g_autoptr (GError) error = NULL;
  HybConvertOptions options = { .form = HYB_FORM_FUSED };
  gboolean          has_weights;
  Extension         extension;
  guint             n;

  if (!whole)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  begin_extension (&extension, whole);
  hyb_builder_add_head (extension.builder,
                        add_node (&extension, "slice_axis",
                                  extension.value[hyb_graph_get_heads (hyb_model_get_graph (whole),
                                                                       &n)[0] +
                                                  2],
                                  "axis=0;begin=3;end=4"));
  model = end_extension (&extension);
  options.input = listed_input ("foreachrnn-lstm", model, &has_weights);
  g_assert_null (hyb_variant_convert (model, &options, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE);
  hyb_tensor_list_unref (options.input);
}

/* --- Weights with other readers --- */

/* A spelling, converted to a form, with the sum of this parameter as another head. */
static HybModel *
write_with_reader (HybForm form, const char *parameter, HybTensorList *input)
{
  g_autoptr (HybModel) cells = spelling_write (0, FALSE, FALSE);
  HybConvertOptions options = { .form = form, .input = input };
  g_autoptr (HybVariant) variant = hyb_variant_convert (cells, &options, NULL);
  HybGraph *graph = hyb_model_get_graph (variant->model);
  HybNodeId id = hyb_graph_find_variable (graph, parameter);
  guint     n;
  Extension extension;

  g_assert_cmpuint (id, !=, HYB_NO_ID);
  begin_extension (&extension, variant->model);
  hyb_builder_add_head (extension.builder, extension.value[hyb_graph_get_heads (graph, &n)[0]]);
  hyb_builder_add_head (extension.builder,
                        add_node (&extension, "sum",
                                  extension.value[hyb_graph_get_node (graph, id)->first_output],
                                  NULL));
  return end_extension (&extension);
}

static void
test_packed (void)
{
  g_autoptr (HybTensorList) input = spelling_input ();
  g_autoptr (HybModel) model = write_with_reader (HYB_FORM_UNROLLED, "lstm_h2h_weight", input);
  g_autoptr (HybVariant) fused = converted_new (model, HYB_FORM_FUSED, input);
  g_autoptr (HybVariant) loop = converted_new (model, HYB_FORM_FOREACH, input);

  g_assert_cmpuint (count_findings (fused->model, "weight-copied"), ==, 1);
  g_assert_cmpuint (count_findings (loop->model, "weight-copied"), ==, 0);
}

static void
test_unpacked (void)
{
  g_autoptr (HybTensorList) input = spelling_input ();
  g_autoptr (HybModel) model = write_with_reader (HYB_FORM_FUSED, "lstm_parameters", input);
  g_autoptr (HybVariant) variant = converted_new (model, HYB_FORM_UNROLLED, input);

  g_assert_cmpuint (count_findings (variant->model, "weight-copied"), ==, 1);
}

/* Two operators that read the same packed weights become cells that share theirs. */
static void
test_shared (void)
{
  g_autoptr (HybTensorList) input = spelling_input ();
  g_autoptr (HybModel) cells = spelling_write (0, FALSE, FALSE);
  HybConvertOptions options = { .form = HYB_FORM_FUSED, .input = input };
  g_autoptr (HybVariant) fused = hyb_variant_convert (cells, &options, NULL);
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybVariant) variant = NULL;
  HybGraph *graph = hyb_model_get_graph (fused->model);
  Extension extension;
  guint     n;

  begin_extension (&extension, fused->model);
  hyb_builder_add_head (extension.builder, extension.value[hyb_graph_get_heads (graph, &n)[0]]);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
      HybValueId        read[4];
      HybNodeSpec       spec = { .op = node->op,
                                 .name = "second",
                                 .n_inputs = node->n_inputs,
                                 .inputs = read,
                                 .attributes = (const char *const *) node->attributes };

      if (strcmp (node->type, "RNN") != 0)
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        read[i] = extension.value[inputs[i]];
      read[0] = add_node (&extension, "reverse", read[0], "axis=0");
      hyb_builder_add_head (extension.builder,
                            hyb_builder_output (extension.builder,
                                                hyb_builder_add (extension.builder, &spec, NULL),
                                                0));
    }
  model = end_extension (&extension);
  g_assert_cmpuint (converted_count_nodes (model, "RNN"), ==, 2);
  variant = converted_new (model, HYB_FORM_UNROLLED, input);
  g_assert_cmpuint (hyb_model_n_parameters (variant->model), ==, 4);
  g_assert_cmpuint (count_findings (variant->model, "weight-copied"), ==, 0);
}

/* --- Loops behind convolutions --- */

static void
test_convolution (void)
{
  g_autoptr (HybModel) model = listed_open ("gallery:ctc-reader", "?hidden=8");
  gboolean has_weights;
  g_autoptr (HybTensorList) input = listed_input ("gallery:ctc-reader", model, &has_weights);
  const guint expected[] = { 0, 1, 0, 0 }; /* by form: only foreach meets MXNet's fault */

  for (guint form = 0; form < HYB_N_FORMS; form++)
    {
      HybConvertOptions options = { .form = (HybForm) form, .input = input };
      g_autoptr (HybVariant) variant = hyb_variant_convert (model, &options, NULL);

      g_assert_nonnull (variant);
      g_assert_cmpuint (count_findings (variant->model, "loop-behind-convolution"), ==,
                        expected[form]);
    }
}

TEST_PROGRAM (test_extended)
{
  static const char *const cuts[][2] = {
    { "slice_axis", "axis=0;begin=-1;end=None" },
    { "slice", "begin=(-1,);end=(None,)" },
    { "SequenceLast", NULL },
  };

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  for (guint i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/engine/variants/extended/the-last-memory-can-be-fused/%u-%s", i,
                           cuts[i][0]);

      g_test_add_data_func (path, cuts[i], test_last_memory);
    }
  g_test_add_func ("/engine/variants/extended/the-memory-of-a-certain-step-cannot-be-fused",
                   test_earlier_memory);
  g_test_add_func ("/engine/variants/extended/a-packed-weight-with-another-reader-is-reported",
                   test_packed);
  g_test_add_func ("/engine/variants/extended/an-unpacked-weight-with-another-reader-is-reported",
                   test_unpacked);
  g_test_add_func ("/engine/variants/extended/"
                   "operators-with-the-same-weights-become-cells-that-share",
                   test_shared);
  g_test_add_func ("/engine/variants/extended/a-foreach-behind-a-convolution-is-reported",
                   test_convolution);
  return g_test_run ();
}
