/* export.h — writes a graph of the engine's operators as an ONNX graph.
 *
 * Each operator that can be written has one constant HybOnnxRule.  Its write() reads the node through the functions
 * below and emits nodes of ONNX.  Rules of one family are an array at the end of a file rules-NAME.c; rule-list.h
 * lists these arrays.  Start with rules-linear.c.
 *
 * Values of the new graph are numbers, so that a value can get its name after nodes that read it.  The first failure of a
 * graph is kept; later calls do nothing that matters, so that rules need no checks in between.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/protobuf/protobuf-writer.h"
#include "engine/graph/model.h"
#include "engine/onnx/export/messages.h"

/* A value of the new graph. */
typedef guint OnnxValue;
/* Stands for an optional input that is left out. */
#define ONNX_NONE 0u

/* A graph or body that is being written. */
typedef struct _OnnxExport OnnxExport;

typedef struct
{
  const char *op;                     /* the engine's operator */
  void (*write) (OnnxExport *export); /* writes the node that the functions below speak of */
  const char *onnx;                   /* the parameter of rules that share write() */
  double      number;                 /* likewise */
  gboolean    needs_elements;         /* arrays of no elements cannot be written */
  gboolean    is_fill;                /* the output is the attribute value, or number, everywhere */
  const char
      *varying; /* an attribute that write() lets follow an open size; NULL: only shapes do */
} HybOnnxRule;

/* --- The node to write --- */

/* The version of ai.onnx that the new nodes have. */
gint64 onnx_opset (const OnnxExport *export);

/* --- The node of the engine --- */

/* The node. */
const HybNode *onnx_node (const OnnxExport *export);
/* The rule's members. */
const HybOnnxRule *onnx_rule (const OnnxExport *export);
/* The written value for an input. */
OnnxValue onnx_input (OnnxExport *export, guint index);
/* The type of an input, with HYB_UNKNOWN for dimensions that depend on open ones. */
HybType onnx_input_type (const OnnxExport *export, guint index);
/* Likewise of an output. */
HybType onnx_output_type (const OnnxExport *export, guint index);
/* TRUE if a dimension of an input equals a dimension of the output in every run. */
gboolean onnx_is_same_dim (const OnnxExport *export, guint input, guint axis, guint output_axis);
/* A value one of whose dimensions has in every run the size of a dimension of an output: an input of the node, or of the graph.
 * FALSE if there is none. */
gboolean onnx_find_dim (const OnnxExport *export,
                        guint      output,
                        guint      output_axis,
                        OnnxValue *of,
                        guint     *axis);
/* The contents of an input if they follow from parameters alone; else NULL.  (transfer full) */
HybTensor *onnx_dup_contents (const OnnxExport *export, guint index);
/* TRUE if a node fills an input with one number. */
gboolean onnx_is_filled (const OnnxExport *export, guint index, double *number);
/* TRUE if an input is zero everywhere in every run. */
gboolean onnx_is_zero (const OnnxExport *export, guint index);
/* TRUE if something reads the output. */
gboolean onnx_is_read (const OnnxExport *export, guint index);
/* Attributes by name; see hyb_params_get_int(). */
gint64 onnx_param_int (const OnnxExport *export, const char *name, gint64 fallback);
/* Likewise. */
double onnx_param_double (const OnnxExport *export, const char *name, double fallback);
/* Likewise. */
gboolean onnx_param_bool (const OnnxExport *export, const char *name);
/* A number of the node in both choices of sizes. */
void onnx_param_numbers (const OnnxExport *export, const char *name, double numbers[2]);
/* An input of the outermost graph with a dimension of these sizes in the two choices; ONNX_NONE if there is none. */
OnnxValue onnx_find_size (const OnnxExport *export, const double sizes[2], guint *axis);
/* TRUE if the number follows from an open size. */
gboolean onnx_param_varies (const OnnxExport *export, const char *name);
/* The text of an enumeration or string, interned; "" if there is no such attribute. */
const char *onnx_param_text (const OnnxExport *export, const char *name);
/* A tuple or shape, *n numbers; NULL if it is None or there is no such attribute. */
const gint64 *onnx_param_ints (const OnnxExport *export, const char *name, guint *n);
/* An axis of an input as a number from 0. */
gint64 onnx_param_axis (OnnxExport *export, const char *name, gint64 fallback, guint index);

/* --- Emitting --- */

/* An attribute of a new node. */
typedef struct
{
  const char          *name; /* NULL: the end of a list */
  HybOnnxAttributeKind kind;
  gint64               i;
  double               f;
  const char          *s;
  guint                n;
  const gint64        *ints;
  const char *const   *strings;
  OnnxExport          *graph; /* (transfer full) a body */
} OnnxAttribute;

#define ONNX_INT(name_, value)                                    \
  {                                                               \
    .name = (name_), .kind = HYB_ONNX_ATTRIBUTE_INT, .i = (value) \
  }
#define ONNX_FLOAT(name_, value)                                    \
  {                                                                 \
    .name = (name_), .kind = HYB_ONNX_ATTRIBUTE_FLOAT, .f = (value) \
  }
#define ONNX_STRING(name_, value)                                    \
  {                                                                  \
    .name = (name_), .kind = HYB_ONNX_ATTRIBUTE_STRING, .s = (value) \
  }
#define ONNX_INTS(name_, n_, values)                                              \
  {                                                                               \
    .name = (name_), .kind = HYB_ONNX_ATTRIBUTE_INTS, .n = (n_), .ints = (values) \
  }
#define ONNX_STRINGS(name_, n_, values)                                                 \
  {                                                                                     \
    .name = (name_), .kind = HYB_ONNX_ATTRIBUTE_STRINGS, .n = (n_), .strings = (values) \
  }
#define ONNX_GRAPH(name_, value)                                        \
  {                                                                     \
    .name = (name_), .kind = HYB_ONNX_ATTRIBUTE_GRAPH, .graph = (value) \
  }
/* A list of attributes. */
#define ONNX_ATTRIBUTES(...) ((const OnnxAttribute[]){ __VA_ARGS__, { .name = NULL } })

/* Adds a node with one output. */
OnnxValue onnx_emit (OnnxExport *export,
                     const char          *op,
                     guint                n_inputs,
                     const OnnxValue     *inputs,
                     const OnnxAttribute *attributes);
/* A node that is added. */
typedef struct
{
  const char          *op;
  guint                n_inputs;
  const OnnxValue     *inputs;
  guint                n_outputs;
  const OnnxAttribute *attributes;
} OnnxEmission;

/* Adds a node with several outputs, which are numbered one after the other, and returns the first. */
OnnxValue onnx_emit_many (OnnxExport *export, const OnnxEmission *emission);
/* Nodes without attributes. */
OnnxValue onnx_unary (OnnxExport *export, const char *op, OnnxValue x);
/* Likewise. */
OnnxValue onnx_binary (OnnxExport *export, const char *op, OnnxValue x, OnnxValue y);

/* An array that is stored in the file.  (transfer full) */
OnnxValue onnx_tensor (OnnxExport *export, const char *name, HybTensor *tensor);
/* Integers, as an array of one axis. */
OnnxValue onnx_ints (OnnxExport *export, guint n, const gint64 *values);
/* A number of a type. */
OnnxValue onnx_number (OnnxExport *export, double value, HybDType dtype);

/* Sets the written value for an output of the engine's node. */
void onnx_set_output (OnnxExport *export, guint index, OnnxValue value);
/* Records why the node cannot be written. */
void onnx_fail (OnnxExport *export, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* --- Frequent forms (export-forms.c) --- */

/* x as another type, or x itself. */
OnnxValue onnx_cast (OnnxExport *export, OnnxValue x, HybDType from, HybDType to);
/* An operator whose axes were an attribute before a version and are an input since. */
typedef struct
{
  const char          *op;
  gint64               since;
  guint                n;
  const gint64        *axes;
  const OnnxAttribute *attributes; /* at most two others */
} OnnxAxes;

/* Adds it in the form of the file's version. */
OnnxValue onnx_with_axes (OnnxExport *export, OnnxValue x, const OnnxAxes *axes);
/* Axes of size 1 added or removed. */
OnnxValue onnx_unsqueeze (OnnxExport *export, OnnxValue x, gint64 axis);
/* Likewise. */
OnnxValue onnx_squeeze (OnnxExport *export, OnnxValue x, gint64 axis);
/* Elements from begin to end of an axis; G_MAXINT64: to its end. */
OnnxValue onnx_slice (OnnxExport *export, OnnxValue x, gint64 axis, gint64 begin, gint64 end);
/* Elements of several axes; steps may be NULL. */
typedef struct
{
  guint         n;
  const gint64 *axes, *begins, *ends, *steps;
} OnnxSlices;

/* Cuts them out. */
OnnxValue onnx_slices (OnnxExport *export, OnnxValue x, const OnnxSlices *slices);
/* x with the elements of an axis in reverse order.  size: of the axis, HYB_UNKNOWN if it is open. */
OnnxValue onnx_reversed (OnnxExport *export, OnnxValue x, gint64 axis, gint64 size);
/* x with axes in another order. */
OnnxValue onnx_transpose (OnnxExport *export, OnnxValue x, guint rank, const gint64 *axes);
/* x under a fixed shape, in which one dimension may be −1 and 0 is the size in x. */
OnnxValue onnx_reshape (OnnxExport *export, OnnxValue x, guint rank, const gint64 *dims);
/* Parts along an axis.  Returns the first. */
OnnxValue onnx_split (OnnxExport *export, OnnxValue x, gint64 axis, guint n, const gint64 *sizes);
/* Parts joined along an axis. */
OnnxValue onnx_concat (OnnxExport *export, guint n, const OnnxValue *parts, gint64 axis);
/* The size of a dimension of an input, as a value of one element of int64. */
OnnxValue onnx_input_size (OnnxExport *export, guint index, gint64 axis);
/* A number of the node as a value of one element of int64: stored, or taken from the shape of an input of the graph where it
 * follows from an open size. */
OnnxValue onnx_param_size (OnnxExport *export, const char *name);
/* The shape of an output as a value: a stored array where all of it is known, else taken from the shapes of
 * inputs. */
OnnxValue onnx_output_shape (OnnxExport *export, guint index);

/* --- Bodies (export-graph.c) --- */

/* Begins the graph of a body of the node.  (transfer full), to an attribute */
OnnxExport *onnx_body_new (OnnxExport *outer, guint body);
/* The same, written into a graph that exists: this one or a body. */
OnnxExport *onnx_body_new_inline (OnnxExport *outer, OnnxExport *into, guint body);
/* The number of its variables. */
guint onnx_body_n_variables (const OnnxExport *body);
/* The number of its heads. */
guint onnx_body_n_heads (const OnnxExport *body);
/* The type of a variable. */
HybType onnx_body_variable_type (OnnxExport *body, guint variable);
/* Adds a formal input that feeds a variable of the body. */
OnnxValue onnx_body_add_variable (OnnxExport *body, guint variable);
/* Adds a formal input that no variable reads, a scalar. */
OnnxValue onnx_body_add_scalar (OnnxExport *body, const char *name, HybDType dtype);
/* Maps a variable to a value of this or the surrounding graph. */
void onnx_body_set_variable (OnnxExport *body, guint variable, OnnxValue value);
/* The value of a head, after writing the nodes that it needs. */
OnnxValue onnx_body_head (OnnxExport *body, guint head);
/* The type of a head. */
HybType onnx_body_head_type (OnnxExport *body, guint head);
/* Adds an output, under a name of its own. */
void onnx_body_add_output (OnnxExport *body, OnnxValue value, const HybType *type);

/* --- For files that write whole graphs --- */

/* The rule of an operator; NULL if it cannot be written. */
const HybOnnxRule *onnx_rule_find (const HybOp *op);
/* Whether write() of a rule lets this attribute follow an open size. */
gboolean onnx_rule_follows (const HybOnnxRule *rule, const char *attribute);

/* Begins a graph of the engine.  model: whose parameters its variables are.  types: by value; turn two with other sizes
 * of open dimensions, or NULL.  Everything is borrowed. */
OnnxExport *onnx_export_new (HybModel      *model,
                             HybGraph      *graph,
                             const HybType *types,
                             const HybType *other_types,
                             gint64         opset);
/* Sets a graph with the same nodes that was made for the other sizes: numbers in which both differ follow from sizes. */
void onnx_export_set_other (OnnxExport *export, HybGraph *other);
/* Frees an export; accepts NULL. */
void onnx_export_free (OnnxExport *export);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OnnxExport, onnx_export_free)
/* A value that is defined elsewhere, under exactly this name. */
OnnxValue onnx_export_define (OnnxExport *export, const char *name);
/* Keeps a name from being given to other values. */
void onnx_export_reserve (OnnxExport *export, const char *name);
/* The same for names of nodes. */
void onnx_export_reserve_node (OnnxExport *export, const char *name);
/* Maps a value of the engine's graph to a value of the new one. */
void onnx_export_set_value (OnnxExport *export, HybValueId value, OnnxValue stands_for);
/* The written value for a value of the engine's graph; writes all nodes that it needs first. */
OnnxValue onnx_export_value (OnnxExport *export, HybValueId value);
/* Gives a value that a new node computes this name, which no other value has. */
void onnx_export_rename (OnnxExport *export, OnnxValue value, const char *name);
/* A value that is an output, under this name (NULL: its own): the given one if a new node computes it and it is not an
 * output yet, else a copy. */
OnnxValue onnx_export_output_value (OnnxExport *export, OnnxValue value, const char *name);
/* Adds an input of the graph.  dims: see onnx_value_message(). */
void onnx_export_add_input (OnnxExport *export, HybValueId variable, const char *const *dims);
/* Adds an input that nothing reads, as a file declares it (ValueInfoProto). */
void onnx_export_copy_input (OnnxExport *export, const char *name, HybOnnxBytes message);
/* Adds an output of the graph. */
void onnx_export_add_output (OnnxExport *export,
                             OnnxValue          value,
                             const HybType     *type,
                             const char *const *dims);
/* NULL, or the reason why writing failed: all operators without a rule, or the first failure. */
GError *onnx_export_get_error (OnnxExport *export);
/* The name of a value. */
const char *onnx_export_get_name (OnnxExport *export, OnnxValue value);
/* The names of all values that new nodes read.  (transfer container) */
GHashTable *onnx_export_get_read (OnnxExport *export);
/* The fields of GraphProto that hold inputs and outputs; once.  (transfer full) */
HybProtobufWriter *onnx_export_get_ports (OnnxExport *export);
/* The fields that hold nodes; once.  (transfer full) */
HybProtobufWriter *onnx_export_get_nodes (OnnxExport *export);
/* The fields that hold arrays which nodes or outputs read.  external: see onnx_tensor_message(). */
HybProtobufWriter *onnx_export_get_initializers (OnnxExport *export, OnnxExternal *external);
