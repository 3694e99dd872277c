/* model-files.c — names and saves the files of a model, in the format that a name selects.
 *
 * open/open.c opens them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/model-files.h"

#include "engine/formats/format.h"

/* The format of a graph file by its name. */
static const HybFormat *
format_of_graph_name (const char *file)
{
  return hyb_format_for_graph (hyb_format_of_path (file));
}

char *
hyb_model_prefix_of (const char *file)
{
  return hyb_format_dup_prefix (format_of_graph_name (file), file);
}

char *
hyb_model_find_params (const char *file, gint64 epoch, const char **why)
{
  g_return_val_if_fail (file && why, NULL);
  return hyb_format_find_params (format_of_graph_name (file), file, epoch, why);
}

static gboolean
save_prepared (const HybFormat *format,
               HybModel        *model,
               const char      *path,
               GPtrArray       *written,
               GError         **error)
{
  g_autoptr (GPtrArray) files =
      format->prepare (&(HybWriteJob){ .model = model, .path = path }, error);

  return files && hyb_written_files_commit (files, written, error);
}

gboolean
hyb_model_save (HybModel   *model,
                const char *prefix,
                guint       epoch,
                GPtrArray  *written,
                GError    **error)
{
  const HybFormat *format;

  g_return_val_if_fail (model && prefix, FALSE);
  if (!hyb_model_get_graph (model))
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING,
                         hyb_model_get_file (model), NULL, "the model has no graph");
  format = hyb_format_of_path (prefix);
  /* The first format that writes models, unless the name chooses another. */
  if (format && format->prepare)
    return save_prepared (format, model, prefix, written, error);
  for (const HybFormat *const *other = hyb_formats (); *other && (!format || !format->write_model);
       other++)
    format = *other;
  g_return_val_if_fail (format && format->write_model, FALSE);
  return format->write_model (model, prefix, epoch, written, error);
}
