/* test-generate.c — the values of --init.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <math.h>

#define INPUTS  6
#define OUTPUTS 4

/* The data is a unit matrix, so that the output is the weight, transposed. */
static void
make_model (Fixture *fixture)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data =
      hyb_tensor_new_zeros (&(HybType){ hyb_shape_2d (INPUTS, INPUTS), HYB_F32 }, NULL);
  g_autofree char *symbol = in_folder (fixture, "fc-symbol.json");
  g_autofree char *input = in_folder (fixture, "in.npz");

  for (int i = 0; i < INPUTS; i++)
    ((float *) hyb_tensor_get_data (data))[i * (INPUTS + 1)] = 1;
  hyb_tensor_list_set (list, "data", data);
  g_assert_true (hyb_npz_write_file (list, input, NULL));
  g_assert_true (
      g_file_set_contents (symbol,
                           "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
                           "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
                           "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": "
                           "{\"num_hidden\": \"4\", "
                           "\"no_bias\": \"True\"}, \"inputs\": [[0, 0, 0], [1, 0, 0]]}],"
                           "\"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]], "
                           "\"attrs\": {\"mxnet_version\": [\"int\", 10700]}}",
                           -1, NULL));
}

/* The least and the largest value of the weight that this way fills. */
static void
find_range (Fixture *fixture, const char *how, double *least, double *largest)
{
  g_autofree char *line =
      g_strdup_printf ("hscope run fc-symbol.json --input in.npz --init %s --output out.npz", how);
  g_autofree char *path = in_folder (fixture, "out.npz");
  g_autoptr (HybTensorList) list = NULL;
  HybTensor *output;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  list = hyb_npz_read_file (path, NULL);
  g_assert_nonnull (list);
  output = hyb_tensor_list_find (list, "fc_output");
  g_assert_nonnull (output);
  g_assert_cmpint (hyb_tensor_get_size (output), ==, INPUTS * OUTPUTS);
  *least = *largest = hyb_tensor_get_value (output, 0);
  for (gint64 i = 1; i < hyb_tensor_get_size (output); i++)
    {
      *least = fmin (*least, hyb_tensor_get_value (output, i));
      *largest = fmax (*largest, hyb_tensor_get_value (output, i));
    }
}

static void
test_ranges (Fixture *fixture, gconstpointer unused)
{
  /* --init uniform: ±0.07; xavier: ±√(6 / (inputs + outputs)). */
  double xavier = sqrt (6.0 / (INPUTS + OUTPUTS)), least, largest;

  make_model (fixture);
  find_range (fixture, "zeros", &least, &largest);
  g_assert_cmpfloat (least, ==, 0);
  g_assert_cmpfloat (largest, ==, 0);
  find_range (fixture, "uniform", &least, &largest);
  g_assert_true (least >= -0.07 && least < -0.03);
  g_assert_true (largest <= 0.07 && largest > 0.03);
  find_range (fixture, "xavier", &least, &largest);
  g_assert_true (least >= -xavier && least < -0.5 * xavier);
  g_assert_true (largest <= xavier && largest > 0.5 * xavier);
}

TEST_PROGRAM (test_generate)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/generate/each-way-has-its-range", Fixture, NULL, fixture_set_up, test_ranges,
              fixture_tear_down);
  return g_test_run ();
}
