/* test-device-copies.c — what a measured run copies between host and GPU: inputs and outputs, no weights and no
 * gradients, and the clock of the GPU charges for it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/subject.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

enum
{
  ROWS = 4,
  COLUMNS = 64,
  DATA_BYTES = ROWS * COLUMNS * sizeof (float), /* of the input, and of the output */
  WEIGHT_BYTES = COLUMNS * COLUMNS * sizeof (float)
};

/* y = tanh (x wᵀ), with names by which the weight is known as a parameter. */
static HybGraph *
new_layer (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  data = op_variable (b, "data"), weight = op_variable (b, "layer_weight");
  HybValueId  y =
      op_node (b, "FullyConnected", "num_hidden=64 no_bias=True", data, weight, HYB_NO_ID);

  return op_finish (b, op_node (b, "tanh", NULL, y, HYB_NO_ID), HYB_NO_ID);
}

/* data: the input; (transfer full) */
static ProfSubject *
new_subject (HybGpu *gpu, HybMode mode, gboolean backward)
{
  g_autoptr (HybGraph) graph = new_layer ();
  g_autoptr (HybTensor) data = new_tensor (ROWS, COLUMNS, 0.3);
  g_autoptr (HybTensor) weight = new_tensor (COLUMNS, COLUMNS, 0.7);
  HybTensor         *values[] = { data, weight };
  ProfSubjectOptions options = {
    .mode = mode, .backward = backward, .training = backward, .gpu = gpu
  };
  g_autoptr (GError) error = NULL;
  ProfSubject *subject = prof_subject_new (graph, values, &options, &error);

  g_assert_no_error (error);
  return subject;
}

static guint64
count_run (ProfSubject *subject)
{
  g_autoptr (GError) error = NULL;
  guint64 before = host_bytes ();

  prof_subject_run (subject, NULL, &error);
  g_assert_no_error (error);
  return host_bytes () - before;
}

static void
test_weights_stay (void)
{
  if (!set_up (""))
    return;
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    for (gboolean backward = FALSE; backward <= TRUE; backward++)
      {
        g_autoptr (HybGpu) gpu = open_gpu ();
        g_autoptr (ProfSubject) subject = new_subject (gpu, mode, backward);
        g_autoptr (ProfSubject) host = new_subject (NULL, mode, backward);
        guint64 first = count_run (subject);

        g_assert_cmpuint (first, >=, 2 * DATA_BYTES + WEIGHT_BYTES);
        g_assert_cmpuint (count_run (host), ==, 0);
        for (guint i = 0; i < 4; i++)
          g_assert_cmpuint (count_run (subject), ==, 2 * DATA_BYTES);
        assert_near (prof_subject_get_executor (subject), prof_subject_get_executor (host));
        if (backward) /* the gradient comes when it is read */
          assert_output_near (prof_subject_get_executor (subject), prof_subject_get_executor (host),
                              1);
      }
  assert_clean ();
}

/* Weights that the run before has sent cost nothing, those that it sends cost what a copy does. */
static void
test_clock_charges (void)
{
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ProfSubject) subject = NULL;
  double first;

  if (!set_up (""))
    return;
  gpu = open_gpu ();
  subject = new_subject (gpu, HYB_MODE_HYBRID, FALSE);
  count_run (subject);
  first = prof_subject_take_device_seconds (subject);
  count_run (subject);
  g_assert_cmpfloat (first - prof_subject_take_device_seconds (subject), >, WEIGHT_BYTES / 11e9);
}

TEST_PROGRAM (test_device_copies)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/device-copies/weights-and-gradients-stay-on-the-gpu",
                   test_weights_stay);
  g_test_add_func ("/profiler/device-copies/the-clock-of-the-gpu-charges-for-copies",
                   test_clock_charges);
  return g_test_run ();
}
