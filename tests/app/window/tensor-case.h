/* tensor-case.h — models with one parameter for tests of the view of values, and what such a test reads and presses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/app/window/case.h"

#include "app/views/values-view.h"
#include "app/widgets/grid.h"

/* A model that adds the parameter "w" to "data"; its node is "sum". */
extern const char tensor_symbol[];

/* A path in the folder of the test, which is made by the first call.  (transfer full) */
char *tensor_in_folder (const char *name);
/* Removes the folder with its files. */
void tensor_remove_folder (void);
/* A tensor whose elements are their indices.  (transfer full) */
HybTensor *new_counting (int rank, const gint64 *dims);
/* Writes a model with this parameter, which may be NULL, and opens it. */
ScopePage *open_model (const char *name, HybTensor *w, const char *const *shapes);
void       select_node (ScopePage *own, const char *name);

ScopeValuesView *view_of (ScopePage *own);
GtkWidget       *grid_of (ScopePage *own);
gboolean         has_tensor (gpointer of_page); /* the view shows one */
/* Opens the view, and waits until all is computed. */
void show_values (ScopePage *own);
/* Waits until a label of the view says it. */
void wait_for_text (ScopePage *own, const char *text);
/* The text of a label or entry of the view. */
const char *text_of (ScopePage *own, const char *name);
/* Activates what a key is bound to, in a widget or the nearest one around it. */
void press (GtkWidget *widget, const char *key);
/* Cancels the file dialog. */
void close_dialog (void);
/* The view must not keep the window from being narrow: half of 1366 pixels. */
void assert_narrow (ScopePage *own);
