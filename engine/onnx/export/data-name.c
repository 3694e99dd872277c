/* data-name.c — the name of the file with the arrays of a model that is written.
 *
 * Two files cannot be replaced at once.  The arrays of the old model therefore stay under their name until the new model, which
 * names other ones, is in its place: a process that is killed in between leaves a model with its own arrays.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/data-name.h"

#include "engine/formats/mapped-file.h"
#include "engine/onnx/document.h"

static gboolean
refers_to (const HybOnnxGraph *graph, const char *name)
{
  for (guint i = 0; i < graph->n_initializers; i++)
    {
      const HybOnnxTensor *tensor = &graph->initializers[i];

      if (tensor->is_external &&
          g_strcmp0 (hyb_onnx_entry_find (tensor->external, tensor->n_external, "location"),
                     name) == 0)
        return TRUE;
    }
  return FALSE;
}

char *
onnx_choose_data_name (const char *path, char **old)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *first = g_strconcat (base, ".data", NULL);
  g_autofree char *second = g_strconcat (base, ".2.data", NULL);
  g_autoptr (GBytes) bytes = hyb_mapped_file_open (path, NULL);
  g_autoptr (HybOnnxDocument) document = bytes ? hyb_onnx_document_read (bytes, path, NULL) : NULL;

  *old = NULL;
  if (document && refers_to (document->graph, first))
    {
      *old = g_steal_pointer (&first);
      return g_steal_pointer (&second);
    }
  if (document && refers_to (document->graph, second))
    *old = g_steal_pointer (&second);
  return g_steal_pointer (&first);
}
