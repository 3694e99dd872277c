/* test-gallery.c — every model of the gallery with its gradients on the pretend GPU: imperative, hybrid, static and
 * replayed runs give the same bytes, twice, and the processor's numbers.
 *
 * Optimising passes are left out, for they change the order of sums.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/plugin.h"
#include "engine/gradient/backward.h"
#include "engine/hybrid.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/program.h"
#include "tests/small-gallery.h"

#define N_STATIC 4 /* the first run computes, the second one records, the others replay */

typedef struct
{
  HybModel   *model;
  HybGraph   *whole; /* with the gradients of all parameters */
  GHashTable *bound; /* name → HybTensor */
} Case;

/* Whole numbers below 7 for an input, ones for the gradient of a head.  (transfer full) */
static HybTensor *
new_value (const HybType *type, gboolean is_input)
{
  HybTensor *tensor = hyb_tensor_new (type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type->dtype, (gsize) i,
                          is_input ? (double) (hyb_random_word (5, (guint64) i) % 7) : 1);
  return tensor;
}

static HybExecutor *
new_executor (const Case *c, HybGraph *graph, HybMode mode, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = mode, .no_passes = TRUE, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *value = g_hash_table_lookup (c->bound, name);

      if (value)
        g_assert_true (hyb_executor_bind (executor, name, value, NULL));
    }
  return executor;
}

/* The gradients of the heads, whose types a run of the model tells. */
static void
add_head_gradients (Case *c)
{
  HybGraph *graph = hyb_model_get_graph (c->model);
  g_autoptr (HybExecutor) executor = new_executor (c, graph, HYB_MODE_HYBRID, NULL);
  guint            n, head = 0;
  const HybNodeId *variables = hyb_graph_get_variables (c->whole, &n);

  run (executor);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (c->whole, variables[i])->name;

      if (strstr (name, "_head_gradient"))
        g_hash_table_insert (c->bound, g_strdup (name),
                             new_value (hyb_tensor_get_type (
                                            hyb_executor_get_output (executor, head++)),
                                        FALSE));
    }
}

static void
open_case (Case *c, const char *name)
{
  g_autofree char *address = small_gallery_model (name);
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GError) error = NULL;
  HybGraph        *graph;
  const HybNodeId *variables;
  guint            n;

  c->model = hyb_model_new ();
  c->bound =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  hyb_model_read_plugin (c->model, address, &error);
  g_assert_no_error (error);
  graph = hyb_model_get_graph (c->model);
  variables = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char    *variable = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor     *parameter = hyb_model_get_parameter (c->model, variable);
      const HybType *type = hyb_model_get_input_type (c->model, variable);

      if (parameter)
        g_hash_table_insert (c->bound, g_strdup (variable), hyb_tensor_ref (parameter));
      else if (type)
        g_hash_table_insert (c->bound, g_strdup (variable), new_value (type, TRUE));
    }
  variables = hyb_graph_get_arguments (graph, &n);
  for (guint i = 0; i < n; i++)
    if (hyb_model_get_parameter (c->model, hyb_graph_get_node (graph, variables[i])->name))
      g_array_append_val (wrt, variables[i]);
  c->whole = hyb_graph_with_gradients (graph, wrt->len, (const HybNodeId *) wrt->data, &error);
  g_assert_no_error (error);
  add_head_gradients (c);
}

static void
close_case (Case *c)
{
  hyb_graph_unref (c->whole);
  g_hash_table_unref (c->bound);
  hyb_model_unref (c->model);
}

/* Copies of all outputs of the last run.  (transfer full) */
static GPtrArray *
copy_outputs (HybExecutor *executor, HybGraph *graph)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  guint      n;

  hyb_graph_get_heads (graph, &n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (outputs, hyb_tensor_copy (hyb_executor_get_output (executor, i)));
  return outputs;
}

/* Compares with the processor, by the largest number of each array. */
static void
check_numbers (GPtrArray *got, GPtrArray *wanted)
{
  g_assert_cmpuint (got->len, ==, wanted->len);
  for (guint k = 0; k < got->len; k++)
    {
      HybTensor *a = got->pdata[k], *b = wanted->pdata[k];
      double     largest = 0;

      for (gint64 i = 0; i < hyb_tensor_get_size (b); i++)
        largest = MAX (largest, fabs (hyb_tensor_get_value (b, i)));
      for (gint64 i = 0; i < hyb_tensor_get_size (b); i++)
        g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (a, i), hyb_tensor_get_value (b, i),
                                        1e-5 + 1e-4 * largest);
    }
}

static void
check_bytes (GPtrArray *got, GPtrArray *wanted, HybMode mode, guint round)
{
  g_assert_cmpuint (got->len, ==, wanted->len);
  for (guint k = 0; k < got->len; k++)
    if (hyb_tensor_get_bytes (got->pdata[k]) != hyb_tensor_get_bytes (wanted->pdata[k]) ||
        memcmp (hyb_tensor_get_data (got->pdata[k]), hyb_tensor_get_data (wanted->pdata[k]),
                hyb_tensor_get_bytes (wanted->pdata[k])) != 0)
      g_error ("output %u has other bytes in mode %d, run %u", k, mode, round);
}

static void
test_model (gconstpointer name)
{
  Case    c;
  guint   n_replays;
  HybGpu *gpu;
  g_autoptr (GPtrArray) first = NULL;
  g_autoptr (GPtrArray) wanted = NULL;
  g_autoptr (HybExecutor) host = NULL;

  if (!set_up ("order=mixed seed=4"))
    return;
  gpu = open_gpu ();
  open_case (&c, name);
  host = new_executor (&c, c.whole, HYB_MODE_HYBRID, NULL);
  run (host);
  wanted = copy_outputs (host, c.whole);
  n_replays = calls ("cuGraphLaunch");
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (HybExecutor) executor = new_executor (&c, c.whole, mode, gpu);

      for (guint round = 0; round < (mode == HYB_MODE_STATIC ? N_STATIC : 2); round++)
        {
          g_autoptr (GPtrArray) outputs = NULL;

          run (executor);
          outputs = copy_outputs (executor, c.whole);
          if (first)
            check_bytes (outputs, first, mode, round);
          else
            first = g_steal_pointer (&outputs);
        }
    }
  g_assert_cmpuint (calls ("cuGraphLaunch"), >, n_replays);
  check_numbers (first, wanted);
  close_case (&c);
  hyb_gpu_unref (gpu);
}

TEST_PROGRAM (test_gallery)
{
  g_autoptr (GPtrArray) classes = NULL;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  classes = hyb_gallery_list ();
  g_assert_cmpuint (classes->len, >, 10);
  for (guint i = 0; i < classes->len; i++)
    {
      const char      *name = ((const HybModelClass *) classes->pdata[i])->name;
      g_autofree char *path = g_strconcat ("/engine/cuda/gallery/", name, NULL);

      g_test_add_data_func (path, name, test_model);
    }
  return g_test_run ();
}
