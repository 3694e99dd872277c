/* probe-cost.c — runs a chain of negations of one number with and without a recorder, in turns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/probe-cost.h"

#include "engine/graph/builder.h"
#include "profiler/base/clock.h"
#include "profiler/record/recorder.h"
#include "profiler/record/subject.h"

#define N_NODES  400
#define N_ROUNDS 15

/* A chain of negations; NULL if the engine refuses it. */
static ProfSubject *
make_chain (HybMode mode)
{
  ProfSubjectOptions options = { .name = "chain", .mode = mode, .no_passes = TRUE };
  HybType            type = { hyb_shape_1d (1), HYB_F32 };
  HybTensor         *value = hyb_tensor_new_zeros (&type, NULL);
  HybBuilder        *builder = hyb_builder_new ();
  HybValueId         x = hyb_builder_add_variable (builder, "x", NULL);
  g_autoptr (HybGraph) graph = NULL;
  ProfSubject *subject;

  for (guint i = 0; i < N_NODES; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);

      x = hyb_builder_call (builder, "negative",
                            &(HybNodeSpec){
                                .name = name, .n_inputs = 1, .inputs = (HybValueId[]){ x } },
                            NULL);
    }
  hyb_builder_add_head (builder, x);
  graph = hyb_builder_freeze (builder);
  subject = prof_subject_new (graph, &value, &options, NULL);
  hyb_tensor_unref (value);
  return subject;
}

/* Nanoseconds of one run; recorder NULL: without recording. */
static double
time_chain (ProfSubject *subject, ProfRecorder *recorder)
{
  HybExecutor *executor = prof_subject_get_executor (subject);
  guint64      begin, end;

  if (recorder)
    {
      prof_recorder_reset (recorder);
      hyb_executor_set_probe (executor, prof_recorder_get_probe (recorder));
      prof_recorder_begin_run (recorder, 0, FALSE, 8 * N_NODES);
    }
  begin = prof_clock_now ();
  prof_subject_run (subject, NULL, NULL);
  end = prof_clock_now ();
  if (recorder)
    {
      prof_recorder_end_run (recorder);
      hyb_executor_set_probe (executor, NULL);
    }
  return (double) (end - begin);
}

double
prof_probe_cost (HybMode mode)
{
  g_autoptr (ProfSubject) subject = make_chain (mode);
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  double clock = prof_clock_cost (), with = G_MAXDOUBLE, without = G_MAXDOUBLE;

  if (!subject)
    return prof_recorder_measure_overhead ();
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      without = MIN (without, time_chain (subject, NULL));
      with = MIN (with, time_chain (subject, recorder));
    }
  return MAX ((with - without) / N_NODES, clock);
}
