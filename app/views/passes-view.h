/* passes-view.h — the passes of the engine over the model, with the change each made.
 *
 * Signal "chosen" (ScopeDocument *document, GArray *hits): the graph after the selected pass, with the
 * boxes of its new nodes as guint32; both NULL when no pass is selected.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_PASSES_VIEW (scope_passes_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopePassesView, scope_passes_view, SCOPE, PASSES_VIEW, ScopeView)

/* Selects the model as written. */
void scope_passes_view_unselect (ScopePassesView *self);
/* The selected pass, "batch-products" or "batch-products, inside lstm0_foreach"; NULL: none.
 * (transfer full) */
char *scope_passes_view_dup_title (ScopePassesView *self);
