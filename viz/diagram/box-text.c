/* box-text.c — builds the lines of a box: operator, name, attributes, folded weights, shape.
 *
 * Names lose the parts that their group shows (short-names.h) and wrap; longer ones are cut at the end, and
 * long lists end in a count of the rest. Start reading at viz_box_lines().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/box-text.h"

#include "viz/diagram/short-names.h"
#include "viz/diagram/translate.h"

#include <math.h>
#include <string.h>

#define TITLE_LENGTH   28 /* characters */
#define LINE_LENGTH    34
#define GROUP_LENGTH   48 /* the title of an open group has a line of its own */
#define MAX_ATTRIBUTES 4
#define MAX_WEIGHTS    4  /* rows */
#define NAMES_LENGTH   20 /* characters of names of weights in one row */
#define ROW_LENGTH     24 /* characters of attributes in one row */
#define MAX_NAME_LINES 2
#define MAX_IN_HEADER  12 /* rows in the weights that all steps of a chain share */
#define MIN_WIDTH      44 /* points, without padding */

/* The characters of a line. */
static glong
line_length (VizTextStyle style)
{
  return style == VIZ_TEXT_TITLE ? TITLE_LENGTH : LINE_LENGTH;
}

static void
add_line (GArray *lines, VizTextStyle style, gboolean is_faint, const char *text)
{
  VizTextLine line = { NULL, style, is_faint };

  if (!text || *text == '\0')
    return;
  line.text = viz_text_cut (text, (guint) line_length (style));
  /* A line break in a name would draw over the line below. */
  g_strdelimit (line.text, "\n\r\t\v\f", ' ');
  g_array_append_val (lines, line);
}

/* Where a text of more characters than fit a line is broken: after the last word that fits. */
static gsize
break_of (const char *text, glong length)
{
  const char *end = g_utf8_offset_to_pointer (text, length);
  const char *least = g_utf8_offset_to_pointer (text, length / 3);

  for (const char *at = end; at > least; at--)
    if (strchr ("_./ ", at[-1]))
      return (gsize) (at - text);
  return (gsize) (end - text);
}

/* Adds a name, in up to MAX_NAME_LINES lines. */
static void
add_name (GArray *lines, VizTextStyle style, gboolean is_faint, const char *text)
{
  glong length = line_length (style);

  for (guint i = 1; text && i < MAX_NAME_LINES && g_utf8_strlen (text, -1) > length; i++)
    {
      g_autofree char *part = g_strndup (text, break_of (text, length));

      add_line (lines, style, is_faint, part);
      text += strlen (part);
    }
  add_line (lines, style, is_faint, text);
}

static void
clear_line (gpointer line)
{
  g_free (((VizTextLine *) line)->text);
}

/* A row of the weights of a box. */
typedef struct
{
  const char *shape; /* (nullable) */
  GString    *names;
  guint32     n_names, n_uses;
} WeightRow;

/* The number of drawn boxes that read a weight. */
static guint32
count_uses (const VizDiagram *diagram, guint32 weight)
{
  guint32        n_arrows, n_uses = 0;
  const guint32 *arrows = viz_diagram_outgoing (diagram, weight, &n_arrows);

  for (guint32 i = 0; i < n_arrows; i++)
    {
      guint32 head = viz_diagram_arrow (diagram, arrows[i])->head;

      n_uses += (viz_diagram_box (diagram, head)->flags & VIZ_BOX_FOLDED) == 0;
    }
  return n_uses;
}

/* Adds the rows of weights, such as "weight  64×3×7×7" or "gamma, beta  64": weights of the same shape share
 * one. */
static void
add_weights (GArray *lines, const VizDiagram *diagram, guint32 box)
{
  guint32        n_arrows, n_rows = 0;
  const guint32 *arrows = viz_diagram_incoming (diagram, box, &n_arrows);
  WeightRow      rows[MAX_WEIGHTS];
  guint32        n_more = 0;

  for (guint32 i = 0; i < n_arrows; i++)
    {
      guint32       tail = viz_diagram_arrow (diagram, arrows[i])->tail, n_uses, r = 0;
      const VizBox *weight = viz_diagram_box (diagram, tail);
      const char   *name = weight->subtitle ? weight->subtitle : weight->title;

      if ((weight->flags & VIZ_BOX_FOLDED) == 0 || weight->kind != VIZ_BOX_WEIGHT || !name)
        continue;
      name = viz_without_prefix (name, viz_diagram_box (diagram, box)->subtitle);
      n_uses = count_uses (diagram, tail);
      /* Find the row with the same shape and number of uses, or begin one. */
      while (r < n_rows && (g_strcmp0 (rows[r].shape, weight->shape) || rows[r].n_uses != n_uses))
        r++;
      if (r == MAX_WEIGHTS)
        {
          n_more++;
          continue;
        }
      if (r == n_rows)
        rows[n_rows++] = (WeightRow){ weight->shape, g_string_new (NULL), 0, n_uses };
      g_string_append_printf (rows[r].names, "%s%s", rows[r].n_names > 0 ? ", " : "", name);
      rows[r].n_names++;
    }
  for (guint32 r = 0; r < n_rows; r++)
    {
      g_autofree char *names = g_string_free (rows[r].names, FALSE);
      g_autofree char *uses =
          rows[r].n_uses > 1 ? g_strdup_printf (_ ("  (%u uses)"), rows[r].n_uses) : g_strdup ("");
      /* Many names are replaced by their number. */
      g_autofree char *counted = rows[r].n_names > 1 && g_utf8_strlen (names, -1) > NAMES_LENGTH
                                     ? g_strdup_printf (_ ("%u weights"), rows[r].n_names)
                                     : NULL;
      g_autofree char *row = g_strconcat (counted ? counted : names, rows[r].shape ? "  " : "",
                                          rows[r].shape ? rows[r].shape : "", uses, NULL);

      add_line (lines, VIZ_TEXT_ROW, TRUE, row);
    }
  if (n_more > 0)
    {
      g_autofree char *more = g_strdup_printf (_ ("+ %u weights"), n_more);

      add_line (lines, VIZ_TEXT_ROW, TRUE, more);
    }
}

/* Adds attributes, several to a line as far as they fit.  But for the attribute number except, which the
 * title shows; -1: none. */
static void
add_attributes (GArray *lines, const VizDiagram *diagram, guint32 box, gint32 except)
{
  gboolean is_header = (viz_diagram_box (diagram, box)->flags & VIZ_BOX_HEADER) != 0;
  guint32  n = viz_diagram_box (diagram, box)->n_attributes;
  guint32  max = is_header ? MAX_IN_HEADER : MAX_ATTRIBUTES;
  g_autoptr (GString) row = g_string_new (NULL);

  for (guint32 i = 0; i < MIN (n, max); i++)
    {
      const char *attribute = viz_diagram_attribute (diagram, box, i);

      if ((gint32) i == except)
        continue;
      if (row->len > 0 &&
          (is_header || g_utf8_strlen (row->str, -1) + g_utf8_strlen (attribute, -1) > ROW_LENGTH))
        {
          add_line (lines, VIZ_TEXT_ROW, FALSE, row->str);
          g_string_truncate (row, 0);
        }
      g_string_append_printf (row, "%s%s", row->len > 0 ? ", " : "", attribute);
    }
  add_line (lines, VIZ_TEXT_ROW, FALSE, row->str);
  if (n > max)
    {
      g_autofree char *more = g_strdup_printf (_ ("+ %u more"), n - max);

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
      first == last
          ? g_strdup_printf (is_blocks ? _ ("block %d") : _ ("step %d"), first)
          : g_strdup_printf (is_blocks ? _ ("blocks %d … %d") : _ ("steps %d … %d"), first, last);
  g_autofree char *count =
      g_strdup_printf (is_blocks ? _ ("%d blocks") : _ ("%d cells"), last - first + 1);

  add_line (lines, VIZ_TEXT_TITLE, FALSE, title);
  add_line (lines, VIZ_TEXT_NAME, TRUE, count);
}

GArray *
viz_box_lines (const VizDiagram *diagram,
               guint32           box,
               gint32            first_step,
               gint32            last_step,
               VizDetail         detail)
{
  const VizBox    *shown = viz_diagram_box (diagram, box);
  GArray          *lines = g_array_new (FALSE, FALSE, sizeof (VizTextLine));
  gboolean         has_title = shown->title && *shown->title != '\0';
  gint32           named_by = -1; /* the attribute that the title shows */
  g_autofree char *title = viz_short_title (diagram, box, &named_by);
  g_autofree char *name = viz_short_subtitle (diagram, box);

  g_array_set_clear_func (lines, clear_line);
  if (first_step >= 0)
    {
      add_range (lines, is_in_blocks (diagram, box), first_step, last_step);
      return lines;
    }
  add_name (lines, VIZ_TEXT_TITLE, FALSE, has_title ? title : name);
  if (detail == VIZ_DETAIL_TITLE)
    return lines;
  if (has_title)
    add_name (lines, VIZ_TEXT_NAME, TRUE, name);
  if (viz_diagram_n_leaves (diagram, box) > 0)
    {
      guint32          n_leaves = viz_diagram_n_leaves (diagram, box);
      g_autofree char *count =
          g_strdup_printf (g_dngettext ("hybridscope", "%u node", "%u nodes", n_leaves), n_leaves);

      add_line (lines, VIZ_TEXT_ROW, TRUE, count);
    }
  if (detail == VIZ_DETAIL_FULL)
    {
      add_attributes (lines, diagram, box, named_by);
      add_weights (lines, diagram, box);
      add_line (lines, VIZ_TEXT_ROW, FALSE, shown->shape);
    }
  return lines;
}

/* Whether the title of a group says something else than its name. */
static gboolean
has_other_name (const VizBox *group)
{
  return group->title && group->subtitle && strcmp (group->title, group->subtitle) != 0;
}

char *
viz_box_group_title (const VizDiagram *diagram, guint32 box, gboolean with_name)
{
  const VizBox    *shown = viz_diagram_box (diagram, box);
  const char      *title = shown->title ? shown->title : shown->subtitle;
  g_autofree char *own = viz_short_title (diagram, box, NULL);
  g_autofree char *whole = NULL;
  char            *text;

  if (!title)
    return g_strdup ("");
  if (!has_other_name (shown))
    whole = g_strdup (shown->title ? own : title);
  else
    whole = with_name ? g_strconcat (title, "  ", shown->subtitle, NULL) : g_strdup (title);
  text = viz_text_cut (whole, GROUP_LENGTH);
  g_strdelimit (text, "\n\r\t\v\f", ' ');
  return text;
}

char *
viz_arrow_stub_text (const VizDiagram *diagram, guint32 arrow)
{
  const VizBox    *tail = viz_diagram_box (diagram, viz_diagram_arrow (diagram, arrow)->tail);
  const char      *name = tail->subtitle ? tail->subtitle : tail->title ? tail->title : tail->id;
  g_autofree char *text = viz_text_cut (name, 20);

  g_strdelimit (text, "\n\r\t\v\f", ' ');
  return g_strdup_printf (_ ("from %s"), text);
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
