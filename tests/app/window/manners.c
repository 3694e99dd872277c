/* manners.c — small things that a user expects of every window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

/* The button of a tab of the lower panel. */
static GtkWidget *
nth_tab (guint n)
{
  GtkWidget *tab = gtk_widget_get_first_child (gui_find (GTK_WIDGET (page), "panel-tabs"));

  while (n-- > 0)
    tab = gtk_widget_get_next_sibling (tab);
  return tab;
}

static gboolean
is_panel_open (gpointer unused G_GNUC_UNUSED)
{
  return is_mapped (gui_find (GTK_WIDGET (page), "panel"));
}

/* Also the tab that was selected before, and a further click leaves it open. */
static void
test_tabs_of_the_panel (void)
{
  g_assert_false (is_panel_open (NULL));
  g_signal_emit_by_name (nth_tab (1), "clicked");
  wait_until (is_panel_open, NULL);
  g_signal_emit_by_name (nth_tab (2), "clicked");
  g_assert_true (is_panel_open (NULL));
  gui_act (page, "page.panel", NULL);
  g_assert_false (is_panel_open (NULL));
  g_signal_emit_by_name (nth_tab (2), "clicked");
  wait_until (is_panel_open, NULL);
  gui_act (page, "page.panel", NULL);
}

/* Keys of the canvas, such as Space, still reach it after a click. */
static void
test_buttons_leave_the_focus (void)
{
  for (const char *const *name =
           (const char *const[]){ "zoom-in-button", "zoom-out-button", "zoom-fit-button", NULL };
       *name;
       name++)
    g_assert_false (gtk_widget_get_focus_on_click (gui_find (GTK_WIDGET (page), *name)));
}

/* The tooltip of a button would cover what it opens. */
static void
test_no_tooltip_over_a_popover (void)
{
  for (const char *const *name = (const char *const[]){ "menu-button", "heat-button", NULL }; *name;
       name++)
    {
      GtkWidget *button = gui_find (GTK_WIDGET (window), *name);

      g_assert_true (gtk_widget_get_has_tooltip (button));
      gtk_menu_button_popup (GTK_MENU_BUTTON (button));
      g_assert_false (gtk_widget_get_has_tooltip (button));
      gtk_menu_button_popdown (GTK_MENU_BUTTON (button));
      g_assert_true (gtk_widget_get_has_tooltip (button));
    }
}

void
add_manner_tests (void)
{
  add_test ("/app/window/a-tab-opens-the-panel", CASE_MODEL, test_tabs_of_the_panel);
  add_test ("/app/window/zoom-buttons-leave-the-focus", CASE_MODEL, test_buttons_leave_the_focus);
  add_test ("/app/window/no-tooltip-over-a-popover", CASE_MODEL, test_no_tooltip_over_a_popover);
}
