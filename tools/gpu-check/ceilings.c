/* ceilings.c — what the card can do at most: copies, float32 products, and small pieces of work one after the other.
 *
 * A line of JSON for each, flushed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/gpu-check/estimate.h"
#include "tools/gpu-check/gpu-check.h"

#include <stdio.h>

#define WARM_UP 3
#define PIECES  1000 /* small pieces of work in a sample */

/* What is measured. */
typedef struct
{
  HybDevice *device;
  HybQueue  *queue;
  char      *host, *from, *to, *result; /* host: pinned */
  gsize      bytes;                     /* of each */
  int        size;                      /* rows and columns of products */
  int        runs;
  int        compute; /* of cuBLAS */
  HybReplay *replay;
} Bench;

typedef void (*Work) (Bench *bench);

static void
copy_in (Bench *bench)
{
  hyb_cuda_queue_copy (bench->queue, bench->from, bench->host, bench->bytes);
}

static void
copy_out (Bench *bench)
{
  hyb_cuda_queue_copy (bench->queue, bench->host, bench->from, bench->bytes);
}

static void
copy_within (Bench *bench)
{
  hyb_cuda_queue_copy (bench->queue, bench->to, bench->from, bench->bytes);
}

static void
clear_pieces (Bench *bench)
{
  for (int i = 0; i < PIECES; i++)
    hyb_cuda_queue_clear (bench->queue, bench->to, 256);
}

static void
replay_pieces (Bench *bench)
{
  hyb_cuda_queue_replay (bench->queue, bench->replay);
}

static void
multiply (Bench *bench)
{
  static const float one = 1, zero = 0;
  HybQueue          *queue = bench->queue;
  int                n = bench->size;

  if (hyb_cuda_queue_uses_cublas (queue))
    hyb_cuda_queue_check_cublas (queue, "cublasGemmEx",
                                 bench->device->cuda->call
                                     .cublasGemmEx (queue->cublas, 0, 0, n, n, n, &one, bench->from,
                                                    HYB_CUBLAS_R_32F, n, bench->to,
                                                    HYB_CUBLAS_R_32F, n, &zero, bench->result,
                                                    HYB_CUBLAS_R_32F, n, bench->compute,
                                                    HYB_CUBLAS_GEMM_DEFAULT));
}

/* --- Measuring --- */

static gboolean
wait_for (Bench *bench, GError **error)
{
  return hyb_cuda_queue_finish (bench->queue, NULL, error);
}

static gboolean
measure (Bench *bench, Work work, CheckEstimate *estimate, GError **error)
{
  g_autoptr (GArray) seconds = g_array_new (FALSE, FALSE, sizeof (double));

  for (int i = -WARM_UP; i < bench->runs; i++)
    {
      double sample;

      hyb_cuda_queue_mark (bench->queue, 0);
      work (bench);
      hyb_cuda_queue_mark (bench->queue, 1);
      if (!wait_for (bench, error))
        return FALSE;
      sample = hyb_cuda_queue_between (bench->queue, 0, 1);
      if (!wait_for (bench, error))
        return FALSE;
      if (i >= 0)
        g_array_append_val (seconds, sample);
    }
  *estimate = check_estimate (seconds);
  return TRUE;
}

/* What is measured of a bench. */
typedef struct
{
  const char *what, *unit;
  double      amount; /* of bytes, operations or pieces in one run */
  Work        work;
} Rate;

static gboolean
report (Bench *bench, const Rate *rate, GError **error)
{
  CheckEstimate estimate;

  if (!measure (bench, rate->work, &estimate, error))
    return FALSE;
  printf ("{\"what\": \"%s\", \"unit\": \"%s\", \"amount\": %.9g, \"median\": %.9g, \"low\": %.9g, "
          "\"high\": %.9g}\n",
          rate->what, rate->unit, rate->amount, estimate.median, estimate.low, estimate.high);
  fflush (stdout);
  return TRUE;
}

/* --- Room --- */

static gboolean
allocate (Bench *bench, GError **error)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  float *numbers;

  if (!(bench->host = hyb_cuda_take (bench->device, TRUE, bench->bytes, error)) ||
      !(bench->from = hyb_cuda_take (bench->device, FALSE, bench->bytes, error)) ||
      !(bench->to = hyb_cuda_take (bench->device, FALSE, bench->bytes, error)) ||
      !(bench->result = hyb_cuda_take (bench->device, FALSE, bench->bytes, error)))
    return FALSE;
  /* Zeros would take less power, and time, than other numbers. */
  numbers = (float *) (gpointer) bench->host;
  for (gsize i = 0; i < bench->bytes / sizeof *numbers; i++)
    numbers[i] = i < 65536 ? (float) g_rand_double_range (rand, -1, 1) : numbers[i - 65521];
  copy_in (bench);
  hyb_cuda_queue_copy (bench->queue, bench->to, bench->host, bench->bytes);
  return wait_for (bench, error);
}

static void
release (Bench *bench)
{
  char *rooms[] = { bench->host, bench->from, bench->to, bench->result };

  wait_for (bench, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rooms); i++)
    if (rooms[i])
      hyb_cuda_give (bench->device, i == 0, rooms[i]);
  if (bench->replay)
    hyb_cuda_replay_free (bench->replay);
  hyb_cuda_queue_free (bench->queue);
}

static gboolean
record_pieces (Bench *bench, GError **error)
{
  hyb_cuda_queue_record (bench->queue);
  clear_pieces (bench);
  bench->replay = hyb_cuda_queue_recorded (bench->queue, error);
  return bench->replay != NULL;
}

static gboolean
report_product (Bench *bench, const char *what, int compute, GError **error)
{
  double n = bench->size;
  Rate   rate = { what, "operation", 2 * n * n * n, multiply };

  bench->compute = compute;
  return report (bench, &rate, error);
}

static gboolean
report_all (Bench *bench, GError **error)
{
  double     bytes = (double) bench->bytes;
  const Rate rates[] = {
    { "copy to the GPU", "byte", bytes, copy_in },
    { "copy from the GPU", "byte", bytes, copy_out },
    { "copy within the GPU, read and written", "byte", 2 * bytes, copy_within },
    { "small pieces of work, launched", "piece", PIECES, clear_pieces },
    { "small pieces of work, replayed", "piece", PIECES, replay_pieces },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    if ((rates[i].work == replay_pieces && !record_pieces (bench, error)) ||
        !report (bench, &rates[i], error))
      return FALSE;
  return report_product (bench, "float32 product", HYB_CUBLAS_COMPUTE_32F, error) &&
         report_product (bench, "float32 product, pedantic", HYB_CUBLAS_COMPUTE_32F_PEDANTIC,
                         error) &&
         report_product (bench, "float32 product, TF32", HYB_CUBLAS_COMPUTE_32F_FAST_TF32, error);
}

gboolean
check_ceilings (HybDevice *device, int size, int runs, GError **error)
{
  Bench    bench = { .device = device, .size = size, .runs = runs };
  gboolean is_done;

  bench.bytes = sizeof (float) * (gsize) size * (gsize) size;
  bench.queue = hyb_cuda_queue_new (device, error);
  if (!bench.queue)
    return FALSE;
  is_done = allocate (&bench, error) && report_all (&bench, error);
  release (&bench);
  return is_done;
}
