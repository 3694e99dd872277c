/* history.c — follows the selection and the jumps of a workspace; start at on_reveal().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/history.h"

/* Older jumps are forgotten. */
#define MAX_JUMPS 200

struct _ScopeHistory
{
  ScopeWorkspace *workspace;
  GArray         *boxes;            /* of guint32 */
  guint           at;               /* in boxes, if there are any */
  guint32         selected, before; /* the selection, and the one before it */
  gboolean        is_going;
  void (*changed) (gpointer data);
  gpointer data;
};

static guint32
nth_box (const ScopeHistory *history, guint index)
{
  return index < history->boxes->len ? g_array_index (history->boxes, guint32, index) : VIZ_ROOT;
}

/* Adds a place behind the current one, and drops the following ones. */
static void
add (ScopeHistory *history, guint32 box)
{
  if (box == VIZ_ROOT || nth_box (history, history->at) == box)
    return;
  if (history->boxes->len > 0)
    g_array_set_size (history->boxes, history->at + 1);
  if (history->boxes->len == MAX_JUMPS)
    g_array_remove_index (history->boxes, 0);
  g_array_append_val (history->boxes, box);
  history->at = history->boxes->len - 1;
}

static void
on_reveal (ScopeWorkspace *workspace G_GNUC_UNUSED, guint32 box, gpointer data)
{
  ScopeHistory *history = data;

  if (history->is_going)
    return;
  add (history, history->before);
  add (history, box);
  history->before = box;
  history->changed (history->data);
}

static void
on_selected (ScopeWorkspace *workspace, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  ScopeHistory *history = data;

  history->before = history->selected;
  history->selected = scope_workspace_get_selected (workspace);
  history->changed (history->data);
}

/* Boxes of another document have other numbers. */
static void
on_document (ScopeWorkspace *workspace G_GNUC_UNUSED, gpointer data)
{
  ScopeHistory *history = data;

  g_array_set_size (history->boxes, 0);
  history->at = 0;
  history->selected = history->before = VIZ_ROOT;
  history->changed (history->data);
}

ScopeHistory *
scope_history_new (ScopeWorkspace *workspace, void (*changed) (gpointer data), gpointer data)
{
  ScopeHistory *history = g_new0 (ScopeHistory, 1);

  *history = (ScopeHistory){ .workspace = workspace,
                             .boxes = g_array_new (FALSE, FALSE, sizeof (guint32)),
                             .selected = VIZ_ROOT,
                             .before = VIZ_ROOT,
                             .changed = changed,
                             .data = data };
  g_signal_connect (workspace, "reveal", G_CALLBACK (on_reveal), history);
  g_signal_connect (workspace, "notify::selected", G_CALLBACK (on_selected), history);
  g_signal_connect (workspace, "document-changed", G_CALLBACK (on_document), history);
  return history;
}

void
scope_history_free (ScopeHistory *history)
{
  g_signal_handlers_disconnect_by_data (history->workspace, history);
  g_array_unref (history->boxes);
  g_free (history);
}

/* Where going leads: from a box that was selected without a jump first to the last jump.  FALSE: nowhere. */
static gboolean
find_target (const ScopeHistory *history, int direction, guint *target)
{
  gboolean is_away = history->boxes->len > 0 && nth_box (history, history->at) != history->selected;

  *target = history->at;
  if (direction < 0 && is_away)
    return TRUE;
  *target = direction < 0 ? history->at - 1 : history->at + 1;
  return direction < 0 ? history->at > 0 : *target < history->boxes->len;
}

gboolean
scope_history_can_go (const ScopeHistory *history, int direction)
{
  guint target;

  return find_target (history, direction, &target);
}

void
scope_history_go (ScopeHistory *history, int direction)
{
  guint target;

  if (!find_target (history, direction, &target))
    return;
  history->at = target;
  history->is_going = TRUE;
  scope_workspace_show (history->workspace, nth_box (history, target));
  history->is_going = FALSE;
  history->changed (history->data);
}
