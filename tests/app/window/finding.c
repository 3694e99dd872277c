/* finding.c — suggestions of the search and groups among its hits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include <string.h>

static const char *
status (void)
{
  return gtk_label_get_text (GTK_LABEL (gui_find (GTK_WIDGET (page), "outline-status")));
}

static gboolean
is_status (gpointer text)
{
  return strstr (status (), text) != NULL;
}

/* A click on the suggestion searches for it. */
static void
test_suggestion (void)
{
  GtkWidget *label = gui_find (GTK_WIDGET (page), "outline-status");
  gboolean   is_handled;

  scope_page_search (page, "op:FulyConnected");
  wait_until (is_status, (gpointer) "Did you mean op:FullyConnected?");
  take_picture (window, "search-suggestion");
  g_signal_emit_by_name (label, "activate-link", "op:FullyConnected", &is_handled);
  gui_act (window, "win.search-for", "op:FullyConnected");
  wait_until (is_status, (gpointer) "12 hits");
}

/* The group of all steps is a hit, and can be shown. */
static void
test_groups (void)
{
  scope_page_search (page, "lstm0 6 steps");
  wait_until (is_status, (gpointer) "1 hit");
  scope_page_step_search (page, 1);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), !=, VIZ_ROOT);
  g_assert_null (scope_document_get_place (scope_workspace_get_document (workspace ()),
                                           scope_workspace_get_selected (workspace ())));
}

void
add_finding_tests (void)
{
  add_test ("/app/window/suggests-what-a-search-could-mean", CASE_MODEL, test_suggestion);
  add_test ("/app/window/finds-groups-by-what-is-drawn", CASE_MODEL, test_groups);
}
