/* block-private.h — the inside of blocks and parameters.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"
#include "engine/exec/executor.h"

struct _HybParameter
{
  gint           references;
  char          *name;
  HybShape       shape;
  HybDType       dtype;
  char          *init;
  HybGradRequest request;
  gboolean       allow_deferred;
  gboolean       is_auxiliary;
  gboolean       is_bare;
  gboolean       is_constant; /* initialising leaves it alone */
  double         lr_mult, wd_mult;
  HybTensor     *data;
  HybTensor     *gradient;
  char          *trouble;    /* why initialising failed; NULL: it did not */
  gboolean       is_pending; /* initialise as soon as the shape is known */
  char          *pending_init;
  guint64        pending_seed;
  guint          generation; /* counts new arrays, so that a cached graph binds again */
};

/* What hybridizing keeps for one way in which inputs nest. */
typedef struct
{
  char        *structure;
  HybF        *trace; /* owns result, whose nesting outputs follow */
  HybValue    *result;
  HybGraph    *graph;
  HybExecutor *executor[2]; /* inference, training */
} CachedGraph;

typedef struct _HybBlockPrivate HybBlockPrivate;

struct _HybBlockPrivate
{
  gint         references;
  char        *prefix;           /* of nodes */
  char        *parameter_prefix; /* of parameters: another one when they are shared */
  gboolean     has_scope;        /* FALSE: prefix "" and no scope of its own */
  GHashTable  *counters;         /* class name → how many children were named so */
  HybBlock    *outer;            /* while the scope is open: the one around it */
  HybBlock    *shared;           /* whose parameters are taken over; may be NULL */
  GPtrArray   *children;         /* of HybBlock */
  GPtrArray   *child_names;      /* of char * */
  GPtrArray   *parameters;       /* own, of HybParameter */
  gboolean     is_active;        /* hybridized */
  HybHybridize how;
  guint64      n_forward_calls;
  char        *last_output;  /* type of what the last imperative call gave, for the summary */
  GPtrArray   *cached;       /* of CachedGraph */
  GHashTable  *fingerprints; /* nesting of inputs → what the first trace computed */
};

/* The block's parameters beside a graph traced from it. */
HybModel *hyb_block_model_of_graph (HybBlock *block, HybGraph *graph, GError **error);

HybParameter *hyb_parameter_new (const char *name, const HybParameterSpec *spec);
HybParameter *hyb_parameter_ref (HybParameter *parameter);
void          hyb_parameter_unref (HybParameter *parameter);
gboolean      hyb_parameter_is_deferred (const HybParameter *parameter);
/* Learns dims; allocates and fills when it was waiting for them. */
gboolean hyb_parameter_set_shape (HybParameter *parameter, const HybShape *shape, GError **error);
gboolean
hyb_parameter_fill (HybParameter *parameter, const char *init, guint64 seed, GError **error);

/* Runs the block's own forward in its name scope. */
HybValue *hyb_block_run_forward (HybF *F, HybBlock *block, HybValue *input);
/* The cached form of a call: traces at the first call of a structure. */
HybValue *hyb_block_call_cached (HybF *F, HybBlock *block, HybValue *input);
void      hyb_block_drop_cached (HybBlock *block);
/* Shapes of parameters from the types of these inputs; a mistake if that is impossible. */
gboolean
hyb_block_infer_parameters (HybBlock *block, HybGraph *graph, GPtrArray *inputs, GError **error);
gboolean hyb_block_infer_parameters_typed (HybBlock      *block,
                                           HybGraph      *graph,
                                           guint          n_inputs,
                                           const HybType *inputs,
                                           GError       **error);
