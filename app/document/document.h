/* document.h — a model as it was read: files, graph, types, findings, diagram.
 *
 * Made in a worker thread, never changed afterwards, shared by reference.  What a
 * person does with it (selection, folds, captures) is the workspace's business.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/bodies.h"
#include "app/adapt/graph-to-diagram.h"
#include "viz/viz.h"

#include <gio/gio.h>

typedef struct _ScopeDocument ScopeDocument;

/* params: (nullable), the file beside it.  shapes: (nullable) "NAME=1,3" of inputs.  Damage is told by findings; NULL only when there
 * is no graph to show, and then error says why. */
ScopeDocument *scope_document_open (const char        *path,
                                    const char        *params,
                                    const char *const *shapes,
                                    GCancellable      *cancellable,
                                    GError           **error);
/* What the engine made of a model's graph, or of a body in it; types: by value of graph. */
ScopeDocument *
scope_document_new_of_graph (ScopeDocument *model, HybGraph *graph, const HybType *types);
ScopeDocument *scope_document_ref (ScopeDocument *document);
void           scope_document_unref (ScopeDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeDocument, scope_document_unref)

HybModel   *scope_document_get_model (const ScopeDocument *document);
HybGraph   *scope_document_get_graph (const ScopeDocument *document);
VizDiagram *scope_document_get_diagram (const ScopeDocument *document);
const char *scope_document_get_path (const ScopeDocument *document);
const char *scope_document_get_params (const ScopeDocument *document);   /* NULL: none */
gboolean    scope_document_is_generated (const ScopeDocument *document); /* by the engine */
GPtrArray  *scope_document_get_findings (const ScopeDocument *document); /* of HybFinding */

/* NULL: a group, or a box that is no node. */
const ScopePlace *scope_document_get_place (const ScopeDocument *document, guint32 box);
const GArray     *scope_document_get_places (const ScopeDocument *document); /* of ScopePlace */
guint             scope_document_n_places (const ScopeDocument *document);
const ScopePlace *scope_document_nth_place (const ScopeDocument *document, guint index);

/* By value of that graph, the model's or a body's; NULL: not known. */
const HybType *scope_document_get_types (const ScopeDocument *document, HybGraph *graph);
/* The node that fixed a value's shape, in the model's graph; HYB_NO_ID: given or not known. */
HybNodeId scope_document_get_fixed_by (const ScopeDocument *document, HybValueId value);

/* NULL: the model's graph. */
const ScopeBody *scope_document_get_body (const ScopeDocument *document, HybGraph *graph);
/* The box of a node in the body of that name (NULL: in none); VIZ_ROOT: there is none. */
guint32
scope_document_find_inside (const ScopeDocument *document, const char *body, const char *name);

/* The box of a node; VIZ_ROOT: none. */
guint32 scope_document_find_node (const ScopeDocument *document, HybGraph *graph, HybNodeId node);
guint32 scope_document_find_name (const ScopeDocument *document, const char *name);

/* Totals */
typedef struct
{
  guint   n_nodes, n_bodies, n_parameters;
  guint64 parameter_bytes;
} ScopeTotals;

const ScopeTotals *scope_document_get_totals (const ScopeDocument *document);
