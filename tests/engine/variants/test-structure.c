/* test-structure.c — the structure of every golden and export is what tests/data/structures.json
 * lists.
 *
 * The table was checked by hand for every folder, file and model of the gallery; an empty list
 * means that nothing recurrent is there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/block/plugin.h"
#include "engine/graph/builder.h"
#include "engine/open/open.h"
#include "engine/variants/structure.h"
#include "tests/engine/goldens/golden.h"
#include "tests/engine/variants/listed.h"
#include "tests/program.h"

static char *
describe (HybModel *model)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  guint               n_values = hyb_graph_n_values (graph), n;
  g_autofree HybType *types = g_new (HybType, n_values + 1);
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GArray) structure = NULL;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (model, node->name);
      const HybType *usual = hyb_model_get_input_type (model, node->name);

      if (tensor)
        types[node->first_output] = *hyb_tensor_get_type (tensor);
      else if (usual)
        types[node->first_output] = *usual;
    }
  hyb_infer_types (graph, types, NULL, FALSE, NULL);
  structure = hyb_structure_find (graph, types);
  for (guint i = 0; i < structure->len; i++)
    {
      const HybStructure *entry = &g_array_index (structure, HybStructure, i);

      g_string_append_printf (text, "%s %s %u×%d %u\n", hyb_structure_kind_name (entry->kind),
                              entry->cell ? entry->cell : "-", entry->layers, (int) entry->steps,
                              entry->nodes);
    }
  return g_string_free (text, FALSE);
}

static int
number (const cJSON *entry, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (entry, key);

  return cJSON_IsNumber (item) ? item->valueint : 0;
}

static char *
describe_expected (const cJSON *list)
{
  GString     *text = g_string_new (NULL);
  const cJSON *entry;

  cJSON_ArrayForEach (entry, list)
  {
    const char *cell = cJSON_GetStringValue (cJSON_GetObjectItem (entry, "cell"));

    g_string_append_printf (text, "%s %s %d×%d %d\n",
                            cJSON_GetStringValue (cJSON_GetObjectItem (entry, "kind")),
                            cell ? cell : "-", number (entry, "layers"), number (entry, "steps"),
                            number (entry, "nodes"));
  }
  return g_string_free (text, FALSE);
}

static void
test_folder (gconstpointer data)
{
  const cJSON *list = data;
  g_autoptr (HybModel) model = listed_open (list->string, NULL);
  g_autofree char *got = NULL;
  g_autofree char *want = NULL;

  if (!model)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  got = describe (model);
  want = describe_expected (list);
  g_assert_cmpstr (got, ==, want);
}

static void
check_listed (const cJSON *table, const char *name)
{
  if (!cJSON_GetObjectItemCaseSensitive (table, name))
    {
      g_test_message ("%s is not listed in tests/data/structures.json", name);
      g_test_fail ();
    }
}

static void
test_goldens_listed (gconstpointer table)
{
  g_auto (GStrv) folders = golden_list ("models", NULL);

  for (guint i = 0; folders[i]; i++)
    check_listed (table, folders[i]);
}

/* Checks every file below a folder that opens as a graph. */
static void
check_files_listed (const cJSON *table, const char *below)
{
  g_autofree char *path = golden_path ("..", below, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *key = g_strconcat (below, "/", name, NULL);
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_autoptr (HybModel) model = NULL;

      if (g_file_test (file, G_FILE_TEST_IS_DIR))
        {
          check_files_listed (table, key);
          continue;
        }
      model = hyb_model_open (file, NULL, HYB_EPOCH_HIGHEST, NULL);
      /* Cells are found in graphs of the engine's operators. */
      if (model && hyb_model_get_graph (model) &&
          !hyb_graph_get_dialect (hyb_model_get_graph (model)))
        check_listed (table, key);
    }
}

static void
test_files_listed (gconstpointer table)
{
  check_files_listed (table, "models");
}

static void
test_gallery_listed (gconstpointer table)
{
  g_autoptr (GPtrArray) models = NULL;

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  models = hyb_gallery_list ();
  g_assert_cmpuint (models->len, >, 10);
  for (guint i = 0; i < models->len; i++)
    {
      const HybModelClass *klass = models->pdata[i];
      g_autofree char     *key = g_strconcat ("gallery:", klass->name, NULL);

      check_listed (table, key);
    }
}

/* One step of an RNN cell with weights of this prefix. */
static HybValueId
add_step (HybBuilder *builder, HybModel *model, const char *prefix, HybValueId x)
{
  static const char *const size[] = { "num_hidden", "3", NULL };
  static const char *const zeros[] = { "shape", "(2, 3)", NULL };
  static const char *const tanh[] = { "act_type", "tanh", NULL };
  static const char *const rows[][3] = { { "i2h_weight", "i2h_bias", "t0_i2h" },
                                         { "h2h_weight", "h2h_bias", "t0_h2h" } };
  g_autofree char         *begin = g_strconcat (prefix, "begin", NULL);
  g_autofree char         *out = g_strconcat (prefix, "t0_out", NULL);
  HybValueId               h = hyb_builder_call (builder, "_zeros",
                                                 &(HybNodeSpec){ .name = begin, .attributes = zeros }, NULL),
             terms[2];

  for (guint i = 0; i < 2; i++)
    {
      HybType          type = { .dtype = HYB_F32, .shape = hyb_shape_2d (3, i == 0 ? 4 : 3) };
      g_autofree char *weight = g_strconcat (prefix, rows[i][0], NULL);
      g_autofree char *bias = g_strconcat (prefix, rows[i][1], NULL);
      g_autofree char *name = g_strconcat (prefix, rows[i][2], NULL);
      HybValueId inputs[] = { i == 0 ? x : h, hyb_builder_add_variable (builder, weight, NULL),
                              hyb_builder_add_variable (builder, bias, NULL) };

      hyb_model_set_input_type (model, weight, &type);
      terms[i] =
          hyb_builder_call (builder, "FullyConnected",
                            &(HybNodeSpec){
                                .name = name, .n_inputs = 3, .inputs = inputs, .attributes = size },
                            NULL);
    }
  terms[0] = hyb_builder_call (builder, "elemwise_add",
                               &(HybNodeSpec){ .n_inputs = 2, .inputs = terms }, NULL);
  return hyb_builder_call (builder, "Activation",
                           &(HybNodeSpec){
                               .name = out, .n_inputs = 1, .inputs = terms, .attributes = tanh },
                           NULL);
}

/* Two cells of one step read the same input, and no node concatenates their states: they are not
 * directions of one layer. */
static void
test_twins_of_one_step (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  x = hyb_builder_add_variable (builder, "data", NULL);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autofree char *got = NULL;

  hyb_builder_add_head (builder, add_step (builder, model, "l_", x));
  hyb_builder_add_head (builder, add_step (builder, model, "r_", x));
  graph = hyb_builder_freeze (builder);
  hyb_model_set_graph (model, graph);
  got = describe (model);
  g_assert_cmpstr (got, ==, "cell rnn_tanh 1×1 4\ncell rnn_tanh 1×1 4\n");
}

/* Steps that follow the data are forward; both directions are one cell. */
static void
test_directions (void)
{
  static const struct
  {
    const char *name, *direction;
  } cases[] = { { "cell-lstm-t6-ntc-none", "forward" }, { "fused-gru-l2-bi", "both" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HybModel) model = listed_open (cases[i].name, NULL);
      g_autoptr (GArray) structure = NULL;
      g_autofree HybType *types = NULL;

      g_assert_nonnull (model);
      types = hyb_model_new_types (model);
      structure = hyb_structure_find (hyb_model_get_graph (model), types);
      g_assert_cmpuint (structure->len, >=, 1);
      g_assert_cmpstr (g_array_index (structure, HybStructure, 0).direction, ==,
                       cases[i].direction);
    }
}

TEST_PROGRAM (test_structure)
{
  g_autoptr (cJSON) table = listed_read ("structures.json");
  const cJSON *list;

  g_test_init (&argc, &argv, NULL);
  cJSON_ArrayForEach (list, table)
  {
    g_autofree char *name = g_strconcat ("/engine/variants/structure/", list->string, NULL);

    g_test_add_data_func (name, list, test_folder);
  }
  g_test_add_func ("/engine/variants/structure/twins-of-one-step", test_twins_of_one_step);
  g_test_add_func ("/engine/variants/structure/directions", test_directions);
  g_test_add_data_func ("/engine/variants/structure/every-golden-is-listed", table,
                        test_goldens_listed);
  g_test_add_data_func ("/engine/variants/structure/every-export-is-listed", table,
                        test_files_listed);
  g_test_add_data_func ("/engine/variants/structure/every-gallery-model-is-listed", table,
                        test_gallery_listed);
  return g_test_run ();
}
