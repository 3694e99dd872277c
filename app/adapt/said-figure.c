/* said-figure.c — figures as blocks of a comparison: bars, waterfalls and curves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/said.h"

#include <math.h>

#define CHART_HEIGHT 220.0
#define NAME_WIDTH   24 /* characters on a terminal, as below */
#define NUMBER_WIDTH 20

/* --- Drawing --- */

static const VizBar *
get_bars (const ScopeFigure *figure)
{
  return (const VizBar *) (gpointer) figure->bars->data;
}

static double
bars_height (const ScopeFigure *figure)
{
  return viz_chart_bars_height (figure->bars->len);
}

static void
draw_bars (const ScopeFigure *figure, VizPen *pen, const VizRect *rect, const VizTheme *theme)
{
  viz_chart_bars (pen, rect, theme, get_bars (figure), figure->bars->len);
}

static double
chart_height (const ScopeFigure *figure G_GNUC_UNUSED)
{
  return CHART_HEIGHT;
}

static void
draw_waterfall (const ScopeFigure *figure, VizPen *pen, const VizRect *rect, const VizTheme *theme)
{
  viz_chart_waterfall (pen, rect, theme, get_bars (figure), figure->bars->len);
}

static void
draw_curves (const ScopeFigure *figure, VizPen *pen, const VizRect *rect, const VizTheme *theme)
{
  viz_curve_table_draw (figure->curves, pen, rect, theme);
}

const ScopeDrawing scope_drawing_bars = { bars_height, draw_bars };
const ScopeDrawing scope_drawing_waterfall = { chart_height, draw_waterfall };
const ScopeDrawing scope_drawing_curves = { chart_height, draw_curves };

/* --- Figures --- */

static const char *
keep (GStringChunk *texts, const char *text /* (nullable) */)
{
  return text ? g_string_chunk_insert (texts, text) : NULL;
}

ScopeFigure *
scope_figure_new (const ScopeFigure *like)
{
  ScopeFigure *figure = g_rc_box_dup (sizeof *like, (gpointer) like);

  figure->texts = g_string_chunk_new (512);
  figure->name = keep (figure->texts, like->name);
  figure->title = keep (figure->texts, like->title);
  figure->line = keep (figure->texts, like->line);
  figure->details = keep (figure->texts, like->details);
  figure->bars = g_array_new (FALSE, FALSE, sizeof (VizBar));
  return figure;
}

static void
figure_clear (gpointer data)
{
  ScopeFigure *figure = data;

  g_string_chunk_free (figure->texts);
  g_array_unref (figure->bars);
  viz_curve_table_free (figure->curves);
  scope_table_free (figure->table);
  if (figure->destroy)
    figure->destroy (figure->data);
}

ScopeFigure *
scope_figure_ref (const ScopeFigure *figure)
{
  return g_rc_box_acquire ((gpointer) figure);
}

void
scope_figure_unref (ScopeFigure *figure)
{
  g_rc_box_release_full (figure, figure_clear);
}

void
scope_figure_add_bar (ScopeFigure *figure, const VizBar *bar, char *text)
{
  VizBar copy = *bar;

  copy.label = keep (figure->texts, bar->label);
  copy.text = keep (figure->texts, text);
  copy.value = isfinite (bar->value) ? bar->value : 0;
  if (figure->drawing == &scope_drawing_bars)
    copy.value = MAX (copy.value, 0);
  g_array_append_val (figure->bars, copy);
  g_free (text);
}

ScopeTable *
scope_figure_add_table (ScopeFigure *figure, const ScopeTableColumn *columns, guint n_columns)
{
  figure->table = scope_table_new (columns, n_columns);
  return figure->table;
}

/* --- As rows --- */

static void
list_bars (ScopeTable *table, const ScopeFigure *figure)
{
  for (guint i = 0; i < figure->bars->len; i++)
    {
      scope_table_add (table, g_strdup (get_bars (figure)[i].label), FALSE);
      scope_table_add (table, g_strdup (get_bars (figure)[i].text),
                       get_bars (figure)[i].is_unclear);
    }
}

/* A row for each x, a column for each curve. */
static ScopeTable *
list_curves (const VizCurveTable *curves)
{
  g_autofree ScopeTableColumn *columns = g_new0 (ScopeTableColumn, curves->n_curves + 1);
  ScopeTable                  *table;

  columns[0] = (ScopeTableColumn){ .title = curves->x_name, .width = NAME_WIDTH };
  for (guint i = 0; i < curves->n_curves; i++)
    columns[i + 1] = (ScopeTableColumn){ curves->labels[i], NULL, TRUE, NUMBER_WIDTH };
  table = scope_table_new (columns, curves->n_curves + 1);
  for (guint x = 0; x < curves->n_x; x++)
    {
      scope_table_add (table, g_strdup_printf ("%.6g", curves->x[x]), FALSE);
      for (guint i = 0; i < curves->n_curves; i++)
        {
          double y = curves->y[(gsize) i * curves->n_x + x];

          scope_table_add (table, isnan (y) ? g_strdup ("–") : curves->format (y), FALSE);
        }
    }
  return table;
}

ScopeTable *
scope_figure_list (const ScopeFigure *figure)
{
  static const ScopeTableColumn columns[] = {
    { NULL, NULL, FALSE, NAME_WIDTH },
    { NULL, NULL, FALSE, 0 },
  };
  ScopeTable *table;

  if (figure->curves)
    return list_curves (figure->curves);
  table = scope_table_new (columns, G_N_ELEMENTS (columns));
  list_bars (table, figure);
  return table;
}
