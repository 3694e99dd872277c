/* test-broken-chains.c — steps that are almost a chain are not taken for one, and the error names
 * step and node.
 *
 * An exported LSTM of six steps is copied with one thing changed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/rewrite.h"
#include "engine/formats/npz.h"
#include "engine/open/open.h"
#include "engine/variants/proof/prove.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <string.h>

#define FOLDER "cell-lstm-t6-ntc-none"

/* The changed node id; HYB_NO_ID if it is copied. */
typedef HybValueId (*Change) (HybRewrite *rewrite, HybNodeId id, const HybNode *node);

static HybModel *
open_lstm (HybTensorList **input)
{
  g_autofree char *symbol = golden_path ("models", FOLDER, FOLDER "-symbol.json", NULL);
  g_autofree char *arrays = golden_path ("models", FOLDER, "input.npz", NULL);

  *input = NULL;
  if (!g_file_test (symbol, G_FILE_TEST_EXISTS))
    return NULL;
  *input = hyb_npz_read_file (arrays, NULL);
  return hyb_model_open (symbol, NULL, HYB_EPOCH_HIGHEST, NULL);
}

static gboolean
is_called (const HybNode *node, const char *end)
{
  return g_str_has_suffix (node->name, end);
}

static void
change_model (HybModel *model, Change change)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (HybGraph) changed = NULL;
  HybRewrite rewrite;

  hyb_rewrite_init (&rewrite, graph, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      HybValueId     value = change (&rewrite, id, node);

      if (value == HYB_NO_ID)
        hyb_rewrite_copy (&rewrite, id);
      else
        g_array_index (map, HybValueId, node->first_output) = value;
    }
  changed = hyb_rewrite_finish (&rewrite, NULL);
  hyb_model_set_graph (model, changed);
}

static HybValueId
change_weight (HybRewrite *rewrite, HybNodeId id, const HybNode *node)
{
  HybValueId inputs[3];

  if (!is_called (node, "t3_h2h"))
    return HYB_NO_ID;
  memcpy (inputs, hyb_rewrite_inputs (rewrite, id), sizeof inputs);
  inputs[1] = hyb_builder_add_variable (rewrite->builder, "other_weight", NULL);
  return hyb_builder_copy (rewrite->builder, rewrite->from, id, inputs);
}

static HybValueId
add_operator (HybRewrite *rewrite, HybNodeId id, const HybNode *node)
{
  HybValueId value;

  if (!is_called (node, "t3_out"))
    return HYB_NO_ID;
  value = hyb_builder_copy (rewrite->builder, rewrite->from, id, hyb_rewrite_inputs (rewrite, id));
  return hyb_builder_call (rewrite->builder, "relu",
                           &(HybNodeSpec){ .name = "extra", .n_inputs = 1, .inputs = &value },
                           NULL);
}

static HybValueId
change_activation (HybRewrite *rewrite, HybNodeId id, const HybNode *node)
{
  if (!is_called (node, "t3_c"))
    return HYB_NO_ID;
  return hyb_builder_call (rewrite->builder, "relu",
                           &(HybNodeSpec){ .name = node->name,
                                           .n_inputs = 1,
                                           .inputs = hyb_rewrite_inputs (rewrite, id) },
                           NULL);
}

/* The state c of step 2 becomes part of an output. */
static HybValueId
use_memory (HybRewrite *rewrite, HybNodeId id, const HybNode *node)
{
  static HybValueId memory;
  HybValueId        values[2];

  if (is_called (node, "t2_state"))
    {
      memory =
          hyb_builder_copy (rewrite->builder, rewrite->from, id, hyb_rewrite_inputs (rewrite, id));
      return memory;
    }
  if (!is_called (node, "t5_out"))
    return HYB_NO_ID;
  values[0] =
      hyb_builder_copy (rewrite->builder, rewrite->from, id, hyb_rewrite_inputs (rewrite, id));
  values[1] = memory;
  return hyb_builder_call (rewrite->builder, "elemwise_add",
                           &(HybNodeSpec){ .name = "sum", .n_inputs = 2, .inputs = values }, NULL);
}

static const struct
{
  const char *name;
  Change      change;
  const char *message;  /* part of the error for the fused form */
  gboolean    may_loop; /* the foreach form is possible */
} rows[] = {
  { "one-weight-not-shared", change_weight,
    "step 3 reads the weight “other_weight”, which earlier steps do not read", FALSE },
  { "an-extra-operator-in-one-step", add_operator,
    "the state of step 4 comes from the node “extra” instead of the previous step", FALSE },
  { "another-activation-at-one-step", change_activation,
    "step 3 differs from the previous step at the node “unroll0_lstm0_t3_c”", FALSE },
  { "a-memory-used-outside", use_memory,
    "“unroll0_lstm0_t2_state_output”, the memory of step 2, is used outside", TRUE },
};

/* A form that may be is proved; another one is refused with this message. */
static void
check_form (HybModel      *model,
            HybTensorList *input,
            HybForm        form,
            const char    *message,
            gboolean       may_be)
{
  HybConvertOptions options = { .form = form, .input = input };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybVariant) variant = hyb_variant_convert (model, &options, &error);
  HybProveOptions proving = { .input = input, .variant = variant };
  g_auto (HybProof) proof = { 0 };

  if (!may_be)
    {
      g_assert_null (variant);
      g_assert_nonnull (strstr (error->message, message));
      return;
    }
  g_assert_no_error (error);
  g_assert_true (hyb_prove (model, variant->model, &proving, &proof, &error));
  g_assert_true (proof.ok);
  g_assert_true (proof.gradients);
}

static void
test_row (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybModel) model = open_lstm (&input);

  if (!model)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  hyb_model_set_parameter (model, "other_weight",
                           hyb_model_get_parameter (model, "unroll0_lstm0_h2h_weight"));
  change_model (model, rows[row].change);
  check_form (model, input, HYB_FORM_FUSED, rows[row].message, FALSE);
  check_form (model, input, HYB_FORM_FOREACH, rows[row].message, rows[row].may_loop);
}

TEST_PROGRAM (test_broken_chains)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = g_strconcat ("/engine/variants/broken-chains/", rows[i].name, NULL);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_row);
    }
  return g_test_run ();
}
