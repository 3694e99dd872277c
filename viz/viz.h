/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* viz.h — everything of viz/ that others may use.
 *
 *   builder  diagram.h    what to draw
 *   fold     fold.h       weights into consumers, scopes, repeats (on the builder)
 *   folds    folds.h      what stands open
 *   layout   layout.h     diagram + folds → picture, in a worker
 *   picture  picture.h    placed, immutable; hit test
 *   overlay  overlay.h    values as colours
 *   paint    paint.h      the one draw function
 *   export   export.h     SVG, PNG, PDF, DOT
 *   charts   chart.h      bars, waterfall, heat strip
 */
#pragma once

#include "viz/chart.h"
#include "viz/diagram.h"
#include "viz/dot.h"
#include "viz/export.h"
#include "viz/fold.h"
#include "viz/folds.h"
#include "viz/layout.h"
#include "viz/legend.h"
#include "viz/overlay.h"
#include "viz/paint.h"
#include "viz/palette.h"
#include "viz/picture.h"
