/* import-pair.c — pairs the beginnings and ends of operators, and splits the names of bulked ones.
 *
 * Start reading at prof_pair_events().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/foreign-operators.h"
#include "profiler/exchange/import-private.h"

#include <string.h>

/* MXNet cuts names off after this many bytes. */
#define NAME_LIMIT 127

/* Names come from prof_import_name(), reasons are static. */
static guint
hash_unmatched (gconstpointer key)
{
  const ProfUnmatched *unmatched = key;

  return g_direct_hash (unmatched->name) * 31 + g_direct_hash (unmatched->reason);
}

static gboolean
is_same_unmatched (gconstpointer a, gconstpointer b)
{
  const ProfUnmatched *x = a, *y = b;

  return x->name == y->name && x->reason == y->reason;
}

const char *
prof_import_name (ProfImport *import, const char *name)
{
  if (!import->names)
    import->names = g_string_chunk_new (1 << 12);
  return g_string_chunk_insert_const (import->names, name);
}

void
prof_import_count_unmatched (ProfImport *import,
                             const char *name,
                             const char *reason,
                             double      seconds)
{
  ProfUnmatched  entry = { .name = prof_import_name (import, name), .reason = reason };
  ProfUnmatched *known;
  guint          at;

  if (!import->index)
    import->index = g_hash_table_new_full (hash_unmatched, is_same_unmatched, g_free, NULL);
  at = GPOINTER_TO_UINT (g_hash_table_lookup (import->index, &entry));
  if (at == 0)
    {
      g_array_append_val (import->unmatched, entry);
      at = import->unmatched->len;
      g_hash_table_insert (import->index, g_memdup2 (&entry, sizeof entry), GUINT_TO_POINTER (at));
    }
  known = &g_array_index (import->unmatched, ProfUnmatched, at - 1);
  known->count++;
  known->seconds += seconds;
}

/* Whether an event is in a category for operators, as MXNet, Kineto and ONNX Runtime call it. */
static gboolean
is_operator (const ProfTraceEvent *event)
{
  static const char *const categories[] = { "operator", "cpu_op", "Node", "Op", NULL };

  return g_strv_contains (categories, event->category) &&
         !g_str_has_suffix (event->name, "_fence_before") && /* of older versions of ONNX Runtime */
         !g_str_has_suffix (event->name, "_fence_after");
}

static int
compare_executions (gconstpointer a, gconstpointer b)
{
  const ProfExecution *x = a, *y = b;

  if (x->begin_ns != y->begin_ns)
    return x->begin_ns < y->begin_ns ? -1 : 1;
  return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static void
free_stack (gpointer data)
{
  g_array_unref (data);
}

/* --- Parts of operators --- */

/* By thread and begin, the outer one first. */
static int
compare_nesting (gconstpointer a, gconstpointer b)
{
  const ProfExecution *x = a, *y = b;

  if (x->tid != y->tid)
    return x->tid < y->tid ? -1 : 1;
  if (x->begin_ns != y->begin_ns)
    return x->begin_ns < y->begin_ns ? -1 : 1;
  return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns;
}

/* PyTorch's operators call others, which are events of their own: keeps the outermost ones that
 * foreign-operators.h lists, and gradients as a whole. */
static void
drop_inner (GArray *executions, ProfImport *import)
{
  const ProfExecution *outer = NULL;
  guint                n = 0;

  g_array_sort (executions, compare_nesting);
  for (guint i = 0; i < executions->len; i++)
    {
      ProfExecution *execution = &g_array_index (executions, ProfExecution, i);

      if (outer && outer->tid == execution->tid && execution->end_ns <= outer->end_ns &&
          execution->begin_ns < outer->end_ns)
        {
          import->n_inside++;
          continue;
        }
      g_array_index (executions, ProfExecution, n) = *execution;
      execution = &g_array_index (executions, ProfExecution, n++);
      if (prof_is_foreign_gradient (execution->name) ||
          (g_str_has_prefix (execution->name, "aten::") &&
           prof_class_of_foreign (execution->name) != G_MAXUINT))
        outer = execution;
    }
  g_array_set_size (executions, n);
}

GArray *
prof_pair_events (const ProfTrace *trace, ProfImport *import)
{
  GArray *executions = g_array_new (FALSE, FALSE, sizeof (ProfExecution));
  g_autoptr (GHashTable) open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_stack);
  GHashTableIter iter;
  gpointer       key, value;

  for (guint i = 0; i < trace->events->len; i++)
    {
      const ProfTraceEvent *event = &g_array_index (trace->events, ProfTraceEvent, i);
      ProfExecution         execution = { event->name,     event->node,     event->type,
                                          event->begin_ns, event->begin_ns, event->tid };
      char                 *place;
      GArray               *stack;

      /* Asynchronous events (b, e) repeat B and E. */
      if (!is_operator (event) || !event->has_time || !strchr ("BEX", event->phase) ||
          !event->phase)
        continue;
      if (event->phase == 'X')
        {
          execution.end_ns += MAX (event->duration_ns, 0);
          g_array_append_val (executions, execution);
          continue;
        }

      place = g_strdup_printf ("%" G_GUINT64_FORMAT " %s", event->tid, event->name);
      stack = g_hash_table_lookup (open, place);
      if (!stack)
        {
          stack = g_array_new (FALSE, FALSE, sizeof (ProfExecution));
          g_hash_table_insert (open, g_strdup (place), stack);
        }
      g_free (place);
      if (event->phase == 'B')
        g_array_append_val (stack, execution);
      else if (stack->len == 0)
        prof_import_count_unmatched (import, event->name, "its beginning is not in the file", 0);
      else
        {
          execution = g_array_index (stack, ProfExecution, stack->len - 1);
          execution.end_ns = MAX (event->begin_ns, execution.begin_ns);
          g_array_set_size (stack, stack->len - 1);
          g_array_append_val (executions, execution);
        }
    }

  g_hash_table_iter_init (&iter, open);
  while (g_hash_table_iter_next (&iter, &key, &value))
    for (guint i = 0; i < ((GArray *) value)->len; i++)
      prof_import_count_unmatched (import, g_array_index ((GArray *) value, ProfExecution, i).name,
                                   "its end is not in the file", 0);
  if (!trace->is_flat)
    drop_inner (executions, import);
  g_array_sort (executions, compare_executions);
  return executions;
}

gboolean
prof_is_bulk (const ProfExecution *execution)
{
  return *execution->name == '[';
}

char **
prof_split_bulk (const char *name, gboolean *is_cut)
{
  gsize            length = strlen (name);
  g_autofree char *inner = NULL;
  char           **members;
  guint            n;

  *is_cut = FALSE;
  if (*name != '[')
    return NULL;
  *is_cut = name[length - 1] != ']';
  inner = g_strndup (name + 1, length - 1 - (*is_cut ? 0 : 1));
  members = g_strsplit (inner, ",", -1);
  n = g_strv_length (members);
  /* The last name may be incomplete. */
  if (*is_cut && n > 0 && length >= NAME_LIMIT - 1)
    g_clear_pointer (&members[n - 1], g_free);
  return members;
}
