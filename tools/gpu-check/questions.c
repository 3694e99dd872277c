/* questions.c — lengths as NULL or as a device copy, and gradients of weights that are set instead of added.
 *
 * A line for each answer, as tools/gpu-first-contact.sh keeps it.  A status other than success is an answer, too.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/gpu-check/gpu-check.h"

#include <math.h>
#include <stdio.h>

/* Differences up to here are rounding. */
#define ROUNDING 1e-5

#define STEPS 6
#define BATCH 3

/* What a call gave: its status, and what it computed if it was a success. */
typedef struct
{
  cudnnStatus_t status;
  float        *numbers;
} Result;

static void
clear_results (Result *results, guint n)
{
  for (guint i = 0; i < n; i++)
    g_free (results[i].numbers);
}

/* Brings a room for a call that was a success. */
static gboolean
bring_result (Layer *layer, LayerRoom room, Result *result, GError **error)
{
  if (!result->status)
    layer_bring (layer, room, layer->bytes[room]);
  if (!layer_wait (layer, error))
    return FALSE;
  if (!result->status)
    result->numbers = g_memdup2 (layer->room[ROOM_BROUGHT], layer->bytes[room]);
  return TRUE;
}

/* The largest difference; infinite where one is no number. */
static double
compare (const float *a, const float *b, gsize bytes)
{
  double largest = 0;

  for (gsize i = 0; i < bytes / sizeof *a; i++)
    {
      double difference = fabs ((double) a[i] - (double) b[i]);

      largest = isnan (difference) ? INFINITY : MAX (largest, difference);
    }
  return largest;
}

static const char *
name_status (const Layer *layer, cudnnStatus_t status)
{
  return layer->device->cuda->call.cudnnGetErrorString (status);
}

/* --- Lengths --- */

static gboolean
ask_lengths (Layer *layer, const char *kind, const int *lengths, GError **error)
{
  Result   results[2] = { { 0 } }; /* NULL, a device copy */
  gboolean is_done = layer_set_lengths (layer, lengths, error);

  for (guint i = 0; is_done && i < G_N_ELEMENTS (results); i++)
    {
      layer_clear (layer, ROOM_OUTPUT);
      results[i].status = layer_forward (layer, i == 1, TRUE);
      is_done = bring_result (layer, ROOM_OUTPUT, &results[i], error);
    }
  if (is_done)
    printf ("gpucheck 3, devSeqLengths may be NULL, %s lengths: ", kind);
  if (is_done && results[0].numbers && results[1].numbers)
    {
      double difference =
          compare (results[0].numbers, results[1].numbers, layer->bytes[ROOM_OUTPUT]);

      printf ("%s, outputs and states differ by at most %.3g from those with a device copy.\n",
              difference <= ROUNDING ? "yes" : "no", difference);
    }
  else if (is_done)
    printf ("%s, NULL gives %s (%d), a device copy %s (%d).\n", results[0].status ? "no" : "yes",
            name_status (layer, results[0].status), (int) results[0].status,
            name_status (layer, results[1].status), (int) results[1].status);
  clear_results (results, G_N_ELEMENTS (results));
  return is_done;
}

/* --- Gradients of weights --- */

/* What adding begins with are zeros; what setting begins with must not matter, and is the weights. */
static gboolean
compute_gradient (Layer *layer, cudnnWgradMode_t mode, Result *result, GError **error)
{
  HybQueue *queue = layer->queue;

  if (!hyb_dnn_queue_check (queue, "cudnnRNNForward", layer_forward (layer, FALSE, FALSE)) ||
      !hyb_dnn_queue_check (queue, "cudnnRNNBackwardData", layer_backward_data (layer)))
    return layer_wait (layer, error);
  if (mode == HYB_CUDNN_ADD)
    layer_clear (layer, ROOM_DWEIGHTS);
  else
    hyb_cuda_queue_copy (queue, layer->room[ROOM_DWEIGHTS], layer->room[ROOM_WEIGHTS],
                         layer->bytes[ROOM_WEIGHTS]);
  result->status = layer_backward_weights (layer, mode);
  return bring_result (layer, ROOM_DWEIGHTS, result, error);
}

static gboolean
ask_set (Layer *layer, GError **error)
{
  Result   results[2] = { { 0 } }; /* set, added */
  gboolean is_done = compute_gradient (layer, HYB_CUDNN_SET, &results[0], error) &&
                     compute_gradient (layer, HYB_CUDNN_ADD, &results[1], error);

  if (is_done)
    printf ("gpucheck 4, cuDNN refuses WGRAD_MODE_SET: %s, it gives %s (%d)",
            results[0].status ? "yes" : "no", name_status (layer, results[0].status),
            (int) results[0].status);
  if (is_done && results[1].status)
    printf (", and WGRAD_MODE_ADD %s (%d)", name_status (layer, results[1].status),
            (int) results[1].status);
  else if (is_done && results[0].numbers)
    printf (", and gradients that differ by at most %.3g from those of WGRAD_MODE_ADD",
            compare (results[0].numbers, results[1].numbers, layer->bytes[ROOM_DWEIGHTS]));
  if (is_done)
    printf (".\n");
  clear_results (results, G_N_ELEMENTS (results));
  return is_done;
}

gboolean
check_questions (HybDevice *device, GError **error)
{
  static const LayerSizes inference = { STEPS, BATCH, 5, 8, FALSE };
  static const LayerSizes training = { STEPS, BATCH, 5, 8, TRUE };
  static const int        equal[BATCH] = { STEPS, STEPS, STEPS };
  static const int        different[BATCH] = { STEPS, 4, 1 };
  Layer                   layer;
  gboolean                is_done;

  is_done = layer_start (&layer, device, &inference, error) &&
            ask_lengths (&layer, "equal", equal, error) &&
            ask_lengths (&layer, "different", different, error);
  layer_end (&layer);
  if (!is_done)
    return FALSE;
  is_done = layer_start (&layer, device, &training, error) && ask_set (&layer, error);
  layer_end (&layer);
  return is_done;
}
