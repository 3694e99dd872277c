/* labels.c — short texts for nodes, types and loops.
 *
 * Attributes are formatted by the operator's own table, so all spellings of a value look alike.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/labels.h"

#include "engine/base/one-line.h"
#include "engine/onnx/describe-value.h"

#include <string.h>

/* More lines would make a box too large. */
#define MAX_ATTRIBUTES       4
#define MAX_ATTRIBUTE_LENGTH 40 /* longer values are left out */

char *
scope_label_type (const HybType *type)
{
  g_autofree char *dimensions = NULL;

  if (!type || type->shape.rank < 0)
    return NULL;
  dimensions = type->shape.rank > 0 ? hyb_shape_join (&type->shape, "×") : g_strdup ("scalar");
  if (type->dtype == HYB_F32 || type->dtype == HYB_DTYPE_UNKNOWN)
    return g_steal_pointer (&dimensions);
  return g_strdup_printf ("%s %s", dimensions, hyb_dtype_name (type->dtype));
}

/* Implementation details of MXNet that do not affect the result. */
static gboolean
is_internal (const char *name)
{
  return g_str_has_prefix (name, "cudnn_") || g_str_has_prefix (name, "num_args") ||
         g_str_has_suffix (name, "_locs") || strcmp (name, "workspace") == 0;
}

/* TRUE if the value equals the default, however either is spelled: (1,1), [1,1], True, 1. */
static gboolean
is_default (const HybParam *param, gconstpointer values)
{
  const HybParam   single[] = { *param, { 0 } };
  g_autofree char *text = NULL;
  g_autofree char *default_text = NULL;
  gpointer         defaults;

  if (!param->fallback)
    return FALSE;
  defaults = hyb_params_parse (single, param->offset + sizeof (HybShape) + sizeof (gint64), NULL,
                               NULL, NULL);
  if (!defaults)
    return FALSE;
  text = hyb_param_to_string (param, values);
  default_text = hyb_param_to_string (param, defaults);
  hyb_params_unref (defaults);
  return strcmp (text, default_text) == 0;
}

/* Attributes with a size for each axis of a window, and the value of all sizes that does nothing. */
static const struct
{
  const char *name;
  char        neutral;
} window_attributes[] = {
  { "kernel", '\0' }, { "stride", '1' },        { "dilate", '1' },
  { "pad", '0' },     { "kernel_shape", '\0' }, /* and as ONNX has them */
  { "strides", '1' }, { "dilations", '1' },     { "pads", '0' },
};

/* Shortens a tuple of sizes, "(3, 3)" to "3×3".  NULL if the value does nothing, as a stride of 1 or a layout
 * that is the usual one.  (transfer full) */
static char *
short_value (const char *name, const char *value)
{
  if (strcmp (name, "layout") == 0 && strcmp (value, "NCHW") == 0)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (window_attributes); i++)
    if (strcmp (name, window_attributes[i].name) == 0)
      {
        const char neutral[] = { window_attributes[i].neutral, '\0' };
        g_auto (GStrv) sizes = g_strsplit_set (value, "()[], ", -1);
        g_autoptr (GString) joined = g_string_new (NULL);
        gboolean is_neutral = TRUE;

        for (guint k = 0; sizes[k]; k++)
          if (*sizes[k] != '\0')
            {
              g_string_append_printf (joined, "%s%s", joined->len > 0 ? "×" : "", sizes[k]);
              is_neutral &= strcmp (sizes[k], neutral) == 0;
            }
        return is_neutral ? NULL : g_strdup (joined->str);
      }
  return g_strdup (value);
}

/* Appends “name value” unless the value does nothing or is long. */
static void
append_line (GPtrArray *lines, const char *name, const char *value)
{
  g_autofree char *shown = short_value (name, value);

  if (shown && strlen (shown) <= MAX_ATTRIBUTE_LENGTH)
    g_ptr_array_add (lines, g_strdup_printf ("%s %s", name, shown));
}

char *
scope_label_describe_value (const HybNode *node, const char *name, const char *value)
{
  return node->op->flags & HYB_OP_FOREIGN ? hyb_onnx_describe_value (name, value) : NULL;
}

/* Attributes as the file has them, of an operator without a table of its own. */
static void
append_written (GPtrArray *lines, const HybNode *node)
{
  for (guint i = 0; node->attributes[i] && lines->len < MAX_ATTRIBUTES; i += 2)
    {
      const char      *name = node->attributes[i], *value = node->attributes[i + 1];
      g_autofree char *described = scope_label_describe_value (node, name, value);

      if (!node->op->is_default (node->params, name, value))
        append_line (lines, name, described ? described : value);
    }
}

char **
scope_label_attributes (const HybNode *node)
{
  GPtrArray *lines = g_ptr_array_new ();

  if (node->op->is_default && node->attributes)
    append_written (lines, node);

  for (const HybParam *param = node->params ? node->op->params : NULL;
       param && param->name && lines->len < MAX_ATTRIBUTES; param++)
    {
      g_autofree char *value = NULL;

      if (is_internal (param->name) || is_default (param, node->params))
        continue;
      value = hyb_param_to_string (param, node->params);
      append_line (lines, param->name, value);
    }
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (lines, FALSE);
}

/* Number of steps of a loop over data, the length of the data's first axis.  -1 if it is unknown or
 * the node is not such a loop. */
static gint64
trip_count (HybGraph *graph, HybNodeId id, const HybType *types)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  guint             n;

  if (!types || node->n_bodies != 1 || !node->op->body_port)
    return -1;
  hyb_graph_get_variables (hyb_graph_get_bodies (graph, id)[0], &n);
  for (guint v = 0; v < n; v++)
    {
      guint input = node->op->body_variable (node->params, node->n_inputs, 0, v);

      if (input < node->n_inputs &&
          node->op->body_port (node->params, node->n_inputs, 0, v) == HYB_PORT_DATA &&
          types[inputs[input]].shape.rank > 0)
        return types[inputs[input]].shape.dim[0];
    }
  return -1;
}

/* The attribute max_iterations; NULL if the operator has none.  (transfer full) */
static char *
step_limit (const HybNode *node)
{
  for (const HybParam *param = node->params ? node->op->params : NULL; param && param->name;
       param++)
    if (strcmp (param->name, "max_iterations") == 0)
      return hyb_param_to_string (param, node->params);
  return NULL;
}

char *
scope_label_frame (HybGraph *graph, HybNodeId id, const HybType *types)
{
  const HybNode   *node = hyb_graph_get_node (graph, id);
  const char      *name = node->op->flags & HYB_OP_OPAQUE ? node->type : node->op->name;
  gint64           steps = trip_count (graph, id, types);
  g_autofree char *limit = step_limit (node);

  while (*name == '_')
    name++;
  if (limit)
    return g_strdup_printf ("%s ≤ %s", name, limit);
  return steps >= 0 ? g_strdup_printf ("%s × %" G_GINT64_FORMAT, name, steps) : g_strdup (name);
}

char *
scope_label_model (HybModel *model)
{
  const char *file = hyb_model_get_file (model);
  char       *base;

  if (!file)
    return g_strdup ("model");
  base = g_path_get_basename (file);
  for (const char *const *ending = (const char *const[]){ ".gz", ".json", "-symbol", NULL };
       *ending; ending++)
    if (g_str_has_suffix (base, *ending) && strlen (base) > strlen (*ending))
      base[strlen (base) - strlen (*ending)] = '\0';
  return base;
}

char *
scope_label_writer (HybModel *model)
{
  const char *version = hyb_model_get_version (model), *section, *name, *value;
  HybGraph   *graph = hyb_model_get_graph (model);
  const char *producer = graph && !hyb_graph_get_dialect (graph) ? "MXNet" : NULL;
  gboolean    is_told = FALSE;

  for (guint i = 0; hyb_model_get_fact (model, i, &section, &name, &value); i++)
    if (strcmp (section, "producer") == 0)
      {
        producer = hyb_one_line (value);
        is_told = TRUE;
      }
  if (!version)
    return is_told ? g_strdup (producer) : NULL;
  return g_strdup_printf ("%s %s", producer ? producer : "version", hyb_one_line (version));
}
