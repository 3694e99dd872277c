/* test-every-call.c — language models on the pretend GPU, where any call fails or memory is short: always
 * a sentence, and never a crash or something that is not given back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/block/plugin.h"
#include "engine/gradient/backward.h"
#include "engine/graph/model.h"
#include "tests/engine/cuda/every-call.h"
#include "tests/program.h"

/* Runs of each executor: the first plans and computes, later ones record and replay. */
#define RUNS 3

#define CELLS  "gallery:lstm-unrolled?hidden=4&length=3&batch=2"
#define LAYERS "gallery:lstm-lm?hidden=4&length=3&batch=2&layers=2"

typedef struct
{
  const char *name, *model;
  HybMode     mode;
  gboolean    training; /* with the gradients of all parameters */
} Form;

static const Form forms[] = {
  { "operator by operator", CELLS, HYB_MODE_IMPERATIVE, FALSE },
  { "planned", CELLS, HYB_MODE_HYBRID, FALSE },
  { "static, training", CELLS, HYB_MODE_STATIC, TRUE },
  { "fused layers, static, training", LAYERS, HYB_MODE_STATIC, TRUE },
};

static HybModel *
open_model (const char *name)
{
  HybModel *model = hyb_model_new ();
  g_autoptr (GError) error = NULL;

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  hyb_model_read_plugin (model, name, &error);
  g_assert_no_error (error);
  return model;
}

/* The graph of a form. */
static HybGraph *
new_graph (HybModel *model, const Form *form)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  if (!form->training)
    return hyb_graph_ref (graph);
  for (guint i = 0; i < n; i++)
    if (!hyb_model_get_input_type (model, hyb_graph_get_node (graph, variables[i])->name))
      g_array_append_val (wrt, variables[i]);
  graph = hyb_graph_with_gradients (graph, wrt->len, (const HybNodeId *) wrt->data, &error);
  g_assert_no_error (error);
  return graph;
}

/* A parameter of the model, or an input of its type: small whole numbers, which are tokens too. */
static HybTensor *
new_value (HybModel *model, const char *name)
{
  const HybType *type = hyb_model_get_input_type (model, name);
  HybTensor     *parameter = hyb_model_get_parameter (model, name), *tensor;

  if (parameter)
    return hyb_tensor_ref (parameter);
  g_assert_nonnull (type);
  tensor = hyb_tensor_new (type, NULL);
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type->dtype, (gsize) i, (double) (i % 3));
  return tensor;
}

/* Gradients of the outputs follow the variables of the model; they are the outputs of `forward`. */
static HybExecutor *
new_executor (HybModel *model, HybGraph *graph, const Form *form, HybExecutor *forward, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = form->mode, .training = form->training, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  guint              n, n_own;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  hyb_graph_get_variables (hyb_model_get_graph (model), &n_own);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;

      bind (executor, name,
            i < n_own ? new_value (model, name)
                      : hyb_tensor_ref (hyb_executor_get_output (forward, i - n_own)));
    }
  return executor;
}

/* A model, its graph in one form, and what the processor computes. */
typedef struct
{
  const Form  *form;
  HybModel    *model;
  HybGraph    *graph;
  HybExecutor *forward, *expected;
} Case;

static void
case_begin (Case *this, const Form *form)
{
  static const Form plain = { "", NULL, HYB_MODE_HYBRID, FALSE };

  this->form = form;
  this->model = open_model (form->model);
  this->graph = new_graph (this->model, form);
  this->forward = new_executor (this->model, hyb_model_get_graph (this->model), &plain, NULL, NULL);
  run (this->forward);
  this->expected = new_executor (this->model, this->graph, form, this->forward, NULL);
  run (this->expected);
}

static void
case_end (Case *this)
{
  hyb_executor_free (this->expected);
  hyb_executor_free (this->forward);
  hyb_graph_unref (this->graph);
  hyb_model_unref (this->model);
}

/* Everything that a person does: opens the GPU, runs, reads the outputs.  FALSE if a run failed, which is
 * explained; a run that does not fail has the right numbers. */
static gboolean
try (gconstpointer data, const char *settings)
{
  const Case *this = data;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (GError) error = NULL;

  configure (settings);
  gpu = hyb_gpu_open ("gpu", &error);
  if (gpu)
    {
      executor = new_executor (this->model, this->graph, this->form, this->forward, gpu);
      for (guint i = 0; i < RUNS && !error; i++)
        if (hyb_executor_run (executor, NULL, &error) && hyb_executor_finish (executor, &error))
          for (guint k = 0; k < hyb_executor_n_outputs (executor); k++)
            assert_output_near (executor, this->expected, k);
    }
  return is_explained (settings, error);
}

static void
test_calls (gconstpointer data)
{
  Case this;

  if (!set_up (""))
    return;
  case_begin (&this, data);
  fail_every_call (try, &this);
  case_end (&this);
}

/* Kernels are compiled for what these say: no GPU is opened without their answers. */
static void
test_attributes (void)
{
  if (!set_up (""))
    return;
  for (guint n = 1; n <= 3; n++)
    {
      g_autofree char *settings = g_strdup_printf ("fail=cuDeviceGetAttribute:%u:1", n);
      g_autoptr (GError) error = NULL;

      configure (settings);
      g_assert_null (hyb_gpu_open ("gpu", &error));
      g_assert_error (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED);
      assert_nothing_left (settings);
    }
}

static void
test_memory (void)
{
  Case this;

  if (!set_up (""))
    return;
  case_begin (&this, &forms[G_N_ELEMENTS (forms) - 1]);
  shorten_memory (try, &this, 1);
  case_end (&this);
}

TEST_PROGRAM (test_every_call)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/every-call/a-gpu-that-does-not-answer-is-not-opened",
                   test_attributes);
  g_test_add_func ("/engine/cuda/every-call/memory-may-be-short", test_memory);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *calls_path =
          g_strdup_printf ("/engine/cuda/every-call/%s/any-call-may-fail", forms[i].name);

      g_test_add_data_func (calls_path, &forms[i], test_calls);
    }
  return g_test_run ();
}
