/* models.c — finds models and makes diagrams of them as hscope render does.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/models.h"

#include "engine/analysis/infer-types.h"
#include "engine/open/open.h"

#include <string.h>

char *
models_path (const char *below)
{
  const char *shared = g_getenv ("HYB_SHARED");

  return shared ? g_build_filename (shared, below, NULL)
                : g_build_filename (SOURCE_ROOT, "..", "shared", below, NULL);
}

static void
walk (const char *folder, GPtrArray *paths)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        walk (path, paths);
      else if ((g_str_has_suffix (name, ".json") || g_str_has_suffix (name, ".json.gz")) &&
               strcmp (name, "case.json") != 0)
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

GPtrArray *
models_list (void)
{
  GPtrArray       *paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *models = models_path ("models");
  g_autofree char *goldens = models_path ("goldens/models");

  walk (models, paths);
  walk (goldens, paths);
  g_ptr_array_sort (paths, compare_paths);
  return paths;
}

VizDiagram *
models_diagram (const char *path, const ScopeDiagramOptions *options)
{
  ScopeDiagramOptions diagram_options = options ? *options : (ScopeDiagramOptions){ 0 };
  g_autoptr (HybModel) model = hyb_model_open (path, NULL, -1, NULL);
  g_autofree HybType *types = NULL;
  HybGraph           *graph = model ? hyb_model_get_graph (model) : NULL;

  if (!graph)
    return NULL;
  types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  hyb_infer_types (graph, types, NULL, FALSE, NULL);
  diagram_options.model = model;
  diagram_options.types = types;
  return scope_graph_to_diagram (&diagram_options, NULL);
}
