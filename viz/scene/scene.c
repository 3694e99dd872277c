/* scene.c — finds the visible boxes (items) and the visible arrows between them (wires).
 *
 * Arrows whose ends are hidden in closed groups are bundled: those between the same two items become
 * one wire.  Start reading at find_items() and find_wires().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene.h"
#include "viz/scene/scene-strips.h"

#include "viz/diagram/box-text.h"

#include <string.h>

#define COST_WIDTH 44 /* points beside the title of a box that shows nothing else */

/* Groups below this depth stay closed: VizItem.depth is one byte. */
#define MAX_DEPTH 200

static void
body_free (gpointer data)
{
  VizSceneBody *body = data;

  g_array_unref (body->nodes);
  g_array_unref (body->node_sources);
  g_array_unref (body->edges);
  g_array_unref (body->tail_inner);
  g_array_unref (body->head_inner);
  g_free (body->previous_wires);
  viz_body_free (body->body);
  g_free (body);
}

static guint32
add_item (VizScene *scene, const VizSceneItem *item)
{
  VizSceneItem added = *item;

  added.host = VIZ_NO_ITEM;
  g_array_append_val (scene->items, added);
  return scene->items->len - 1;
}

static void
add_body (VizScene *scene, guint32 item)
{
  VizSceneBody *body = g_new0 (VizSceneBody, 1);

  body->item = item;
  body->previous_group = VIZ_NO_ITEM;
  body->nodes = g_array_new (FALSE, TRUE, sizeof (VizBodyNode));
  body->node_sources = g_array_new (FALSE, TRUE, sizeof (VizNodeSource));
  body->edges = g_array_new (FALSE, TRUE, sizeof (VizBodyEdge));
  body->tail_inner = g_array_new (FALSE, TRUE, sizeof (guint32));
  body->head_inner = g_array_new (FALSE, TRUE, sizeof (guint32));
  viz_scene_item (scene, item)->body = scene->bodies->len;
  g_ptr_array_add (scene->bodies, body);
}

/* Whether a cost may be written into the item. */
static gboolean
is_measured (const VizScene *scene, const VizSceneItem *item)
{
  VizBoxKind kind = viz_diagram_box (scene->diagram, item->box)->kind;

  return kind != VIZ_BOX_INPUT && kind != VIZ_BOX_OUTPUT;
}

static void
measure_item (VizScene *scene, VizSceneItem *item)
{
  GArray *lines =
      viz_box_lines (scene->diagram, item->box,
                     item->state == VIZ_ITEM_STEPS ? item->first_step : -1, item->last_step,
                     item->host != VIZ_NO_ITEM ? VIZ_DETAIL_TITLE : scene->detail);

  viz_box_size (scene->measure, lines, viz_diagram_box (scene->diagram, item->box)->kind,
                &item->width, &item->height);
  if (item->host != VIZ_NO_ITEM)
    item->height -= 2 * (VIZ_BOX_PAD_Y - VIZ_STRIP_PAD_Y);
  else if (scene->detail == VIZ_DETAIL_TITLE && item->state != VIZ_ITEM_OPEN &&
           is_measured (scene, item))
    item->width += COST_WIDTH;
  g_array_unref (lines);
}

/* A box whose children are still to be visited, and the item that shows it. */
typedef struct
{
  guint32 box, item;
} Visit;

/* The item for the steps of a layer before (or after) the range that is drawn one by one; extended to
 * include cell.  Added when its first cell is visited. */
static guint32
run_item (VizScene *scene, GHashTable *runs, const VizBox *cell, guint32 parent, gboolean before)
{
  guint32       key = (guint32) cell->layer * 2 + (before ? 0 : 1);
  guint32       found = GPOINTER_TO_UINT (g_hash_table_lookup (runs, GUINT_TO_POINTER (key)));
  VizSceneItem *run;

  if (found == 0)
    {
      VizSceneItem item = {
        .box = viz_scene_item (scene, parent)->box,
        .parent = parent,
        .state = VIZ_ITEM_STEPS,
        .first_step = cell->step,
        .last_step = cell->step,
        .layer = cell->layer,
        .body = VIZ_NO_BODY,
        .depth = viz_scene_item (scene, parent)->depth + 1,
      };

      found = add_item (scene, &item);
      g_hash_table_insert (runs, GUINT_TO_POINTER (key), GUINT_TO_POINTER (found));
    }
  run = viz_scene_item (scene, found);
  run->first_step = MIN (run->first_step, cell->step);
  run->last_step = MAX (run->last_step, cell->step);
  return found;
}

static void
visit_children (VizScene *scene, const Visit *visit, GArray *stack)
{
  const VizBox *group = viz_diagram_box (scene->diagram, visit->box);
  g_autoptr (GHashTable) runs = g_hash_table_new (NULL, NULL);
  guint8   depth = viz_scene_item (scene, visit->item)->depth;
  gboolean is_open = viz_scene_item (scene, visit->item)->state == VIZ_ITEM_OPEN;
  gint32   first = 0, last = G_MAXINT32;

  if (group->kind == VIZ_BOX_STEPS && is_open)
    viz_folds_get_steps (scene->folds, visit->box, &first, &last);
  for (guint32 i = 0; i < group->n_children; i++)
    {
      guint32       box = viz_diagram_child (scene->diagram, visit->box, i);
      const VizBox *child = viz_diagram_box (scene->diagram, box);
      Visit         next = { box, visit->item };

      if (child->flags & VIZ_BOX_FOLDED)
        continue;
      if (is_open && child->step >= 0 && (child->step < first || child->step > last))
        next.item = run_item (scene, runs, child, visit->item, child->step < first);
      else if (is_open)
        {
          gboolean     opens = viz_folds_is_open (scene->folds, box) && depth < MAX_DEPTH;
          VizSceneItem item = {
            .box = box,
            .parent = visit->item,
            .first_step = -1,
            .last_step = -1,
            .layer = -1,
            .body = VIZ_NO_BODY,
            .state = opens                   ? VIZ_ITEM_OPEN
                     : child->n_children > 0 ? VIZ_ITEM_CLOSED
                                             : VIZ_ITEM_LEAF,
            .depth = depth + 1,
          };

          next.item = add_item (scene, &item);
        }
      scene->item_of[box] = next.item;
      if (child->n_children > 0)
        g_array_append_val (stack, next);
    }
}

static void
find_items (VizScene *scene)
{
  GArray      *stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  Visit        visit = { VIZ_ROOT, 0 };
  VizSceneItem root = { .box = VIZ_ROOT,
                        .parent = VIZ_NO_ITEM,
                        .first_step = -1,
                        .last_step = -1,
                        .layer = -1,
                        .state = VIZ_ITEM_OPEN };

  memset (scene->item_of, 0xff, viz_diagram_n_boxes (scene->diagram) * sizeof *scene->item_of);
  scene->item_of[VIZ_ROOT] = add_item (scene, &root);
  g_array_append_val (stack, visit);
  while (stack->len > 0)
    {
      visit = g_array_index (stack, Visit, stack->len - 1);
      g_array_set_size (stack, stack->len - 1);
      visit_children (scene, &visit, stack);
    }
  g_array_unref (stack);
  viz_scene_find_strips (scene);
  for (guint32 i = 0; i < scene->items->len; i++)
    if (viz_scene_item (scene, i)->state == VIZ_ITEM_OPEN)
      add_body (scene, i);
    else
      measure_item (scene, viz_scene_item (scene, i));
  viz_scene_stack_strips (scene);
}

/* --- Wires --- */

typedef struct
{
  guint32 tail, head, ports, kind;
} WireKey;

static guint
wire_key_hash (gconstpointer data)
{
  const WireKey *key = data;

  return (key->tail * 2654435761u) ^ (key->head * 40503u) ^ (key->ports * 31u) ^ key->kind;
}

static gboolean
wire_key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (WireKey)) == 0;
}

static gboolean
is_item_inside (const VizScene *scene, guint32 item, guint32 group)
{
  guint depth = viz_scene_item (scene, group)->depth;

  while (viz_scene_item (scene, item)->depth > depth)
    item = viz_scene_item (scene, item)->parent;
  return item == group;
}

/* Whether an item shows box itself, not a group or a run of steps that hides it. */
static gboolean
is_itself (const VizScene *scene, guint32 item, guint32 box)
{
  return viz_scene_item (scene, item)->box == box &&
         viz_scene_item (scene, item)->state != VIZ_ITEM_STEPS;
}

/* Fills the wire of an arrow.  FALSE if it is not visible. */
static gboolean
make_wire (const VizScene *scene, guint32 number, VizSceneWire *wire)
{
  const VizArrow *arrow = viz_diagram_arrow (scene->diagram, number);
  guint32         tail = scene->item_of[arrow->tail], head = scene->item_of[arrow->head];
  gboolean        tail_open, head_open;

  if (tail == VIZ_NO_ITEM || head == VIZ_NO_ITEM)
    return FALSE;
  tail_open = viz_scene_item (scene, tail)->state == VIZ_ITEM_OPEN;
  head_open = viz_scene_item (scene, head)->state == VIZ_ITEM_OPEN;
  *wire = (VizSceneWire){
    .arrow = number,
    .n_arrows = 1,
    .bytes = arrow->bytes,
    .tail = tail,
    .head = head,
    .tail_port = tail_open ? arrow->tail_port : VIZ_NO_PORT,
    .head_port = head_open ? arrow->head_port : VIZ_NO_PORT,
    .kind = arrow->kind,
  };
  if (tail == head)
    {
      /* An arrow from port to port inside an open group passes a value through. */
      if (!tail_open || arrow->tail_port == VIZ_NO_PORT || arrow->head_port == VIZ_NO_PORT)
        return FALSE;
      wire->tail_inside = wire->head_inside = arrow->kind != VIZ_ARROW_FEEDBACK;
      return TRUE;
    }
  wire->tail_inside = tail_open && is_item_inside (scene, head, tail);
  wire->head_inside = head_open && is_item_inside (scene, tail, head);
  return TRUE;
}

static void
find_wires (VizScene *scene)
{
  GHashTable *bundles = g_hash_table_new_full (wire_key_hash, wire_key_equal, g_free, NULL);

  for (guint32 i = 0; i < viz_diagram_n_arrows (scene->diagram); i++)
    {
      const VizArrow *arrow = viz_diagram_arrow (scene->diagram, i);
      VizSceneWire    wire;
      WireKey         key;
      guint32         found;

      if (!make_wire (scene, i, &wire))
        continue;
      if (is_itself (scene, wire.tail, arrow->tail) && is_itself (scene, wire.head, arrow->head))
        {
          g_array_append_val (scene->wires, wire);
          continue;
        }
      key = (WireKey){ wire.tail, wire.head, wire.tail_port * 31 + wire.head_port, wire.kind };
      found = GPOINTER_TO_UINT (g_hash_table_lookup (bundles, &key));
      if (found == 0)
        {
          g_array_append_val (scene->wires, wire);
          g_hash_table_insert (bundles, g_memdup2 (&key, sizeof key),
                               GUINT_TO_POINTER (scene->wires->len));
          continue;
        }
      g_array_index (scene->wires, VizSceneWire, found - 1).n_arrows++;
      g_array_index (scene->wires, VizSceneWire, found - 1).bytes += wire.bytes;
    }
  g_hash_table_unref (bundles);
}

VizScene *
viz_scene_new (VizDiagram *diagram, const VizFolds *folds, const char *font, VizDetail detail)
{
  VizScene *scene = g_new0 (VizScene, 1);

  scene->diagram = viz_diagram_ref (diagram);
  scene->folds = folds;
  scene->detail = detail;
  scene->measure = viz_measure_get (font);
  scene->items = g_array_new (FALSE, TRUE, sizeof (VizSceneItem));
  scene->wires = g_array_new (FALSE, TRUE, sizeof (VizSceneWire));
  scene->pieces = g_array_new (FALSE, TRUE, sizeof (VizScenePiece));
  scene->bodies = g_ptr_array_new_with_free_func (body_free);
  scene->item_of = g_new (guint32, viz_diagram_n_boxes (diagram));
  find_items (scene);
  find_wires (scene);
  return scene;
}

void
viz_scene_set_sideways (VizScene *scene)
{
  scene->sideways = TRUE;
  for (guint32 i = 0; i < scene->items->len; i++)
    viz_scene_item (scene, i)->sideways = TRUE;
}

void
viz_scene_free (VizScene *scene)
{
  if (!scene)
    return;
  viz_diagram_unref (scene->diagram);
  g_array_unref (scene->items);
  g_array_unref (scene->wires);
  g_array_unref (scene->pieces);
  g_ptr_array_unref (scene->bodies);
  g_free (scene->item_of);
  g_free (scene);
}
