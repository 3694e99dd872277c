/* gradient-check.c — compares gradients with difference quotients.
 *
 * hyb_gradient_check() runs the graph twice for each checked element, with x + h and x − h, and its
 * gradient graph once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/autograd/gradient-check.h"

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/gradient/backward.h"
#include "engine/imperative/imperative.h"

#include <math.h>
#include <string.h>

/* The steps h.  The error of a quotient is about h² (curvature) + ε / h (rounding), so the best
 * h is near the cube root of ε: 6e-6 for float64, 5e-3 for float32. */
#define STEP_DOUBLE      6e-6
#define STEP_SINGLE      5e-3
#define TOLERANCE_DOUBLE 1e-5
#define TOLERANCE_SINGLE 1e-2

typedef struct
{
  HybGraph        *forward;   /* borrowed */
  HybGraph        *gradients; /* owned */
  const HybNodeId *wrt;
  guint            n_wrt, n_variables, n_heads;
  GPtrArray       *variables; /* private copies, then the head gradients */
  HybRun           context;
  double           step, tolerance;
  guint            max_elements;
} Check;

static void
check_clear (Check *check)
{
  g_clear_pointer (&check->gradients, hyb_graph_unref);
  g_clear_pointer (&check->variables, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Check, check_clear)

static gboolean
graph_computes_in_double (HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      if (node->op->forward && !(node->op->dtypes & HYB_DTYPE_BIT (HYB_F64)))
        return FALSE;
      for (guint i = 0; i < node->n_bodies; i++)
        if (!graph_computes_in_double (bodies[i]))
          return FALSE;
    }

  return TRUE;
}

static GPtrArray *
tensors_new (guint n)
{
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_set_size (tensors, (int) n);
  return tensors;
}

static GPtrArray *
run_graph (HybGraph *graph, GPtrArray *variables, const HybRun *context, GError **error)
{
  guint n_heads;
  g_autoptr (GPtrArray) heads = NULL;

  hyb_graph_get_heads (graph, &n_heads);
  heads = tensors_new (n_heads);
  if (!hyb_imperative_run (graph, (HybTensor *const *) variables->pdata,
                           (HybTensor **) heads->pdata, context, error))
    return NULL;

  return g_steal_pointer (&heads);
}

/* Copies the variables, in float64 if in_double. */
static void
copy_variables (Check *check, HybTensor *const *variables, gboolean in_double)
{
  g_clear_pointer (&check->variables, g_ptr_array_unref);
  check->variables = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; i < check->n_variables; i++)
    if (in_double && hyb_dtype_is_float (hyb_tensor_get_dtype (variables[i])) &&
        hyb_tensor_get_dtype (variables[i]) != HYB_F64)
      g_ptr_array_add (check->variables, hyb_tensor_convert (variables[i], HYB_F64));
    else
      g_ptr_array_add (check->variables, hyb_tensor_copy (variables[i]));

  check->step = in_double ? STEP_DOUBLE : STEP_SINGLE;
}

/* Chooses the precision, float64 unless an operator or a dtype attribute prevents it, and
 * returns the heads. */
static GPtrArray *
run_first (Check *check, HybTensor *const *variables, GError **error)
{
  GPtrArray *heads;

  if (graph_computes_in_double (check->gradients))
    {
      copy_variables (check, variables, TRUE);
      heads = run_graph (check->forward, check->variables, &check->context, NULL);
      if (heads)
        return heads;
    }

  copy_variables (check, variables, FALSE);
  return run_graph (check->forward, check->variables, &check->context, error);
}

/* Appends the weights of the heads to the variables: random numbers in [−1, 1), zeros for
 * integer heads. */
static gboolean
add_head_gradients (Check *check, GPtrArray *heads, GError **error)
{
  for (guint i = 0; i < check->n_heads; i++)
    {
      const HybType *type = hyb_tensor_get_type (heads->pdata[i]);
      HybTensor     *gradient = hyb_tensor_new_zeros (type, error);

      if (!gradient)
        return FALSE;

      g_ptr_array_add (check->variables, gradient);
      for (gint64 k = 0; hyb_dtype_is_float (type->dtype) && k < hyb_tensor_get_size (gradient);
           k++)
        hyb_dtype_set_double (hyb_tensor_get_data (gradient), type->dtype, (gsize) k,
                              2 * hyb_random_uniform (0x9e3779b9u + i, (guint64) k) - 1);
    }

  return TRUE;
}

/* Returns Σ weight · (a − b) over all heads; subtracting first loses the fewest digits. */
static double
weighted_difference (Check *check, GPtrArray *a, GPtrArray *b)
{
  double sum = 0;

  for (guint i = 0; i < check->n_heads; i++)
    {
      HybTensor *weight = check->variables->pdata[check->n_variables + i];

      for (gint64 k = 0; k < hyb_tensor_get_size (weight); k++)
        if (hyb_tensor_get_value (weight, k) != 0)
          sum += hyb_tensor_get_value (weight, k) *
                 (hyb_tensor_get_value (a->pdata[i], k) - hyb_tensor_get_value (b->pdata[i], k));
    }

  return sum;
}

/* Computes the difference quotient for element k of x, which is restored. */
static gboolean
quotient (Check *check, HybTensor *x, gint64 k, double *result, GError **error)
{
  gpointer data = hyb_tensor_get_data (x);
  HybDType dtype = hyb_tensor_get_dtype (x);
  double   middle = hyb_tensor_get_value (x, k);
  double   above, below;
  g_autoptr (GPtrArray) a = NULL;
  g_autoptr (GPtrArray) b = NULL;

  hyb_dtype_set_double (data, dtype, (gsize) k, middle + check->step * MAX (1, fabs (middle)));
  above = hyb_tensor_get_value (x, k);
  a = run_graph (check->forward, check->variables, &check->context, error);
  hyb_dtype_set_double (data, dtype, (gsize) k, middle - check->step * MAX (1, fabs (middle)));
  below = hyb_tensor_get_value (x, k);
  if (a)
    b = run_graph (check->forward, check->variables, &check->context, error);
  hyb_dtype_set_double (data, dtype, (gsize) k, middle);

  if (!a || !b)
    return FALSE;

  *result = weighted_difference (check, a, b) / (above - below);
  return TRUE;
}

static HybTensor *
check_get_variable (Check *check, HybNodeId id)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (check->forward, &n);

  for (guint i = 0; i < n; i++)
    if (variables[i] == id)
      return check->variables->pdata[i];

  return NULL;
}

static gboolean
check_variable (Check *check, HybNodeId id, HybTensor *gradient, GError **error)
{
  HybTensor  *x = check_get_variable (check, id);
  const char *name = hyb_graph_get_node (check->forward, id)->name;
  gint64      size = hyb_tensor_get_size (x);
  gint64      n = MIN (size, (gint64) check->max_elements);

  if (!hyb_shape_equal (hyb_tensor_get_shape (x), hyb_tensor_get_shape (gradient)) ||
      hyb_tensor_get_dtype (x) != hyb_tensor_get_dtype (gradient))
    {
      g_autofree char *want = hyb_type_to_string (hyb_tensor_get_type (x));
      g_autofree char *got = hyb_type_to_string (hyb_tensor_get_type (gradient));

      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                           "variable “%s” is %s, but its gradient is %s", name, want, got);
    }

  for (gint64 i = 0; i < n; i++)
    {
      gint64 k = i * size / n;
      double want;
      double got = hyb_tensor_get_value (gradient, k);

      if (!quotient (check, x, k, &want, error))
        return FALSE;
      /* The negation makes NaN fail. */
      if (!(fabs (got - want) <= check->tolerance * MAX (1, MAX (fabs (got), fabs (want)))))
        return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_GRADIENT, NULL, NULL,
                             "variable “%s”, element %" G_GINT64_FORMAT
                             ": the gradient is %.9g, the difference quotient %.9g",
                             name, k, got, want);
    }

  return TRUE;
}

gboolean
hyb_gradient_check (const HybGradientCheck *request, GError **error)
{
  HybGraph        *graph = request->graph;
  guint            n_wrt = request->n_wrt;
  const HybNodeId *wrt = request->wrt;
  g_auto (Check) check = { .forward = graph, .n_wrt = n_wrt, .wrt = wrt };
  g_autoptr (GPtrArray) heads = NULL;
  g_autoptr (GPtrArray) all = NULL;

  check.gradients = hyb_graph_with_gradients (graph, n_wrt, wrt, error);
  if (!check.gradients)
    return FALSE;

  hyb_graph_get_variables (graph, &check.n_variables);
  hyb_graph_get_heads (graph, &check.n_heads);
  check.context = (HybRun){ .training = request->training, .seed = request->seed };
  check.max_elements = request->max_elements ? request->max_elements : 64;

  heads = run_first (&check, request->variables, error);
  if (!heads || !add_head_gradients (&check, heads, error))
    return FALSE;

  check.tolerance = request->tolerance;
  if (check.tolerance == 0)
    check.tolerance = check.step == STEP_DOUBLE ? TOLERANCE_DOUBLE : TOLERANCE_SINGLE;

  all = run_graph (check.gradients, check.variables, &check.context, error);
  if (!all)
    return FALSE;

  for (guint i = 0; i < n_wrt; i++)
    if (!check_variable (&check, wrt[i], all->pdata[check.n_heads + i], error))
      return FALSE;

  return TRUE;
}
