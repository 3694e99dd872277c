/* test-matching-nodes.c — matching nodes of two forms of a model, and differences of their times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/matching-nodes.h"
#include "profiler/explain/difference.h"
#include "tests/program.h"

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
                              NULL, keep_result, &result);
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
pair_init (Pair *pair, const char *form)
{
  g_autofree char *model = g_build_filename (SOURCE_ROOT, MODEL "-symbol.json", NULL);

  pair->conversion = convert (model, form);
  pair->written = open_document (model);
  pair->fused = open_document (pair->conversion->path);
  pair->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  pair->a = scope_node_map_new (pair->written, NULL, SCOPE_MATCH_IDENTITY, pair->names);
  pair->b = scope_node_map_new (pair->fused, pair->conversion->matches, SCOPE_MATCH_FROM_REFERENCE,
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

  pair_init (&pair, "fused");
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

/* A node in the body of a loop stands for the nodes of its role in all steps, not for all of the cell. */
static void
test_roles (gconstpointer form)
{
  static const char *const roles[] = { "i2h", "h2h", "out" };
  Pair                     pair;
  HybGraph                *graph;

  pair_init (&pair, form);
  graph = scope_document_get_graph (pair.written);
  for (guint r = 0; r < G_N_ELEMENTS (roles); r++)
    {
      g_autofree char *third = g_strdup_printf ("unroll0_lstm0_t3_%s", roles[r]);
      g_autofree char *ending = g_strconcat ("_", roles[r], NULL);
      guint32          node = scope_document_find_name (pair.written, third);
      g_autoptr (GArray) inside = scope_node_map_find (pair.a, node, pair.b);
      g_autoptr (GArray) steps = NULL;
      const ScopeCounterpart *role = &g_array_index (inside, ScopeCounterpart, 0);

      g_assert_cmpuint (inside->len, ==, 1);
      g_assert_cmpint (role->first_step, ==, 3);
      g_assert_cmpint (role->last_step, ==, 3);
      steps = scope_node_map_find (pair.b, role->box, pair.a);
      g_assert_cmpuint (steps->len, ==, 6);
      for (guint i = 0; i < steps->len; i++)
        {
          const ScopePlace *place =
              scope_document_get_place (pair.written,
                                        g_array_index (steps, ScopeCounterpart, i).box);

          g_assert_true (g_str_has_suffix (hyb_graph_get_node (graph, place->node)->name, ending));
        }
    }
  pair_clear (&pair);
}

/* The loop as a whole still stands for everything in it. */
static void
test_whole_loop (void)
{
  Pair pair;
  g_autoptr (GArray) many = NULL;
  guint32 loop = VIZ_ROOT;

  pair_init (&pair, "foreach");
  for (guint32 box = 1; box < viz_diagram_n_boxes (scope_document_get_diagram (pair.fused)); box++)
    {
      const ScopePlace *place = scope_document_get_place (pair.fused, box);

      if (place && hyb_graph_get_node (place->graph, place->node)->n_bodies > 0)
        loop = box;
    }
  many = scope_node_map_find (pair.b, loop, pair.a);
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

  pair_init (&pair, "fused");
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

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                NULL, NULL, NULL, NULL, &status, &error);
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
    g_assert_cmpuint (scope_document_find_name (document, hyb_graph_get_node (graph, id)->name), ==,
                      scope_document_find_node (document, graph, id));
  g_assert_cmpuint (scope_document_find_name (document, "no such node"), ==, VIZ_ROOT);
  g_assert_cmpuint (scope_document_find_name (document, NULL), ==, VIZ_ROOT);
  scope_document_unref (document);
}

TEST_PROGRAM (test_matching_nodes)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-partners-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("HYBRIDSCOPE_HSCOPE", HSCOPE, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/partners/many-nodes-stand-for-one-with-their-step", test_many_to_one);
  g_test_add_data_func ("/app/partners/a-node-of-a-foreach-body-has-its-role", "foreach",
                        test_roles);
  g_test_add_data_func ("/app/partners/a-node-of-a-while-body-has-its-role", "while", test_roles);
  g_test_add_func ("/app/partners/a-loop-stands-for-all-of-its-steps", test_whole_loop);
  g_test_add_func ("/app/partners/what-stands-for-the-same-is-a-group", test_groups);
  g_test_add_func ("/app/partners/differences-of-groups-add-up", test_differences);
  g_test_add_func ("/app/partners/nodes-are-found-by-name", test_names);
  return g_test_run ();
}
