/* test-goldens-ops.c — every operator, compared with the numbers of MXNet.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* One case of an operator: its text and the arrays of all cases. */
typedef struct
{
  const cJSON    *json;
  const char     *name;
  GHashTable     *arrays;
  HybGraph       *graph;
  GHashTable     *inputs; /* by variable */
  GoldenTolerance tolerance;
  GString        *wrong;
} Case;

static const cJSON *
case_get (const Case *this, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive (this->json, key);
}

static HybTensor *
case_find (const Case *this, const char *kind, const char *name)
{
  g_autofree char *key = g_strdup_printf ("%s/%s/%s", this->name, kind, name);

  return g_hash_table_lookup (this->arrays, key);
}

static HybTensor *
case_find_nth (const Case *this, const char *kind, guint index)
{
  g_autofree char *name = g_strdup_printf ("%u", index);

  return case_find (this, kind, name);
}

static void
case_compare (Case *this, HybMode mode, const char *what, HybTensor *got, HybTensor *want)
{
  g_autofree char *wrong = golden_compare (got, want, &this->tolerance);

  if (wrong)
    g_string_append_printf (this->wrong, "%s: %s %s\n", golden_mode_name (mode), what, wrong);
}

static void
case_take_inputs (Case *this)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (this->graph, &n);

  this->inputs = golden_tensors_new ();
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (this->graph, variables[i])->name;
      HybTensor  *tensor = case_find (this, "in", name);

      if (tensor)
        g_hash_table_insert (this->inputs, g_strdup (name), hyb_tensor_ref (tensor));
    }
}

/* Arguments with a gradient on file. */
static GArray *
case_wrt (const Case *this)
{
  GArray          *wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (this->graph, &n);

  for (guint i = 0; i < n; i++)
    if (case_find (this, "grad", hyb_graph_get_node (this->graph, variables[i])->name))
      g_array_append_val (wrt, variables[i]);

  return wrt;
}

static GPtrArray *
case_head_gradients (const Case *this)
{
  GPtrArray *heads = g_ptr_array_new ();
  guint      n;

  hyb_graph_get_heads (this->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      HybTensor *head = case_find_nth (this, "head", i);

      if (!head)
        {
          g_string_append_printf (this->wrong, "the file has no gradient of head %u\n", i);
          g_ptr_array_unref (heads);
          return NULL;
        }
      g_ptr_array_add (heads, head);
    }

  return heads;
}

static void
case_check_states (Case *this, HybMode mode, GHashTable *states)
{
  GHashTableIter iter;
  gpointer       name, state;

  g_hash_table_iter_init (&iter, states);
  while (g_hash_table_iter_next (&iter, &name, &state))
    {
      g_autofree char *what = g_strdup_printf ("state %s", (char *) name);
      HybTensor       *want = case_find (this, "aux", name);

      if (want)
        case_compare (this, mode, what, state, want);
    }
}

static void
case_run (Case *this, HybMode mode, gboolean training, gboolean backward)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) states = golden_tensors_new ();
  g_autoptr (GArray) wrt = case_wrt (this);
  g_autoptr (GPtrArray) head_gradients = backward ? case_head_gradients (this) : NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  guint     n_heads;
  GoldenRun run = { this->graph, this->inputs, training, mode, 1, head_gradients, wrt };

  outputs = golden_run (&run, states, &error);
  if (!outputs)
    {
      g_string_append_printf (this->wrong, "%s%s fails: %s\n", golden_mode_name (mode),
                              head_gradients ? ", with gradients," : "", error->message);
      return;
    }

  hyb_graph_get_heads (this->graph, &n_heads);
  for (guint i = 0; i < n_heads; i++)
    {
      g_autofree char *what = g_strdup_printf ("output %u", i);

      case_compare (this, mode, what, outputs->pdata[i], case_find_nth (this, "out", i));
    }
  for (guint i = 0; head_gradients && i < wrt->len; i++)
    {
      HybNodeId        id = g_array_index (wrt, HybNodeId, i);
      const char      *name = hyb_graph_get_node (this->graph, id)->name;
      g_autofree char *what = g_strdup_printf ("gradient of %s", name);

      case_compare (this, mode, what, outputs->pdata[n_heads + i], case_find (this, "grad", name));
    }
  if (training)
    case_check_states (this, mode, states);
}

static void
check_number (Case *this, const cJSON *json, const char *key, double got, double tolerance)
{
  const cJSON *want = cJSON_GetObjectItemCaseSensitive (json, key);

  if (want && !(fabs (got - want->valuedouble) <= tolerance))
    g_string_append_printf (this->wrong, "%s is %g, not %g ± %g\n", key, got, want->valuedouble,
                            tolerance);
}

static double
number_or (const cJSON *json, const char *key, double fallback)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (json, key);

  return cJSON_IsNumber (item) ? item->valuedouble : fallback;
}

static gboolean
is_one_of (double value, const cJSON *values)
{
  const cJSON *item;

  cJSON_ArrayForEach (item, values) if (item->valuedouble == value) return TRUE;

  return FALSE;
}

static void
check_statistics (Case *this, const cJSON *json, HybTensor *got)
{
  HybStatistics   statistics;
  const cJSON    *values = cJSON_GetObjectItemCaseSensitive (json, "values");
  const cJSON    *dtype = cJSON_GetObjectItemCaseSensitive (json, "dtype");
  const cJSON    *shape = cJSON_GetObjectItemCaseSensitive (json, "shape");
  const HybShape *got_shape = hyb_tensor_get_shape (got);
  gboolean        fits = cJSON_GetArraySize (shape) == got_shape->rank;

  for (int i = 0; fits && i < got_shape->rank; i++)
    fits = (gint64) cJSON_GetArrayItem (shape, i)->valuedouble == got_shape->dim[i];
  if (shape && !fits)
    g_string_append_printf (this->wrong, "the shape is wrong\n");
  if (dtype && !g_str_equal (dtype->valuestring, hyb_dtype_name (hyb_tensor_get_dtype (got))))
    g_string_append_printf (this->wrong, "the dtype is %s, not %s\n",
                            hyb_dtype_name (hyb_tensor_get_dtype (got)), dtype->valuestring);

  hyb_tensor_statistics (got, &statistics);
  check_number (this, json, "mean", statistics.mean, number_or (json, "mean_tol", 0));
  check_number (this, json, "var", statistics.deviation * statistics.deviation,
                number_or (json, "var_tol", 0));
  if (statistics.minimum < number_or (json, "min", -INFINITY) ||
      statistics.maximum > number_or (json, "max", INFINITY))
    g_string_append_printf (this->wrong, "numbers from %g to %g are outside the range\n",
                            statistics.minimum, statistics.maximum);
  for (gint64 k = 0; values && k < hyb_tensor_get_size (got); k++)
    if (!is_one_of (hyb_tensor_get_value (got, k), values))
      {
        g_string_append_printf (this->wrong, "%g is not among the values that are allowed\n",
                                hyb_tensor_get_value (got, k));
        return;
      }
}

/* Random operators: only what many numbers have in common can be compared. */
static void
case_run_random (Case *this, HybMode mode, gboolean training, const cJSON *statistics)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  GoldenRun    run = { this->graph, this->inputs, training, mode, 7, NULL, NULL };
  const cJSON *item;

  outputs = golden_run (&run, NULL, &error);
  if (!outputs)
    {
      g_string_append_printf (this->wrong, "%s fails: %s\n", golden_mode_name (mode),
                              error->message);
      return;
    }

  cJSON_ArrayForEach (item, statistics)
  {
    const char *number = strrchr (item->string, '/');
    guint64     index = g_ascii_strtoull (number ? number + 1 : item->string, NULL, 10);

    g_assert_cmpuint (index, <, outputs->len);
    check_statistics (this, item, outputs->pdata[index]);
  }
}

/* The first operator that the graph or one of its bodies has and the engine does not know, or NULL. */
static const char *
find_opaque (HybGraph *graph)
{
  const char *type = NULL;

  for (HybNodeId id = 0; !type && id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      if (node->op->flags & HYB_OP_OPAQUE)
        type = node->type;
      for (guint i = 0; !type && i < node->n_bodies; i++)
        type = find_opaque (bodies[i]);
    }

  return type;
}

static void
case_check (Case *this)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_STATIC };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = golden_read_symbol (case_get (this, "symbol"), &error);
  const cJSON *inference = case_get (this, "shape_inference");
  const cJSON *statistics = case_get (this, "statistics");
  gboolean     training = g_str_equal (case_get (this, "mode")->valuestring, "train");

  if (!model)
    {
      g_string_append_printf (this->wrong, "reading fails: %s\n", error->message);
      return;
    }

  this->graph = hyb_model_get_graph (model);
  if (hyb_graph_has_opaque (this->graph))
    {
      g_string_append_printf (this->wrong, "the operator %s is not there\n",
                              find_opaque (this->graph));
      return;
    }

  case_take_inputs (this);
  if (cJSON_IsObject (inference))
    golden_check_shapes (this->graph, cJSON_GetObjectItemCaseSensitive (inference, "given"),
                         cJSON_GetObjectItemCaseSensitive (inference, "arguments"),
                         cJSON_GetObjectItemCaseSensitive (inference, "outputs"), this->wrong);

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (statistics)
      case_run_random (this, modes[i], training, statistics);
    else
      case_run (this, modes[i], training, cJSON_IsTrue (case_get (this, "backward")));

  g_clear_pointer (&this->inputs, g_hash_table_unref);
}

/* The files of one operator. */
typedef struct
{
  const char *folder;
  char       *op;
} Source;

static void
source_free (gpointer data)
{
  Source *source = data;

  g_free (source->op);
  g_free (source);
}

static void
test_operator (gconstpointer data)
{
  const Source    *source = data;
  const char      *op = source->op;
  g_autofree char *text_name = g_strconcat (op, ".json", NULL);
  g_autofree char *array_name = g_strconcat (op, ".npz", NULL);
  g_autofree char *text_path = golden_path (source->folder, text_name, NULL);
  g_autofree char *array_path = golden_path (source->folder, array_name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (cJSON) json = golden_read_json (text_path, &error);
  g_autoptr (GHashTable) arrays = json ? golden_read_npz (array_path, &error) : NULL;
  const cJSON *item;

  g_assert_no_error (error);
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive (json, "cases"))
  {
    g_autoptr (GString) wrong = g_string_new (NULL);
    Case this = { .json = item, .arrays = arrays, .wrong = wrong };

    this.name = case_get (&this, "name")->valuestring;
    this.tolerance.rtol = case_get (&this, "rtol")->valuedouble;
    this.tolerance.atol = case_get (&this, "atol")->valuedouble;
    case_check (&this);
    if (wrong->len > 0)
      {
        g_test_message ("%s, case %s: %s", op, this.name, wrong->str);
        g_test_fail ();
      }
  }
}

/* Adds a test for every operator in a folder of goldens. */
static void
add_operators (const char *folder)
{
  g_auto (GStrv) ops = golden_list (folder, ".npz");

  for (guint i = 0; ops[i]; i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/goldens/%s/%s", folder, ops[i]);
      Source          *source = g_new (Source, 1);

      *source = (Source){ folder, g_strdup (ops[i]) };
      g_test_add_data_func_full (path, source, test_operator, source_free);
    }
}

TEST_PROGRAM (test_goldens_ops)
{
  g_test_init (&argc, &argv, NULL);

  add_operators ("ops");
  add_operators ("generated");

  return g_test_run ();
}
