/* time-limit.c — a deadline for one run, and the error of a run that it ended.
 *
 * Runs are cancelled between operators.  A kernel that computes for longer is ended with the process.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/time-limit.h"

#include "app/command/frame/command.h"
#include "app/command/frame/deadline.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"

#include <unistd.h>

#define PATIENCE 1 /* seconds that a kernel may still take after the limit */

struct _ScopeTimeLimit
{
  double         seconds;
  ScopeDeadline *deadline;
  ScopeDeadline *last; /* of the process */
};

static void
set_error (const ScopeTimeLimit *limit, GError **error)
{
  hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL, NULL,
                "the run was stopped after %g seconds, the limit", limit->seconds);
  hyb_error_add_remedy (error, HYB_REMEDY_TIME, NULL);
}

/* Runs in the thread of the last deadline.  Nothing is written during a run. */
static void
end_process (GCancellable *cancellable G_GNUC_UNUSED, gpointer limit)
{
  g_autoptr (GError) error = NULL;

  set_error (limit, &error);
  scope_print_error (error);
  _exit (SCOPE_EXIT_MODEL);
}

ScopeTimeLimit *
scope_time_limit_new (double seconds, GCancellable *user)
{
  ScopeTimeLimit *limit;

  if (!(seconds > 0))
    return NULL;
  limit = g_new (ScopeTimeLimit, 1);
  *limit = (ScopeTimeLimit){ .seconds = MIN (seconds, 1e9) };
  limit->deadline = scope_deadline_new (limit->seconds, user);
  if (user)
    return limit;
  limit->last = scope_deadline_new (limit->seconds + PATIENCE, NULL);
  g_cancellable_connect (scope_deadline_get_cancellable (limit->last), G_CALLBACK (end_process),
                         limit, NULL);
  return limit;
}

void
scope_time_limit_free (ScopeTimeLimit *limit)
{
  if (!limit)
    return;
  scope_deadline_free (limit->last);
  scope_deadline_free (limit->deadline);
  g_free (limit);
}

GCancellable *
scope_time_limit_get_cancellable (ScopeTimeLimit *limit)
{
  return limit ? scope_deadline_get_cancellable (limit->deadline) : NULL;
}

void
scope_time_limit_explain (const ScopeTimeLimit *limit, GError **error)
{
  if (!limit || !error || !*error ||
      !g_cancellable_is_cancelled (scope_deadline_get_cancellable (limit->deadline)))
    return;
  g_clear_error (error);
  set_error (limit, error);
}
