/* convert-files.c — writes the result of a conversion: one file in a format that prepares its
 * contents before writing, or MXNet's pair.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/convert/convert-files.h"

#include "app/command/frame/command.h"

#include "engine/formats/model-files.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/graph/count-nodes.h"
#include "engine/variants/open-sizes.h"

#include <string.h>

const HybFormat *
scope_find_output_format (const char *output)
{
  const HybFormat *format = hyb_format_of_path (output);

  return format && format->prepare ? format : NULL;
}

gboolean
scope_is_same_format (const char *output, HybModel *model)
{
  const HybFormat *format = scope_find_output_format (output);

  return format && g_strcmp0 (format->id, hyb_model_get_format (model)) == 0;
}

#define OLDEST_OPSET 9

gboolean
scope_find_own_opset (const char *output, HybModel *model, gint64 *opset, GError **error)
{
  const char *section, *name, *value;

  *opset = 0;
  for (guint i = 0; hyb_model_get_fact (model, i, &section, &name, &value); i++)
    if (strcmp (section, "opsets") == 0 && g_strcmp0 (name, "ai.onnx") == 0)
      *opset = g_ascii_strtoll (value, NULL, 10);
  if (!scope_is_same_format (output, model))
    scope_usage_error (error, "--simplify makes an *.onnx file of an ONNX file");
  else if (*opset < OLDEST_OPSET)
    scope_usage_error (error,
                       "--simplify: the file has version %" G_GINT64_FORMAT
                       " of the operators, and they are written in versions from %d on; --opset 17 "
                       "writes it anew",
                       *opset, OLDEST_OPSET);
  else
    return TRUE;
  return FALSE;
}

guint
scope_count_nodes (HybModel *model)
{
  return model ? hyb_graph_count_nodes (hyb_model_get_graph (model)) : G_MAXUINT;
}

void
scope_result_clear (ScopeResult *result)
{
  g_clear_pointer (&result->files, g_ptr_array_unref);
  g_clear_pointer (&result->model, hyb_model_unref);
}

/* Inputs of a graph without known shapes have those of the conversion. */
static void
set_input_types (HybModel *model, HybTensorList *input)
{
  for (guint i = 0; i < hyb_tensor_list_n (input); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (input, i);

      if (!hyb_model_get_input_type (model, entry->name))
        hyb_model_set_input_type (model, entry->name, hyb_tensor_get_type (entry->tensor));
    }
}

/* The model that reading MXNet's file of the variant of a model of another format would give. */
static gboolean
read_again (ScopeResult *result, const ScopeWrittenConversion *conversion, GError **error)
{
  HybModel        *model = (*conversion->variant)->model;
  const HybFormat *format = hyb_format_of_path ("a-symbol.json");
  gsize            length;
  char            *text = hyb_symbol_print (hyb_model_get_graph (model), &length);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, length);

  result->model = hyb_model_new ();
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      hyb_model_set_parameter (result->model, name, hyb_model_get_parameter (model, name));
    }
  return format->read_graph (result->model, bytes, conversion->output, error);
}

/* A variant to be written. */
typedef struct
{
  HybVariant       *variant;
  const HybVariant *other; /* (nullable) the same for other sizes of open dimensions */
  HybTensorList    *input; /* for which it was made */
} Prepared;

static gboolean
prepare (ScopeResult                  *result,
         const ScopeWrittenConversion *conversion,
         const Prepared               *prepared,
         GError                      **error)
{
  HybVariant      *variant = prepared->variant;
  const HybFormat *format = scope_find_output_format (conversion->output);
  g_autoptr (GArray) matches = g_array_new (FALSE, FALSE, sizeof (HybNodeMatch));
  HybWriteJob job = { .model = variant->model,
                      .path = conversion->output,
                      .version = conversion->opset };

  set_input_types (variant->model, prepared->input);
  for (guint i = 0; variant->lowered && i < variant->lowered_matches->len; i++)
    {
      const HybMatch *match = &g_array_index (variant->lowered_matches, HybMatch, i);

      g_array_append_val (matches, ((HybNodeMatch){ match->a, match->b }));
    }
  if (variant->lowered)
    {
      job.original = conversion->model;
      job.lowered = variant->lowered->model;
      job.map = variant->lowered->map;
      job.matches = matches;
      job.other = prepared->other ? prepared->other->model : NULL;
    }
  result->files = format->prepare (&job, error);
  if (!result->files)
    return FALSE;
  result->model = hyb_written_files_read (format, result->files, error);
  return result->model || !*error;
}

/* If the given sizes are too small to represent larger ones, the conversion starts from larger ones.  FALSE: these do not
 * stay open either, or cannot be written. */
static gboolean
prepare_larger (ScopeResult *result, ScopeWrittenConversion *conversion)
{
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybVariant) other = NULL;
  g_autoptr (HybVariant) variant = hyb_variant_larger (conversion->model, conversion->convert,
                                                       *conversion->variant, &input, &other);
  g_autoptr (GError) error = NULL;

  if (!variant)
    return FALSE;
  if (!prepare (result, conversion, &(Prepared){ variant, other, input }, &error))
    {
      scope_result_clear (result);
      return FALSE;
    }
  hyb_variant_free (*conversion->variant);
  *conversion->variant = g_steal_pointer (&variant);
  conversion->input = g_steal_pointer (&input);
  return TRUE;
}

/* FALSE: something follows from a size in a way that cannot be written. */
static gboolean
prepare_open (ScopeResult *result, ScopeWrittenConversion *conversion, const HybVariant *other)
{
  g_autoptr (GError) error = NULL;

  if (prepare (result, conversion,
               &(Prepared){ *conversion->variant, other, conversion->convert->input }, &error))
    return TRUE;
  scope_result_clear (result);
  return FALSE;
}

gboolean
scope_result_prepare (ScopeResult *result, ScopeWrittenConversion *conversion, GError **error)
{
  HybVariant *variant = *conversion->variant;
  gboolean    is_whole = TRUE;
  g_autoptr (HybVariant) other =
      variant->lowered ? hyb_variant_with_other_sizes (conversion->model, conversion->convert,
                                                       variant, &is_whole)
                       : NULL;

  if (scope_find_output_format (conversion->output))
    return ((!other || !is_whole) && prepare_larger (result, conversion)) ||
           (other && prepare_open (result, conversion, other)) ||
           prepare (result, conversion, &(Prepared){ variant, NULL, conversion->convert->input },
                    error);
  if (other)
    hyb_variant_open_sizes (variant, other);
  return !variant->lowered || read_again (result, conversion, error);
}

gboolean
scope_result_write (const ScopeResult *result,
                    const char        *output,
                    HybModel          *model,
                    GPtrArray         *written,
                    GError           **error)
{
  if (result->files)
    return hyb_written_files_commit (result->files, written, error);
  return hyb_model_save (model, output, 0, written, error);
}
