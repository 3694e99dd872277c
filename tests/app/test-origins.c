/* test-origins.c — what ran and what stands in the model are related: fused cells, products that left a
 * loop, and the report.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define STEPS       5
#define MODEL(name) "gallery:" name "?hidden=16&length=5&batch=3"

static cJSON *
profile (const char *model)
{
  Fixture fixture = { 0 };
  cJSON  *json;

  fixture_set_up (&fixture, NULL);
  fixture_run (&fixture, (char *[]){ (char *) HSCOPE, (char *) "profile", (char *) model,
                                     (char *) "--json", (char *) "--repeat=1",
                                     (char *) "--warmup=0", (char *) "--traced=1", NULL });
  if (fixture.code != 0)
    g_error ("%s: %s", model, fixture.err);
  json = parse_output (&fixture);
  fixture_tear_down (&fixture, NULL);
  return json;
}

static const char *
text_of (const cJSON *object, const char *key)
{
  return cJSON_GetStringValue (cJSON_GetObjectItem (object, key));
}

static guint
count (const cJSON *object, const char *key)
{
  return (guint) cJSON_GetArraySize (cJSON_GetObjectItem (object, key));
}

/* A cell has eleven pointwise operators, three of them sigmoids. */
static void
test_gates (void)
{
  g_autoptr (cJSON) json = profile (MODEL ("lstm-unrolled"));
  const cJSON *node;
  guint        n_gates = 0, n_elsewhere = 0;

  cJSON_ArrayForEach (node, cJSON_GetObjectItem (json, "nodes"))
  {
    if (strcmp (text_of (node, "operator"), "_lstm_gates") != 0)
      continue;
    n_gates++;
    g_assert_cmpuint (count (node, "stands_for"), ==, 11);
    g_assert_cmpuint (count (node, "helps"), ==, 0);
    g_assert_cmpuint (count (node, "differentiates"), ==, 0);
  }
  g_assert_cmpuint (n_gates, ==, STEPS);
  cJSON_ArrayForEach (node, cJSON_GetObjectItem (json, "computed_elsewhere")) n_elsewhere +=
      strcmp (text_of (node, "operator"), "sigmoid") == 0;
  g_assert_cmpuint (n_elsewhere, ==, 3 * STEPS);
}

/* The product of the input leaves the loop, but is found again. */
static void
test_moved_out_of_a_loop (void)
{
  g_autoptr (cJSON) json = profile (MODEL ("lstm-foreach"));
  const cJSON *other;
  guint        n_found = 0;

  cJSON_ArrayForEach (other, cJSON_GetObjectItem (json, "computed_elsewhere"))
  {
    const cJSON *in = cJSON_GetObjectItem (other, "computed_in");

    if (!g_str_has_suffix (text_of (other, "name"), "_i2h"))
      continue;
    n_found++;
    g_assert_cmpfloat (cJSON_GetObjectItem (other, "graph")->valuedouble, >, 0);
    g_assert_true (g_str_has_suffix (cJSON_GetStringValue (cJSON_GetArrayItem (in, 0)), "_i2h"));
  }
  g_assert_cmpuint (n_found, ==, 1);
}

/* Operator by operator, every node runs as it is in the model. */
static void
test_report (void)
{
  Fixture fixture = { 0 };
  char   *model = (char *) MODEL ("lstm-unrolled");

  fixture_set_up (&fixture, NULL);
  fixture_run (&fixture, (char *[]){ (char *) HSCOPE, (char *) "profile", model,
                                     (char *) "--repeat=1", NULL });
  g_assert_cmpint (fixture.code, ==, 0);
  g_assert_nonnull (strstr (fixture.out, "\nmade for the run "));
  g_assert_nonnull (strstr (fixture.out, "_out (_lstm_gates) with 10 others\n"));
  fixture_run (&fixture, (char *[]){ (char *) HSCOPE, (char *) "profile", model,
                                     (char *) "--repeat=1", (char *) "--mode=imperative", NULL });
  g_assert_cmpint (fixture.code, ==, 0);
  g_assert_null (strstr (fixture.out, "made for the run"));
  fixture_tear_down (&fixture, NULL);
}

/* The parts of a fused layer lie inside its time: no box of the picture takes more than the whole run. */
static void
test_parts_count_once (void)
{
  Fixture          fixture = { 0 };
  g_autofree char *capture = NULL, *picture = NULL, *text = NULL;
  char            *model = (char *) "gallery:lstm-lm?hidden=16&layers=2&length=5&batch=3";
  guint            n_shares = 0;

  fixture_set_up (&fixture, NULL);
  capture = in_folder (&fixture, "lm.hscope");
  picture = in_folder (&fixture, "lm.svg");
  fixture_run (&fixture, (char *[]){ (char *) HSCOPE, (char *) "profile", model,
                                     (char *) "--repeat=1", (char *) "--capture", capture, NULL });
  g_assert_cmpint (fixture.code, ==, 0);
  fixture_run (&fixture,
               (char *[]){ (char *) HSCOPE, (char *) "render", model, (char *) "--overlay", capture,
                           (char *) "--output", picture, NULL });
  g_assert_cmpint (fixture.code, ==, 0);
  g_assert_true (g_file_get_contents (picture, &text, NULL, NULL));
  for (const char *at = text; (at = strstr (at, "s · ")); at++)
    {
      char  *end;
      double share = g_ascii_strtod (at + strlen ("s · "), &end);

      if (!g_str_has_prefix (end, " %"))
        continue;
      n_shares++;
      g_assert_cmpfloat (share, <=, 100);
    }
  g_assert_cmpuint (n_shares, >, 0);
  fixture_tear_down (&fixture, NULL);
}

TEST_PROGRAM (test_origins)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/origins/gates-stand-for-what-they-replace", test_gates);
  g_test_add_func ("/app/origins/a-product-that-left-a-loop-is-found", test_moved_out_of_a_loop);
  g_test_add_func ("/app/origins/the-report-says-where-nodes-are-computed", test_report);
  g_test_add_func ("/app/origins/parts-of-an-operator-count-once", test_parts_count_once);
  return g_test_run ();
}
