/* parallel.c — parallel loops on one pool of threads for the whole process.
 *
 * hyb_parallel_for() publishes a job by writing one 64-bit ticket: the job's number and the number of its pieces.  Each thread
 * claims the piece with its own number, so that its data stay in the cache of one core from job to job, and writes down when it
 * has finished.  Both are in cache lines of the piece, since a line that another core has just written takes 200 to 400 ns to
 * read: a thread looks at the claims of others only after it has waited for some time, and then computes pieces that are not
 * claimed.  Which thread computes a piece depends on timing, but the pieces do not.  Idle workers poll the ticket for SPIN_TURNS
 * turns and then sleep, because kernels follow each other within microseconds while a program runs, but not otherwise.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"

#include "engine/base/cores.h"
#include "engine/base/limits.h"
#include "engine/base/parallel-pieces.h"

#include <sched.h>
#include <stdatomic.h>

#define MAX_THREADS 256
#define SPIN_TURNS  12000 /* 60 to 400 µs, depending on the processor */
#define HELP_TURNS \
  50 /* after which the publishing thread looks for pieces that others have not claimed */
#define IDLE_TURNS  400 /* after which an idle worker does */
#define PIECES_BITS 8   /* of a ticket, for the number of pieces − 1 */

/* The current job, in one cache line that the publishing thread alone writes.  A thread may read it while the next job is being
 * written; it then claims no piece, because all of those of the job that the ticket names have been claimed. */
typedef struct
{
  _Alignas(64) _Atomic guint64 ticket;
  _Atomic (HybParallelFunc) func;
  _Atomic (gpointer)        data;
  _Atomic gint64            n, size;
} Job;

/* The number of the last job of which a thread has claimed, or finished, a piece: 1, 2, … */
typedef struct
{
  _Alignas(64) _Atomic guint64 job;
} Mark;

typedef struct
{
  Job             job;
  Mark            claimed[MAX_THREADS], finished[MAX_THREADS]; /* by piece */
  _Atomic guint32 n_sleeping;   /* sleeping workers, which must be woken */
  _Atomic int     owner_sleeps; /* the publishing thread waits for work_done */
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
  guint64  n_jobs; /* guarded by owner */
} Pool;

G_STATIC_ASSERT (MAX_THREADS <= 1 << PIECES_BITS);

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

static guint64
job_number (guint64 ticket)
{
  return ticket >> PIECES_BITS;
}

static guint
count_pieces (guint64 ticket)
{
  return 1 + (guint) (ticket & ((1u << PIECES_BITS) - 1));
}

static guint64
read_ticket (void)
{
  return atomic_load_explicit (&pool.job.ticket, memory_order_acquire);
}

static void
run_slice (HybParallelFunc func, gint64 begin, gint64 end, gpointer data)
{
  const HybParallelWatch *watch =
      thread_number > 0 ? atomic_load_explicit (&parallel_watch, memory_order_relaxed) : NULL;

  if (watch)
    watch->begin (watch->data);
  func (begin, end, data);
  if (watch)
    watch->end (watch->data);
}

void
hyb_parallel_set_watch (const HybParallelWatch *watch)
{
  atomic_store (&parallel_watch, watch);
}

/* Claims a piece; FALSE if another thread has. */
static gboolean
claim_piece (guint64 ticket, guint piece)
{
  _Atomic guint64 *claimed = &pool.claimed[piece].job;
  guint64          last = atomic_load_explicit (claimed, memory_order_relaxed);

  return last < job_number (ticket) &&
         atomic_compare_exchange_strong (claimed, &last, job_number (ticket));
}

/* Computes a piece that this thread has claimed, so that the job does not change meanwhile. */
static void
run_piece (guint64 ticket, guint piece)
{
  gint64 n = atomic_load_explicit (&pool.job.n, memory_order_relaxed);
  gint64 size = atomic_load_explicit (&pool.job.size, memory_order_relaxed);

  run_slice (atomic_load_explicit (&pool.job.func, memory_order_relaxed), piece * size,
             MIN ((piece + 1) * size, n),
             atomic_load_explicit (&pool.job.data, memory_order_relaxed));
  atomic_store (&pool.finished[piece].job, job_number (ticket));
  if (atomic_load (&pool.owner_sleeps))
    {
      g_mutex_lock (&pool.sleep);
      g_cond_broadcast (&pool.work_done);
      g_mutex_unlock (&pool.sleep);
    }
}

/* Computes the piece with this thread's number, if there is one and no other thread has claimed it. */
static void
run_own_piece (guint64 ticket)
{
  if (thread_number < count_pieces (ticket) && claim_piece (ticket, thread_number))
    run_piece (ticket, thread_number);
}

/* Computes all pieces that no thread has claimed. */
static void
run_other_pieces (guint64 ticket)
{
  for (guint piece = 0; piece < count_pieces (ticket); piece++)
    if (claim_piece (ticket, piece))
      run_piece (ticket, piece);
}

/* TRUE if there is another job than this one. */
static gboolean
has_work (guint64 ticket)
{
  return atomic_load (&pool.job.ticket) != ticket || atomic_load (&pool.is_quitting);
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

/* Computes pieces of the current job and waits for the next one.
 *
 * A worker that goes to sleep raises n_sleeping before it reads the ticket again, and the publisher reads n_sleeping after it has
 * written the ticket, so at least one of them sees the other.  A worker that wakes when all pieces of a short job are claimed
 * polls for the next job: if it slept at once, it would be woken too late for every job. */
static void
work_or_sleep (void)
{
  guint64 ticket = read_ticket ();

  run_own_piece (ticket);
  for (int i = 0; i < SPIN_TURNS && !has_work (ticket); i++)
    {
      pause_briefly ();
      if (i == IDLE_TURNS)
        run_other_pieces (ticket);
    }
  if (has_work (ticket))
    return;

  g_mutex_lock (&pool.sleep);
  atomic_fetch_add (&pool.n_sleeping, 1);
  if (!has_work (ticket))
    g_cond_wait (&pool.work_came, &pool.sleep);
  atomic_fetch_sub (&pool.n_sleeping, 1);
  g_mutex_unlock (&pool.sleep);
  leave_core_of_owner ();
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
    work_or_sleep ();

  return NULL;
}

/* Returns FALSE if no worker slept. */
static gboolean
wake_workers (void)
{
  if (atomic_load (&pool.n_sleeping) == 0)
    return FALSE;

  g_mutex_lock (&pool.sleep);
  g_cond_broadcast (&pool.work_came);
  g_mutex_unlock (&pool.sleep);
  return TRUE;
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

static gboolean
has_finished (guint64 ticket, guint piece)
{
  return atomic_load (&pool.finished[piece].job) == job_number (ticket);
}

/* Waits until a piece is computed.  After HELP_TURNS it computes the pieces that no thread has claimed. */
static void
wait_for_piece (guint64 ticket, guint piece)
{
  for (int i = 0; i < SPIN_TURNS; i++)
    {
      if (has_finished (ticket, piece))
        return;
      pause_briefly ();
      if (i == HELP_TURNS)
        run_other_pieces (ticket);
    }

  g_mutex_lock (&pool.sleep);
  atomic_store (&pool.owner_sleeps, 1);
  while (!has_finished (ticket, piece))
    g_cond_wait (&pool.work_done, &pool.sleep);
  atomic_store (&pool.owner_sleeps, 0);
  g_mutex_unlock (&pool.sleep);
}

/* With pool.owner held.  Returns TRUE if workers had to be woken. */
static gboolean
publish (HybParallelFunc func, gpointer data, gint64 n, const HybParallelPieces *pieces)
{
  guint64 ticket = ++pool.n_jobs << PIECES_BITS | (guint64) (pieces->n - 1);

  atomic_store_explicit (&pool.job.func, func, memory_order_relaxed);
  atomic_store_explicit (&pool.job.data, data, memory_order_relaxed);
  atomic_store_explicit (&pool.job.n, n, memory_order_relaxed);
  atomic_store_explicit (&pool.job.size, pieces->size, memory_order_relaxed);
#ifdef __linux__
  atomic_store_explicit (&pool.owner_core, sched_getcpu (), memory_order_relaxed);
#endif
  atomic_store (&pool.job.ticket, ticket);
  return wake_workers ();
}

/* With pool.owner held.  A worker has number 1 and more, the caller 0. */
static void
run_in_pool (HybParallelFunc func, gpointer data, gint64 n, const HybParallelPieces *pieces)
{
  gboolean has_woken = publish (func, data, n, pieces);
  guint64  ticket = read_ticket ();

  run_own_piece (ticket);
  if (has_woken)
    run_other_pieces (ticket);
  for (guint piece = 0; piece < pieces->n; piece++)
    wait_for_piece (ticket, piece);
}

void
hyb_parallel_for (gint64 n, gint64 grain, HybParallelFunc func, gpointer data)
{
  guint             n_threads = hyb_parallel_get_threads ();
  HybParallelPieces pieces;

  if (n <= 0)
    return;

  pieces = hyb_parallel_pieces (n, grain, n_threads);
  if (pieces.n == 1)
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
      for (gint64 begin = 0; begin < n; begin += pieces.size)
        run_slice (func, begin, MIN (begin + pieces.size, n), data);
      is_inside = was_inside;
      return;
    }

  is_inside = TRUE;
  start_workers (n_threads - 1);
  run_in_pool (func, data, n, &pieces);
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
