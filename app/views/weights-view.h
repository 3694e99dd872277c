/* weights-view.h — parameters: statistics, histogram, picture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_WEIGHTS_VIEW (scope_weights_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeWeightsView, scope_weights_view, SCOPE, WEIGHTS_VIEW, ScopeView)

G_END_DECLS
