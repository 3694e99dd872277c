/* tensor-name.c — lists the tensors of a node, or of the model.
 *
 * Start at scope_tensor_names().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/tensor-name.h"

#include <glib/gi18n.h>

void
scope_tensor_name_free (ScopeTensorName *name)
{
  if (!name)
    return;
  g_free (name->title);
  g_free (name->body);
  g_free (name->node);
  g_free (name);
}

ScopeTensorName *
scope_tensor_name_copy (const ScopeTensorName *name)
{
  ScopeTensorName *copy = g_new (ScopeTensorName, 1);

  *copy = (ScopeTensorName){ g_strdup (name->title), g_strdup (name->body), g_strdup (name->node),
                             name->output, name->is_parameter };
  return copy;
}

gboolean
scope_tensor_name_equal (const ScopeTensorName *a, const ScopeTensorName *b)
{
  return g_strcmp0 (a->body, b->body) == 0 && g_strcmp0 (a->node, b->node) == 0 &&
         a->output == b->output;
}

char *
scope_tensor_name_to_string (const ScopeTensorName *name, const char *step)
{
  GString *text = g_string_new (name->body);

  g_string_append_printf (text, "%s%s", name->body ? "/" : "", name->node);
  if (name->output > 0)
    g_string_append_printf (text, "#%u", name->output);
  if (step && *step != '\0')
    g_string_append_printf (text, "@%s", step);
  return g_string_free (text, FALSE);
}

/* The name of a value.  title: (transfer full) */
static ScopeTensorName *
name_value (ScopeDocument *document, HybGraph *graph, HybValueId value, char *title)
{
  HybNodeId        producer = hyb_graph_get_producer (graph, value);
  const HybNode   *node = hyb_graph_get_node (graph, producer);
  const ScopeBody *body = scope_document_get_body (document, graph);
  ScopeTensorName *name = g_new (ScopeTensorName, 1);

  *name = (ScopeTensorName){
    .title = title,
    .body = body ? g_strdup (body->name) : NULL,
    .node = g_strdup (node->name),
    .output = value - node->first_output,
    .is_parameter = !body && hyb_node_is_variable (node) &&
                    hyb_model_get_parameter (scope_document_get_model (document), node->name)
  };
  return name;
}

static void
add_outputs (GPtrArray *names, ScopeDocument *document, const ScopePlace *place)
{
  const HybNode *node = hyb_graph_get_node (place->graph, place->node);
  gboolean       is_variable = hyb_node_is_variable (node);
  guint          n = is_variable ? 1 : hyb_op_n_visible (node->op, node->params, node->n_outputs);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *output =
          is_variable ? NULL : hyb_op_dup_output_name (node->op, i, node->n_outputs);

      g_ptr_array_add (names,
                       name_value (document, place->graph, node->first_output + i,
                                   is_variable ? g_strdup (node->name)
                                               : g_strdup_printf (_ ("Output: %s"), output)));
    }
}

static void
add_inputs (GPtrArray *names, ScopeDocument *document, const ScopePlace *place)
{
  const HybNode    *node = hyb_graph_get_node (place->graph, place->node);
  const HybValueId *inputs = hyb_graph_get_inputs (place->graph, place->node);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_autofree char *operand = hyb_node_dup_input_name (node, i);

      g_ptr_array_add (names, name_value (document, place->graph, inputs[i],
                                          g_strdup_printf (_ ("Input: %s"), operand)));
    }
}

/* The values that an output of the model shows; several may share a box. */
static void
add_shown (GPtrArray *names, ScopeDocument *document, guint32 box)
{
  VizDiagram    *diagram = scope_document_get_diagram (document);
  guint32        n;
  const guint32 *arrows = viz_diagram_incoming (diagram, box, &n);

  for (guint32 i = 0; i < n; i++)
    {
      const VizArrow   *arrow = viz_diagram_arrow (diagram, arrows[i]);
      const ScopePlace *place = scope_document_get_place (document, arrow->tail);
      const HybNode    *node = place ? hyb_graph_get_node (place->graph, place->node) : NULL;
      const char       *title = viz_diagram_box (diagram, box)->title;

      if (node && arrow->output < node->n_outputs)
        g_ptr_array_add (names,
                         name_value (document, place->graph, node->first_output + arrow->output,
                                     g_strdup (n > 1 ? node->name : title)));
    }
}

/* Outputs of the model: the box itself, or those inside of a group. */
static void
add_model_outputs (GPtrArray *names, ScopeDocument *document, guint32 box)
{
  VizDiagram *diagram = scope_document_get_diagram (document);

  for (guint32 other = 1; box != VIZ_ROOT && other < viz_diagram_n_boxes (diagram); other++)
    if (viz_diagram_box (diagram, other)->kind == VIZ_BOX_OUTPUT &&
        (other == box || viz_diagram_is_inside (diagram, other, box)))
      add_shown (names, document, other);
}

/* Parameters inside of a group; VIZ_ROOT: all. */
static void
add_parameters (GPtrArray *names, ScopeDocument *document, guint32 box)
{
  HybModel   *model = scope_document_get_model (document);
  VizDiagram *diagram = scope_document_get_diagram (document);
  HybGraph   *graph = scope_document_get_graph (document);

  for (guint i = 0; i < scope_document_n_places (document); i++)
    {
      const ScopePlace *place = scope_document_nth_place (document, i);
      const HybNode    *node = hyb_graph_get_node (place->graph, place->node);

      if (place->graph == graph && hyb_node_is_variable (node) &&
          hyb_model_get_parameter (model, node->name) &&
          (box == VIZ_ROOT || viz_diagram_is_inside (diagram, place->box, box)))
        g_ptr_array_add (names,
                         name_value (document, graph, node->first_output, g_strdup (node->name)));
    }
}

GPtrArray *
scope_tensor_names (ScopeDocument *document, guint32 box)
{
  GPtrArray *names = g_ptr_array_new_with_free_func ((GDestroyNotify) scope_tensor_name_free);
  const ScopePlace *place = scope_document_get_place (document, box);

  if (place)
    {
      add_outputs (names, document, place);
      add_inputs (names, document, place);
    }
  else
    add_model_outputs (names, document, box);
  if (names->len == 0)
    add_parameters (names, document, box);
  if (names->len == 0)
    add_parameters (names, document, VIZ_ROOT);
  return names;
}
