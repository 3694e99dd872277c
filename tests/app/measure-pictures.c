/* measure-pictures.c — prints measures of the pictures of real models; not a test.
 *
 * One line a model: size, aspect, boxes at first sight, share of texts that are cut, empty share of
 * the boxes, and what must be 0.  The first sight is what the window shows when a file is opened: the
 * whole picture on a page of 960 × 640 pixels, or its beginning where the whole could not be read.
 *   measure-pictures [FILE…]        without files: all models of $HYB_SHARED
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/models.h"
#include "tests/viz/geometry.h"
#include "tests/viz/recording-pen.h"

#include "viz/paint/paint.h"
#include "viz/scene/layout-diagram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAGE_WIDTH  960.0 /* pixels */
#define PAGE_HEIGHT 640.0
#define MARGIN      24.0
#define LEGIBLE     0.45 /* the least zoom of the first view of the whole */
#define BEGINNING   0.6  /* the zoom of the first view of a beginning */
#define MANY_BOXES  50   /* pictures with more are counted by their aspect */
#define MAX_ITEMS   1500 /* crossings take quadratic time */

typedef struct
{
  guint    n_boxes;                  /* drawn, without open groups */
  double   zoom;                     /* at which the file opens */
  VizRect  view;                     /* in points of the picture */
  guint    n_seen;                   /* boxes at first sight */
  guint    n_texts, n_cut, n_silent; /* texts at first sight; boxes without any */
  double   box_area, text_area;      /* at first sight */
  guint    n_outside;                /* texts that leave the picture */
  Geometry geometry;
} Measures;

static gboolean
meets (const VizRect *a, const VizItem *item)
{
  return item->x < a->x + a->width && a->x < item->x + item->width && item->y < a->y + a->height &&
         a->y < item->y + item->height;
}

static void
choose_view (const VizPicture *picture, Measures *measures)
{
  double width = viz_picture_width (picture), height = viz_picture_height (picture);
  double zoom =
      MIN (1, MIN ((PAGE_WIDTH - 2 * MARGIN) / width, (PAGE_HEIGHT - 2 * MARGIN) / height));
  double x = 0, y = 0;

  if (zoom < LEGIBLE && viz_picture_n_items (picture) > 1)
    {
      const VizItem *first = viz_picture_item (picture, 1);

      zoom = BEGINNING;
      x = width * zoom <= PAGE_WIDTH ? width / 2 - PAGE_WIDTH / 2 / zoom
                                     : first->x + first->width / 2 - PAGE_WIDTH / 2 / zoom;
      y = -MARGIN / zoom;
      measures->view = (VizRect){ x, y, PAGE_WIDTH / zoom, PAGE_HEIGHT / zoom };
    }
  else
    measures->view = (VizRect){ 0, 0, width, height };
  measures->zoom = zoom;
}

static void
measure_texts (const VizPicture *picture, Measures *measures)
{
  g_autoptr (GArray) texts = recording_pen_texts ();
  g_autoptr (GHashTable) speaking = g_hash_table_new (g_str_hash, g_str_equal);
  VizPen *pen = recording_pen_new (texts, viz_picture_font (picture));

  viz_paint_with (picture, pen,
                  &(VizPaintOptions){ .area = &measures->view, .scale = measures->zoom });
  viz_pen_free (pen);
  for (guint i = 0; i < texts->len; i++)
    {
      const RecordedText *text = &g_array_index (texts, RecordedText, i);
      gboolean            in_box =
          text->kind && (strcmp (text->kind, "box") == 0 || strcmp (text->kind, "closed") == 0);

      if (in_box)
        {
          g_hash_table_add (speaking, text->id);
          measures->text_area += text->rect.width * text->rect.height;
        }
      measures->n_texts++;
      measures->n_cut += text->is_cut;
      measures->n_outside += text->rect.x < -0.5 || text->rect.y < -0.5 ||
                             text->rect.x + text->rect.width > viz_picture_width (picture) + 0.5 ||
                             text->rect.y + text->rect.height > viz_picture_height (picture) + 0.5;
    }
  for (guint32 i = 1; i < viz_picture_n_items (picture); i++)
    {
      const VizItem *item = viz_picture_item (picture, i);

      if (item->state == VIZ_ITEM_OPEN)
        continue;
      measures->n_boxes++;
      if (!meets (&measures->view, item))
        continue;
      measures->n_seen++;
      measures->box_area += item->width * item->height;
      measures->n_silent +=
          item->state != VIZ_ITEM_STEPS &&
          !g_hash_table_contains (speaking,
                                  viz_diagram_box (viz_picture_diagram (picture), item->box)->id);
    }
}

static void
print_measures (const char *name, const VizPicture *picture, const Measures *measures)
{
  const Geometry *geometry = &measures->geometry;

  printf ("%-56s %6.0f×%-6.0f %5.2f %5u %4.2f %4u %5.1f%% %5.1f%% %4u  %5u %8.0f  %u %u %u %u %u\n",
          name, viz_picture_width (picture), viz_picture_height (picture),
          viz_picture_width (picture) / viz_picture_height (picture), measures->n_boxes,
          measures->zoom, measures->n_seen, 100.0 * measures->n_cut / MAX (measures->n_texts, 1),
          100.0 * (1 - measures->text_area / MAX (measures->box_area, 1)), measures->n_silent,
          geometry->n_crossings, geometry->length, geometry->n_overlaps, geometry->n_struck,
          measures->n_outside + geometry->n_outside, geometry->n_through, geometry->n_clipped);
}

/* Sums over all pictures. */
typedef struct
{
  guint    n, n_wrong_shape, n_large, n_many, n_illegible;
  Measures sum;
} Total;

static void
add (Total *total, const VizPicture *picture, const Measures *measures)
{
  double aspect = viz_picture_width (picture) / viz_picture_height (picture);

  total->n++;
  if (measures->n_boxes > MANY_BOXES)
    {
      total->n_large++;
      total->n_wrong_shape += aspect > 3 || aspect < 1.0 / 3;
    }
  total->n_many += measures->n_seen > 60;
  total->n_illegible += measures->zoom == BEGINNING;
  total->sum.n_texts += measures->n_texts;
  total->sum.n_cut += measures->n_cut;
  total->sum.n_seen += measures->n_seen;
  total->sum.n_silent += measures->n_silent;
  total->sum.box_area += measures->box_area;
  total->sum.text_area += measures->text_area;
  total->sum.n_outside += measures->n_outside + measures->geometry.n_outside;
  total->sum.geometry.n_crossings += measures->geometry.n_crossings;
  total->sum.geometry.n_overlaps += measures->geometry.n_overlaps;
  total->sum.geometry.n_struck += measures->geometry.n_struck;
  total->sum.geometry.n_through += measures->geometry.n_through;
  total->sum.geometry.length += measures->geometry.length;
}

static void
print_total (const Total *total)
{
  const Measures *sum = &total->sum;

  printf ("%u pictures: %.2f %% of texts cut, %.1f %% of boxes empty, %u of %u boxes at first "
          "sight "
          "silent, %u pictures with more than 60 boxes at first sight, %u do not fit the page "
          "legibly\n",
          total->n, 100.0 * sum->n_cut / MAX (sum->n_texts, 1),
          100.0 * (1 - sum->text_area / MAX (sum->box_area, 1)), sum->n_silent, sum->n_seen,
          total->n_many, total->n_illegible);
  printf ("%u of %u pictures of over %d boxes are outside of 1:3 to 3:1; %u crossings, %.0f points "
          "of "
          "wire; %u overlaps, %u struck titles, %u outside, %u through boxes\n",
          total->n_wrong_shape, total->n_large, MANY_BOXES, sum->geometry.n_crossings,
          sum->geometry.length, sum->geometry.n_overlaps, sum->geometry.n_struck, sum->n_outside,
          sum->geometry.n_through);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) paths = argc > 1 ? g_ptr_array_new_with_free_func (g_free) : models_list ();
  Total total = { 0 };

  for (int i = 1; i < argc; i++)
    g_ptr_array_add (paths, g_strdup (argv[i]));
  printf ("model, size, aspect, boxes, zoom, boxes seen, texts cut, boxes empty, silent boxes, "
          "crossings, wire, then overlaps, struck titles, outside, through boxes, clipped\n");
  for (guint i = 0; i < paths->len; i++)
    {
      const char      *path = g_ptr_array_index (paths, i);
      g_autofree char *folder = g_path_get_dirname (path);
      g_autofree char *name =
          g_strdelimit (g_strjoin ("/", strrchr (folder, '/') ? strrchr (folder, '/') + 1 : folder,
                                   strrchr (path, '/') ? strrchr (path, '/') + 1 : path, NULL),
                        "\n", ' ');
      g_autoptr (VizDiagram) diagram = models_diagram (path, NULL);
      g_autoptr (VizPicture) picture =
          diagram ? viz_layout_diagram (diagram, NULL,
                                        &(VizLayoutOptions){ .direction = VIZ_DIRECTION_AUTO,
                                                             .detail = VIZ_DETAIL_AUTO,
                                                             .page = { PAGE_WIDTH, PAGE_HEIGHT } },
                                        NULL, NULL)
                  : NULL;
      Measures measures = { 0 };

      if (!picture)
        continue;
      choose_view (picture, &measures);
      measure_texts (picture, &measures);
      if (viz_picture_n_items (picture) < MAX_ITEMS)
        measures.geometry = geometry_of (picture);
      print_measures (name, picture, &measures);
      add (&total, picture, &measures);
    }
  print_total (&total);
  return 0;
}
