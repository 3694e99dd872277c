/* read-trace.c — traces of other profilers (MXNet, PyTorch, ONNX Runtime, Chrome): events, and attaching them
 * to the nodes of a graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "engine/formats/mxnet-symbol.h"
#include "profiler/exchange/import.h"
#include "profiler/summary/summary.h"

#include <string.h>

/* The graph that events are attached to: operators that traces name, one of them twice. */
static const char symbol[] =
    "{\"nodes\": ["
    "{\"op\": \"null\", \"name\": \"data\", \"attrs\": {\"__shape__\": \"(2, 3, 8, 8)\"}, "
    "\"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"conv_weight\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"conv_bias\", \"inputs\": []},"
    "{\"op\": \"Convolution\", \"name\": \"conv\", \"attrs\": {\"kernel\": \"(3, 3)\", "
    "\"num_filter\": "
    "\"4\"}, \"inputs\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]},"
    "{\"op\": \"Activation\", \"name\": \"relu0\", \"attrs\": {\"act_type\": \"relu\"}, "
    "\"inputs\": [[3, 0, "
    "0]]},"
    "{\"op\": \"Activation\", \"name\": \"relu1\", \"attrs\": {\"act_type\": \"relu\"}, "
    "\"inputs\": [[4, 0, "
    "0]]},"
    "{\"op\": \"elemwise_add\", \"name\": \"add\", \"inputs\": [[4, 0, 0], [5, 0, 0]]},"
    "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"fc_bias\", \"inputs\": []},"
    "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"5\"}, "
    "\"inputs\": [[6, 0, "
    "0], [7, 0, 0], [8, 0, 0]]},"
    "{\"op\": \"softmax\", \"name\": \"softmax\", \"inputs\": [[9, 0, 0]]}],"
    "\"arg_nodes\": [0, 1, 2, 7, 8], \"heads\": [[10, 0, 0]], \"attrs\": {\"mxnet_version\": "
    "[\"int\", "
    "10901]}}";

static HybModel *
get_model (void)
{
  static HybModel *model;

  if (!model)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (symbol, strlen (symbol));

      model = hyb_model_new ();
      g_assert_true (hyb_symbol_read (model, bytes, "graph", NULL));
    }
  return model;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  HybModel *model = get_model ();
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfTrace) trace = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  ProfImport  import = { 0 };
  const char *text = g_bytes_get_data (bytes, NULL);

  fuzz_begin ();
  trace = prof_trace_read (text ? text : "", size, "fuzz", &error);
  g_assert_true ((!trace) == (error != NULL));
  if (!trace)
    return 0;

  fuzz_reached (FUZZ_READ);
  capture = prof_import_trace (trace, hyb_model_get_graph (model), &(ProfImportOptions){ 0 },
                               &import, &error);
  g_assert_true ((!capture) == (error != NULL));
  if (capture)
    {
      g_autoptr (ProfSummary) summary = prof_summary_new (capture);

      fuzz_reached (FUZZ_RAN);
      g_assert_nonnull (summary);
    }
  prof_import_clear (&import);
  return 0;
}
