/* fold-adopt.c — puts operators with meaningless names beside neighbours with telling ones.
 *
 * "reshape41" on the way from "encoder_3_qkv" to "encoder_3_dot" belongs to encoder_3.  Left outside, it would
 * lead out of this scope and back into it, so that the scope could not be drawn as one box.
 * Start reading at viz_names_adopt().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include <string.h>

/* Named operators that are kept for each box, upwards and downwards */
#define MAX_KEPT 4

/* The parts of the nearest named operators in one direction. */
typedef struct
{
  guint32 part[MAX_KEPT];
  guint32 n;
} Nearest;

static void
add_part (Nearest *nearest, guint32 part)
{
  for (guint32 i = 0; i < nearest->n; i++)
    if (nearest->part[i] == part)
      return;
  if (nearest->n < MAX_KEPT)
    nearest->part[nearest->n++] = part;
}

/* Adds the part nearest to a box behind a neighbour: the neighbour's own part, or the one nearest to
 * it. */
static void
add_neighbour (const VizNames *names, Nearest *nearest, guint32 box, guint32 neighbour)
{
  guint32 part = names->part_of[neighbour];

  if (part != 0)
    add_part (&nearest[box], part);
  else
    for (guint32 i = 0; i < nearest[neighbour].n; i++)
      add_part (&nearest[box], nearest[neighbour].part[i]);
}

/* Whether a name was made up by MXNet, which numbers all that have none: "reshape41". */
static gboolean
is_made_up (const VizNames *names, guint32 box)
{
  const VizBox *shown = viz_diagram_builder_box (names->builder, box);
  gsize         length = shown->subtitle ? strlen (shown->subtitle) : 0;

  return names->part_of[box] == 0 && length > 0 && g_ascii_isdigit (shown->subtitle[length - 1]);
}

/* Whether an arrow joins two members, of which neither is a weight. */
static gboolean
is_inside (const guint8 *is_member, const VizArrow *arrow)
{
  return arrow->kind != VIZ_ARROW_FEEDBACK && is_member[arrow->tail] && is_member[arrow->head];
}

static guint32
depth_of (const VizNames *names, guint32 part)
{
  guint32 depth = 0;

  for (; part != 0; part = viz_names_part (names, part)->parent)
    depth++;
  return depth;
}

/* The deepest part that lies above one part upwards and one part downwards; 0 if there is none. */
static guint32
part_between (const VizNames *names, const Nearest *up, const Nearest *down)
{
  guint32 deepest = 0, depth = 0;

  for (guint32 i = 0; i < up->n; i++)
    for (guint32 k = 0; k < down->n; k++)
      {
        guint32 common = viz_names_common_part (names, up->part[i], down->part[k]);

        if (depth_of (names, common) > depth)
          {
            deepest = common;
            depth = depth_of (names, common);
          }
      }
  return deepest;
}

void
viz_names_adopt (VizNames *names)
{
  guint32             n_arrows = viz_diagram_builder_n_arrows (names->builder);
  g_autofree guint8  *is_member = g_new0 (guint8, viz_diagram_builder_n_boxes (names->builder));
  g_autofree Nearest *up = g_new0 (Nearest, names->n_boxes);
  g_autofree Nearest *down = g_new0 (Nearest, names->n_boxes);

  for (guint m = 0; m < names->members->len; m++)
    is_member[g_array_index (names->members, guint32, m)] = TRUE;
  /* Arrows were added with their heads, which come after their tails. */
  for (guint32 i = 0; i < n_arrows; i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (names->builder, i);

      if (is_inside (is_member, arrow) && names->part_of[arrow->head] == 0)
        add_neighbour (names, up, arrow->head, arrow->tail);
    }
  for (guint32 i = n_arrows; i-- > 0;)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (names->builder, i);

      if (is_inside (is_member, arrow) && names->part_of[arrow->tail] == 0)
        add_neighbour (names, down, arrow->tail, arrow->head);
    }
  for (guint m = 0; m < names->members->len; m++)
    {
      guint32 box = g_array_index (names->members, guint32, m), part;

      if (!is_made_up (names, box))
        continue;
      part = part_between (names, &up[box], &down[box]);
      if (part != 0)
        viz_names_move_box (names, box, part);
    }
}
