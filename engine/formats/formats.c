/* formats.c — the table of formats, and choosing from it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/format.h"

#include "engine/formats/file.h"
#include "engine/formats/mxnet-params.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/formats/npy.h"
#include "engine/formats/npz.h"

static gboolean
write_symbol (HybGraph *graph, GOutputStream *out, GError **error)
{
  gsize            length;
  g_autofree char *text = hyb_symbol_print (graph, &length);

  return g_output_stream_write_all (out, text, length, NULL, NULL, error);
}

/* Readers that word their own place lack a finding of their own. */
static void
explain (HybFinding **trouble, const char *where, GError *const *error)
{
  if (!trouble)
    return;

  *trouble = hyb_finding_new ("truncated",
                              HYB_SEVERITY_ERROR,
                              "%s",
                              error && *error ? (*error)->message : "unreadable");
  (*trouble)->file = g_strdup (where);
}

static HybTensorList *
read_npz (GBytes *bytes, const char *where, HybFinding **trouble, GError **error)
{
  HybTensorList *list = hyb_npz_read (bytes, where, error);

  if (!list)
    explain (trouble, where, error);
  return list;
}

/* One array, without a name: a list of one. */
static HybTensorList *
read_npy (GBytes *bytes, const char *where, HybFinding **trouble, GError **error)
{
  g_autoptr (HybTensor) tensor = hyb_npy_read (bytes, where, error);
  HybTensorList *list;

  if (!tensor)
    {
      explain (trouble, where, error);
      return NULL;
    }

  list = hyb_tensor_list_new ();
  hyb_tensor_list_set (list, "0", tensor);
  return list;
}

static const HybFormat mxnet_symbol = {
  .id = "mxnet-symbol",
  .label = "MXNet symbol",
  .patterns = (const char *[]){ "*-symbol.json", "*.json", "*.json.gz", NULL },
  .sniff = HYB_SNIFF_JSON,
  .read_graph = hyb_symbol_read,
  .write_graph = write_symbol,
};

static const HybFormat mxnet_params = {
  .id = "mxnet-params",
  .label = "MXNet parameters",
  .patterns = (const char *[]){ "*.params", "*.nd", NULL },
  .sniff = HYB_SNIFF_PARAMS,
  .read_weights = hyb_ndarrays_read,
  .write_weights = hyb_ndarrays_write,
};

static const HybFormat npz = {
  .id = "npz",
  .label = "NumPy arrays",
  .patterns = (const char *[]){ "*.npz", NULL },
  .sniff = HYB_SNIFF_ZIP,
  .read_weights = read_npz,
  .write_weights = hyb_npz_write,
};

static const HybFormat npy = {
  .id = "npy",
  .label = "A NumPy array",
  .patterns = (const char *[]){ "*.npy", NULL },
  .sniff = HYB_SNIFF_NPY,
  .read_weights = read_npy,
};

static const HybFormat *const formats[] = { &mxnet_symbol, &mxnet_params, &npz, &npy, NULL };

const HybFormat *const *
hyb_formats (void)
{
  return formats;
}

const HybFormat *
hyb_format_of_bytes (GBytes *bytes)
{
  gsize         length;
  gconstpointer data = g_bytes_get_data (bytes, &length);
  HybSniff      sniff = hyb_sniff (data, length);

  for (guint i = 0; formats[i]; i++)
    if (formats[i]->sniff == sniff)
      return formats[i];
  return NULL;
}

const HybFormat *
hyb_format_of_path (const char *path)
{
  for (guint i = 0; formats[i]; i++)
    for (guint k = 0; formats[i]->patterns[k]; k++)
      if (g_pattern_match_simple (formats[i]->patterns[k], path))
        return formats[i];
  return NULL;
}

HybTensorList *
hyb_weights_read_file (const char *path, HybFinding **trouble, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (path, 0, error);
  const HybFormat *format = bytes ? hyb_format_of_bytes (bytes) : NULL;

  if (!bytes)
    return NULL;
  if (format && format->read_weights)
    return format->read_weights (bytes, path, trouble, error);

  /* It says what the file is instead. */
  return hyb_ndarrays_read (bytes, path, trouble, error);
}

typedef struct
{
  const HybFormat *format;
  HybTensorList   *list;
} WeightsToWrite;

static gboolean
write_weights (GOutputStream *out, gpointer data, GError **error)
{
  const WeightsToWrite *what = data;

  return what->format->write_weights (what->list, out, error);
}

gboolean
hyb_weights_write_file (HybTensorList *list, const char *path, GError **error)
{
  WeightsToWrite what = { hyb_format_of_path (path), list };

  if (!what.format || !what.format->write_weights)
    return hyb_error_at (error,
                         HYB_FORMAT_ERROR,
                         HYB_FORMAT_ERROR_UNKNOWN,
                         path,
                         "Name it *.params or *.npz",
                         "the name does not say in which format arrays should be written");

  return hyb_file_replace (path, write_weights, &what, error);
}
