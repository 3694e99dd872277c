/* ladder.c — makes the rungs of a ladder from modes and passes, and measures them in turns.
 *
 * Every optimising pass that changes the plan is a rung; the pass names its bucket.  Start reading
 * at prof_ladder_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/ladder.h"

#include "engine/analysis/pass.h"
#include "engine/base/parallel.h"
#include "profiler/base/format.h"
#include "profiler/explain/same-plan.h"
#include "profiler/summary/measured-capture.h"

#include <math.h>
#include <string.h>

static const ProfBucketKind bucket_of_saving[] = {
  [HYB_SAVES_DISPATCH] = PROF_BUCKET_HOST,
  [HYB_SAVES_PRODUCTS] = PROF_BUCKET_GEMM,
  [HYB_SAVES_POINTWISE] = PROF_BUCKET_POINTWISE,
  [HYB_SAVES_MOVEMENT] = PROF_BUCKET_MOVEMENT,
};

static void
rung_free (gpointer data)
{
  ProfRung *rung = data;

  prof_series_clear (&rung->series);
  g_clear_pointer (&rung->subject, prof_subject_free);
  g_free (rung->name);
  g_free (rung);
}

static void
add_rung (ProfLadder    *ladder,
          const char    *name,
          const char    *doc,
          ProfBucketKind bucket,
          ProfSubject   *subject)
{
  ProfRung *rung = g_new0 (ProfRung, 1);

  rung->name = g_strdup (name);
  rung->doc = doc;
  rung->bucket = bucket;
  rung->subject = subject;
  prof_series_init (&rung->series);
  g_ptr_array_add (ladder->rungs, rung);
}

void
prof_ladder_free (ProfLadder *ladder)
{
  if (!ladder)
    return;
  g_ptr_array_unref (ladder->rungs);
  prof_comparison_free (ladder->comparison);
  g_free (ladder);
}

/* The data shared by all rungs. */
typedef struct
{
  HybGraph                 *graph;
  HybTensor *const         *values;
  const ProfSubjectOptions *options; /* common to all rungs */
  const char *const        *passes;  /* names of all optimising passes, NULL-terminated */
} LadderInput;

/* The names of all optimising passes in their order, NULL-terminated.  (transfer container) */
static const char **
list_optimising (void)
{
  const HybPass *const *passes = hyb_passes ();
  GPtrArray            *names = g_ptr_array_new ();

  for (guint i = 0; passes[i]; i++)
    if (passes[i]->optimising)
      g_ptr_array_add (names, (gpointer) passes[i]->name);
  g_ptr_array_add (names, NULL);
  return (const char **) g_ptr_array_free (names, FALSE);
}

/* A subject with one thread and without these passes. */
static ProfSubject *
make_subject (const LadderInput *input,
              const char        *name,
              HybMode            mode,
              const char *const *without,
              GError           **error)
{
  ProfSubjectOptions options = *input->options;

  options.name = name;
  options.mode = mode;
  options.threads = 1;
  options.without = without;
  options.no_passes = FALSE;
  options.dump_after = NULL;
  return prof_subject_new (input->graph, input->values, &options, error);
}

/* The modes, without optimising passes. */
static gboolean
add_modes (ProfLadder *ladder, const LadderInput *input, GError **error)
{
  static const struct
  {
    const char    *name, *doc;
    HybMode        mode;
    ProfBucketKind bucket;
  } modes[] = {
    { "operator by operator", "no plan: types and memory at every operator", HYB_MODE_IMPERATIVE,
      PROF_BUCKET_HOST },
    { "planned", "types, order and offsets computed before", HYB_MODE_HYBRID, PROF_BUCKET_HOST },
    { "static memory", "one block of memory, kept between runs", HYB_MODE_STATIC,
      PROF_BUCKET_MEMORY },
  };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      ProfSubject *subject =
          make_subject (input, modes[i].name, modes[i].mode, input->passes, error);

      if (!subject)
        return FALSE;
      add_rung (ladder, modes[i].name, modes[i].doc, modes[i].bucket, subject);
    }
  return TRUE;
}

/* One pass more per rung, where it changes the plan. */
static gboolean
add_passes (ProfLadder *ladder, const LadderInput *input, GError **error)
{
  for (const char *const *first = input->passes; *first; first++)
    {
      const HybPass  *pass = hyb_pass_find (*first);
      const ProfRung *last = ladder->rungs->pdata[ladder->rungs->len - 1];
      ProfSubject    *subject = make_subject (input, *first, HYB_MODE_STATIC, first + 1, error);

      if (!subject)
        return FALSE;
      if (prof_subject_has_same_plan (last->subject, subject))
        prof_subject_free (subject);
      else
        add_rung (ladder, *first, pass->doc, bucket_of_saving[pass->saves], subject);
    }
  return TRUE;
}

/* The other form, then all threads. */
static gboolean
add_last (ProfLadder *ladder, const LadderInput *input, const ProfSubject *form, GError **error)
{
  LadderInput        last = *input;
  ProfSubjectOptions all = *input->options;
  ProfSubject       *subject;
  guint              n_threads = hyb_parallel_get_threads ();
  g_autofree char   *name = g_strdup_printf ("%u threads", n_threads);

  if (form)
    {
      const char *variant = prof_subject_get_options (form)->variant;

      last.graph = prof_subject_get_graph (form);
      last.values = prof_subject_get_values (form);
      subject = make_subject (&last, variant, HYB_MODE_STATIC, NULL, error);
      if (!subject)
        return FALSE;
      add_rung (ladder, variant, "the model in this form", PROF_N_BUCKETS, subject);
    }
  if (n_threads < 2)
    return TRUE;
  all.name = name;
  all.mode = HYB_MODE_STATIC;
  all.without = NULL;
  all.no_passes = FALSE;
  if (!(subject = prof_subject_new (last.graph, last.values, &all, error)))
    return FALSE;
  add_rung (ladder, name, "large operators are divided over the threads", PROF_BUCKET_OVERLAP,
            subject);
  return TRUE;
}

ProfLadder *
prof_ladder_new (HybGraph                 *graph,
                 HybTensor *const         *values,
                 const ProfSubject        *form,
                 const ProfSubjectOptions *options,
                 GError                  **error)
{
  g_autoptr (ProfLadder) ladder = g_new0 (ProfLadder, 1);
  g_autofree const char **passes = list_optimising ();
  const LadderInput       input = { graph, values, options, passes };

  ladder->rungs = g_ptr_array_new_with_free_func (rung_free);
  if (!add_modes (ladder, &input, error) || !add_passes (ladder, &input, error) ||
      !add_last (ladder, &input, form, error))
    return NULL;
  return g_steal_pointer (&ladder);
}

void
prof_ladder_compare (ProfLadder *ladder)
{
  guint                  n = ladder->rungs->len;
  g_autofree ProfSeries *series = g_new (ProfSeries, n);

  for (guint i = 0; i < n; i++)
    series[i] = ((ProfRung *) ladder->rungs->pdata[i])->series;
  g_clear_pointer (&ladder->comparison, prof_comparison_free);
  ladder->comparison = prof_series_compare (series, n);
  for (guint i = 0; i < n; i++)
    {
      ProfRung   *rung = ladder->rungs->pdata[i];
      ProfPairing pairing;

      rung->time = *prof_comparison_get_time (ladder->comparison, i);
      if (i == 0)
        continue;
      prof_comparison_pair (ladder->comparison, i, i - 1, &pairing);
      rung->saved = prof_comparison_get_saved (ladder->comparison, i - 1, i);
      rung->verdict = pairing.verdict;
    }
}

gboolean
prof_ladder_measure (ProfLadder *ladder, const ProfMeasureOptions *options, GError **error)
{
  guint                    n = ladder->rungs->len;
  g_autofree ProfSubject **subjects = g_new (ProfSubject *, n);
  g_autofree ProfSeries   *series = g_new (ProfSeries, n);
  gboolean                 is_done;

  for (guint i = 0; i < n; i++)
    {
      ProfRung *rung = ladder->rungs->pdata[i];

      subjects[i] = rung->subject;
      series[i] = rung->series;
    }
  is_done = prof_measure (subjects, n, series, options, error);
  for (guint i = 0; i < n; i++)
    ((ProfRung *) ladder->rungs->pdata[i])->series = series[i];
  ladder->stop = series[0].stop;
  prof_ladder_compare (ladder);
  return is_done;
}

/* Adds the time that a rung saved to a bucket. */
static void
add_rung_to_bucket (ProfBucket *bucket, const ProfRung *rung)
{
  gboolean         is_noise = rung->verdict != PROF_FASTER && rung->verdict != PROF_SLOWER;
  double           reach = fmax (fabs (rung->saved.low), fabs (rung->saved.high));
  g_autofree char *seconds = prof_format_seconds (is_noise ? reach : rung->saved.median);
  g_autofree char *time = g_strconcat (is_noise && isfinite (reach) ? "± " : "", seconds, NULL);
  double           known = isfinite (bucket->proved) ? bucket->proved : 0;

  prof_bucket_set_rung (bucket, known + rung->saved.median,
                        bucket->rung
                            ? g_strdup_printf ("%s; %s: %s", bucket->rung, rung->name, time)
                            : g_strdup_printf ("%s: %s", rung->name, time));
}

/* Moves the time saved by static memory to the memory bucket.  Until then the host bucket has it, as
 * all time outside operators. */
static void
move_memory (const ProfRung *rung, ProfExplanation *explanation)
{
  ProfBucket *memory = &explanation->bucket[PROF_BUCKET_MEMORY];
  ProfBucket *host = &explanation->bucket[PROF_BUCKET_HOST];

  memory->seconds += rung->saved.median;
  memory->low = rung->saved.low;
  memory->high = rung->saved.high;
  host->seconds -= rung->saved.median;
  host->low -= rung->saved.high;
  host->high -= rung->saved.low;
}

/* Adds the rungs up to last to the buckets that they belong to.  All threads are a rung of their
 * own, behind it. */
static void
add_rungs (const ProfLadder *ladder, guint last, ProfExplanation *explanation)
{
  for (guint i = 1; i <= last; i++)
    {
      const ProfRung *rung = ladder->rungs->pdata[i];

      if (rung->bucket == PROF_BUCKET_MEMORY)
        move_memory (rung, explanation);
      if (rung->bucket != PROF_N_BUCKETS)
        add_rung_to_bucket (&explanation->bucket[rung->bucket], rung);
    }
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    explanation->bucket[i].residual =
        explanation->bucket[i].seconds - explanation->bucket[i].proved;
  /* Traced runs claim nothing about memory: only the rung measures it. */
  explanation->bucket[PROF_BUCKET_MEMORY].residual = NAN;
}

guint
prof_ladder_last_pass (const ProfLadder *ladder)
{
  guint last = ladder->rungs->len - 1;

  while (last > 0)
    {
      ProfBucketKind bucket = ((const ProfRung *) ladder->rungs->pdata[last])->bucket;

      if (bucket != PROF_BUCKET_OVERLAP && bucket != PROF_N_BUCKETS)
        break;
      last--;
    }
  return last;
}

gboolean
prof_ladder_explain (const ProfLadder *ladder,
                     const ProfFacts  *facts,
                     ProfExplanation  *explanation,
                     GError          **error)
{
  guint           index = prof_ladder_last_pass (ladder);
  const ProfRung *first = ladder->rungs->pdata[0];
  const ProfRung *last = ladder->rungs->pdata[index];
  g_autoptr (ProfCapture) a = NULL;
  g_autoptr (ProfCapture) b = NULL;

  if (first == last || !first->series.recorder || !last->series.recorder)
    return FALSE;
  if (!(a = prof_capture_measurement (first->subject, &first->series, facts, error)) ||
      !(b = prof_capture_measurement (last->subject, &last->series, facts, error)))
    return FALSE;
  prof_explain (&(ProfExplained){ ladder->comparison, 0, index, a, b }, explanation);
  explanation->is_same_plan = prof_subject_has_same_plan (first->subject, last->subject);
  add_rungs (ladder, index, explanation);
  return TRUE;
}
