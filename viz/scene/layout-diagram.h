/* layout-diagram.h — from a diagram to a placed picture.
 *
 * Open groups are laid out from the inside out, each by one of the layouts in layouts.c, and
 * count as one box in the group around them.  Equal groups are laid out once and copied.  The
 * result depends on the arguments only, never on time or addresses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/box-text.h"
#include "viz/diagram/error.h"
#include "viz/fold/folds.h"
#include "viz/scene/picture.h"

#include <gio/gio.h>

/* The page that pictures are shaped for if nothing else is known, in pixels. */
#define VIZ_PAGE_WIDTH  960
#define VIZ_PAGE_HEIGHT 640

/* Where data flows.  Automatic: to the right if down is too small on the page to be read and the right is much
 * larger, else down; a picture that has a previous one keeps its direction. */
typedef enum
{
  VIZ_DIRECTION_DOWN,
  VIZ_DIRECTION_RIGHT,
  VIZ_DIRECTION_AUTO,
} VizDirection;

typedef struct
{
  const char  *layout;    /* name in the table of layouts.c; NULL: "auto" */
  const char  *font;      /* family; NULL: VIZ_DEFAULT_FONT */
  const char  *helper;    /* program of the dot layout; NULL: beside the executable, or installed */
  VizPoint     page;      /* the size in pixels for which tall groups are wrapped; 0: none are */
  VizDetail    detail;    /* how much boxes show */
  VizDirection direction; /* to the right, boxes do not keep the places of the previous picture */

  /* (nullable) The picture on the screen, after a group was opened or closed.  The other boxes then
   * keep their places or move to make room, never by more than the change of size, and return when
   * the group is closed.  Ignored after many changes at once, and if it was made from another
   * diagram, by another layout or with another font. */
  const VizPicture *previous;
} VizLayoutOptions;

/* The direction with this name: “auto”, “down” or “right”.  FALSE if there is none. */
gboolean viz_direction_find (const char *name, VizDirection *direction);
/* The name of a direction. */
const char *viz_direction_name (VizDirection direction);

/* Lays out the part of the diagram that folds shows.  May run in any thread.  folds: (nullable)
 * the groups that the diagram opens.  options: (nullable) the defaults.  Returns NULL with an
 * error when cancelled, and for a layout name that is not in the table.  (transfer full) */
VizPicture *viz_layout_diagram (VizDiagram             *diagram,
                                const VizFolds         *folds,
                                const VizLayoutOptions *options,
                                GCancellable           *cancellable,
                                GError                **error);
