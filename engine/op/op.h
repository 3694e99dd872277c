/* op.h — the description of an operator: HybOp, and HybCall, one use of it.
 *
 * Every operator is a constant HybOp in an array at the bottom of a file below engine/ops (or engine/control); op-list.h
 * lists these arrays.  The struct holds all facts about the operator: file readers, type inference, autograd, the
 * executor, the profiler and the inspector read it, and none of them switches on operator names. Start with
 * engine/ops/nn/softmax.c, a complete operator of ordinary size. Threads: an operator is constant, and several threads
 * may call its functions at once.  hyb_op_register() may be called by any thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/op/param.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct _HybOp          HybOp;          /* an operator, below */
typedef struct _HybGraph       HybGraph;       /* engine/graph/graph.h */
typedef struct _HybGrad        HybGrad;        /* engine/gradient/gradient.h */
typedef struct _HybLowering    HybLowering;    /* engine/analysis/lowering.h */
typedef struct _HybRun         HybRun;         /* engine/op/run.h */
typedef struct _HybPlanOptions HybPlanOptions; /* engine/op/plan-options.h */
typedef struct _HybCallDevice  HybCallDevice;  /* engine/op/run-device.h */

/* The kind of work an operator does; pictures colour nodes by it (viz/diagram/palette.c). */
typedef enum
{
  HYB_CATEGORY_DATA,
  HYB_CATEGORY_ELEMENTWISE,
  HYB_CATEGORY_LINEAR,
  HYB_CATEGORY_CONVOLUTION,
  HYB_CATEGORY_NORMALISATION,
  HYB_CATEGORY_REDUCTION,
  HYB_CATEGORY_MOVEMENT,
  HYB_CATEGORY_RECURRENT,
  HYB_CATEGORY_CONTROL,
  HYB_CATEGORY_LOSS,
  HYB_N_CATEGORIES,
} HybCategory;
/* Properties of an operator. */
typedef enum
{
  HYB_OP_IN_PLACE = 1 << 0,           /* output 0 may share the memory of input 0 */
  HYB_OP_RANDOM = 1 << 1,             /* draws random numbers: never folded or merged */
  HYB_OP_TRAINING_DEPENDENT = 1 << 2, /* computes something else while training */
  HYB_OP_NO_GRADIENT = 1 << 3,        /* constant almost everywhere: its gradient is zero */
  HYB_OP_CUSTOM_GRADIENT = 1 << 4,    /* the gradient is not the derivative (losses, selu) */
  HYB_OP_INTERNAL = 1 << 5,           /* created by passes or autograd; not in MXNet's files */
  HYB_OP_OPAQUE = 1 << 6,             /* placeholder for an unknown operator; cannot run */
  /* If all operands have the same shape, element i of the only output depends on element i of
   * the inputs and on the attributes, and on nothing else.  Such operators can be fused. */
  HYB_OP_POINTWISE = 1 << 7,
  HYB_OP_SUM = 1 << 8, /* output 0 is the sum of all inputs, which have the same shape */
  /* MXNet ignores attributes that the operator does not have.  It does so for all operators without
   * attributes, and refuses a file with unknown attributes of other operators. */
  HYB_OP_ANY_ATTRIBUTE = 1 << 9,
  /* The attribute op_type of a node names the operator, which a plug-in registers; without it the
   * node is opaque. */
  HYB_OP_NAMES_PLUGIN = 1 << 10,
  HYB_OP_PLUGIN = 1 << 11, /* set by hyb_op_register() */
  /* forward() touches values through op/run-device.h alone and may get addresses of a device, for
   * which prepare() has then planned the bodies. */
  HYB_OP_DEVICE_BODIES = 1 << 12,
  /* An operator of another format than MXNet's: it cannot run; lower() writes the nodes that run
   * in its place.  Its nodes have as many inputs and outputs as the file gives them
   * (body_arity). */
  HYB_OP_FOREIGN = 1 << 13,
  /* The outputs are written in the file and depend on nothing; drawn like a weight. */
  HYB_OP_LITERAL = 1 << 14,
  /* Output 0 is input 0, whatever its type. */
  HYB_OP_IDENTITY = 1 << 15,
} HybOpFlags;

/* How a variable of a body gets its value. */
typedef enum
{
  HYB_PORT_VALUE,    /* from an input of a branch, unchanged */
  HYB_PORT_DATA,     /* a different slice of an input in every step */
  HYB_PORT_STATE,    /* carried from step to step */
  HYB_PORT_CAPTURED, /* the same input in every step */
} HybPortKind;

/* One use of an operator: its attributes, and the types of its inputs and outputs.  The arrays
 * belong to the caller. */
typedef struct
{
  const HybOp  *op;
  gconstpointer params; /* the operator's params struct, already parsed; NULL if it has none */
  guint         n_inputs;
  guint         n_outputs; /* including hidden ones */
  HybType      *input;
  HybType      *output;
  HybGraph    **body; /* subgraphs that a loop repeats or a condition chooses from; or NULL */
  guint         n_bodies;
  gboolean      training;      /* planned for a training pass */
  gboolean      legacy_shapes; /* the file does not set is_np_shape: 0 in a shape attribute means
                                * “unknown” */
  gpointer      prepared;      /* owned by the operator: set by prepare(), freed by release() */

  /* The following two are set only while prepare() runs. */

  /* How the surrounding plan is made, for operators that plan their bodies; NULL when there is
   * no plan because the graph runs operator by operator. */
  const HybPlanOptions *plan_options;
  /* For each input its contents if no run changes them, else NULL.  The array is NULL outside of
   * a plan. */
  HybTensor *const *constants;

  /* With HYB_OP_DEVICE_BODIES: set if bodies are planned for the device of plan_options;
   * prepare() fills it in.  Else NULL. */
  HybCallDevice *on_device;
} HybCall;

/* Work of one call, for the roofline. */
typedef struct _HybCost
{
  double flops;
  double bytes_read;
  double bytes_written;
} HybCost;

/* Where a node comes from in the program that wrote the file.  NULL: the file does not say.  Owned by the params. */
typedef struct
{
  const char *scope;  /* the modules around it, outermost first: “encoder/layers.0” */
  const char *module; /* the class of the innermost one: “torch.nn.modules.linear.Linear” */
  const char *source; /* the line that made it: “model.py:12, in forward” */
} HybOrigin;

/* Everything known about an operator.  Members that are left 0 have the default that their
 * comment gives.  Bit i of a mask (guint32) stands for input i. */
struct _HybOp
{
  /* --- Identity --- */

  const char        *name;    /* as in MXNet's files */
  const char *const *aliases; /* NULL-terminated; default: no aliases */
  const char        *doc;     /* one sentence, shown in the inspector */
  HybCategory        category;
  HybOpFlags         flags;

  /* --- Inputs, outputs and attributes --- */

  /* Names, NULL-terminated.  Further inputs repeat the last name with a number. */
  const char *const *inputs;
  /* Likewise; a leading "_" hides an output from users (dropout's mask).  Hidden outputs come
   * last.  Default: "output", or output0, output1 … if there are several. */
  const char *const *outputs;
  const HybParam    *params;      /* table of attributes, ended by an empty entry; default: none */
  gsize              params_size; /* of the struct that the table fills */

  /* The number of inputs and outputs for given attributes.  Default: the named ones. */
  void (*arity) (gconstpointer params, guint *n_inputs, guint *n_outputs);
  /* For operators with bodies that decide the number of inputs; called instead of arity().
   * Default: arity() alone decides. */
  void (*body_arity) (gconstpointer    params,
                      HybGraph *const *bodies,
                      guint           *n_inputs,
                      guint           *n_outputs);
  /* The number of outputs that users see, counted from the first.  Default: those without "_". */
  guint (*n_visible) (gconstpointer params);
  /* The number of outputs that MXNet's files count (node_row_ptr).  Default: all of them. */
  guint (*n_stored) (gconstpointer params);
  /* Checks that need several attributes (such as two that contradict each other).  Default: no
   * such checks. */
  gboolean (*check) (gconstpointer params, GError **error);

  /* For an operator on quantised values: the operator that computes the same on floats.  Its
   * inputs come first; the lower and upper limits of their ranges follow.  Outputs are the
   * result and the limits of its range.  Without a table of attributes of its own, this operator
   * uses the table of that one.  Default: not an operator on quantised values. */
  const char *float_form;

  /* Inputs that are state which forward writes (BatchNorm's running mean).  Ask
   * hyb_op_writes_input(). */
  guint32 mutates;
  /* Inputs of a group, where there are several groups with the same names and mutates (multi_sgd_update).
   * Default: one group. */
  guint group_inputs;
  /* Inputs that never get a gradient (indices, labels). */
  guint32 constant_inputs;
  /* Output 0 is a sum over the slowest axis of these inputs, as the gradient of a weight is.  A
   * loop may therefore collect their rows over all steps and compute the sum once. */
  guint32 row_sum_inputs;
  /* Row i of output 0 (index i of the slowest axis) depends on row i of these inputs, and on all
   * of the other inputs.  The rows of several calls may therefore be computed by one call. */
  guint32 rowwise_inputs;

  /* --- Bodies: subgraphs of loops and conditions (engine/control) --- */

  guint              n_bodies;   /* of every node of this operator */
  const char *const *body_names; /* n_bodies names, without a NULL at the end; required with
                                  * n_bodies, as the functions below */
  /* The input of the node that feeds variable number `variable` (in node order) of a body on
   * entry; G_MAXUINT if there is no such input. */
  guint (*body_variable) (gconstpointer params, guint n_inputs, guint body, guint variable);
  /* How that variable gets its value; pictures and converters need it. */
  HybPortKind (*body_port) (gconstpointer params, guint n_inputs, guint body, guint variable);
  /* The variable that receives this head of the body in the next step; G_MAXUINT if there is no
   * such variable. */
  guint (*body_next) (gconstpointer params, guint body, guint head);
  /* The output of the node that this head of the body becomes; G_MAXUINT if it is not an output. */
  guint (*body_result) (gconstpointer params, guint body, guint head);

  /* --- Types --- */

  /* Fill in what can be inferred, from inputs to outputs or back, and leave the rest unknown;
   * type inference calls again until nothing changes.  FALSE only for a contradiction.  Default
   * of infer_dtype: all inputs and outputs have the same dtype. */
  gboolean (*infer_shape) (HybCall *call, GError **error);
  gboolean (*infer_dtype) (HybCall *call, GError **error);

  /* The dtypes that forward can compute in (HYB_DTYPES_…).  The executor converts others around
   * the call: half floats to float32, integers to float64 (to float32 where that is the only
   * choice).  Default: HYB_DTYPES_F32. */
  guint32 dtypes;

  /* --- Computation on the CPU --- */

  /* Computes the outputs.  Types are final and memory is allocated, so it cannot fail.  Values that it
   * cannot compute with, such as an index outside of its axis, are reported by hyb_run_report()
   * (engine/op/run.h). */
  void (*forward) (const HybCall *call, const HybRun *run);
  /* Bytes of scratch memory that forward gets in run->workspace.  Default: 0. */
  gsize (*workspace) (const HybCall *call);

  /* TRUE if output number `output` is a contiguous part of input number *input, starting at byte
   * *offset (reshapes, slices of the slowest axis), so that nothing need be computed.  forward
   * must work nevertheless: the planner may decide for a copy.  Default: never. */
  gboolean (*view) (const HybCall *call, guint output, guint *input, gsize *offset);

  /* Called once per plan, when types are final and before workspace(): sets call->prepared to
   * the data that forward needs (plans of bodies, tables).  FALSE if the call cannot run. */
  gboolean (*prepare) (HybCall *call, GError **error);
  void (*release) (HybCall *call); /* frees call->prepared */
  /* A few words about how forward computes the call, for the printed plan and for profiles; NULL if there is nothing
   * to say.  Called after prepare().  The text belongs to the call or is constant. */
  const char *(*note) (const HybCall *call);

  /* For operators whose output types depend on values (boolean_mask, a while_loop that grows its
   * state): runs instead of forward where output types are still unknown although all inputs are
   * known.  Sets outputs to new tensors, which the caller owns, and call->output to their types.
   * FALSE if the values cannot be computed with. */
  gboolean (*compute) (HybCall          *call,
                       const HybRun     *run,
                       HybTensor *const *inputs,
                       HybTensor       **outputs,
                       GError          **error);

  /* --- The gradient --- */

  /* Adds the nodes that compute the gradients of the inputs (engine/gradient/gradient.h), so that
   * gradients can be drawn, planned and timed like any other graph.  Default: differentiating is
   * an error, unless HYB_OP_NO_GRADIENT is set. */
  void (*gradient) (HybGrad *grad);
  /* For hyb_gradient_by_formula(): the gradients as statements with “; ” between them.  “EXPRESSION > i0 i1” adds the
   * nodes of the expression and sets the gradients of inputs 0 and 1 to the outputs of the last one; a letter in place
   * of i0 names the value for later statements.  A statement is left out if nothing needs the gradients that it sets.
   * An expression is an operand in the words of `operands`, such a name, or
   *
   *   exp (x)                        a node; arguments are computed from the last to the first
   *   dot* (x, y)                    a node with the attributes and bodies of the node being differentiated
   *   sum [axis=1 exclude=True] (x)  a node with attributes
   *   _mul_scalar (x, -2)            short for [scalar=-2] */
  const char *formula;
  /* The operator that replaces this one in graphs that are differentiated.  It has the same
   * inputs, attributes and first outputs, and further hidden outputs that store intermediate
   * values for the gradient (gates of an RNN, states of a loop).  Default: no replacement. */
  const char *recording;

  /* For an operator that computes a gradient: the name of the operator it differentiates.  Both
   * must have the same params table, unless infer_shape of that operator ignores attributes.
   * hyb_call_infer() then calls infer_shape of this operator, which may be missing where
   * operands determine all shapes, and of that one.  Default: infer_shape alone decides. */
  const char *gradient_of;
  /* With gradient_of: the counterpart of each input, and after “>” of each output, in the
   * differentiated operator, as words with a space between them:
   *
   *   i1    input 1, or its gradient
   *   o2    output 2
   *   g0    the gradient of output 0
   *   i*    all inputs, one after the other
   *   g*    the gradients of all visible outputs
   *   last  the last output
   *   -     nothing
   *
   * For example “g0 i0 > i0” takes the gradient of output 0 and input 0, and returns the gradient
   * of input 0. */
  const char *operands;

  /* --- Other formats --- */

  /* For operators with HYB_OP_FOREIGN: writes the engine's nodes that compute the same
   * (engine/analysis/lowering.h).  Default: the operator is only displayed. */
  void (*lower) (HybLowering *lowering);
  /* Fails the lowering if the file uses the operator in a way that has no meaning, such as with element types that it does
   * not take; such a node is drawn but must not run.  Called before lower().  Default: all nodes may run. */
  void (*check_use) (HybLowering *lowering);
  /* The name of input number `index` where nodes may leave inputs out.  Static or owned by params; NULL: it has none.
   * Default: taken from `inputs`. */
  const char *(*input_name) (gconstpointer params, guint index);
  /* The name of output number `index` where the file names values itself.  Static or owned by params.
   * Default: MXNet's rule. */
  const char *(*value_name) (gconstpointer params, guint index);
  /* The type that the file declares for that output; FALSE if it declares none.  Default: none. */
  gboolean (*declared_type) (gconstpointer params, guint index, HybType *type);
  /* TRUE if the attribute with this text means the same as if it were left out.  Default: taken from `params`. */
  gboolean (*is_default) (gconstpointer params, const char *name, const char *value);
  /* Where the node comes from in the program that wrote the file.  Default: the file does not say. */
  void (*origin) (gconstpointer params, HybOrigin *origin);

  /* --- Cost and devices --- */

  /* The work of one call.  Default: the following numbers of operations for each element of input 0 and of output 0, or
   * one for each element of all outputs if both are 0; every input is read once, every output written once. */
  void (*cost) (const HybCall *call, HybCost *cost);
  double flops_per_input;
  double flops_per_output;
};

/* The operator with this name or alias; NULL if it is unknown. */
HYB_API const HybOp *hyb_op_find (const char *name);
/* All operators in the order of op-list.h, each once.  The array belongs to the library. */
HYB_API const HybOp *const *hyb_op_list (guint *n_ops);

/* All names of an operator, its own first, the others sorted.  (transfer full) */
HYB_API char **hyb_op_dup_names (const HybOp *op);
/* Why there is no operator of this name of MXNet's, as a sentence without its
 * full stop; NULL if nothing is known about it.
 * Static. */
HYB_API const char *hyb_op_missing_reason (const char *name);
/* Sets pattern and reason of entry number index of the list behind hyb_op_missing_reason(), whose
 * patterns may contain “*”.  FALSE if index is too large. */
HYB_API gboolean hyb_op_missing_entry (guint index, const char **pattern, const char **reason);

/* Makes an operator of a plug-in known under its name and aliases; the struct is copied, its pointers
 * must stay valid.  FALSE and an error if a name is taken, or a member without a default is missing. */
HYB_API gboolean hyb_op_register (const HybOp *op, GError **error);
/* The operator that a plug-in registered under this name or alias; NULL if there is none. */
HYB_API const HybOp *hyb_op_find_registered (const char *name);

/* TRUE if compute() has to run even where all types are known: the operator has no forward. */
HYB_API gboolean hyb_op_needs_compute (const HybOp *op);

/* TRUE if forward writes to input number `input`. */
HYB_API gboolean hyb_op_writes_input (const HybOp *op, guint input);

/* The number of inputs and outputs for given attributes, hidden outputs included. */
HYB_API void
hyb_op_arity (const HybOp *op, gconstpointer params, guint *n_inputs, guint *n_outputs);
/* The same for an operator with bodies; bodies may be NULL if there are none. */
HYB_API void hyb_op_body_arity (const HybOp     *op,
                                gconstpointer    params,
                                HybGraph *const *bodies,
                                guint           *n_inputs,
                                guint           *n_outputs);
/* The number of outputs that users see, out of n_outputs. */
HYB_API guint hyb_op_n_visible (const HybOp *op, gconstpointer params, guint n_outputs);
/* The number of outputs that decides whether their names carry numbers: as in MXNet hidden ones
 * count too, except those that loops and conditions add here. */
HYB_API guint hyb_op_n_numbered (const HybOp *op, gconstpointer params, guint n_outputs);

/* The name of input number `index` of a use with n_inputs inputs.  (transfer full) */
HYB_API char *hyb_op_dup_input_name (const HybOp *op, guint index, guint n_inputs);
/* The name of output number `index`, without a leading "_".  (transfer full) */
HYB_API char *hyb_op_dup_output_name (const HybOp *op, guint index, guint n_outputs);

G_END_DECLS
