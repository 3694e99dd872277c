/* test-preset.c — hscope compare --preset: its limit, its cells, and how it is continued.
 *
 * No time is asserted: a limit that is nearly 0 leaves no cell, one that is generous leaves all.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

#define MODEL "gallery:foreach-rnn?hidden=8&inputs=4&length=3"

/* Runs the preset on a small model; further: NULL-terminated. */
static void
run_preset (Fixture *fixture, const char *model, const char *const *further)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  const char *const first[] = { HSCOPE, "compare", model, "--preset", "control-flow", "--json" };

  for (guint i = 0; i < G_N_ELEMENTS (first); i++)
    g_ptr_array_add (arguments, (gpointer) first[i]);
  for (guint i = 0; further[i]; i++)
    g_ptr_array_add (arguments, (gpointer) further[i]);
  g_ptr_array_add (arguments, NULL);
  fixture_run (fixture, (char **) arguments->pdata);
}

static int
n_items (const cJSON *json, const char *key)
{
  return cJSON_GetArraySize (cJSON_GetObjectItem (json, key));
}

/* The median of a cell. */
static double
median_of (const cJSON *json, int cell)
{
  return cJSON_GetObjectItem (cJSON_GetArrayItem (cJSON_GetObjectItem (json, "cells"), cell),
                              "median")
      ->valuedouble;
}

/* The quick preset has the LSTM with two batches in inference and training, in eight forms each. */
static void
test_the_quick_preset_has_four_groups (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *cell;
  guint        n_plain = 0;

  run_preset (fixture, MODEL, (const char *const[]){ "--quick", "--time-limit", "60", NULL });
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpint (n_items (json, "cells"), ==, 4 * 8);
  g_assert_cmpint (n_items (json, "skipped"), ==, 0);
  g_assert_cmpint (n_items (json, "explanations"), ==, 4);
  cJSON_ArrayForEach (cell, cJSON_GetObjectItem (json, "cells"))
  {
    g_assert_cmpstr (cJSON_GetObjectItem (cell, "cell")->valuestring, ==, "lstm");
    if (cJSON_IsFalse (cJSON_GetObjectItem (cell, "passes")))
      {
        n_plain++;
        g_assert_cmpstr (cJSON_GetObjectItem (cell, "mode")->valuestring, ==, "static");
      }
  }
  g_assert_cmpuint (n_plain, ==, 4 * 2);
}

/* What does not fit is named, and no error. */
static void
test_without_time_all_cells_are_skipped (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;

  run_preset (fixture, MODEL, (const char *const[]){ "--time-limit", "1e-9", NULL });
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpint (n_items (json, "cells"), ==, 0);
  g_assert_cmpint (n_items (json, "skipped"), ==, 12);
}

static void
test_finished_cells_are_not_measured_again (Fixture *fixture, gconstpointer unused)
{
  g_autofree char  *path = in_folder (fixture, "finished.preset");
  const char *const further[] = { "--quick", "--time-limit", "60", "--resume", path, NULL };
  const char *const no_time[] = { "--quick", "--time-limit", "1e-9", "--resume", path, NULL };
  g_autoptr (cJSON) first = NULL, second = NULL;

  run_preset (fixture, MODEL, further);
  first = parse_output (fixture);
  g_assert_cmpint (n_items (first, "cells"), ==, 4 * 8);
  run_preset (fixture, MODEL, no_time);
  g_assert_cmpint (fixture->code, ==, 0);
  second = parse_output (fixture);
  g_assert_cmpint (n_items (second, "cells"), ==, 4 * 8);
  g_assert_cmpint (n_items (second, "skipped"), ==, 0);
  for (int i = 0; i < 4 * 8; i++)
    g_assert_cmpfloat (median_of (first, i), ==, median_of (second, i));
}

/* A group of which a capture is missing or damaged is measured again, and the others are kept. */
static void
test_damaged_cells_are_measured_again (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = in_folder (fixture, "finished.preset");
  g_autofree char *missing =
      in_folder (fixture, "finished.preset-lstm-b1-training-foreach-static-plain.hscope");
  g_autofree char *damaged =
      in_folder (fixture, "finished.preset-lstm-b32-inference-fused-static.hscope");
  const char *const further[] = { "--quick", "--time-limit", "60", "--resume", path, NULL };
  const char *const no_time[] = { "--quick", "--time-limit", "1e-9", "--resume", path, NULL };
  g_autoptr (cJSON) json = NULL, again = NULL;

  run_preset (fixture, MODEL, further);
  g_assert_cmpint (g_unlink (missing), ==, 0);
  g_assert_true (g_file_set_contents (damaged, "hscope\x1a\n and nothing else", -1, NULL));
  run_preset (fixture, MODEL, no_time);
  json = parse_output (fixture);
  g_assert_cmpint (n_items (json, "cells"), ==, 2 * 8);
  g_assert_cmpint (n_items (json, "skipped"), ==, 2);
  run_preset (fixture, MODEL, further);
  again = parse_output (fixture);
  g_assert_cmpint (n_items (again, "cells"), ==, 4 * 8);
  g_assert_true (g_file_test (missing, G_FILE_TEST_EXISTS));
}

static void
test_other_conditions_are_refused (Fixture *fixture, gconstpointer unused)
{
  g_autofree char  *path = in_folder (fixture, "finished.preset");
  g_autofree char  *other = in_folder (fixture, "other");
  const char *const further[] = { "--quick", "--time-limit", "60", "--resume", path, NULL };

  run_preset (fixture, MODEL, further);
  g_assert_cmpint (fixture->code, ==, 0);
  run_preset (fixture, "gallery:foreach-rnn?hidden=9&inputs=4&length=3", further);
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "hidden 8"));
  g_assert_nonnull (strstr (fixture->err, "hidden 9"));
  g_assert_true (g_file_set_contents (other, "[group 0]\ncell=lstm\n", -1, NULL));
  run_preset (fixture, MODEL, (const char *const[]){ "--resume", other, NULL });
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "not a list of finished groups"));
}

static void
test_options_of_the_preset_need_it (Fixture *fixture, gconstpointer unused)
{
  fixture_run (fixture, (char **) (const char *const[]){ HSCOPE, "compare", "gallery:mlp",
                                                         "--quick", NULL });
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "--preset"));
}

TEST_PROGRAM (test_preset)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) \
  g_test_add ("/app/preset/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("the-quick-preset-has-four-groups", test_the_quick_preset_has_four_groups);
  ADD ("without-time-all-cells-are-skipped", test_without_time_all_cells_are_skipped);
  ADD ("finished-cells-are-not-measured-again", test_finished_cells_are_not_measured_again);
  ADD ("damaged-cells-are-measured-again", test_damaged_cells_are_measured_again);
  ADD ("other-conditions-are-refused", test_other_conditions_are_refused);
  ADD ("options-of-the-preset-need-it", test_options_of_the_preset_need_it);
  return g_test_run ();
}
