/* host-steps.c — see host-steps.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/host-steps.h"

#include "engine/exec/plan-operators.h"

#include <string.h>

/* --- Writing --- */

typedef struct
{
  GHashTable *rows;    /* that have been added */
  GPtrArray  *reasons; /* of char *, in the order in which they were found */
  GHashTable *lists;   /* reason → GString of rows */
} Found;

static void
free_list (gpointer list)
{
  g_string_free (list, TRUE);
}

static void
add_row (Found *found, guint32 row, const char *why)
{
  GString *list;

  if (row == PROF_NONE || !g_hash_table_add (found->rows, GUINT_TO_POINTER (row)))
    return;
  list = g_hash_table_lookup (found->lists, why);
  if (!list)
    {
      char *reason = g_strdup (why);

      list = g_string_new (NULL);
      g_ptr_array_add (found->reasons, reason);
      g_hash_table_insert (found->lists, reason, list);
    }
  g_string_append_printf (list, "%s%u", list->len > 0 ? " " : "", row);
}

/* slot: of the recorder; PROF_NO_SLOT: the plan is the subject's. */
static void
add_plan (Found *found, const ProfAttribution *attribution, const HybPlan *plan, guint slot)
{
  for (guint i = 0; plan && i < hyb_plan_n_steps (plan); i++)
    {
      HybNodeId   node;
      const char *why = hyb_plan_get_host_reason (plan, i, &node);

      if (why)
        add_row (found,
                 slot == PROF_NO_SLOT ? prof_attribution_get_planned_row (attribution, node)
                                      : prof_attribution_get_row (attribution, slot, node),
                 why);
    }
}

static void
write_facts (const Found *found, ProfBuilder *builder)
{
  g_autoptr (ProfFacts) facts = prof_facts_new ();

  for (guint i = 0; i < found->reasons->len; i++)
    {
      const GString   *list = g_hash_table_lookup (found->lists, found->reasons->pdata[i]);
      g_autofree char *key = g_strdup_printf (PROF_HOST_STEPS_KEY "%u", i);
      g_autofree char *text =
          g_strdup_printf ("%s: %s", list->str, (const char *) found->reasons->pdata[i]);

      prof_facts_set (facts, key, text);
    }
  prof_builder_add_facts (builder, facts);
}

void
prof_host_steps_add (ProfBuilder           *builder,
                     const ProfAttribution *attribution,
                     const ProfSubject     *subject,
                     const ProfRecorder    *recorder)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) lists = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_list);
  Found found = { rows, reasons, lists };

  add_plan (&found, attribution, hyb_executor_get_plan (prof_subject_get_executor (subject)),
            PROF_NO_SLOT);
  for (guint i = 0; recorder && i < prof_recorder_n_slots (recorder); i++)
    add_plan (&found, attribution, prof_recorder_get_slot (recorder, i)->plan, i);
  write_facts (&found, builder);
}

/* --- Reading --- */

/* The text may be anything. */
static void
read_fact (const char *text, guint n_rows, GHashTable *reasons)
{
  const char *why = strstr (text, ": ");
  char       *end;

  while (why && text < why && g_ascii_isdigit (*text))
    {
      guint64 row = g_ascii_strtoull (text, &end, 10);

      if (row < n_rows)
        g_hash_table_insert (reasons, GUINT_TO_POINTER ((guint32) row), g_strdup (why + 2));
      text = *end == ' ' ? end + 1 : end;
    }
}

GHashTable *
prof_host_steps_read (const ProfCapture *capture)
{
  GHashTable *reasons = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);

  for (guint i = 0; i < prof_facts_n (facts); i++)
    {
      const ProfFact *fact = prof_facts_get (facts, i);

      if (fact->text && g_str_has_prefix (fact->key, PROF_HOST_STEPS_KEY))
        read_fact (fact->text, prof_capture_n_nodes (capture), reasons);
    }
  return reasons;
}
