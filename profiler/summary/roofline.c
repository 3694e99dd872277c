/* roofline.c — measures the peaks with a large matrix product and a large copy, and places
 * operators below them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/roofline.h"

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/gemm.h"
#include "profiler/base/clock.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE       512               /* of the matrices; larger ones are hardly faster */
#define COPY_BYTES ((gsize) 1 << 26) /* larger than any cache */
/* Many short repetitions, so that some are not interrupted on a busy machine; the fastest counts.
 * */
#define N_PRODUCTS 40
#define N_COPIES   12

/* FLOP per second of a matrix product. */
static double
measure_flops (void)
{
  g_autofree float *a = g_new0 (float, SIDE *SIDE);
  g_autofree float *b = g_new0 (float, SIDE *SIDE);
  g_autofree float *c = g_new0 (float, SIDE *SIDE);
  HybGemm           gemm = {
              .m = SIDE, .n = SIDE, .k = SIDE, .lda = SIDE, .ldb = SIDE, .ldc = SIDE, .alpha = 1
  };
  double shortest = G_MAXDOUBLE;

  for (guint i = 0; i < N_PRODUCTS; i++)
    {
      guint64 begin = prof_clock_now ();

      hyb_gemm_f32 (&gemm, a, b, c);
      shortest = MIN (shortest, (double) (prof_clock_now () - begin));
    }
  return 2.0 * SIDE * SIDE * SIDE / (shortest * 1e-9);
}

typedef struct
{
  const char *from;
  char       *to;
} Copy;

static void
copy_slice (gint64 begin, gint64 end, gpointer data)
{
  const Copy *copy = data;

  memcpy (copy->to + begin, copy->from + begin, (gsize) (end - begin));
}

/* Bytes per second of a copy, read and written. */
static double
measure_bytes (void)
{
  g_autofree char *from = g_malloc0 (COPY_BYTES);
  g_autofree char *to = g_malloc0 (COPY_BYTES);
  Copy             copy = { from, to };
  double           shortest = G_MAXDOUBLE;

  for (guint i = 0; i < N_COPIES; i++)
    {
      guint64 begin;

      memset (from, (int) i, COPY_BYTES); /* maps the pages */
      begin = prof_clock_now ();
      hyb_parallel_for ((gint64) COPY_BYTES, 1 << 20, copy_slice, &copy);
      shortest = MIN (shortest, (double) (prof_clock_now () - begin));
    }
  return 2.0 * COPY_BYTES / (shortest * 1e-9);
}

ProfPeaks
prof_roofline_measure (void)
{
  g_autofree char *file =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "peaks.ini", NULL);
  g_autofree char *folder = g_path_get_dirname (file);
  g_autofree char *name =
      g_strdup_printf ("%s, %u threads", openblas_get_corename (), hyb_parallel_get_threads ());
  g_autoptr (GKeyFile) known = g_key_file_new ();
  ProfPeaks peaks;
  double    load;

  g_key_file_load_from_file (known, file, G_KEY_FILE_NONE, NULL);
  peaks.flops = g_key_file_get_double (known, name, "flops", NULL);
  peaks.bytes = g_key_file_get_double (known, name, "bytes", NULL);
  if (peaks.flops > 0 && peaks.bytes > 0 && isfinite (peaks.flops) && isfinite (peaks.bytes))
    return peaks;

  peaks = (ProfPeaks){ measure_flops (), measure_bytes () };
  if (getloadavg (&load, 1) != 1 || load > (double) g_get_num_processors ())
    return peaks; /* the machine is busy: good enough for now, but not stored */
  g_key_file_set_double (known, name, "flops", peaks.flops);
  g_key_file_set_double (known, name, "bytes", peaks.bytes);
  /* If the cache cannot be written, the peaks are measured again next time. */
  if (g_mkdir_with_parents (folder, 0700) == 0 && !g_key_file_save_to_file (known, file, NULL))
    g_debug ("%s cannot be written", file);
  return peaks;
}

ProfPeaks
prof_roofline_peaks (const ProfCapture *capture)
{
  return (ProfPeaks){ prof_capture_get_number (capture, "peak.flops"),
                      prof_capture_get_number (capture, "peak.bytes") };
}

gboolean
prof_roofline_point (const ProfPeaks *peaks,
                     double           seconds,
                     double           flops,
                     double           bytes,
                     ProfRoofPoint   *point)
{
  double min_seconds;

  if (!(peaks->flops > 0) || !(peaks->bytes > 0) || !(seconds > 0) || !(flops >= 0) || !(bytes > 0))
    return FALSE;

  /* A rate would be 0 for operators that only move data, so compare times. */
  min_seconds = MAX (flops / peaks->flops, bytes / peaks->bytes);
  point->intensity = flops / bytes;
  point->flops = flops / seconds;
  point->attainable = MIN (peaks->flops, point->intensity * peaks->bytes);
  point->reached = MIN (min_seconds / seconds, 1);
  point->wasted = seconds * (1 - point->reached);
  return TRUE;
}
