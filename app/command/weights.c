/* weights.c — arrays of a file, their statistics, and other forms: hscope weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"
#include "app/command/describe.h"
#include "app/command/weights-rnn.h"

#include "engine/base/error.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"

#include <math.h>
#include <stdio.h>

typedef struct
{
  char           *to;
  ScopeRnnOptions rnn;
} WeightsOptions;

static double
largest_difference (HybTensor *a, HybTensor *b)
{
  double largest = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    {
      double x = hyb_tensor_get_value (a, i), y = hyb_tensor_get_value (b, i);

      if (isnan (x) && isnan (y))
        continue;
      largest = fmax (largest, isnan (x) || isnan (y) ? INFINITY : fabs (x - y));
    }
  return largest;
}

/* “same”, “differs”, “other shape”, “only here”; the largest difference where there is one. */
static const char *
compare_tensors (HybTensor *a, HybTensor *b, double *largest)
{
  *largest = NAN;
  if (!a || !b)
    return a == b ? "same" : "only in one file";
  if (!hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)))
    return "other shape";

  *largest = largest_difference (a, b);
  if (*largest > 0)
    return "differs";
  return hyb_tensor_get_dtype (a) == hyb_tensor_get_dtype (b) ? "same" : "other type";
}

typedef struct
{
  const ScopeCommon *common;
  ScopeJson         *json;
  gboolean           is_same;
} Comparison;

static void
compare_entry (Comparison *comparison, const char *name, HybTensor *a, HybTensor *b)
{
  double      largest;
  const char *verdict = compare_tensors (a, b, &largest);

  comparison->is_same = comparison->is_same && g_str_equal (verdict, "same");
  scope_json_begin_object (comparison->json, NULL);
  scope_json_string (comparison->json, "name", name);
  scope_json_string (comparison->json, "verdict", verdict);
  scope_json_double (comparison->json, "max_abs", largest);
  scope_json_end (comparison->json);
  if (!comparison->common->json && isnan (largest))
    printf ("%-40s %s\n", name, verdict);
  else if (!comparison->common->json)
    printf ("%-40s %s, %.6g\n", name, verdict, largest);
}

static gboolean
compare_lists (const ScopeCommon *common, ScopeJson *json, HybTensorList *a, HybTensorList *b)
{
  Comparison comparison = { common, json, TRUE };

  scope_json_begin_list (json, "differences");
  for (guint i = 0; i < hyb_tensor_list_n (a); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (a, i);

      compare_entry (&comparison,
                     entry->name,
                     entry->tensor,
                     hyb_tensor_list_find (b, entry->name));
    }
  for (guint i = 0; i < hyb_tensor_list_n (b); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (b, i);

      if (!hyb_tensor_list_has (a, entry->name))
        compare_entry (&comparison, entry->name, NULL, entry->tensor);
    }
  scope_json_end (json);
  scope_json_boolean (json, "same", comparison.is_same);
  return comparison.is_same;
}

static void
print_tensors (HybTensorList *list)
{
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      g_autofree char      *type = NULL;
      HybStatistics         statistics;

      if (!entry->tensor)
        {
          printf ("%-40s holds nothing\n", entry->name);
          continue;
        }
      type = hyb_type_to_string (hyb_tensor_get_type (entry->tensor));
      hyb_tensor_statistics (entry->tensor, &statistics);
      printf ("%-40s %-24s %11.5g … %-11.5g mean %11.5g  deviation %11.5g",
              entry->name,
              type,
              statistics.minimum,
              statistics.maximum,
              statistics.mean,
              statistics.deviation);
      if (statistics.n_nan > 0)
        printf ("  %" G_GINT64_FORMAT " NaN", statistics.n_nan);
      printf ("\n");
    }
}

static void
say_list_findings (HybTensorList *list)
{
  GPtrArray *findings = hyb_tensor_list_get_findings (list);

  for (guint i = 0; i < findings->len; i++)
    scope_say (((HybFinding *) findings->pdata[i])->severity,
               "%s",
               ((HybFinding *) findings->pdata[i])->message);
}

/* An archive that calls itself *.params may be read with a model, as MXNet 2 does; by
 * itself, who converts it wants to know that MXNet 1 will not take it. */
static gboolean
check_name (const char *file, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  const HybFormat *format;

  if (!g_str_has_suffix (file, ".params"))
    return TRUE;
  bytes = hyb_file_read (file, 0, NULL);
  format = bytes ? hyb_format_of_bytes (bytes) : NULL;
  if (!format || !g_str_equal (format->id, "npz"))
    return TRUE;
  return hyb_error_at (
      error,
      HYB_FORMAT_ERROR,
      HYB_FORMAT_ERROR_UNKNOWN,
      file,
      "Give it a name that ends in .npz; then --to FILE.params makes what MXNet 1 reads",
      "this is an npz archive, as NumPy and MXNet 2 write it, which MXNet 1 cannot "
      "read under this name");
}

static int
run_weights (const ScopeCommon *common, gpointer data, char **files, GError **error)
{
  const WeightsOptions *options = data;
  g_autoptr (HybTensorList) read = NULL;
  g_autoptr (HybTensorList) other = NULL;
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (ScopeJson) json = NULL;
  gboolean is_same = TRUE;

  if (!check_name (files[0], error))
    return SCOPE_EXIT_FILE;
  read = hyb_weights_read_file (files[0], NULL, error);
  if (!read || (files[1] && !(other = hyb_weights_read_file (files[1], NULL, error))))
    return SCOPE_EXIT_FILE;

  say_list_findings (read);
  list = scope_rnn_convert (&options->rnn, read, error);
  if (!list || (options->to && !hyb_weights_write_file (list, options->to, error)))
    return SCOPE_EXIT_FILE;

  json = scope_json_new ();
  if (common->json)
    scope_describe_tensors (json, list);
  else if (!other)
    print_tensors (list);
  if (other)
    is_same = compare_lists (common, json, list, other);
  if (common->json)
    scope_json_print (json);
  return is_same ? SCOPE_EXIT_DONE : SCOPE_EXIT_NO;
}

static const GOptionEntry weights_options[] = {
  { "to",
    0,
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_INTO (WeightsOptions, to),
    "Write the arrays to another file: *.npz or *.params",
    "FILE" },
  { "pack",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_INTO (WeightsOptions, rnn.pack),
    "Put weights of recurrent cells together into flat vectors",
    NULL },
  { "unpack",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_INTO (WeightsOptions, rnn.unpack),
    "Take flat vectors apart into arrays per gate",
    NULL },
  { "stacked",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_INTO (WeightsOptions, rnn.stacked),
    "With --unpack: all gates of a matrix in one array, as unfused cells have them",
    NULL },
  { "symbol",
    0,
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_INTO (WeightsOptions, rnn.symbol),
    "The model that says which cells there are",
    "MODEL" },
  { "cell",
    0,
    0,
    G_OPTION_ARG_STRING,
    SCOPE_INTO (WeightsOptions, rnn.cell),
    "lstm, gru, rnn_tanh or rnn_relu",
    "CELL" },
  { "hidden",
    0,
    0,
    G_OPTION_ARG_INT64,
    SCOPE_INTO (WeightsOptions, rnn.hidden),
    "Units of a cell",
    "N" },
  { "layers",
    0,
    0,
    G_OPTION_ARG_INT,
    SCOPE_INTO (WeightsOptions, rnn.layers),
    "Layers (default: 1)",
    "N" },
  { "bidirectional",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_INTO (WeightsOptions, rnn.bidirectional),
    "Two directions",
    NULL },
  { "projection",
    0,
    0,
    G_OPTION_ARG_INT64,
    SCOPE_INTO (WeightsOptions, rnn.projection),
    "Size of the projection, if there is one",
    "N" },
  { 0 },
};

const ScopeCommand scope_command_weights = {
  .name = "weights",
  .arguments = "FILE [FILE]",
  .summary = "Show, compare, convert, pack and unpack arrays of a file",
  .n_files = { 1, 2 },
  .options = weights_options,
  .options_size = sizeof (WeightsOptions),
  .run = run_weights,
};
