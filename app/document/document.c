/* document.c — reads a model, infers types, collects findings and builds the diagram.
 *
 * Start reading with scope_document_open().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/document.h"

#include "app/adapt/body-types.h"
#include "app/document/finding-place.h"
#include "app/process/worker.h"
#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/doctor/diagnose.h"
#include "engine/formats/model-weights.h"
#include "engine/graph/roles.h"
#include "engine/open/open.h"

#include <glib/gi18n.h>
#include <string.h>

struct _ScopeDocument
{
  gatomicrefcount n_refs;
  char           *path;
  HybModel       *model;
  HybGraph       *graph; /* (borrowed) from the model */
  HybType        *types;
  guint32        *fixed_by;
  GHashTable     *body_types; /* HybGraph → HybType * */
  GHashTable     *bodies;     /* HybGraph → ScopeBody */
  VizDiagram     *diagram;
  GArray         *places;
  GHashTable     *names;  /* → box + 1 */
  GArray         *inputs; /* of ScopeInput */
  ScopeTotals     totals;
  gboolean        is_generated;
};

ScopeDocument *
scope_document_ref (ScopeDocument *document)
{
  g_atomic_ref_count_inc (&document->n_refs);
  return document;
}

static void
document_free (gpointer data)
{
  ScopeDocument *document = data;

  g_clear_pointer (&document->inputs, g_array_unref);
  g_clear_pointer (&document->names, g_hash_table_unref);
  g_clear_pointer (&document->places, g_array_unref);
  g_clear_pointer (&document->diagram, viz_diagram_unref);
  g_clear_pointer (&document->body_types, g_hash_table_unref);
  g_clear_pointer (&document->bodies, g_hash_table_unref);
  g_clear_pointer (&document->model, hyb_model_unref);
  g_free (document->fixed_by);
  g_free (document->types);
  g_free (document->path);
  g_free (document);
}

void
scope_document_unref (ScopeDocument *document)
{
  if (g_atomic_ref_count_dec (&document->n_refs))
    scope_worker_free (document, document_free);
}

/* Sets error to the first finding of severity error. */
static void
set_error_from_findings (HybModel *model, const char *path, GError **error)
{
  GPtrArray       *findings = hyb_model_get_findings (model);
  g_autofree char *name = g_path_get_basename (path);

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      g_autofree char  *place = scope_finding_dup_place (finding);

      if (finding->severity != HYB_SEVERITY_ERROR)
        continue;
      g_set_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, "%s: %s%s%s",
                   *place ? place : name, finding->message, finding->hint ? ". " : "",
                   finding->hint ? finding->hint : "");
      hyb_error_add_remedy (error, finding->remedy, finding->node);
      return;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
               _ ("%s has no graph. Open the *-symbol.json file that belongs to it."), name);
}

/* The diagnosis leaves labels out, because nothing that is computed depends on them. */
static void
set_label_types (ScopeDocument *document)
{
  for (guint i = 0; i < document->inputs->len; i++)
    {
      const ScopeInput *input = &g_array_index (document->inputs, ScopeInput, i);
      HybNodeId         id = hyb_graph_find_variable (document->graph, input->name);
      HybType *type = &document->types[hyb_graph_get_node (document->graph, id)->first_output];

      if (input->role == HYB_ROLE_LABEL && !hyb_shape_is_known (&type->shape))
        *type = input->type;
    }
}

static void
infer_types (ScopeDocument *document, const char *const *shapes)
{
  guint               n_values = hyb_graph_n_values (document->graph);
  g_autofree HybType *traced_types = hyb_diagnose_new_types (document->graph);

  document->types = hyb_model_new_types (document->model);
  document->inputs = scope_inputs_find (document->model, document->types, shapes);
  memcpy (traced_types, document->types, n_values * sizeof (HybType));
  hyb_diagnose (document->model, document->types);
  set_label_types (document);

  /* A second inference records which node determined which shape; conflicts are findings already. */
  document->fixed_by = g_new (guint32, MAX (n_values, 1));
  for (guint i = 0; i < n_values; i++)
    document->fixed_by[i] = HYB_NO_ID;
  hyb_infer_types (document->graph, traced_types, document->fixed_by, FALSE, NULL);
  document->body_types = scope_body_types_of_graph (document->graph, document->types);
}

static void
count_totals (ScopeDocument *document)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (document->graph, &n);

  document->totals.n_nodes = hyb_graph_n_nodes (document->graph);
  document->totals.n_missing = scope_inputs_count_missing (document->model);
  document->totals.n_bodies = g_hash_table_size (document->body_types);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (document->graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (document->model, node->name);
      const HybType *type = &document->types[node->first_output];

      if (hyb_graph_get_role (document->graph, variables[i], tensor != NULL) != HYB_ROLE_PARAMETER)
        continue;
      document->totals.n_parameters++;
      /* Declared shapes may be of any size. */
      if (hyb_type_is_known (type) &&
          !g_uint64_checked_add (&document->totals.parameter_bytes,
                                 document->totals.parameter_bytes, hyb_type_bytes (type)))
        document->totals.parameter_bytes = G_MAXUINT64;
    }
}

static void
index_names (ScopeDocument *document)
{
  document->names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = document->places->len; i-- > 0;)
    {
      const ScopePlace *place = &g_array_index (document->places, ScopePlace, i);

      g_hash_table_insert (document->names,
                           (gpointer) hyb_graph_get_node (place->graph, place->node)->name,
                           GUINT_TO_POINTER (place->box + 1));
    }
}

/* Builds the diagram and its indices. */
static void
build_diagram (ScopeDocument *document)
{
  ScopeDiagramOptions options = { .model = document->model, .types = document->types };

  count_totals (document);
  document->bodies = scope_bodies_of_graph (document->graph);
  document->diagram = scope_graph_to_diagram (&options, &document->places);
  index_names (document);
}

ScopeDocument *
scope_document_open (const char        *path,
                     const char        *params,
                     const char *const *shapes,
                     GCancellable      *cancellable,
                     GError           **error)
{
  g_autoptr (ScopeDocument) document = g_new0 (ScopeDocument, 1);

  g_atomic_ref_count_init (&document->n_refs);
  document->path = g_strdup (path);
  document->model = hyb_model_open_tolerant (path, params, HYB_EPOCH_HIGHEST, error);
  if (!document->model || g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  document->graph = hyb_model_get_graph (document->model);
  if (!document->graph)
    {
      set_error_from_findings (document->model, path, error);
      return NULL;
    }
  infer_types (document, shapes);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  build_diagram (document);
  return scope_document_check_files (document, error) ? g_steal_pointer (&document) : NULL;
}

gboolean
scope_document_check_files (const ScopeDocument *document, GError **error)
{
  return hyb_model_check_files (document->model, error);
}

ScopeDocument *
scope_document_new_of_graph (ScopeDocument *model, HybGraph *graph, const HybType *types)
{
  ScopeDocument   *document = g_new0 (ScopeDocument, 1);
  guint            n_values = hyb_graph_n_values (graph), n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  g_atomic_ref_count_init (&document->n_refs);
  document->is_generated = TRUE;
  document->inputs = g_array_new (FALSE, FALSE, sizeof (ScopeInput));
  document->path = g_strdup (model->path);
  document->model = hyb_model_new ();
  hyb_model_set_format (document->model, hyb_model_get_format (model->model));
  hyb_model_set_graph (document->model, graph);
  document->graph = hyb_model_get_graph (document->model);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (model->model, name);

      if (tensor)
        hyb_model_set_parameter (document->model, name, tensor);
    }
  document->types = g_memdup2 (types, MAX (n_values, 1) * sizeof (HybType));
  document->fixed_by = g_new (guint32, MAX (n_values, 1));
  for (guint i = 0; i < n_values; i++)
    document->fixed_by[i] = HYB_NO_ID;
  document->body_types = scope_body_types_of_graph (graph, document->types);
  build_diagram (document);
  return document;
}

HybModel *
scope_document_get_model (const ScopeDocument *document)
{
  return document->model;
}

HybGraph *
scope_document_get_graph (const ScopeDocument *document)
{
  return document->graph;
}

VizDiagram *
scope_document_get_diagram (const ScopeDocument *document)
{
  return document->diagram;
}

const char *
scope_document_get_path (const ScopeDocument *document)
{
  return document->path;
}

const char *
scope_document_get_params (const ScopeDocument *document)
{
  return hyb_model_get_weights_file (document->model);
}

const char *
scope_document_get_named_params (const ScopeDocument *document)
{
  GPtrArray *findings = hyb_model_get_findings (document->model);

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((HybFinding *) findings->pdata[i])->code, "paired-file") == 0)
      return NULL;
  return scope_document_get_params (document);
}

gboolean
scope_document_is_generated (const ScopeDocument *document)
{
  return document->is_generated;
}

GPtrArray *
scope_document_get_findings (const ScopeDocument *document)
{
  return hyb_model_get_findings (document->model);
}

const ScopePlace *
scope_document_get_place (const ScopeDocument *document, guint32 box)
{
  guint32 user;

  if (box >= viz_diagram_n_boxes (document->diagram))
    return NULL;
  user = viz_diagram_box (document->diagram, box)->user;
  return user < document->places->len ? &g_array_index (document->places, ScopePlace, user) : NULL;
}

const GArray *
scope_document_get_places (const ScopeDocument *document)
{
  return document->places;
}

guint
scope_document_n_places (const ScopeDocument *document)
{
  return document->places->len;
}

const ScopePlace *
scope_document_nth_place (const ScopeDocument *document, guint index)
{
  return &g_array_index (document->places, ScopePlace, index);
}

const GArray *
scope_document_get_inputs (const ScopeDocument *document)
{
  return document->inputs;
}

const HybType *
scope_document_get_types (const ScopeDocument *document, HybGraph *graph)
{
  if (graph == document->graph)
    return document->types;
  return g_hash_table_lookup (document->body_types, graph);
}

HybNodeId
scope_document_get_fixed_by (const ScopeDocument *document, HybValueId value)
{
  return document->fixed_by[value];
}

guint32
scope_document_find_node (const ScopeDocument *document, HybGraph *graph, HybNodeId node)
{
  for (guint i = 0; i < document->places->len; i++)
    {
      const ScopePlace *place = &g_array_index (document->places, ScopePlace, i);

      if (place->graph == graph && place->node == node)
        return place->box;
    }
  return VIZ_ROOT;
}

guint32
scope_document_find_name (const ScopeDocument *document, const char *name)
{
  gpointer found = name ? g_hash_table_lookup (document->names, name) : NULL;

  return found ? GPOINTER_TO_UINT (found) - 1 : VIZ_ROOT;
}

const ScopeBody *
scope_document_get_body (const ScopeDocument *document, HybGraph *graph)
{
  return g_hash_table_lookup (document->bodies, graph);
}

guint32
scope_document_find_inside (const ScopeDocument *document, const char *body, const char *name)
{
  for (guint i = 0; i < document->places->len; i++)
    {
      const ScopePlace *place = &g_array_index (document->places, ScopePlace, i);
      const ScopeBody  *around = scope_document_get_body (document, place->graph);

      if (g_strcmp0 (around ? around->name : NULL, body) == 0 &&
          g_strcmp0 (hyb_graph_get_node (place->graph, place->node)->name, name) == 0)
        return place->box;
    }
  return VIZ_ROOT;
}

const ScopeTotals *
scope_document_get_totals (const ScopeDocument *document)
{
  return &document->totals;
}
