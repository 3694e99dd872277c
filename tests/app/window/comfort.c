/* comfort.c — what stays in its place.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

/* --- The picture --- */

static int
canvas_height (void)
{
  return gtk_widget_get_height (GTK_WIDGET (canvas ()));
}

static gboolean
is_running (gpointer of)
{
  return scope_workspace_is_running (of);
}

/* A message and the progress of a run lie over the graph. */
static void
test_messages_do_not_move_the_picture (void)
{
  int height = canvas_height ();
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  GtkWidget *card = gui_find (GTK_WIDGET (page), "run-card");

  scope_page_show_message (page, "something", "Do It", "page.dismiss");
  wait_until (is_mapped, gui_find (GTK_WIDGET (page), "banner-label"));
  gui_spin (100);
  g_assert_cmpint (canvas_height (), ==, height);
  take_picture (window, "message");
  options->seconds = 3;
  g_assert_true (scope_page_run (page, options));
  wait_until (is_running, workspace ());
  wait_until (is_mapped, card);
  gui_spin (100);
  g_assert_cmpint (canvas_height (), ==, height);
  take_picture (window, "progress");
  wait_until (is_idle, workspace ());
}

/* What lies beside the card is the graph, which takes clicks. */
static void
test_progress_takes_no_clicks_beside_it (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  GtkWidget      *card = gui_find (GTK_WIDGET (page), "run-card"), *picked;
  graphene_rect_t bounds;

  gui_act (window, "win.first-steps", NULL);
  options->seconds = 3;
  g_assert_true (scope_page_run (page, options));
  wait_until (is_mapped, card);
  gui_spin (400);
  g_assert_true (gtk_widget_compute_bounds (card, GTK_WIDGET (window), &bounds));
  picked = gtk_widget_pick (GTK_WIDGET (window),
                            bounds.origin.x - 40,
                            bounds.origin.y + bounds.size.height / 2,
                            GTK_PICK_DEFAULT);
  g_assert_true (picked == GTK_WIDGET (canvas ()));
  wait_until (is_idle, workspace ());
}

/* --- Size --- */

static gboolean
is_wide (gpointer unused G_GNUC_UNUSED)
{
  return gtk_widget_get_width (GTK_WIDGET (scope_page_get_view (page, "node"))) >= 300;
}

/* Half of a screen of 1366 pixels; where there is room the side pane is wider than it must be. */
static void
test_narrowest_window (void)
{
  int width;

  wait_until (is_wide, NULL);
  gui_act (page, "page.outline", NULL);
  gui_act (page, "page.panel", NULL);
  gui_spin (200);
  gtk_widget_measure (GTK_WIDGET (window),
                      GTK_ORIENTATION_HORIZONTAL,
                      -1,
                      &width,
                      NULL,
                      NULL,
                      NULL);
  g_assert_cmpint (width, <=, 683);
}

void
add_comfort_tests (void)
{
  add_test ("/app/window/messages-do-not-move-the-picture",
            CASE_MODEL,
            test_messages_do_not_move_the_picture);
  add_test ("/app/window/progress-takes-no-clicks-beside-it",
            CASE_MODEL,
            test_progress_takes_no_clicks_beside_it);
  add_test ("/app/window/narrowest-window", CASE_MODEL, test_narrowest_window);
}
