/* bench-profiler.c — benchmarks recording overhead, captures, and the estimate of fused forms.
 *
 * A program, not a test: it prints times and asserts none.
 *
 *   ninja -C build tests/profiler/bench-profiler
 *   build/tests/profiler/bench-profiler [MODEL…] or --fusable
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/open/open.h"
#include "engine/variants/variant.h"
#include "profiler/base/clock.h"
#include "profiler/explain/estimate.h"
#include "profiler/record/probe-cost.h"
#include "profiler/summary/measured-capture.h"
#include "profiler/summary/roofline.h"
#include "profiler/summary/summary.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_PAIRS 41

/* --- The probe alone --- */

static void
bench_span (void)
{
  printf ("one span              %6.1f ns (clock %.1f ns); in a run: imperative %.1f, hybrid %.1f, "
          "static %.1f ns\n",
          prof_recorder_measure_overhead (), prof_clock_cost (),
          prof_probe_cost (HYB_MODE_IMPERATIVE), prof_probe_cost (HYB_MODE_HYBRID),
          prof_probe_cost (HYB_MODE_STATIC));
}

/* --- Runs with and without recording --- */

/* Seconds of one run; recorder NULL: without recording. */
static double
time_once (ProfSubject *subject, ProfRecorder *recorder)
{
  guint64 begin;

  hyb_executor_set_probe (prof_subject_get_executor (subject),
                          recorder ? prof_recorder_get_probe (recorder) : NULL);
  if (recorder)
    {
      prof_recorder_reset (recorder);
      prof_recorder_begin_run (recorder, 0, FALSE, 0);
    }
  begin = prof_clock_now ();
  prof_subject_run (subject, NULL, NULL);
  begin = prof_clock_now () - begin;
  if (recorder)
    prof_recorder_end_run (recorder);
  return (double) begin * 1e-9;
}

static void
bench_recording (ProfSubject *subject, const char *name)
{
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  double      recorded[N_PAIRS], plain[N_PAIRS];
  ProfPairing pairing;
  guint n_steps = hyb_plan_n_steps (hyb_executor_get_plan (prof_subject_get_executor (subject)));

  for (guint i = 0; i < N_PAIRS; i++)
    if (i % 2 == 0)
      {
        plain[i] = time_once (subject, NULL);
        recorded[i] = time_once (subject, recorder);
      }
    else
      {
        recorded[i] = time_once (subject, recorder);
        plain[i] = time_once (subject, NULL);
      }
  hyb_executor_set_probe (prof_subject_get_executor (subject), NULL);
  prof_pair (recorded, plain, N_PAIRS, &pairing);
  printf ("%-20s  %6u operators of %8.2f µs: recorded / plain ×%.4f (%.4f … %.4f), %.1f ns per "
          "operator\n",
          name, n_steps, prof_median (plain, N_PAIRS) / MAX (n_steps, 1) * 1e6,
          pairing.ratio.median, pairing.ratio.low, pairing.ratio.high,
          (prof_median (recorded, N_PAIRS) - prof_median (plain, N_PAIRS)) / MAX (n_steps, 1) *
              1e9);
}

/* --- Captures --- */

static void
bench_capture (ProfSubject *subject, const char *name)
{
  ProfMeasureOptions options = { .warmup = 1, .repeat = 5, .traced = 5, .seconds = 120 };
  ProfSeries         series;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfCapture) opened = NULL;
  g_autofree char *folder = g_dir_make_tmp ("prof-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.hscope", NULL);
  guint64          begin, open, sum;

  prof_series_init (&series);
  if (prof_measure (&subject, 1, &series, &options, NULL))
    capture = prof_capture_measurement (subject, &series, NULL, NULL);
  prof_series_clear (&series);
  if (!capture || !prof_capture_write (capture, path, NULL))
    return;

  begin = prof_clock_now ();
  opened = prof_capture_open (path, NULL);
  open = prof_clock_now () - begin;
  if (opened)
    {
      g_autoptr (ProfSummary) summary = NULL;

      begin = prof_clock_now ();
      summary = prof_summary_new (opened);
      sum = prof_clock_now () - begin;
      printf ("%-20s  %u nodes, %u events, %.2f MiB; opens in %.2f ms, sums in %.1f ms; nodes + "
              "overhead are %.2f %% of the traced wall time\n",
              name, prof_capture_n_nodes (opened), prof_capture_n_events (opened),
              (double) g_bytes_get_size (prof_capture_get_bytes (opened)) / (1 << 20),
              (double) open * 1e-6, (double) sum * 1e-6, 100 * summary->nodes / summary->traced);
    }
  g_unlink (path);
  g_rmdir (folder);
}

/* --- Subjects --- */

static HybTensor *
fill (const HybType *type)
{
  HybTensor *tensor = hyb_tensor_new_zeros (type, NULL);

  for (gint64 i = 0; tensor && i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type->dtype, (gsize) i,
                          0.01 * (double) (i % 17) - 0.08);
  return tensor;
}

/* A subject with a value for every variable: the parameter of model, else an array of the input
 * type of usual_of. */
static ProfSubject *
make_subject (HybModel *model, HybModel *usual_of, const char *file, gboolean no_passes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  ProfSubjectOptions options = { .name = file, .mode = HYB_MODE_STATIC, .no_passes = no_passes };
  ProfSubject       *subject = NULL;
  HybGraph          *graph = model ? hyb_model_get_graph (model) : NULL;
  guint              n = 0;
  const HybNodeId   *variables = graph ? hyb_graph_get_variables (graph, &n) : NULL;

  for (guint i = 0; i < n; i++)
    {
      const char    *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor     *tensor = hyb_model_get_parameter (model, name);
      const HybType *usual;

      if (tensor)
        tensor = hyb_tensor_ref (tensor);
      else if ((usual = hyb_model_get_input_type (usual_of, name)))
        tensor = fill (usual);
      g_ptr_array_add (values, tensor);
    }
  if (graph)
    subject = prof_subject_new (graph, (HybTensor *const *) values->pdata, &options, &error);
  for (guint i = 0; i < values->len; i++)
    if (values->pdata[i])
      hyb_tensor_unref (values->pdata[i]);
  if (!subject)
    fprintf (stderr, "%s: %s\n", file, error ? error->message : "no graph");
  return subject;
}

static ProfSubject *
open_subject (const char *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (file, NULL, HYB_EPOCH_HIGHEST, &error);

  if (!model)
    fprintf (stderr, "%s: %s\n", file, error->message);
  return model ? make_subject (model, model, file, FALSE) : NULL;
}

/* --- The estimate of a fused form against measurements --- */

static HybVariant *
convert (HybModel *model, HybForm form)
{
  HybConvertOptions options = { .form = form, .input = hyb_tensor_list_new () };
  guint             n;
  const HybNodeId  *variables = hyb_graph_get_variables (hyb_model_get_graph (model), &n);
  HybVariant       *variant;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      const char    *name = hyb_graph_get_node (hyb_model_get_graph (model), variables[i])->name;
      const HybType *type = hyb_model_get_input_type (model, name);
      g_autoptr (HybTensor) tensor = type ? fill (type) : NULL;

      if (tensor)
        hyb_tensor_list_set (options.input, name, tensor);
    }
  variant = hyb_variant_convert (model, &options, &error);
  hyb_tensor_list_unref (options.input);
  if (!variant)
    fprintf (stderr, "%s\n", error->message);
  return variant;
}

static ProfPeaks
measure_peaks (void)
{
  g_autoptr (ProfFacts) machine = prof_facts_new ();

  prof_machine_describe (machine);
  return prof_roofline_measure (machine);
}

/* no_passes: run the unrolled form without optimising passes, as other programs do. */
static void
bench_estimate (const char *file, gboolean no_passes)
{
  g_autoptr (HybModel) model = hyb_model_open (file, NULL, HYB_EPOCH_HIGHEST, NULL);
  g_autoptr (HybVariant) unrolled = model ? convert (model, HYB_FORM_UNROLLED) : NULL;
  g_autoptr (HybVariant) fused = model ? convert (model, HYB_FORM_FUSED) : NULL;
  ProfMeasureOptions options = { .warmup = 3, .repeat = 100, .traced = 7, .seconds = 7 };
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  ProfPeaks    peaks = measure_peaks ();
  ProfSubject *subjects[2] = { NULL, NULL };
  ProfSeries   series[2];

  if (unrolled && fused)
    {
      subjects[0] = make_subject (unrolled->model, model, "unrolled", no_passes);
      subjects[1] = make_subject (fused->model, model, "fused", FALSE);
    }
  prof_series_init (&series[0]);
  prof_series_init (&series[1]);
  prof_facts_set_number (facts, "peak.flops", peaks.flops);
  prof_facts_set_number (facts, "peak.bytes", peaks.bytes);
  if (subjects[0] && subjects[1] && prof_measure (subjects, 2, series, &options, NULL))
    {
      g_autoptr (ProfCapture) capture =
          prof_capture_measurement (subjects[0], &series[0], facts, NULL);
      g_autoptr (ProfSummary) summary = prof_summary_new (capture);
      ProfStatistics before, after;
      guint          n_steps;
      const char    *scope;
      double         estimate = prof_estimate_fused (capture, summary, &n_steps, &scope), gain;

      /* Other processes make runs longer, never shorter, so compare the shortest run of each.  The
       * estimate is relative to the median. */
      prof_statistics ((gpointer) series[0].clean->data, series[0].clean->len, &before);
      prof_statistics ((gpointer) series[1].clean->data, series[1].clean->len, &after);
      gain = before.minimum / after.minimum;
      estimate = before.median.median / estimate;
      printf ("%-72s %8.0f µs → %8.0f µs (n = %u): ×%.2f; estimated ×%.2f (%+.0f %%)\n", file,
              before.minimum * 1e6, after.minimum * 1e6, before.n, gain, estimate,
              100 * (estimate / gain - 1));
    }
  for (guint i = 0; i < 2; i++)
    {
      prof_series_clear (&series[i]);
      g_clear_pointer (&subjects[i], prof_subject_free);
    }
}

static const char *const recurrent_models[] = {
  "gallery:lstm-unrolled",
  "gallery:foreach-rnn?cell=lstm&hidden=128&inputs=128&length=50&batch=1",
  "gallery:foreach-rnn?cell=lstm&hidden=256&inputs=256&length=35&batch=32",
  "gallery:foreach-rnn?cell=gru&hidden=128&inputs=128&length=50&batch=1",
  "gallery:foreach-rnn?cell=gru&hidden=256&inputs=256&length=35&batch=16",
  "gallery:foreach-rnn?cell=rnn&hidden=128&inputs=128&length=100&batch=1",
  "gallery:foreach-rnn?cell=rnn&hidden=256&inputs=256&length=50&batch=32",
  "gallery:foreach-rnn?cell=lstm&hidden=64&inputs=64&length=100&batch=8",
};

int
main (int argc, char **argv)
{
  static const char *const usual[] = {
    "gallery:lstm-unrolled", "gallery:lstm-foreach", "gallery:mlp", "gallery:lenet", NULL,
  };
  const char *const *files = argc > 1 ? (const char *const *) argv + 1 : usual;

  if (argc == 2 && strcmp (argv[1], "--fusable") == 0)
    {
      ProfPeaks peaks;

      /* One thread, so that the result does not depend on how busy the other cores are. */
      hyb_parallel_set_threads (1);
      peaks = measure_peaks ();
      printf ("peaks: %.3g FLOP/s, %.3g byte/s\n", peaks.flops, peaks.bytes);
      for (guint no_passes = 0; no_passes < 2; no_passes++)
        {
          printf ("%s\n", no_passes ? "unrolled, passes left out" : "unrolled, as planned here");
          for (guint i = 0; i < G_N_ELEMENTS (recurrent_models); i++)
            bench_estimate (recurrent_models[i], no_passes);
        }
      return EXIT_SUCCESS;
    }
  bench_span ();
  for (guint i = 0; files[i]; i++)
    {
      g_autoptr (ProfSubject) subject = open_subject (files[i]);

      if (!subject)
        continue;
      bench_recording (subject, files[i]);
      bench_capture (subject, files[i]);
    }
  return EXIT_SUCCESS;
}
