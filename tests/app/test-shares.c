/* test-shares.c — the times of all parts of a traced run add up to it, for every gallery model.
 *
 * Nothing that is asserted depends on how long anything took.  HYB_TEST_DEVICE=gpu profiles on the GPU, whose whole
 * work must have been found under operators.  What ran and what stands in the model are
 * related in both directions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/plugin.h"
#include "hscope-fixture.h"
#include "tests/program.h"
#include "tests/small-gallery.h"

#include <math.h>
#include <string.h>

static double
number (const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (object, key);

  g_assert_true (cJSON_IsNumber (item));
  return item->valuedouble;
}

/* The sum of a member over a list. */
static double
sum (const cJSON *json, const char *list, const char *key)
{
  const cJSON *item;
  double       total = 0;

  cJSON_ArrayForEach (item, cJSON_GetObjectItem (json, list)) total += number (item, key);
  return total;
}

/* Sums of doubles in different orders differ in their last digits only. */
static void
assert_near (double a, double b)
{
  g_assert_cmpfloat_with_epsilon (a, b, 1e-9 * MAX (fabs (a), fabs (b)));
}

/* The sum of the column of shares of a CSV file. */
static double
sum_csv (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  double total = 0;

  for (guint i = 1; lines[i] && *lines[i]; i++)
    {
      g_autoptr (GString) line = g_string_new (NULL);
      gboolean is_quoted = FALSE;
      g_auto (GStrv) fields = NULL;

      /* Commas inside quotes are not between fields. */
      for (const char *at = lines[i]; *at; at++)
        {
          is_quoted ^= *at == '"';
          g_string_append_c (line, *at == ',' && is_quoted ? ';' : *at);
        }
      fields = g_strsplit (line->str, ",", -1);
      g_assert_cmpuint (g_strv_length (fields), >=, 14);
      total += g_ascii_strtod (fields[11], NULL);
    }
  return total;
}

static void
assert_adds_up (const cJSON *json)
{
  static const char *const lists[] = { "nodes", "operators", "scopes", "categories" };
  const cJSON             *traced = cJSON_GetObjectItem (json, "traced"), *node;
  double                   outside = sum (json, "outside_nodes", "self_seconds");

  assert_near (number (traced, "nodes_seconds") + number (traced, "between_seconds"),
               number (traced, "seconds"));
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      assert_near (sum (json, lists[i], "self_seconds") + outside, number (traced, "seconds"));
      assert_near (sum (json, lists[i], "share") + sum (json, "outside_nodes", "share"), 1);
    }
  cJSON_ArrayForEach (node, cJSON_GetObjectItem (json, "nodes"))
  {
    double count = number (node, "count");

    g_assert_cmpfloat (count, ==, floor (count)); /* no events were lost */
    g_assert_cmpfloat (count, >=, 1);
    g_assert_cmpfloat (number (node, "low"), <=, number (node, "self_seconds"));
    g_assert_cmpfloat (number (node, "high"), >=, number (node, "self_seconds"));
  }
}

static gboolean
lists (const cJSON *object, const char *key, const char *text)
{
  const cJSON *item;

  cJSON_ArrayForEach (item,
                      cJSON_GetObjectItem (object, key)) if (strcmp (cJSON_GetStringValue (item),
                                                                     text) == 0) return TRUE;
  return FALSE;
}

static guint
count_list (const cJSON *object, const char *key)
{
  g_assert_true (cJSON_IsArray (cJSON_GetObjectItem (object, key)));
  return (guint) cJSON_GetArraySize (cJSON_GetObjectItem (object, key));
}

/* Whether one of the nodes of this name stands for a node of the model. */
static gboolean
stands_for (const cJSON *json, const char *row, const char *of)
{
  const cJSON *node;

  cJSON_ArrayForEach (node, cJSON_GetObjectItem (json, "nodes")) if (
      strcmp (cJSON_GetStringValue (cJSON_GetObjectItem (node, "name")), row) == 0 &&
      (lists (node, "stands_for", of) || lists (node, "helps", of))) return TRUE;
  return FALSE;
}

/* Every node that ran has an origin in the model, but for bodies of loops that autograd adds; every row in
 * which a node is computed says so. */
static void
assert_origins_agree (const cJSON *json, gboolean is_backward)
{
  const cJSON *item, *row;

  cJSON_ArrayForEach (item, cJSON_GetObjectItem (json, "nodes"))
  {
    guint n = count_list (item, "stands_for") + count_list (item, "helps") +
              count_list (item, "differentiates");

    if (n == 0 && !is_backward)
      g_error ("%s has no origin", cJSON_GetStringValue (cJSON_GetObjectItem (item, "name")));
  }
  cJSON_ArrayForEach (item, cJSON_GetObjectItem (json, "computed_elsewhere"))
  {
    const char *name = cJSON_GetStringValue (cJSON_GetObjectItem (item, "name"));

    g_assert_cmpuint (count_list (item, "computed_in"), >, 0);
    cJSON_ArrayForEach (row, cJSON_GetObjectItem (item, "computed_in"))
        g_assert_true (stands_for (json, cJSON_GetStringValue (row), name));
  }
}

static gboolean
is_on_gpu (void)
{
  return g_strcmp0 (g_getenv ("HYB_TEST_DEVICE"), "gpu") == 0;
}

/* The GPU was traced, and worked for operators of the model alone. */
static void
assert_all_work_is_found (const cJSON *json)
{
  const cJSON *traced = cJSON_GetObjectItem (json, "traced"), *row;

  g_assert_cmpfloat (number (traced, "gpu_busy_seconds"), >, 0);
  g_assert_cmpfloat (number (traced, "gpu_no_operator_seconds"), ==, 0);
  cJSON_ArrayForEach (row, cJSON_GetObjectItem (json, "outside_nodes"))
      g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetObjectItem (row, "name")), !=,
                       "(GPU, no operator)");
}

static void
assert_model_adds_up (const char *name, const char *backward)
{
  Fixture          fixture = { 0 };
  g_autofree char *model = NULL, *csv = NULL, *text = NULL, *device = NULL;
  g_autoptr (cJSON) json = NULL;

  fixture_set_up (&fixture, NULL);
  csv = in_folder (&fixture, "nodes.csv");
  model = small_gallery_model (name);
  device = g_strdup_printf ("--device=%s", is_on_gpu () ? "gpu" : "cpu");
  fixture_run (&fixture, (char *[]){ (char *) HSCOPE, (char *) "profile", model, (char *) "--json",
                                     (char *) (is_on_gpu () ? "--repeat=1" : "--repeat=2"),
                                     (char *) "--warmup=1",
                                     (char *) (is_on_gpu () ? "--traced=1" : "--traced=3"),
                                     (char *) "--csv", csv, device, (char *) backward, NULL });
  if (is_on_gpu () && strstr (fixture.err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      fixture_tear_down (&fixture, NULL);
      return;
    }
  if (fixture.code != 0)
    g_error ("%s: %s", model, fixture.err);
  json = parse_output (&fixture);
  if (is_on_gpu ())
    assert_all_work_is_found (json);
  assert_adds_up (json);
  assert_origins_agree (json, backward != NULL);
  g_assert_true (g_file_get_contents (csv, &text, NULL, NULL));
  assert_near (sum_csv (text), 1);
  fixture_tear_down (&fixture, NULL);
}

static void
test_forward (gconstpointer name)
{
  assert_model_adds_up (name, NULL);
}

static void
test_backward (gconstpointer name)
{
  assert_model_adds_up (name, "--backward");
}

TEST_PROGRAM (test_shares)
{
  g_autoptr (GPtrArray) models = NULL;

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  models = hyb_gallery_list ();
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpuint (models->len, >=, 19);
  for (guint i = 0; i < models->len; i++)
    {
      const char      *name = ((const HybModelClass *) models->pdata[i])->name;
      g_autofree char *forward = g_strdup_printf ("/app/shares/%s/forward-adds-up", name);
      g_autofree char *backward = g_strdup_printf ("/app/shares/%s/backward-adds-up", name);

      g_test_add_data_func (forward, name, test_forward);
      g_test_add_data_func (backward, name, test_backward);
    }
  return g_test_run ();
}
