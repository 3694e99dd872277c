/* trial.c — computes the reference of a graph, and compares runs with it; see trial.h.  trial-ways.c has the ways to run it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/graphs/trial-private.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/random.h"
#include "engine/gradient/backward.h"
#include "engine/graph/reach.h"
#include "engine/imperative/imperative.h"
#include "tests/fuzz/graphs/scope.h"

#include <math.h>
#include <string.h>

#define N_NOISY 5

/* --- Operator by operator --- */

/* By how much rounding may change a number, as a fraction; 0 for integers. */
static double
rounding_of (HybDType dtype)
{
  return dtype == HYB_F32    ? 1e-6
         : dtype == HYB_F64  ? 2e-15
         : dtype == HYB_F16  ? 2e-3
         : dtype == HYB_BF16 ? 1e-2
                             : 0;
}

static void
add_noise (HybTensor *tensor, guint64 seed, guint64 stream)
{
  HybDType dtype = hyb_tensor_get_dtype (tensor);
  double   rounding = rounding_of (dtype);

  for (gint64 i = 0; rounding > 0 && i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), dtype, (gsize) i,
                          hyb_tensor_get_value (tensor, i) *
                              (1 +
                               rounding * (2 * hyb_random_uniform (hyb_random_mix (seed, stream),
                                                                   (guint64) i) -
                                           1)));
}

/* By value.  shapes: what is known of the shapes of variables; NULL: all.  NULL and an error for a contradiction. */
static HybType *
infer (const Trial *trial, const HybShape *shapes, GError **error)
{
  HybGraph           *graph = trial->graph;
  g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph) + 1);
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      HybType *type = &types[hyb_graph_get_node (graph, variables[i])->first_output];

      *type = *hyb_tensor_get_type (trial->values->pdata[i]);
      if (shapes)
        type->shape = shapes[i];
    }
  return hyb_infer_types (graph, types, NULL, trial->training, error) ? g_steal_pointer (&types)
                                                                      : NULL;
}

static gboolean
run_node (const Trial *trial, HybNodeId id, HybTensor **values, HybType *types, GError **error)
{
  const HybNode         *node = hyb_graph_get_node (trial->graph, id);
  g_autofree HybTensor **inputs = g_new (HybTensor *, node->n_inputs + 1);
  HybRun context = { .training = trial->training, .seed = TRIAL_SEED, .key = node->key };

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = values[hyb_graph_get_inputs (trial->graph, id)[i]];
  if (!hyb_imperative_node (&(HybImperativeNode){ .graph = trial->graph,
                                                  .id = id,
                                                  .types = types,
                                                  .inputs = inputs,
                                                  .outputs = values + node->first_output },
                            &context, error))
    return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    types[node->first_output + i] = *hyb_tensor_get_type (values[node->first_output + i]);
  return TRUE;
}

/* The heads and written variables; seed 0: without noise. */
static GPtrArray *
interpret (const Trial *trial, guint64 seed, GError **error)
{
  HybGraph           *graph = trial->graph;
  guint               n, n_values = hyb_graph_n_values (graph);
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);
  g_autofree HybType *types = infer (trial, NULL, error);
  g_autofree guint8  *needed = hyb_graph_find_needed (graph, NULL);
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_set_size (values, (int) n_values);
  for (guint i = 0; i < n; i++)
    {
      HybTensor *copy = hyb_tensor_copy (trial->values->pdata[i]);

      values->pdata[hyb_graph_get_node (graph, variables[i])->first_output] = copy;
      if (seed)
        add_noise (copy, seed, variables[i]);
    }
  for (HybNodeId id = 0; types && id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (!needed[id] || hyb_node_is_variable (node))
        continue;
      if (!run_node (trial, id, (HybTensor **) values->pdata, types, error))
        return NULL;
      for (guint i = 0; seed && i < node->n_outputs; i++)
        add_noise (values->pdata[node->first_output + i], seed, node->first_output + i);
    }
  return types ? trial_collect (graph, (HybTensor **) values->pdata) : NULL;
}

GPtrArray *
trial_collect (HybGraph *graph, HybTensor *const *values)
{
  GPtrArray        *results = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);
  const HybNodeId  *written;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (results, hyb_tensor_ref (values[heads[i]]));
  written = hyb_graph_get_auxiliary (graph, &n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (results,
                     hyb_tensor_ref (values[hyb_graph_get_node (graph, written[i])->first_output]));
  return results;
}

/* --- Tolerances --- */

static gboolean
same_type (HybTensor *a, HybTensor *b)
{
  return hyb_tensor_get_dtype (a) == hyb_tensor_get_dtype (b) &&
         hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b));
}

/* The largest difference by element; negative where one is not finite and the other is.  FALSE if types differ. */
static gboolean
note_differences (HybTensor *reference, HybTensor *noisy, double *differences)
{
  if (!same_type (reference, noisy))
    return FALSE;
  for (gint64 i = 0; i < hyb_tensor_get_size (reference); i++)
    {
      double a = hyb_tensor_get_value (reference, i), b = hyb_tensor_get_value (noisy, i);

      if (isfinite (a) && isfinite (b) && differences[i] >= 0)
        differences[i] = MAX (differences[i], fabs (a - b));
      else if (!(isnan (a) ? isnan (b) : a == b))
        differences[i] = -1;
    }
  return TRUE;
}

static void
widen (Trial *trial, HybTensor *reference, double *differences)
{
  gint64 n = hyb_tensor_get_size (reference);
  double mean = 0, scale = 0, rounding = rounding_of (hyb_tensor_get_dtype (reference));

  for (gint64 i = 0; i < n; i++)
    if (differences[i] >= 0 && isfinite (hyb_tensor_get_value (reference, i)))
      {
        mean += differences[i] / (double) n;
        scale = MAX (scale, fabs (hyb_tensor_get_value (reference, i)));
      }
  for (gint64 i = 0; i < n; i++)
    {
      if (differences[i] >= 0)
        differences[i] = 16 * differences[i] + 4 * mean +
                         8 * rounding * fabs (hyb_tensor_get_value (reference, i)) + 1e-37;
      trial->n_elements++;
      trial->n_compared += differences[i] >= 0 && differences[i] <= 0.01 * scale + 1e-37;
    }
}

static void
find_tolerances (Trial *trial)
{
  trial->tolerance = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < trial->results->len; k++)
    g_ptr_array_add (trial->tolerance,
                     g_new0 (double, hyb_tensor_get_size (trial->results->pdata[k]) + 1));
  for (guint64 seed = 1; seed <= N_NOISY; seed++)
    {
      g_autoptr (GPtrArray) noisy = interpret (trial, seed, NULL);

      for (guint k = 0; k < trial->results->len; k++)
        if (trial->tolerance->pdata[k] &&
            (!noisy || !note_differences (trial->results->pdata[k], noisy->pdata[k],
                                          trial->tolerance->pdata[k])))
          g_clear_pointer (&trial->tolerance->pdata[k], g_free);
    }
  for (guint k = 0; k < trial->results->len; k++)
    if (trial->tolerance->pdata[k])
      widen (trial, trial->results->pdata[k], trial->tolerance->pdata[k]);
}

char *
trial_compare (const Trial *trial, GPtrArray *results)
{
  for (guint k = 0; k < trial->results->len; k++)
    {
      HybTensor    *wanted = trial->results->pdata[k], *got = results->pdata[k];
      const double *tolerance = trial->tolerance->pdata[k];

      if (tolerance && !same_type (wanted, got))
        {
          g_autofree char *a = hyb_type_to_string (hyb_tensor_get_type (wanted)),
                          *b = hyb_type_to_string (hyb_tensor_get_type (got));

          return g_strdup_printf ("result %u is %s instead of %s", k, b, a);
        }
      for (gint64 i = 0; tolerance && i < hyb_tensor_get_size (wanted); i++)
        {
          double a = hyb_tensor_get_value (wanted, i), b = hyb_tensor_get_value (got, i);

          if (tolerance[i] >= 0 &&
              !(a == b || (isnan (a) && isnan (b)) || fabs (a - b) <= tolerance[i]))
            return g_strdup_printf ("element %d of result %u is %.9g instead of %.9g (tolerance "
                                    "%.3g)",
                                    (int) i, k, b, a, tolerance[i]);
        }
    }
  return NULL;
}

/* --- Trials --- */

Trial *
trial_new (HybGraph *graph, GPtrArray *values, gboolean training, GError **error)
{
  Trial *trial = g_new0 (Trial, 1);

  trial->graph = hyb_graph_ref (graph);
  trial->values = g_ptr_array_ref (values);
  trial->training = training;
  trial->can_be_written = !draws_numbers (
      graph); /* what is drawn depends on the places of nodes, which a file changes */
  trial->results = interpret (trial, 0, error);
  if (!trial->results)
    {
      trial_free (trial);
      return NULL;
    }
  find_tolerances (trial);
  return trial;
}

void
trial_free (Trial *trial)
{
  hyb_graph_unref (trial->graph);
  g_ptr_array_unref (trial->values);
  g_clear_pointer (&trial->results, g_ptr_array_unref);
  g_clear_pointer (&trial->tolerance, g_ptr_array_unref);
  g_free (trial);
}

Trial *
trial_new_gradient (const Trial *forward, guint64 seed)
{
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (HybGraph) graph = NULL;
  Trial           *trial;
  guint            n, n_heads;
  const HybNodeId *variables = hyb_graph_get_variables (forward->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (values, hyb_tensor_ref (forward->values->pdata[i]));
      if (hyb_dtype_is_float (hyb_tensor_get_dtype (forward->values->pdata[i])) &&
          !hyb_graph_is_auxiliary (forward->graph, variables[i]))
        g_array_append_val (wrt, variables[i]);
    }
  graph = hyb_graph_with_gradients (forward->graph, wrt->len, (const HybNodeId *) wrt->data, NULL);
  if (!graph)
    return NULL;
  hyb_graph_get_heads (forward->graph, &n_heads);
  for (guint i = 0; i < n_heads; i++)
    {
      HybTensor *head =
          hyb_tensor_new_zeros (hyb_tensor_get_type (forward->results->pdata[i]), NULL);

      for (gint64 k = 0;
           hyb_dtype_is_float (hyb_tensor_get_dtype (head)) && k < hyb_tensor_get_size (head); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (head), hyb_tensor_get_dtype (head), (gsize) k,
                              hyb_random_uniform (hyb_random_mix (seed, i), (guint64) k) - 0.5);
      g_ptr_array_add (values, head);
    }
  trial = trial_new (graph, values, forward->training, NULL);
  if (trial)
    {
      trial->can_be_written = FALSE; /* MXNet's files have no operators of gradients */
      trial->forward = forward;
    }
  return trial;
}

/* Whether input i of a node is the slopes of PReLU, whose shape follows from the data unless it is known. */
static gboolean
is_slopes (const HybNode *node, guint i)
{
  guint n_named = node->op->inputs ? g_strv_length ((char **) node->op->inputs) : 0;

  return i < n_named && g_str_equal (node->op->inputs[i], "gamma") && node->n_inputs == 2;
}

/* Whether some operator takes a variable as labels, indices or slopes, for whose shapes there are customs. */
static gboolean
has_customs (HybGraph *graph, HybValueId value)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      for (guint i = 0; i < MIN (node->n_inputs, 32); i++)
        if (hyb_graph_get_inputs (graph, id)[i] == value &&
            (node->op->constant_inputs >> i & 1 || is_slopes (node, i)))
          return TRUE;
    }
  return FALSE;
}

/* Whether slopes are computed, so that their shape may become known too late. */
static gboolean
computes_slopes (HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      for (guint i = 0; i < node->n_inputs; i++)
        if (is_slopes (node, i) &&
            !hyb_node_is_variable (
                hyb_graph_get_node (graph, hyb_graph_get_producer (graph, inputs[i]))))
          return TRUE;
    }
  return FALSE;
}

/* The shape, or a part of it. */
static HybShape
forget_some (const HybShape *whole, guint64 seed)
{
  HybShape shape = *whole;
  double   chance = hyb_random_uniform (seed, 0);

  if (chance < 0.2)
    return HYB_SHAPE_UNKNOWN;
  for (int i = 0; chance < 0.4 && i < shape.rank; i++)
    if (hyb_random_uniform (seed, (guint64) i + 1) < 0.5)
      shape.dim[i] = HYB_UNKNOWN;
  return shape;
}

char *
trial_infer (const Trial *trial, guint64 seed)
{
  g_autofree HybShape *shapes = g_new (HybShape, trial->values->len + 1);
  g_autofree HybType  *types = NULL;
  g_autoptr (GError) error = NULL;
  guint             n;
  const HybNodeId  *variables = hyb_graph_get_variables (trial->graph, &n);
  const HybValueId *heads;

  if (computes_slopes (trial->graph))
    return NULL;
  for (guint i = 0; i < trial->values->len; i++)
    {
      HybValueId value = hyb_graph_get_node (trial->graph, variables[i])->first_output;

      shapes[i] = *hyb_tensor_get_shape (trial->values->pdata[i]);
      if (!has_customs (trial->graph, value))
        shapes[i] = forget_some (&shapes[i], hyb_random_mix (seed, i));
    }
  types = infer (trial, shapes, &error);
  if (!types)
    return g_strdup_printf ("without some shapes: %s", error->message);
  heads = hyb_graph_get_heads (trial->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      HybShape        *shape = &types[heads[i]].shape;
      const HybShape  *is = hyb_tensor_get_shape (trial->results->pdata[i]);
      g_autofree char *inferred = hyb_shape_to_string (shape), *actual = hyb_shape_to_string (is);

      if (trial->tolerance->pdata[i] && !hyb_shape_assign (shape, is, NULL))
        return g_strdup_printf ("result %u has the shape %s, but without some shapes %s is "
                                "inferred",
                                i, actual, inferred);
    }
  return NULL;
}
