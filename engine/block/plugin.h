/* plugin.h — models and operators in shared modules (plug-ins): the exports of a module, and its loading.
 *
 * A module exports one table of models, with the macro HYB_MODEL for a single model or HYB_PLUGIN for several.  A model
 * (HybModelClass) describes its options, the types of its inputs, the function that builds its block, and the task on which it
 * can be trained.  The models of the gallery (resources/gallery) are such modules.  Programs start at hyb_model_spec_new().
 * Threads: any thread may make models; hyb_operators_load() and hyb_operators_load_listed() are called by one thread at a time,
 * best before others start.  The functions of a module may be called by several threads at once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/block/block.h"

G_BEGIN_DECLS

/* Increased whenever one of the structs below, or HybOp, changes.  Modules compiled with another number are
 * refused. */
#define HYB_PLUGIN_ABI 4

/* One batch of a model's own data, which the model fills in. */
typedef struct
{
  guint64     seed; /* equal seeds must give equal batches */
  guint64     step; /* number of the batch since training began */
  guint       n_inputs;
  HybTensor **inputs; /* in the order of the model's inputs; all elements are zero */
  HybTensor  *label;  /* all elements are zero; NULL if the task has no label */
} HybBatch;

/* How a model is trained when the user gives no data. */
typedef struct
{
  const char *loss;             /* a kind of hyb_loss_new(); NULL: "softmax-cross-entropy" */
  const char *optimizer;        /* NULL: "sgd" */
  const char *settings;         /* of the optimizer: "learning_rate=0.1, momentum=0.9" */
  double      clip_global_norm; /* of all gradients together; 0: no limit */
  const char *carry;   /* states carried from batch to batch.  "data1=1, data2=2": input data1
                        * takes output 1 of the batch before; "all": every input except the first
                        * takes the output of the same number */
  const char *label;   /* its type, written like those of inputs; NULL: no label */
  gboolean    is_text; /* batches are tokens of a text, and labels the tokens that follow them */
  guint       epochs;  /* passes over the data; 0: one */
  guint       steps;   /* batches in one epoch; 0 for a text: all that it has */
  void (*fill) (gconstpointer options, const HybBatch *batch); /* NULL for a text */
  /* Gives the batch of a step other types, for models with buckets: those of the inputs, then
   * that of the label.  NULL: all batches have the same types. */
  void (*vary) (gconstpointer options, guint64 step, HybType *types);
} HybTask;
/* A model that a plug-in offers. */
typedef struct
{
  const char     *name;    /* lower case, digits and dashes */
  const char     *doc;     /* one sentence */
  const HybParam *options; /* a table like an operator's, all with a fallback; NULL: no options */
  gsize           options_size; /* of the struct that the table fills */
  /* How inputs are nested, and their default types: "float32(batch, 1, 28, 28)", or a list such
   * as "[float32(length, 8), [float32(8), float32(8)]]".  Dimensions are numbers, integer
   * options, or products of them. */
  const char *inputs;
  /* Returns such a text for models whose nesting depends on options; replaces inputs.
   * (transfer full) */
  char *(*describe_inputs) (gconstpointer options);
  HybBlock *(*build) (gconstpointer options); /* (transfer full) */
  const char *init; /* initialiser of weights without one of their own; NULL: "xavier" */
  HybTask     task;
} HybModelClass;
/* The symbol that a plug-in exports; HYB_PLUGIN() defines it. */
typedef struct
{
  guint32                     abi;
  const HybModelClass *const *models; /* NULL-terminated */
} HybPlugin;
/* Marks the one symbol that a plug-in exports. */
#define HYB_EXPORT __attribute__ ((visibility ("default")))

/* HYB_PLUGIN (&first, &second) */
#define HYB_PLUGIN(...)                                                          \
  G_BEGIN_DECLS                                                                  \
  extern HYB_EXPORT const HybPlugin hyb_plugin;                                  \
  G_END_DECLS                                                                    \
  static const HybModelClass *const hyb_plugin_models[] = { __VA_ARGS__, NULL }; \
  const HybPlugin                   hyb_plugin = { HYB_PLUGIN_ABI, hyb_plugin_models }

/* HYB_MODEL (.name = "mine", .doc = "…", .inputs = "float32(8, 3)", .build = build) */
#define HYB_MODEL(...)                                                                    \
  HYB_LEAVES_OUT_MEMBERS (static const HybModelClass hyb_plugin_model = { __VA_ARGS__ };) \
  HYB_PLUGIN (&hyb_plugin_model)

/* Operators of a module, exported with HYB_OPERATORS.  A module may have models and operators. */
typedef struct
{
  guint32             abi;
  const HybOp *const *operators; /* NULL-terminated */
} HybOperators;

/* HYB_OPERATORS (&first, &second) */
#define HYB_OPERATORS(...)                                               \
  G_BEGIN_DECLS                                                          \
  extern HYB_EXPORT const HybOperators hyb_operators;                    \
  G_END_DECLS                                                            \
  static const HybOp *const hyb_operator_list[] = { __VA_ARGS__, NULL }; \
  const HybOperators        hyb_operators = { HYB_PLUGIN_ABI, hyb_operator_list }

/* --- Loading --- */

/* Loads a module and registers its operators; a second time nothing happens.  FALSE and an error if it has
 * none, or if the name of one is taken. */
HYB_API gboolean hyb_operators_load (const char *path, GError **error);
/* Loads the modules that the environment variable HYBRIDSCOPE_OPERATORS lists, with colons between
 * them. */
HYB_API gboolean hyb_operators_load_listed (GError **error);

/* A process with HYBRIDSCOPE_PLUGINS=gallery in its environment loads modules of the gallery only. */
#define HYB_PLUGINS_VARIABLE "HYBRIDSCOPE_PLUGINS"
#define HYB_PLUGINS_GALLERY  "gallery" /* only the gallery's */

/* TRUE if text names a model of a plug-in: “gallery:NAME”, “file.so” or “file.so:NAME”, each
 * optionally followed by “?option=value&option=value”.  The path must end in “.so” and name a
 * regular file.  A file whose whole name is text is data, unless its name ends in “.so”. */
HYB_API gboolean hyb_is_plugin_name (const char *text);
/* The path of the module that text names; NULL if text names no plug-in or one of the gallery.
 * (transfer full) */
HYB_API char *hyb_plugin_dup_module (const char *text);

/* A model of a plug-in with values for its options. */
typedef struct
{
  const HybModelClass *klass;
  gpointer             options;   /* the struct that klass->options describes */
  guint64              seed;      /* of the weights */
  char                *structure; /* how its inputs are nested: "[0, [0, 0]]" */
  GArray              *types;     /* of HybType, one for each input */
} HybModelSpec;

/* Loads the module that text names and parses the options.  All models have the option “seed”,
 * which seeds the weights.  (transfer full) */
HYB_API HybModelSpec *hyb_model_spec_new (const char *text, GError **error);
/* Frees the description; the module stays loaded. */
HYB_API void hyb_model_spec_free (HybModelSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybModelSpec, hyb_model_spec_free)
/* The name of an input: "data", or "data0", "data1" … if there are several.  Interned. */
HYB_API const char *hyb_model_spec_input_name (HybModelSpec *spec, guint index);
/* The type of the task's label; an unknown type if the task has no label. */
HYB_API gboolean hyb_model_spec_label_type (HybModelSpec *spec, HybType *type, GError **error);

/* Builds the block and initialises its parameters for the default inputs.  (transfer full) */
HYB_API HybBlock *hyb_model_spec_build (HybModelSpec *spec, GError **error);
/* Puts the traced graph, the initialised parameters, the input types and an example batch of the
 * model that text names into model. */
HYB_API gboolean hyb_model_read_plugin (HybModel *model, const char *text, GError **error);

/* The path of a file in the gallery's folder, whether it exists or not; NULL if there is no such
 * folder.  (transfer full) */
HYB_API char *hyb_gallery_file (const char *name);
/* The models of the gallery, sorted by name; of const HybModelClass.  (transfer container) */
HYB_API GPtrArray *hyb_gallery_list (void);

G_END_DECLS
