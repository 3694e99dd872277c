/* plugin.h — models in shared modules: what such a module exports, and loading one.
 *
 * A module exports one table of models (HYB_PLUGIN, or HYB_MODEL for a single one).
 * Each says its options, how its inputs look, how to build its block, and what it can
 * be trained on; the gallery's entries are nothing else.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"

G_BEGIN_DECLS

/* Changes whenever a struct below does: modules of another number are refused. */
#define HYB_PLUGIN_ABI 1

/* One batch of a model's own data, to be filled in. */
typedef struct
{
  guint64     seed; /* equal seeds make equal batches */
  guint64     step; /* number of the batch since training began */
  guint       n_inputs;
  HybTensor **inputs; /* all zero at first, in the order of the model's inputs */
  HybTensor  *label;  /* likewise; NULL: there is none */
} HybBatch;

/* What a model is trained on when nobody gives data. */
typedef struct
{
  const char *loss;      /* NULL: "softmax-cross-entropy" */
  const char *optimizer; /* NULL: "sgd" */
  const char *settings;  /* "learning_rate=0.1, momentum=0.9" */
  double      clip_global_norm;
  const char *carry;   /* "data1=1, data2=2": input takes output of the step before; "all": every
                        * input but the first the output of its number */
  const char *label;   /* its type, written like an input's; NULL: none */
  gboolean    is_text; /* batches come from a text: tokens, and the tokens that follow them */
  guint       epochs;  /* passes over the data; 0: one */
  guint       steps;   /* batches of one epoch (of a text: 0, as many as it has) */
  void (*fill) (gconstpointer options, const HybBatch *batch); /* NULL for a text */
  /* Other types for some batches (buckets): inputs, then the label.  NULL: always the same. */
  void (*vary) (gconstpointer options, guint64 step, HybType *types);
} HybTask;

typedef struct
{
  const char     *name;    /* lower case, digits and dashes */
  const char     *doc;     /* one sentence */
  const HybParam *options; /* all with a fallback; NULL: none */
  gsize           options_size;
  /* "float32(batch, 1, 28, 28)" or a list "[float32(length, 8), [float32(8), float32(8)]]":
   * how inputs nest, and default types, whose dimensions are numbers, integer options, or
   * products of them. */
  const char *inputs;
  char *(*describe_inputs) (gconstpointer options); /* instead, where they depend on options */
  HybBlock *(*build) (gconstpointer options);       /* (transfer full) */
  const char *init;                                 /* NULL: "xavier" */
  HybTask     task;
} HybModelClass;

typedef struct
{
  guint32                     abi;
  const HybModelClass *const *models; /* NULL-terminated */
} HybPlugin;

#define HYB_EXPORT __attribute__ ((visibility ("default")))

/* HYB_PLUGIN (&first, &second) */
#define HYB_PLUGIN(...)                                                          \
  G_BEGIN_DECLS                                                                  \
  extern HYB_EXPORT const HybPlugin hyb_plugin;                                  \
  G_END_DECLS                                                                    \
  static const HybModelClass *const hyb_plugin_models[] = { __VA_ARGS__, NULL }; \
  const HybPlugin                   hyb_plugin = { HYB_PLUGIN_ABI, hyb_plugin_models }

/* HYB_MODEL (.name = "mine", .doc = "…", .inputs = "float32(8, 3)", .build = build) */
#define HYB_MODEL(...)                                           \
  static const HybModelClass hyb_plugin_model = { __VA_ARGS__ }; \
  HYB_PLUGIN (&hyb_plugin_model)

/* --- Loading --- */

/* “gallery:NAME”, “file.so” or “file.so:NAME”, each with “?option=value&option=value”. */
gboolean hyb_is_plugin_name (const char *text);

/* A model with its options, built. */
typedef struct
{
  const HybModelClass *klass;
  gpointer             options;
  guint64              seed;
  char                *structure; /* how its inputs nest */
  GArray              *types;     /* of HybType, by input */
} HybModelSpec;

/* The option “seed”, which all have, seeds the weights. */
HybModelSpec *hyb_model_spec_new (const char *text, GError **error);
void          hyb_model_spec_free (HybModelSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybModelSpec, hyb_model_spec_free)
const char *hyb_model_spec_input_name (HybModelSpec *spec, guint index); /* interned */
/* The type of the task's label; unknown if it has none. */
gboolean hyb_model_spec_label_type (HybModelSpec *spec, HybType *type, GError **error);

/* The block with its parameters initialised for the default inputs; (transfer full). */
HybBlock *hyb_model_spec_build (HybModelSpec *spec, GError **error);
/* Graph and parameters, traced and seeded; input types as in the model's class. */
gboolean hyb_model_read_plugin (HybModel *model, const char *text, GError **error);

/* A file in the gallery's folder, perhaps not there; NULL: there is no gallery.  (transfer full) */
char *hyb_gallery_file (const char *name);
/* Models of the gallery, sorted by name; of const HybModelClass, (transfer container). */
GPtrArray *hyb_gallery_list (void);

G_END_DECLS
