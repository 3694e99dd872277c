/* diagram.h — the contents of a drawing: boxes in boxes, ports, arrows and their texts.
 *
 * A diagram is independent of tensors and operators.  A builder collects boxes and arrows; freezing
 * it gives a diagram that never changes and may be read by any thread.
 *
 * Boxes form a tree.  Box 0 (VIZ_ROOT) is the picture itself; every other box has a parent.  A box
 * with children is a group: a loop or branch body (VIZ_BOX_FRAME), a scope (VIZ_BOX_SCOPE), or an
 * unrolled chain of cells (VIZ_BOX_STEPS).  Arrows may join boxes at any depth.  Which groups are
 * open is not part of the diagram: see folds.h.
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
 * An arrow between a group's port and a box inside the group runs inside the group; any other arrow
 * at that port runs outside.  A feedback arrow goes from a port on the out side to a port on the in
 * side of the same box.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define VIZ_ROOT    0u          /* the box that holds everything */
#define VIZ_NO_PORT 0u          /* the arrow meets the box itself */
#define VIZ_NO_USER G_MAXUINT32 /* the caller has no object for this box */

typedef struct _VizDiagram        VizDiagram;
typedef struct _VizDiagramBuilder VizDiagramBuilder;

typedef enum
{
  VIZ_BOX_OPERATOR,
  VIZ_BOX_INPUT,  /* an input of the graph */
  VIZ_BOX_OUTPUT, /* an output of the graph */
  VIZ_BOX_WEIGHT, /* a parameter; viz_fold() may draw it as a row of its consumers */
  VIZ_BOX_FRAME,  /* body of a loop or branch, with ports in the loop's or branch's order */
  VIZ_BOX_SCOPE,  /* boxes that belong together by name or structure */
  VIZ_BOX_STEPS,  /* a chain of equal cells; its children have a step and a layer */
} VizBoxKind;

typedef enum
{
  VIZ_BOX_PROBLEM = 1 << 0, /* the model has a problem here: thick, coloured border */
  VIZ_BOX_UNKNOWN = 1 << 1, /* the operator is unknown: dashed border */
  VIZ_BOX_FADED = 1 << 2,   /* dead, or not part of the shown subject: pale fill */
  VIZ_BOX_FOLDED = 1 << 3,  /* not drawn as a box, but as a row of its consumers (viz_fold) */
  VIZ_BOX_OPEN = 1 << 4,    /* a group that is open unless the user closes it */
  VIZ_BOX_HEADER = 1 << 5,  /* in a chain: drawn before the steps of its layer */
  VIZ_BOX_INSIDE = 1 << 6,  /* a detail of the operator around it, not a node of the model */
  VIZ_BOX_TWINS = 1 << 7,   /* a group of equal boxes in parallel: closed at first */
  VIZ_BOX_BLOCKS = 1 << 8, /* a chain whose cells have weights of their own: no steps of one cell */
  VIZ_BOX_PREPARED = 1 << 9, /* computes constants before a run: folded like a weight (viz_fold) */
} VizBoxFlags;

/* The kind of work that a box does.  palette.c maps it to a colour. */
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
  VIZ_PORT_DATA,     /* each step reads its own slice */
  VIZ_PORT_STATE,    /* carried from step to step */
  VIZ_PORT_CAPTURED, /* the same value in every step */
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

/* A box to add.  The builder copies all texts; NULL leaves a line out. */
typedef struct
{
  const char *id;       /* stable and unique; names the box in files.  NULL: a number */
  const char *title;    /* operator, or name of the group */
  const char *subtitle; /* name of the node */
  const char                *
      scope; /* the groups around it, outermost first: “encoder/layers.0”.  NULL: taken from its name */
  const char        *shape;      /* of the output, with dtype */
  const char *const *attributes; /* "kernel 3×3", NULL-terminated; non-default first */
  VizBoxKind         kind;
  VizCategory        category;
  VizBoxFlags        flags;
  guint32            parent; /* VIZ_ROOT: top level */
  guint32            user;   /* the caller's number for the box, or VIZ_NO_USER */
} VizBoxInfo;

/* An arrow to add. */
typedef struct
{
  guint32      tail, head;           /* boxes; the arrow points from tail to head */
  guint32      tail_port, head_port; /* from viz_diagram_builder_add_port(), or VIZ_NO_PORT */
  guint32      output;               /* index of the tail's output that the arrow carries */
  VizArrowKind kind;
  const char  *label; /* (nullable) shape and dtype */
  guint64      bytes; /* size of the tensor, which gives the line width; 0: unknown */
} VizArrowInfo;

/* Box, port and arrow of a frozen diagram.  The diagram owns their strings. */
typedef struct
{
  const char *id;
  const char *title;
  const char *subtitle;
  const char *scope;
  const char *shape;
  guint32     parent;
  guint32     user;
  guint32     first_attribute, n_attributes; /* viz_diagram_attribute () */
  guint32     first_port, n_ports;           /* viz_diagram_port (); in side first, as added */
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
  guint32     tie;  /* out side: the port on the in side that its feedback enters, or VIZ_NO_PORT */
} VizPort;

typedef struct
{
  const char *label;
  guint64     bytes;
  guint32     tail, head;
  guint32     tail_port, head_port;
  guint32 output; /* index of the tail's output; arrows with one tail and output share a tensor */
  guint8  kind;   /* VizArrowKind */
} VizArrow;

/* A builder that holds only the root.  title: (nullable) names the whole picture. */
VizDiagramBuilder *viz_diagram_builder_new (const char *title);

/* Frees a builder that will not be frozen; NULL is allowed. */
void viz_diagram_builder_free (VizDiagramBuilder *builder);

/* Adds a box and returns its number. */
guint32 viz_diagram_builder_add_box (VizDiagramBuilder *builder, const VizBoxInfo *info);

/* Adds a port to a box and returns its number, which is valid until the builder is frozen. */
guint32 viz_diagram_builder_add_port (VizDiagramBuilder *builder,
                                      guint32            box,
                                      VizPortKind        kind,
                                      VizSide            side,
                                      const char        *label);
/* Adds an arrow and returns its number.  A feedback arrow also sets the tie of its tail port. */
guint32 viz_diagram_builder_add_arrow (VizDiagramBuilder *builder, const VizArrowInfo *info);

/* Makes box, a child of a VIZ_BOX_STEPS, the cell of a layer at a step. */
void
viz_diagram_builder_set_step (VizDiagramBuilder *builder, guint32 box, gint32 step, gint32 layer);

/* Places box, a child of a VIZ_BOX_STEPS, before the first step of a layer. */
void viz_diagram_builder_set_header (VizDiagramBuilder *builder, guint32 box, gint32 layer);

/* Moves a box under another parent.  Freezing moves boxes that would be their own ancestors to the
 * top level. */
void viz_diagram_builder_set_parent (VizDiagramBuilder *builder, guint32 box, guint32 parent);

/* Gives a box another title. */
void viz_diagram_builder_set_title (VizDiagramBuilder *builder, guint32 box, const char *title);

/* Sets flags of a box; flags that are already set stay set. */
void viz_diagram_builder_add_flags (VizDiagramBuilder *builder, guint32 box, VizBoxFlags flags);

/* Changes the kind of an arrow. */
void
viz_diagram_builder_set_arrow_kind (VizDiagramBuilder *builder, guint32 arrow, VizArrowKind kind);

/* The number of boxes added so far, with the root. */
guint32 viz_diagram_builder_n_boxes (const VizDiagramBuilder *builder);
/* The number of arrows added so far. */
guint32 viz_diagram_builder_n_arrows (const VizDiagramBuilder *builder);
/* A box added so far; valid until the next box is added.  Its children and ports are not set before
 * freezing. */
const VizBox *viz_diagram_builder_box (const VizDiagramBuilder *builder, guint32 box);
/* An arrow added so far; valid until the next arrow is added. */
const VizArrow *viz_diagram_builder_arrow (const VizDiagramBuilder *builder, guint32 arrow);

/* The diagram of everything that was added.  Frees the builder.  (transfer full) */
VizDiagram *viz_diagram_builder_freeze (VizDiagramBuilder *builder);

/* Adds a reference; thread-safe.  Returns diagram. */
VizDiagram *viz_diagram_ref (VizDiagram *diagram);
/* Drops a reference; the last one frees the diagram. */
void viz_diagram_unref (VizDiagram *diagram);
/* The number of boxes, with VIZ_ROOT. */
guint32 viz_diagram_n_boxes (const VizDiagram *diagram);
/* A box by number.  (transfer none) */
const VizBox *viz_diagram_box (const VizDiagram *diagram, guint32 box);
/* The number of arrows. */
guint32 viz_diagram_n_arrows (const VizDiagram *diagram);
/* An arrow by number.  (transfer none) */
const VizArrow *viz_diagram_arrow (const VizDiagram *diagram, guint32 arrow);
/* A port by number; a box's ports are first_port to first_port + n_ports - 1. */
const VizPort *viz_diagram_port (const VizDiagram *diagram, guint32 port);
/* The number of the nth child of a box, in order of adding. */
guint32 viz_diagram_child (const VizDiagram *diagram, guint32 box, guint32 nth);
/* The nth attribute of a box, as text. */
const char *viz_diagram_attribute (const VizDiagram *diagram, guint32 box, guint32 nth);
/* The title given to viz_diagram_builder_new(), or NULL. */
const char *viz_diagram_title (const VizDiagram *diagram);
/* The words with which nearly all names at the top level begin, such as "resnetv10_"; may be empty. */
const char *viz_diagram_common_prefix (const VizDiagram *diagram);

/* The numbers of the arrows whose head is box, in order of adding.  (transfer none) */
const guint32 *viz_diagram_incoming (const VizDiagram *diagram, guint32 box, guint32 *n_arrows);
/* The numbers of the arrows whose tail is box, in order of adding.  (transfer none) */
const guint32 *viz_diagram_outgoing (const VizDiagram *diagram, guint32 box, guint32 *n_arrows);

/* The first box with this id, or VIZ_ROOT if no box has it. */
guint32 viz_diagram_find_id (const VizDiagram *diagram, const char *id);

/* Whether box lies inside group, at any depth; a box is not inside itself. */
gboolean viz_diagram_is_inside (const VizDiagram *diagram, guint32 box, guint32 group);

/* The number of boxes below group that represent one node of the model each; folded weights are
 * not counted. */
guint32 viz_diagram_n_leaves (const VizDiagram *diagram, guint32 group);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizDiagram, viz_diagram_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizDiagramBuilder, viz_diagram_builder_free)
