/* trace-private.h — the structs behind HybF and HybValue, and functions between their files.
 *
 * Calls go one way: trace-graph.c, symbol.c → trace.c → value.c, names.c → trace-error.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/trace.h"
#include "engine/graph/builder.h"

struct _HybValue
{
  HybF      *F;
  gboolean   failed;
  gboolean   is_list;
  guint      n_items; /* of a list */
  HybValue **items;   /* of a list */
  HybTensor *tensor;  /* of an array, if F computes */
  HybValueId id;      /* of an array, if F traces */
};

#define HYB_VALUES_PER_BLOCK 64

/* A scope of names: hyb_f_push_scope(). */
typedef struct
{
  char       *prefix;
  GHashTable *counters; /* hint → how many names were made of it */
} NameScope;

/* A value of the surrounding graph that a traced body uses.  It is a variable of the body. */
typedef struct
{
  HybValue *outer;
  HybValue *inner;
} Capture;

struct _HybF
{
  gboolean      tracing;
  gboolean      training;
  guint64       seed;
  guint32       n_calls;  /* operators computed; key of the random numbers of the next one */
  GPtrArray    *values;   /* arrays of HYB_VALUES_PER_BLOCK values, to allocate less often */
  guint         n_values; /* values in use */
  GStringChunk *text;     /* strings that live as long as F */
  GError       *error;    /* the first one, or NULL */
  HybTape      *tape;     /* records the computation; NULL: no recording */
  GArray       *scopes;   /* of NameScope, innermost last */
  GPtrArray    *path;     /* of char *: blocks being called, innermost last */
  GPtrArray    *inputs;   /* scratch array for the inputs of a call; NULL while one uses it */
  GHashTable   *memory;   /* owner → its memory (hyb_f_get_memory()); NULL: nothing */
  const char   *attribute_key, *attribute_value; /* put on every new node; NULL: nothing */

  /* Only while tracing. */
  HybBuilder *builder;
  GHashTable *variables; /* name → HybValue */
  HybF       *parent;    /* of the F that traces a body: the F of the surrounding graph */
  GArray     *captures;  /* of Capture, in order of first use */
};

/* An operator with parsed attributes and the values of its inputs. */
typedef struct
{
  const HybOp     *op;
  gconstpointer    params;
  HybGraph *const *bodies;
  GPtrArray       *arrays;      /* of HybValue, all of them computed arrays */
  gboolean         has_scalars; /* as in HybImperativeCall */
} OperatorCall;

/* --- trace.c --- */

/* Memory of owner, such as a cell, between its calls in this F: size bytes, zeros at first, the same at each call,
 * freed with F.  Unlike members of owner, only one thread uses it. */
gpointer hyb_f_get_memory (HybF *F, gconstpointer owner, gsize size);

/* --- trace-error.c --- */

/* Keeps error, with the path of blocks before its message, if it is the first one of F; frees it
 * otherwise.  (transfer full) */
void hyb_f_keep_error (HybF *F, GError *error);

/* --- names.c --- */

/* Opens the outermost scope of a new F. */
void hyb_names_init (HybF *F);
/* Frees all scopes. */
void hyb_names_clear (HybF *F);
/* How many bodies were traced under this name in this thread; counts this one. */
guint hyb_names_count_subgraph (const char *name);
/* Resets the counters of hyb_names_count_subgraph() in this thread. */
void hyb_names_reset_subgraphs (void);

/* --- value.c --- */

/* A value without contents; the caller sets tensor, id or items. */
HybValue *hyb_value_new (HybF *F);
/* A failed value. */
HybValue *hyb_value_new_failed (HybF *F);
/* The value that a function of the user returned; a failed one, and an error, if it is NULL.  what: the function. */
HybValue *hyb_value_or_fail (HybF *F, HybValue *value, const char *what);
/* A traced array. */
HybValue *hyb_value_new_traced (HybF *F, HybValueId id);
/* Makes a value usable in F: returns value itself if it belongs to F, or the variable of the
 * body that captures a value of the surrounding graph. */
HybValue *hyb_value_import (HybF *F, HybValue *value);

/* --- trace.c --- */

/* Computes the outputs of an operator (transfer full), on the tape if there is one. */
gboolean hyb_f_compute (HybF *F, const OperatorCall *call, HybTensor **outputs, GError **error);
