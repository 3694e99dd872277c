/* test-matching-nodes.c — matching nodes of two forms of a model, and differences of their times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/matching-nodes.h"
#include "profiler/explain/difference.h"

#include <glib/gstdio.h>
#include <math.h>

#define MODEL "tests/data/goldens/models/cell-lstm-t6-ntc-none/cell-lstm-t6-ntc-none"

static const char *const shapes[] = { "data=2,6,4", NULL };

static void
keep_result (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static ScopeConversion *
convert (const char *model, const char *form)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  ScopeConversion *conversion;

  scope_conversion_run_async (&(ScopeConversionOptions){ .model = model,
                                                         .shapes = shapes,
                                                         .form = form,
                                                         .title = "model" },
                              NULL,
                              keep_result,
                              &result);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  conversion = scope_conversion_run_finish (result, &error);
  g_assert_no_error (error);
  return conversion;
}

static ScopeDocument *
open_document (const char *path)
{
  g_autoptr (GError) error = NULL;
  ScopeDocument *document = scope_document_open (path, NULL, shapes, NULL, &error);

  g_assert_no_error (error);
  return document;
}

typedef struct
{
  ScopeConversion *conversion;
  ScopeDocument   *written, *fused;
  ScopeNodeMap    *a, *b;
  GHashTable      *names;
} Pair;

static void
pair_init (Pair *pair)
{
  g_autofree char *model = g_build_filename (SOURCE_ROOT, MODEL "-symbol.json", NULL);

  pair->conversion = convert (model, "fused");
  pair->written = open_document (model);
  pair->fused = open_document (pair->conversion->path);
  pair->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  pair->a = scope_node_map_new (pair->written, NULL, SCOPE_MATCH_IDENTITY, pair->names);
  pair->b = scope_node_map_new (pair->fused,
                                pair->conversion->matches,
                                SCOPE_MATCH_FROM_REFERENCE,
                                pair->names);
}

static void
pair_clear (Pair *pair)
{
  scope_node_map_unref (pair->a);
  scope_node_map_unref (pair->b);
  scope_document_unref (pair->written);
  scope_document_unref (pair->fused);
  scope_conversion_free (pair->conversion);
  g_hash_table_unref (pair->names);
}

static void
test_many_to_one (void)
{
  Pair                    pair;
  guint32                 node, fused;
  const ScopeCounterpart *counterpart;
  g_autoptr (GArray) one = NULL;
  g_autoptr (GArray) many = NULL;

  pair_init (&pair);
  g_assert_cmpfloat (pair.conversion->max_abs, <, 1e-4);
  node = scope_document_find_name (pair.written, "unroll0_lstm0_t3_i2h");
  g_assert_cmpuint (node, !=, VIZ_ROOT);
  one = scope_node_map_find (pair.a, node, pair.b);
  g_assert_cmpuint (one->len, ==, 1);
  counterpart = &g_array_index (one, ScopeCounterpart, 0);
  g_assert_cmpint (counterpart->first_step, ==, 3);
  g_assert_cmpint (counterpart->last_step, ==, 3);
  fused = counterpart->box;
  many = scope_node_map_find (pair.b, fused, pair.a);
  /* Thirteen nodes a step, six steps. */
  g_assert_cmpuint (many->len, ==, 78);
  pair_clear (&pair);
}

static void
test_groups (void)
{
  Pair            pair;
  ScopeNodeGroups groups;
  const guint32  *a, *b;
  guint32         i2h, out, data;

  pair_init (&pair);
  scope_node_maps_group (pair.a, pair.b, &groups);
  a = groups.of_box[0];
  b = groups.of_box[1];
  i2h = scope_document_find_name (pair.written, "unroll0_lstm0_t0_i2h");
  out = scope_document_find_name (pair.written, "unroll0_lstm0_t5_out");
  data = scope_document_find_name (pair.written, "data");
  g_assert_cmpuint (a[i2h], <, groups.n);
  g_assert_cmpuint (a[i2h], ==, a[out]); /* both match the fused operator */
  g_assert_cmpuint (a[i2h], !=, a[data]);
  g_assert_cmpuint (a[data], ==, b[scope_document_find_name (pair.fused, "data")]);
  g_free (groups.of_box[0]);
  g_free (groups.of_box[1]);
  pair_clear (&pair);
}

static ProfCapture *
measure (const char *folder)
{
  g_autofree char *model = g_build_filename (SOURCE_ROOT, MODEL "-symbol.json", NULL);
  g_autofree char *path = g_build_filename (folder, "run.hscope", NULL);
  const char      *argv[] = { HSCOPE, "profile", model,        "--capture", path,      "--repeat",
                              "10",   "--shape", "data=2,6,4", "--init",    "uniform", NULL };
  g_autoptr (GError) error = NULL;
  ProfCapture *capture;
  int          status;

  g_spawn_sync (NULL,
                (char **) argv,
                NULL,
                G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                NULL,
                NULL,
                NULL,
                NULL,
                &status,
                &error);
  g_assert_no_error (error);
  g_assert_true (g_spawn_check_wait_status (status, NULL));
  capture = prof_capture_open (path, &error);
  g_assert_no_error (error);
  g_remove (path);
  return capture;
}

/* A run against itself: nothing differs, and nothing is lost in the sums. */
static void
test_differences (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-partners-XXXXXX", NULL);
  g_autoptr (ProfCapture) capture = measure (folder);
  g_autoptr (GArray) rows = prof_difference (capture, capture);
  g_autofree guint32 *groups = g_new0 (guint32, prof_capture_n_nodes (capture) + 1);
  g_autoptr (GArray) list = prof_difference_groups (capture, groups, capture, groups, 2);
  const ProfDifference *all = &g_array_index (list, ProfDifference, 0);

  g_assert_cmpuint (rows->len, >, 0);
  g_assert_cmpuint (list->len, ==, 2);
  g_assert_cmpfloat (all->a, >, 0);
  g_assert_cmpfloat (all->a, ==, all->b);
  g_assert_cmpint (all->pairing.verdict, !=, PROF_SLOWER);
  g_assert_cmpint (all->pairing.verdict, !=, PROF_FASTER);
  for (guint i = 0; i < rows->len; i++)
    g_assert_cmpfloat (g_array_index (rows, ProfDifference, i).a, <=, all->a);
  g_assert_true (isnan (g_array_index (list, ProfDifference, 1).a));
  g_rmdir (folder);
}

/* The box of every node of the model is found by the node's name. */
static void
test_names (void)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, MODEL "-symbol.json", NULL);
  ScopeDocument   *document = open_document (path);
  HybGraph        *graph = hyb_model_get_graph (scope_document_get_model (document));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    g_assert_cmpuint (scope_document_find_name (document, hyb_graph_get_node (graph, id)->name),
                      ==,
                      scope_document_find_node (document, graph, id));
  g_assert_cmpuint (scope_document_find_name (document, "no such node"), ==, VIZ_ROOT);
  g_assert_cmpuint (scope_document_find_name (document, NULL), ==, VIZ_ROOT);
  scope_document_unref (document);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-partners-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("HYBRIDSCOPE_HSCOPE", HSCOPE, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/partners/many-nodes-stand-for-one-with-their-step", test_many_to_one);
  g_test_add_func ("/app/partners/what-stands-for-the-same-is-a-group", test_groups);
  g_test_add_func ("/app/partners/differences-of-groups-add-up", test_differences);
  g_test_add_func ("/app/partners/nodes-are-found-by-name", test_names);
  return g_test_run ();
}
