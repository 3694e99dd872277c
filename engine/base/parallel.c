/* parallel.c — parallel loops on one pool of threads for the whole process.
 *
 * hyb_parallel_for() publishes a job by writing one 64-bit ticket: the job's number in the upper
 * half, the number of unclaimed pieces in the lower half.  A thread that decrements the ticket
 * computes one piece: the one with the thread's own number, so that its data stay in the cache of
 * one core from job to job; or, if another thread has claimed it, any unclaimed piece.  Which thread
 * computes a piece depends on timing, but the pieces do not.  Idle workers poll the ticket for
 * SPIN_TURNS turns and then sleep, because kernels follow each other within microseconds while a
 * program runs, but not otherwise.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"

#include "engine/base/cores.h"
#include "engine/base/limits.h"
#include "engine/base/parallel-pieces.h"

#include <sched.h>
#include <stdatomic.h>

#define MAX_THREADS 256
#define SPIN_TURNS  12000 /* 60 to 400 µs, depending on the processor */

typedef struct
{
  HybParallelFunc   func;
  gpointer          data;
  gint64            n;
  HybParallelPieces pieces;
  guint64           number; /* of the job: 1, 2, … */
} Job;

/* By piece: the number of the last job whose thread has claimed it.  Each is in a cache line of its
 * own, which stays with the thread that usually computes this piece. */
typedef struct
{
  _Alignas(64) _Atomic guint64 job;
} Claim;

typedef struct
{
  Job             job; /* the current job; written only while no piece is left */
  _Atomic guint64 ticket;
  _Atomic guint32 n_pending;  /* pieces not yet finished */
  _Atomic guint32 n_sleeping; /* sleeping workers, which must be woken */
  _Atomic int     is_quitting;
  _Atomic int     owner_core; /* the core on which the job was published */

  GMutex   owner; /* held by the thread that published the job */
  GMutex   sleep; /* guards both conditions */
  GCond    work_came;
  GCond    work_done;
  guint    n_workers; /* fewer than requested if threads could not be created */
  guint    n_wanted;
  guint    n_begun; /* workers that have started running; guarded by sleep */
  GThread *workers[MAX_THREADS];
  guint64  n_jobs;              /* guarded by owner */
  Claim    claims[MAX_THREADS]; /* by piece */
} Pool;

static Pool                   pool;
static _Atomic guint          n_threads_requested; /* 0: one per core */
static _Thread_local gboolean is_inside;
static _Thread_local guint    thread_number; /* 1, 2, … for workers; 0 for others */

static const HybParallelWatch *_Atomic parallel_watch;

static void
pause_briefly (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void
run_piece (const Job *job, gint64 piece)
{
  gint64                  begin = piece * job->pieces.size;
  const HybParallelWatch *watch =
      thread_number > 0 ? atomic_load_explicit (&parallel_watch, memory_order_relaxed) : NULL;

  if (watch)
    watch->begin (watch->data);
  job->func (begin, MIN (begin + job->pieces.size, job->n), job->data);
  if (watch)
    watch->end (watch->data);
}

void
hyb_parallel_set_watch (const HybParallelWatch *watch)
{
  atomic_store (&parallel_watch, watch);
}

/* Claims a piece for a thread that has decremented the ticket: there is one that no other has. */
static gint64
claim_piece (const Job *job)
{
  for (gint64 piece = thread_number % job->pieces.n;; piece = (piece + 1) % job->pieces.n)
    {
      _Atomic guint64 *claim = &pool.claims[piece].job;
      guint64          last = atomic_load_explicit (claim, memory_order_relaxed);

      if (last != job->number && atomic_compare_exchange_strong (claim, &last, job->number))
        return piece;
    }
}

/* Claims and runs one piece; returns FALSE if none is left.  The fields of the job are read after
 * the ticket was decremented, because they cannot change until as many pieces have finished. */
static gboolean
run_one (void)
{
  guint64 ticket = atomic_load_explicit (&pool.ticket, memory_order_acquire);

  do
    if ((guint32) ticket == 0)
      return FALSE;
  while (!atomic_compare_exchange_weak (&pool.ticket, &ticket, ticket - 1));

  run_piece (&pool.job, claim_piece (&pool.job));

  if (atomic_fetch_sub (&pool.n_pending, 1) == 1)
    {
      g_mutex_lock (&pool.sleep);
      g_cond_broadcast (&pool.work_done);
      g_mutex_unlock (&pool.sleep);
    }
  return TRUE;
}

static gboolean
has_work (void)
{
  return (guint32) atomic_load (&pool.ticket) != 0 || atomic_load (&pool.is_quitting);
}

/* Moves a worker that was woken on the core of the publishing thread to another core.  Linux often
 * wakes it there, because it searches only briefly for an idle core; then worker and publisher
 * share one core, run after run.  Excluding the core from the affinity mask moves the worker;
 * restoring the mask at once leaves the scheduler free afterwards. */
static void
leave_core_of_owner (void)
{
#ifdef __linux__
  int       core = sched_getcpu ();
  cpu_set_t allowed, others;

  if (core < 0 || core >= CPU_SETSIZE || core != atomic_load (&pool.owner_core) ||
      sched_getaffinity (0, sizeof allowed, &allowed) != 0)
    return;
  others = allowed;
  CPU_CLR (core, &others);
  if (CPU_COUNT (&others) > 0 && sched_setaffinity (0, sizeof others, &others) == 0)
    sched_setaffinity (0, sizeof allowed, &allowed);
#endif
}

static gpointer
worker_main (gpointer data)
{
  is_inside = TRUE;
  thread_number = GPOINTER_TO_UINT (data);
  g_mutex_lock (&pool.sleep);
  pool.n_begun++;
  g_cond_broadcast (&pool.work_done);
  g_mutex_unlock (&pool.sleep);

  while (!atomic_load (&pool.is_quitting))
    {
      if (run_one ())
        continue;

      for (int i = 0; i < SPIN_TURNS && !has_work (); i++)
        pause_briefly ();
      if (has_work ())
        continue;

      /* The worker raises n_sleeping before it reads the ticket again, and the publisher reads
       * n_sleeping after it has written the ticket, so at least one of them sees the other.  A
       * worker that wakes when all pieces of a short job are claimed polls for the next job: if it
       * slept at once, it would be woken too late for every job. */
      g_mutex_lock (&pool.sleep);
      atomic_fetch_add (&pool.n_sleeping, 1);
      if (!has_work ())
        g_cond_wait (&pool.work_came, &pool.sleep);
      atomic_fetch_sub (&pool.n_sleeping, 1);
      g_mutex_unlock (&pool.sleep);
      leave_core_of_owner ();
    }

  return NULL;
}

static void
wake_workers (void)
{
  if (atomic_load (&pool.n_sleeping) == 0)
    return;

  g_mutex_lock (&pool.sleep);
  g_cond_broadcast (&pool.work_came);
  g_mutex_unlock (&pool.sleep);
}

static void
stop_workers (void)
{
  atomic_store (&pool.is_quitting, 1);
  wake_workers ();
  for (guint i = 0; i < pool.n_workers; i++)
    g_thread_join (pool.workers[i]);
  pool.n_workers = 0;
  pool.n_begun = 0;
  atomic_store (&pool.is_quitting, 0);
}

/* With pool.owner held. */
static void
start_workers (guint n_workers)
{
  if (pool.n_wanted == n_workers)
    return;

  stop_workers ();
  pool.n_wanted = n_workers;
  for (guint i = 0; i < n_workers; i++)
    {
      GThread *thread =
          g_thread_try_new ("hyb-compute", worker_main, GUINT_TO_POINTER (i + 1), NULL);

      if (!thread)
        break; /* fewer threads compute the same pieces */
      pool.workers[pool.n_workers++] = thread;
    }

  /* Waits until all workers run.  A thread allocates memory when it starts, which on a busy machine
   * could be much later, during runs that must not allocate. */
  g_mutex_lock (&pool.sleep);
  while (pool.n_begun < pool.n_workers)
    g_cond_wait (&pool.work_done, &pool.sleep);
  g_mutex_unlock (&pool.sleep);
}

static void
wait_for_others (void)
{
  for (int i = 0; i < SPIN_TURNS && atomic_load (&pool.n_pending) > 0; i++)
    pause_briefly ();
  if (atomic_load (&pool.n_pending) == 0)
    return;

  g_mutex_lock (&pool.sleep);
  while (atomic_load (&pool.n_pending) > 0)
    g_cond_wait (&pool.work_done, &pool.sleep);
  g_mutex_unlock (&pool.sleep);
}

/* With pool.owner held. */
static void
run_in_pool (const Job *job, guint n_threads)
{
  g_assert (atomic_load (&pool.n_pending) == 0);
  start_workers (n_threads - 1);
  pool.job = *job;
  pool.job.number = ++pool.n_jobs;
#ifdef __linux__
  atomic_store (&pool.owner_core, sched_getcpu ());
#endif
  atomic_store (&pool.n_pending, (guint32) job->pieces.n);
  atomic_store (&pool.ticket, (pool.job.number << 32) | (guint32) job->pieces.n);
  wake_workers ();

  while (run_one ())
    ;
  wait_for_others ();
}

void
hyb_parallel_for (gint64 n, gint64 grain, HybParallelFunc func, gpointer data)
{
  guint n_threads = hyb_parallel_get_threads ();
  Job   job = { .func = func, .data = data, .n = n };

  if (n <= 0)
    return;

  job.pieces = hyb_parallel_pieces (n, grain, n_threads);
  if (job.pieces.n == 1)
    {
      func (0, n, data);
      return;
    }

  /* Nested calls, and calls while another thread uses the pool, compute the same pieces in this
   * thread. */
  if (is_inside || !g_mutex_trylock (&pool.owner))
    {
      gboolean was_inside = is_inside;

      is_inside = TRUE;
      for (gint64 piece = 0; piece < job.pieces.n; piece++)
        run_piece (&job, piece);
      is_inside = was_inside;
      return;
    }

  is_inside = TRUE;
  run_in_pool (&job, n_threads);
  is_inside = FALSE;
  g_mutex_unlock (&pool.owner);
}

void
hyb_parallel_set_threads (guint n_threads)
{
  g_return_if_fail (!is_inside);

  g_mutex_lock (&pool.owner);
  atomic_store (&n_threads_requested, MIN (n_threads, MAX_THREADS));
  g_mutex_unlock (&pool.owner);
}

guint
hyb_parallel_get_threads (void)
{
  static _Atomic guint n_cores;
  guint requested = atomic_load_explicit (&n_threads_requested, memory_order_relaxed);

  if (requested > 0)
    return MIN (requested, hyb_limits_get_threads ());

  if (atomic_load_explicit (&n_cores, memory_order_relaxed) == 0)
    atomic_store (&n_cores,
                  CLAMP (MIN (hyb_cores_count (), hyb_limits_get_threads ()), 1, MAX_THREADS));
  return atomic_load_explicit (&n_cores, memory_order_relaxed);
}

gboolean
hyb_parallel_is_inside (void)
{
  return is_inside;
}
