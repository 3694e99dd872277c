/* report-steps.c — time by time step, and the roofline of operators.
 *
 * Two charts: a strip of cells for every operator of a loop, and operators by arithmetic intensity
 * and rate below the machine's measured roof.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sections.h"

#include "profiler/base/format.h"
#include "profiler/summary/roofline.h"
#include "viz/paint/chart.h"

#include <math.h>

#define LABELS_WIDTH 300.0
#define VALUES_WIDTH 90.0
#define ROW_HEIGHT   18.0
#define MAX_ROWS     16
#define ROOF_HEIGHT  300.0
#define ROOF_LEFT    70.0
#define ROOF_RIGHT   20.0
#define ROOF_BOTTOM  34.0
#define MAX_DOTS     10
#define NAME_HEIGHT  12.0 /* of the name of a dot */

/* --- Time by operator and time step --- */

/* One strip of cells per row of the matrix: an operator in a loop. */
typedef struct
{
  ProfStepMatrix *matrix;
  char          **labels;
  double          longest; /* cell, in seconds */
} Strips;

static void
strips_free (gpointer data)
{
  Strips *strips = data;

  prof_step_matrix_free (strips->matrix);
  g_strfreev (strips->labels);
  g_free (strips);
}

static guint
n_rows (const Strips *strips)
{
  return MIN (strips->matrix->rows->len, MAX_ROWS);
}

static double
strips_height (const ScopeFigure *figure)
{
  return n_rows (figure->data) * ROW_HEIGHT + 18;
}

static void
draw_strips (const ScopeFigure *figure, VizPen *pen, const VizRect *rect, const VizTheme *theme)
{
  const Strips    *strips = figure->data;
  double           width = rect->width - LABELS_WIDTH - VALUES_WIDTH;
  guint            n = strips->matrix->n_steps, n_cells = MIN (n, (guint) width);
  double           bottom = rect->y + n_rows (strips) * ROW_HEIGHT + 12;
  g_autofree char *last = g_strdup_printf ("step %u", n - 1);

  for (guint r = 0; r < n_rows (strips); r++)
    {
      const ProfStepRow *row = &g_array_index (strips->matrix->rows, ProfStepRow, r);
      double             y = rect->y + r * ROW_HEIGHT;
      g_autofree char   *label = viz_text_shorten (strips->labels[r], 44);
      g_autofree char   *time = prof_format_seconds (row->self);

      scope_draw_text (pen, (VizPoint){ rect->x + LABELS_WIDTH - 8, y + 12 }, 1, theme->text,
                       label);
      scope_draw_text (pen, (VizPoint){ rect->x + rect->width, y + 12 }, 1, theme->text_faint,
                       time);
      for (guint c = 0; c < n_cells; c++)
        {
          guint     from = (guint) ((guint64) c * n / n_cells);
          guint     to = (guint) ((guint64) (c + 1) * n / n_cells);
          double    value = NAN;
          VizRect   cell = { rect->x + LABELS_WIDTH + c * width / n_cells, y + 1,
                             width / n_cells + (c + 1 < n_cells ? 0.3 : 0), ROW_HEIGHT - 3 };
          VizColour colour;

          for (guint i = from; i < to; i++)
            if (!isnan (row->steps[i]) && !(value >= row->steps[i]))
              value = row->steps[i];
          colour =
              isnan (value) ? theme->input : viz_theme_heat (theme, sqrt (value / strips->longest));
          pen->rects (pen, &cell, 1, &colour);
        }
    }
  scope_draw_text (pen, (VizPoint){ rect->x + LABELS_WIDTH, bottom }, 0, theme->text_faint,
                   "step 0");
  scope_draw_text (pen, (VizPoint){ rect->x + LABELS_WIDTH + width, bottom }, 1, theme->text_faint,
                   last);
}

static const ScopeDrawing strips_drawing = { strips_height, draw_strips };

void
scope_say_steps (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary)
{
  Strips *strips = g_new0 (Strips, 1);

  strips->matrix = prof_step_matrix_new (capture, summary->used);
  if (strips->matrix->n_steps < 2)
    {
      strips_free (strips);
      return;
    }
  strips->labels = g_new0 (char *, n_rows (strips) + 1);
  for (guint r = 0; r < n_rows (strips); r++)
    {
      const ProfStepRow *row = &g_array_index (strips->matrix->rows, ProfStepRow, r);

      strips->labels[r] = g_strdup_printf ("%s · %s", prof_capture_get_string (capture, row->type),
                                           prof_capture_get_string (capture, row->place));
      for (guint i = 0; i < strips->matrix->n_steps; i++)
        if (row->steps[i] > strips->longest)
          strips->longest = row->steps[i];
    }
  scope_said_figure (said, &(ScopeFigure){ .drawing = &strips_drawing,
                                           .title = "Loops and operators by time step: darker is "
                                                    "slower",
                                           .data = strips,
                                           .destroy = strips_free });
}

/* --- Roofline --- */

/* An operator in the roofline chart. */
typedef struct
{
  char         *name;
  ProfRoofPoint point;
  double        share; /* of the run's time, for the size */
} Dot;

typedef struct
{
  ProfPeaks peaks;
  GArray   *dots;          /* of Dot */
  double    low_x, high_x; /* FLOP per byte */
  double    low_y, high_y; /* FLOP/s */
  VizRect   area;
} Roof;

/* The text beside a dot. */
typedef struct
{
  const char *text;
  VizPoint    at;
  gboolean    is_left; /* it stands to the left of the dot */
} Name;

static void
roof_free (gpointer data)
{
  Roof *roof = data;

  for (guint i = 0; i < roof->dots->len; i++)
    g_free (g_array_index (roof->dots, Dot, i).name);
  g_array_unref (roof->dots);
  g_free (roof);
}

/* Both axes are logarithmic. */
static VizPoint
point_at (const Roof *roof, double intensity, double flops)
{
  double x = log (intensity / roof->low_x) / log (roof->high_x / roof->low_x);
  double y = log (flops / roof->low_y) / log (roof->high_y / roof->low_y);

  return (VizPoint){ roof->area.x + x * roof->area.width,
                     roof->area.y + (1 - y) * roof->area.height };
}

static void
draw_line (VizPen *pen, VizPoint from, VizPoint to, const VizStyle *style)
{
  VizPoint points[4] = { from, from, to, to };

  pen->curve (pen, points, 4, style);
}

/* Grid lines at the powers of ten. */
static void
draw_grid (VizPen *pen, const Roof *roof, const VizTheme *theme)
{
  VizColour faint = theme->box_border;
  double    right = roof->area.x + roof->area.width, bottom = roof->area.y + roof->area.height;

  faint.alpha *= 0.45;
  for (int power = (int) ceil (log10 (roof->low_y)); power <= log10 (roof->high_y); power++)
    {
      double           y = point_at (roof, roof->low_x, pow (10, power)).y;
      g_autofree char *quantity = prof_format_quantity (pow (10, power));
      g_autofree char *text = g_strconcat (quantity, "FLOP/s", NULL);

      pen->rects (pen, &(VizRect){ roof->area.x, y, roof->area.width, 1 }, 1, &faint);
      scope_draw_text (pen, (VizPoint){ roof->area.x - 6, y + 4 }, 1, theme->text_faint, text);
    }
  for (int power = (int) ceil (log10 (roof->low_x)); power <= log10 (roof->high_x); power++)
    {
      double           x = point_at (roof, pow (10, power), roof->low_y).x;
      g_autofree char *text = g_strdup_printf ("%g", pow (10, power));

      pen->rects (pen, &(VizRect){ x, roof->area.y, 1, roof->area.height }, 1, &faint);
      scope_draw_text (pen, (VizPoint){ x, bottom + 14 }, 0.5, theme->text_faint, text);
    }
  scope_draw_text (pen, (VizPoint){ right, bottom + 28 }, 1, theme->text_faint,
                   "FLOP per byte, according to the cost model");
}

/* Bounds of the names placed so far. */
typedef struct
{
  VizRect rects[MAX_DOTS];
  guint   n;
} Taken;

static gboolean
is_taken (const Taken *taken, const VizRect *rect)
{
  for (guint i = 0; i < taken->n; i++)
    if (taken->rects[i].x < rect->x + rect->width &&
        rect->x < taken->rects[i].x + taken->rects[i].width &&
        fabs (taken->rects[i].y - rect->y) < NAME_HEIGHT)
      return TRUE;
  return FALSE;
}

/* Places a name beside its dot (at, size) or, if other names are there, above or below: line 0,
 * then one down, one up, two down … */
static void
place_name (const Roof *roof, Taken *taken, VizPoint at, double size, Name *name)
{
  double  width = (double) g_utf8_strlen (name->text, -1) * viz_text_size (VIZ_TEXT_ROW) * 0.55;
  VizRect rect;
  guint   turn = 0;

  name->is_left = at.x > roof->area.x + 0.7 * roof->area.width;
  do
    {
      double shift = NAME_HEIGHT * ((turn + 1) / 2) * (turn % 2 ? 1 : -1.0);

      name->at = (VizPoint){ at.x + (name->is_left ? -1 : 1) * (size / 2 + 4), at.y + 4 + shift };
      rect = (VizRect){ name->is_left ? name->at.x - width : name->at.x, name->at.y - NAME_HEIGHT,
                        width, NAME_HEIGHT };
    }
  while (is_taken (taken, &rect) && ++turn < 2 * MAX_DOTS);
  taken->rects[taken->n++] = rect;
}

static void
draw_dots (VizPen *pen, const Roof *roof, const VizTheme *theme)
{
  Taken taken = { .n = 0 };

  for (guint i = 0; i < roof->dots->len; i++)
    {
      const Dot       *dot = &g_array_index (roof->dots, Dot, i);
      VizPoint         at = point_at (roof, dot->point.intensity, dot->point.flops);
      double           size = 4 + 10 * sqrt (dot->share);
      VizStyle         style = { .fill = &theme->category[viz_chart_hue (i)] };
      VizStyle         tie = { .stroke = &theme->box_border, .width = 1 };
      g_autofree char *reached = prof_roofline_text (&dot->point);
      g_autofree char *text = g_strdup_printf ("%s, %s", dot->name, reached);
      Name             name = { .text = text };

      place_name (roof, &taken, at, size, &name);
      if (fabs (name.at.y - 4 - at.y) > 1)
        draw_line (pen, at, (VizPoint){ name.at.x, name.at.y - 4 }, &tie);
      pen->rect (pen, &(VizRect){ at.x - size / 2, at.y - size / 2, size, size }, size / 2, &style);
      scope_draw_text (pen, (VizPoint){ name.at.x, name.at.y }, name.is_left, theme->text, text);
    }
}

static double
roof_height (const ScopeFigure *figure G_GNUC_UNUSED)
{
  return ROOF_HEIGHT;
}

static void
draw_roof (const ScopeFigure *figure, VizPen *pen, const VizRect *rect, const VizTheme *theme)
{
  Roof    *roof = figure->data;
  double   ridge = roof->peaks.flops / roof->peaks.bytes;
  VizStyle line = { .stroke = &theme->text_faint, .width = 1.6 };
  double   left;

  roof->area = (VizRect){ rect->x + ROOF_LEFT, rect->y + 6, rect->width - ROOF_LEFT - ROOF_RIGHT,
                          rect->height - ROOF_BOTTOM - 6 };
  draw_grid (pen, roof, theme);
  left = MAX (roof->low_x, roof->low_y / roof->peaks.bytes);
  draw_line (pen, point_at (roof, left, left * roof->peaks.bytes),
             point_at (roof, ridge, roof->peaks.flops), &line);
  draw_line (pen, point_at (roof, ridge, roof->peaks.flops),
             point_at (roof, roof->high_x, roof->peaks.flops), &line);
  draw_dots (pen, roof, theme);
}

/* Bounds of both axes, with a margin around all dots and the ridge. */
static void
find_bounds (Roof *roof)
{
  double ridge = roof->peaks.flops / roof->peaks.bytes;

  roof->low_x = ridge / 10;
  roof->high_x = ridge * 10;
  roof->low_y = roof->peaks.flops / 100;
  roof->high_y = roof->peaks.flops * 2;
  for (guint i = 0; i < roof->dots->len; i++)
    {
      const ProfRoofPoint *point = &g_array_index (roof->dots, Dot, i).point;

      roof->low_x = MIN (roof->low_x, point->intensity / 2);
      roof->high_x = MAX (roof->high_x, point->intensity * 2);
      roof->low_y = MIN (roof->low_y, point->flops / 2);
      roof->high_y = MAX (roof->high_y, point->flops * 2);
    }
}

static const ScopeDrawing roof_drawing = { roof_height, draw_roof };

void
scope_say_roofline (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary)
{
  Roof *roof = g_new0 (Roof, 1);

  roof->peaks = prof_roofline_peaks (capture);
  roof->dots = g_array_new (FALSE, FALSE, sizeof (Dot));
  for (guint i = 0; i < summary->operators->len && roof->dots->len < MAX_DOTS; i++)
    {
      const ProfGroupSum *sum = &g_array_index (summary->operators, ProfGroupSum, i);
      Dot                 dot = { .share = sum->share };

      if (!prof_roofline_point (&roof->peaks, sum->self, sum->flops, sum->bytes, &dot.point) ||
          !(dot.point.flops > 0) || !(dot.point.intensity > 0))
        continue;
      dot.name = g_strdup (sum->name);
      g_array_append_val (roof->dots, dot);
    }
  if (roof->dots->len == 0)
    {
      roof_free (roof);
      return;
    }
  find_bounds (roof);
  scope_said_figure (said, &(ScopeFigure){ .drawing = &roof_drawing,
                                           .title = "Roofline: operators compared with what this "
                                                    "machine can reach",
                                           .data = roof,
                                           .destroy = roof_free });
}
