/* listed.c — finds and opens the models that the tables of tests/data list.
 *
 * Goldens are looked up where tests/engine/goldens finds them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/variants/listed.h"

#include "engine/block/plugin.h"
#include "engine/formats/npz.h"
#include "engine/open/open.h"

#include <string.h>

cJSON *
listed_read (const char *table)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests", "data", table, NULL);
  cJSON           *json = golden_read_json (path, NULL);

  g_assert_nonnull (json);
  return json;
}

static HybModel *
open_gallery (const char *name, const char *options)
{
  g_autofree char *text = g_strconcat (name, options, NULL);
  HybModel        *model = hyb_model_new ();
  g_autoptr (GError) error = NULL;

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  g_assert_true (hyb_model_read_plugin (model, text, &error));
  g_assert_no_error (error);
  return model;
}

static char *
find_symbol (const char *name)
{
  g_autofree char *parent = golden_path ("models", name, NULL);
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *file;

  if (strchr (name, '/'))
    return golden_path ("..", name, NULL);
  while (dir && (file = g_dir_read_name (dir)))
    if (g_str_has_suffix (file, "-symbol.json") || g_str_has_suffix (file, "-symbol.json.gz"))
      return g_build_filename (parent, file, NULL);
  return NULL;
}

HybModel *
listed_open (const char *name, const char *options)
{
  g_autofree char *symbol = NULL;

  if (g_str_has_prefix (name, "gallery:"))
    return open_gallery (name, options);
  symbol = find_symbol (name);
  return symbol && g_file_test (symbol, G_FILE_TEST_EXISTS)
             ? hyb_model_open (symbol, NULL, HYB_EPOCH_HIGHEST, NULL)
             : NULL;
}

static void
add_zeros (HybTensorList *list, const char *name, const HybType *type)
{
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (type, NULL);

  hyb_tensor_list_set (list, name, tensor);
}

/* Adds zeros of the shapes in case.json, for goldens without arrays. */
static void
add_described (HybTensorList *list, const char *name)
{
  g_autofree char *path = golden_path ("models", name, "case.json", NULL);
  g_autoptr (cJSON) info = golden_read_json (path, NULL);
  const cJSON *shape;

  cJSON_ArrayForEach (shape, cJSON_GetObjectItem (info, "input_shapes"))
  {
    HybType type = { .dtype = HYB_F32 };

    type.shape.rank = cJSON_GetArraySize (shape);
    for (int i = 0; i < type.shape.rank; i++)
      type.shape.dim[i] = cJSON_GetArrayItem (shape, i)->valueint;
    add_zeros (list, shape->string, &type);
  }
}

HybTensorList *
listed_input (const char *name, HybModel *model, gboolean *has_weights)
{
  g_autofree char *arrays = golden_path ("models", name, "input.npz", NULL);
  HybTensorList   *list;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (hyb_model_get_graph (model), &n);

  *has_weights = g_file_test (arrays, G_FILE_TEST_EXISTS) || hyb_model_n_parameters (model) > 0;
  if (g_file_test (arrays, G_FILE_TEST_EXISTS))
    return hyb_npz_read_file (arrays, NULL);
  list = hyb_tensor_list_new ();
  add_described (list, name);
  for (guint i = 0; i < n; i++)
    {
      const char *variable = hyb_graph_get_node (hyb_model_get_graph (model), variables[i])->name;
      const HybType *usual = hyb_model_get_input_type (model, variable);

      if (usual)
        add_zeros (list, variable, usual);
    }
  return list;
}
