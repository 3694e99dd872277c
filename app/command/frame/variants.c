/* variants.c — the table of forms that a model can be converted into.
 *
 * The conversions themselves are in engine/variants.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/variants.h"

#include "app/command/frame/inputs.h"
#include "app/command/frame/messages.h"

#include "engine/variants/variant.h"

#include <string.h>

/* A new form is a new row of the table. */
struct _ScopeVariant
{
  const char *name;
  gboolean    is_converted;
  HybForm     form; /* if is_converted */
};

static const ScopeVariant variants[] = {
  { "as-is" },
  { "unrolled", TRUE, HYB_FORM_UNROLLED },
  { "foreach", TRUE, HYB_FORM_FOREACH },
  { "while", TRUE, HYB_FORM_WHILE },
  { "fused", TRUE, HYB_FORM_FUSED },
};

HybTensorList *
scope_variant_inputs (const ScopeCommonOptions *common, HybModel *model, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  ScopeCommonOptions filled = *common;
  ScopeInputs        inputs = { .model = model };
  gboolean           is_done;

  scope_common_options_set_default_init (&filled, model);
  is_done = scope_inputs_fill (&inputs, &filled, error);
  for (guint i = 0; is_done && i < inputs.n_variables; i++)
    {
      const HybNode *node = hyb_graph_get_node (inputs.graph, inputs.variables[i]);

      if (inputs.values[i] && !hyb_model_get_parameter (model, node->name))
        hyb_tensor_list_set (list, node->name, inputs.values[i]);
    }
  scope_inputs_clear (&inputs);
  return is_done ? g_steal_pointer (&list) : NULL;
}

HybModel *
scope_variant_make (const ScopeVariant *variant,
                    HybModel           *model,
                    HybTensorList      *inputs,
                    gint64              length,
                    GError            **error)
{
  HybConvertOptions options = { .form = variant->form, .length = length, .input = inputs };
  g_autoptr (HybVariant) made = NULL;

  if (!variant->is_converted)
    return hyb_model_ref (model);
  made = hyb_variant_convert (model, &options, error);
  return made ? hyb_model_ref (made->model) : NULL;
}

const ScopeVariant *
scope_variant_find (const char *name, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      if (strcmp (variants[i].name, name) == 0)
        return &variants[i];
      g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", variants[i].name);
    }
  scope_usage_error (error, "--variants: “%s” is not a form; there are %s", name, list->str);
  return NULL;
}
