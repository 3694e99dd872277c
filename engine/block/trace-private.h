/* trace-private.h — the inside of F and its values.
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
  HybValue **items;
  HybTensor *tensor; /* when running at once */
  HybValueId id;     /* when tracing */
};

#define HYB_VALUES_PER_BLOCK 64

/* One level of names: with block.name_scope(). */
typedef struct
{
  char       *prefix;
  GHashTable *counters; /* hint → how often it was used */
} NameScope;

/* An outer value that a traced body reads: it becomes a variable of the body. */
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
  guint32       n_calls;
  GPtrArray    *values; /* blocks of HybValue: one that is made costs no allocation */
  guint         n_values;
  GStringChunk *text;
  GError       *error;
  HybTape      *tape;
  GArray       *scopes; /* of NameScope */
  GPtrArray    *path;   /* of char * */
  GPtrArray    *inputs; /* of HybValue: room for those of a call; NULL while a call has it */
  const char   *attribute_key, *attribute_value;

  /* Tracing only. */
  HybBuilder *builder;
  GHashTable *variables; /* name → HybValue */
  HybF       *parent;    /* of a body: where captured values come from */
  GArray     *captures;  /* of Capture, in order of first use */
};

/* (transfer full): kept with the block path if it is the first, dropped if not. */
void hyb_f_keep_error (HybF *F, GError *error);
/* Computes at once; the tape, if there is one, hears of it. */
gboolean  hyb_f_compute (HybF            *F,
                         const HybOp     *op,
                         const HybOpCall *call,
                         gpointer         params,
                         GPtrArray       *arrays,
                         HybTensor      **outputs,
                         GError         **error);
HybValue *hyb_value_new (HybF *F);
HybValue *hyb_value_new_failed (HybF *F);
HybValue *hyb_value_new_traced (HybF *F, HybValueId id);
/* The value as one of F's own: itself, or the variable that stands for an outer one. */
HybValue *hyb_value_enter (HybF *F, HybValue *value);
/* How many bodies were called so before: numbers them. */
guint hyb_names_count_subgraph (const char *name);
void  hyb_names_reset_subgraphs (void);
void  hyb_names_init (HybF *F);
void  hyb_names_clear (HybF *F);
