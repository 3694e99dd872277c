/* compare-steps.c — finds the candidates between the slowest and the fastest, and what each saves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-steps.h"

#include "profiler/base/format.h"

#include <string.h>

typedef struct
{
  const char *name;    /* static */
  double      seconds; /* what the step saves */
} Step;

/* The candidate of slow's variant on slow's device in this mode, with or without passes; NULL if the group
 * has none. */
static const ScopeCandidate *
find_candidate (const ScopeGroup     *group,
                const ScopeCandidate *slow,
                HybMode               mode,
                gboolean              no_passes)
{
  for (guint i = 0; i < group->candidates->len; i++)
    {
      const ScopeCandidate *candidate = group->candidates->pdata[i];

      if (candidate->mode == mode && candidate->no_passes == no_passes && candidate->capture &&
          strcmp (candidate->variant, slow->variant) == 0 &&
          g_strcmp0 (candidate->device, slow->device) == 0)
        return candidate;
    }
  return NULL;
}

/* Adds the step from one candidate to the next, unless they are the same. */
static void
add_step (GArray *steps, const char *name, const ScopeCandidate *from, const ScopeCandidate *to)
{
  Step step = { name, from->clean.median.median - to->clean.median.median };

  if (from == to)
    return;
  g_array_append_val (steps, step);
}

/* The steps, of which the group has measured every one; empty if it lacks a candidate.  GArray of Step.
 * (transfer full) */
static GArray *
list_steps (const ScopeGroup *group, const ScopeCandidate *slow, const ScopeCandidate *fast)
{
  GArray               *steps = g_array_new (FALSE, FALSE, sizeof (Step));
  const ScopeCandidate *plain = find_candidate (group, slow, fast->mode, TRUE);
  const ScopeCandidate *optimised = find_candidate (group, slow, fast->mode, FALSE);

  if (slow->no_passes || fast->no_passes || fast->mode == HYB_MODE_IMPERATIVE || !plain ||
      !optimised)
    return steps;
  if (slow->mode != fast->mode)
    {
      add_step (steps, "planning without passes", slow, plain);
      add_step (steps, "passes", plain, optimised);
    }
  add_step (steps, "the other form", optimised, fast);
  return steps;
}

char *
scope_group_dup_steps (const ScopeGroup     *group,
                       const ScopeCandidate *slow,
                       const ScopeCandidate *fast)
{
  g_autoptr (GArray) steps = list_steps (group, slow, fast);
  GString *text = g_string_new ("step by step:");

  for (guint i = 0; i < steps->len; i++)
    {
      const Step      *step = &g_array_index (steps, Step, i);
      g_autofree char *time = prof_format_seconds (step->seconds);

      g_string_append_printf (text, "%s %s %s", i == 0 ? "" : ",", step->name, time);
    }
  return g_string_free (text, steps->len == 0);
}
