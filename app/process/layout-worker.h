/* layout-worker.h — layout away from the main thread.
 *
 * One thread for the whole process (cgraph wants it so); a request whose canceller
 * was used is passed over.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/viz.h"

#include <gio/gio.h>

/* diagram is referenced, folds copied.  layout: name in the table.  previous: (nullable) the picture
 * on the screen, whose boxes stay where they are. */
void scope_layout_async (VizDiagram         *diagram,
                         const VizFolds     *folds,
                         const char         *layout,
                         VizPicture         *previous,
                         GCancellable       *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer            user_data);
/* (transfer full) */
VizPicture *scope_layout_finish (GAsyncResult *result, GError **error);
