/* formats.c — the table of file formats, and functions that use nothing but its entries.
 *
 * Chooses a format by contents or by name, finds the parameter file beside a graph file, and reads
 * and writes weights.  Start at hyb_format_find() and hyb_format_find_params().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/format.h"

#include "engine/base/translate.h"
#include "engine/formats/array-file.h"
#include "engine/formats/file.h"
#include "engine/formats/mapped-file.h"

#include <string.h>

#define HYB_FORMAT(format) extern const HybFormat format;
#include "engine/formats/format-list.h"
#undef HYB_FORMAT

static const HybFormat *const table[] = {
#define HYB_FORMAT(format) &format,
#include "engine/formats/format-list.h"
#undef HYB_FORMAT
  NULL,
};

/* --- Choosing a format --- */

const HybFormat *const *
hyb_formats (void)
{
  return table;
}

static gboolean
recognises (const HybFormat *format, HybSniff kind, gconstpointer data, gsize length)
{
  if (format->sniff != HYB_SNIFF_UNKNOWN && format->sniff != kind)
    return FALSE;
  return format->recognises ? format->recognises (data, length)
                            : format->sniff != HYB_SNIFF_UNKNOWN;
}

const HybFormat *
hyb_format_find (const HybFormat *const *formats, GBytes *bytes)
{
  gsize            length;
  gconstpointer    data = g_bytes_get_data (bytes, &length);
  HybSniff         kind = hyb_sniff (data, length);
  const HybFormat *by_kind = NULL;

  for (; *formats; formats++)
    if (recognises (*formats, kind, data, length))
      {
        if ((*formats)->recognises)
          return *formats;
        if (!by_kind)
          by_kind = *formats;
      }
  return by_kind;
}

const HybFormat *
hyb_format_of_bytes (GBytes *bytes)
{
  return hyb_format_find (table, bytes);
}

const HybFormat *
hyb_format_of_path (const char *path)
{
  for (guint i = 0; table[i]; i++)
    for (guint k = 0; table[i]->patterns[k]; k++)
      if (g_pattern_match_simple (table[i]->patterns[k], path))
        return table[i];
  return NULL;
}

const HybFormat *
hyb_format_for_graph (const HybFormat *format)
{
  if (format && format->read_graph)
    return format;
  for (guint i = 0; table[i]; i++)
    if (table[i]->is_fallback && table[i]->read_graph)
      return table[i];
  g_return_val_if_reached (NULL);
}

/* --- Names of files that belong together --- */

char *
hyb_format_dup_prefix (const HybFormat *format, const char *file)
{
  char *prefix = g_strdup (file);

  for (guint i = 0; format->endings && format->endings[i]; i++)
    if (g_str_has_suffix (prefix, format->endings[i]))
      prefix[strlen (prefix) - strlen (format->endings[i])] = '\0';
  return prefix;
}

/* The epoch in a file name: 12 in "net-0012.params" for the name "net" and the ending "-#.params".
 * -1 if the file name has another form. */
static gint64
epoch_of (const char *entry, const char *name, const char *ending)
{
  gsize       n_name = strlen (name), n_before = strcspn (ending, "#"), n_digits;
  const char *digits;

  if (!g_str_has_prefix (entry, name) || strncmp (entry + n_name, ending, n_before) != 0)
    return -1;

  digits = entry + n_name + n_before;
  n_digits = strspn (digits, "0123456789");
  if (n_digits < 4 || n_digits > 9 || strcmp (digits + n_digits, ending + n_before + 1) != 0)
    return -1;
  return g_ascii_strtoll (digits, NULL, 10);
}

/* The file of an epoch, or of the highest one if epoch is negative; NULL if there is none.  Only regular files count.
 * (transfer full) */
static char *
find_epoch (const char *prefix, const char *ending, gint64 epoch)
{
  g_autofree char *folder = g_path_get_dirname (prefix);
  g_autofree char *name = g_path_get_basename (prefix);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  gboolean    has_folder = strcmp (folder, ".") != 0 || g_str_has_prefix (prefix, ".");
  char       *found = NULL;
  gint64      best = -1;
  const char *entry;

  while (dir && (entry = g_dir_read_name (dir)))
    {
      gint64           number = epoch_of (entry, name, ending);
      g_autofree char *path = NULL;

      if (number < 0 || number <= best || (epoch >= 0 && number != epoch))
        continue;
      path = has_folder ? g_build_filename (folder, entry, NULL) : g_strdup (entry);
      if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)) /* a pipe or a folder hides no file */
        continue;
      best = number;
      g_free (found);
      found = g_steal_pointer (&path);
    }
  return found;
}

char *
hyb_format_find_params (const HybFormat *format, const char *file, gint64 epoch, const char **why)
{
  g_autofree char *prefix = hyb_format_dup_prefix (format, file);

  for (guint i = 0; format->params_beside && format->params_beside[i]; i++)
    {
      const char      *ending = format->params_beside[i];
      g_autofree char *path = NULL;

      if (strchr (ending, '#'))
        {
          *why = epoch >= 0 ? N_ ("the epoch that was asked for")
                            : N_ ("the highest epoch beside the model");
          path = find_epoch (prefix, ending, epoch);
        }
      else if (epoch < 0)
        {
          *why = N_ ("the same name beside the model");
          path = g_strconcat (prefix, ending, NULL);
        }
      if (path && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  return NULL;
}

/* TRUE if the name of a parameter file belongs to the name of a graph file of the format. */
static gboolean
is_beside (const HybFormat *format, const char *graph, const char *params)
{
  g_autofree char *prefix = hyb_format_dup_prefix (format, graph);

  for (guint i = 0; format->params_beside && format->params_beside[i]; i++)
    {
      const char *ending = format->params_beside[i];

      if (strchr (ending, '#')
              ? epoch_of (params, prefix, ending) >= 0
              : g_str_has_prefix (params, prefix) && strcmp (params + strlen (prefix), ending) == 0)
        return TRUE;
    }
  return FALSE;
}

char *
hyb_format_find_graph (const char *params)
{
  g_autofree char *folder = g_path_get_dirname (params);
  g_autofree char *name = g_path_get_basename (params);
  g_autofree char *found = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *entry;

  while (dir && (entry = g_dir_read_name (dir)))
    {
      const HybFormat *format = hyb_format_of_path (entry);
      g_autofree char *path = g_build_filename (folder, entry, NULL);

      if (format && format->read_graph && (!found || strcmp (path, found) < 0) &&
          is_beside (format, entry, name) && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        {
          g_free (found);
          found = g_steal_pointer (&path);
        }
    }
  return g_steal_pointer (&found);
}

/* --- Weights --- */

/* The format that reads weights from bytes, or the fallback, which reports their actual kind. */
static const HybFormat *
format_of_weights (GBytes *bytes)
{
  const HybFormat *format = hyb_format_of_bytes (bytes);

  if (format && format->read_weights)
    return format;
  for (guint i = 0; table[i]; i++)
    if (table[i]->is_fallback && table[i]->read_weights)
      return table[i];
  g_return_val_if_reached (NULL);
}

HybTensorList *
hyb_weights_read_file (const char *path, HybFinding **trouble, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (path, 0, error);
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (GError) failure = NULL;

  if (!bytes)
    return NULL;
  list = format_of_weights (bytes)->read_weights (bytes, path, trouble, &failure);
  if (!hyb_mapped_file_check (g_bytes_get_data (bytes, NULL), error))
    {
      if (trouble)
        g_clear_pointer (trouble, hyb_finding_free);
      return NULL;
    }
  if (!list)
    g_propagate_error (error, g_steal_pointer (&failure));
  return g_steal_pointer (&list);
}

typedef struct
{
  const HybFormat *format;
  HybTensorList   *list;
} WeightsToWrite;

static gboolean
write_weights (GOutputStream *out, gpointer data, GError **error)
{
  const WeightsToWrite *weights = data;

  return weights->format->write_weights (weights->list, out, error);
}

gboolean
hyb_weights_write_file (HybTensorList *list, const char *path, GError **error)
{
  WeightsToWrite weights = { hyb_format_of_path (path), list };
  g_autoptr (GError) failure = NULL;

  if (!weights.format || !weights.format->write_weights)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, path,
                         "Name it *.npz, *.npy, *.params, *.csv or *.safetensors",
                         "the name does not say in which format arrays should be written");

  if (hyb_file_replace (path, write_weights, &weights, &failure))
    return TRUE;
  if (failure->domain == HYB_FORMAT_ERROR)
    g_prefix_error (&failure, "%s: ", path);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* --- Interface --- */

HybTensorList *
hyb_arrays_read (const char *path, GError **error)
{
  g_return_val_if_fail (path, NULL);
  return hyb_weights_read_file (path, NULL, error);
}

gboolean
hyb_arrays_write (HybTensorList *list, const char *path, GError **error)
{
  g_return_val_if_fail (list && path, FALSE);
  return hyb_weights_write_file (list, path, error);
}
