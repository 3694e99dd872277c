/* test-every-call-traced.c — a training step of an LSTM language model, replayed on the pretend GPU and traced, where
 * any call of the driver, of its libraries or of CUPTI fails, or memory is short.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/cupti-api.h"
#include "profiler/record/device-trace.h"
#include "profiler/record/measure.h"
#include "tests/engine/cuda/every-call.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

#define N_REPEATED 2
#define N_TRACED   3

/* Functions of CUPTI. */
static const char *const cupti_functions[] = {
#define NAME(result, name, parameters) #name,
  PROF_CUPTI_FUNCTIONS (NAME)
#undef NAME
};

static const struct
{
  const char *name;
  gint64      dim[3]; /* 0: not there */
} shapes[] = {
  { "tokens", { 3, 2 } },  { "table", { 7, 4 } },  { "weights", { 160 } }, { "state", { 1, 2, 4 } },
  { "cell", { 1, 2, 4 } }, { "output", { 7, 4 } }, { "bias", { 7 } },      { "label", { 6 } },
};

/* Three steps of two sequences: words are looked up, an LSTM reads them, a layer guesses the next word. */
static HybGraph *
new_language_model (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  y = op_node (b, "Embedding", "input_dim=7 output_dim=4", op_variable (b, "tokens"),
                           op_variable (b, "table"), HYB_NO_ID);
  HybValueId  weights = op_variable (b, "weights"), state = op_variable (b, "state");
  HybValueId  cell = op_variable (b, "cell"), output = op_variable (b, "output");
  HybValueId  bias = op_variable (b, "bias"), label = op_variable (b, "label");

  y = op_node (b, "RNN", "state_size=4 num_layers=1 mode=lstm", y, weights, state, cell, HYB_NO_ID);
  y = op_node (b, "Reshape", "shape=(-1,4)", y, HYB_NO_ID);
  y = op_node (b, "FullyConnected", "num_hidden=7", y, output, bias, HYB_NO_ID);
  return op_finish (b, op_node (b, "SoftmaxOutput", NULL, y, label, HYB_NO_ID), HYB_NO_ID);
}

/* Words and labels are whole numbers below 7.  (transfer full) */
static HybTensor *
new_value (const char *name)
{
  gboolean is_whole = strcmp (name, "tokens") == 0 || strcmp (name, "label") == 0;

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    if (strcmp (shapes[i].name, name) == 0)
      {
        HybType    type = { .dtype = HYB_F32 };
        HybTensor *value;

        for (; type.shape.rank < 3 && shapes[i].dim[type.shape.rank] > 0; type.shape.rank++)
          type.shape.dim[type.shape.rank] = shapes[i].dim[type.shape.rank];
        value = hyb_tensor_new (&type, NULL);
        for (gint64 k = 0; k < hyb_tensor_get_size (value); k++)
          ((float *) hyb_tensor_get_data (value))[k] =
              is_whole ? (float) (k * 5 % 7) : 0.3F * (float) sin ((double) (k + i));
        return value;
      }
  g_error ("no shape for %s", name);
}

static ProfSubject *
new_subject (HybGpu *gpu, GError **error)
{
  g_autoptr (HybGraph) graph = new_language_model ();
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  ProfSubjectOptions options = {
    .mode = HYB_MODE_STATIC, .training = TRUE, .backward = TRUE, .gpu = gpu
  };
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (values, new_value (hyb_graph_get_node (graph, variables[i])->name));
  return prof_subject_new (graph, (HybTensor *const *) values->pdata, &options, error);
}

/* The outputs, heads and gradients, of the processor are the same. */
static void
check_outputs (ProfSubject *subject, ProfSubject *expected)
{
  for (guint i = 0; i < prof_subject_n_outputs (expected); i++)
    {
      HybTensor *a = prof_subject_get_output (subject, i),
                *b = prof_subject_get_output (expected, i);

      for (gint64 k = 0; k < hyb_tensor_get_size (b); k++)
        g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (a, k), hyb_tensor_get_value (b, k),
                                        2e-5);
    }
}

/* Measures with a trace.  Where CUPTI fails the measurement goes on, and says so. */
static gboolean
try (gconstpointer data, const char *settings)
{
  ProfSubject       *expected = (ProfSubject *) data;
  ProfMeasureOptions options = { .warmup = 2, .repeat = N_REPEATED, .traced = N_TRACED };
  ProfSeries         series;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ProfSubject) subject = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_done = FALSE;

  configure (settings);
  prof_series_init (&series);
  gpu = hyb_gpu_open ("gpu", &error);
  if (gpu)
    subject = new_subject (gpu, &error);
  /* Gradients come from the GPU when they are read. */
  if (subject)
    is_done = prof_measure (&subject, 1, &series, &options, &error) &&
              hyb_executor_finish (prof_subject_get_executor (subject), &error);
  g_assert_true (is_done == !error);
  if (is_done)
    {
      check_outputs (subject, expected);
      if (series.device_problem)
        g_assert_cmpuint (strlen (series.device_problem), >, 20);
      else
        g_assert_cmpuint (series.traced->len, ==, N_TRACED);
      is_done = !series.device_problem;
    }
  prof_series_clear (&series);
  return is_explained (settings, error) && is_done;
}

/* NULL and a skipped test where NVRTC is not installed.  CUPTI is opened before the GPU, as in programs. */
static ProfSubject *
expect (void)
{
  g_autoptr (GError) error = NULL;
  ProfSubject *subject;

  prof_device_trace_prepare ();
  if (!set_up (""))
    return NULL;
  subject = new_subject (NULL, &error);
  g_assert_no_error (error);
  prof_subject_run (subject, NULL, &error);
  g_assert_no_error (error);
  return subject;
}

static void
test_calls (void)
{
  g_autoptr (ProfSubject) expected = expect ();

  if (expected)
    fail_every_call (try, expected);
}

/* TRUE for functions without which nothing is missing: one reading of the clock of several, and what ends a trace. */
static gboolean
is_harmless (const char *function)
{
  return strcmp (function, "cuptiGetTimestamp") == 0 ||
         strcmp (function, "cuptiActivityDisable") == 0 ||
         strcmp (function, "cuptiUnsubscribe") == 0;
}

/* A call of CUPTI that fails ends no measurement; the numbers are right, and what is missing is said. */
static void
test_cupti (void)
{
  g_autoptr (ProfSubject) expected = expect ();
  guint most[G_N_ELEMENTS (cupti_functions)], n_called = 0, n_said = 0;

  if (!expected)
    return;
  g_assert_true (try (expected, ""));
  for (guint f = 0; f < G_N_ELEMENTS (cupti_functions); f++)
    most[f] = calls (cupti_functions[f]);
  for (guint f = 0; f < G_N_ELEMENTS (cupti_functions); f++)
    {
      n_called += most[f] > 0;
      for (guint n = next_call (0, most[f]); n <= most[f]; n = next_call (n, most[f]))
        {
          g_autofree char *settings = g_strdup_printf ("fail=%s:%u:1", cupti_functions[f], n);

          if (!try (expected, settings))
            n_said++;
          /* How often CUPTI is called differs a little from run to run. */
          else if (!is_harmless (cupti_functions[f]) && calls (cupti_functions[f]) >= n)
            g_error ("%s: nothing is said", settings);
          assert_nothing_left (settings);
        }
    }
  g_test_message ("%u functions of CUPTI; %u failures were said", n_called, n_said);
  g_assert_cmpuint (n_called, >, 8);
  g_assert_cmpuint (n_said, >, 8);
}

static void
test_memory (void)
{
  g_autoptr (ProfSubject) expected = expect ();

  if (expected)
    shorten_memory (try, expected, 3);
}

TEST_PROGRAM (test_every_call_traced)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/every-call/traced/any-call-may-fail", test_calls);
  g_test_add_func ("/profiler/every-call/traced/memory-may-be-short", test_memory);
  /* The last one: where ending the trace fails, CUPTI stays taken in this process. */
  g_test_add_func ("/profiler/every-call/traced/any-call-of-cupti-may-fail", test_cupti);
  return g_test_run ();
}
