/* test-convert-weights.c — hscope convert --weights: what it writes and prints, and what it refuses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define MAKE  "hscope new 'lstm-lm?hidden=16' --output lm >log && "
#define CLEAN "; status=$?; rm -f *.json *.params log; exit $status"

static void
test_half_the_bytes (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *proof;
  double       before, after;

  fixture_run_line (fixture, MAKE
                    "hscope convert lm-symbol.json --weights float16 --output half --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  before = cJSON_GetObjectItem (json, "bytes_before")->valuedouble;
  after = cJSON_GetObjectItem (json, "bytes_after")->valuedouble;
  g_assert_cmpfloat (after, <, 0.6 * before);
  g_assert_cmpstr (cJSON_GetObjectItem (json, "weights")->valuestring, ==, "float16");
  proof = cJSON_GetObjectItem (json, "proof");
  g_assert_true (cJSON_IsTrue (cJSON_GetObjectItem (proof, "ok")));
  g_assert_true (cJSON_IsFalse (cJSON_GetObjectItem (proof, "gradients")));
  g_assert_cmpfloat (cJSON_GetObjectItem (proof, "max_abs")->valuedouble, >, 0);
}

static void
test_written_models_run (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture,
                    MAKE "hscope convert lm-symbol.json --weights bfloat16 --output half >log && "
                         "hscope check half-symbol.json >log && "
                         "hscope run half-symbol.json --shape data0=5,1 --init xavier >log" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
}

/* A program that does not know the operator says its name.  Here another name stands for it. */
static void
test_other_readers_refuse_int8 (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, MAKE
                    "hscope convert lm-symbol.json --weights int8 --output small >log && "
                    "hscope run small-symbol.json --shape data0=5,1 --init xavier >log && "
                    "sed -i s/_hybridscope_int8_rows/_hybridscope_int7_rows/ small-symbol.json && "
                    "hscope run small-symbol.json --shape data0=5,1 --init xavier" CLEAN);
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "_hybridscope_int7_rows"));
  g_assert_nonnull (strstr (fixture->err, "so the graph can be displayed, but not run"));
}

/* The commands say which files MXNet has the operators for; int8 rows need one of our own. */
static void
test_who_can_load (Fixture *fixture, gconstpointer unused)
{
  static const char *const types[] = { "float16", "bfloat16", "int8" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      gboolean         is_ours = g_str_equal (types[i], "int8");
      g_autofree char *line =
          g_strdup_printf (MAKE "hscope convert lm-symbol.json --weights %s --output x --json && "
                                "! grep -q _hybridscope x-symbol.json; echo $? >&2" CLEAN,
                           types[i]);
      g_autoptr (cJSON) json = NULL;

      fixture_run_line (fixture, line);
      json = parse_output (fixture);
      g_assert_cmpint (cJSON_IsTrue (cJSON_GetObjectItem (json, "mxnet")), ==, !is_ours);
      g_assert_cmpint (strstr (fixture->err, "MXNet cannot load the int8 weights") != NULL, ==,
                       is_ours);
      g_assert_true (g_str_has_suffix (fixture->err, is_ours ? "1\n" : "0\n"));
    }
}

static void
test_more_than_the_tolerance (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture,
                    MAKE "hscope convert lm-symbol.json --weights bfloat16 --tolerance 1e-6 "
                         "--output half; status=$?; ls; (exit $status)" CLEAN);
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_null (strstr (fixture->out, "half"));
  g_assert_nonnull (strstr (fixture->err, "the tolerance is 1e-06"));
  fixture_run_line (fixture,
                    MAKE "hscope convert lm-symbol.json --weights bfloat16 --tolerance 1e-6 "
                         "--force --output half" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "wrote half-symbol.json"));
}

/* hscope prove says how far a checkpoint of MXNet moves with narrow weights, relative to the largest element.
 * Where it compares gradients, those are rounded to the type of the weights, too. */
static void
test_checkpoints_proved (Fixture *fixture, gconstpointer unused)
{
  static const char *const names[] = { "fused-gru-bi", "fused-lstm", "stack", "tanh" };
  static const struct
  {
    const char *type;
    double      rounding;
  } types[] = { { "float16", 0x1p-11 }, { "bfloat16", 0x1p-8 }, { "int8", 1 / 254.0 } };

  for (guint i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (types); i++)
    {
      const char      *name = names[i / G_N_ELEMENTS (types)];
      guint            t = i % G_N_ELEMENTS (types);
      g_autofree char *line =
          g_strdup_printf ("m=" SOURCE_ROOT
                           "/tests/data/goldens/models/rnn-checkpoint-%s/rnn-checkpoint-%s; "
                           "hscope convert $m-symbol.json --weights %s --output x >log && "
                           "hscope prove $m-symbol.json x-symbol.json --json" CLEAN,
                           name, name, types[t].type);
      g_autoptr (cJSON) json = NULL;
      double error;

      fixture_run_line (fixture, line);
      json = parse_output (fixture);
      error = cJSON_GetObjectItem (json, "max_rel")->valuedouble;
      g_test_message ("%s %s: %g", name, types[t].type, error);
      g_assert_cmpfloat (error, >, 0);
      g_assert_cmpfloat (error, <=, 2 * types[t].rounding);
      g_assert_cmpint (fixture->code, ==, cJSON_IsTrue (cJSON_GetObjectItem (json, "ok")) ? 0 : 1);
    }
}

static void
test_usage (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    const char *line, *message;
  } cases[] = {
    { "hscope convert lm-symbol.json --weights float8 --output x",
      "unknown type; there are float16, bfloat16 and int8" },
    { "hscope convert lm-symbol.json --weights float16 --to fused --output x",
      "are two conversions" },
    { "hscope convert lm-symbol.json --to fused --tolerance 1 --output x",
      "together with --weights" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strconcat (MAKE, cases[i].line, CLEAN, NULL);

      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 2);
      g_assert_nonnull (strstr (fixture->err, cases[i].message));
    }
}

TEST_PROGRAM (test_convert_weights)
{
#define ADD(path, test)                                                                  \
  g_test_add ("/app/command/convert-weights/" path, Fixture, NULL, fixture_set_up, test, \
              fixture_tear_down)

  g_test_init (&argc, &argv, NULL);
  ADD ("half-the-bytes", test_half_the_bytes);
  ADD ("written-models-run", test_written_models_run);
  ADD ("more-than-the-tolerance", test_more_than_the_tolerance);
  ADD ("other-readers-refuse-int8", test_other_readers_refuse_int8);
  ADD ("who-can-load", test_who_can_load);
  ADD ("checkpoints-proved", test_checkpoints_proved);
  ADD ("usage", test_usage);
  return g_test_run ();
}
