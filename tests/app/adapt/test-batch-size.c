/* test-batch-size.c — the batch among the dimensions of a model's inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/batch-size.h"

#include "app/document/document.h"
#include "profiler/capture/capture-builder.h"
#include "tests/program.h"

#include <string.h>

#define MODELS "tests/data/goldens/models/"

/* “float32 (2, 6)” for the shape “2,6” that the list gives the name; “” without one.  (transfer full) */
static char *
shape_text (const char *const *shapes, const char *name)
{
  gsize length = strlen (name);

  for (guint i = 0; shapes[i]; i++)
    if (strncmp (shapes[i], name, length) == 0 && shapes[i][length] == '=')
      {
        g_auto (GStrv) dims = g_strsplit (shapes[i] + length + 1, ",", -1);
        g_autofree char *joined = g_strjoinv (", ", dims);

        return g_strdup_printf ("float32 (%s)", joined);
      }
  return g_strdup ("");
}

/* The batch of a run with these shapes. */
static gint64
batch_of (const char *path, const char *const *shapes)
{
  g_autofree char *full = g_build_filename (SOURCE_ROOT, path, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeDocument) document = scope_document_open (full, NULL, shapes, NULL, &error);
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  HybGraph *graph;

  g_assert_no_error (error);
  graph = scope_document_get_graph (document);
  prof_builder_add_graph (builder, "main", PROF_NONE, 0);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const char      *name = hyb_graph_get_node (graph, id)->name;
      g_autofree char *shape = shape_text (shapes, name);

      prof_builder_add_node (builder, &(ProfNode){ .name = prof_builder_text (builder, name),
                                                   .shape = prof_builder_text (builder, shape) });
    }
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", &error);
  g_assert_no_error (error);
  return scope_batch_size (capture, scope_document_get_model (document), graph);
}

#define ASSERT_BATCH(path, batch, ...) \
  g_assert_cmpint (batch_of (path, (const char *const[]){ __VA_ARGS__, NULL }), ==, batch)

static void
test_first_axis (void)
{
  ASSERT_BATCH (MODELS "mlp-dropout/mlp-dropout-symbol.json", 3, "data=3,5");
  ASSERT_BATCH (MODELS "cell-lstm-t6-ntc-none/cell-lstm-t6-ntc-none-symbol.json", 2, "data=2,6,4");
}

/* A graph that is unrolled over six steps has six slices. */
static void
test_unrolled_steps (void)
{
  ASSERT_BATCH (MODELS "cell-valid-gru-tnc/cell-valid-gru-tnc-symbol.json", 2, "data0=5,2,4",
                "data1=2");
}

/* Loops take any number of steps. */
static void
test_steps_of_loops (void)
{
  ASSERT_BATCH (MODELS "foreachrnn-lstm/foreachrnn-lstm-symbol.json", 2, "data0=5,2,3", "data1=2,4",
                "data2=2,4");
}

/* Of ONNX: steps come first. */
static void
test_recurrent_cells (void)
{
  ASSERT_BATCH ("examples/tagger.onnx", 2, "words=7,2");
}

TEST_PROGRAM (test_batch_size)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/batch-size/first-axis", test_first_axis);
  g_test_add_func ("/app/batch-size/steps-of-an-unrolled-graph-are-none", test_unrolled_steps);
  g_test_add_func ("/app/batch-size/steps-of-a-loop-are-none", test_steps_of_loops);
  g_test_add_func ("/app/batch-size/steps-of-a-recurrent-cell-are-none", test_recurrent_cells);
  return g_test_run ();
}
