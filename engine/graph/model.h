/* model.h — a graph, its parameters, and where both came from. Readers return models; commands and the window work with
 * them.  It makes no decisions: readers fill it, the doctor and the executor read it. Threads: any number of threads may
 * read and run a model while none changes it; references are counted atomically.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/base/finding.h"
#include "engine/graph/graph.h"

G_BEGIN_DECLS
/* A graph with its parameters. */
typedef struct _HybModel HybModel;

/* How a parameter was prefixed in its file. */
typedef enum
{
  HYB_PREFIX_NONE,
  HYB_PREFIX_ARG, /* "arg:", an argument */
  HYB_PREFIX_AUX, /* "aux:", an auxiliary state */
} HybPrefix;

/* An empty model: no graph, no parameters, no findings.  (transfer full) */
HYB_API HybModel *hyb_model_new (void);
/* Takes a reference and returns model. */
HYB_API HybModel *hyb_model_ref (HybModel *model);
/* Drops a reference; the last one frees the model.  NULL is allowed. */
HYB_API void hyb_model_unref (HybModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybModel, hyb_model_unref)

/* The graph, owned by the model; NULL if there are only parameters. */
HYB_API HybGraph *hyb_model_get_graph (HybModel *model);
/* Sets the graph; the model takes a reference. */
HYB_API void hyb_model_set_graph (HybModel *model, HybGraph *graph);

/* The parameter for the variable of this name (without "arg:" or "aux:"), owned by the model,
 * or NULL. */
HYB_API HybTensor *hyb_model_get_parameter (HybModel *model, const char *name);
/* The types of the values of the model's graph, by value, as far as its parameters determine
 * them; the others are unknown.  (transfer full) */
HYB_API HybType *hyb_model_new_types (HybModel *model);
/* Adds a parameter, or replaces the one of this name and keeps its place.  The model takes a
 * reference to tensor. */
HYB_API void hyb_model_set_parameter (HybModel *model, const char *name, HybTensor *tensor);
/* Removes the parameter of this name, if there is one. */
HYB_API void hyb_model_remove_parameter (HybModel *model, const char *name);
/* The number of parameters. */
HYB_API guint hyb_model_n_parameters (HybModel *model);
/* The name of a parameter, in the order of the file. */
HYB_API const char *hyb_model_get_parameter_name (HybModel *model, guint index);
/* The prefix that a parameter had in its file. */
HYB_API HybPrefix hyb_model_get_parameter_prefix (HybModel *model, guint index);
/* Records the prefix that the parameter of this name had in its file. */
HYB_API void hyb_model_set_parameter_prefix (HybModel *model, const char *name, HybPrefix prefix);

/* The path of the graph's file, or NULL. */
HYB_API const char *hyb_model_get_file (HybModel *model);
/* The path of the parameters' file, or NULL. */
HYB_API const char *hyb_model_get_weights_file (HybModel *model);
/* The id of the format that the graph was read from, such as "mxnet-symbol", or NULL. */
HYB_API const char *hyb_model_get_format (HybModel *model);
/* The version of the program that wrote the file, or NULL if the file does not state it. */
HYB_API const char *hyb_model_get_version (HybModel *model);
/* Records the path of the graph's file. */
HYB_API void hyb_model_set_file (HybModel *model, const char *file);
/* Records the path of the parameters' file. */
HYB_API void hyb_model_set_weights_file (HybModel *model, const char *file);
/* Records the id of the format. */
HYB_API void hyb_model_set_format (HybModel *model, const char *format);
/* Records the version of the program that wrote the file. */
HYB_API void hyb_model_set_version (HybModel *model, const char *version);

/* Records a further fact from the file: one of several entries of a section (“opsets”), or a section that is one
 * value (name NULL). */
HYB_API void
hyb_model_set_fact (HybModel *model, const char *section, const char *name, const char *value);
/* Fact number `index`, in the order of recording; FALSE if there are fewer.  Texts belong to the model. */
HYB_API gboolean hyb_model_get_fact (HybModel    *model,
                                     guint        index,
                                     const char **section,
                                     const char **name,
                                     const char **value);

/* The usual type of this input if the model states it, or NULL. */
HYB_API const HybType *hyb_model_get_input_type (HybModel *model, const char *name);
/* Records the type that this input usually has. */
HYB_API void hyb_model_set_input_type (HybModel *model, const char *name, const HybType *type);
/* An example of this input for runs without data, owned by the model, or NULL. */
HYB_API HybTensor *hyb_model_get_example (HybModel *model, const char *name);
/* Records an example of this input; the model takes a reference. */
HYB_API void hyb_model_set_example (HybModel *model, const char *name, HybTensor *tensor);

/* The findings of readers and rules: an array of HybFinding, owned by the model. */
HYB_API GPtrArray *hyb_model_get_findings (HybModel *model);
/* Adds a finding, which the model then owns. */
HYB_API void hyb_model_add_finding (HybModel *model, HybFinding *finding);

G_END_DECLS
