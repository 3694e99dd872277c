/* folds.h — which groups of a diagram stand open, and which steps of a chain.
 *
 * This is the user's state, not the diagram's: keep one per view, copy it for
 * undo, hand a copy to the worker that lays out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

G_BEGIN_DECLS

typedef struct _VizFolds VizFolds;

/* Everything as the diagram says (VIZ_BOX_OPEN), the rest closed. */
VizFolds *viz_folds_new (VizDiagram *diagram);
VizFolds *viz_folds_copy (const VizFolds *folds);
void      viz_folds_free (VizFolds *folds);

gboolean viz_folds_is_open (const VizFolds *folds, guint32 box);
void     viz_folds_set_open (VizFolds *folds, guint32 box, gboolean open);

/* Opens what stands around box, so that it can be seen; also the range of steps. */
void viz_folds_reveal (VizFolds *folds, guint32 box);

/* Opens groups down to a depth (0: all closed) and closes the others. */
void viz_folds_open_depth (VizFolds *folds, guint depth);

/* Opens every group whose id, title or subtitle matches the glob, and what stands
 * around it.  Returns how many matched. */
guint viz_folds_open_matching (VizFolds *folds, const char *glob);

/* The steps first … last of a VIZ_BOX_STEPS that are drawn one by one when it is open;
 * those before and after become one box each a layer. */
void viz_folds_set_steps (VizFolds *folds, guint32 box, gint32 first, gint32 last);
void viz_folds_get_steps (const VizFolds *folds, guint32 box, gint32 *first, gint32 *last);

/* The open groups' ids and ranges as text, and back: for workspace files.  Unknown ids are
 * passed over. */
char *viz_folds_to_string (const VizFolds *folds);
void  viz_folds_from_string (VizFolds *folds, const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizFolds, viz_folds_free)

G_END_DECLS
