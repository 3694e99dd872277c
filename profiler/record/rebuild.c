/* rebuild.c — plans subjects again at other addresses.
 *
 * The old build is freed after the new one exists, and a block of random size lies between them, so
 * that the allocator does not return the same memory.  Start reading at prof_builds_next().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/rebuild.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "profiler/base/clock.h"

#define N_WARM_RUNS 2
#define MAX_SHIFT   1024                /* of addresses, in units of SHIFT_UNIT */
#define SHIFT_UNIT  64                  /* bytes: a line of the cache */
#define MAX_COPIED  ((gsize) 256 << 20) /* bytes of values; larger ones are shared */
#define MAX_BYTES   ((gsize) 1 << 30)   /* of all subjects together; larger ones are built once */

struct _ProfBuilds
{
  ProfSubject *const *first;
  ProfSubject       **current; /* elements are owned, or those of first */
  guint               n, number;
  gpointer            shift; /* a block that moves later allocations */
  guint64             seed, draw;
  double              seconds;
};

ProfBuilds *
prof_builds_new (ProfSubject *const *subjects, guint n, guint64 seed)
{
  ProfBuilds *builds = g_new0 (ProfBuilds, 1);

  builds->first = subjects;
  builds->current = g_memdup2 (subjects, n * sizeof *subjects);
  builds->n = n;
  builds->seed = seed;
  return builds;
}

static void
free_subjects (const ProfBuilds *builds, ProfSubject **subjects)
{
  for (guint i = 0; i < builds->n; i++)
    if (subjects[i] != builds->first[i])
      prof_subject_free (subjects[i]);
  g_free (subjects);
}

void
prof_builds_free (ProfBuilds *builds)
{
  if (!builds)
    return;
  free_subjects (builds, builds->current);
  g_free (builds->shift);
  g_free (builds);
}

void
prof_builds_shuffle (ProfBuilds *builds, guint *order)
{
  for (guint i = 0; i < builds->n; i++)
    {
      guint other = hyb_random_word (builds->seed, builds->draw++) % (i + 1);

      order[i] = i;
      order[i] = order[other];
      order[other] = i;
    }
}

/* The subject planned again.  Values are copied unless they are large. */
static ProfSubject *
build_again (const ProfSubject *subject, GError **error)
{
  HybGraph         *graph = prof_subject_get_graph (subject);
  HybTensor *const *values = prof_subject_get_values (subject);
  g_autoptr (GPtrArray) copies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autofree HybTensor **bound = NULL;
  gsize                  bytes = 0;
  guint                  n;

  hyb_graph_get_variables (graph, &n);
  bound = g_new0 (HybTensor *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      gsize size = values[i] ? hyb_tensor_get_bytes (values[i]) : 0;

      bound[i] = values[i];
      if (!values[i] || size > MAX_COPIED - bytes)
        continue;
      bytes += size;
      bound[i] = hyb_tensor_copy (values[i]);
      g_ptr_array_add (copies, bound[i]);
    }
  return prof_subject_new (graph, bound, prof_subject_get_options (subject), error);
}

/* Threads of the pool are placed again when they start. */
static void
restart_threads (void)
{
  guint n_threads = hyb_parallel_get_threads ();

  if (n_threads < 2)
    return;
  hyb_parallel_set_threads (1);
  hyb_parallel_set_threads (n_threads);
}

gboolean
prof_builds_next (ProfBuilds *builds, GCancellable *cancellable, GError **error)
{
  guint64                    begin = prof_clock_now ();
  ProfSubject              **next = g_memdup2 (builds->first, builds->n * sizeof *next);
  g_autofree guint          *order = g_new (guint, builds->n);
  g_autofree void *old_shift G_GNUC_UNUSED = g_steal_pointer (&builds->shift);
  gboolean                   is_done = TRUE;
  guint                      n_threads = hyb_parallel_get_threads ();

  builds->shift =
      g_malloc (SHIFT_UNIT * (1 + hyb_random_word (builds->seed, builds->draw++) % MAX_SHIFT));
  restart_threads ();
  prof_builds_shuffle (builds, order);
  for (guint i = 0; is_done && i < builds->n; i++)
    {
      ProfSubject *subject = build_again (builds->first[order[i]], error);

      is_done = subject != NULL;
      next[order[i]] = is_done ? subject : builds->first[order[i]];
    }
  free_subjects (builds, builds->current);
  builds->current = next;
  builds->number++;

  for (guint run = 0; is_done && run < N_WARM_RUNS * builds->n; run++)
    {
      ProfSubject *subject = next[order[run % builds->n]];

      prof_subject_use_threads (subject, n_threads);
      is_done = prof_subject_run (subject, cancellable, error);
    }
  builds->seconds = (double) (prof_clock_now () - begin) * 1e-9;
  return is_done;
}

gboolean
prof_builds_have_memory (const ProfBuilds *builds)
{
  gsize bytes = 0;

  for (guint i = 0; i < builds->n; i++)
    bytes += hyb_executor_get_peak_bytes (prof_subject_get_executor (builds->first[i]));
  return bytes < MAX_BYTES;
}

ProfSubject *const *
prof_builds_get (const ProfBuilds *builds)
{
  return builds->current;
}

guint
prof_builds_get_number (const ProfBuilds *builds)
{
  return builds->number;
}

double
prof_builds_get_seconds (const ProfBuilds *builds)
{
  return builds->seconds;
}
