/* op-check.c — the checks that every sample and every refusal of an operator goes through.
 *
 * Start with op_check_family(), which adds the tests, and test_sample(), which lists the checks.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

#include "engine/analysis/infer-types.h"
#include "engine/autograd/gradient-check.h"
#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"
#include "engine/op/rules.h"
#include "tests/engine/ops/op-case.h"
#include "tests/engine/ops/op-device.h"
#include "tests/engine/ops/op-onnx.h"
#include "tests/engine/ops/op-shapes.h"
#include "tests/engine/ops/op-write.h"

#include <math.h>
#include <string.h>

/* Attributes that are parsed, written and parsed again stay the same. */
static void
check_attributes (const OpCase *this)
{
  g_auto (GStrv) attributes = op_attributes_from_text (this->attributes_text);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  gpointer params, again;

  if (!this->op->params)
    return;

  params = hyb_params_parse (this->op->params, this->op->params_size,
                             (const char *const *) attributes, NULL, &error);
  g_assert_no_error (error);
  for (const HybParam *param = this->op->params; param->name; param++)
    {
      g_ptr_array_add (written, g_strdup (param->name));
      g_ptr_array_add (written, hyb_param_to_string (param, params));
    }
  g_ptr_array_add (written, NULL);

  again = hyb_params_parse (this->op->params, this->op->params_size,
                            (const char *const *) written->pdata, NULL, &error);
  g_assert_no_error (error);
  for (const HybParam *param = this->op->params; param->name; param++)
    {
      g_autofree char *first = hyb_param_to_string (param, params);
      g_autofree char *second = hyb_param_to_string (param, again);

      g_assert_cmpstr (first, ==, second);
    }

  hyb_params_unref (params);
  hyb_params_unref (again);
}

static void
check_cost (const OpCase *this, OpCaseGraph *sample, const HybType *types)
{
  HybCall             call;
  HybCost             cost = { 0 };
  const HybNode      *node = hyb_graph_get_node (sample->graph, sample->node);
  g_autofree HybType *room = g_new (HybType, node->n_inputs + node->n_outputs);

  hyb_call_init (&call, sample->graph, sample->node, types, room);
  hyb_rule_cost (&call, &cost);
  g_assert_true (isfinite (cost.flops) && cost.flops >= 0);
  g_assert_true (isfinite (cost.bytes_read) && cost.bytes_read >= 0);
  g_assert_true (isfinite (cost.bytes_written) && cost.bytes_written >= 0);
}

/* The inferred types are those of the computed tensors.  For an operator with compute() they may be
 * partly unknown, but must not contradict. */
static void
check_types (const OpCase *this, gboolean training)
{
  g_autoptr (OpCaseGraph) sample = op_case_new_sample (this, FALSE);
  g_autoptr (GError) error = NULL;
  g_autofree HybType *types = op_infer_types (sample->graph, sample->inputs, training, &error);
  g_autoptr (GPtrArray) outputs = NULL;
  HybValueId first = hyb_graph_get_node (sample->graph, sample->node)->first_output;

  g_assert_no_error (error);
  outputs = op_run_graph (sample->graph, sample->inputs, training, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < outputs->len; i++)
    {
      const HybType   *got = hyb_tensor_get_type (outputs->pdata[i]);
      HybType          want = types[first + i];
      g_autofree char *want_text = hyb_type_to_string (&want);

      if (this->op->compute && !hyb_type_is_known (&want))
        {
          g_assert_true (hyb_shape_assign (&want.shape, &got->shape, NULL));
          g_assert_true (hyb_dtype_assign (&want.dtype, got->dtype, NULL));
        }
      else
        op_assert_type (outputs->pdata[i], want_text);
    }

  if (hyb_type_is_known (&types[first]))
    check_cost (this, sample, types);
}

/* Negates the float tensors; returns a mask of them. */
static guint32
negate (GPtrArray *tensors)
{
  guint32 negated = 0;

  for (guint i = 0; i < tensors->len; i++)
    {
      HybTensor *tensor = tensors->pdata[i];

      if (!hyb_dtype_is_float (hyb_tensor_get_dtype (tensor)))
        continue;
      negated |= 1u << i;
      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor),
                              (gsize) k, -hyb_tensor_get_value (tensor, k));
    }

  return negated;
}

static HybExecutor *
run_planned (HybGraph *graph, GPtrArray *inputs, gboolean training)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC,
                                 .training = training,
                                 .seed = OP_CASE_SEED };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      hyb_executor_bind (executor, hyb_graph_get_node (graph, variables[i])->name, inputs->pdata[i],
                         &error);
      g_assert_no_error (error);
    }
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);

  return executor;
}

/* A run with planned and shared memory gives the same numbers.  The operator reads what another one
 * (“negative”) computed, so that views and in-place computation are used. */
static void
check_planned (const OpCase *this, gboolean training)
{
  g_autoptr (OpCaseGraph) sample = op_case_new_sample (this, TRUE);
  g_autoptr (GPtrArray) inputs = op_copy_tensors (sample->inputs, HYB_F32, HYB_F32);
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  if (this->op->compute || this->op->mutates || this->op->flags & HYB_OP_RANDOM)
    return;

  outputs = op_run_graph (sample->graph, sample->inputs, training, &error);
  g_assert_no_error (error);
  graph = op_case_new_graph (this, inputs->len, negate (inputs), TRUE, &error);
  g_assert_no_error (error);
  executor = run_planned (graph, inputs, training);

  g_assert_cmpuint (hyb_executor_n_outputs (executor), ==, outputs->len);
  for (guint i = 0; i < outputs->len; i++)
    op_assert_same (hyb_executor_get_output (executor, i), outputs->pdata[i], 1e-6);
}

/* The float64 kernel gives the same numbers as the float32 kernel. */
static void
check_double (const OpCase *this, gboolean training)
{
  g_autoptr (OpCaseGraph) sample = op_case_new_sample (this, TRUE);
  g_autoptr (GPtrArray) doubles = op_copy_tensors (sample->inputs, HYB_F32, HYB_F64);
  g_autoptr (GPtrArray) in_single = NULL;
  g_autoptr (GPtrArray) in_double = NULL;

  if (!(this->op->dtypes & HYB_DTYPE_BIT (HYB_F64)) || this->flags & OP_SKIP_DOUBLE ||
      this->op->flags & HYB_OP_RANDOM)
    return;

  /* The run fails if an attribute requires another dtype; then there is nothing to compare. */
  in_double = op_run_graph (sample->graph, doubles, training, NULL);
  if (!in_double)
    return;

  in_single = op_run_graph (sample->graph, sample->inputs, training, NULL);
  g_assert_nonnull (in_single);
  for (guint i = 0; i < in_single->len; i++)
    {
      HybTensor *rounded =
          hyb_tensor_convert (in_double->pdata[i], hyb_tensor_get_dtype (in_single->pdata[i]));

      op_assert_same (in_single->pdata[i], rounded, 1e-4);
      hyb_tensor_unref (rounded);
    }
}

/* The variables of float inputs that get a gradient. */
static GArray *
differentiable (const OpCase *this, OpCaseGraph *sample)
{
  GArray          *wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (sample->graph, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_dtype_is_float (hyb_tensor_get_dtype (sample->inputs->pdata[i])) &&
        !(i < 32 && (this->op->constant_inputs | this->op->mutates) >> i & 1))
      g_array_append_val (wrt, variables[i]);

  return wrt;
}

/* A gradient that is not the derivative (HYB_OP_CUSTOM_GRADIENT) has the type of its input and is
 * finite. */
static void
check_custom_gradient (OpCaseGraph *sample, GArray *wrt, gboolean training)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph =
      hyb_graph_with_gradients (sample->graph, wrt->len, (const HybNodeId *) wrt->data, &error);
  g_autoptr (GPtrArray) heads = op_run_graph (sample->graph, sample->inputs, training, &error);
  g_autoptr (GPtrArray) inputs = op_copy_tensors (sample->inputs, HYB_F32, HYB_F32);
  g_autoptr (GPtrArray) all = NULL;

  g_assert_no_error (error);
  for (guint i = 0; i < heads->len; i++)
    {
      HybTensor *head = hyb_tensor_copy (heads->pdata[i]);

      for (gint64 k = 0; k < hyb_tensor_get_size (head); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (head), hyb_tensor_get_dtype (head), (gsize) k,
                              1);
      g_ptr_array_add (inputs, head);
    }

  all = op_run_graph (graph, inputs, training, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < wrt->len; i++)
    {
      HybTensor       *gradient = all->pdata[heads->len + i];
      HybNodeId        id = g_array_index (wrt, HybNodeId, i);
      g_autofree char *type = NULL;

      /* The variables are the first nodes, in the order of the inputs. */
      type = hyb_type_to_string (hyb_tensor_get_type (sample->inputs->pdata[id]));
      op_assert_type (gradient, type);
      for (gint64 k = 0; k < hyb_tensor_get_size (gradient); k++)
        g_assert_true (isfinite (hyb_tensor_get_value (gradient, k)));
    }
}

static void
check_gradient (const OpCase *this, gboolean training)
{
  g_autoptr (OpCaseGraph) sample = op_case_new_sample (this, TRUE);
  g_autoptr (GArray) wrt = differentiable (this, sample);
  g_autoptr (GError) error = NULL;
  HybGradientCheck check = { .graph = sample->graph,
                             .variables = (HybTensor *const *) sample->inputs->pdata,
                             .n_wrt = wrt->len,
                             .wrt = (const HybNodeId *) wrt->data,
                             .training = training,
                             .seed = OP_CASE_SEED,
                             .tolerance = this->flags & OP_COARSE ? 2e-2 : 0 };

  if (!this->op->gradient || wrt->len == 0 || this->flags & OP_SKIP_GRADIENT ||
      this->op->flags & HYB_OP_NO_GRADIENT || (this->flags & OP_TRAINING_ONLY && !training))
    return;

  if (this->op->flags & HYB_OP_CUSTOM_GRADIENT)
    {
      check_custom_gradient (sample, wrt, training);
      return;
    }

  hyb_gradient_check (&check, &error);
  g_assert_no_error (error);
}

static void
test_sample (gconstpointer data)
{
  const OpCase *this = data;

  check_attributes (this);
  if (!op_device_is_wanted ())
    op_check_shapes (this);
  for (gboolean training = FALSE; training <= TRUE; training++)
    {
      if (training && !(this->op->flags & (HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM)) &&
          !(this->flags & OP_TRAINING_ONLY))
        continue;
      if (op_device_is_wanted ())
        {
          op_device_check (this, training);
          continue;
        }
      check_types (this, training);
      check_double (this, training);
      check_planned (this, training);
      check_gradient (this, training);
    }
  if (!op_device_is_wanted ())
    op_check_onnx (this);
}

/* The call must fail when the node is created, when types are inferred, or when it runs. */
static void
test_refusal (gconstpointer data)
{
  const OpCase *this = data;
  g_autoptr (GPtrArray) inputs = op_inputs_from_text (this->inputs_text);
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = op_case_new_graph (this, inputs->len, 0, TRUE, &error);
  g_autofree HybType *types = NULL;

  if (graph)
    types = op_infer_types (graph, inputs, FALSE, &error);
  if (types)
    outputs = op_run_graph (graph, inputs, FALSE, &error);

  g_assert_null (outputs);
  g_assert_nonnull (error);
  if (!strstr (error->message, this->message))
    g_error ("the message is “%s”, without “%s”", error->message, this->message);
}

/* TRUE if the words of list include the operator; "*" includes all except internal ones. */
static gboolean
list_has (const char *list, const HybOp *op)
{
  g_auto (GStrv) words = g_strsplit (list, " ", -1);

  if (g_str_equal (list, "*"))
    return !(op->flags & HYB_OP_INTERNAL);

  return g_strv_contains ((const char *const *) words, op->name);
}

static void
test_operator_has_samples (gconstpointer data)
{
  g_error ("operator %s has no sample", (const char *) data);
}

static void
add_case (const char   *file,
          const HybOp  *op,
          const char   *name,
          GTestDataFunc test,
          const OpCase *template)
{
  OpCase *this = g_memdup2 (template, sizeof *template);
  g_autofree char *path = g_strdup_printf ("/engine/ops/%s/%s/%s", file, op->name, name);

  this->op = hyb_op_find (op->name); /* with the attributes of its float form */
  g_strdelimit (path, " ", '-');
  g_test_add_data_func_full (path, this, test, g_free);
}

/* Fails if a word of list is not an operator of the file. */
static void
check_words (const char *file, const HybOp *ops, const char *list)
{
  g_auto (GStrv) words = g_strsplit (list, " ", -1);

  for (guint i = 0; words[i] && !g_str_equal (list, "*"); i++)
    {
      gboolean found = FALSE;

      for (const HybOp *op = ops; op->name; op++)
        found |= g_str_equal (op->name, words[i]);
      if (!found)
        g_error ("%s.c has no operator %s", file, words[i]);
    }
}

void
op_check_family (const char      *file,
                 const HybOp     *ops,
                 const OpSample  *samples,
                 const OpRefusal *refusals)
{
  for (const OpSample *sample = samples; sample->op; sample++)
    check_words (file, ops, sample->op);
  for (const OpRefusal *refusal = refusals; refusal && refusal->op; refusal++)
    check_words (file, ops, refusal->op);

  for (const HybOp *op = ops; op->name; op++)
    {
      gboolean covered = op->flags & HYB_OP_INTERNAL || !(op->forward || op->compute);

      for (const OpSample *sample = samples; sample->op; sample++)
        if (list_has (sample->op, op))
          {
            covered = TRUE;
            op_write_sample (op, sample);
            add_case (file, op, sample->name, test_sample,
                      &(OpCase){ .attributes_text = sample->attributes,
                                 .inputs_text = sample->inputs,
                                 .flags = sample->flags,
                                 .body = sample->body });
          }
      for (const OpRefusal *refusal = refusals; refusal && refusal->op; refusal++)
        if (list_has (refusal->op, op))
          add_case (file, op, refusal->name, test_refusal,
                    &(OpCase){ .attributes_text = refusal->attributes,
                               .inputs_text = refusal->inputs,
                               .message = refusal->message,
                               .body = refusal->body });
      if (!covered)
        {
          g_autofree char *path = g_strdup_printf ("/engine/ops/%s/%s/has-samples", file, op->name);

          g_test_add_data_func (path, op->name, test_operator_has_samples);
        }
    }
}
