/* box-text.c — builds the lines of a box: operator, name, attributes, folded weights, shape.
 *
 * Long texts are shortened in the middle, and long lists end in a count of what is left out.
 * Start reading at viz_box_lines().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/box-text.h"

#include <math.h>
#include <string.h>

#define TITLE_LENGTH   28 /* characters */
#define LINE_LENGTH    34
#define MAX_ATTRIBUTES 4
#define MAX_WEIGHTS    6
#define MAX_IN_HEADER  12 /* rows in the weights that all steps of a chain share */
#define MIN_WIDTH      44 /* points, without padding */

static void
add_line (GArray *lines, VizTextStyle style, gboolean is_faint, const char *text)
{
  VizTextLine line = { NULL, style, is_faint };

  if (!text || *text == '\0')
    return;
  line.text = viz_text_shorten (text, style == VIZ_TEXT_TITLE ? TITLE_LENGTH : LINE_LENGTH);
  /* A line break in a name would draw over the line below. */
  g_strdelimit (line.text, "\n\r\t\v\f", ' ');
  g_array_append_val (lines, line);
}

static void
clear_line (gpointer line)
{
  g_free (((VizTextLine *) line)->text);
}

/* The part of a weight's name that the name of its box does not already show: "weight" of
 * "fc1_weight" in "fc1", "h2h_weight" of "l0_h2h_weight" in "l0_t3_h2h". */
static const char *
without_prefix (const char *name, const char *prefix)
{
  gsize shared = 0;

  for (gsize i = 0; prefix && name[i] != '\0'; i++)
    {
      if (prefix[i] == '\0' && strchr ("_./", name[i]) && name[i + 1] != '\0')
        shared = i + 1;
      if (prefix[i] == '\0' || name[i] != prefix[i])
        break;
      if (strchr ("_./", name[i]) && name[i + 1] != '\0')
        shared = i + 1;
    }
  return name + shared;
}

static void
add_weights (GArray *lines, const VizDiagram *diagram, guint32 box)
{
  guint32        n_arrows, n_uses, n_weights = 0;
  const guint32 *arrows = viz_diagram_incoming (diagram, box, &n_arrows);

  for (guint32 i = 0; i < n_arrows; i++)
    {
      const VizBox *weight =
          viz_diagram_box (diagram, viz_diagram_arrow (diagram, arrows[i])->tail);
      const char      *name = weight->subtitle ? weight->subtitle : weight->title;
      g_autofree char *row = NULL;

      if ((weight->flags & VIZ_BOX_FOLDED) == 0 || !name || ++n_weights > MAX_WEIGHTS)
        continue;
      viz_diagram_outgoing (diagram, viz_diagram_arrow (diagram, arrows[i])->tail, &n_uses);
      row = g_strconcat (without_prefix (name, viz_diagram_box (diagram, box)->subtitle),
                         weight->shape ? "  " : "",
                         weight->shape ? weight->shape : "",
                         NULL);
      if (n_uses > 1)
        {
          g_autofree char *shared = g_strdup_printf ("%s  (%u uses)", row, n_uses);

          add_line (lines, VIZ_TEXT_ROW, TRUE, shared);
        }
      else
        add_line (lines, VIZ_TEXT_ROW, TRUE, row);
    }
  if (n_weights > MAX_WEIGHTS)
    {
      g_autofree char *more = g_strdup_printf ("+ %u weights", n_weights - MAX_WEIGHTS);

      add_line (lines, VIZ_TEXT_ROW, TRUE, more);
    }
}

static void
add_attributes (GArray *lines, const VizDiagram *diagram, guint32 box)
{
  gboolean is_header = (viz_diagram_box (diagram, box)->flags & VIZ_BOX_HEADER) != 0;
  guint32  n = viz_diagram_box (diagram, box)->n_attributes;
  guint32  max = is_header ? MAX_IN_HEADER : MAX_ATTRIBUTES;

  for (guint32 i = 0; i < MIN (n, max); i++)
    add_line (lines, VIZ_TEXT_ROW, FALSE, viz_diagram_attribute (diagram, box, i));
  if (n > max)
    {
      g_autofree char *more = g_strdup_printf ("+ %u more", n - max);

      add_line (lines, VIZ_TEXT_ROW, TRUE, more);
    }
}

/* Whether a chain, or the chain around a cell, is one of blocks. */
static gboolean
is_in_blocks (const VizDiagram *diagram, guint32 box)
{
  guint16 flags = viz_diagram_box (diagram, box)->flags |
                  viz_diagram_box (diagram, viz_diagram_box (diagram, box)->parent)->flags;

  return (flags & VIZ_BOX_BLOCKS) != 0;
}

/* Several cells of a chain that are drawn as one box. */
static void
add_range (GArray *lines, gboolean is_blocks, gint32 first, gint32 last)
{
  g_autofree char *title =
      first == last ? g_strdup_printf ("%s %d", is_blocks ? "block" : "step", first)
                    : g_strdup_printf ("%s %d … %d", is_blocks ? "blocks" : "steps", first, last);
  g_autofree char *count =
      g_strdup_printf ("%d %s", last - first + 1, is_blocks ? "blocks" : "cells");

  add_line (lines, VIZ_TEXT_TITLE, FALSE, title);
  add_line (lines, VIZ_TEXT_NAME, TRUE, count);
}

GArray *
viz_box_lines (const VizDiagram *diagram,
               guint32           box,
               gint32            first_step,
               gint32            last_step,
               gboolean          bare)
{
  const VizBox *shown = viz_diagram_box (diagram, box);
  GArray       *lines = g_array_new (FALSE, FALSE, sizeof (VizTextLine));
  gboolean      has_title = shown->title && *shown->title != '\0';

  g_array_set_clear_func (lines, clear_line);
  if (first_step >= 0)
    {
      add_range (lines, is_in_blocks (diagram, box), first_step, last_step);
      return lines;
    }
  add_line (lines, VIZ_TEXT_TITLE, FALSE, has_title ? shown->title : shown->subtitle);
  if (has_title)
    add_line (lines, VIZ_TEXT_NAME, TRUE, shown->subtitle);
  if (viz_diagram_n_leaves (diagram, box) > 0)
    {
      guint32          n_leaves = viz_diagram_n_leaves (diagram, box);
      g_autofree char *count = g_strdup_printf ("%u node%s", n_leaves, n_leaves == 1 ? "" : "s");

      add_line (lines, VIZ_TEXT_ROW, TRUE, count);
    }
  if (!bare)
    {
      add_attributes (lines, diagram, box);
      add_weights (lines, diagram, box);
      add_line (lines, VIZ_TEXT_ROW, FALSE, shown->shape);
    }
  return lines;
}

char *
viz_box_group_title (const VizDiagram *diagram, guint32 box)
{
  const VizBox    *shown = viz_diagram_box (diagram, box);
  const char      *title = shown->title ? shown->title : shown->subtitle;
  g_autofree char *whole = NULL;
  char            *text;

  if (!title)
    return g_strdup ("");
  if (shown->subtitle && title != shown->subtitle && g_strcmp0 (title, shown->subtitle))
    whole = g_strconcat (title, "  ", shown->subtitle, NULL);
  else
    whole = g_strdup (title);
  text = viz_text_shorten (whole, LINE_LENGTH + 6);
  g_strdelimit (text, "\n\r\t\v\f", ' ');
  return text;
}

char *
viz_arrow_stub_text (const VizDiagram *diagram, guint32 arrow)
{
  const VizBox    *tail = viz_diagram_box (diagram, viz_diagram_arrow (diagram, arrow)->tail);
  const char      *name = tail->subtitle ? tail->subtitle : tail->title ? tail->title : tail->id;
  g_autofree char *text = viz_text_shorten (name, 20);

  g_strdelimit (text, "\n\r\t\v\f", ' ');
  return g_strconcat ("from ", text, NULL);
}

void
viz_box_size (VizMeasure   *measure,
              const GArray *lines,
              VizBoxKind    kind,
              double       *width,
              double       *height)
{
  gboolean has_stripe = kind != VIZ_BOX_INPUT && kind != VIZ_BOX_OUTPUT;

  *width = MIN_WIDTH;
  *height = 2 * VIZ_BOX_PAD_Y;
  for (guint i = 0; i < lines->len; i++)
    {
      const VizTextLine *line = &g_array_index (lines, VizTextLine, i);

      *width = MAX (*width, viz_measure_width (measure, line->style, line->text));
      *height += viz_text_line (line->style);
    }
  if (lines->len == 0)
    *height += viz_text_line (VIZ_TEXT_TITLE);
  /* Rounded to whole points, so that equal boxes have equal sizes in spite of rounding errors in the
   * sums, and borders stay sharp.  An even width gives a whole middle. */
  *width = ceil ((*width + 2 * VIZ_BOX_PAD_X + (has_stripe ? VIZ_BOX_STRIPE : 0)) / 2) * 2;
  *height = ceil (*height);
}
