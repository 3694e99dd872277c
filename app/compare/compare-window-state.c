/* compare-window-state.c — questions about the panes of a compare window.
 * Lowest of its files: reads the struct, changes nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-window-private.h"

guint
scope_compare_window_find_pane (ScopeCompareWindow *self, ScopeComparePane *pane)
{
  guint index = 0;

  while (index < SCOPE_MAX_PANES && self->panes[index] != pane)
    index++;
  return index;
}

guint
scope_compare_window_n_panes (ScopeCompareWindow *self)
{
  guint n = 0;

  while (n < SCOPE_MAX_PANES && self->panes[n])
    n++;
  return n;
}

ScopeComparePane *
scope_compare_window_get_pane (ScopeCompareWindow *self, guint index)
{
  return index < SCOPE_MAX_PANES ? self->panes[index] : NULL;
}

gboolean
scope_compare_window_is_settled (ScopeCompareWindow *self)
{
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i] && !scope_compare_pane_is_ready (self->panes[i]))
      return FALSE;
  return self->adding == 0;
}

gboolean
scope_compare_window_is_measured (ScopeCompareWindow *self)
{
  return self->was_measured && !self->measuring;
}
