/* scenes.h — diagrams for tests and the benchmark.
 *
 * scenes lists small hand-made diagrams; the functions generate larger ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

typedef struct
{
  const char *name;
  VizDiagram *(*make) (void);
} Scene;

/* Small diagrams; most have a reference picture. */
extern const Scene scenes[];
extern const guint n_scenes;

/* An unrolled LSTM as Gluon names it, "lstm_l0_t3_i2h" …: 13 operators per step and layer, a slice
 * before them and a concat after them; not folded.  (transfer full) */
VizDiagramBuilder *scene_lstm (guint n_steps, guint n_layers);
/* A chain of blocks of 40 operators, with skip connections.  (transfer full) */
VizDiagramBuilder *scene_transformer (guint n_blocks);
/* Adds boxes with the names box0, box1, … and writes their numbers to `boxes`. */
void scene_add_boxes (VizDiagramBuilder *builder, guint n, guint32 *boxes);
/* A random acyclic graph.  (transfer full) */
VizDiagramBuilder *scene_random (guint32 seed, guint n_nodes, guint n_edges);
