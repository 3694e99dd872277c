/* dot.c — writes pictures as DOT text.
 *
 * Start reading at viz_dot_write().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/export/dot.h"

#include "viz/diagram/box-text.h"

#include <string.h>

/* Appends a quoted text; within quotes only the quote and the backslash are special. */
static void
add_quoted (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++)
    {
      if (*text == '"' || *text == '\\')
        g_string_append_c (out, '\\');
      if (*text == '\n')
        g_string_append (out, "\\n");
      else
        g_string_append_c (out, *text);
    }
  g_string_append_c (out, '"');
}

static void
indent (GString *out, guint depth)
{
  for (guint i = 0; i <= depth; i++)
    g_string_append (out, "  ");
}

static void
add_node (GString *out, const VizPicture *picture, guint32 number)
{
  const VizItem *item = viz_picture_item (picture, number);
  const VizBox  *box = viz_diagram_box (viz_picture_diagram (picture), item->box);
  g_autoptr (GArray) lines = viz_box_lines (viz_picture_diagram (picture), item->box,
                                            item->state == VIZ_ITEM_STEPS ? item->first_step : -1,
                                            item->last_step, viz_picture_detail (picture));
  g_autoptr (GString) label = g_string_new (NULL);
  gboolean is_pill = box->kind == VIZ_BOX_INPUT || box->kind == VIZ_BOX_OUTPUT;

  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (label, "%s%s", i > 0 ? "\n" : "",
                            g_array_index (lines, VizTextLine, i).text);
  indent (out, item->depth);
  g_string_append_printf (out, "n%u [label=", number);
  add_quoted (out, label->str);
  g_string_append (out, ", id=");
  add_quoted (out, box->id);
  g_string_append (out, is_pill ? ", shape=oval];\n" : "];\n");
}

/* Appends the items inside a group, recursively as clusters, with an explicit stack.  first, next: the
 * children of each item as linked lists, because the items of a group are not contiguous. */
static void
add_group (GString          *out,
           const VizPicture *picture,
           const guint32    *first,
           const guint32    *next,
           guint32           group)
{
  GArray *stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 at = first[group];

  while (at != VIZ_NO_ITEM || stack->len > 0)
    {
      const VizItem *item;

      if (at == VIZ_NO_ITEM)
        {
          at = g_array_index (stack, guint32, stack->len - 1);
          g_array_set_size (stack, stack->len - 1);
          indent (out, viz_picture_item (picture, at)->depth);
          g_string_append (out, "}\n");
          at = next[at];
          continue;
        }
      item = viz_picture_item (picture, at);
      if (item->state == VIZ_ITEM_OPEN)
        {
          g_autofree char *title =
              viz_box_group_title (viz_picture_diagram (picture), item->box, TRUE);

          indent (out, item->depth);
          g_string_append_printf (out, "subgraph cluster_%u { label=", at);
          add_quoted (out, title);
          g_string_append (out, ";\n");
          g_array_append_val (stack, at);
          at = first[at];
          continue;
        }
      add_node (out, picture, at);
      at = next[at];
    }
  g_array_unref (stack);
}

/* A node that represents an item.  DOT has no edges to clusters, so that edges to an open group end
 * at its first node. */
static guint32
some_node (const VizPicture *picture, const guint32 *first, guint32 item)
{
  while (item != VIZ_NO_ITEM && viz_picture_item (picture, item)->state == VIZ_ITEM_OPEN)
    item = first[item];
  return item;
}

static void
add_edges (GString *out, const VizPicture *picture, const guint32 *first)
{
  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    {
      const VizWire  *wire = viz_picture_wire (picture, i);
      const VizArrow *arrow = viz_diagram_arrow (viz_picture_diagram (picture), wire->arrow);
      guint32         tail = some_node (picture, first, wire->tail);
      guint32         head = some_node (picture, first, wire->head);

      if (tail == VIZ_NO_ITEM || head == VIZ_NO_ITEM)
        continue;
      g_string_append_printf (out, "  n%u -> n%u [", tail, head);
      if (arrow->label)
        {
          g_string_append (out, "label=");
          add_quoted (out, arrow->label);
        }
      if (wire->kind == VIZ_ARROW_CAPTURED)
        g_string_append (out, " style=dashed");
      if (wire->kind == VIZ_ARROW_FEEDBACK)
        g_string_append (out, " constraint=false");
      g_string_append (out, "];\n");
    }
}

char *
viz_dot_write (const VizPicture *picture)
{
  GString            *out = g_string_new ("digraph G {\n  node [shape=box];\n");
  guint32             n = viz_picture_n_items (picture);
  g_autofree guint32 *first = g_new (guint32, n);
  g_autofree guint32 *next = g_new (guint32, n);

  for (guint32 i = 0; i < n; i++)
    first[i] = next[i] = VIZ_NO_ITEM;
  for (guint32 i = n; i-- > 1;)
    {
      guint32 parent = viz_picture_item (picture, i)->parent;

      next[i] = first[parent];
      first[parent] = i;
    }
  add_group (out, picture, first, next, 0);
  add_edges (out, picture, first);
  g_string_append (out, "}\n");
  return g_string_free (out, FALSE);
}
