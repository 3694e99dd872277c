/* window-pictures.h — what the pictures of docs/window.md show, and how one is saved.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/app/gui-test.h"

/* A page that is shown in every look. */
typedef struct
{
  const char *name;
  GtkWidget *(*open) (void); /* shows and returns what lies over the window, or NULL */
  void (*close) (void);
  guint wait_ms; /* until all is drawn; 0: the usual time */
} PictureStop;

extern ScopeWindow *pictures_window;

/* Saves the pictures of a stop, if its name is wanted. */
void pictures_show (const PictureStop *stop);
/* FALSE if only pictures of other names are wanted. */
gboolean pictures_are_wanted (const char *name);

/* Goes through all stops, with examples that it writes in a folder of its own. */
void pictures_walk (const char *folder);
