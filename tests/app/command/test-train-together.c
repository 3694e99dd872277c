/* test-train-together.c — hscope train --data-parallel with a library in the place of Open MPI's, and a capture of one process.
 *
 * The library (tests/app/modules/twin-mpi.c) makes this process the first of two that do the same; tests/cluster/mpi.sh has
 * several processes where Open MPI is installed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define N_BATCHES 3
#define ROWS      4 /* of a batch; the second half repeats the first */
#define COLUMNS   8
#define TOGETHER  "OMPI_COMM_WORLD_SIZE=2 LD_LIBRARY_PATH='" TWIN_FOLDER "' "

static double
number (const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (object, key);

  g_assert_true (cJSON_IsNumber (item));
  return item->valuedouble;
}

/* Batches whose halves along the first axis are equal, and a model with exact-symbol.json and whole.params. */
static void
make_model (Fixture *fixture)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data =
      hyb_tensor_new_zeros (&(HybType){ hyb_shape_3d (N_BATCHES, ROWS, COLUMNS), HYB_F32 }, NULL);
  g_autoptr (HybTensor) label =
      hyb_tensor_new_zeros (&(HybType){ hyb_shape_2d (N_BATCHES, ROWS), HYB_F32 }, NULL);
  g_autofree char *path = in_folder (fixture, "b.npz");

  for (int i = 0; i < N_BATCHES * ROWS; i++)
    {
      int same = i / ROWS * ROWS + i % (ROWS / 2);

      ((float *) hyb_tensor_get_data (label))[i] = (float) (same % 3);
      for (int k = 0; k < COLUMNS; k++)
        ((float *) hyb_tensor_get_data (data))[i * COLUMNS + k] =
            (float) ((same * 7 + k * 3) % 11) / 11;
    }
  hyb_tensor_list_set (list, "data", data);
  hyb_tensor_list_set (list, "label", label);
  g_assert_true (hyb_npz_write_file (list, path, NULL));
  fixture_run_line (fixture,
                    "hscope new 'mlp?inputs=8&hidden=4&classes=3' --output m >log && rm log");
  g_assert_cmpint (fixture->code, ==, 0);
}

#define TRAIN                                                                       \
  "train m-symbol.json m-0000.params --data b.npz --epochs 4 --set learning_rate=1" \
  " --threads 1 --sample -1 --json "

/* The average of two processes that have the same rows is what one process finds for all rows. */
static void
test_two_that_do_the_same (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) alone = NULL;
  g_autoptr (cJSON) together = NULL;
  const cJSON *parallel;
  double       loss;

  make_model (fixture);
  fixture_run_line (fixture, "hscope " TRAIN);
  g_assert_cmpint (fixture->code, ==, 0);
  alone = parse_output (fixture);
  fixture_run_line (fixture, TOGETHER "hscope " TRAIN "--data-parallel");
  g_assert_cmpint (fixture->code, ==, 0);
  together = parse_output (fixture);

  loss = number (alone, "last_loss");
  g_assert_cmpfloat (loss, <, 0.95 * number (alone, "first_loss"));
  g_assert_cmpfloat_with_epsilon (number (together, "first_loss"),
                                  number (alone, "first_loss"),
                                  1e-5);
  g_assert_cmpfloat_with_epsilon (number (together, "last_loss"), loss, 1e-5);
  parallel = cJSON_GetObjectItem (together, "parallel");
  g_assert_cmpfloat (number (parallel, "processes"), ==, 2);
}

/* What one process sees alone is looked at before the first step. */
static void
test_odd_batches (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, TOGETHER "hscope train 'gallery:mlp?batch=5' --data-parallel");
  g_assert_cmpint (fixture->code, !=, 0);
  g_assert_nonnull (strstr (fixture->err, "cannot be divided among 2 processes"));
}

/* Each call that waits for others may find that they are lost: whichever it is, the training ends and says so.  A second error
 * over the first one would end the program. */
static void
test_lost (Fixture *fixture, gconstpointer unused)
{
  static const int tests[] = { 1, 2, 3, 4, 5, 8, 16, 32 };

  make_model (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *line = g_strdup_printf ("G_DEBUG=fatal-warnings TWIN_LOST=%d " TOGETHER
                                               "timeout 60 '" HSCOPE "' " TRAIN "--data-parallel",
                                               tests[i]);

      fixture_run_line (fixture, line);
      if (fixture->code == 0 ||
          !strstr (fixture->err, "have lost each other: error 15 of the twin"))
        fixture_complain ("test %d: %d %s", tests[i], fixture->code, fixture->err);
    }
}

/* A process that waits for the others ends soon after a signal, without them. */
static void
test_stopped_while_waiting (Fixture *fixture, gconstpointer unused)
{
  make_model (fixture);
  fixture_run_line (fixture,
                    "{ G_DEBUG=fatal-warnings TWIN_SILENT=30 TWIN_MARK=waits " TOGETHER "'" HSCOPE
                    "' " TRAIN "--data-parallel & process=$!; n=0; "
                    "until [ -f waits ] || [ $n -gt 600 ]; do n=$((n + 1)); sleep 0.1; done; "
                    "kill $process; wait $process; }");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_true (g_str_has_prefix (fixture->err,
                                   "error: process 0 of 2: this process was asked to stop, and "
                                   "another one has not ended its step within 5 seconds"));
}

/* The time of the forward pass is told apart from that of the backward pass. */
static void
test_both_passes (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *process;

  make_model (fixture);
  fixture_run_line (fixture,
                    "hscope " TRAIN "--capture one.hscope >log && hscope report one.hscope --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  process = cJSON_GetObjectItem (cJSON_GetArrayItem (cJSON_GetObjectItem (json, "captures"), 0),
                                 "processes");
  g_assert_cmpint (cJSON_GetArraySize (process), ==, 1);
  process = cJSON_GetArrayItem (process, 0);
  g_assert_cmpfloat (number (process, "forward_seconds"), >, 0);
  g_assert_cmpfloat (number (process, "backward_seconds"), >, 0);
}

TEST_PROGRAM (test_train_together)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function)                \
  g_test_add ("/app/train-together/" path, \
              Fixture,                     \
              NULL,                        \
              fixture_set_up,              \
              function,                    \
              fixture_tear_down)
  ADD ("two-that-do-the-same-learn-what-one-learns", test_two_that_do_the_same);
  ADD ("batches-that-cannot-be-divided-are-refused", test_odd_batches);
  ADD ("a-process-that-is-lost-ends-the-training", test_lost);
  ADD ("a-process-that-waits-ends-after-a-signal", test_stopped_while_waiting);
  ADD ("a-capture-tells-the-passes-apart", test_both_passes);
#undef ADD
  return g_test_run ();
}
