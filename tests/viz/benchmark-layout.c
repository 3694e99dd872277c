/* benchmark-layout.c — prints times and memory of folding, layout and SVG; not a test.
 *
 * Runs in one thread, from the builder to the bytes of the SVG.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/viz/scenes.h"

#include "viz/export/export.h"
#include "viz/fold/fold.h"
#include "viz/scene/layout-diagram.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

typedef struct
{
  double fold, layout, svg;
  guint  n_items;
  gsize  n_bytes;
} Times;

/* The CPU time of this process in microseconds, which depends little on other load. */
static gint64
processor_time (void)
{
  return (gint64) clock () * G_USEC_PER_SEC / CLOCKS_PER_SEC;
}

static Times
measure (VizDiagramBuilder *builder, VizFoldWhat what)
{
  Times           times;
  VizExportResult result;
  gint64          start = processor_time (), folded, laid, written;
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;
  g_autoptr (GBytes) svg = NULL;

  viz_fold (builder, what, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  folded = processor_time ();
  picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  laid = processor_time ();
  svg = viz_export_find ("svg")->write (picture, &(VizExportOptions){ .scale = 1 }, &result, NULL);
  written = processor_time ();
  times.fold = (double) (folded - start) / 1e6;
  times.layout = (double) (laid - folded) / 1e6;
  times.svg = (double) (written - laid) / 1e6;
  times.n_items = viz_picture_n_items (picture);
  times.n_bytes = g_bytes_get_size (svg);
  return times;
}

static void
report (const char *name, VizDiagramBuilder *builder, VizFoldWhat what)
{
  guint32       n = viz_diagram_builder_n_boxes (builder);
  Times         times = measure (builder, what);
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  printf ("%-28s %7u boxes %7u items  fold %.3f  layout %.3f  svg %.3f s  %6.1f MB svg  peak %ld "
          "MB\n",
          name, n, times.n_items, times.fold, times.layout, times.svg, (double) times.n_bytes / 1e6,
          usage.ru_maxrss / 1024);
}

int
main (void)
{
  report ("transformer, 25 blocks", scene_transformer (25), VIZ_FOLD_ALL);
  report ("transformer, 250 blocks", scene_transformer (250), VIZ_FOLD_ALL);
  report ("transformer, 2500 blocks", scene_transformer (2500), VIZ_FOLD_ALL);
  report ("LSTM, 2000 steps", scene_lstm (2000, 1), VIZ_FOLD_ALL);
  report ("LSTM, 3500 steps, 2 layers", scene_lstm (3500, 2), VIZ_FOLD_ALL);
  report ("LSTM 35 × 2, flat, weights", scene_lstm (35, 2), 0);
  report ("LSTM 100 × 2, flat, weights", scene_lstm (100, 2), 0);
  report ("transformer 25, flat", scene_transformer (25), VIZ_FOLD_WEIGHTS);
  report ("transformer 250, flat", scene_transformer (250), VIZ_FOLD_WEIGHTS);
  report ("LSTM 3500 × 2, flat", scene_lstm (3500, 2), VIZ_FOLD_WEIGHTS);
  return 0;
}
