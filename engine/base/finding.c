/* finding.c — creates and frees findings, and names severities.
 *
 * Readers and rules set the members of a HybFinding directly after hyb_finding_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/finding.h"

HybFinding *
hyb_finding_new (const char *code, HybSeverity severity, const char *format, ...)
{
  HybFinding *finding = g_new0 (HybFinding, 1);
  va_list     list;

  finding->code = code;
  finding->severity = severity;
  finding->offset = -1;
  va_start (list, format);
  finding->message = g_strdup_vprintf (format, list);
  va_end (list);
  return finding;
}

static void
clear_item (gpointer data)
{
  HybFindingItem *item = data;

  g_free (item->name);
  g_free (item->expected);
  g_free (item->got);
}

void
hyb_finding_add_item (HybFinding *finding, const char *name, const char *expected, const char *got)
{
  HybFindingItem item = { g_strdup (name), g_strdup (expected), g_strdup (got) };

  g_return_if_fail (finding);
  if (!finding->items)
    {
      finding->items = g_array_new (FALSE, FALSE, sizeof (HybFindingItem));
      g_array_set_clear_func (finding->items, clear_item);
    }
  g_array_append_val (finding->items, item);
}

void
hyb_finding_free (HybFinding *finding)
{
  if (!finding)
    return;

  g_free (finding->node);
  g_free (finding->file);
  g_free (finding->path);
  g_free (finding->message);
  g_free (finding->hint);
  if (finding->items)
    g_array_unref (finding->items);
  g_free (finding);
}

GPtrArray *
hyb_findings_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_finding_free);
}

const char *
hyb_severity_name (HybSeverity severity)
{
  static const char *const names[] = {
    [HYB_SEVERITY_NOTE] = "note",
    [HYB_SEVERITY_WARNING] = "warning",
    [HYB_SEVERITY_ERROR] = "error",
  };

  return names[severity];
}
