/* test-coverage.c — which models the GPU computes wholly, as their plans say, and why it does not compute
 * the others.
 *
 * Nothing runs.  A model of the goldens is planned with the gradients that MXNet computed, one of the gallery
 * with those of its loss, and a public export forward.  A model that is neither wholly on the GPU nor in
 * exceptions[] fails the test, as does one that need not be there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/block/plugin.h"
#include "engine/device/loader.h"
#include "engine/exec/plan.h"
#include "engine/gradient/backward.h"
#include "engine/op/dimensions.h"
#include "engine/open/open.h"
#include "engine/train/trainer-private.h"
#include "tests/app/public-exports.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"
#include "tests/small-gallery.h"

/* --- The models that need the host --- */

#define NO_TWIN "the GPU module does not compute this operator"

static const struct
{
  const char *model;
  const char *reason; /* what the plan says of its steps on the host, each sentence once */
} exceptions[] = {
  { "gallery:ctc-reader", "CTCLoss: " NO_TWIN "; _backward_CTCLoss: " NO_TWIN },
  { "djl/mask_rcnn_resnet18_v1b_coco-symbol.json",
    "shape_array: " NO_TWIN "; _contrib_box_nms: " NO_TWIN "; _contrib_ROIAlign: " NO_TWIN
    "; argsort: the GPU ranks lines of up to 4,096 elements" },
  { "djl/ssd_512_resnet50_v1-symbol.json", "_contrib_box_nms: " NO_TWIN },
  { "gluon-cv/mobilenet1.0_int8-symbol.json",
    "_contrib_quantize_v2: " NO_TWIN "; _sg_mkldnn_conv: " NO_TWIN
    "; _contrib_dequantize: " NO_TWIN },
  { "gluon-cv/resnet50_v1_int8-symbol.json",
    "_contrib_quantize_v2: " NO_TWIN "; _sg_mkldnn_conv: " NO_TWIN
    "; _contrib_quantized_pooling: " NO_TWIN "; _contrib_dequantize: " NO_TWIN },
  { "gluon-cv/ssd_300_vgg16_atrous_voc_int8-symbol.json",
    "_contrib_quantize_v2: " NO_TWIN "; _sg_mkldnn_conv: " NO_TWIN
    "; _contrib_quantized_pooling: " NO_TWIN "; _contrib_dequantize: " NO_TWIN
    "; _contrib_box_nms: " NO_TWIN },
  { "improved-parabank/symbol.json",
    "there is no operator Custom with op_type=positional_encodings" },
};

static const char *
expected_reason (const char *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (exceptions); i++)
    if (strcmp (exceptions[i].model, model) == 0)
      return exceptions[i].reason;
  return NULL;
}

/* --- Plans --- */

typedef struct
{
  HybGpu *gpu;
  guint   n, n_whole;
} Counts;

/* The operators that the host computes, also in bodies, with the reasons: “ctc_loss: the GPU has no …; …”,
 * each once.  NULL if there are none.  (transfer full) */
static char *
list_host_steps (const HybPlan *plan)
{
  const char      *place = ", on the host: ";
  g_autofree char *text = hyb_plan_print (plan);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) list = g_string_new (NULL);

  if (hyb_plan_is_dynamic (plan))
    return g_strdup ("some shapes show only while running");
  for (guint i = 0; lines[i]; i++)
    {
      const char      *why = strstr (lines[i], place);
      g_autofree char *line = g_strstrip (g_strdup (lines[i]));
      g_auto (GStrv) words = why ? g_strsplit (line, " ", 4) : NULL;
      g_autofree char *step =
          why ? g_strdup_printf ("%s: %s", words[2] /* after two spaces */, why + strlen (place))
              : NULL;

      if (step && !strstr (list->str, step))
        g_string_append_printf (list, "%s%s", list->len > 0 ? "; " : "", step);
    }
  return list->len > 0 ? g_strdup (list->str) : NULL;
}

/* Why the GPU does not compute all of a graph; NULL if it does.  given: types of variables by name.
 * (transfer full) */
static char *
find_reason (Counts     *counts,
             HybGraph   *graph,
             HybGraph   *forward,
             GHashTable *given,
             gboolean    training)
{
  guint               n, n_forward, n_heads;
  const HybNodeId    *of_forward = hyb_graph_get_variables (forward, &n_forward);
  const HybValueId   *heads = hyb_graph_get_heads (forward, &n_heads);
  g_autofree HybType *types = g_new (HybType, MAX (1, hyb_graph_n_values (forward)));
  g_autofree HybType *of_variables = NULL;
  HybPlanOptions      options = { .training = training, .optimise = TRUE, .gpu = counts->gpu };
  g_autoptr (HybPlan) plan = NULL;
  g_autoptr (GError) error = NULL;

  hyb_graph_get_variables (graph, &n);
  of_variables = g_new (HybType, MAX (1, n));
  for (guint i = 0; i < hyb_graph_n_values (forward); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n_forward; i++)
    {
      const HybNode *node = hyb_graph_get_node (forward, of_forward[i]);
      const HybType *type = g_hash_table_lookup (given, node->name);

      if (type)
        types[node->first_output] = *type;
    }
  hyb_infer_types (forward, types, NULL, training, NULL);
  for (guint i = 0; i < n; i++)
    of_variables[i] =
        types[i < n_forward ? hyb_graph_get_node (forward, of_forward[i])->first_output
                            : heads[i - n_forward]];
  plan = hyb_plan_new (graph, of_variables, &options, &error);
  return plan ? list_host_steps (plan) : g_strconcat ("not planned: ", error->message, NULL);
}

/* Counts a model; one that is not where it should be fails the test. */
static void
count (Counts *counts, const char *model, const char *reason)
{
  const char *expected = expected_reason (model);

  counts->n++;
  counts->n_whole += !reason;
  if (reason)
    g_test_message ("%s: %s", model, reason);
  if (reason && g_strcmp0 (reason, expected) != 0)
    g_test_fail_printf ("%s is no longer wholly on the GPU: %s", model, reason);
  if (!reason && expected)
    g_test_fail_printf ("%s is wholly on the GPU now; exceptions[] says: %s", model, expected);
}

static void
add_type (GHashTable *given, const char *name, const HybType *type)
{
  g_hash_table_insert (given, g_strdup (name), g_memdup2 (type, sizeof *type));
}

static GHashTable *
new_types (HybModel *model)
{
  GHashTable      *given = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char    *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor     *parameter = hyb_model_get_parameter (model, name);
      const HybType *usual = hyb_model_get_input_type (model, name);

      if (parameter)
        add_type (given, name, hyb_tensor_get_type (parameter));
      else if (usual)
        add_type (given, name, usual);
    }
  return given;
}

static gboolean
begin (Counts *counts)
{
  *counts = (Counts){ 0 };
  if (!set_up (""))
    return FALSE;
  counts->gpu = open_gpu ();
  return TRUE;
}

static void
finish (Counts *counts, const char *what)
{
  g_test_message ("the GPU computes %u of %u %s wholly", counts->n_whole, counts->n, what);
  hyb_gpu_unref (counts->gpu);
}

/* --- Goldens --- */

/* Types of an archive; rows: of the rows of each array, which are batches. */
static void
add_arrays (GHashTable *given, const char *path, gboolean rows)
{
  g_autoptr (GHashTable) arrays =
      g_file_test (path, G_FILE_TEST_EXISTS) ? golden_read_npz (path, NULL) : golden_tensors_new ();
  GHashTableIter iter;
  gpointer       name, tensor;

  g_hash_table_iter_init (&iter, arrays);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      HybType type = *hyb_tensor_get_type (tensor);

      if (rows)
        type.shape = hyb_dims_without (&type.shape, 0);
      add_type (given, name, &type);
    }
}

/* Shapes, or objects with a shape, by name. */
static void
add_shapes (GHashTable *given, const cJSON *shapes)
{
  const cJSON *shape, *size;

  cJSON_ArrayForEach (shape, shapes)
  {
    const cJSON *sizes = cJSON_IsObject (shape) ? cJSON_GetObjectItem (shape, "shape") : shape;
    HybType      type = { .dtype = HYB_F32 };

    cJSON_ArrayForEach (size, sizes) type.shape.dim[type.shape.rank++] = (gint64) size->valuedouble;
    if (!g_hash_table_contains (given, shape->string))
      add_type (given, shape->string, &type);
  }
}

/* The graph with the gradients that MXNet computed. */
static HybGraph *
with_golden_gradients (const char *name, HybGraph *graph)
{
  g_autofree char *path = golden_path ("models", name, "gradient.npz", NULL);
  g_autoptr (GHashTable) gradients =
      g_file_test (path, G_FILE_TEST_EXISTS) ? golden_read_npz (path, NULL) : golden_tensors_new ();
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    if (g_hash_table_contains (gradients, hyb_graph_get_node (graph, variables[i])->name))
      g_array_append_val (wrt, variables[i]);
  return wrt->len > 0
             ? hyb_graph_with_gradients (graph, wrt->len, (const HybNodeId *) wrt->data, NULL)
             : hyb_graph_ref (graph);
}

static HybModel *
open_golden (const char *folder, const char *name)
{
  static const char *const endings[] = { "-symbol.json", "-symbol.json.gz" };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *file = g_strconcat (name, endings[i], NULL);
      g_autofree char *path = golden_path (folder, name, file, NULL);
      HybModel        *model;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      model = hyb_model_open (path, NULL, HYB_EPOCH_HIGHEST, &error);
      g_assert_no_error (error);
      return model;
    }
  g_error ("%s has no graph", name);
}

static void
count_golden (Counts *counts, const char *name)
{
  g_autoptr (HybModel) model = open_golden ("models", name);
  g_autoptr (HybGraph) graph = with_golden_gradients (name, hyb_model_get_graph (model));
  g_autofree char *arrays = golden_path ("models", name, "input.npz", NULL);
  g_autofree char *path = golden_path ("models", name, "case.json", NULL);
  g_autoptr (cJSON) description = golden_read_json (path, NULL);
  g_autoptr (GHashTable) given = new_types (model);
  g_autofree char *reason = NULL;

  add_arrays (given, arrays, FALSE);
  add_shapes (given, cJSON_GetObjectItem (description, "input_shapes"));
  reason =
      find_reason (counts, graph, hyb_model_get_graph (model), given,
                   g_str_equal (cJSON_GetObjectItem (description, "mode")->valuestring, "train"));
  count (counts, name, reason);
}

static void
test_goldens (void)
{
  g_auto (GStrv) names = golden_list ("models", NULL);
  Counts counts;

  if (!begin (&counts))
    return;
  for (guint i = 0; names[i]; i++)
    count_golden (&counts, names[i]);
  finish (&counts, "models of the goldens");
}

/* --- Training --- */

/* The names of the parameters that are trained.  (transfer container) */
static GPtrArray *
list_trained (HybModel *model)
{
  GPtrArray       *names = g_ptr_array_new ();
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;

      if (hyb_model_get_parameter (model, name) && !hyb_graph_is_auxiliary (graph, variables[i]))
        g_ptr_array_add (names, (gpointer) name);
    }
  g_ptr_array_add (names, NULL);
  return names;
}

/* Why the GPU does not compute a step of training; NULL if it does. */
static char *
find_training_reason (Counts *counts, HybModel *model, const char *loss, GHashTable *given)
{
  g_autoptr (GPtrArray) names = list_trained (model);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = hyb_trainer_graph (hyb_model_get_graph (model), loss,
                                                  (const char *const *) names->pdata, &error);

  g_assert_no_error (error);
  return find_reason (counts, graph, graph, given, TRUE);
}

static gboolean
has_update (const char *optimizer)
{
  g_autofree char *name = g_strconcat ("_update_", optimizer, NULL);
  g_autoptr (GError) error = NULL;
  const HybBackend *backend = hyb_backend_open (HYB_GPU_MODULE, &error);

  g_assert_no_error (error);
  for (const HybDeviceOp *twin = backend->ops; twin->name; twin++)
    if (strcmp (twin->name, name) == 0)
      return TRUE;
  return FALSE;
}

static void
count_training (Counts *counts, const char *folder)
{
  g_autofree char *path = golden_path ("training", folder, "case.json", NULL);
  g_autoptr (cJSON) description = golden_read_json (path, NULL);
  const char *optimizer = cJSON_GetObjectItem (description, "optimizer")->valuestring;
  const char *loss =
      cJSON_HasObjectItem (description, "api") ? "none"
      : g_str_has_prefix (cJSON_GetObjectItem (description, "loss")->valuestring, "l2")
          ? "l2"
          : "softmax-cross-entropy";
  g_autoptr (HybModel) model = open_golden ("training", folder);
  g_autoptr (GHashTable) given = new_types (model);
  g_autofree char *arrays = golden_path ("training", folder, "batches.npz", NULL);
  g_autofree char *reason = NULL;

  add_arrays (given, arrays, TRUE);
  add_shapes (given, cJSON_GetObjectItem (description, "carried_states"));
  reason = find_training_reason (counts, model, loss, given);
  if (!reason && !has_update (optimizer))
    reason = g_strdup_printf ("the GPU has no update by %s", optimizer);
  count (counts, folder, reason);
}

static void
test_training (void)
{
  g_auto (GStrv) folders = golden_list ("training", NULL);
  Counts counts;

  if (!folders || !folders[0])
    {
      g_test_skip ("there are no training goldens here");
      return;
    }
  if (!begin (&counts))
    return;
  for (guint i = 0; folders[i]; i++)
    count_training (&counts, folders[i]);
  finish (&counts, "training runs of the goldens");
}

/* --- The gallery --- */

static void
count_gallery (Counts *counts, const char *name)
{
  g_autofree char *address = small_gallery_model (name);
  g_autofree char *plain = g_strconcat ("gallery:", name, NULL);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GHashTable) given = NULL;
  g_autoptr (HybModelSpec) spec = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  HybType          label;
  HybGraph        *graph;

  hyb_model_read_plugin (model, address, &error);
  g_assert_no_error (error);
  spec = hyb_model_spec_new (address, &error);
  g_assert_no_error (error);
  hyb_model_spec_label_type (spec, &label, &error);
  g_assert_no_error (error);
  given = new_types (model);
  graph = hyb_model_get_graph (model);
  if (label.shape.rank < 0)
    reason = find_reason (counts, graph, graph, given, FALSE);
  else
    {
      const char *loss = spec->klass->task.loss;

      add_type (given, "label", &label);
      reason = find_training_reason (counts, model, loss ? loss : "softmax-cross-entropy", given);
    }
  count (counts, plain, reason);
}

static void
test_gallery (void)
{
  g_autoptr (GPtrArray) classes = NULL;
  Counts counts;

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  classes = hyb_gallery_list ();
  if (!begin (&counts))
    return;
  g_assert_cmpuint (classes->len, >, 0);
  for (guint i = 0; i < classes->len; i++)
    count_gallery (&counts, ((const HybModelClass *) classes->pdata[i])->name);
  finish (&counts, "models of the gallery");
}

/* --- Public exports --- */

/* "data 1,3,224,224; label 1" */
static void
add_guess (GHashTable *given, const char *guess)
{
  g_auto (GStrv) inputs = g_strsplit (guess, "; ", -1);

  for (guint i = 0; inputs[i]; i++)
    {
      g_auto (GStrv) words = g_strsplit (inputs[i], " ", 2);
      g_auto (GStrv) sizes = g_strsplit (words[1], ",", -1);
      HybType type = { .dtype = HYB_F32 };

      for (guint k = 0; sizes[k]; k++)
        type.shape.dim[type.shape.rank++] = g_ascii_strtoll (sizes[k], NULL, 10);
      add_type (given, words[0], &type);
    }
}

/* Other versions of three files of the table. */
static const PublicExport versions[] = {
  { .file = "apache-mxnet/74524c-test_mkldnn_test_mkldnn_model_model1.json",
    .guess = "data 1,3,300,300" },
  { .file = "apache-mxnet/7b385e-save_000800.json", .guess = "data 1,784" },
  { .file = "apache-mxnet/e0be90-save_000800.json", .guess = "data 1,784" },
};

/* FALSE and a skipped test if the file is not there. */
static gboolean
count_export (Counts *counts, const PublicExport *export)
{
  g_autofree char *path = public_export_path (export);
  g_autoptr (GHashTable) given = NULL;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = g_strdup (export->not_run);

  if (path && !reason)
    {
      model = hyb_model_open (path, NULL, HYB_EPOCH_HIGHEST, &error);
      g_assert_no_error (error);
      given = new_types (model);
      add_guess (given, export->guess);
      reason = find_reason (counts, hyb_model_get_graph (model), hyb_model_get_graph (model), given,
                            FALSE);
    }
  if (path)
    count (counts, export->file, reason);
  return path != NULL;
}

static void
test_exports (void)
{
  Counts   counts;
  gboolean is_there = begin (&counts);

  if (!is_there)
    return;
  for (guint i = 0; i < N_PUBLIC_EXPORTS && is_there; i++)
    is_there = count_export (&counts, &public_exports[i]);
  for (guint i = 0; i < G_N_ELEMENTS (versions) && is_there; i++)
    is_there = count_export (&counts, &versions[i]);
  finish (&counts, "public exports");
}

TEST_PROGRAM (test_coverage)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/coverage/models-of-the-goldens", test_goldens);
  g_test_add_func ("/engine/cuda/coverage/training-runs-of-the-goldens", test_training);
  g_test_add_func ("/engine/cuda/coverage/models-of-the-gallery", test_gallery);
  g_test_add_func ("/engine/cuda/coverage/public-exports", test_exports);
  return g_test_run ();
}
