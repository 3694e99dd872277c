/* block.h — Gluon's Block and HybridBlock in C: parameters, children, names,
 * hybridize, export.
 *
 * A block is a class (const struct) and an instance.  The class's forward gets F
 * and an input (an array or a list) and gives an array or a list.  See layers.h
 * for ready-made ones, and resources/gallery for whole models.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/trace.h"
#include "engine/graph/model.h"

G_BEGIN_DECLS

typedef struct _HybBlock     HybBlock;
typedef struct _HybParameter HybParameter;

typedef struct
{
  const char *name;         /* "Dense": prefixes are its lower case and a number */
  gsize       size;         /* of the instance, which begins with a HybBlock */
  gboolean    plain;        /* a Block, not a HybridBlock: only ever run at once */
  gboolean    keeps_single; /* its parameters stay float32 when the model is cast to float16 */
  HybValue *(*forward) (HybF *F, HybBlock *block, HybValue *input);
  /* Completes the input outside the block's name scope (begin states); NULL: nothing. */
  HybValue *(*before) (HybF *F, HybBlock *block, HybValue *input);
  void (*finish) (HybBlock *block); /* frees what the instance owns; NULL: nothing */
  /* Extra text in the summary and repr; (transfer full); NULL: none. */
  char *(*describe) (HybBlock *block);
} HybBlockClass;

typedef enum
{
  HYB_GRAD_WRITE,
  HYB_GRAD_ADD,
  HYB_GRAD_NULL,
} HybGradRequest;

struct _HybBlock
{
  const HybBlockClass     *klass;
  struct _HybBlockPrivate *priv;
};

/* prefix NULL: class name, number, "_", in the scope that is open (or globally);
 * "": no prefix and no scope. */
HybBlock *hyb_block_new (const HybBlockClass *klass, const char *prefix);
/* Parameters are looked up in (and added to) those of shared: Gluon's params=. */
HybBlock *hyb_block_new_shared (const HybBlockClass *klass, const char *prefix, HybBlock *shared);
/* alias: what automatic prefixes are made of instead of the class name; NULL: that. */
HybBlock *hyb_block_new_full (const HybBlockClass *klass,
                              const char          *alias,
                              const char          *prefix,
                              HybBlock            *shared);
HybBlock *hyb_block_ref (HybBlock *block);
void      hyb_block_unref (HybBlock *block);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybBlock, hyb_block_unref)
const char *hyb_block_get_prefix (HybBlock *block);
const char *hyb_block_get_name (HybBlock *block); /* prefix without the last "_" */

/* with block.name_scope(): blocks made in between get the block's prefix. */
void hyb_block_enter_scope (HybBlock *block);
void hyb_block_leave_scope (HybBlock *block);
/* Starts the process-wide counters of automatic prefixes anew (a fresh Python). */
void hyb_names_reset (void);

/* Children, (transfer full): the parent keeps it.  name NULL: its number.  Returns child. */
HybBlock *hyb_block_add_child (HybBlock *block, HybBlock *child, const char *name);
guint     hyb_block_n_children (HybBlock *block);
HybBlock *hyb_block_get_child (HybBlock *block, guint index);

/* --- Parameters --- */

typedef struct
{
  const char *name;  /* below the prefix */
  HybShape    shape; /* unknown dims: deferred */
  HybDType    dtype;
  const char *
      init; /* "zeros", "ones", "uniform", "normal", "xavier", "lstmbias", or JSON; NULL: the block's */
  HybGradRequest request;
  gboolean       allow_deferred;
  gboolean       is_auxiliary; /* not differentiable: running mean */
  gboolean       is_bare;      /* its variable carries no attributes but __init__, as in mx.rnn */
} HybParameterSpec;

HybParameter *hyb_block_add_parameter (HybBlock *block, const HybParameterSpec *spec);
/* A parameter with these numbers and no gradient: gluon.Constant. */
HybParameter *hyb_block_add_constant (HybBlock *block, const char *name, HybTensor *tensor);
/* Parameters of the block and all below get this type; those of BatchNorm stay in single
 * precision when it is half. */
void hyb_block_cast (HybBlock *block, HybDType dtype);
/* In forward: the array, or the variable while tracing. */
HybValue       *hyb_use (HybF *F, HybParameter *parameter);
const char     *hyb_parameter_get_name (HybParameter *parameter);
HybTensor      *hyb_parameter_get_data (HybParameter *parameter, GError **error);
gboolean        hyb_parameter_set_data (HybParameter *parameter, HybTensor *tensor, GError **error);
HybTensor      *hyb_parameter_get_gradient (HybParameter *parameter); /* NULL: none yet */
void            hyb_parameter_set_gradient (HybParameter *parameter, HybTensor *tensor);
HybGradRequest  hyb_parameter_get_request (HybParameter *parameter);
void            hyb_parameter_set_request (HybParameter *parameter, HybGradRequest request);
const HybShape *hyb_parameter_get_shape (HybParameter *parameter);
gboolean        hyb_parameter_is_auxiliary (HybParameter *parameter);
double          hyb_parameter_get_lr_mult (HybParameter *parameter);
double          hyb_parameter_get_wd_mult (HybParameter *parameter);
void            hyb_parameter_set_mults (HybParameter *parameter, double lr_mult, double wd_mult);

/* Own and children's, each once, in Gluon's order; (transfer container). */
GPtrArray *hyb_block_collect_parameters (HybBlock *block);
/* init: as in HybParameterSpec; seeded so that equal models get equal weights. */
void hyb_block_initialize (HybBlock *block, const char *init, guint64 seed);

/* --- Calling --- */

/* Inside forward functions: mistakes go to F. */
HybValue *hyb_call (HybF *F, HybBlock *block, HybValue *input);
HybValue *
hyb_call_list (HybF *F, HybBlock *block, ...) G_GNUC_NULL_TERMINATED; /* several arguments */

typedef struct
{
  gboolean static_alloc;
  gboolean static_shape; /* needs static_alloc */
} HybHybridize;

gboolean
hyb_block_hybridize (HybBlock *block, gboolean active, const HybHybridize *how, GError **error);
/* How often the C function was called: once per input signature when hybridized. */
guint64 hyb_block_n_forward_calls (HybBlock *block);

/* The graph for inputs that nest like input ("data", or "data0", "data1" …); types
 * may be NULL.  (transfer full) */
HybGraph *hyb_block_trace (HybBlock   *block,
                           guint       n_inputs,
                           const char *structure,
                           gboolean    training,
                           GError    **error);

/* Graph and parameters as a model / as an MXNet pair PREFIX-symbol.json, PREFIX-%04d.params. */
HybModel *hyb_block_to_model (HybBlock *block, GError **error);
gboolean  hyb_block_export (HybBlock *block, const char *prefix, guint epoch, GError **error);
gboolean  hyb_block_save_parameters (HybBlock *block, const char *file, GError **error);
gboolean  hyb_block_load_parameters (HybBlock *block, const char *file, GError **error);
/* SymbolBlock: a loaded graph as a block; input_names NULL-terminated. */
HybBlock *hyb_symbol_block_new (HybModel *model, const char *const *input_names, GError **error);

/* Layer by layer: name, output shape, parameters.  (transfer full) */
char *hyb_block_summary (HybBlock *block, HybF *F, HybValue *input);

G_END_DECLS
