/* test-convert-paddle.c — what Paddle2ONNX writes of recurrent cells in a loop in every form.
 *
 * tests/data/onnx/make-paddle.py made the files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define FILES SOURCE_ROOT "/tests/data/onnx/"
#define CLEAN "; status=$?; rm -f *.onnx log; exit $status"

typedef struct
{
  const char *name, *layer, *states;
} Case;

static const Case cases[] = {
  { "paddle-rnn-cell", "RNN", "--shape state0=2,5" },
  { "paddle-gru-cell", "GRU", "--shape state0=2,5" },
  { "paddle-lstm-cell", "LSTM", "--shape state0=2,5 --shape state1=2,5" },
};

/* Steps are steps of one cell although each has its own copy of the weights. */
static void
test_steps_with_copied_weights_are_a_layer (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FILES "%s.onnx --to fused --output a.onnx >log && "
                       "hscope prove " FILES
                       "%s.onnx a.onnx --shape x=2,3,4 %s >log && hscope info --json a.onnx" CLEAN,
                       this->name, this->name, this->states);
  g_autoptr (cJSON) json = NULL;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_nonnull (
      cJSON_GetObjectItemCaseSensitive (cJSON_GetObjectItem (json, "operators"), this->layer));
}

static void
test_a_layer_that_was_left_out_is_named (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope check " FILES "paddle-simple-rnn.onnx");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "operator “rnn”"));
}

TEST_PROGRAM (test_convert_paddle)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          g_strconcat ("/app/command/convert-paddle/steps-with-copied-weights-are-a-layer/",
                       cases[i].layer, NULL);

      g_test_add (path, Fixture, &cases[i], fixture_set_up,
                  test_steps_with_copied_weights_are_a_layer, fixture_tear_down);
    }
  g_test_add ("/app/command/convert-paddle/a-layer-that-was-left-out-is-named", Fixture, NULL,
              fixture_set_up, test_a_layer_that_was_left_out_is_named, fixture_tear_down);
  return g_test_run ();
}
