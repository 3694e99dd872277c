/* viz.h — the headers of this module that other modules use.
 *
 *   builder  diagram.h         what to draw
 *   fold     fold.h            groups boxes, on the builder
 *   folds    folds.h           which groups are open
 *   layout   layout-diagram.h  diagram + folds → picture, in a worker thread
 *            layout.h          the layouts by name
 *   picture  picture.h         placed, immutable; hit test
 *   overlay  overlay.h         values as colours
 *   paint    paint.h           drawing
 *   export   export.h          SVG, PNG, PDF, DOT
 *   charts   chart.h           bars, waterfall, curves
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"
#include "viz/diagram/error.h"
#include "viz/diagram/palette.h"
#include "viz/export/dot.h"
#include "viz/export/export.h"
#include "viz/fold/fold.h"
#include "viz/fold/folds.h"
#include "viz/fold/overlay.h"
#include "viz/layout/layout.h"
#include "viz/paint/chart.h"
#include "viz/paint/legend.h"
#include "viz/paint/paint.h"
#include "viz/scene/layout-diagram.h"
#include "viz/scene/picture.h"
