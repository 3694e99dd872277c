/* scenes.h — hand-made and generated diagrams for tests and the benchmark.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

typedef struct
{
  const char *name;
  VizDiagram *(*make) (void);
} Scene;

/* Small ones, each with a reference picture. */
extern const Scene scenes[];
extern const guint n_scenes;

VizDiagramBuilder *scene_lstm (guint n_steps, guint n_layers); /* flat, named l0_t3_i2h … */
VizDiagramBuilder *scene_transformer (guint n_blocks);         /* 40 boxes a block */
VizDiagramBuilder *scene_random (guint32 seed, guint n_nodes, guint n_edges);
