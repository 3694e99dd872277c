/* diagram.c — the builder and the frozen diagram.
 *
 * Both hold the same arrays.  Freezing sorts them, so that children, ports and arrows of a box are
 * ranges (compressed rows) in the order in which they were added.
 * Start reading at viz_diagram_builder_freeze().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/diagram.h"

#include "viz/diagram/common-prefix.h"

#include <string.h>

/* Lists of numbers, one list a row: row r has value[first[r]] to value[first[r + 1] - 1]. */
typedef struct
{
  guint32 *first; /* n_rows + 1 */
  guint32 *value;
} Rows;

struct _VizDiagram
{
  gatomicrefcount n_refs;
  GStringChunk   *strings;
  VizBox         *boxes;
  VizPort        *ports;
  VizArrow       *arrows;
  const char    **attributes;
  guint32         n_boxes, n_ports, n_arrows;
  guint32        *children;
  guint32        *n_leaves;
  Rows            incoming, outgoing; /* arrows per box */
  GHashTable     *by_id;              /* id to box */
  char           *common_prefix;      /* with which most names at the top level begin */
};

struct _VizDiagramBuilder
{
  GStringChunk *strings;
  GArray       *boxes;
  GArray       *ports;
  GArray       *arrows;
  GPtrArray    *attributes;
};

/* Copies a text into the builder; NULL stays NULL. */
static const char *
intern (VizDiagramBuilder *builder, const char *text)
{
  if (!text)
    return NULL;
  /* Pango and the file formats need valid UTF-8, which model files do not guarantee. */
  if (!g_utf8_validate (text, -1, NULL))
    {
      g_autofree char *valid = g_utf8_make_valid (text, -1);

      return g_string_chunk_insert_const (builder->strings, valid);
    }
  return g_string_chunk_insert_const (builder->strings, text);
}

VizDiagramBuilder *
viz_diagram_builder_new (const char *title)
{
  VizDiagramBuilder *builder = g_new0 (VizDiagramBuilder, 1);
  VizBox             root = { .id = "root", .kind = VIZ_BOX_SCOPE, .user = VIZ_NO_USER };
  VizPort            none = { .label = "" };

  builder->strings = g_string_chunk_new (1 << 14);
  builder->boxes = g_array_new (FALSE, TRUE, sizeof (VizBox));
  builder->ports = g_array_new (FALSE, TRUE, sizeof (VizPort));
  builder->arrows = g_array_new (FALSE, TRUE, sizeof (VizArrow));
  builder->attributes = g_ptr_array_new ();
  root.title = intern (builder, title);
  root.step = root.layer = -1;
  g_array_append_val (builder->boxes, root);
  g_array_append_val (builder->ports, none);
  return builder;
}

void
viz_diagram_builder_free (VizDiagramBuilder *builder)
{
  if (!builder)
    return;
  g_clear_pointer (&builder->strings, g_string_chunk_free);
  g_clear_pointer (&builder->boxes, g_array_unref);
  g_clear_pointer (&builder->ports, g_array_unref);
  g_clear_pointer (&builder->arrows, g_array_unref);
  g_clear_pointer (&builder->attributes, g_ptr_array_unref);
  g_free (builder);
}

guint32
viz_diagram_builder_add_box (VizDiagramBuilder *builder, const VizBoxInfo *info)
{
  VizBox box = {
    .id = intern (builder, info->id),
    .title = intern (builder, info->title),
    .subtitle = intern (builder, info->subtitle),
    .scope = intern (builder, info->scope),
    .shape = intern (builder, info->shape),
    .parent = info->parent,
    .user = info->user,
    .step = -1,
    .layer = -1,
    .kind = info->kind,
    .category = info->category < VIZ_N_CATEGORIES ? info->category : VIZ_CATEGORY_OTHER,
    .flags = info->flags,
    .first_attribute = builder->attributes->len,
  };

  g_return_val_if_fail (info->parent < builder->boxes->len, VIZ_ROOT);
  for (guint i = 0; info->attributes && info->attributes[i]; i++)
    {
      g_ptr_array_add (builder->attributes, (gpointer) intern (builder, info->attributes[i]));
      box.n_attributes++;
    }
  if (!box.id)
    {
      char number[16];

      g_snprintf (number, sizeof number, "#%u", builder->boxes->len);
      box.id = intern (builder, number);
    }
  g_array_append_val (builder->boxes, box);
  return builder->boxes->len - 1;
}

static VizBox *
builder_box (const VizDiagramBuilder *builder, guint32 box)
{
  return &g_array_index (builder->boxes, VizBox, box);
}

guint32
viz_diagram_builder_add_port (VizDiagramBuilder *builder,
                              guint32            box,
                              VizPortKind        kind,
                              VizSide            side,
                              const char        *label)
{
  VizPort port = { .label = intern (builder, label), .box = box, .kind = kind, .side = side };

  g_return_val_if_fail (box != VIZ_ROOT && box < builder->boxes->len, VIZ_NO_PORT);
  g_array_append_val (builder->ports, port);
  return builder->ports->len - 1;
}

static gboolean
port_belongs (const VizDiagramBuilder *builder, guint32 port, guint32 box)
{
  return port == VIZ_NO_PORT ||
         (port < builder->ports->len && g_array_index (builder->ports, VizPort, port).box == box);
}

guint32
viz_diagram_builder_add_arrow (VizDiagramBuilder *builder, const VizArrowInfo *info)
{
  VizArrow arrow = {
    .label = intern (builder, info->label),
    .bytes = info->bytes,
    .tail = info->tail,
    .head = info->head,
    .tail_port = info->tail_port,
    .head_port = info->head_port,
    .output = info->output,
    .kind = info->kind,
  };

  g_return_val_if_fail (info->tail != VIZ_ROOT && info->tail < builder->boxes->len, 0);
  g_return_val_if_fail (info->head != VIZ_ROOT && info->head < builder->boxes->len, 0);
  g_return_val_if_fail (port_belongs (builder, info->tail_port, info->tail), 0);
  g_return_val_if_fail (port_belongs (builder, info->head_port, info->head), 0);

  if (arrow.kind == VIZ_ARROW_FEEDBACK && arrow.tail_port != VIZ_NO_PORT)
    g_array_index (builder->ports, VizPort, arrow.tail_port).tie = arrow.head_port;
  g_array_append_val (builder->arrows, arrow);
  return builder->arrows->len - 1;
}

void
viz_diagram_builder_set_step (VizDiagramBuilder *builder, guint32 box, gint32 step, gint32 layer)
{
  g_return_if_fail (box != VIZ_ROOT && box < builder->boxes->len && step >= 0 && layer >= 0);
  builder_box (builder, box)->step = step;
  builder_box (builder, box)->layer = layer;
}

void
viz_diagram_builder_set_header (VizDiagramBuilder *builder, guint32 box, gint32 layer)
{
  g_return_if_fail (box != VIZ_ROOT && box < builder->boxes->len && layer >= 0);
  builder_box (builder, box)->flags |= VIZ_BOX_HEADER;
  builder_box (builder, box)->layer = layer;
}

void
viz_diagram_builder_set_parent (VizDiagramBuilder *builder, guint32 box, guint32 parent)
{
  g_return_if_fail (box != VIZ_ROOT && box < builder->boxes->len && parent < builder->boxes->len);
  builder_box (builder, box)->parent = parent;
}

void
viz_diagram_builder_set_title (VizDiagramBuilder *builder, guint32 box, const char *title)
{
  g_return_if_fail (box < builder->boxes->len);
  builder_box (builder, box)->title = intern (builder, title);
}

void
viz_diagram_builder_add_flags (VizDiagramBuilder *builder, guint32 box, VizBoxFlags flags)
{
  g_return_if_fail (box < builder->boxes->len);
  builder_box (builder, box)->flags |= flags;
}

void
viz_diagram_builder_set_arrow_kind (VizDiagramBuilder *builder, guint32 arrow, VizArrowKind kind)
{
  g_return_if_fail (arrow < builder->arrows->len);
  g_array_index (builder->arrows, VizArrow, arrow).kind = kind;
}

guint32
viz_diagram_builder_n_boxes (const VizDiagramBuilder *builder)
{
  return builder->boxes->len;
}

guint32
viz_diagram_builder_n_arrows (const VizDiagramBuilder *builder)
{
  return builder->arrows->len;
}

const VizBox *
viz_diagram_builder_box (const VizDiagramBuilder *builder, guint32 box)
{
  return builder_box (builder, box);
}

const VizArrow *
viz_diagram_builder_arrow (const VizDiagramBuilder *builder, guint32 arrow)
{
  return &g_array_index (builder->arrows, VizArrow, arrow);
}

/* --- Freezing --- */

/* Sorts the numbers 0 to n_values - 1 by row, keeping their order inside a row.  The row of number i
 * is the guint32 that lies i × stride bytes after row_of. */
static Rows
make_rows (guint32 n_rows, const guint32 *row_of, guint32 n_values, gsize stride)
{
  Rows                rows = { g_new0 (guint32, n_rows + 1), g_new (guint32, MAX (n_values, 1)) };
  g_autofree guint32 *next = g_new (guint32, MAX (n_rows, 1));

  for (guint32 i = 0; i < n_values; i++)
    rows.first[*(const guint32 *) (gconstpointer) ((const char *) row_of + i * stride) + 1]++;
  for (guint32 i = 0; i < n_rows; i++)
    {
      rows.first[i + 1] += rows.first[i];
      next[i] = rows.first[i];
    }
  for (guint32 i = 0; i < n_values; i++)
    rows.value[next[*(const guint32 *) (gconstpointer) ((const char *) row_of + i * stride)]++] = i;
  return rows;
}

static void
free_rows (Rows *rows)
{
  g_clear_pointer (&rows->first, g_free);
  g_clear_pointer (&rows->value, g_free);
}

/* Boxes must form a tree, whatever the caller passed to viz_diagram_builder_set_parent(): a box that
 * is its own ancestor moves to the top level. */
static void
break_cycles (VizDiagram *diagram)
{
  g_autofree guint32 *seen = g_new0 (guint32, diagram->n_boxes);

  diagram->boxes[VIZ_ROOT].parent = VIZ_ROOT;
  seen[VIZ_ROOT] = G_MAXUINT32;
  for (guint32 i = 1; i < diagram->n_boxes; i++)
    {
      guint32 at = i;

      while (seen[at] == 0)
        {
          seen[at] = i;
          at = diagram->boxes[at].parent;
        }
      if (seen[at] == i)
        diagram->boxes[at].parent = VIZ_ROOT;
      for (at = i; seen[at] == i && at != VIZ_ROOT; at = diagram->boxes[at].parent)
        seen[at] = G_MAXUINT32;
    }
}

static void
sort_children (VizDiagram *diagram)
{
  Rows rows =
      make_rows (diagram->n_boxes, &diagram->boxes[0].parent, diagram->n_boxes, sizeof (VizBox));

  /* The root is its own parent and therefore its own first child: skip it. */
  diagram->children = rows.value;
  for (guint32 i = 0; i < diagram->n_boxes; i++)
    {
      diagram->boxes[i].first_child = rows.first[i] + (i == VIZ_ROOT ? 1 : 0);
      diagram->boxes[i].n_children = rows.first[i + 1] - diagram->boxes[i].first_child;
    }
  g_free (rows.first);
}

static int
compare_ports (gconstpointer a, gconstpointer b, gpointer data)
{
  const VizPort *ports = data;
  guint32        left = *(const guint32 *) a, right = *(const guint32 *) b;

  if (ports[left].box != ports[right].box)
    return ports[left].box < ports[right].box ? -1 : 1;
  if (ports[left].side != ports[right].side)
    return ports[left].side < ports[right].side ? -1 : 1;
  return left < right ? -1 : 1;
}

/* Renumbers the ports, so that those of one box are consecutive and its in side comes first. */
static void
sort_ports (VizDiagram *diagram)
{
  g_autofree guint32 *order = g_new (guint32, diagram->n_ports);
  g_autofree guint32 *moved = g_new0 (guint32, diagram->n_ports);
  VizPort            *sorted = g_new (VizPort, diagram->n_ports);

  for (guint32 i = 0; i < diagram->n_ports; i++)
    order[i] = i;
  if (diagram->n_ports > 2)
    g_qsort_with_data (order + 1, (int) diagram->n_ports - 1, sizeof *order, compare_ports,
                       diagram->ports);
  for (guint32 i = 0; i < diagram->n_ports; i++)
    {
      sorted[i] = diagram->ports[order[i]];
      moved[order[i]] = i;
    }
  for (guint32 i = 1; i < diagram->n_ports; i++)
    {
      VizBox *box = &diagram->boxes[sorted[i].box];

      sorted[i].tie = moved[sorted[i].tie];
      if (box->n_ports++ == 0)
        box->first_port = i;
    }
  for (guint32 i = 0; i < diagram->n_arrows; i++)
    {
      diagram->arrows[i].tail_port = moved[diagram->arrows[i].tail_port];
      diagram->arrows[i].head_port = moved[diagram->arrows[i].head_port];
    }
  g_free (diagram->ports);
  diagram->ports = sorted;
}

/* TRUE if a box represents one node of the model: it has no children, or only children that show
 * details of its operator. */
static gboolean
is_leaf (const VizDiagram *diagram, const VizBox *box)
{
  return (box->flags & (VIZ_BOX_FOLDED | VIZ_BOX_HEADER | VIZ_BOX_INSIDE)) == 0 &&
         (box->n_children == 0 ||
          diagram->boxes[diagram->children[box->first_child]].flags & VIZ_BOX_INSIDE);
}

static void
count_leaves (VizDiagram *diagram)
{
  diagram->n_leaves = g_new0 (guint32, diagram->n_boxes);
  for (guint32 i = 1; i < diagram->n_boxes; i++)
    if (is_leaf (diagram, &diagram->boxes[i]))
      for (guint32 at = diagram->boxes[i].parent;; at = diagram->boxes[at].parent)
        {
          diagram->n_leaves[at]++;
          if (at == VIZ_ROOT)
            break;
        }
}

/* The box at the top level that is or holds an operator or output with a name, but no loop or chain. */
static guint32
named_top (const VizDiagram *diagram, guint32 box, const char **name)
{
  const VizBox *shown = &diagram->boxes[box];
  gboolean      is_chain;

  *name = shown->kind == VIZ_BOX_OUTPUT ? shown->title : NULL;
  *name = shown->kind == VIZ_BOX_OPERATOR ? shown->subtitle : *name;
  for (; shown->parent != VIZ_ROOT; shown = &diagram->boxes[box])
    box = shown->parent;
  is_chain = shown->kind == VIZ_BOX_FRAME || shown->kind == VIZ_BOX_STEPS;
  return !is_chain && *name && **name != '_' ? box : VIZ_ROOT;
}

/* The first name in a group represents the group, because its title may consist of operators. */
static char *
common_prefix (const VizDiagram *diagram)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree gboolean *is_done = g_new0 (gboolean, diagram->n_boxes);
  const char          *name;

  is_done[VIZ_ROOT] = TRUE;
  for (guint32 i = 1, top; i < diagram->n_boxes; i++)
    {
      top = named_top (diagram, i, &name);
      if (!is_done[top])
        g_ptr_array_add (names, (gpointer) name);
      is_done[top] = TRUE;
    }
  return viz_common_prefix ((const char *const *) names->pdata, names->len);
}

VizDiagram *
viz_diagram_builder_freeze (VizDiagramBuilder *builder)
{
  VizDiagram *diagram = g_new0 (VizDiagram, 1);

  g_atomic_ref_count_init (&diagram->n_refs);
  diagram->n_boxes = builder->boxes->len;
  diagram->n_ports = builder->ports->len;
  diagram->n_arrows = builder->arrows->len;
  diagram->strings = g_steal_pointer (&builder->strings);
  diagram->boxes = (gpointer) g_array_free (g_steal_pointer (&builder->boxes), FALSE);
  diagram->ports = (gpointer) g_array_free (g_steal_pointer (&builder->ports), FALSE);
  diagram->arrows = (gpointer) g_array_free (g_steal_pointer (&builder->arrows), FALSE);
  diagram->attributes =
      (const char **) g_ptr_array_free (g_steal_pointer (&builder->attributes), FALSE);
  viz_diagram_builder_free (builder);

  break_cycles (diagram);
  sort_children (diagram);
  sort_ports (diagram);
  count_leaves (diagram);
  if (diagram->n_arrows > 0)
    {
      diagram->incoming = make_rows (diagram->n_boxes, &diagram->arrows[0].head, diagram->n_arrows,
                                     sizeof (VizArrow));
      diagram->outgoing = make_rows (diagram->n_boxes, &diagram->arrows[0].tail, diagram->n_arrows,
                                     sizeof (VizArrow));
    }
  diagram->by_id = g_hash_table_new (g_str_hash, g_str_equal);
  /* Backwards, so that the first box with an id wins. */
  for (guint32 i = diagram->n_boxes; i-- > 1;)
    g_hash_table_insert (diagram->by_id, (gpointer) diagram->boxes[i].id, GUINT_TO_POINTER (i));
  diagram->common_prefix = common_prefix (diagram);
  return diagram;
}

VizDiagram *
viz_diagram_ref (VizDiagram *diagram)
{
  g_atomic_ref_count_inc (&diagram->n_refs);
  return diagram;
}

void
viz_diagram_unref (VizDiagram *diagram)
{
  if (!g_atomic_ref_count_dec (&diagram->n_refs))
    return;
  g_string_chunk_free (diagram->strings);
  g_free (diagram->boxes);
  g_free (diagram->ports);
  g_free (diagram->arrows);
  g_free (diagram->attributes);
  g_free (diagram->children);
  g_free (diagram->n_leaves);
  g_free (diagram->common_prefix);
  free_rows (&diagram->incoming);
  free_rows (&diagram->outgoing);
  g_hash_table_unref (diagram->by_id);
  g_free (diagram);
}

/* --- Reading --- */

guint32
viz_diagram_n_boxes (const VizDiagram *diagram)
{
  return diagram->n_boxes;
}

const VizBox *
viz_diagram_box (const VizDiagram *diagram, guint32 box)
{
  g_return_val_if_fail (box < diagram->n_boxes, NULL);
  return &diagram->boxes[box];
}

guint32
viz_diagram_n_arrows (const VizDiagram *diagram)
{
  return diagram->n_arrows;
}

const VizArrow *
viz_diagram_arrow (const VizDiagram *diagram, guint32 arrow)
{
  g_return_val_if_fail (arrow < diagram->n_arrows, NULL);
  return &diagram->arrows[arrow];
}

const VizPort *
viz_diagram_port (const VizDiagram *diagram, guint32 port)
{
  g_return_val_if_fail (port < diagram->n_ports, NULL);
  return &diagram->ports[port];
}

guint32
viz_diagram_child (const VizDiagram *diagram, guint32 box, guint32 nth)
{
  g_return_val_if_fail (box < diagram->n_boxes && nth < diagram->boxes[box].n_children, VIZ_ROOT);
  return diagram->children[diagram->boxes[box].first_child + nth];
}

const char *
viz_diagram_attribute (const VizDiagram *diagram, guint32 box, guint32 nth)
{
  g_return_val_if_fail (box < diagram->n_boxes && nth < diagram->boxes[box].n_attributes, "");
  return diagram->attributes[diagram->boxes[box].first_attribute + nth];
}

const char *
viz_diagram_title (const VizDiagram *diagram)
{
  return diagram->boxes[VIZ_ROOT].title;
}

const char *
viz_diagram_common_prefix (const VizDiagram *diagram)
{
  return diagram->common_prefix;
}

static const guint32 *
arrows_of (const Rows *rows, guint32 box, guint32 *n_arrows)
{
  if (!rows->first)
    {
      *n_arrows = 0;
      return NULL;
    }
  *n_arrows = rows->first[box + 1] - rows->first[box];
  return rows->value + rows->first[box];
}

const guint32 *
viz_diagram_incoming (const VizDiagram *diagram, guint32 box, guint32 *n_arrows)
{
  return arrows_of (&diagram->incoming, box, n_arrows);
}

const guint32 *
viz_diagram_outgoing (const VizDiagram *diagram, guint32 box, guint32 *n_arrows)
{
  return arrows_of (&diagram->outgoing, box, n_arrows);
}

guint32
viz_diagram_find_id (const VizDiagram *diagram, const char *id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (diagram->by_id, id));
}

gboolean
viz_diagram_is_inside (const VizDiagram *diagram, guint32 box, guint32 group)
{
  for (; box != VIZ_ROOT; box = diagram->boxes[box].parent)
    if (diagram->boxes[box].parent == group)
      return TRUE;
  return FALSE;
}

guint32
viz_diagram_n_leaves (const VizDiagram *diagram, guint32 group)
{
  return group < diagram->n_boxes ? diagram->n_leaves[group] : 0;
}
