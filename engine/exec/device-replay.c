/* device-replay.c — records stretches of steps that a device computes, and replays them.
 *
 * A stretch is a row of steps without copies between them.  Steps of the host stand alone, as do steps that
 * wait for the device (a condition is read) or hand over too much work.  Values that change from run to
 * run, such as the seed, are sent before the stretches and are not recorded.  Start with
 * hyb_device_replays_run() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/device-replay.h"

#include <string.h>

/* Maximum number of launches and copies of a stretch: the steps of a loop are recorded one after
 * the other. */
#define MAX_WORK 20000

/* A step, or the stretch that begins with it. */
typedef struct
{
  gboolean   stands_alone;
  guint      n_work; /* launches and copies of the step */
  guint      end;    /* the first step after the stretch */
  HybReplay *replay; /* NULL: not recorded */
} Stretch;

struct _HybDeviceReplays
{
  const HybPlan *plan;
  HybGpu        *gpu;
  gboolean       is_learnt;
  Stretch       *stretches;  /* by step */
  gpointer      *variables;  /* as recorded */
  gconstpointer  seed_there; /* likewise */
  guint64        observer;   /* HybProbe.follows_device when it was recorded */
};

HybDeviceReplays *
hyb_device_replays_new (const HybPlan *plan, HybGpu *gpu)
{
  HybDeviceReplays *replays = g_new0 (HybDeviceReplays, 1);

  replays->plan = plan;
  replays->gpu = gpu;
  replays->stretches = g_new0 (Stretch, MAX (plan->n_steps, 1));
  replays->variables = g_new0 (gpointer, MAX (plan->n_variables, 1));
  return replays;
}

static void
forget (HybDeviceReplays *replays)
{
  for (guint i = 0; i < replays->plan->n_steps; i++)
    if (replays->stretches[i].replay)
      replays->gpu->backend->replay_free (g_steal_pointer (&replays->stretches[i].replay));
}

void
hyb_device_replays_free (HybDeviceReplays *replays)
{
  if (!replays)
    return;

  forget (replays);
  g_free (replays->stretches);
  g_free (replays->variables);
  g_free (replays);
}

/* --- Learning --- */

static gboolean
has_copies (const HybPlan *plan, guint index)
{
  return plan->device->steps[index].first_copy < plan->device->steps[index + 1].first_copy;
}

/* Finds the ends of stretches. */
static void
divide (HybDeviceReplays *replays)
{
  const HybPlan *plan = replays->plan;
  guint          end;

  for (guint i = 0; i < plan->n_steps; i = end)
    {
      Stretch *first = &replays->stretches[i];
      guint    n_work = first->n_work;

      first->stands_alone |= n_work == 0 || n_work > MAX_WORK;
      if (n_work > MAX_WORK)
        g_info ("step %u hands over %u pieces of work, too many to be recorded", i, n_work);
      for (end = i + 1; end < plan->n_steps && !first->stands_alone; end++)
        {
          const Stretch *next = &replays->stretches[end];

          n_work += next->n_work;
          if (next->stands_alone || has_copies (plan, end) || n_work > MAX_WORK)
            break;
        }
      first->end = end;
    }
}

/* Runs step by step. */
static gboolean
learn (HybDeviceReplays *replays, HybDeviceRun *device_run, const HybDeviceView *view, HybRun *run)
{
  const HybPlan *plan = replays->plan;

  for (guint i = 0; i < plan->n_steps; i++)
    {
      Stretch *stretch = &replays->stretches[i];
      guint    n_waits = device_run->n_waits, n_work = device_run->n_work;

      if (hyb_run_is_stopped (run))
        return FALSE;
      if (!hyb_device_run_observed_step (device_run, view, i, TRUE, run))
        return FALSE;
      stretch->n_work = device_run->n_work - n_work;
      stretch->stands_alone =
          !hyb_device_step_is_there (&plan->device->steps[i]) || device_run->n_waits != n_waits;
    }
  if (hyb_run_is_stopped (run))
    return FALSE;
  divide (replays);
  replays->is_learnt = TRUE;
  return TRUE;
}

/* --- Recording and replay --- */

static gboolean
run_steps_of (Stretch             *stretch,
              guint                begin,
              HybDeviceRun        *device_run,
              const HybDeviceView *view,
              HybRun              *run)
{
  for (guint i = begin; i < stretch->end; i++)
    if (!hyb_device_run_observed_step (device_run, view, i, FALSE, run))
      return FALSE;
  return TRUE;
}

/* Records a stretch.  If that fails, it is run step by step in this run and all later ones. */
static gboolean
record (HybDeviceReplays    *replays,
        guint                begin,
        HybDeviceRun        *device_run,
        const HybDeviceView *view,
        HybRun              *run)
{
  const HybBackend *backend = replays->gpu->backend;
  Stretch          *stretch = &replays->stretches[begin];
  g_autoptr (GError) error = NULL;
  gboolean is_done;

  backend->record (device_run->queue);
  is_done = run_steps_of (stretch, begin, device_run, view, run);
  stretch->replay = backend->recorded (device_run->queue, &error);
  if (stretch->replay || !is_done)
    return is_done;

  g_info ("steps %u to %u are not recorded: %s", begin, stretch->end - 1, error->message);
  is_done = run_steps_of (stretch, begin, device_run, view, run);
  for (guint i = begin, end = stretch->end; i < end; i++)
    {
      replays->stretches[i].stands_alone = TRUE;
      replays->stretches[i].end = i + 1;
    }
  return is_done;
}

/* Runs the stretch, or the step, that begins here. */
static gboolean
run_stretch (HybDeviceReplays    *replays,
             guint                begin,
             HybDeviceRun        *device_run,
             const HybDeviceView *view,
             HybRun              *run)
{
  const HybBackend *backend = replays->gpu->backend;
  const Stretch    *stretch = &replays->stretches[begin];

  if (stretch->stands_alone)
    return hyb_device_run_observed_step (device_run, view, begin, TRUE, run);
  hyb_device_run_copies (device_run, view, begin);
  if (!stretch->replay && !record (replays, begin, device_run, view, run))
    return FALSE;
  if (!stretch->replay)
    return TRUE;
  backend->begin (device_run->queue, replays->plan->steps[begin].key);
  backend->replay (device_run->queue, stretch->replay);
  device_run->counts.n_replays++;
  return TRUE;
}

/* A recording is of use only as long as variables and the seed stay where they were, and to an observer only if
 * it saw the recording. */
static void
forget_if_moved (HybDeviceReplays *replays, const HybDeviceView *view, const HybRun *run)
{
  gsize   bytes = sizeof (gpointer) * replays->plan->n_variables;
  guint64 observer = run->probe ? run->probe->follows_device : 0;

  if (memcmp (replays->variables, view->variables, bytes) == 0 &&
      replays->seed_there == run->seed_there && (observer == 0 || observer == replays->observer))
    return;
  forget (replays);
  replays->observer = observer;
  replays->seed_there = run->seed_there;
  memcpy (replays->variables, view->variables, bytes);
}

gboolean
hyb_device_replays_run (HybDeviceReplays    *replays,
                        HybDeviceRun        *device_run,
                        const HybDeviceView *view,
                        HybRun              *run)
{
  const HybPlan *plan = replays->plan;

  if (!replays->is_learnt)
    {
      if (!learn (replays, device_run, view, run))
        return FALSE;
    }
  else
    {
      forget_if_moved (replays, view, run);
      for (guint i = 0, end; i < plan->n_steps; i = end)
        {
          end = replays->stretches[i].end;
          if (hyb_run_is_stopped (run) || !run_stretch (replays, i, device_run, view, run))
            return FALSE;
        }
    }
  if (hyb_run_is_stopped (run))
    return FALSE;
  hyb_device_run_copies (device_run, view, plan->n_steps);
  return TRUE;
}
