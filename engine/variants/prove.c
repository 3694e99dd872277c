/* prove.c — runs two models on the same inputs and compares outputs and gradients.
 *
 * The tolerance grows with the number of products that are summed in one element, since the forms
 * of a model sum in different orders.  Start reading at try_all().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/prove.h"

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/parameter-copies.h"
#include "engine/variants/recognise.h"
#include "engine/variants/trial.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_RESIZED 4
#define EPSILON     1.1920929e-7 /* of float32 */

/* One of the two models. */
typedef struct
{
  HybModel   *model;
  HybGraph   *graph;     /* the model's graph with gradients; NULL if they cannot be computed */
  guint       n_heads;   /* of the model */
  GPtrArray  *outputs;   /* of HybTensor, of the last run */
  GArray     *wrt;       /* of HybNodeId: variables whose gradients are computed */
  GHashTable *gradients; /* HybTensor by name of variable */
  HybGpu     *gpu;       /* of the options */
  char       *work;      /* what it computed in the last run; NULL without a GPU */
} Side;

typedef struct
{
  const HybProveOptions *options;
  HybProof              *proof;
  Side                   a, b;
  double                 accumulated; /* products that are summed in one element */
} Prover;

void
hyb_proof_clear (HybProof *proof)
{
  g_clear_pointer (&proof->worst_output, g_free);
  for (guint i = 0; i < G_N_ELEMENTS (proof->device_work); i++)
    g_clear_pointer (&proof->device_work[i], g_free);
}

static void
clear_side (Side *side)
{
  g_clear_pointer (&side->graph, hyb_graph_unref);
  g_clear_pointer (&side->outputs, g_ptr_array_unref);
  g_clear_pointer (&side->wrt, g_array_unref);
  g_clear_pointer (&side->gradients, g_hash_table_unref);
  g_clear_pointer (&side->work, g_free);
}

/* --- Running --- */

static gboolean
is_differentiable (HybTensor *tensor)
{
  HybDType dtype = hyb_tensor_get_dtype (tensor);

  return dtype == HYB_F32 || dtype == HYB_F64 || dtype == HYB_F16;
}

static void
init_side (Side *side, HybModel *model)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *arguments = hyb_graph_get_arguments (graph, &n);
  g_autoptr (GError) error = NULL;

  side->model = model;
  side->wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_array_append_vals (side->wrt, arguments, n);
  hyb_graph_get_heads (graph, &side->n_heads);
  side->graph = hyb_graph_with_gradients (graph, n, arguments, &error);
}

static HybTensor *
find_value (const Side *side, HybTensorList *values, const char *name)
{
  HybTensor *tensor = hyb_tensor_list_find (values, name);

  return tensor ? tensor : hyb_model_get_parameter (side->model, name);
}

/* Runs graph and keeps its outputs.  heads: gradients of the outputs; NULL for a forward pass. */
static gboolean
run_graph (Side *side, HybGraph *graph, HybTensorList *values, GPtrArray *heads, GError **error)
{
  HybExecutorOptions options = { .mode = HYB_MODE_HYBRID, .gpu = side->gpu };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *tensor = find_value (side, values, name);

      if (tensor && !hyb_executor_bind (executor, name, tensor, error))
        return FALSE;
    }
  /* Gradients of heads are the last variables, in the order of the heads. */
  for (guint i = 0; heads && i < heads->len; i++)
    if (!hyb_executor_bind (executor,
                            hyb_graph_get_node (graph, variables[n - heads->len + i])->name,
                            heads->pdata[i],
                            error))
      return FALSE;
  if (!hyb_executor_run (executor, NULL, error) || !hyb_executor_finish (executor, error))
    return FALSE;

  g_free (side->work);
  side->work = hyb_executor_dup_device_work (executor);
  g_clear_pointer (&side->outputs, g_ptr_array_unref);
  side->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (side->outputs, hyb_tensor_ref (hyb_executor_get_output (executor, i)));
  return TRUE;
}

static void
store_gradients (Side *side)
{
  HybGraph *graph = hyb_model_get_graph (side->model);

  g_clear_pointer (&side->gradients, g_hash_table_unref);
  side->gradients =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < side->wrt->len; i++)
    {
      const char *name = hyb_graph_get_node (graph, g_array_index (side->wrt, HybNodeId, i))->name;

      g_hash_table_insert (side->gradients,
                           g_strdup (name),
                           hyb_tensor_ref (side->outputs->pdata[side->n_heads + i]));
    }
}

/* Random gradients of the outputs, in the shapes of the last forward pass. */
static GPtrArray *
make_heads (const Prover *prover, guint64 seed)
{
  GPtrArray *heads = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; i < prover->a.n_heads; i++)
    {
      HybTensor *head = hyb_tensor_new (hyb_tensor_get_type (prover->a.outputs->pdata[i]), NULL);

      for (gint64 k = 0; k < hyb_tensor_get_size (head); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (head),
                              hyb_tensor_get_dtype (head),
                              (gsize) k,
                              2 * hyb_random_uniform (seed + i, (guint64) k) - 1);
      g_ptr_array_add (heads, head);
    }
  return heads;
}

/* --- Comparing --- */

static double
largest (HybTensor *tensor)
{
  double most = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    most = fmax (most, fabs (hyb_tensor_get_value (tensor, i)));
  return most;
}

/* What two arrays are, and how much more than the tolerance they may differ. */
typedef struct
{
  const char *prefix; /* "" or "gradient of " */
  const char *name;
  double      slack;
} Comparison;

static void
record_worst (HybProof *proof, const Comparison *comparison, gint64 index)
{
  g_free (proof->worst_output);
  proof->worst_output = g_strconcat (comparison->prefix, comparison->name, NULL);
  proof->worst_index = index;
}

static void
compare (Prover *prover, HybTensor *a, HybTensor *b, const Comparison *comparison)
{
  HybProof *proof = prover->proof;
  double    scale = largest (a);

  if (!hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)))
    {
      proof->ok = FALSE;
      proof->max_abs = proof->max_rel = INFINITY;
      record_worst (proof, comparison, -1);
      return;
    }
  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    {
      double x = hyb_tensor_get_value (a, i), y = hyb_tensor_get_value (b, i);
      double difference = x == y || (isnan (x) && isnan (y)) ? 0 : fabs (x - y);

      if (!isfinite (difference))
        difference = INFINITY;
      if (difference > proof->max_abs)
        {
          proof->max_abs = difference;
          record_worst (proof, comparison, i);
        }
      proof->max_rel = fmax (proof->max_rel, difference / fmax (scale, DBL_MIN * 1e10));
      if (difference > proof->tolerance * comparison->slack * (1 + scale))
        proof->ok = FALSE;
    }
}

static gboolean
compare_gradients (Prover *prover, double slack, GError **error)
{
  const HybVariant *variant = prover->options->variant;
  GHashTableIter    iter;
  gpointer          name, tensor;

  for (guint s = variant ? variant->stages->len : 0; s-- > 0;)
    if (!hyb_parameter_copies_scatter_gradients (variant->stages->pdata[s],
                                                 prover->b.gradients,
                                                 variant->stage_from->pdata[s],
                                                 error))
      return FALSE;
  g_hash_table_iter_init (&iter, prover->a.gradients);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      HybTensor *other = g_hash_table_lookup (prover->b.gradients, name);

      if (other && is_differentiable (tensor))
        compare (prover, tensor, other, &(Comparison){ "gradient of ", name, slack });
    }
  prover->proof->gradients = TRUE;
  return TRUE;
}

/* --- One input --- */

/* The largest product of the first two sizes of an input: time steps × batch, or more. */
static gint64
batch_of (HybTensorList *values)
{
  gint64 most = 1;

  for (guint i = 0; i < hyb_tensor_list_n (values); i++)
    {
      const HybShape *shape = hyb_tensor_get_shape (hyb_tensor_list_get (values, i)->tensor);

      if (shape->rank >= 2)
        most = MAX (most, shape->dim[0] * shape->dim[1]);
    }
  return most;
}

static gboolean
try_input (Prover *prover, HybTensorList *values, guint64 seed, GError **error)
{
  g_auto (GStrv) names = hyb_graph_dup_output_names (hyb_model_get_graph (prover->a.model));
  g_autoptr (GPtrArray) heads = NULL;
  double slack = sqrt ((double) batch_of (values)); /* gradients are summed over these, too */

  if (!run_graph (&prover->a, hyb_model_get_graph (prover->a.model), values, NULL, error) ||
      !run_graph (&prover->b, hyb_model_get_graph (prover->b.model), values, NULL, error))
    return FALSE;
  for (guint i = 0; i < prover->a.n_heads; i++)
    compare (prover,
             prover->a.outputs->pdata[i],
             prover->b.outputs->pdata[i],
             &(Comparison){ "", names[i], 1 });
  prover->proof->n_inputs++;
  if (!prover->a.graph || !prover->b.graph || !prover->proof->ok || prover->options->tolerance > 0)
    return TRUE;

  heads = make_heads (prover, seed);
  if (!run_graph (&prover->a, prover->a.graph, values, heads, error) ||
      !run_graph (&prover->b, prover->b.graph, values, heads, error))
    return FALSE;
  store_gradients (&prover->a);
  store_gradients (&prover->b);
  return compare_gradients (prover, slack, error);
}

/* --- Tolerance, and sizes that must not change --- */

/* Collects the numbers of steps, which must not change, and how many products are summed in one
 * element. */
static void
collect_sizes (HybModel *model, GArray *fixed, double *accumulated)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (HybCells) cells = hyb_cells_find (graph, NULL, NULL);
  double widest = 1, steps = 1;

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      HybTensor *tensor = hyb_model_get_parameter (model, hyb_model_get_parameter_name (model, i));
      const HybShape *shape = hyb_tensor_get_shape (tensor);

      if (shape->rank == 2)
        widest = fmax (widest, (double) shape->dim[1]);
    }
  for (guint i = 0; i < cells->chains->len; i++)
    {
      gint64 n = ((const HybChain *) cells->chains->pdata[i])->n_steps;

      steps = fmax (steps, (double) n);
      if (n > 1)
        g_array_append_val (fixed, n);
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      gint64 n = hyb_node_int (hyb_graph_get_node (graph, id), "max_iterations", 0);

      steps = fmax (steps, (double) n);
      if (n > 0)
        g_array_append_val (fixed, n);
    }
  *accumulated = fmax (*accumulated, widest * steps);
}

static gboolean
try_all (Prover *prover, GError **error)
{
  g_autoptr (GArray) fixed = g_array_new (FALSE, FALSE, sizeof (gint64));
  HybModel *a = prover->a.model, *b = prover->b.model;
  guint64   seed = prover->options->seed + 1;
  guint     n_resized = 0;
  g_autoptr (HybTensorList) given = hyb_trial_complete (a, prover->options->input, seed, error);
  g_autoptr (HybTensorList) random = given ? hyb_trial_random (a, given, seed + 1) : NULL;

  if (!given)
    return FALSE;
  collect_sizes (a, fixed, &prover->accumulated);
  collect_sizes (b, fixed, &prover->accumulated);
  prover->proof->tolerance =
      prover->options->tolerance > 0
          ? prover->options->tolerance
          : 16 * EPSILON * sqrt (prover->accumulated) * log2 (2 + prover->accumulated);

  if (!try_input (prover, given, seed, error) ||
      (random && !try_input (prover, random, seed, error)))
    return FALSE;
  for (guint v = 0; v < hyb_tensor_list_n (given); v++)
    for (int axis = 0; axis < 2 && n_resized < MAX_RESIZED; axis++)
      {
        g_autoptr (HybTensorList) resized = hyb_trial_resized (a,
                                                               b,
                                                               given,
                                                               &(HybTrialResize){ v, axis, fixed },
                                                               seed + 2 + n_resized);

        if (!resized)
          continue;
        n_resized++;
        if (!try_input (prover, resized, seed + n_resized, error))
          return FALSE;
      }
  return TRUE;
}

gboolean
hyb_prove (HybModel              *a,
           HybModel              *b,
           const HybProveOptions *options,
           HybProof              *proof,
           GError               **error)
{
  Prover   prover = { .options = options, .proof = proof, .accumulated = 1 };
  gboolean is_done;

  *proof = (HybProof){ .ok = TRUE };
  init_side (&prover.a, a);
  init_side (&prover.b, b);
  prover.a.gpu = prover.b.gpu = options->gpu;
  if (prover.a.n_heads != prover.b.n_heads)
    is_done = hyb_error_at (error,
                            HYB_GRAPH_ERROR,
                            HYB_GRAPH_ERROR_STRUCTURE,
                            NULL,
                            NULL,
                            "one model has %u outputs and the other %u",
                            prover.a.n_heads,
                            prover.b.n_heads);
  else
    is_done = try_all (&prover, error);
  proof->device_work[0] = g_steal_pointer (&prover.a.work);
  proof->device_work[1] = g_steal_pointer (&prover.b.work);
  clear_side (&prover.a);
  clear_side (&prover.b);
  return is_done;
}
