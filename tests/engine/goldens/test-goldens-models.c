/* test-goldens-models.c — whole models, compared with MXNet: outputs, gradients, states; and only
 * the shapes of those that are too large to run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include "engine/base/parallel.h"
#include "engine/open/open.h"

#include <string.h>

/* A model folder. */
typedef struct
{
  const char     *name;
  cJSON          *json; /* case.json */
  HybModel       *model;
  HybGraph       *graph;
  GHashTable     *tensors; /* parameters and inputs by variable */
  GHashTable     *want;    /* outputs */
  GHashTable     *gradients;
  GHashTable     *heads;
  GHashTable     *states;
  GoldenTolerance tolerance;
} Case;

static void
case_clear (Case *this)
{
  g_clear_pointer (&this->json, cJSON_Delete);
  g_clear_pointer (&this->model, hyb_model_unref);
  g_clear_pointer (&this->tensors, g_hash_table_unref);
  g_clear_pointer (&this->want, g_hash_table_unref);
  g_clear_pointer (&this->gradients, g_hash_table_unref);
  g_clear_pointer (&this->heads, g_hash_table_unref);
  g_clear_pointer (&this->states, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static const cJSON *
case_get (const Case *this, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive (this->json, key);
}

static const char *
case_mode (const Case *this)
{
  return case_get (this, "mode")->valuestring;
}

/* NULL if the folder has no such file. */
static char *
case_path (const Case *this, const char *file)
{
  g_autofree char *path = golden_path ("models", this->name, file, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS) ? g_steal_pointer (&path) : NULL;
}

static GHashTable *
case_read_npz (const Case *this, const char *file, GError **error)
{
  g_autofree char *path = case_path (this, file);

  return path ? golden_read_npz (path, error) : golden_tensors_new ();
}

static gboolean
case_read_graph (Case *this, GError **error)
{
  g_autofree char *plain = g_strdup_printf ("%s-symbol.json", this->name);
  g_autofree char *packed = g_strdup_printf ("%s-symbol.json.gz", this->name);
  const cJSON     *epoch = case_get (this, "epoch");
  g_autofree char *weights =
      g_strdup_printf ("%s-%04d.params", this->name, epoch ? epoch->valueint : 0);
  g_autofree char *graph_path = case_path (this, plain);
  g_autofree char *weights_path = case_path (this, weights);

  if (!graph_path)
    graph_path = case_path (this, packed);
  g_assert_nonnull (graph_path);

  this->model = hyb_model_open (graph_path, weights_path, HYB_EPOCH_HIGHEST, error);
  if (!this->model)
    return FALSE;

  this->graph = hyb_model_get_graph (this->model);
  return TRUE;
}

static void
take_all (GHashTable *to, GHashTable *from)
{
  GHashTableIter iter;
  gpointer       name, tensor;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (to, g_strdup (name), hyb_tensor_ref (tensor));
}

/* Parameters of the file, packed where the graph wants them so, and inputs. */
static gboolean
case_read_arrays (Case *this, GError **error)
{
  g_autoptr (GHashTable) inputs = case_read_npz (this, "input.npz", error);

  if (!inputs)
    return FALSE;

  this->tensors = golden_tensors_new ();
  for (guint i = 0; i < hyb_model_n_parameters (this->model); i++)
    {
      const char *name = hyb_model_get_parameter_name (this->model, i);

      g_hash_table_insert (this->tensors, g_strdup (name),
                           hyb_tensor_ref (hyb_model_get_parameter (this->model, name)));
    }
  take_all (this->tensors, inputs);

  return (this->want = case_read_npz (this, "output.npz", error)) &&
         (this->gradients = case_read_npz (this, "gradient.npz", error)) &&
         (this->heads = case_read_npz (this, "head.npz", error)) &&
         (this->states = case_read_npz (this, "aux.npz", error));
}

static void
report (const Case *this, const char *mode, const char *what, const char *wrong)
{
  g_test_message ("%s: %s: %s %s", this->name, mode, what, wrong);
  g_test_fail ();
}

static void
case_compare (const Case *this, const char *mode, const char *what, HybTensor *got, HybTensor *want)
{
  g_autofree char *wrong = golden_compare (got, want, &this->tolerance);

  if (wrong)
    report (this, mode, what, wrong);
}

static GArray *
case_wrt (const Case *this)
{
  GArray          *wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (this->graph, &n);

  for (guint i = 0; i < n; i++)
    if (g_hash_table_contains (this->gradients,
                               hyb_graph_get_node (this->graph, variables[i])->name))
      g_array_append_val (wrt, variables[i]);

  g_assert_cmpuint (wrt->len, ==, g_hash_table_size (this->gradients));
  return wrt;
}

static GPtrArray *
case_head_gradients (const Case *this, char **names)
{
  GPtrArray *heads = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; names[i]; i++)
    {
      HybTensor *head = g_hash_table_lookup (this->heads, names[i]);

      if (!head && !g_hash_table_contains (this->want, names[i]))
        {
          report (this, "gradients", names[i], "is an output that MXNet does not have");
          g_ptr_array_unref (heads);
          return NULL;
        }
      g_ptr_array_add (heads,
                       head ? hyb_tensor_ref (head)
                            : hyb_tensor_new_zeros (hyb_tensor_get_type (
                                                        g_hash_table_lookup (this->want, names[i])),
                                                    NULL));
    }

  return heads;
}

static void
case_compare_all (const Case *this, const char *mode, char **names, GPtrArray *got, GArray *wrt)
{
  guint n_heads = g_strv_length (names);

  for (guint i = 0; i < n_heads; i++)
    {
      HybTensor *want = g_hash_table_lookup (this->want, names[i]);

      if (want)
        case_compare (this, mode, names[i], got->pdata[i], want);
      else
        report (this, mode, names[i], "is an output that MXNet does not have");
    }
  for (guint i = 0; n_heads + i < got->len; i++)
    {
      const char *name = hyb_graph_get_node (this->graph, g_array_index (wrt, HybNodeId, i))->name;
      g_autofree char *what = g_strconcat ("gradient of ", name, NULL);

      case_compare (this, mode, what, got->pdata[n_heads + i],
                    g_hash_table_lookup (this->gradients, name));
    }
}

static void
case_run (const Case *this, HybMode mode)
{
  g_auto (GStrv) names = hyb_graph_dup_output_names (this->graph);
  g_autoptr (GHashTable) states = golden_tensors_new ();
  g_autoptr (GArray) wrt = case_wrt (this);
  g_autoptr (GPtrArray) heads = wrt->len ? case_head_gradients (this, names) : NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) got = NULL;
  GoldenRun      run = { .graph = this->graph,
                         .tensors = this->tensors,
                         .training = g_str_equal (case_mode (this), "train"),
                         .mode = mode,
                         .seed = 1,
                         .head_gradients = heads,
                         .wrt = wrt };
  GHashTableIter iter;
  gpointer       name, want;

  got = golden_run (&run, states, &error);
  if (!got)
    {
      report (this, golden_mode_name (mode), "fails:", error->message);
      return;
    }

  case_compare_all (this, golden_mode_name (mode), names, got, wrt);
  g_hash_table_iter_init (&iter, this->states);
  while (g_hash_table_iter_next (&iter, &name, &want))
    {
      HybTensor *state = g_hash_table_lookup (states, name);

      if (state)
        case_compare (this, golden_mode_name (mode), name, state, want);
      else
        report (this, golden_mode_name (mode), name, "is no auxiliary state");
    }
}

static gboolean
same_bytes (GPtrArray *a, GPtrArray *b)
{
  for (guint i = 0; i < a->len; i++)
    {
      HybTensor *one = a->pdata[i], *other = b->pdata[i];

      if (hyb_tensor_get_dtype (one) != hyb_tensor_get_dtype (other) ||
          !hyb_shape_equal (hyb_tensor_get_shape (one), hyb_tensor_get_shape (other)) ||
          (hyb_tensor_get_bytes (one) > 0 &&
           memcmp (hyb_tensor_get_data (one), hyb_tensor_get_data (other),
                   hyb_tensor_get_bytes (one)) != 0))
        return FALSE;
    }
  return a->len == b->len;
}

/* Runs several ways that must all give the same bytes, outputs and gradients. */
static void
case_check_bytes (const Case *this, const char *what, const GoldenRun *runs, guint n)
{
  g_autoptr (GPtrArray) first = NULL;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) got = golden_run (&runs[i], NULL, &error);

      if (!got)
        report (this, golden_mode_name (runs[i].mode), "fails:", error->message);
      else if (!first)
        first = g_steal_pointer (&got);
      else if (!same_bytes (first, got))
        report (this, golden_mode_name (runs[i].mode), what, "gives other bytes");
    }
}

/* All modes give the same without passes; each gives the same again with them. */
static void
case_check_repeatable (const Case *this)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };
  g_auto (GStrv) names = hyb_graph_dup_output_names (this->graph);
  g_autoptr (GArray) wrt = case_wrt (this);
  g_autoptr (GPtrArray) heads = wrt->len ? case_head_gradients (this, names) : NULL;
  guint     n_threads = hyb_parallel_get_threads ();
  GoldenRun runs[G_N_ELEMENTS (modes)];

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    runs[i] = (GoldenRun){ .graph = this->graph,
                           .tensors = this->tensors,
                           .training = g_str_equal (case_mode (this), "train"),
                           .mode = modes[i],
                           .seed = 1,
                           .head_gradients = heads,
                           .wrt = wrt,
                           .no_passes = TRUE };
  case_check_bytes (this, "without passes", runs, G_N_ELEMENTS (modes));

  for (guint threads = 1; threads <= 2; threads++)
    {
      hyb_parallel_set_threads (threads);
      for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
        {
          GoldenRun twice[] = { runs[i], runs[i] };

          twice[0].no_passes = twice[1].no_passes = FALSE;
          case_check_bytes (this, "the second time", twice, G_N_ELEMENTS (twice));
        }
    }
  hyb_parallel_set_threads (n_threads);
}

static void
case_check_graph (const Case *this)
{
  g_autoptr (GString) wrong = g_string_new (NULL);
  g_auto (GStrv) names = hyb_graph_dup_output_names (this->graph);
  cJSON *outputs = cJSON_CreateArray ();

  /* Shapes of outputs stand by name; golden_check_shapes() wants them in order. */
  for (guint i = 0; names[i]; i++)
    {
      const cJSON *shape =
          cJSON_GetObjectItemCaseSensitive (case_get (this, "output_shapes"), names[i]);

      if (!shape)
        report (this, "shapes", names[i], "is an output that MXNet does not have");
      else
        cJSON_AddItemToArray (outputs, cJSON_Duplicate (shape, TRUE));
    }

  golden_check_shapes (this->graph, case_get (this, "input_shapes"),
                       case_get (this, "argument_shapes"), outputs, wrong);
  golden_check_shapes (this->graph, case_get (this, "input_shapes"),
                       case_get (this, "auxiliary_shapes"), outputs, wrong);
  cJSON_Delete (outputs);
  if (wrong->len > 0)
    report (this, "shapes", "", wrong->str);
}

static void
test_model (gconstpointer data)
{
  g_auto (Case) this = { .name = data };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = case_path (&this, "case.json");

  g_assert_nonnull (path);
  this.json = golden_read_json (path, &error);
  g_assert_no_error (error);
  if (!case_read_graph (&this, &error) || !case_read_arrays (&this, &error))
    {
      report (&this, "reading", "fails:", error->message);
      return;
    }

  if (hyb_graph_has_opaque (this.graph))
    {
      report (&this, "reading", "", "an operator is not there");
      return;
    }

  g_assert_cmpint (hyb_graph_n_nodes (this.graph), ==, case_get (&this, "nodes")->valueint);
  if (g_str_equal (case_mode (&this), "graph"))
    {
      case_check_graph (&this);
      return;
    }

  this.tolerance.rtol = case_get (&this, "rtol")->valuedouble;
  this.tolerance.atol = case_get (&this, "atol")->valuedouble;
  case_run (&this, HYB_MODE_IMPERATIVE);
  case_run (&this, HYB_MODE_HYBRID);
  case_run (&this, HYB_MODE_STATIC);
  case_check_repeatable (&this);
}

TEST_PROGRAM (test_goldens_models)
{
  g_auto (GStrv) models = NULL;

  g_test_init (&argc, &argv, NULL);

  models = golden_list ("models", NULL);
  for (guint i = 0; models[i]; i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/goldens/models/%s", models[i]);

      g_test_add_data_func (path, models[i], test_model);
    }

  return g_test_run ();
}
