/* test-compare-memory.c — hscope compare --memory: a row for each form, mode, size and pass, measured in a process of
 * its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

static const cJSON *
get_cell (const cJSON *json, int index)
{
  return cJSON_GetArrayItem (cJSON_GetObjectItem (json, "cells"), index);
}

static double
get_number (const cJSON *json, const char *key)
{
  const cJSON *value = cJSON_GetObjectItem (json, key);

  g_assert_true (cJSON_IsNumber (value));
  return value->valuedouble;
}

static const char *
get_text (const cJSON *json, const char *key)
{
  return cJSON_GetStringValue (cJSON_GetObjectItem (json, key));
}

/* Rows are in the order of sizes, passes, forms.  A process holds its weights and its plan. */
static void
test_rows (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  static const char *const variants[] = { "unrolled", "fused" };

  fixture_run_line (fixture,
                    "hscope compare --memory --backward --variants unrolled,fused --batch 1,64 "
                    "--json -- 'gallery:lstm-hybrid?hidden=32&length=5'");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "cells")), ==, 8);
  for (int i = 0; i < 8; i++)
    {
      const cJSON *cell = get_cell (json, i);

      g_assert_cmpstr (get_text (cell, "variant"), ==, variants[i % 2]);
      g_assert_cmpint (cJSON_IsTrue (cJSON_GetObjectItem (cell, "train")), ==, i / 2 % 2);
      g_assert_cmpfloat (get_number (cell, "batch"), ==, i < 4 ? 1 : 64);
      g_assert_cmpfloat (get_number (cell, "resident_bytes"), >,
                         get_number (cell, "weight_bytes") + get_number (cell, "peak_bytes"));
      g_assert_true (cJSON_IsNull (cJSON_GetObjectItem (cell, "trouble")));
      /* Training keeps values for the backward pass, and a larger batch has more of them. */
      if (i % 4 >= 2)
        g_assert_cmpfloat (get_number (cell, "peak_bytes"), >,
                           get_number (get_cell (json, i - 2), "peak_bytes"));
      if (i >= 4)
        g_assert_cmpfloat (get_number (cell, "peak_bytes"), >,
                           get_number (get_cell (json, i - 4), "peak_bytes"));
    }
}

/* The weights are those that info counts: 16-bit ones take half. */
static void
test_weights (Fixture *fixture, gconstpointer unused)
{
  double bytes[2], plain;

  for (guint narrow = 0; narrow < 2; narrow++)
    {
      g_autofree char *line = g_strdup_printf ("hscope compare %s-symbol.json --memory --json",
                                               narrow > 0 ? "half" : "lm");
      g_autoptr (cJSON) json = NULL;

      fixture_run_line (fixture,
                        "hscope new 'lstm-lm?hidden=64' --output lm >log 2>&1 && "
                        "hscope convert lm-symbol.json --weights float16 --output half >log 2>&1");
      g_assert_cmpint (fixture->code, ==, 0);
      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 0);
      json = parse_output (fixture);
      bytes[narrow] = get_number (get_cell (json, 0), "weight_bytes");
    }
  {
    g_autoptr (cJSON) json = NULL;

    fixture_run_line (fixture, "hscope info lm-symbol.json --json");
    json = parse_output (fixture);
    plain = get_number (cJSON_GetObjectItem (json, "parameters"), "bytes");
  }
  fixture_run_line (fixture, "rm -f *.json *.params log");
  g_assert_cmpfloat (bytes[0], ==, plain);
  g_assert_cmpfloat (bytes[1], <, 0.55 * plain);
  g_assert_cmpfloat (bytes[1], >=, 0.5 * plain);
}

/* A form that the model does not have is a row with the reason; without any other row the command fails. */
static void
test_trouble (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope compare gallery:mlp --variants as-is,fused --memory");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "as-is, static, inference"));
  g_assert_nonnull (strstr (fixture->out, "gallery:mlp as fused: "));
  fixture_run_line (fixture, "hscope compare gallery:mlp --variants fused --memory");
  g_assert_cmpint (fixture->code, ==, 4);
}

static void
test_usage (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    const char *line, *message;
  } cases[] = {
    { "hscope compare gallery:mlp --memory --preset control-flow", "--memory and --preset" },
    { "hscope compare gallery:mlp --memory --captures x", "--memory and --captures" },
    { "hscope compare gallery:mlp gallery:lenet --memory", "--memory takes one model" },
    { "hscope compare gallery:mlp --memory --modes fast", "fast" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      fixture_run_line (fixture, cases[i].line);
      g_assert_cmpint (fixture->code, ==, 2);
      g_assert_nonnull (strstr (fixture->err, cases[i].message));
    }
}

TEST_PROGRAM (test_compare_memory)
{
#define ADD(path, test)                                                                 \
  g_test_add ("/app/command/compare-memory/" path, Fixture, NULL, fixture_set_up, test, \
              fixture_tear_down)

  g_test_init (&argc, &argv, NULL);
  ADD ("rows", test_rows);
  ADD ("weights", test_weights);
  ADD ("trouble", test_trouble);
  ADD ("usage", test_usage);
  return g_test_run ();
}
