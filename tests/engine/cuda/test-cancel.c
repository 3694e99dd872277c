/* test-cancel.c — a run on the pretend GPU that is cancelled ends before the next step or replay, waits for what it
 * has launched, and does no harm to the next run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

/* sigmoid (cumsum (tanh (x))); the host computes cumsum. */
static HybGraph *
new_chain (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  y = op_node (b, "tanh", NULL, op_variable (b, "x"), HYB_NO_ID);

  y = op_node (b, "cumsum", "axis=1", y, HYB_NO_ID);
  return op_finish (b, op_node (b, "sigmoid", NULL, y, HYB_NO_ID), HYB_NO_ID);
}

/* Cancels where an operator begins. */
typedef struct
{
  const char   *type; /* NULL: never */
  GCancellable *cancellable;
  guint         n_begun; /* operators since then */
} Cancel;

static void
begin (gpointer data, const HybSpan *span)
{
  Cancel *cancel = data;

  if (span->kind != HYB_SPAN_NODE)
    return;
  cancel->n_begun++;
  if (g_strcmp0 (cancel->type, hyb_graph_get_node (span->in, span->id)->type) != 0)
    return;
  g_cancellable_cancel (cancel->cancellable);
  cancel->n_begun = 0;
}

/* Cancels at an operator, when the model has run often enough to be replayed if the mode replays.  Returns how
 * many recordings that run has replayed. */
static guint
check (HybMode mode, const char *type)
{
  g_autoptr (HybGraph) graph = new_chain ();
  g_autoptr (HybGpu) gpu = open_gpu ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  HybExecutorOptions options = { .mode = mode, .gpu = gpu };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (HybExecutor) host = hyb_executor_new (graph, &(HybExecutorOptions){ .mode = mode });
  Cancel   cancel = { .cancellable = cancellable };
  HybProbe probe = { .data = &cancel, .begin = begin, .follows_device = 1 };
  guint    n_replays, n_waits;

  bind (executor, "x", new_tensor (3, 4, 0.3));
  bind (host, "x", new_tensor (3, 4, 0.3));
  run (host);
  hyb_executor_set_probe (executor, &probe);
  for (guint i = 0; i < 4; i++)
    run (executor);

  cancel.type = type;
  n_replays = calls ("cuGraphLaunch");
  n_waits = calls ("cuStreamSynchronize");
  g_assert_false (hyb_executor_run (executor, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  n_replays = calls ("cuGraphLaunch") - n_replays;
  g_assert_cmpuint (cancel.n_begun, ==, 0);
  g_assert_cmpuint (calls ("cuStreamSynchronize"), >, n_waits);

  cancel.type = NULL;
  run (executor);
  assert_near (executor, host);
  return n_replays;
}

static void
test_between_steps (void)
{
  static const char *const types[] = { "tanh", "cumsum" };

  if (!set_up ("order=mixed seed=3"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    g_assert_cmpuint (check (HYB_MODE_HYBRID, types[i]), ==, 0);
  assert_clean ();
}

/* Of the replays before and after the step of the host only the first one is launched. */
static void
test_between_replays (void)
{
  if (!set_up ("order=mixed seed=3"))
    return;
  g_assert_cmpuint (check (HYB_MODE_STATIC, "cumsum"), ==, 1);
  assert_clean ();
}

TEST_PROGRAM (test_cancel)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/cancel/between-steps", test_between_steps);
  g_test_add_func ("/engine/cuda/cancel/between-replays", test_between_replays);
  return g_test_run ();
}
