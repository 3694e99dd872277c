/* model.h — a graph, its parameters, and where they came from.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/finding.h"
#include "engine/graph/graph.h"

G_BEGIN_DECLS

typedef struct _HybModel HybModel;

HybModel *hyb_model_new (void);
HybModel *hyb_model_ref (HybModel *model);
void      hyb_model_unref (HybModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybModel, hyb_model_unref)

HybGraph *hyb_model_get_graph (HybModel *model); /* NULL: weights only */
void      hyb_model_set_graph (HybModel *model, HybGraph *graph);

/* Parameters by the name of their variable; arg: and aux: are stripped but
 * remembered.  The order is that of the file. */
HybTensor  *hyb_model_get_parameter (HybModel *model, const char *name);
void        hyb_model_set_parameter (HybModel *model, const char *name, HybTensor *tensor);
void        hyb_model_remove_parameter (HybModel *model, const char *name);
guint       hyb_model_n_parameters (HybModel *model);
const char *hyb_model_get_parameter_name (HybModel *model, guint index);
/* Whether the file called it auxiliary ("aux:"), an argument ("arg:") or neither. */
typedef enum
{
  HYB_PREFIX_NONE,
  HYB_PREFIX_ARG,
  HYB_PREFIX_AUX,
} HybPrefix;
HybPrefix hyb_model_get_parameter_prefix (HybModel *model, guint index);
void      hyb_model_set_parameter_prefix (HybModel *model, const char *name, HybPrefix prefix);

const char *hyb_model_get_file (HybModel *model);         /* of the graph; NULL */
const char *hyb_model_get_weights_file (HybModel *model); /* NULL */
const char *hyb_model_get_format (HybModel *model);       /* "mxnet-symbol" … */
const char *hyb_model_get_version (HybModel *model);      /* of the writer; NULL: unknown */
void        hyb_model_set_file (HybModel *model, const char *file);
void        hyb_model_set_weights_file (HybModel *model, const char *file);
void        hyb_model_set_format (HybModel *model, const char *format);
void        hyb_model_set_version (HybModel *model, const char *version);

/* The type that an input usually has, for models that say so; NULL: unknown. */
const HybType *hyb_model_get_input_type (HybModel *model, const char *name);
void           hyb_model_set_input_type (HybModel *model, const char *name, const HybType *type);
/* What an input may look like, for runs that nobody gives data for; NULL: unknown. */
HybTensor *hyb_model_get_example (HybModel *model, const char *name);
void       hyb_model_set_example (HybModel *model, const char *name, HybTensor *tensor);

/* What the readers noticed without refusing; (transfer none), of HybFinding. */
GPtrArray *hyb_model_get_findings (HybModel *model);
void       hyb_model_add_finding (HybModel *model, HybFinding *finding); /* (transfer full) */

G_END_DECLS
