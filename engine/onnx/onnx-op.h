/* onnx-op.h — an operator of ONNX: one constant HybOnnxOp for each meaning that it has had.
 *
 * Rows of one family are an array at the end of a file in engine/onnx/ops; ops/list.h lists these arrays.  A change
 * of meaning between opsets is another row with a larger `since`.  lower() reads the node through the functions
 * below and writes engine nodes with lower/lowering.h.  Start with ops/gemm.c.
 *
 * Inputs are counted as in the specification: a left-out optional input ("" or beyond the last) has a number but no
 * value.  Attributes have the kind that the specification gives them; one of another kind counts as absent and fails
 * the node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/lower/lowering.h"
#include "engine/onnx/document.h"
#include "engine/onnx/schema.h"

typedef struct _HybOnnxUse HybOnnxUse; /* below */

typedef struct
{
  HybOp       op;     /* begins with HYB_ONNX_ROW */
  const char *domain; /* NULL: ai.onnx */
  gint64      since;  /* the first opset of the domain with this meaning */
  gint64      until;  /* the last one if the operator was removed; 0: still there */

  /* For operators with bodies: the input, as the specification counts, that feeds variable number `variable` of a
   * body, G_MAXUINT if the node itself does (a loop's counter), and how.  Default: all variables are captured. */
  guint (*formal_input) (const HybOnnxUse *use, guint variable, HybPortKind *port);
  /* Tells rows that share a lower() apart: most often the name of the engine's operator. */
  const char *engine;
  gboolean    has_value; /* an attribute is the array HybOnnxUse.literal */
} HybOnnxOp;

/* Members of HybOnnxOp.op that all rows have in common; name, doc, category, inputs and lower follow. */
#define HYB_ONNX_ROW HYB_ONNX_BODIES_ROW, .compute = hyb_onnx_compute
/* The same for rows that compute in their own way. */
#define HYB_ONNX_BODIES_ROW                                                            \
  .flags = HYB_OP_FOREIGN, .arity = hyb_onnx_arity, .value_name = hyb_onnx_value_name, \
  .declared_type = hyb_onnx_declared_type_of, .check_use = hyb_onnx_check_use,         \
  .input_name = hyb_onnx_input_name, .origin = hyb_onnx_origin, .is_default = hyb_onnx_is_default

/* The row of an operator at an opset version; NULL if there is none.  domain: "" for ai.onnx. */
const HybOnnxOp *hyb_onnx_op_find (const char *domain, const char *name, gint64 opset);
/* The row of a node.  An operator whose bodies are optional has several rows of one version, of which the one counts with the
 * most bodies that the node has; if it lacks bodies of all rows, the first. */
const HybOnnxOp *hyb_onnx_op_find_for (const HybOnnxNode *node, gint64 opset);

/* A node of a graph that was read from an ONNX file: its params. */
struct _HybOnnxUse
{
  const HybOnnxNode   *node;
  const HybOnnxOp     *row;      /* NULL: this program does not support the operator */
  const HybOnnxSchema *schema;   /* NULL: the specification has none */
  gint64               opset;    /* version of the node's domain */
  guint                n_inputs; /* values that it reads, captured ones included */
  guint                n_outputs;
  const int           *slots; /* by input of the specification: which of those values, or -1 */
  guint                n_slots;
  const char *const   *output_names;       /* n_outputs */
  const HybOnnxValueInfo *const *declared; /* n_outputs; NULL: the file declares no type */
  const guint *const
      *body_inputs; /* by body and variable: the value that it captures; G_MAXUINT: a formal one */
  guint     *n_variables; /* by body */
  gboolean   is_misused;  /* its form is not one that its operator has in this version */
  HybTensor *literal;     /* of rows with has_value; NULL: none, or it cannot be read */
  HybOrigin  origin;
};

/* --- Members of HybOp for all rows --- */

/* HybOp.arity: the numbers in the file. */
void hyb_onnx_arity (gconstpointer params, guint *n_inputs, guint *n_outputs);
/* HybOp.value_name. */
const char *hyb_onnx_value_name (gconstpointer params, guint index);
/* HybOp.check_use: element types as the operator's schema allows them, and, where the node is to run, its form. */
void hyb_onnx_check_use (HybLowering *lowering);
/* HybOp.input_name: as the specification calls it. */
const char *hyb_onnx_input_name (gconstpointer params, guint index);
/* HybOp.is_default. */
gboolean hyb_onnx_is_default (gconstpointer params, const char *name, const char *value);
/* HybOp.origin. */
void hyb_onnx_origin (gconstpointer params, HybOrigin *origin);
/* HybOp.declared_type. */
gboolean hyb_onnx_declared_type_of (gconstpointer params, guint index, HybType *type);
/* HybOp.compute: lowers the node alone, with types and contents as they are in this run.  Only nodes are computed so
 * whose types are not known while planning. */
gboolean hyb_onnx_compute (HybCall          *call,
                           const HybRun     *run,
                           HybTensor *const *inputs,
                           HybTensor       **outputs,
                           GError          **error);
/* The same for nodes with bodies, which run them. */
gboolean hyb_onnx_compute_if (HybCall          *call,
                              const HybRun     *run,
                              HybTensor *const *inputs,
                              HybTensor       **outputs,
                              GError          **error);
/* Likewise. */
gboolean hyb_onnx_compute_loop (HybCall          *call,
                                const HybRun     *run,
                                HybTensor *const *inputs,
                                HybTensor       **outputs,
                                GError          **error);
/* Likewise, from version 9 on. */
gboolean hyb_onnx_compute_scan (HybCall          *call,
                                const HybRun     *run,
                                HybTensor *const *inputs,
                                HybTensor       **outputs,
                                GError          **error);
/* HybOp.body_variable. */
guint hyb_onnx_body_variable (gconstpointer params, guint n_inputs, guint body, guint variable);
/* HybOp.body_port. */
HybPortKind hyb_onnx_body_port (gconstpointer params, guint n_inputs, guint body, guint variable);
/* HybOp.body_next or body_result of bodies that have none. */
guint hyb_onnx_no_head (gconstpointer params, guint body, guint head);

/* --- For lower(): inputs --- */

/* The node's facts. */
const HybOnnxUse *hyb_onnx_use (const HybLowering *lowering);
/* The version of the node's operator set. */
gint64 hyb_onnx_opset (const HybLowering *lowering);
/* The number of inputs in the file, including left-out ones before the last. */
guint hyb_onnx_n_inputs (const HybLowering *lowering);
/* TRUE if the input is given. */
gboolean hyb_onnx_has_input (const HybLowering *lowering, guint index);
/* Its type; unknown if it is left out.  Owned by lowering. */
const HybType *hyb_onnx_type (const HybLowering *lowering, guint index);
/* Its contents if they are known while planning; else NULL. */
HybTensor *hyb_onnx_contents (const HybLowering *lowering, guint index);
/* The lowered value of an input; HYB_NO_ID and a failure if it is left out. */
HybValueId hyb_onnx_input (HybLowering *lowering, guint index);
/* The integers that an input contains, in *values (owned by lowering).  FALSE if the input is left out; FALSE and a
 * failure if its contents are only known while running.  At most HYB_MAX_RANK integers, else a failure. */
gboolean
hyb_onnx_input_ints (HybLowering *lowering, guint index, guint *n, gint64 values[HYB_MAX_RANK]);
/* The number that an input with one element contains; fallback if it is left out.  A failure if its contents are
 * only known while running. */
double hyb_onnx_input_double (HybLowering *lowering, guint index, double fallback);

/* --- For lower(): attributes --- */

/* The attribute, or NULL. */
const HybOnnxAttribute *hyb_onnx_attribute (const HybLowering *lowering, const char *name);
/* The value of an attribute, or the fallback. */
gint64 hyb_onnx_int (HybLowering *lowering, const char *name, gint64 fallback);
/* Likewise. */
double hyb_onnx_float (HybLowering *lowering, const char *name, double fallback);
/* A string that the file ends or not: a copy that lives until the lowering ends. */
const char *hyb_onnx_string (HybLowering *lowering, const char *name, const char *fallback);
/* The list, in *values, owned by the document.  FALSE if it is not given. */
gboolean hyb_onnx_ints (HybLowering *lowering, const char *name, guint *n, const gint64 **values);
/* Likewise. */
gboolean hyb_onnx_floats (HybLowering *lowering, const char *name, guint *n, const double **values);

/* --- For lower(): writing --- */

/* The axis as a number from 0 of an input of that rank, −1 and a failure if it is outside or the rank is unknown. */
int hyb_onnx_axis (HybLowering *lowering, gint64 axis, int rank);
/* A one-element or scalar constant. */
HybValueId hyb_onnx_scalar (HybLowering *lowering, double value, HybDType dtype);
/* A vector of integers. */
HybValueId hyb_onnx_int64s (HybLowering *lowering, guint n, const gint64 *values);
/* lower() of rows whose member `engine` takes the same inputs and returns output 0. */
void hyb_onnx_lower_same (HybLowering *lowering);
/* The member `engine` of the node's row. */
const char *hyb_onnx_engine (const HybLowering *lowering);
/* x and a number. */
HybValueId
hyb_onnx_with_scalar (HybLowering *lowering, const char *op, HybValueId x, double scalar);
/* x with the axes from `begin` to `end` of one axis; end may be G_MAXINT64. */
HybValueId hyb_onnx_slice (HybLowering *lowering, HybValueId x, int axis, gint64 begin, gint64 end);
/* Arrays joined along an axis. */
HybValueId hyb_onnx_concat (HybLowering *lowering, guint n, const HybValueId *parts, int axis);
/* Outputs about which only the type is known: the dtype, and the rank (HYB_UNKNOWN: not even that). */
void hyb_onnx_set_rank (HybLowering *lowering, guint index, HybDType dtype, int rank);
/* A node of one input or two, without attributes. */
HybValueId hyb_onnx_unary (HybLowering *lowering, const char *op, HybValueId x);
/* Likewise, of two. */
HybValueId hyb_onnx_binary (HybLowering *lowering, const char *op, HybValueId x, HybValueId y);
/* x under another shape; the dimensions must be known, one may be −1. */
HybValueId hyb_onnx_reshape (HybLowering *lowering, HybValueId x, guint rank, const gint64 *dims);
/* x with its axes permuted. */
HybValueId hyb_onnx_transpose (HybLowering *lowering, HybValueId x, guint rank, const gint64 *axes);
/* x converted to a type, or x itself if it has it. */
HybValueId hyb_onnx_cast (HybLowering *lowering, HybValueId x, HybDType dtype);
