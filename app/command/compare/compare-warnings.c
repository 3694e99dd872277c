/* compare-warnings.c — collects the warnings of all captures of a comparison.
 *
 * Start reading at list_warnings().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-warnings.h"

static void
add_once (GPtrArray *list, char *text /* (transfer full) */)
{
  if (g_ptr_array_find_with_equal_func (list, text, g_str_equal, NULL))
    g_free (text);
  else
    g_ptr_array_add (list, text);
}

/* Adds the warnings of a candidate that are not among those of the machine. */
static void
add_candidate (GPtrArray            *list,
               const char           *title,
               const ScopeCandidate *candidate,
               const char *const    *of_machine)
{
  g_autofree char *name = scope_candidate_dup_name (candidate);
  g_autoptr (ProfFacts) facts = NULL;
  g_auto (GStrv) warnings = NULL;

  if (!candidate->capture)
    return;
  facts = prof_capture_dup_facts (candidate->capture);
  warnings = prof_machine_warnings (facts);
  for (guint i = 0; warnings[i]; i++)
    if (!g_strv_contains (of_machine, warnings[i]))
      add_once (list, g_strdup_printf ("%s, %s: %s", title, name, warnings[i]));
}

/* Each warning once, as a sentence; what holds for one candidate only begins with its name.
 * NULL-terminated; free with g_strfreev(). */
static char **
list_warnings (const ScopeComparison *self)
{
  GPtrArray *list = g_ptr_array_new ();
  g_auto (GStrv) of_machine = prof_machine_warnings (self->facts);

  for (guint i = 0; of_machine[i]; i++)
    add_once (list, g_strdup (of_machine[i]));
  for (guint i = 0; i < self->groups->len; i++)
    {
      const ScopeGroup *group = self->groups->pdata[i];
      g_autofree char  *title = scope_group_dup_title (group);

      for (guint k = 0; k < group->candidates->len; k++)
        add_candidate (list, title, group->candidates->pdata[k], (const char *const *) of_machine);
    }
  g_ptr_array_add (list, NULL);
  return (char **) g_ptr_array_free (list, FALSE);
}

void
scope_comparison_say_warnings (ScopeSaid *said, const ScopeComparison *self)
{
  g_auto (GStrv) warnings = list_warnings (self);

  if (warnings[0])
    scope_said_heading (said, "Conditions", "");
  for (guint i = 0; warnings[i]; i++)
    scope_said_sentence (said, SCOPE_SAID_WARNING, g_strdup (warnings[i]));
}

void
scope_comparison_describe_warnings (ScopeJson *json, const ScopeComparison *self)
{
  g_auto (GStrv) warnings = list_warnings (self);

  scope_json_begin_list (json, "warnings");
  for (guint i = 0; warnings[i]; i++)
    scope_json_string (json, NULL, warnings[i]);
  scope_json_end (json);
}
