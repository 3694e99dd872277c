/* test-unrolled-size.c — loops with too many steps and outputs to be written out are refused.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/variants/variant.h"
#include "tests/program.h"

#include <string.h>

/* A foreach over n_steps numbers whose body gives each number n_outputs times. */
static HybModel *
model_of (guint n_steps, guint n_outputs)
{
  HybModel *model = hyb_model_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_string_append_printf (
      text,
      "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"attrs\":{\"__shape__\":\"(%u,)\"},"
      "\"inputs\":[]},{\"op\":\"_foreach\",\"name\":\"loop\",\"attrs\":{\"num_args\":\"2\","
      "\"num_outputs\":\"%u\",\"num_out_data\":\"%u\",\"in_data_locs\":\"(0,)\","
      "\"in_state_locs\":\"()\",\"remain_locs\":\"()\"},\"inputs\":[[0,0,0]],\"subgraphs\":["
      "{\"nodes\":[{\"op\":\"null\",\"name\":\"row\",\"inputs\":[]},{\"op\":\"square\","
      "\"name\":\"s\",\"inputs\":[[0,0,0]]}],\"arg_nodes\":[0],\"heads\":[[1,0,0]",
      n_steps, n_outputs, n_outputs);
  for (guint i = 1; i < n_outputs; i++)
    g_string_append (text, ",[1,0,0]");
  g_string_append (text, "]}]}],\"arg_nodes\":[0],\"heads\":[[1,0,0]],"
                         "\"attrs\":{\"mxnet_version\":[\"int\",10901]}}");
  bytes = g_bytes_new (text->str, text->len);
  hyb_symbol_read (model, bytes, "loop", &error);
  g_assert_no_error (error);
  return model;
}

/* 42,950 · 100,000 is just above 2³². */
static void
test_more_outputs_than_can_be_counted (void)
{
  g_autoptr (HybModel) model = model_of (100000, 42950);
  g_autoptr (GError) error = NULL;
  HybConvertOptions options = { .form = HYB_FORM_UNROLLED };

  g_assert_null (hyb_variant_convert (model, &options, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "100000 steps"));
}

static void
test_a_small_loop (void)
{
  g_autoptr (HybModel) model = model_of (3, 2);
  g_autoptr (GError) error = NULL;
  HybConvertOptions options = { .form = HYB_FORM_UNROLLED };
  HybVariant       *variant = hyb_variant_convert (model, &options, &error);

  g_assert_no_error (error);
  g_assert_nonnull (variant);
  hyb_variant_free (variant);
}

TEST_PROGRAM (test_unrolled_size)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/variants/unrolled-size/more-outputs-than-can-be-counted",
                   test_more_outputs_than_can_be_counted);
  g_test_add_func ("/engine/variants/unrolled-size/a-small-loop", test_a_small_loop);

  return g_test_run ();
}
