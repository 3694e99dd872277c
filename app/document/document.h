/* document.h — a model as it was read: graph, parameters, types, findings and diagram.
 *
 * Built in a worker, immutable afterwards, and reference-counted, so that workers may use it.  State
 * that the user changes (selection, folds, captures) belongs to the workspace and the views.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/bodies.h"
#include "app/adapt/graph-to-diagram.h"
#include "app/document/inputs.h"
#include "viz/viz.h"

#include <gio/gio.h>

typedef struct _ScopeDocument ScopeDocument;

/* Reads a model.  params: (nullable) the parameter file, by default the one beside the model.  shapes:
 * (nullable) "NAME=1,3" of inputs; open shapes are guessed.  Damage becomes findings; NULL and an error only if there is no graph
 * to show, or cancelled. */
ScopeDocument *scope_document_open (const char        *path,
                                    const char        *params,
                                    const char *const *shapes,
                                    GCancellable      *cancellable,
                                    GError           **error);
/* A document of a graph that the engine made from a model's graph or from a body.  types: of each value of
 * graph. */
ScopeDocument *
scope_document_new_of_graph (ScopeDocument *model, HybGraph *graph, const HybType *types);
/* FALSE and an error that names the file: a file became shorter while arrays of the document are mapped from it. */
gboolean scope_document_check_files (const ScopeDocument *document, GError **error);
/* Takes a reference and returns document. */
ScopeDocument *scope_document_ref (ScopeDocument *document);
/* Drops a reference; the last one frees the document. */
void scope_document_unref (ScopeDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeDocument, scope_document_unref)

/* All of these are owned by the document. */
HybModel *scope_document_get_model (const ScopeDocument *document);
/* The graph of the model, owned by the document. */
HybGraph *scope_document_get_graph (const ScopeDocument *document);
/* The diagram of the graph, owned by the document. */
VizDiagram *scope_document_get_diagram (const ScopeDocument *document);
/* The path of the model's file, owned by the document. */
const char *scope_document_get_path (const ScopeDocument *document);
const char *scope_document_get_params (const ScopeDocument *document); /* NULL: none */
/* The same if the file was named; NULL if it was found beside the model. */
const char *scope_document_get_named_params (const ScopeDocument *document);
gboolean
scope_document_is_generated (const ScopeDocument *document); /* by scope_document_new_of_graph() */
GPtrArray *scope_document_get_findings (const ScopeDocument *document); /* of HybFinding */

/* The node of a box; NULL: the box is a group. */
const ScopePlace *scope_document_get_place (const ScopeDocument *document, guint32 box);
const GArray     *scope_document_get_places (const ScopeDocument *document); /* of ScopePlace */
/* The number of entries of scope_document_get_places(). */
guint scope_document_n_places (const ScopeDocument *document);
/* index < scope_document_n_places() */
const ScopePlace *scope_document_nth_place (const ScopeDocument *document, guint index);

/* The model's inputs with their shapes, of ScopeInput; empty for a graph that the engine made. */
const GArray *scope_document_get_inputs (const ScopeDocument *document);

/* Types of each value of the model's graph or of a body; NULL: unknown. */
const HybType *scope_document_get_types (const ScopeDocument *document, HybGraph *graph);
/* The node that determined the shape of a value of the model's graph; HYB_NO_ID: given, or unknown. */
HybNodeId scope_document_get_fixed_by (const ScopeDocument *document, HybValueId value);

/* The body that a graph is; NULL: it is the model's graph. */
const ScopeBody *scope_document_get_body (const ScopeDocument *document, HybGraph *graph);
/* The box of a node in the body of that name, NULL for the model's graph; VIZ_ROOT: there is no such
 * node. */
guint32
scope_document_find_inside (const ScopeDocument *document, const char *body, const char *name);

/* The box of a node; VIZ_ROOT: the node is not drawn. */
guint32 scope_document_find_node (const ScopeDocument *document, HybGraph *graph, HybNodeId node);
/* The box of the first node of that name, bodies included; name: (nullable) */
guint32 scope_document_find_name (const ScopeDocument *document, const char *name);

typedef struct
{
  guint   n_nodes, n_bodies, n_parameters;
  guint   n_missing; /* parameters without values */
  guint64 parameter_bytes;
} ScopeTotals;

/* Totals of the model, owned by the document. */
const ScopeTotals *scope_document_get_totals (const ScopeDocument *document);
