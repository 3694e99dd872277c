/* block-private.h — the structs behind blocks and parameters, and functions between their files.
 *
 * Calls go one way: call.c → cached.c → block-parameters.c → block.c → parameter.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"
#include "engine/exec/executor.h"

struct _HybParameter
{
  gint           references;
  char          *name;
  HybShape       shape; /* unknown dimensions until the first input has decided them */
  HybDType       dtype;
  char          *init; /* initialiser; NULL: chosen by the name */
  HybGradRequest request;
  gboolean       allow_deferred;
  gboolean       is_auxiliary;
  gboolean       is_bare;     /* its variable has no attribute except __init__ */
  gboolean       is_constant; /* initialising does not change it */
  double         lr_mult, wd_mult;
  HybTensor     *data;
  char          *trouble;    /* why initialising failed, or NULL */
  gboolean       is_pending; /* to be initialised as soon as the shape is known … */
  char          *pending_init;
  guint64        pending_seed; /* … with this fallback initialiser and this seed */
};

/* The graph of a hybridized block for one structure of inputs. */
typedef struct
{
  char        *structure; /* how the inputs are nested */
  HybF        *trace;     /* owns result */
  HybValue    *result;    /* outputs are nested like this */
  HybGraph    *graph;
  HybExecutor *executor[2]; /* for inference and training; NULL until needed */
} CachedGraph;

typedef struct _HybBlockPrivate HybBlockPrivate;

struct _HybBlockPrivate
{
  gint         references;
  gint         n_parents; /* how many of these belong to blocks that this one is a child of */
  GRecMutex    lock;      /* held while a call uses or changes the members below */
  char        *prefix;    /* of nodes */
  char        *parameter_prefix; /* of parameters; differs from prefix if they are shared */
  gboolean     has_scope;        /* FALSE if it was created with the prefix "" */
  GHashTable  *counters;         /* class name → number of automatic prefixes made of it */
  HybBlock    *outer;            /* while the scope is open: the block whose scope surrounds it */
  HybBlock    *shared;           /* block whose parameters are used, or NULL */
  GPtrArray   *children;         /* of HybBlock */
  GPtrArray   *child_names;      /* of char * */
  GPtrArray   *parameters;       /* its own, of HybParameter */
  gboolean     is_active;        /* hybridized */
  HybHybridize how;
  guint64      n_forward_calls;
  char        *last_output;  /* shape of the first output of the last imperative call, or NULL */
  GPtrArray   *cached;       /* of CachedGraph */
  GHashTable  *fingerprints; /* structure of inputs → fingerprint of its first trace */
};

/* --- parameter.c --- */

/* A parameter called name; the name in spec is not used.  (transfer full) */
HybParameter *hyb_parameter_new (const char *name, const HybParameterSpec *spec);
/* The entry of parameters (of HybParameter) with this full name, or NULL. */
HybParameter *hyb_parameters_find (GPtrArray *parameters, const char *name);
/* Adds a reference and returns parameter. */
HybParameter *hyb_parameter_ref (HybParameter *parameter);
/* Drops a reference. */
void hyb_parameter_unref (HybParameter *parameter);
/* TRUE if initialising waits for unknown dimensions. */
gboolean hyb_parameter_is_deferred (const HybParameter *parameter);
/* Fills in unknown dimensions and initialises the parameter if it waited for them; fails if the
 * shapes contradict each other. */
gboolean hyb_parameter_set_shape (HybParameter *parameter, const HybShape *shape, GError **error);
/* Initialises the parameter, or postpones that until its shape is known.  init: the initialiser
 * for parameters that have none of their own, or NULL. */
gboolean
hyb_parameter_fill (HybParameter *parameter, const char *init, guint64 seed, GError **error);

/* --- block.c --- */

/* Calls the class's forward function in the block's name scope. */
HybValue *hyb_block_run_forward (HybF *F, HybBlock *block, HybValue *input);
/* Frees all cached graphs of the block, but not of its children. */
void hyb_block_drop_cached (HybBlock *block);
/* Frees one cached graph, complete or not. */
void hyb_cached_graph_free (CachedGraph *cached);

/* --- cached.c --- */

/* Runs the block's cached graph for the structure of input; traces it on first use. */
HybValue *hyb_block_call_cached (HybF *F, HybBlock *block, HybValue *input);
/* Infers the unknown shapes of parameters from a graph of the block and arrays (of HybValue) for
 * its inputs. */
gboolean
hyb_block_infer_parameters (HybBlock *block, HybGraph *graph, GPtrArray *inputs, GError **error);
/* The same from types for its inputs. */
gboolean hyb_block_infer_parameters_typed (HybBlock      *block,
                                           HybGraph      *graph,
                                           guint          n_inputs,
                                           const HybType *inputs,
                                           GError       **error);
