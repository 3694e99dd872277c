/* sweep.c — forward and backward passes of cuDNN's recurrent layers: each algorithm in both maths, launched and recorded.
 *
 * A line of JSON for each, flushed, so that a crash loses one.  A combination that cuDNN refuses is a line with its status.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "tools/gpu-check/estimate.h"
#include "tools/gpu-check/gpu-check.h"

#include <stdio.h>

#define WARM_UP    3
#define SECONDS    0.15 /* of one combination; then fewer runs must do */
#define PHASES     2    /* inference, training */
#define RECORDINGS 2

/* The numbers of cudnnRNNAlgo_t. */
static const char *const algorithms[] = { "standard", "persist-static", "persist-dynamic",
                                          "persist-small" };

typedef struct
{
  HybDevice *device;
  LayerSizes sizes;
  gboolean   is_recorded;
  int        runs;
  HybReplay *replay; /* NULL: not recorded */
} Combination;

int
check_find_algorithm (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (algorithms); i++)
    if (g_strcmp0 (algorithms[i], name) == 0)
      return (int) i;
  return -1;
}

/* --- One combination --- */

static void
hand_over (Layer *layer)
{
  HybQueue *queue = layer->queue;

  hyb_dnn_queue_check (queue, "cudnnRNNForward", layer_forward (layer, FALSE, FALSE));
  if (!layer->plan->training)
    return;
  hyb_dnn_queue_check (queue, "cudnnRNNBackwardData", layer_backward_data (layer));
  layer_clear (layer, ROOM_DWEIGHTS);
  hyb_dnn_queue_check (queue, "cudnnRNNBackwardWeights",
                       layer_backward_weights (layer, HYB_CUDNN_ADD));
}

/* Once before it is recorded: first calls allocate, which recording forbids. */
static gboolean
record (Combination *this, Layer *layer, GError **error)
{
  hand_over (layer);
  if (!layer_wait (layer, error) || !this->is_recorded)
    return !layer->queue->failure;
  hyb_cuda_queue_record (layer->queue);
  hand_over (layer);
  this->replay = hyb_cuda_queue_recorded (layer->queue, error);
  return this->replay != NULL;
}

static gboolean
take_sample (Combination *this, Layer *layer, double *seconds, GError **error)
{
  hyb_cuda_queue_mark (layer->queue, 0);
  if (this->replay)
    hyb_cuda_queue_replay (layer->queue, this->replay);
  else
    hand_over (layer);
  hyb_cuda_queue_mark (layer->queue, 1);
  if (!layer_wait (layer, error))
    return FALSE;
  *seconds = hyb_cuda_queue_between (layer->queue, 0, 1);
  return layer_wait (layer, error);
}

static gboolean
measure (Combination *this, Layer *layer, CheckEstimate *estimate, GError **error)
{
  g_autoptr (GArray) seconds = g_array_new (FALSE, FALSE, sizeof (double));
  gint64 end = g_get_monotonic_time () + (gint64) (SECONDS * G_USEC_PER_SEC);

  if (!record (this, layer, error))
    return FALSE;
  for (int i = -WARM_UP; i < this->runs; i++)
    {
      double sample;

      if (i >= CHECK_MIN_RUNS && g_get_monotonic_time () > end)
        break;
      if (!take_sample (this, layer, &sample, error))
        return FALSE;
      if (i >= 0)
        g_array_append_val (seconds, sample);
    }
  *estimate = check_estimate (seconds);
  return TRUE;
}

static void
print_sizes (const Combination *this)
{
  const LayerSizes *sizes = &this->sizes;

  printf ("{\"cell\": \"%s\", \"training\": %s, \"units\": %d, \"batch\": %d, \"steps\": %d, "
          "\"algorithm\": \"%s\", \"math\": \"%s\", \"recorded\": %s, ",
          sizes->is_gru ? "gru" : "lstm", sizes->training ? "true" : "false", sizes->units,
          sizes->batch, sizes->steps, algorithms[sizes->algorithm],
          sizes->is_fast ? "default" : "fma", this->is_recorded ? "true" : "false");
}

/* FALSE: the GPU refuses everything from now on. */
static gboolean
run_combination (Combination *this)
{
  g_autoptr (GError) error = NULL;
  Layer         layer;
  CheckEstimate estimate;
  gboolean      is_done = layer_start (&layer, this->device, &this->sizes, &error) &&
                     measure (this, &layer, &estimate, &error);

  if (this->replay)
    hyb_cuda_replay_free (this->replay);
  this->replay = NULL;
  layer_end (&layer);
  print_sizes (this);
  if (is_done)
    printf ("\"median\": %.9g, \"low\": %.9g, \"high\": %.9g}\n", estimate.median, estimate.low,
            estimate.high);
  else
    printf ("\"failure\": \"%s\"}\n",
            error ? g_strdelimit (error->message, "\"\\\n", ' ') : "unknown");
  fflush (stdout);
  return is_done;
}

/* --- All of them --- */

/* Numbers of a list; 0 in front of what is none. */
static int
next_number (char **list)
{
  return (int) g_ascii_strtoll (*list, list, 10);
}

static void
run_sizes (Combination *this)
{
  for (guint cell = 0; cell < 2; cell++)
    for (guint math = 0; math < 2; math++)
      for (guint recorded = 0; recorded < RECORDINGS; recorded++)
        {
          this->sizes.is_gru = cell == 1;
          this->sizes.is_fast = math == 1;
          this->is_recorded = recorded == 1;
          run_combination (this);
        }
}

gboolean
check_sweep (HybDevice *device, const CheckSweep *sweep, GError **error)
{
  Combination this = { .device = device, .runs = sweep->runs };
  gboolean is_any = FALSE;

  for (guint phase = 0; phase < PHASES; phase++)
    {
      char *units = (char *) sweep->units;

      while ((this.sizes.units = this.sizes.inputs = next_number (&units)) > 0)
        {
          char *batches = (char *) sweep->batches;

          while ((this.sizes.batch = next_number (&batches)) > 0)
            {
              this.sizes.steps = sweep->steps;
              this.sizes.algorithm = sweep->algorithm;
              this.sizes.training = phase == 1;
              run_sizes (&this);
              is_any = TRUE;
            }
        }
    }
  return is_any || hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                                 "there is no size in “%s” and “%s”", sweep->units, sweep->batches);
}
