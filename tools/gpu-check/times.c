/* times.c — how long a forward pass of cuDNN takes between two events, alone and with the copies that every run of a
 * model has: the inputs to the GPU, the output back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/gpu-check/estimate.h"
#include "tools/gpu-check/gpu-check.h"

#include <stdio.h>

/* Passes before the first that counts. */
#define WARM_UP 10

static void
run (Layer *layer, gboolean has_copies)
{
  const HybRecurrentNet *net = &layer->plan->net;
  gsize                  output = (gsize) net->T * (gsize) net->N * (gsize) net->H * sizeof (float);

  hyb_cuda_queue_mark (layer->queue, 0);
  if (has_copies)
    layer_send (layer, ROOM_INPUT, layer->bytes[ROOM_INPUT]);
  hyb_dnn_queue_check (layer->queue, "cudnnRNNForward", layer_forward (layer, FALSE, FALSE));
  if (has_copies)
    layer_bring (layer, ROOM_OUTPUT, output);
  hyb_cuda_queue_mark (layer->queue, 1);
}

static gboolean
measure (Layer *layer, gboolean has_copies, int runs, CheckEstimate *result, GError **error)
{
  g_autoptr (GArray) seconds = g_array_new (FALSE, FALSE, sizeof (double));

  for (int i = -WARM_UP; i < runs; i++)
    {
      double between;

      run (layer, has_copies);
      if (!layer_wait (layer, error))
        return FALSE;
      between = hyb_cuda_queue_between (layer->queue, 0, 1);
      if (!layer_wait (layer, error)) /* the event's error */
        return FALSE;
      if (i >= 0)
        g_array_append_val (seconds, between);
    }
  *result = check_estimate (seconds);
  return TRUE;
}

/* --- Output --- */

typedef struct
{
  LayerSizes    sizes;
  int           runs;
  CheckEstimate alone, with_copies;
} Report;

static void
print_estimate (const char *what, const CheckEstimate *e)
{
  printf ("%-32s %.4g µs, 95 %% interval %.4g to %.4g\n", what, e->median * 1e6, e->low * 1e6,
          e->high * 1e6);
}

static void
print (const Report *report)
{
  printf ("LSTM in float32, precise products: %d steps of %d sequences of %d numbers, %d units; "
          "%d runs each, by events\n",
          report->sizes.steps, report->sizes.batch, report->sizes.inputs, report->sizes.units,
          report->runs);
  print_estimate ("cudnnRNNForward", &report->alone);
  print_estimate ("with copies of input and output", &report->with_copies);
}

static void
add_estimate (GString *text, const char *name, const CheckEstimate *e)
{
  g_string_append_printf (text, ",\n \"%s_median\": %.9g, \"%s_low\": %.9g, \"%s_high\": %.9g",
                          name, e->median, name, e->low, name, e->high);
}

static gboolean
write_json (const Report *report, const char *file, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text,
                          "{\"steps\": %d, \"batch\": %d, \"inputs\": %d, \"units\": %d, "
                          "\"runs\": %d",
                          report->sizes.steps, report->sizes.batch, report->sizes.inputs,
                          report->sizes.units, report->runs);
  add_estimate (text, "forward", &report->alone);
  add_estimate (text, "with_copies", &report->with_copies);
  g_string_append (text, "}\n");
  return g_file_set_contents (file, text->str, -1, error);
}

gboolean
check_times (HybDevice *device, const LayerSizes *sizes, int runs, const char *file, GError **error)
{
  Report   report = { .sizes = *sizes, .runs = runs };
  Layer    layer;
  gboolean is_done;

  is_done = layer_start (&layer, device, sizes, error) &&
            measure (&layer, FALSE, runs, &report.alone, error) &&
            measure (&layer, TRUE, runs, &report.with_copies, error);
  layer_end (&layer);
  if (!is_done)
    return FALSE;
  print (&report);
  return !file || write_json (&report, file, error);
}
