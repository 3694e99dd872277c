/* folds.h — which groups of a diagram are open, and which steps of a chain are shown.
 *
 * This is the user's state, not part of the diagram: a view has one, copies it for undo, and hands a
 * copy to the thread that lays out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

/* The largest number of steps of a chain that is drawn whole by default. */
#define VIZ_SMALL_CHAIN 8

typedef struct _VizFolds VizFolds;

/* A state in which the groups flagged VIZ_BOX_OPEN are open.  Holds a reference to the diagram. */
VizFolds *viz_folds_new (VizDiagram *diagram);
/* An independent copy.  (transfer full) */
VizFolds *viz_folds_copy (const VizFolds *folds);
/* Frees a state; NULL is allowed. */
void viz_folds_free (VizFolds *folds);

/* Whether box is an open group; FALSE for boxes without children. */
gboolean viz_folds_is_open (const VizFolds *folds, guint32 box);
/* Opens or closes one group.  VIZ_ROOT always stays open. */
void viz_folds_set_open (VizFolds *folds, guint32 box, gboolean open);

/* Opens all groups around box, so that it is drawn.  If its step of a chain is not shown, that step
 * becomes the only one drawn by itself. */
void viz_folds_reveal (VizFolds *folds, guint32 box);

/* Opens groups down to a depth (0: all closed) and closes the others. */
void viz_folds_open_depth (VizFolds *folds, guint depth);

/* Closes every group whose id, title or subtitle matches the glob.  Returns the number of matches. */
guint viz_folds_close_matching (VizFolds *folds, const char *glob);
/* Opens every group whose id, title or subtitle matches the glob, and the groups around it.  Returns
 * the number of matches. */
guint viz_folds_open_matching (VizFolds *folds, const char *glob);

/* Chooses the steps of an open VIZ_BOX_STEPS that are drawn one by one, first to last inclusive.
 * The steps before them, and those after them, become one box per layer. */
void viz_folds_set_steps (VizFolds *folds, guint32 box, gint32 first, gint32 last);
/* The steps drawn one by one.  Until they are set: all of a chain of up to 8 steps, otherwise the
 * first 3. */
void viz_folds_get_steps (const VizFolds *folds, guint32 box, gint32 *first, gint32 *last);

/* The changes against viz_folds_new() as lines of text, for workspace files.  (transfer full) */
char *viz_folds_to_string (const VizFolds *folds);
/* Applies the text of viz_folds_to_string().  Lines with unknown ids are ignored. */
void viz_folds_from_string (VizFolds *folds, const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizFolds, viz_folds_free)
