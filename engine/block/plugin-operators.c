/* plugin-operators.c — loads operators from shared modules (plug-ins) and registers them.
 *
 * A module stays loaded, because graphs refer to its operators.  Start at hyb_operators_load().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/plugin.h"

#include "engine/block/plugin-open.h"

#include <string.h>

/* The variable that lists plug-ins, with colons between them. */
#define VARIABLE "HYBRIDSCOPE_OPERATORS"

gboolean
hyb_operators_load (const char *path, GError **error)
{
  const HybOperators *table =
      hyb_plugin_open_table (path, "hyb_operators", "Export operators with HYB_OPERATORS", error);

  if (!table)
    return FALSE;
  for (guint i = 0; table->operators[i]; i++)
    {
      const HybOp *known = hyb_op_find_registered (table->operators[i]->name);

      /* The same module may be named twice. */
      if ((!known || known->forward != table->operators[i]->forward) &&
          !hyb_op_register (table->operators[i], error))
        {
          g_prefix_error (error, "%s: ", path);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
hyb_operators_load_listed (GError **error)
{
  const char *list = g_getenv (VARIABLE);
  g_auto (GStrv) paths = g_strsplit (list ? list : "", ":", -1);

  for (guint i = 0; paths[i]; i++)
    if (paths[i][0] != '\0' && !hyb_operators_load (paths[i], error))
      {
        g_prefix_error (error, VARIABLE ": ");
        return FALSE;
      }
  return TRUE;
}
