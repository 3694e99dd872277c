/* diagram.h — what to draw: boxes in boxes, ports, arrows and their texts.
 *
 * A diagram knows nothing about tensors or operators.  It is made by a builder,
 * then frozen; from then on it never changes and may be read by any thread.
 *
 * Boxes form a tree.  Box 0 (VIZ_ROOT) is the picture itself; every other box
 * has a parent.  A box with children is a group: a loop or branch body
 * (VIZ_BOX_FRAME), a scope, or an unrolled chain of cells (VIZ_BOX_STEPS).
 * Arrows may join boxes of any depth.  Which groups stand open is not the
 * diagram's business: see folds.h.
 *
 *   VizDiagramBuilder *builder = viz_diagram_builder_new ("a loop");
 *   guint32 loop = viz_diagram_builder_add_box (builder, &(VizBoxInfo){
 *     .id = "foreach0", .title = "foreach × 35", .kind = VIZ_BOX_FRAME });
 *   guint32 body = viz_diagram_builder_add_box (builder, &(VizBoxInfo){
 *     .id = "foreach0/fc", .title = "FullyConnected", .parent = loop });
 *   guint32 slice = viz_diagram_builder_add_port (builder, loop, VIZ_PORT_DATA, VIZ_SIDE_IN, "data");
 *
 *   viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){
 *     .tail = loop, .tail_port = slice, .head = body, .label = "32×512" });
 *   diagram = viz_diagram_builder_freeze (builder);
 *
 * An arrow between a group's port and something inside the group runs inside
 * it; any other arrow at that port runs outside.  A feedback arrow goes from a
 * port on the out side to a port on the in side of the same box.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VIZ_ROOT    0u          /* the box that holds everything */
#define VIZ_NO_PORT 0u          /* the arrow goes to the box itself */
#define VIZ_NO_USER G_MAXUINT32 /* nothing outside stands behind this box */

typedef struct _VizDiagram        VizDiagram;
typedef struct _VizDiagramBuilder VizDiagramBuilder;

typedef enum
{
  VIZ_BOX_OPERATOR,
  VIZ_BOX_INPUT,  /* enters the graph from outside */
  VIZ_BOX_OUTPUT, /* leaves it */
  VIZ_BOX_WEIGHT, /* a parameter: fold.h may draw it inside its consumers */
  VIZ_BOX_FRAME,  /* body of a loop or branch, with ports in the owner's order */
  VIZ_BOX_SCOPE,  /* boxes that belong together by name or structure */
  VIZ_BOX_STEPS,  /* a chain of equal cells: children carry step and layer */
} VizBoxKind;

typedef enum
{
  VIZ_BOX_PROBLEM = 1 << 0, /* the doctor has something to say */
  VIZ_BOX_UNKNOWN = 1 << 1, /* operator we cannot run */
  VIZ_BOX_FADED = 1 << 2,   /* dead, or not part of what is shown */
  VIZ_BOX_FOLDED = 1 << 3,  /* drawn as a row of its consumers (set by viz_fold) */
  VIZ_BOX_OPEN = 1 << 4,    /* a group that stands open unless the user closes it */
  VIZ_BOX_HEADER = 1 << 5,  /* stands before the steps of its layer, whichever are shown */
  VIZ_BOX_INSIDE = 1 << 6,  /* shows what one operator does inside: no node of its own */
  VIZ_BOX_TWINS = 1 << 7,   /* a group of boxes beside each other: closed at first */
} VizBoxFlags;

/* What kind of work a box does.  palette.c decides how that looks. */
typedef enum
{
  VIZ_CATEGORY_OTHER,
  VIZ_CATEGORY_DATA,
  VIZ_CATEGORY_ELEMENTWISE,
  VIZ_CATEGORY_LINEAR,
  VIZ_CATEGORY_CONVOLUTION,
  VIZ_CATEGORY_NORMALISATION,
  VIZ_CATEGORY_REDUCTION,
  VIZ_CATEGORY_MOVEMENT,
  VIZ_CATEGORY_RECURRENT,
  VIZ_CATEGORY_CONTROL,
  VIZ_CATEGORY_LOSS,
  VIZ_N_CATEGORIES,
} VizCategory;

typedef enum
{
  VIZ_PORT_DATA,     /* a slice of it for every step */
  VIZ_PORT_STATE,    /* carried from step to step */
  VIZ_PORT_CAPTURED, /* the same value for every step */
  VIZ_PORT_VALUE,    /* any other */
} VizPortKind;

typedef enum
{
  VIZ_SIDE_IN,
  VIZ_SIDE_OUT,
} VizSide;

typedef enum
{
  VIZ_ARROW_NORMAL,
  VIZ_ARROW_STATE,    /* from step to step */
  VIZ_ARROW_CAPTURED, /* dashed */
  VIZ_ARROW_FEEDBACK, /* back to the start of a loop: never constrains the layout */
  VIZ_ARROW_CONTROL,  /* order only, no data: dotted */
} VizArrowKind;

/* Texts are copied; NULL leaves a line out. */
typedef struct
{
  const char        *id;         /* stable and unique: names it in files; NULL: numbered */
  const char        *title;      /* operator, or name of the group */
  const char        *subtitle;   /* the node's own name */
  const char        *shape;      /* of the output, with dtype */
  const char *const *attributes; /* "kernel 3×3", NULL-terminated; non-default first */
  VizBoxKind         kind;
  VizCategory        category;
  VizBoxFlags        flags;
  guint32            parent; /* VIZ_ROOT: top level */
  guint32            user;   /* the caller's number for it, or VIZ_NO_USER */
} VizBoxInfo;

typedef struct
{
  guint32      tail, head;           /* boxes */
  guint32      tail_port, head_port; /* as viz_diagram_builder_add_port gave, or VIZ_NO_PORT */
  guint32      output;               /* which of the tail's tensors it carries, from 0 */
  VizArrowKind kind;
  const char  *label; /* shape and dtype */
  guint64      bytes; /* 0: not known; decides the width */
} VizArrowInfo;

/* The frozen forms.  Strings belong to the diagram. */
typedef struct
{
  const char *id;
  const char *title;
  const char *subtitle;
  const char *shape;
  guint32     parent;
  guint32     user;
  guint32     first_attribute, n_attributes; /* viz_diagram_attribute () */
  guint32     first_port, n_ports;           /* viz_diagram_port (); in order of adding, in first */
  guint32     first_child, n_children;       /* viz_diagram_child () */
  gint32      step, layer;                   /* place in a VIZ_BOX_STEPS parent */
  guint8      kind;                          /* VizBoxKind */
  guint8      category;                      /* VizCategory */
  guint16     flags;                         /* VizBoxFlags */
} VizBox;

typedef struct
{
  const char *label;
  guint32     box;
  guint8      kind; /* VizPortKind */
  guint8      side; /* VizSide */
  guint32     tie;  /* out side: the state port on the in side it feeds, or VIZ_NO_PORT */
} VizPort;

typedef struct
{
  const char *label;
  guint64     bytes;
  guint32     tail, head;
  guint32     tail_port, head_port;
  guint32     output; /* of the tail: arrows that share it carry one tensor */
  guint8      kind;   /* VizArrowKind */
} VizArrow;

/* Building.  title: (nullable) names the whole picture. */
VizDiagramBuilder *viz_diagram_builder_new (const char *title);
void               viz_diagram_builder_free (VizDiagramBuilder *builder);

guint32 viz_diagram_builder_add_box (VizDiagramBuilder *builder, const VizBoxInfo *info);
guint32 viz_diagram_builder_add_port (VizDiagramBuilder *builder,
                                      guint32            box,
                                      VizPortKind        kind,
                                      VizSide            side,
                                      const char        *label);
guint32 viz_diagram_builder_add_arrow (VizDiagramBuilder *builder, const VizArrowInfo *info);

/* Says that box, a child of a VIZ_BOX_STEPS, is the cell of layer at step. */
void
viz_diagram_builder_set_step (VizDiagramBuilder *builder, guint32 box, gint32 step, gint32 layer);

/* Says that box, a child of a VIZ_BOX_STEPS, stands before the first step of a layer. */
void viz_diagram_builder_set_header (VizDiagramBuilder *builder, guint32 box, gint32 layer);

/* Moves a box under another parent.  Cycles are undone on freezing. */
void viz_diagram_builder_set_parent (VizDiagramBuilder *builder, guint32 box, guint32 parent);
void viz_diagram_builder_add_flags (VizDiagramBuilder *builder, guint32 box, VizBoxFlags flags);

void
viz_diagram_builder_set_arrow_kind (VizDiagramBuilder *builder, guint32 arrow, VizArrowKind kind);

/* What is there so far; pointers hold until the next box or arrow is added.
 * Children, ports and attributes of a box are known only once frozen. */
guint32         viz_diagram_builder_n_boxes (const VizDiagramBuilder *builder);
guint32         viz_diagram_builder_n_arrows (const VizDiagramBuilder *builder);
const VizBox   *viz_diagram_builder_box (const VizDiagramBuilder *builder, guint32 box);
const VizArrow *viz_diagram_builder_arrow (const VizDiagramBuilder *builder, guint32 arrow);

/* Consumes the builder. */
VizDiagram *viz_diagram_builder_freeze (VizDiagramBuilder *builder);

VizDiagram *viz_diagram_ref (VizDiagram *diagram);
void        viz_diagram_unref (VizDiagram *diagram);

guint32         viz_diagram_n_boxes (const VizDiagram *diagram); /* VIZ_ROOT included */
const VizBox   *viz_diagram_box (const VizDiagram *diagram, guint32 box);
guint32         viz_diagram_n_arrows (const VizDiagram *diagram);
const VizArrow *viz_diagram_arrow (const VizDiagram *diagram, guint32 arrow);
const VizPort  *viz_diagram_port (const VizDiagram *diagram, guint32 port);
guint32         viz_diagram_child (const VizDiagram *diagram, guint32 box, guint32 nth);
const char     *viz_diagram_attribute (const VizDiagram *diagram, guint32 box, guint32 nth);
const char     *viz_diagram_title (const VizDiagram *diagram);

/* Arrows that end at a box, in order of adding. */
const guint32 *viz_diagram_incoming (const VizDiagram *diagram, guint32 box, guint32 *n_arrows);
/* Arrows that start there. */
const guint32 *viz_diagram_outgoing (const VizDiagram *diagram, guint32 box, guint32 *n_arrows);

/* VIZ_ROOT when there is none. */
guint32 viz_diagram_find_user (const VizDiagram *diagram, guint32 user);
guint32 viz_diagram_find_id (const VizDiagram *diagram, const char *id);

/* Whether box stands somewhere inside group (not: is it). */
gboolean viz_diagram_is_inside (const VizDiagram *diagram, guint32 box, guint32 group);

/* How many boxes without children stand below group, weights drawn elsewhere not counted. */
guint32 viz_diagram_n_leaves (const VizDiagram *diagram, guint32 group);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizDiagram, viz_diagram_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizDiagramBuilder, viz_diagram_builder_free)

G_END_DECLS
