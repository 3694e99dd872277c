/* block.h — Gluon's Block and HybridBlock in C: parameters, children, names, hybridizing, export.
 *
 * A block is an instance of a class (HybBlockClass, a constant struct).  The class's forward
 * function takes a HybF and an input, which is an array or a list, and returns an array or a
 * list.  Blocks are reference counted.  layers.h has ready-made ones; resources/gallery has whole
 * models.  Start at hyb_block_new() and hyb_call().
 *
 * Threads: any number may call one block at the same time for inference, each with a HybF of its own, as
 * hyb_block_predict() does; hybridized blocks run one call after the other.  Everything that changes a block
 * (initialising, hybridizing, loading, training, adding children) needs the block for itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/block/trace.h"
#include "engine/graph/model.h"

G_BEGIN_DECLS

typedef struct _HybBlock     HybBlock;     /* a layer or a network */
typedef struct _HybParameter HybParameter; /* a named array of a block */

/* Members that are left NULL have the default that their comment gives. */
typedef struct
{
  const char *name;         /* such as "Dense"; automatic prefixes are this in lower case */
  gsize       size;         /* of the instance struct, whose first member is a HybBlock */
  gboolean    plain;        /* a Block, not a HybridBlock: runs only imperatively */
  gboolean    keeps_single; /* its parameters stay float32 when the model is cast to float16 */
  HybValue *(*forward) (HybF *F, HybBlock *block, HybValue *input);
  /* Completes the input before the block's name scope is entered, such as with begin states.
   * Default: the input stays as it is. */
  HybValue *(*before) (HybF *F, HybBlock *block, HybValue *input);
  /* Frees the instance's own data.  Default: it has none. */
  void (*finish) (HybBlock *block);
} HybBlockClass;

/* The treatment of a parameter's gradient in a backward pass. */
typedef enum
{
  HYB_GRAD_WRITE, /* replaces the old gradient */
  HYB_GRAD_ADD,   /* adds to the old gradient */
  HYB_GRAD_NULL,  /* computes no gradient */
} HybGradRequest;
/* The first member of the struct of every block. */
struct _HybBlock
{
  const HybBlockClass     *klass;
  struct _HybBlockPrivate *priv;
};

/* A new block.  prefix NULL: the class name, a number and "_", counted in the scope that is open,
 * or globally if none is; "": no prefix and no scope of its own.  (transfer full) */
HYB_API HybBlock *hyb_block_new (const HybBlockClass *klass, const char *prefix);
/* Like hyb_block_new(), but parameters that shared has already are used instead of new ones
 * (Gluon's params=).  shared may be NULL. */
HYB_API HybBlock *
hyb_block_new_shared (const HybBlockClass *klass, const char *prefix, HybBlock *shared);
/* Like hyb_block_new_shared(), but automatic prefixes are made of alias instead of the class
 * name, if it is not NULL. */
HYB_API HybBlock *hyb_block_new_full (const HybBlockClass *klass,
                                      const char          *alias,
                                      const char          *prefix,
                                      HybBlock            *shared);
/* Adds a reference and returns block. */
HYB_API HybBlock *hyb_block_ref (HybBlock *block);
/* Drops a reference; NULL is allowed. */
HYB_API void hyb_block_unref (HybBlock *block);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybBlock, hyb_block_unref)
/* The full prefix of the block's nodes, such as "net0_dense0_". */
HYB_API const char *hyb_block_get_prefix (HybBlock *block);
/* The prefix without the last "_"; the class name if the prefix is empty. */
HYB_API const char *hyb_block_get_name (HybBlock *block);

/* Opens the block's name scope ("with block.name_scope()"): prefixes of blocks that are created
 * in it start with the block's own. */
HYB_API void hyb_block_enter_scope (HybBlock *block);
/* Returns to the scope that was open before hyb_block_enter_scope(). */
HYB_API void hyb_block_leave_scope (HybBlock *block);
/* Resets the counters of automatic prefixes of this thread, as a new Python process would. */
HYB_API void hyb_names_reset (void);

/* Adds a child and takes over the caller's reference.  name: its name in files of parameters;
 * NULL: its number.  Returns child.  NULL and a critical message if either is NULL. */
HYB_API HybBlock *hyb_block_add_child (HybBlock *block, HybBlock *child, const char *name);
/* The number of children. */
HYB_API guint hyb_block_n_children (HybBlock *block);
/* A child, which the block owns. */
HYB_API HybBlock *hyb_block_get_child (HybBlock *block, guint index);

/* --- Parameters --- */
/* The description of a parameter for hyb_block_add_parameter(). */
typedef struct
{
  const char *name;  /* after the block's prefix */
  HybShape    shape; /* with unknown dimensions, the first input decides */
  HybDType    dtype;
  /* "zeros", "ones", "uniform", "normal", "xavier", "lstmbias" … or MXNet's JSON; NULL: the one
   * given to hyb_block_initialize() */
  const char    *init;
  HybGradRequest request;
  gboolean       allow_deferred; /* FALSE: initialising fails while the shape is unknown */
  gboolean       is_auxiliary;   /* state without a gradient, such as a running mean */
  gboolean       is_bare;        /* its variable has no attribute except __init__, as in mx.rnn */
} HybParameterSpec;

/* Adds a parameter, which the block owns; returns the one of the same name that the block shares
 * with another block, if there is one. */
HYB_API HybParameter *hyb_block_add_parameter (HybBlock *block, const HybParameterSpec *spec);
/* Adds a parameter with fixed contents and no gradient (gluon.Constant). */
HYB_API HybParameter *hyb_block_add_constant (HybBlock *block, const char *name, HybTensor *tensor);
/* Converts the parameters of the block and of all blocks below it.  With HYB_F16, parameters of
 * blocks that keep single precision (BatchNorm) become float32. */
HYB_API void hyb_block_cast (HybBlock *block, HybDType dtype);
/* Inside a forward function: the parameter's array, or its variable while tracing. */
HYB_API HybValue *hyb_use (HybF *F, HybParameter *parameter);
/* The full name, with the block's prefix. */
HYB_API const char *hyb_parameter_get_name (HybParameter *parameter);
/* The contents, owned by the parameter; NULL and an error if it is not initialised yet. */
HYB_API HybTensor *hyb_parameter_get_data (HybParameter *parameter, GError **error);
/* Replaces the contents, and the dtype with them; fails if the shapes contradict each other. */
HYB_API gboolean hyb_parameter_set_data (HybParameter *parameter,
                                         HybTensor    *tensor,
                                         GError      **error);
/* The treatment of the gradient in a backward pass. */
HYB_API HybGradRequest hyb_parameter_get_request (HybParameter *parameter);
/* Sets the treatment of the gradient in a backward pass. */
HYB_API void hyb_parameter_set_request (HybParameter *parameter, HybGradRequest request);
/* The shape, with unknown dimensions until the first input has decided them. */
HYB_API const HybShape *hyb_parameter_get_shape (HybParameter *parameter);
/* TRUE for state without a gradient, which files store under "aux:". */
HYB_API gboolean hyb_parameter_is_auxiliary (HybParameter *parameter);
/* The factor of the learning rate (__lr_mult__); 1 unless set. */
HYB_API double hyb_parameter_get_lr_mult (HybParameter *parameter);
/* The factor of the weight decay (__wd_mult__); 1 unless set. */
HYB_API double hyb_parameter_get_wd_mult (HybParameter *parameter);
/* Sets both factors, which traced variables carry as attributes. */
HYB_API void hyb_parameter_set_mults (HybParameter *parameter, double lr_mult, double wd_mult);

/* The parameters of the block and of all blocks below it, each once and in Gluon's order; of
 * HybParameter, owned by their blocks.  (transfer container) */
HYB_API GPtrArray *hyb_block_collect_parameters (HybBlock *block);
/* Sets all parameters to initial values.  init: for parameters without an initialiser of their
 * own, written as in HybParameterSpec; NULL: "uniform".  Equal seeds give equal values.  A
 * failure is reported when the parameter is used. */
HYB_API void hyb_block_initialize (HybBlock *block, const char *init, guint64 seed);

/* Makes backward passes of tape compute the gradients that the parameters of the block and of all
 * blocks below it request.  Fails if a parameter has no contents yet. */
HYB_API gboolean hyb_block_attach_gradients (HybBlock *block, HybTape *tape, GError **error);
/* The gradient that the last backward pass of tape gave the parameter; NULL if there is none yet.
 * (transfer none) */
HYB_API HybTensor *hyb_parameter_get_gradient (HybParameter *parameter, HybTape *tape);

/* --- Calling --- */

/* Calls the block inside a forward function, or from outside; errors go to F. */
HYB_API HybValue *hyb_call (HybF *F, HybBlock *block, HybValue *input);
/* Calls the block with the list of the arguments up to NULL. */
HYB_API HybValue *hyb_call_list (HybF *F, HybBlock *block, ...) G_GNUC_NULL_TERMINATED;

/* Calls the block on one array in inference mode and returns its output.  NULL and an error if that
 * fails or if the block has several outputs, which hyb_call() returns.  (transfer full) */
HYB_API HybTensor *hyb_block_predict (HybBlock *block, HybTensor *input, GError **error);
/* The same for a block that takes several arrays, or returns several: the outputs from left to right, of HybTensor.  Inputs that
 * are nested go through hyb_call().  (transfer full) */
HYB_API GPtrArray *
hyb_block_predict_all (HybBlock *block, guint n, HybTensor *const *inputs, GError **error);
/* How a hybridized block runs its graph. */
typedef struct
{
  gboolean static_alloc; /* memory is planned once and reused by every run */
  gboolean static_shape; /* needs static_alloc */
} HybHybridize;

/* Switches the block and all blocks below it between cached graphs and imperative calls.  how may
 * be NULL.  Fails if a plain block is below a hybrid one. */
HYB_API gboolean hyb_block_hybridize (HybBlock           *block,
                                      gboolean            active,
                                      const HybHybridize *how,
                                      GError            **error);
/* How often the forward function was called.  Of a hybridized block this counts traces: one for
 * each structure of inputs. */
HYB_API guint64 hyb_block_n_forward_calls (HybBlock *block);

/* Traces the block.  structure: how its inputs are nested (hyb_value_structure()); the variables
 * are called "data", or "data0", "data1" … if there are several.  (transfer full) */
HYB_API HybGraph *hyb_block_trace (HybBlock   *block,
                                   guint       n_inputs,
                                   const char *structure,
                                   gboolean    training,
                                   GError    **error);

/* --- Files --- */

/* The graph of the last trace and the parameters it uses; fails unless the block is hybridized
 * and has run.  (transfer full) */
HYB_API HybModel *hyb_block_to_model (HybBlock *block, GError **error);
/* Writes the model of hyb_block_to_model() as PREFIX-symbol.json and PREFIX-NNNN.params. */
HYB_API gboolean hyb_block_export (HybBlock   *block,
                                   const char *prefix,
                                   guint       epoch,
                                   GError    **error);
/* Writes all parameters under names that follow the children, such as "encoder.0.weight". */
HYB_API gboolean hyb_block_save_parameters (HybBlock *block, const char *file, GError **error);
/* Reads parameters that hyb_block_save_parameters() or an export wrote; fails if one is missing. */
HYB_API gboolean hyb_block_load_parameters (HybBlock *block, const char *file, GError **error);
/* A loaded model as a block (gluon.SymbolBlock).  input_names: NULL-terminated, the variables
 * that calls supply; all others must be among the model's parameters.  (transfer full) */
HYB_API HybBlock *
hyb_symbol_block_new (HybModel *model, const char *const *input_names, GError **error);

/* Runs the block on input and returns a table: each layer's name, output shape and number of
 * parameters.  (transfer full) */
HYB_API char *hyb_block_summary (HybBlock *block, HybF *F, HybValue *input);

G_END_DECLS
