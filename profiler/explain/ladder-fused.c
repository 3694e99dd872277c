/* ladder-fused.c — times the matrix products inside fused recurrent layers by running them alone.
 *
 * A fused layer is one operator, so a trace does not show its parts.  Start reading at
 * prof_ladder_fused_gemm().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/clock.h"
#include "profiler/explain/ladder.h"

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/gemm.h"

#include <math.h>
#include <string.h>

#define N_REPEATS 5
/* Larger than any real layer.  Attributes of a file may be any number. */
#define MAX_ELEMENTS ((gint64) 1 << 28)

/* The sizes of a fused recurrent operator. */
typedef struct
{
  gint64   steps, batch, inputs, hidden, gates; /* gates: rows of the weights */
  guint    layers, directions;
  gboolean backward;
} Layer;

static gint64
number_attribute (const HybNode *node, const char *key, gint64 fallback)
{
  const char *text = hyb_node_get_attribute (node, key);
  gint64      value;

  return text && g_ascii_string_to_signed (text, 10, 1, 1 << 24, &value, NULL) ? value : fallback;
}

static gboolean
is_true (const char *text)
{
  return text && (g_ascii_strcasecmp (text, "true") == 0 || strcmp (text, "1") == 0);
}

/* Fills layer.  FALSE if the node is not a recurrent operator of known size in single precision. */
static gboolean
describe_layer (HybGraph      *graph,
                HybNodeId      id,
                const HybType *types,
                gboolean       backward,
                Layer         *layer)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  const char       *mode = hyb_node_get_attribute (node, "mode");
  const HybType    *data = node->n_inputs > 0 ? &types[inputs[0]] : NULL;

  if (node->op->category != HYB_CATEGORY_RECURRENT || !mode || !data || data->shape.rank != 3 ||
      data->dtype != HYB_F32 || !hyb_type_is_known (data))
    return FALSE;

  *layer = (Layer){
    .steps = data->shape.dim[0],
    .batch = data->shape.dim[1],
    .inputs = data->shape.dim[2],
    .hidden = number_attribute (node, "state_size", 0),
    .layers = (guint) number_attribute (node, "num_layers", 1),
    .directions = is_true (hyb_node_get_attribute (node, "bidirectional")) ? 2 : 1,
    .backward = backward,
  };
  layer->gates = layer->hidden * (strcmp (mode, "lstm") == 0  ? 4
                                  : strcmp (mode, "gru") == 0 ? 3
                                                              : 1);
  return layer->hidden > 0 &&
         layer->steps * layer->batch * (layer->gates + layer->inputs) < MAX_ELEMENTS &&
         layer->gates * MAX (layer->inputs, 2 * layer->hidden) < MAX_ELEMENTS;
}

/* The arrays of the products.  Their contents do not matter. */
typedef struct
{
  float *x;       /* (steps × batch, widest input) */
  float *weights; /* (gates, widest input) */
  float *gates;   /* (steps × batch, gates) */
  float *to;      /* results of the backward pass */
} Arrays;

/* The products of one direction of one layer in the forward pass: of the inputs of all steps at
 * once, of the states step by step. */
static void
run_forward (const Layer *layer, gint64 inputs, const Arrays *arrays)
{
  HybGemm all = { .transpose_b = TRUE,
                  .m = layer->steps * layer->batch,
                  .n = layer->gates,
                  .k = inputs,
                  .lda = inputs,
                  .ldb = inputs,
                  .ldc = layer->gates,
                  .alpha = 1 };
  HybGemm step = { .transpose_b = TRUE,
                   .m = layer->batch,
                   .n = layer->gates,
                   .k = layer->hidden,
                   .lda = layer->hidden,
                   .ldb = layer->hidden,
                   .ldc = layer->gates,
                   .alpha = 1,
                   .beta = 1 };

  hyb_gemm_f32 (&all, arrays->x, arrays->weights, arrays->gates);
  for (gint64 t = 0; t < layer->steps; t++)
    hyb_gemm_f32 (&step,
                  arrays->x,
                  arrays->weights,
                  arrays->gates + t * layer->batch * layer->gates);
}

/* The products of the backward pass: gradients of the states step by step, then of the inputs and
 * of both weights at once. */
static void
run_backward (const Layer *layer, gint64 inputs, const Arrays *arrays)
{
  HybGemm step = { .m = layer->batch,
                   .n = layer->hidden,
                   .k = layer->gates,
                   .lda = layer->gates,
                   .ldb = layer->hidden,
                   .ldc = layer->hidden,
                   .alpha = 1 };
  HybGemm data = { .m = layer->steps * layer->batch,
                   .n = inputs,
                   .k = layer->gates,
                   .lda = layer->gates,
                   .ldb = inputs,
                   .ldc = inputs,
                   .alpha = 1 };
  HybGemm weight = { .transpose_a = TRUE,
                     .m = layer->gates,
                     .n = inputs,
                     .k = layer->steps * layer->batch,
                     .lda = layer->gates,
                     .ldb = inputs,
                     .ldc = inputs,
                     .alpha = 1 };

  for (gint64 t = 0; t < layer->steps; t++)
    hyb_gemm_f32 (&step,
                  arrays->gates + t * layer->batch * layer->gates,
                  arrays->weights,
                  arrays->to);
  hyb_gemm_f32 (&data, arrays->gates, arrays->weights, arrays->to);
  hyb_gemm_f32 (&weight, arrays->gates, arrays->x, arrays->to);
  weight.n = weight.ldb = weight.ldc = layer->hidden;
  hyb_gemm_f32 (&weight, arrays->gates, arrays->x, arrays->to);
}

/* The median seconds of all products of an operator. */
static double
time_layer (const Layer *layer)
{
  gint64            widest = MAX (layer->inputs, layer->hidden * layer->directions);
  gint64            rows = layer->steps * layer->batch;
  g_autofree float *x = g_new0 (float, rows *widest);
  g_autofree float *weights = g_new0 (float, layer->gates *widest);
  g_autofree float *gates = g_new0 (float, rows * layer->gates);
  g_autofree float *to = g_new0 (float, MAX (rows, layer->gates) * widest);
  const Arrays      arrays = { x, weights, gates, to };
  double            samples[N_REPEATS];

  for (guint i = 0; i < N_REPEATS; i++)
    {
      guint64 begin = prof_clock_now ();

      for (guint l = 0; l < layer->layers * layer->directions; l++)
        {
          gint64 inputs = l < layer->directions ? layer->inputs : layer->hidden * layer->directions;

          run_forward (layer, inputs, &arrays);
          if (layer->backward)
            run_backward (layer, inputs, &arrays);
        }
      samples[i] = (double) (prof_clock_now () - begin) * 1e-9;
    }
  return prof_median (samples, N_REPEATS);
}

/* Whether a node is a recurrent operator with the name of a node of the model.  Nodes of the
 * backward pass have other names. */
static gboolean
is_of_model (HybGraph *model, const HybNode *node)
{
  if (node->op->category != HYB_CATEGORY_RECURRENT)
    return FALSE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (model); id++)
    if (strcmp (hyb_graph_get_node (model, id)->name, node->name) == 0)
      return TRUE;
  return FALSE;
}

double
prof_ladder_fused_gemm (const ProfSubject *subject)
{
  HybGraph      *graph = prof_subject_get_executed (subject);
  const HybType *types = prof_subject_get_types (subject);
  gboolean       backward = prof_subject_get_options (subject)->backward;
  double         seconds = NAN;
  guint          threads = hyb_parallel_get_threads ();
  Layer          layer;

  prof_subject_use_threads (subject, threads);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (is_of_model (prof_subject_get_graph (subject), hyb_graph_get_node (graph, id)) &&
        describe_layer (graph, id, types, backward, &layer))
      seconds = (isfinite (seconds) ? seconds : 0) + time_layer (&layer);
  if (hyb_parallel_get_threads () != threads)
    hyb_parallel_set_threads (threads);
  return seconds;
}
