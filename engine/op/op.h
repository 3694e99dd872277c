/* op.h — what an operator is.
 *
 * An operator is one const HybOp in the array at the bottom of one file in this
 * folder; the file is named once in op-list.h.  Everything Hybridscope knows
 * about it is here: the file readers, the type pass, autograd, the executor, the
 * profiler and the inspector all read this struct, and none of them switches on
 * operator names.
 *
 * Start with softmax.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/param.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct _HybOp          HybOp;
typedef struct _HybGraph       HybGraph;       /* engine/graph/graph.h */
typedef struct _HybGrad        HybGrad;        /* engine/gradient/gradient.h */
typedef struct _HybRun         HybRun;         /* engine/op/run.h */
typedef struct _HybPlanOptions HybPlanOptions; /* engine/op/plan-options.h */

/* What kind of work it is.  viz/diagram/palette.c decides how that looks. */
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

typedef enum
{
  HYB_OP_IN_PLACE = 1 << 0,           /* output 0 may share the memory of input 0 */
  HYB_OP_RANDOM = 1 << 1,             /* draws from the run's generator: never folded or merged */
  HYB_OP_TRAINING_DEPENDENT = 1 << 2, /* computes something else while training */
  HYB_OP_NO_GRADIENT = 1 << 3,        /* constant almost everywhere: its gradient is zero */
  HYB_OP_CUSTOM_GRADIENT = 1 << 4, /* defined as something else than the derivative: losses, selu */
  HYB_OP_INTERNAL = 1 << 5, /* made by passes or autograd; not an operator of MXNet's files */
  HYB_OP_OPAQUE = 1 << 6,   /* stands for an operator we do not have: seen, never run */
  /* Where all operands have one shape, whatever it is: element i of the only output depends on
   * element i of the inputs alone, and computing it needs nothing but them and the attributes. */
  HYB_OP_POINTWISE = 1 << 7,
  HYB_OP_SUM = 1 << 8, /* adds all of its inputs up, which have one shape */
} HybOpFlags;

/* What a variable of a body is fed with. */
typedef enum
{
  HYB_PORT_VALUE,    /* a branch's input: nothing more to say */
  HYB_PORT_DATA,     /* another slice every step */
  HYB_PORT_STATE,    /* carried from step to step */
  HYB_PORT_CAPTURED, /* the same every step */
} HybPortKind;

typedef enum
{
  HYB_GPU_NONE,    /* the executor copies to the host and back, and says so */
  HYB_GPU_LIBRARY, /* cuDNN or cuBLAS */
  HYB_GPU_KERNEL,  /* our own */
} HybGpuPath;

/* One use of an operator: its attributes and the types around it. */
typedef struct
{
  const HybOp  *op;
  gconstpointer params; /* the operator's own struct, already parsed; NULL if it has none */
  guint         n_inputs;
  guint         n_outputs; /* hidden ones included */
  HybType      *input;
  HybType      *output;
  HybGraph    **body; /* what a loop repeats or a condition chooses; else NULL */
  guint         n_bodies;
  gboolean      training; /* planned for a training pass */
  gboolean legacy_shapes; /* 0 in a shape attribute means “unknown” (no is_np_shape in the file) */
  gpointer prepared;      /* what prepare() made; NULL before */
  /* While preparing: how the plan around is made, for plans of bodies; NULL: operator by
   * operator. */
  const HybPlanOptions *plan_options;
  /* While preparing for a plan: by input, contents that no run changes; NULL: not known. */
  HybTensor *const *constants;
} HybCall;

typedef struct
{
  double flops;
  double bytes_read;
  double bytes_written;
} HybCost;

struct _HybOp
{
  /* Identity */
  const char        *name;    /* the name in MXNet files */
  const char *const *aliases; /* NULL-terminated; NULL: none */
  const char        *doc;     /* one sentence, shown in the inspector */
  HybCategory        category;
  HybOpFlags         flags;

  /* Signature */
  const char *const *inputs;  /* names, NULL-terminated; beyond them the last is numbered */
  const char *const *outputs; /* likewise; a leading "_" hides it (dropout's mask).  NULL: one,
                               * "output" — or output0, output1 … if arity gives several */
  guint32            mutates; /* bit i: input i is state that forward writes (running mean) */
  guint32            constant_inputs; /* bit i: input i never gets a gradient (indices, labels) */
  /* Bit i: output 0 is a sum over the slowest axis of these inputs, so that a loop
   * may collect their rows and compute it once (gradients of weights). */
  guint32 row_sum_inputs;
  /* Bit i: a row (index of the slowest axis) of output 0 depends on the same row of these
   * inputs alone, and on all of the others: rows of several calls may be one call. */
  guint32         rowwise_inputs;
  const HybParam *params; /* ends with an empty entry; NULL: none */
  gsize           params_size;
  /* NULL: as many as named. */
  void (*arity) (gconstpointer params, guint *n_inputs, guint *n_outputs);
  /* How many of the outputs a user sees, the first ones; NULL: those without "_". */
  guint (*n_visible) (gconstpointer params);
  /* How many outputs MXNet's files count (node_row_ptr), where that is another number;
   * NULL: all. */
  guint (*n_stored) (gconstpointer params);
  /* What one attribute cannot say alone (two that contradict each other).  NULL: nothing. */
  gboolean (*check) (gconstpointer params, GError **error);
  guint n_bodies; /* subgraphs a node of this kind owns */
  /* Which input of the node feeds variable number `variable` (in node order) of body
   * number `body` when it is entered; G_MAXUINT: none.  Required with n_bodies. */
  guint (*body_variable) (gconstpointer params, guint n_inputs, guint body, guint variable);

  /* What pictures and converters need to know of bodies.  NULL: no bodies. */
  const char *const *bodies; /* their names, as many as n_bodies */
  HybPortKind (*body_port) (gconstpointer params, guint n_inputs, guint body, guint variable);
  /* The variable that takes this head of the body in the next step; G_MAXUINT: none. */
  guint (*body_next) (gconstpointer params, guint body, guint head);
  /* The output of the node that this head of the body becomes; G_MAXUINT: none. */
  guint (*body_result) (gconstpointer params, guint body, guint head);

  /* Types.  Fill what can be known, in either direction, and leave the rest
   * unknown; the pass calls again until nothing changes.  FALSE only for a
   * contradiction.  infer_dtype NULL: all inputs and outputs have one dtype. */
  gboolean (*infer_shape) (HybCall *call, GError **error);
  gboolean (*infer_dtype) (HybCall *call, GError **error);

  /* The dtypes that forward computes in.  Others are converted around it by the
   * executor: half floats to float32, integers to float64 (float32 where that
   * is all there is).  0: HYB_DTYPES_F32. */
  guint32 dtypes;

  /* Computation on the CPU.  Types are final and memory is planned, so it cannot
   * fail.  workspace NULL: needs none. */
  void (*forward) (const HybCall *call, const HybRun *run);
  gsize (*workspace) (const HybCall *call);

  /* Output as a part of an input, without computing: TRUE if output number
   * `output` is input number *input, contiguous, from byte *offset on (reshapes,
   * slices of the slowest axis).  forward must work all the same.  NULL: never. */
  gboolean (*view) (const HybCall *call, guint output, guint *input, gsize *offset);

  /* Once per plan, after types are known and before workspace is asked: what
   * forward will want ready (bodies planned, tables filled); put it into
   * call->prepared.  May fail: this is where a body that cannot run is found. */
  gboolean (*prepare) (HybCall *call, GError **error);
  void (*release) (HybCall *call);
  /* What prepare() has decided, in a few words for the printed plan; NULL: nothing. */
  const char *(*note) (const HybCall *call);

  /* Operators whose output types show only while running (boolean_mask, a
   * while_loop that grows its state): used instead of forward when types stay
   * unknown though all inputs are known.  (transfer full) tensors in outputs. */
  /* TRUE: also where all types are known, as the values may be refused.  NULL: no. */
  gboolean (*checks_values) (gconstpointer params);
  gboolean (*compute) (HybCall          *call,
                       const HybRun     *run,
                       HybTensor *const *inputs,
                       HybTensor       **outputs,
                       GError          **error);

  /* The GPU twin is engine/cuda/ops/<same file name>, bound by name when the
   * CUDA module loads; test-cuda-table checks that this field tells the truth. */
  HybGpuPath gpu;

  /* Gradient, as new nodes: what autograd adds is an ordinary graph that can be
   * drawn, planned and timed.  NULL with no HYB_OP_NO_GRADIENT: asking is an error. */
  void (*gradient) (HybGrad *grad);
  /* The operator that stands in for this one when its gradient will be asked: same
   * inputs, attributes and first outputs, and further hidden outputs that keep
   * what the gradient needs (gates of an RNN, states of a loop).  NULL: itself. */
  const char *recording;
  /* An operator that computes a gradient: whose it is, and what each of its inputs is of
   * that operator's use: “g0” a gradient of output 0, “i1” input 1, “o2” output 2, “i*”
   * all inputs, “g*” a gradient of every visible output, “last” the last output, “-”
   * nothing of it; behind “>” the same of outputs.  Both have one params table (or
   * infer_shape there needs none).  hyb_call_infer() then asks infer_shape there too, so
   * that data and gradients cannot contradict each other.  NULL: infer_shape sees to it. */
  const char *gradient_of;
  const char *operands;

  /* Work done, for the roofline.  NULL: one operation per output element, every
   * input read once, every output written once. */
  void (*cost) (const HybCall *call, HybCost *cost);
};

const HybOp *hyb_op_find (const char *name); /* by name or alias; NULL: unknown */
/* All of them, aliases aside, in the order of op-list.h. */
const HybOp *const *hyb_op_list (guint *n_ops);

/* Whether compute() is what runs, whatever is known of the types. */
gboolean hyb_op_needs_compute (const HybOp *op, gconstpointer params);

/* Names of the operands of one use; (transfer full) where numbered. */
char *hyb_op_dup_input_name (const HybOp *op, guint index, guint n_inputs);
char *hyb_op_dup_output_name (const HybOp *op, guint index, guint n_outputs);
guint hyb_op_n_visible (const HybOp *op, gconstpointer params, guint n_outputs);
/* How many outputs decide whether a name has a number: hidden ones too, as in MXNet, but
 * not what our loops and branches keep for themselves. */
guint hyb_op_n_numbered (const HybOp *op, gconstpointer params, guint n_outputs);
void  hyb_op_arity (const HybOp *op, gconstpointer params, guint *n_inputs, guint *n_outputs);

G_END_DECLS
