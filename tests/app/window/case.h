/* case.h — the fixture of the window tests: every test gets a window of its own.
 *
 * add_test() registers a test.  Before it runs, a new window is opened in the state that its WindowCase
 * says, with default settings and without saved view states; afterwards the window is destroyed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/app/gui-test.h"

typedef enum
{
  CASE_EMPTY,    /* the start page; page is NULL */
  CASE_MODEL,    /* an unrolled LSTM is open */
  CASE_MEASURED, /* and its costs are shown */
} WindowCase;

/* Set by the fixture. */
extern ScopeWindow *window;
extern ScopePage   *page;

void add_test (const char *path, WindowCase state, void (*test) (void));
/* The same for a test of more than a second, which is left out without the option -m slow. */
void add_long_test (const char *path, WindowCase state, void (*test) (void));

/* Of page. */
ScopeCanvas    *canvas (void);
ScopeWorkspace *workspace (void);
guint           n_items (void); /* boxes in the picture */

/* Conditions for wait_until(). */
gboolean is_shown (gpointer of_page);     /* the page is selected */
gboolean is_mapped (gpointer widget);     /* on the screen */
gboolean is_unmapped (gpointer widget);   /* not on the screen */
gboolean is_idle (gpointer of_workspace); /* no run is in progress */
gboolean is_logged (gpointer text);       /* a line of the log of workspace() contains it */

/* TRUE if a label in root contains the text. */
gboolean says (GtkWidget *root, const char *text);
/* Saves a picture of a window in the folder HYBRIDSCOPE_PICTURES, if that is set. */
void take_picture (gpointer of, const char *name);

/* The tests of each file. */
void add_run_tests (void);
void add_summary_tests (void);
void add_agreement_tests (void);
void add_target_tests (void);
void add_fault_tests (void);
void add_finding_tests (void);
void add_device_tests (void);
void add_compare_tests (void);
void add_save_tests (void);
void add_view_tests (void);
void add_value_tests (void);
void add_tensor_tests (void);
void add_tensor_run_tests (void);
void add_input_tests (void);
void add_manner_tests (void);
void add_mending_tests (void);
void add_number_tests (void);
void add_plugin_tests (void);
void add_state_tests (void);
void add_behaviour_tests (void);
void add_start_tests (void);
void add_room_tests (void);
void add_sweep_tests (void);
void add_own_input_tests (void);
void add_click_tests (void);
void add_pane_tests (void);
void add_list_tests (void);
void add_comfort_tests (void);
void add_gesture_tests (void);
void add_tensor_gesture_tests (void);
