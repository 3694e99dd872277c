/* test-weights.c — packed, per-gate and stacked weights, compared with MXNet's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/rnn-weights.h"

#include "engine/formats/npz.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <string.h>

static HybTensorList *
read_list (const char *folder, const char *name)
{
  g_autofree char *below = g_build_filename ("weights", folder, NULL);
  g_autofree char *path = golden_path (below, name, NULL);
  g_autoptr (GError) error = NULL;
  HybTensorList *list = hyb_npz_read_file (path, &error);

  g_assert_no_error (error);
  return list;
}

static void
assert_equal_lists (HybTensorList *got, HybTensorList *want)
{
  g_assert_cmpuint (hyb_tensor_list_n (got), ==, hyb_tensor_list_n (want));
  for (guint i = 0; i < hyb_tensor_list_n (want); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (want, i);
      HybTensor            *tensor = hyb_tensor_list_find (got, entry->name);

      g_test_message ("%s", entry->name);
      g_assert_nonnull (tensor);
      g_assert_true (
          hyb_shape_equal (hyb_tensor_get_shape (tensor), hyb_tensor_get_shape (entry->tensor)));
      g_assert_cmpmem (hyb_tensor_get_data (tensor), hyb_tensor_get_bytes (tensor),
                       hyb_tensor_get_data (entry->tensor), hyb_tensor_get_bytes (entry->tensor));
    }
}

static void
read_case (const char *folder, HybRnnWeights *weights, char **prefix)
{
  g_autofree char *below = g_build_filename ("weights", folder, NULL);
  g_autofree char *path = golden_path (below, "case.json", NULL);
  g_autoptr (cJSON) json = golden_read_json (path, NULL);

  *prefix = g_strdup (cJSON_GetObjectItem (json, "prefix")->valuestring);
  *weights = (HybRnnWeights){
    .n_layers = (guint) cJSON_GetObjectItem (json, "num_layers")->valueint,
    .is_bidirectional = cJSON_IsTrue (cJSON_GetObjectItem (json, "bidirectional")),
    .hidden = cJSON_GetObjectItem (json, "num_hidden")->valueint,
    .prefix = *prefix,
  };
  g_assert_true (
      hyb_rnn_mode_from_name (cJSON_GetObjectItem (json, "mode")->valuestring, &weights->mode));
}

static void
check_case (const char *folder)
{
  g_autoptr (HybTensorList) packed = read_list (folder, "packed.npz");
  g_autoptr (HybTensorList) unpacked = read_list (folder, "unpacked.npz");
  g_autoptr (HybTensorList) unfused = read_list (folder, "unfused.npz");
  g_autoptr (HybTensorList) gates = hyb_tensor_list_new ();
  g_autoptr (HybTensorList) stacked = hyb_tensor_list_new ();
  g_autofree char *prefix = NULL;
  g_autoptr (GError) error = NULL;
  HybTensor    *vector = hyb_tensor_list_get (packed, 0)->tensor;
  HybRnnWeights weights, found;
  g_autoptr (HybTensor) from_gates = NULL;
  g_autoptr (HybTensor) from_stacked = NULL;

  g_test_message ("%s", folder);
  read_case (folder, &weights, &prefix);
  g_assert_true (hyb_rnn_unpack (&weights, vector, TRUE, gates, &error));
  g_assert_true (hyb_rnn_unpack (&weights, vector, FALSE, stacked, &error));
  assert_equal_lists (gates, unpacked);
  assert_equal_lists (stacked, unfused);

  from_gates = hyb_rnn_pack (&weights, unpacked, &error);
  from_stacked = hyb_rnn_pack (&weights, unfused, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (hyb_tensor_get_data (from_gates), hyb_tensor_get_bytes (from_gates),
                   hyb_tensor_get_data (vector), hyb_tensor_get_bytes (vector));
  g_assert_cmpmem (hyb_tensor_get_data (from_stacked), hyb_tensor_get_bytes (from_stacked),
                   hyb_tensor_get_data (vector), hyb_tensor_get_bytes (vector));

  g_assert_true (hyb_rnn_recognise (unpacked, prefix, &found));
  g_assert_cmpuint (found.n_layers, ==, weights.n_layers);
  g_assert_cmpint (found.hidden, ==, weights.hidden);
  g_assert_cmpint (found.is_bidirectional, ==, weights.is_bidirectional);
  g_assert_cmpuint (hyb_rnn_n_gates (found.mode), ==, hyb_rnn_n_gates (weights.mode));
}

static void
test_goldens (void)
{
  g_auto (GStrv) folders = golden_list ("weights", NULL);

  if (!folders || !folders[0])
    {
      g_test_skip ("goldens/weights is not here");
      return;
    }
  for (guint i = 0; folders[i]; i++)
    check_case (folders[i]);
}

static void
test_sizes (void)
{
  HybRnnWeights weights = {
    .mode = HYB_RNN_LSTM, .n_layers = 1, .hidden = 2, .input = 3, .prefix = ""
  };

  g_assert_cmpint (hyb_rnn_packed_size (&weights), ==, 56);
  g_assert_cmpint (hyb_rnn_input_size (&weights, 56), ==, 3);
  g_assert_cmpint (hyb_rnn_input_size (&weights, 57), ==, -1);
  weights.hidden = G_MAXINT64 / 2;
  g_assert_cmpint (hyb_rnn_packed_size (&weights), ==, -1);
}

/* i2h and h2h of every layer, then the projection, and no bias for it. */
static void
test_projection (void)
{
  HybRnnWeights weights = {
    .mode = HYB_RNN_LSTM, .n_layers = 2, .hidden = 4, .input = 3, .projection = 2, .prefix = "p_"
  };
  g_autoptr (GArray) parts = hyb_rnn_parts (&weights);
  const HybRnnPart *third = &g_array_index (parts, HybRnnPart, 2);
  g_autofree char  *name = hyb_rnn_part_name (&weights, third, "_i");

  g_assert_cmpint (hyb_rnn_packed_size (&weights), ==,
                   16 * (3 + 2 + 2) + 16 * (2 + 2 + 2) + 2 * 2 * 4);
  g_assert_cmpstr (name, ==, "p_l0_h2r_weight");
  g_assert_cmpint (third->offset, ==, 16 * 3 + 16 * 2);
  g_assert_cmpint (third->rows, ==, 2);
}

static void
test_what_does_not_fit_is_refused (void)
{
  HybRnnWeights weights = { .mode = HYB_RNN_GRU, .n_layers = 1, .hidden = 2, .prefix = "gru_" };
  g_autoptr (HybTensor) vector =
      hyb_tensor_new_zeros (&(HybType){ hyb_shape_1d (55), HYB_F32 }, NULL);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_rnn_unpack (&weights, vector, TRUE, list, &error));
  g_assert_nonnull (strstr (error->message, "55"));
  g_clear_error (&error);
  g_assert_null (hyb_rnn_pack (&weights, list, &error));
  g_assert_nonnull (error);
}

TEST_PROGRAM (test_weights)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/rnn/weights/goldens", test_goldens);
  g_test_add_func ("/engine/rnn/weights/sizes", test_sizes);
  g_test_add_func ("/engine/rnn/weights/projection", test_projection);
  g_test_add_func ("/engine/rnn/weights/what-does-not-fit-is-refused",
                   test_what_does_not_fit_is_refused);

  return g_test_run ();
}
