/* test-rnn-cells.c — the frames of a fused RNN's layers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/rnn-cells.h"

#include "engine/formats/mxnet-symbol.h"
#include "tests/program.h"

/* A fused RNN of one direction; %u is its number of layers. */
static const char symbol[] = "{\"nodes\":["
                             "{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"
                             "{\"op\":\"null\",\"name\":\"weights\",\"inputs\":[]},"
                             "{\"op\":\"null\",\"name\":\"state\",\"inputs\":[]},"
                             "{\"op\":\"RNN\",\"name\":\"rnn\",\"attrs\":{\"mode\":\"rnn_tanh\","
                             "\"num_layers\":\"%u\",\"state_size\":\"5\"},"
                             "\"inputs\":[[0,0,0],[1,0,0],[2,0,0]]}],"
                             "\"arg_nodes\":[0,1,2],\"heads\":[[3,0,0]],"
                             "\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

static VizDiagram *
draw (guint n_layers)
{
  g_autofree char *text = g_strdup_printf (symbol, n_layers);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  g_autofree ScopeRnnPorts *ports = NULL;
  VizDiagramBuilder        *builder = viz_diagram_builder_new (NULL);
  guint32 box = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "rnn" });

  hyb_symbol_read (model, bytes, "rnn", &error);
  g_assert_no_error (error);
  ports = scope_add_rnn_cells (builder, box, hyb_model_get_graph (model), 3, NULL);
  g_assert_nonnull (ports);
  return viz_diagram_builder_freeze (builder);
}

/* Counts the frames inside the operator, and those that are open at first. */
static guint
count_frames (const VizDiagram *diagram, guint *n_open)
{
  guint n = 0;

  *n_open = 0;
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    {
      const VizBox *box = viz_diagram_box (diagram, i);

      if (box->kind == VIZ_BOX_FRAME)
        {
          n++;
          *n_open += (box->flags & VIZ_BOX_OPEN) != 0;
        }
    }
  return n;
}

static void
test_frames (void)
{
  for (guint n_layers = 1; n_layers <= 6; n_layers++)
    {
      g_autoptr (VizDiagram) diagram = draw (n_layers);
      guint n_open;

      g_assert_cmpuint (count_frames (diagram, &n_open), ==, n_layers);
      g_assert_cmpuint (n_open, ==, n_layers <= 4 ? n_layers : 0);
    }
}

TEST_PROGRAM (test_rnn_cells)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/rnn-cells/frames-of-up-to-four-cells-are-open", test_frames);
  return g_test_run ();
}
