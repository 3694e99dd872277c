/* passes-view.h — before and after of every pass of the engine over the model.
 *
 * Signal "chosen" (document, hits): the graph after a pass, with boxes of what it made as an
 * array of guint32; both NULL: the model as it was written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_PASSES_VIEW (scope_passes_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopePassesView, scope_passes_view, SCOPE, PASSES_VIEW, ScopeView)

/* The row of no pass. */
void scope_passes_view_unselect (ScopePassesView *self);
/* "batch-products", "… in lstm0_foreach"; NULL: none is chosen.  (transfer full) */
char *scope_passes_view_dup_title (ScopePassesView *self);

G_END_DECLS
