/* layout.h — from a diagram to a placed picture.
 *
 * Open groups are laid out from the inside out, each by one of the layouts in
 * the table of layout.c, and stand as one box in the group around them.  Equal
 * groups are laid out once and stamped.  The result depends on the arguments
 * only, never on time or addresses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/folds.h"
#include "viz/layout/body.h"
#include "viz/scene/picture.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define VIZ_ERROR (viz_error_quark ())
GQuark viz_error_quark (void);

typedef enum
{
  VIZ_ERROR_LIMIT,  /* too large for what was asked */
  VIZ_ERROR_LAYOUT, /* a layout found no answer; another may */
  VIZ_ERROR_FORMAT, /* not a file we can read or write */
} VizError;

typedef struct
{
  const char *layout; /* name in the table; NULL: "auto" */
  const char *font;   /* family; NULL: VIZ_DEFAULT_FONT */
  const char *helper; /* program of the dot layout; NULL: beside the executable, or installed */
  gboolean    bare;   /* boxes show title and name only */

  /* The picture on the screen, after a group was opened or closed: the other boxes keep their
   * places or move out of its way, never by more than its change of size, and go back when it is
   * closed.  After many changes at once, or under another layout, nothing is kept.  (nullable) */
  const VizPicture *previous;
} VizLayoutOptions;

/* One way to place the content of one group. */
typedef struct
{
  const char *name;  /* for the command line */
  const char *label; /* for the window */

  /* Fills the answer of body.  FALSE: cancelled, or cannot do this body. */
  gboolean (*place) (VizBody                *body,
                     const VizLayoutOptions *options,
                     GCancellable           *cancellable,
                     GError                **error);
} VizLayout;

const VizLayout *viz_layout_find (const char *name);

/* folds: (nullable), as the diagram says.  options: (nullable).  NULL when cancelled, or for a
 * name that is not in the table.  May run in any thread. */
VizPicture *viz_layout (VizDiagram             *diagram,
                        const VizFolds         *folds,
                        const VizLayoutOptions *options,
                        GCancellable           *cancellable,
                        GError                **error);

G_END_DECLS
