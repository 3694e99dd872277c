/* fold.h — makes a large diagram small before anything is laid out.
 *
 * Works on the builder, after all boxes and arrows were added and before it is
 * frozen.  Boxes keep their numbers; groups are added behind them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

G_BEGIN_DECLS

typedef enum
{
  VIZ_FOLD_WEIGHTS = 1 << 0, /* VIZ_BOX_WEIGHT becomes a row of each consumer */
  VIZ_FOLD_SCOPES = 1 << 1,  /* groups from names: a/b/c and a_b_c */
  VIZ_FOLD_REPEATS = 1 << 2, /* …_t0_…, …_t1_…: one VIZ_BOX_STEPS, time × layer */
  VIZ_FOLD_ALL = VIZ_FOLD_WEIGHTS | VIZ_FOLD_SCOPES | VIZ_FOLD_REPEATS,
} VizFoldWhat;

/* Names are subtitles (titles where there is none).  Afterwards as many groups stand open
 * (VIZ_BOX_OPEN) as a person can take in at once. */
void viz_fold (VizDiagramBuilder *builder, VizFoldWhat what);

G_END_DECLS
