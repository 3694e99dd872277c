/* model-files.c — the pair of files that holds a model: a symbol file and parameters.
 *
 * Finds the parameters that belong to a symbol file by their name, and writes a model
 * as such a pair.  open/open.c reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/model-files.h"

#include "engine/formats/format.h"
#include "engine/formats/model-weights.h"
#include "engine/formats/mxnet-symbol.h"

#include <string.h>

char *
hyb_model_prefix_of (const char *file)
{
  static const char *const endings[] = { ".gz", ".ref", ".json", "-symbol" };
  char                    *prefix = g_strdup (file);

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (prefix, endings[i]))
      prefix[strlen (prefix) - strlen (endings[i])] = '\0';
  return prefix;
}

/* The number in "net-0012.params" for the name "net"; -1 if it is none. */
static gint64
epoch_of (const char *entry, const char *name)
{
  const char *digits = entry + strlen (name) + 1;
  gsize       n;

  if (!g_str_has_prefix (entry, name) || entry[strlen (name)] != '-')
    return -1;

  n = strspn (digits, "0123456789");
  if (n < 4 || n > 9 || strcmp (digits + n, ".params") != 0)
    return -1;

  return g_ascii_strtoll (digits, NULL, 10);
}

static char *
find_epoch (const char *prefix, gint64 epoch)
{
  g_autofree char *folder = g_path_get_dirname (prefix);
  g_autofree char *name = g_path_get_basename (prefix);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  char       *found = NULL;
  gint64      best = -1;
  const char *entry;

  while (dir && (entry = g_dir_read_name (dir)))
    {
      gint64 number = epoch_of (entry, name);

      if (number < 0 || number <= best || (epoch >= 0 && number != epoch))
        continue;
      best = number;
      g_free (found);
      found = g_build_filename (folder, entry, NULL);
    }

  if (found && strcmp (folder, ".") == 0 && !g_str_has_prefix (prefix, "."))
    {
      g_free (found);
      found = g_strdup_printf ("%s-%04" G_GINT64_FORMAT ".params", prefix, best);
    }
  return found;
}

char *
hyb_model_find_params (const char *file, gint64 epoch, const char **why)
{
  static const char *const endings[] = { ".params", "-model.params", ".npz" };
  g_autofree char         *prefix = hyb_model_prefix_of (file);
  char                    *found = find_epoch (prefix, epoch);

  if (found)
    {
      *why = epoch >= 0 ? "the epoch that was asked for" : "the highest epoch beside the model";
      return found;
    }

  *why = "the same name beside the model";
  for (guint i = 0; epoch < 0 && i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *path = g_strconcat (prefix, endings[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }

  return NULL;
}

gboolean
hyb_model_save (HybModel   *model,
                const char *prefix,
                guint       epoch,
                GPtrArray  *written,
                GError    **error)
{
  g_autofree char *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autofree char *params = g_strdup_printf ("%s-%04u.params", prefix, epoch);
  g_autoptr (HybTensorList) list = hyb_model_list_parameters (model);

  if (!hyb_symbol_write_file (hyb_model_get_graph (model), symbol, error) ||
      !hyb_weights_write_file (list, params, error))
    return FALSE;

  if (written)
    {
      g_ptr_array_add (written, g_steal_pointer (&symbol));
      g_ptr_array_add (written, g_steal_pointer (&params));
    }
  return TRUE;
}
