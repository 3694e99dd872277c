/* ladder-fused.c — the rung inside a fused layer: its matrix products, run alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/clock.h"
#include "profiler/explain/ladder.h"

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/gemm.h"

#include <math.h>
#include <string.h>

#define N_REPEATS 5
/* More than any real layer; a file may say anything. */
#define MAX_ELEMENTS ((gint64) 1 << 28)

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

/* One direction of one layer, forward: inputs of all steps at once, states step by step. */
static void
run_forward (const Layer *layer, gint64 inputs, const float *x, const float *weights, float *gates)
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

  hyb_gemm_f32 (&all, x, weights, gates);
  for (gint64 t = 0; t < layer->steps; t++)
    hyb_gemm_f32 (&step, x, weights, gates + t * layer->batch * layer->gates);
}

/* Back: to the states step by step, then inputs and both weights at once. */
static void
run_backward (const Layer *layer,
              gint64       inputs,
              const float *x,
              const float *weights,
              const float *gates,
              float       *to)
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
    hyb_gemm_f32 (&step, gates + t * layer->batch * layer->gates, weights, to);
  hyb_gemm_f32 (&data, gates, weights, to);
  hyb_gemm_f32 (&weight, gates, x, to);
  weight.n = weight.ldb = weight.ldc = layer->hidden;
  hyb_gemm_f32 (&weight, gates, x, to);
}

static double
time_layer (const Layer *layer)
{
  gint64            widest = MAX (layer->inputs, layer->hidden * layer->directions);
  gint64            rows = layer->steps * layer->batch;
  g_autofree float *x = g_new0 (float, rows *widest);
  g_autofree float *weights = g_new0 (float, layer->gates *widest);
  g_autofree float *gates = g_new0 (float, rows * layer->gates);
  g_autofree float *to = g_new0 (float, MAX (rows, layer->gates) * widest);
  double            samples[N_REPEATS];

  for (guint i = 0; i < N_REPEATS; i++)
    {
      guint64 begin = prof_clock_now ();

      for (guint l = 0; l < layer->layers * layer->directions; l++)
        {
          gint64 inputs = l < layer->directions ? layer->inputs : layer->hidden * layer->directions;

          run_forward (layer, inputs, x, weights, gates);
          if (layer->backward)
            run_backward (layer, inputs, x, weights, gates, to);
        }
      samples[i] = (double) (prof_clock_now () - begin) * 1e-9;
    }
  return prof_median (samples, N_REPEATS);
}

/* Whether it is a node of the model, or stands for one: gradients bear other names. */
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
