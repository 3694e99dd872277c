/* node-view-facts.c — the facts about the model as a whole, and about one node.
 *
 * Start reading with scope_node_view_show_model() and scope_node_view_show_node().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "app/adapt/labels.h"
#include "app/views/remedies.h"
#include "engine/analysis/infer-types.h"
#include "engine/doctor/edit-attributes.h"
#include "engine/graph/roles.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <string.h>

/* Inputs and outputs beyond this are not listed. */
#define MAX_ROWS 60

static void
add_number (ScopeSheet *sheet, const char *name, guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);

  scope_sheet_add_row (sheet, name, text, NULL, 0);
}

static char *
describe_type (const HybType *type)
{
  g_autofree char *label = scope_label_type (type);

  if (!label)
    return g_strdup (_ ("unknown shape"));
  return g_strdup (label);
}

static void
on_show_node (GtkButton *button, gpointer data)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (data);

  if (workspace)
    scope_workspace_show (workspace,
                          GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "box")));
}

/* The buttons of a finding: its remedy, and the way to the node that it is about. */
static void
add_ways_out (ScopeNodeView *self, ScopeDocument *document, const HybFinding *finding, guint32 box)
{
  GtkWidget *remedy =
      scope_remedy_button_new (finding, hyb_model_get_graph (scope_document_get_model (document)));
  GtkWidget *line, *show;

  if (!remedy && box == VIZ_ROOT)
    return;
  line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  if (remedy)
    gtk_box_append (GTK_BOX (line), remedy);
  if (box != VIZ_ROOT)
    {
      show = gtk_button_new_with_label (_ ("Show Node"));
      gtk_widget_add_css_class (show, "flat");
      g_object_set_data (G_OBJECT (show), "box", GUINT_TO_POINTER (box));
      g_signal_connect (show, "clicked", G_CALLBACK (on_show_node), self);
      gtk_box_append (GTK_BOX (line), show);
    }
  scope_sheet_add (self->sheet, line);
}

/* The first sentence names the fault; details follow. */
static void
add_message (ScopeSheet *sheet, const char *message, const char *css_class)
{
  const char      *end = strstr (message, ". ");
  g_autofree char *first = end ? g_strndup (message, (gsize) (end - message) + 1) : NULL;

  scope_sheet_add_text (sheet, first ? first : message, css_class);
  if (end)
    scope_sheet_add_text (sheet, end + strlen (". "), "dim-label");
}

/* is_shown: the pane shows this node already. */
static void
show_finding (ScopeNodeView    *self,
              ScopeDocument    *document,
              const HybFinding *finding,
              gboolean          is_shown)
{
  static const char *const classes[] = {
    [HYB_SEVERITY_NOTE] = NULL,
    [HYB_SEVERITY_WARNING] = "warning",
    [HYB_SEVERITY_ERROR] = "error",
  };
  guint32 box = is_shown ? VIZ_ROOT : scope_document_find_name (document, finding->node);

  add_message (self->sheet, finding->message, classes[finding->severity]);
  if (finding->hint)
    scope_sheet_add_text (self->sheet, finding->hint, "dim-label");
  add_ways_out (self, document, finding, box);
}

/* Adds the findings of one severity under a heading, which is added before the first one. node:
 * NULL for findings of the whole model. */
static gboolean
show_severity (ScopeNodeView *self, const char *node, HybSeverity severity, const char *heading)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  GPtrArray     *findings = scope_document_get_findings (document);
  gboolean       any = FALSE;

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      /* Notes about single nodes are shown with these. */
      gboolean is_meant = node ? g_strcmp0 (finding->node, node) == 0
                               : !finding->node || severity > HYB_SEVERITY_NOTE;

      if (finding->severity != severity || !is_meant)
        continue;
      if (!any && heading)
        scope_sheet_add_heading (self->sheet, heading);
      any = TRUE;
      show_finding (self, document, finding, node != NULL);
    }
  return any;
}

static void
show_problems (ScopeNodeView *self, const char *node)
{
  gboolean any = show_severity (self, node, HYB_SEVERITY_ERROR, _ ("Problems"));

  show_severity (self, node, HYB_SEVERITY_WARNING, any ? NULL : _ ("Problems"));
}

static void
show_notes (ScopeNodeView *self, const char *node)
{
  show_severity (self, node, HYB_SEVERITY_NOTE, _ ("Notes"));
}

/* --- The model --- */

static void
add_files (ScopeSheet *sheet, ScopeDocument *document, gboolean fills)
{
  HybModel        *model = scope_document_get_model (document);
  const char      *params = scope_document_get_params (document);
  g_autofree char *writer = scope_label_writer (model);
  g_autofree char *name = g_path_get_basename (scope_document_get_path (document));

  scope_sheet_add_heading (sheet, _ ("Files"));
  scope_sheet_add_row (sheet, _ ("Graph"), name, scope_document_get_path (document), 0);
  if (params)
    {
      g_autofree char *base = g_path_get_basename (params);

      scope_sheet_add_row (sheet, _ ("Parameters"), base, params, 0);
    }
  else if (hyb_graph_get_dialect (hyb_model_get_graph (model)))
    scope_sheet_add_row (sheet, _ ("Parameters"), _ ("in the file"), NULL, 0);
  else
    scope_sheet_add_row (sheet, _ ("Parameters"), _ ("no file"),
                         _ ("Drop a .params file here to choose one"), 0);
  if (fills)
    scope_sheet_add_row (sheet, _ ("Values"), _ ("random"),
                         _ ("Parameters have random values. Times are real, but results are "
                            "meaningless."),
                         0);
  scope_sheet_add_row (sheet, _ ("Format"), hyb_model_get_format (model), NULL, 0);
  if (writer)
    scope_sheet_add_row (sheet, _ ("Written by"), writer, NULL, 0);
}

static void
add_inputs_of_model (ScopeSheet *sheet, ScopeDocument *document)
{
  HybGraph        *graph = scope_document_get_graph (document);
  HybModel        *model = scope_document_get_model (document);
  const HybType   *types = scope_document_get_types (document, graph);
  guint            n, shown = 0;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  scope_sheet_add_heading (sheet, _ ("Inputs"));
  for (guint i = 0; i < n && shown < MAX_ROWS; i++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, variables[i]);
      gboolean         is_given = hyb_model_get_parameter (model, node->name) != NULL;
      HybRole          role = hyb_graph_get_role (graph, variables[i], is_given);
      g_autofree char *type = NULL;

      if (role == HYB_ROLE_PARAMETER)
        continue;
      shown++;
      type = describe_type (&types[node->first_output]);
      scope_sheet_add_row (sheet, node->name, type, hyb_role_name (role),
                           scope_document_find_node (document, graph, variables[i]));
    }
}

static void
add_outputs_of_model (ScopeSheet *sheet, ScopeDocument *document)
{
  HybGraph         *graph = scope_document_get_graph (document);
  const HybType    *types = scope_document_get_types (document, graph);
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);
  g_auto (GStrv) names = hyb_graph_dup_output_names (graph);

  scope_sheet_add_heading (sheet, _ ("Outputs"));
  for (guint i = 0; i < MIN (n, MAX_ROWS); i++)
    {
      g_autofree char *type = describe_type (&types[heads[i]]);

      scope_sheet_add_row (sheet, names[i], type, NULL,
                           scope_document_find_node (document, graph,
                                                     hyb_graph_get_producer (graph, heads[i])));
    }
}

/* The largest parameter, a click away. */
static void
add_largest (ScopeSheet *sheet, ScopeDocument *document)
{
  HybModel        *model = scope_document_get_model (document);
  HybTensor       *largest = NULL;
  const char      *name = NULL;
  g_autofree char *shape = NULL, *bytes = NULL, *tip = NULL;

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *each = hyb_model_get_parameter_name (model, i);
      HybTensor  *tensor = hyb_model_get_parameter (model, each);

      if (largest && hyb_tensor_get_bytes (tensor) <= hyb_tensor_get_bytes (largest))
        continue;
      largest = tensor;
      name = each;
    }
  if (!largest)
    return;
  shape = scope_label_type (hyb_tensor_get_type (largest));
  bytes = prof_format_bytes ((double) hyb_tensor_get_bytes (largest));
  /* Both in a row would be cut where text is large. */
  tip = g_strdup_printf ("%s %s", name, shape ? shape : "");
  scope_sheet_add_row (sheet, _ ("Largest parameter"), bytes, tip,
                       scope_document_find_name (document, name));
}

void
scope_node_view_show_model (ScopeNodeView *self, ScopeDocument *document)
{
  ScopeWorkspace    *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeMeasurement  *measurement = scope_workspace_get_measurement (workspace);
  const ScopeTotals *totals = scope_document_get_totals (document);
  g_autofree char   *bytes = prof_format_bytes ((double) totals->parameter_bytes);
  g_autofree char   *label = scope_label_model (scope_document_get_model (document));

  if (measurement)
    scope_node_view_show_run (self, measurement);
  if (scope_document_is_generated (document))
    scope_sheet_add_title (self->sheet, _ ("Optimised graph"), _ ("Result of an engine pass"));
  else
    scope_sheet_add_title (self->sheet, label, _ ("The whole model"));
  show_problems (self, NULL);
  scope_sheet_add_heading (self->sheet, _ ("Size"));
  add_number (self->sheet, _ ("Nodes"), totals->n_nodes);
  if (totals->n_bodies > 0)
    add_number (self->sheet, _ ("Loop and branch bodies"), totals->n_bodies);
  add_number (self->sheet, _ ("Parameters"), totals->n_parameters);
  scope_sheet_add_row (self->sheet, _ ("Parameter bytes"), bytes, NULL, 0);
  add_largest (self->sheet, document);
  if (!scope_document_is_generated (document))
    add_files (self->sheet, document,
               scope_workspace_get_fills (scope_view_get_workspace (SCOPE_VIEW (self))));
  add_inputs_of_model (self->sheet, document);
  add_outputs_of_model (self->sheet, document);
  show_notes (self, NULL);
}

/* --- One node --- */

static void
add_inputs (ScopeSheet *sheet, ScopeDocument *document, const ScopePlace *place)
{
  const HybNode    *node = hyb_graph_get_node (place->graph, place->node);
  const HybValueId *inputs = hyb_graph_get_inputs (place->graph, place->node);
  const HybType    *types = scope_document_get_types (document, place->graph);

  if (node->n_inputs == 0)
    return;
  scope_sheet_add_heading (sheet, _ ("Inputs"));
  for (guint i = 0; i < MIN (node->n_inputs, MAX_ROWS); i++)
    {
      HybNodeId        producer = hyb_graph_get_producer (place->graph, inputs[i]);
      g_autofree char *operand = hyb_node_dup_input_name (node, i);
      g_autofree char *type = describe_type (types ? &types[inputs[i]] : NULL);
      g_autofree char *from =
          g_strdup_printf (_ ("from %s"), hyb_graph_get_node (place->graph, producer)->name);

      scope_sheet_add_row (sheet, operand, type, from,
                           scope_document_find_node (document, place->graph, producer));
    }
}

/* The node that determined the output's shape, or the reason why the shape is unknown. */
static void
add_origin_of_shape (ScopeSheet       *sheet,
                     ScopeDocument    *document,
                     const ScopePlace *place,
                     HybValueId        value)
{
  HybGraph        *graph = scope_document_get_graph (document);
  const HybType   *types = scope_document_get_types (document, graph);
  HybNodeId        fixed_by;
  g_autofree char *text = NULL;

  if (place->graph != graph)
    return;
  if (!hyb_type_is_known (&types[value]))
    {
      text = hyb_infer_reason (graph, types, value);
      if (text)
        scope_sheet_add_text (sheet, text, "warning");
      return;
    }
  fixed_by = scope_document_get_fixed_by (document, value);
  if (fixed_by == HYB_NO_ID || fixed_by == place->node || fixed_by >= hyb_graph_n_nodes (graph))
    return;
  text = g_strdup_printf (_ ("Shape determined by %s"), hyb_graph_get_node (graph, fixed_by)->name);
  scope_sheet_add_text (sheet, text, "dim-label");
}

static void
add_outputs (ScopeSheet *sheet, ScopeDocument *document, const ScopePlace *place)
{
  const HybNode *node = hyb_graph_get_node (place->graph, place->node);
  const HybType *types = scope_document_get_types (document, place->graph);
  guint          n_visible = hyb_op_n_visible (node->op, node->params, node->n_outputs);

  if (node->n_outputs == 0)
    return;
  scope_sheet_add_heading (sheet, _ ("Outputs"));
  for (guint i = 0; i < MIN (n_visible, MAX_ROWS); i++)
    {
      HybValueId       value = node->first_output + i;
      g_autofree char *name = hyb_node_is_variable (node)
                                  ? g_strdup (_ ("value"))
                                  : hyb_op_dup_output_name (node->op, i, node->n_outputs);
      g_autofree char *type = describe_type (types ? &types[value] : NULL);
      guint            n_users;
      const HybNodeId *users = hyb_graph_get_users (place->graph, value, &n_users);
      g_autofree char *hint =
          g_strdup_printf (g_dngettext (NULL, "read by %u node", "read by %u nodes", n_users),
                           n_users);

      scope_sheet_add_row (sheet, name, type, hint,
                           n_users > 0 ? scope_document_find_node (document, place->graph, users[0])
                                       : VIZ_ROOT);
      add_origin_of_shape (sheet, document, place, value);
    }
}

/* TRUE if the value is the parameter's default. */
static gboolean
is_default (const HybParam *param, const char *value)
{
  return param->fallback && (g_ascii_strcasecmp (param->fallback, value) == 0 ||
                             (strcmp (param->fallback, "1") == 0 && strcmp (value, "True") == 0) ||
                             (strcmp (param->fallback, "0") == 0 && strcmp (value, "False") == 0));
}

/* The button that opens the editor of the node's attributes. */
static void
add_editor (ScopeNodeView *self, ScopeDocument *document, const HybNode *node)
{
  GtkWidget      *button;
  HybEditableNode found;

  if (scope_document_is_generated (document) ||
      !hyb_attributes_find_node (scope_document_get_graph (document), node->name, &found))
    return;
  button = gtk_button_new_with_label (_ ("Edit Attributes…"));
  gtk_widget_set_name (button, "edit-attributes");
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_margin_top (button, 6);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", node->name);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.edit-attributes");
  scope_sheet_add (self->sheet, button);
}

/* The description of an attribute in the user's language; NULL if it has none. */
static const char *
translate (const char *doc)
{
  return doc ? gettext (doc) : NULL;
}

/* Attributes that differ from their default come first, emphasised. */
static void
add_attributes (ScopeSheet *sheet, const HybNode *node)
{
  gboolean any = FALSE;

  for (int defaults = 0; defaults <= 1 && node->params; defaults++)
    for (const HybParam *param = node->op->params; param && param->name; param++)
      {
        g_autofree char *value = hyb_param_to_string (param, node->params);

        if (is_default (param, value) != defaults)
          continue;
        if (!any)
          scope_sheet_add_heading (sheet, _ ("Attributes"));
        any = TRUE;
        if (defaults)
          scope_sheet_add_row (sheet, param->name, value, translate (param->doc), 0);
        else
          scope_sheet_add_strong_row (sheet, param->name, value, translate (param->doc), 0);
      }
}

/* Attributes as they are in the file, of operators that have no table of attributes: unknown ones and operators of
 * ONNX. */
static void
add_written_attributes (ScopeSheet *sheet, const HybNode *node)
{
  if (!node->attributes || !node->attributes[0] || (node->params && node->op->params))
    return;
  scope_sheet_add_heading (sheet,
                           node->op->is_default ? _ ("Attributes") : _ ("Attributes in the file"));
  for (guint i = 0; node->attributes[i] && node->attributes[i + 1]; i += 2)
    {
      const char      *name = node->attributes[i], *value = node->attributes[i + 1];
      g_autofree char *described = scope_label_describe_value (node, name, value);

      if (node->op->is_default && !node->op->is_default (node->params, name, value))
        scope_sheet_add_strong_row (sheet, name, described ? described : value,
                                    described ? value : NULL, 0);
      else
        scope_sheet_add_row (sheet, name, described ? described : value, described ? value : NULL,
                             0);
    }
}

static void
add_origin (ScopeSheet *sheet, const HybNode *node, const char *id)
{
  HybOrigin origin = { 0 };

  scope_sheet_add_heading (sheet, _ ("Origin"));
  if (node->line > 0)
    {
      g_autofree char *line = g_strdup_printf ("%u", node->line);

      scope_sheet_add_row (sheet, _ ("Line in the file"), line, NULL, 0);
    }
  if (node->op->origin)
    node->op->origin (node->params, &origin);
  if (origin.scope)
    scope_sheet_add_row (sheet, _ ("Module"), origin.scope, origin.module, 0);
  if (origin.source)
    scope_sheet_add_row (sheet, _ ("Source"), origin.source, NULL, 0);
  scope_sheet_add_row (sheet, _ ("Path"), id, NULL, 0);
}

void
scope_node_view_show_node (ScopeNodeView    *self,
                           ScopeDocument    *document,
                           guint32           box,
                           const ScopePlace *place)
{
  const HybNode *node = hyb_graph_get_node (place->graph, place->node);
  const VizBox  *info = viz_diagram_box (scope_document_get_diagram (document), box);
  HybTensor     *tensor;

  if (hyb_node_is_variable (node))
    {
      gboolean is_given =
          hyb_model_get_parameter (scope_document_get_model (document), node->name) != NULL;

      scope_sheet_add_title (self->sheet, node->name,
                             gettext (hyb_role_name (
                                 hyb_graph_get_role (place->graph, place->node, is_given))));
    }
  else
    {
      scope_sheet_add_title (self->sheet, node->type, node->name);
      if (node->op->flags & HYB_OP_OPAQUE)
        scope_sheet_add_text (self->sheet,
                              _ ("Hybridscope does not support this operator. The graph can be "
                                 "shown but not run."),
                              "warning");
      else if (node->op->doc)
        scope_sheet_add_text (self->sheet, gettext (node->op->doc), NULL);
    }
  show_problems (self, node->name);
  show_notes (self, node->name);
  scope_node_view_show_numbers (self, document, box);
  scope_node_view_show_costs (self,
                              scope_workspace_get_measurement (
                                  scope_view_get_workspace (SCOPE_VIEW (self))),
                              box);
  scope_node_view_show_origins (self,
                                scope_workspace_get_measurement (
                                    scope_view_get_workspace (SCOPE_VIEW (self))),
                                box);
  add_inputs (self->sheet, document, place);
  add_outputs (self->sheet, document, place);
  tensor = hyb_node_is_variable (node)
               ? hyb_model_get_parameter (scope_document_get_model (document), node->name)
               : NULL;
  if (tensor)
    scope_node_view_show_contents (self, document, node->name, tensor);
  else
    scope_node_view_show_values (self, document, place);
  add_attributes (self->sheet, node);
  add_written_attributes (self->sheet, node);
  add_editor (self, document, node);
  add_origin (self->sheet, node, info->id);
}
