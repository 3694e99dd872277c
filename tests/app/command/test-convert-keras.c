/* test-convert-keras.c — what tf2onnx writes of recurrent layers of Keras in every form.
 *
 * tests/data/onnx/make-keras.py made the files, and make-learned.py the one whose initial state is learned.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define FILES SOURCE_ROOT "/tests/data/onnx/"
#define CLEAN "; status=$?; rm -f *.onnx log; exit $status"

/* A file, a form, and sizes that the written file must keep open. */
typedef struct
{
  const char *name, *form, *shape;
} Case;

/* A Loop that hands its weights from step to step, cuts them in every step and gathers its steps by a counter is a layer, of any
 * length. */
static void
test_a_gated_loop_is_a_layer (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;

  fixture_run_line (fixture,
                    "hscope convert " FILES "keras-gru.onnx --to fused --output a.onnx >log && "
                    "hscope prove " FILES "keras-gru.onnx a.onnx --shape x0=2,7,4 >log && "
                    "hscope info --json a.onnx" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->err, "the written file has the shape"));
  json = parse_output (fixture);
  g_assert_nonnull (
      cJSON_GetObjectItemCaseSensitive (cJSON_GetObjectItem (json, "operators"), "GRU"));
}

/* From the layer to a loop, written-out steps, and a layer again. */
static void
test_the_layer_goes_through_all_forms (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope convert " FILES "keras-gru.onnx --to fused --output a.onnx >log && "
                    "hscope convert a.onnx --to foreach --output b.onnx >log && "
                    "hscope convert b.onnx --length 5 --to unrolled --output c.onnx >log && "
                    "hscope convert c.onnx --to fused --output d.onnx >log && "
                    "hscope prove " FILES "keras-gru.onnx d.onnx --shape x0=2,5,4 >log" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
test_loops_are_written (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FILES "%s.onnx --to %s --output a.onnx >log && "
                       "hscope prove " FILES "%s.onnx a.onnx --shape x0=%s >log" CLEAN,
                       this->name, this->form, this->name, this->shape);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->err, "the written file has the shape"));
}

/* What is no layer is refused in a sentence that says why. */
static void
test_what_is_no_layer_is_said (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FILES "%s.onnx --to fused --output a.onnx" CLEAN,
                       this->name);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, this->shape));
}

/* Written-out steps fix the length alone: lengths that planning counted for a batch, and states that are repeated for each
 * sequence, follow the batch. */
static void
test_written_out_steps_fix_the_length_alone (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FILES "%s.onnx --length 5 --to unrolled --output a.onnx "
                       ">log && hscope prove " FILES "%s.onnx a.onnx --shape %s >log" CLEAN,
                       (const char *) name, (const char *) name,
                       strstr (name, "embedding") ? "x0=4,5"
                       : strstr (name, "learned") ? "x=5,4,5"
                                                  : "x0=4,5,4");

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
}

TEST_PROGRAM (test_convert_keras)
{
  static const Case written[] = {
    { "keras-gru", "foreach", "2,7,4" },        { "keras-gru", "while", "2,7,4" },
    { "keras-gru-before", "foreach", "3,6,4" }, { "keras-gru-before", "while", "3,6,4" },
    { "keras-masked", "foreach", "3,6,4" },     { "keras-masked", "while", "3,6,4" },
    { "keras-masked", "unrolled", "3,6,4" },    { "keras-embedding", "foreach", "3,9" },
    { "keras-embedding", "while", "3,9" },
  };
  static const Case refused[] = {
    { "keras-masked", "fused", "chooses between the new and the old state, as masks do" },
    { "keras-embedding", "fused", "chooses between the new and the old state, as masks do" },
    { "keras-gru-before", "fused", "its reset gate comes before the product" },
  };
  static const char *const open[] = { "keras-gru", "keras-stacked", "keras-embedding",
                                      "learned-state" };

  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/command/convert-keras/a-gated-loop-is-a-layer", Fixture, NULL, fixture_set_up,
              test_a_gated_loop_is_a_layer, fixture_tear_down);
  g_test_add ("/app/command/convert-keras/the-layer-goes-through-all-forms", Fixture, NULL,
              fixture_set_up, test_the_layer_goes_through_all_forms, fixture_tear_down);
  for (guint i = 0; i < G_N_ELEMENTS (written); i++)
    {
      g_autofree char *path = g_strdup_printf ("/app/command/convert-keras/loops-are-written/%s/%s",
                                               written[i].name, written[i].form);

      g_test_add (path, Fixture, &written[i], fixture_set_up, test_loops_are_written,
                  fixture_tear_down);
    }
  for (guint i = 0; i < G_N_ELEMENTS (open); i++)
    {
      g_autofree char *path =
          g_strconcat ("/app/command/convert-keras/written-out-steps-fix-the-length-alone/",
                       open[i], NULL);

      g_test_add (path, Fixture, open[i], fixture_set_up,
                  test_written_out_steps_fix_the_length_alone, fixture_tear_down);
    }
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *path = g_strconcat ("/app/command/convert-keras/what-is-no-layer-is-said/",
                                           refused[i].name, NULL);

      g_test_add (path, Fixture, &refused[i], fixture_set_up, test_what_is_no_layer_is_said,
                  fixture_tear_down);
    }
  return g_test_run ();
}
