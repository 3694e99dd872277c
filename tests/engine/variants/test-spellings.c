/* test-spellings.c — every spelling of a cell is found, and each of its forms computes the same,
 * forward and backward.
 *
 * The spellings are in spellings.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/variants/proof/prove.h"
#include "engine/variants/structure.h"
#include "tests/engine/variants/spellings.h"
#include "tests/program.h"

#include <string.h>

static void
check_structure (HybModel *model, guint row)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph));
  g_autoptr (GArray) structure = NULL;
  const HybStructure *entry;
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (HybTensorList) input = spelling_input ();

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (model, node->name);

      if (!tensor)
        tensor = hyb_tensor_list_find (input, node->name);
      types[node->first_output] = *hyb_tensor_get_type (tensor);
    }
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  structure = hyb_structure_find (graph, types);
  g_assert_cmpuint (structure->len, ==, 1);
  entry = &g_array_index (structure, HybStructure, 0);
  g_assert_cmpstr (entry->cell, ==, spelling_get (row)->cell);
  g_assert_cmpint (entry->steps, ==, STEPS);
  g_assert_cmpint (entry->hidden, ==, UNITS);
  g_assert_cmpuint (entry->layers, ==, 1);
}

static void
check_form (HybModel *model, HybForm form, guint row)
{
  g_autoptr (HybTensorList) input = spelling_input ();
  HybConvertOptions options = { .form = form, .input = input };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybVariant) variant = hyb_variant_convert (model, &options, &error);
  HybProveOptions proving = { .input = input, .variant = variant };
  g_auto (HybProof) proof = { 0 };
  guint n_form = 0;

  if (form == HYB_FORM_FUSED && spelling_get (row)->not_fused)
    {
      g_assert_null (variant);
      g_assert_nonnull (strstr (error->message, spelling_get (row)->not_fused));
      return;
    }
  g_assert_no_error (error);
  if (!variant)
    return;
  g_assert_true (hyb_prove (model, variant->model, &proving, &proof, &error));
  g_assert_no_error (error);
  g_assert_true (proof.ok);
  g_assert_true (proof.gradients);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (hyb_model_get_graph (variant->model)); id++)
    {
      const HybNode *node = hyb_graph_get_node (hyb_model_get_graph (variant->model), id);

      n_form += node->n_bodies > 0 || strcmp (node->type, "RNN") == 0;
    }
  g_assert_cmpuint (n_form, ==, form == HYB_FORM_UNROLLED ? 0 : 1);
}

static void
test_spelling (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);

  for (guint k = 0; k < 3; k++)
    {
      g_autoptr (HybModel) model = spelling_write (row, k == 1, k == 2);

      check_structure (model, row);
      for (guint form = 0; form < HYB_N_FORMS; form++)
        check_form (model, (HybForm) form, row);
    }
}

TEST_PROGRAM (test_spellings)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  for (guint i = 0; spelling_get (i); i++)
    {
      g_autofree char *name =
          g_strconcat ("/engine/variants/spellings/", spelling_get (i)->name, NULL);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_spelling);
    }
  return g_test_run ();
}
