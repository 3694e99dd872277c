/* layout.h — the interface of a layout: one way to place the content of one open group.
 *
 * Each layout is a const struct at the end of its own file; layouts.c lists them.  The result
 * depends on the arguments only, never on time, addresses or hash order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/layout/body.h"

#include <gio/gio.h>

typedef struct
{
  const char *name;  /* for the command line */
  const char *label; /* for the window */

  /* Whether place() can handle this body.  NULL: any body. */
  gboolean (*can_place) (const VizBody *body);

  /* Fills the answer of body.  Returns FALSE with an error if it cannot place this body, and when
   * cancelled.  helper: (nullable) the program to run, for a layout that works in another process. */
  gboolean (*place) (VizBody *body, const char *helper, GCancellable *cancellable, GError **error);

  /* The program that place() runs if it is given none.  (transfer full)  NULL: none is run. */
  char *(*dup_program) (void);
} VizLayout;

extern const VizLayout viz_layout_auto; /* layouts.c: grid if it can place the body, else layers */
extern const VizLayout viz_layout_layers; /* layout-layers.c: places any body */
extern const VizLayout viz_layout_grid;   /* layout-grid.c: time × layer */
extern const VizLayout viz_layout_dot;    /* layout-dot.c: Graphviz */

/* The layout of that name in the table of layouts.c, or NULL. */
const VizLayout *viz_layout_find (const char *name);
