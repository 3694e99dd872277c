/* gui-test.h — drives the application inside the test process: start, wait, find widgets, act.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/window/application.h"
#include "app/window/window.h"

/* Called first by each test: messages of the toolkit end it, except one that is the toolkit's own fault. */
void gui_begin_test (void);
/* FALSE: no display; then nothing else may be called. */
gboolean gui_init (int *argc, char ***argv);

/* Runs the main loop until done() returns TRUE.  FALSE: it did not within the limit. */
gboolean gui_wait (gboolean (*done) (gpointer), gpointer data, guint limit_ms);
/* Runs the main loop until condition (data) is TRUE; fails after a minute. */
#define wait_until(condition, data) g_assert_true (gui_wait (condition, data, 60000))
/* Runs the main loop for a time, to make sure that nothing happens. */
void gui_spin (guint ms);

/* Starts the application; its first window is returned and shown. */
ScopeWindow *gui_start (void);
/* Starts the application without a window. */
void gui_start_application (void);
void gui_stop (void);
/* Stops it and ends the process. */
void          gui_end (int status) G_GNUC_NORETURN;
GApplication *gui_application (void);

/* Opens a model of tests/data/goldens/models and waits until it is drawn. */
ScopePage *gui_open (ScopeWindow *window, const char *model, const char *const *shapes);
/* Waits until layout and tiles are complete. */
void gui_settle (ScopePage *page);

/* The first widget of that name in root; NULL: there is none. */
GtkWidget *gui_find (GtkWidget *root, const char *name);
/* The first event controller of that type; NULL: there is none. */
GtkEventController *gui_controller (GtkWidget *widget, GType type);

/* What a window shows, as a PNG file. */
void gui_save_picture (GtkWindow *window, const char *path);
/* The newest window of that type besides the first; NULL: there is none. */
gpointer gui_find_window (GType type);

/* Activates an action by name and remembers that it was tried. */
void     gui_act (gpointer widget, const char *action, const char *target);
void     gui_mark_gesture (const char *name); /* remembers */
gboolean gui_was_tried (const char *name);
/* What was copied last; NULL: no text.  (transfer full) */
char *gui_clipboard (GtkWidget *widget);

/* every-action.c: remembers the gestures of what is on screen; then holds all to actions.txt. */
void gui_record_gestures (GtkWidget *root);
void gui_test_every_action (void);
