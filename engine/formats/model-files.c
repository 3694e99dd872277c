/* model-files.c — names and saves the files of a model, in the format that a name asks for.
 *
 * open/open.c opens them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/model-files.h"

#include "engine/formats/format.h"

/* The format of a graph file by its name; the fallback if the name matches no pattern. */
static const HybFormat *
format_of_graph_name (const char *file)
{
  const HybFormat *format = hyb_format_of_path (file);

  if (format && format->read_graph)
    return format;
  for (const HybFormat *const *other = hyb_formats (); *other; other++)
    if ((*other)->is_fallback && (*other)->read_graph)
      return *other;
  g_return_val_if_reached (NULL);
}

char *
hyb_model_prefix_of (const char *file)
{
  return hyb_format_dup_prefix (format_of_graph_name (file), file);
}

char *
hyb_model_find_params (const char *file, gint64 epoch, const char **why)
{
  return hyb_format_find_params (format_of_graph_name (file), file, epoch, why);
}

gboolean
hyb_model_save (HybModel   *model,
                const char *prefix,
                guint       epoch,
                GPtrArray  *written,
                GError    **error)
{
  const HybFormat *format = hyb_format_of_path (prefix);

  for (const HybFormat *const *other = hyb_formats (); !format || !format->write_model; other++)
    format = *other;
  return format->write_model (model, prefix, epoch, written, error);
}
