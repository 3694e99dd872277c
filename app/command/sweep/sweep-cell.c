/* sweep-cell.c — makes the command of a cell, and reads its output.
 *
 * A launcher may print lines of its own, and may run the command twice: the first document counts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-cell.h"

#include "app/command/children/find-json.h"

#include "engine/formats/json-text.h"

#include <glib/gstdio.h>
#include <string.h>

/* Of files that the child writes.  (transfer full) */
static char *
dup_prefix (const ScopeSweepCells *cells, guint cell)
{
  g_autofree char *name = g_strdup_printf ("draft-%06u", cell);

  return g_build_filename (cells->drafts, name, NULL);
}

char **
scope_sweep_cell_arguments (const ScopeSweepCells *cells, guint cell)
{
  GPtrArray       *argv = g_ptr_array_new ();
  g_autofree char *prefix = dup_prefix (cells, cell);
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);

  for (guint i = 0; cells->launcher && cells->launcher[i]; i++)
    g_ptr_array_add (argv, g_strdup (cells->launcher[i]));
  g_ptr_array_add (argv, g_strdup (program ? program : "hscope"));
  g_ptr_array_add (argv, g_strdup ("--sandbox"));
  cells->task->add_arguments (argv, cells->plan, cell, prefix);
  if (cells->target)
    g_ptr_array_add (argv, g_strconcat ("--target=", cells->target, NULL));
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (argv, FALSE);
}

/* The first document in text, which begins and ends with a brace at the beginning of a line; NULL: there is none. */
static HybJson *
find_document (const GString *text)
{
  const char *begin = g_str_has_prefix (text->str, "{\n") ? text->str : strstr (text->str, "\n{\n");
  const char *end = begin ? strstr (begin + 1, "\n}") : NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (!end)
    return NULL;
  bytes = g_bytes_new (begin, (gsize) (end + 2 - begin));
  return hyb_json_parse (bytes, NULL, "result", NULL, NULL);
}

/* The last line that is not empty.  (transfer full) */
static char *
dup_last_line (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = g_strv_length (lines); i-- > 0;)
    if (*g_strstrip (lines[i]) != '\0')
      return g_strdup (lines[i]);
  return NULL;
}

/* Why there is no result.  (transfer full) */
static char *
describe_failure (const ScopeChildEnd *end, const HybJson *document)
{
  HybJsonRef  error = document ? hyb_json_find (document, 0, "error") : HYB_JSON_NONE;
  const char *message =
      error != HYB_JSON_NONE ? scope_find_string (document, error, "message") : NULL;
  g_autofree char *last = dup_last_line (end->err->str);
  char            *described = end->trouble ? g_strdup (end->trouble) : scope_child_describe (end);

  if (described)
    return described;
  if (message)
    return g_strdup (message);
  if (last)
    return g_strdup_printf ("status %d: %s", end->status, last);
  return g_strdup_printf (end->status == 0 ? "the command printed no result"
                                           : "the command ended with status %d",
                          end->status);
}

/* TRUE if the task has no capture, or it took its place. */
static gboolean
keep_capture (const ScopeSweepCells *cells, guint cell, const char *prefix)
{
  g_autofree char *draft =
      cells->task->dup_capture ? cells->task->dup_capture (cells->plan, cell, prefix) : NULL;
  g_autofree char *name = g_strdup_printf ("%06u.hscope", cell);
  g_autofree char *path = g_build_filename (cells->folder, "captures", name, NULL);

  return !draft || g_rename (draft, path) == 0;
}

static void
remove_leavings (const ScopeSweepCells *cells, const char *prefix)
{
  for (guint i = 0; cells->task->leavings[i]; i++)
    {
      g_autofree char *path = g_strconcat (prefix, cells->task->leavings[i], NULL);

      g_remove (path);
    }
}

char *
scope_sweep_cell_take (const ScopeSweepCells *cells,
                       const ScopeChildEnd   *end,
                       guint                  attempts,
                       gboolean              *is_done)
{
  g_autofree char *prefix = dup_prefix (cells, end->id);
  g_autoptr (HybJson) document = find_document (end->out);
  g_autofree char *reason = NULL;
  GString         *line = g_string_new (NULL);
  gsize            length;

  g_string_append_printf (line, "{\"cell\": %u", end->id);
  scope_sweep_plan_describe_cell (cells->plan, end->id, line);
  g_string_append_printf (line, ", \"attempts\": %u, \"worker\": ", attempts);
  hyb_json_append_string (line, cells->worker);
  if (cells->target)
    {
      g_string_append (line, ", \"target\": ");
      hyb_json_append_string (line, cells->target);
    }
  g_string_append (line, ", \"seconds\": ");
  hyb_json_append_double (line, end->seconds);
  g_string_append_printf (line, ", \"ended\": %" G_GINT64_FORMAT ".%03d",
                          g_get_real_time () / G_USEC_PER_SEC,
                          (int) (g_get_real_time () / 1000 % 1000));
  length = line->len;
  *is_done = end->status == 0 && document && cells->task->describe (document, line);
  if (!*is_done)
    reason = describe_failure (end, document);
  else if (!keep_capture (cells, end->id, prefix))
    {
      *is_done = FALSE;
      reason = g_strdup ("the command wrote no capture");
    }
  remove_leavings (cells, prefix);
  if (*is_done)
    g_string_append (line, ", \"status\": \"done\"}\n");
  else
    {
      g_string_truncate (line, length);
      g_string_append (line, ", \"status\": \"failed\", \"reason\": ");
      hyb_json_append_string (line, reason);
      g_string_append (line, "}\n");
    }
  return g_string_free (line, FALSE);
}
