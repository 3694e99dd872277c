/* breakages.c — what the kinds of breakages share: nodes and arrays of a pair by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/doctor/breakages.h"

#include <string.h>

void
breakage_map (Breakage *breakage, BreakageMapFunc map, BreakageNameFunc rename)
{
  HybTensorList *changed = hyb_tensor_list_new ();

  for (guint i = 0; i < hyb_tensor_list_n (breakage->weights); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (breakage->weights, i);
      g_autoptr (HybTensor) tensor =
          map ? map (breakage, entry->name, entry->tensor) : hyb_tensor_ref (entry->tensor);
      g_autofree char *name = rename ? rename (breakage, entry->name, i) : g_strdup (entry->name);

      if (tensor)
        hyb_tensor_list_set (changed, name, tensor);
    }
  hyb_tensor_list_unref (breakage->weights);
  breakage->weights = changed;
}

static cJSON *
get_nodes (const Breakage *breakage)
{
  return cJSON_GetObjectItemCaseSensitive (breakage->symbol, "nodes");
}

cJSON *
breakage_node (const Breakage *breakage, int index)
{
  return cJSON_GetArrayItem (get_nodes (breakage), index);
}

int
breakage_n_nodes (const Breakage *breakage)
{
  return cJSON_GetArraySize (get_nodes (breakage));
}

const char *
breakage_text (const cJSON *node, const char *key)
{
  return cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (node, key));
}

cJSON *
breakage_attributes (cJSON *node)
{
  cJSON *attributes = cJSON_GetObjectItemCaseSensitive (node, "attrs");

  return attributes ? attributes : cJSON_AddObjectToObject (node, "attrs");
}

gboolean
breakage_is_operand (const Breakage *breakage, const char *array, const char *op, int input)
{
  const char *name = strchr (array, ':') ? strchr (array, ':') + 1 : array;

  for (int i = 0; i < breakage_n_nodes (breakage); i++)
    {
      const cJSON *node = breakage_node (breakage, i);
      const cJSON *inputs = cJSON_GetObjectItemCaseSensitive (node, "inputs");
      const cJSON *entry = cJSON_GetArrayItem (inputs, input);

      if (strcmp (breakage_text (node, "op"), op) == 0 && entry &&
          strcmp (breakage_text (breakage_node (breakage, cJSON_GetArrayItem (entry, 0)->valueint),
                                 "name"),
                  name) == 0)
        return TRUE;
    }
  return FALSE;
}

gint64
breakage_batch (const Breakage *breakage)
{
  return hyb_tensor_get_shape (hyb_tensor_list_get (breakage->input, 0)->tensor)->dim[0];
}
