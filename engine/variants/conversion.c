/* conversion.c — begins and ends a conversion.
 *
 * hyb_conversion_init() infers types and copies the parameters; hyb_conversion_finish() freezes the
 * new graph and drops the parameters that it does not read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/conversion.h"

#include "engine/variants/rebuild-node.h"

void
hyb_conversion_init (HybConversion *conversion, HybModel *from, const HybConvertOptions *options)
{
  *conversion = (HybConversion){ .options = options, .from = hyb_model_ref (from) };
  conversion->graph = hyb_graph_ref (hyb_model_get_graph (from));
  conversion->to = hyb_model_new ();
  conversion->types = hyb_variant_infer_types (from, options->input);
  conversion->copies = hyb_parameter_copies_new ();
  hyb_rebuild_init (&conversion->rebuild, conversion->graph);
  conversion->rebuild.types = conversion->types;
  hyb_model_set_format (conversion->to, "mxnet-symbol");
  for (guint i = 0; i < hyb_model_n_parameters (from); i++)
    {
      const char *name = hyb_model_get_parameter_name (from, i);

      hyb_model_set_parameter (conversion->to, name, hyb_model_get_parameter (from, name));
      hyb_model_set_parameter_prefix (conversion->to, name,
                                      hyb_model_get_parameter_prefix (from, i));
    }
}

void
hyb_conversion_clear (HybConversion *conversion)
{
  hyb_rebuild_clear (&conversion->rebuild);
  g_clear_pointer (&conversion->from, hyb_model_unref);
  g_clear_pointer (&conversion->to, hyb_model_unref);
  g_clear_pointer (&conversion->graph, hyb_graph_unref);
  g_clear_pointer (&conversion->types, g_free);
  g_clear_pointer (&conversion->copies, g_array_unref);
}

gboolean
hyb_conversion_finish (HybConversion *conversion, GError **error)
{
  g_autoptr (HybGraph) graph = hyb_rebuild_finish (&conversion->rebuild, error);

  if (!graph)
    return FALSE;
  hyb_model_set_graph (conversion->to, graph);
  for (guint i = hyb_model_n_parameters (conversion->to); i-- > 0;)
    {
      const char *name = hyb_model_get_parameter_name (conversion->to, i);

      if (hyb_graph_find_variable (graph, name) == HYB_NO_ID)
        hyb_model_remove_parameter (conversion->to, name);
    }
  return TRUE;
}
