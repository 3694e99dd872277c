/* train-parallel.c — averages gradients with MPI while the backward pass goes on.
 *
 * Each gradient that is ready is reduced without blocking.  Open MPI proceeds only when it is called, so the trainer
 * calls it between operators.  Waiting is a loop of tests with short sleeps: there may be more processes than
 * processors, and a process that has ended must not make the others wait for ever.  Start with the exchange at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/train-parallel.h"

#include "app/command/messages.h"
#include "app/command/train/mpi-library.h"

#define THREAD_FUNNELED 1   /* MPI_THREAD_FUNNELED */
#define N_YIELDS        200 /* tests between which other threads may run, before the first sleep */
#define SHORTEST_SLEEP  10  /* µs */
#define LONGEST_SLEEP   500 /* µs */
#define PATIENCE        5   /* seconds that the others have to end a step after a signal */
#define CHUNK           262144 /* numbers at a time where they are averaged at once */

typedef struct
{
  ScopeMpiRequest request;
  float          *to;
  gint64          n;
  gboolean        is_pending;
} Reduction;

struct _ScopeParallel
{
  const ScopeMpi *mpi;
  GCancellable   *cancellable;
  HybExchange     exchange;
  ScopeTrace     *trace; /* NULL: nothing is noted */
  int             rank, size;
  gboolean        adds;

  Reduction          *reductions; /* by gradient */
  ScopeGradientTimes *sums;       /* by gradient, of n_steps */
  guint64             n_steps;
  gint64              began; /* µs: the step */
  guint               n;
  guint               first_pending; /* none before this one in the order of the calls */
  guint              *order;         /* gradients in the order in which they were ready */
  guint               n_ready;
  int                 status; /* the first error of a call in a callback; 0: none */

  gboolean           is_cancelled;
  ScopeParallelTimes step;
};

/* --- Calls --- */

/* Whether the call succeeded. */
static gboolean
check (const ScopeParallel *parallel, int status, GError **error)
{
  char text[SCOPE_MPI_MAX_ERROR] = "";
  int  length = 0;

  if (status == 0)
    return TRUE;
  parallel->mpi->error_string (status, text, &length);
  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_FAILED,
               "the processes that train together have lost each other: %s. “--resume” goes on "
               "from "
               "the last checkpoint",
               text);
  return FALSE;
}

/* Whether one sleep more is sensible; *since is 0 at first. */
static gboolean
may_wait (const ScopeParallel *parallel, gint64 *since, GError **error)
{
  gint64 now = g_get_monotonic_time ();

  if (!g_cancellable_is_cancelled (parallel->cancellable))
    return TRUE;
  if (*since == 0)
    *since = now;
  if (now - *since < PATIENCE * G_TIME_SPAN_SECOND)
    return TRUE;
  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_FAILED,
               "this process was asked to stop, and another one has not ended its step within %d "
               "seconds",
               PATIENCE);
  return FALSE;
}

static gboolean
wait_for (const ScopeParallel *parallel, ScopeMpiRequest *request, GError **error)
{
  gulong sleep = SHORTEST_SLEEP;
  gint64 since = 0;
  guint  n = 0;
  int    is_done = 0;

  for (;;)
    {
      if (!check (parallel, parallel->mpi->test (request, &is_done, NULL), error))
        return FALSE;
      if (is_done)
        return TRUE;
      if (!may_wait (parallel, &since, error))
        return FALSE;
      if (n++ < N_YIELDS)
        g_thread_yield ();
      else
        {
          g_usleep (sleep);
          sleep = MIN (2 * sleep, LONGEST_SLEEP);
        }
    }
}

/* --- Numbers that all have --- */

gboolean
scope_parallel_combine (ScopeParallel *parallel,
                        ScopeCombine   how,
                        double        *values,
                        guint          n,
                        GError       **error)
{
  const ScopeMpi    *mpi = parallel->mpi;
  gpointer           operations[] = { mpi->sum, mpi->minimum, mpi->maximum };
  g_autofree double *mine = g_memdup2 (values, n * sizeof *values);
  ScopeMpiRequest    request = NULL;

  return check (parallel,
                mpi->iallreduce (mine,
                                 values,
                                 (int) n,
                                 mpi->type_double,
                                 operations[how],
                                 mpi->world,
                                 &request),
                error) &&
         wait_for (parallel, &request, error);
}

gboolean
scope_parallel_agree (ScopeParallel *parallel, double value, gboolean *is_same, GError **error)
{
  double both[2] = { value, -value };

  if (!scope_parallel_combine (parallel, SCOPE_COMBINE_MAXIMUM, both, 2, error))
    return FALSE;
  *is_same = both[0] == -both[1];
  return TRUE;
}

/* --- The exchange of a trainer --- */

static void
note (ScopeParallel *parallel, int status)
{
  if (parallel->status == 0)
    parallel->status = status;
}

static double
seconds_since_begin (const ScopeParallel *parallel)
{
  return (double) (g_get_monotonic_time () - parallel->began) * 1e-6;
}

/* For HybExchange. */
static void
start_reduction (gpointer data, const HybReadyGradient *gradient)
{
  ScopeParallel  *parallel = data;
  const ScopeMpi *mpi = parallel->mpi;
  Reduction      *reduction = &parallel->reductions[gradient->index];
  gint64          bytes = gradient->n * (gint64) sizeof (float);

  if (parallel->status != 0)
    return;
  *reduction = (Reduction){ .to = gradient->to, .n = gradient->n, .is_pending = TRUE };
  parallel->order[parallel->n_ready++] = gradient->index;
  if (parallel->trace)
    scope_trace_send (parallel->trace, gradient->index);
  parallel->sums[gradient->index].ready += seconds_since_begin (parallel);
  note (parallel,
        mpi->iallreduce (gradient->from,
                         gradient->to,
                         (int) gradient->n,
                         mpi->type_float,
                         mpi->sum,
                         mpi->world,
                         &reduction->request));
  parallel->step.bytes += bytes;
  if (gradient->is_early)
    parallel->step.early += bytes;
}

/* The average is there, or will be when all are divided. */
static void
end_reduction (ScopeParallel *parallel, guint gradient)
{
  parallel->sums[gradient].averaged += seconds_since_begin (parallel);
  if (parallel->trace)
    scope_trace_receive (parallel->trace, gradient);
}

/* For HybExchange. */
static void
poll_reductions (gpointer data, const HybSpan *span)
{
  ScopeParallel *parallel = data;

  if (parallel->trace)
    scope_trace_end_node (parallel->trace, span);
  for (; parallel->status == 0 && parallel->first_pending < parallel->n_ready;
       parallel->first_pending++)
    {
      Reduction *reduction = &parallel->reductions[parallel->order[parallel->first_pending]];
      int        is_done = 0;

      note (parallel, parallel->mpi->test (&reduction->request, &is_done, NULL));
      reduction->is_pending = !is_done;
      if (!is_done)
        return;
      end_reduction (parallel, parallel->order[parallel->first_pending]);
    }
}

/* This process waits from here; returns the time, in µs. */
static gint64
begin_wait (ScopeParallel *parallel)
{
  if (parallel->trace)
    scope_trace_begin_wait (parallel->trace);
  return g_get_monotonic_time ();
}

static void
end_wait (ScopeParallel *parallel, gint64 since)
{
  parallel->step.waiting += (double) (g_get_monotonic_time () - since) * 1e-6;
  if (parallel->trace)
    scope_trace_end_wait (parallel->trace);
}

static void
scale (const ScopeParallel *parallel, float *values, gint64 n)
{
  float size = (float) parallel->size;

  for (gint64 i = 0; i < n && !parallel->adds; i++)
    values[i] /= size;
}

/* For HybExchange. */
static gboolean
finish_step (gpointer data, double *loss, GError **error)
{
  ScopeParallel *parallel = data;
  gint64         start = begin_wait (parallel);
  double         told[2] = { *loss, g_cancellable_is_cancelled (parallel->cancellable) };

  if (!check (parallel, parallel->status, error))
    return FALSE;
  for (guint i = parallel->first_pending; i < parallel->n_ready; i++)
    {
      Reduction *reduction = &parallel->reductions[parallel->order[i]];

      if (reduction->is_pending && !wait_for (parallel, &reduction->request, error))
        return FALSE;
      end_reduction (parallel, parallel->order[i]);
    }
  if (!scope_parallel_combine (parallel, SCOPE_COMBINE_SUM, told, 2, error))
    return FALSE;
  end_wait (parallel, start);
  *loss = told[0] / parallel->size;
  parallel->is_cancelled = told[1] > 0;
  for (guint i = 0; i < parallel->n; i++)
    scale (parallel, parallel->reductions[i].to, parallel->reductions[i].n);
  parallel->first_pending = parallel->n_ready = 0;
  return TRUE;
}

/* For HybExchange. */
static gboolean
average_now (gpointer data, float *values, gint64 n, GError **error)
{
  ScopeParallel    *parallel = data;
  g_autofree float *mine = g_new (float, MIN (n, CHUNK));
  gint64            start = begin_wait (parallel);

  for (gint64 done = 0; done < n; done += CHUNK)
    {
      int             size = (int) MIN (n - done, CHUNK);
      ScopeMpiRequest request = NULL;

      for (int i = 0; i < size; i++)
        mine[i] = values[done + i] / (float) parallel->size;
      if (!check (parallel,
                  parallel->mpi->iallreduce (mine,
                                             values + done,
                                             size,
                                             parallel->mpi->type_float,
                                             parallel->mpi->sum,
                                             parallel->mpi->world,
                                             &request),
                  error) ||
          !wait_for (parallel, &request, error))
        return FALSE;
    }
  end_wait (parallel, start);
  return TRUE;
}

gboolean
scope_parallel_connect (ScopeParallel *parallel, HybTrainer *trainer, GError **error)
{
  parallel->n = hyb_trainer_n_trained (trainer);
  parallel->reductions = g_new0 (Reduction, parallel->n);
  parallel->sums = g_new0 (ScopeGradientTimes, parallel->n);
  parallel->order = g_new0 (guint, parallel->n);
  parallel->exchange = (HybExchange){ .data = parallel,
                                      .ready = start_reduction,
                                      .poll = poll_reductions,
                                      .finish = finish_step,
                                      .average = average_now };
  for (guint i = 0; i < parallel->n; i++)
    {
      const char *name;
      HybTensor  *weight = hyb_trainer_get_trained (trainer, i, &name);

      if (hyb_tensor_get_size (weight) <= G_MAXINT)
        continue;
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_FAILED,
                   "“%s” has more elements than MPI can send at once",
                   name);
      return FALSE;
    }
  return hyb_trainer_set_exchange (trainer, &parallel->exchange, error);
}

/* --- Beginning and end --- */

ScopeParallel *
scope_parallel_new (GCancellable *cancellable, GError **error)
{
  ScopeParallel  *parallel;
  const ScopeMpi *mpi;
  int             provided;

  if (!g_getenv ("OMPI_COMM_WORLD_SIZE") && !g_getenv ("PMIX_RANK"))
    {
      g_set_error_literal (error,
                           SCOPE_ERROR,
                           SCOPE_ERROR_USAGE,
                           "--data-parallel: one process alone has no others. Start it with "
                           "“mpirun "
                           "-n 4 hscope train …”");
      return NULL;
    }
  mpi = scope_mpi_open (error);
  if (!mpi)
    return NULL;
  parallel = g_new0 (ScopeParallel, 1);
  parallel->mpi = mpi;
  parallel->cancellable = cancellable;
  if (check (parallel, mpi->init_thread (NULL, NULL, THREAD_FUNNELED, &provided), error) &&
      check (parallel, mpi->comm_set_errhandler (mpi->world, mpi->errors_return), error) &&
      check (parallel, mpi->comm_rank (mpi->world, &parallel->rank), error) &&
      check (parallel, mpi->comm_size (mpi->world, &parallel->size), error))
    return parallel;
  g_free (parallel);
  return NULL;
}

void
scope_parallel_free (ScopeParallel *parallel, gboolean is_done)
{
  if (is_done)
    parallel->mpi->finalize ();
  g_free (parallel->reductions);
  g_free (parallel->sums);
  g_free (parallel->order);
  g_free (parallel);
}

guint
scope_parallel_get_rank (const ScopeParallel *parallel)
{
  return (guint) parallel->rank;
}

guint
scope_parallel_get_size (const ScopeParallel *parallel)
{
  return (guint) parallel->size;
}

void
scope_parallel_set_trace (ScopeParallel *parallel, ScopeTrace *trace)
{
  parallel->trace = trace;
}

void
scope_parallel_set_adds (ScopeParallel *parallel, gboolean adds)
{
  parallel->adds = adds;
}

gboolean
scope_parallel_is_cancelled (const ScopeParallel *parallel)
{
  return parallel->is_cancelled;
}

void
scope_parallel_begin_step (ScopeParallel *parallel)
{
  parallel->began = g_get_monotonic_time ();
  parallel->n_steps++;
}

ScopeGradientTimes
scope_parallel_get_gradient (const ScopeParallel *parallel, guint index)
{
  double n = (double) MAX (parallel->n_steps, 1);

  return (ScopeGradientTimes){ parallel->sums[index].ready / n,
                               parallel->sums[index].averaged / n };
}

ScopeParallelTimes
scope_parallel_take_times (ScopeParallel *parallel)
{
  ScopeParallelTimes times = parallel->step;

  parallel->step = (ScopeParallelTimes){ 0 };
  return times;
}
