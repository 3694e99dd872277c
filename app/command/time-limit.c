/* time-limit.c — a deadline for one run, and the error of a run that it ended.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/time-limit.h"

#include "app/command/deadline.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"

struct _ScopeTimeLimit
{
  double         seconds;
  ScopeDeadline *deadline;
};

ScopeTimeLimit *
scope_time_limit_new (double seconds)
{
  ScopeTimeLimit *limit;

  if (!(seconds > 0))
    return NULL;
  limit = g_new (ScopeTimeLimit, 1);
  *limit = (ScopeTimeLimit){ MIN (seconds, 1e9), scope_deadline_new (seconds, NULL) };
  return limit;
}

void
scope_time_limit_free (ScopeTimeLimit *limit)
{
  if (!limit)
    return;
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
  hyb_error_at (error,
                HYB_OP_ERROR,
                HYB_OP_ERROR_UNSUPPORTED,
                NULL,
                NULL,
                "the run was stopped after %g seconds, the limit",
                limit->seconds);
  hyb_error_add_remedy (error, HYB_REMEDY_TIME, NULL);
}
