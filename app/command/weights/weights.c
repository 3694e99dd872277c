/* weights.c — hscope weights: shows, compares and converts the arrays of parameter files.
 *
 * With two files the arrays are compared by name.  Start at run_weights().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/tensor-summary.h"
#include "app/command/describe/describe.h"
#include "app/command/frame/command.h"
#include "app/command/weights/weights-rnn.h"

#include "engine/base/error.h"
#include "engine/base/one-line.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"

#include <math.h>
#include <stdio.h>

typedef struct
{
  char           *to;
  ScopeRnnOptions rnn;
} WeightsOptions;

/* A verdict for output.  *largest: the largest absolute difference, NaN if the shapes differ. */
static const char *
compare_tensors (HybTensor *a, HybTensor *b, double *largest)
{
  ScopeDifference difference;

  *largest = NAN;
  if (!a || !b)
    return a == b ? "same" : "only in one file";
  if (!hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)))
    return "other shape";

  scope_difference_compute (&difference, a, b, NULL);
  *largest = difference.largest;
  if (*largest > 0)
    return "differs";
  return hyb_tensor_get_dtype (a) == hyb_tensor_get_dtype (b) ? "same" : "other type";
}

typedef struct
{
  const ScopeCommonOptions *common;
  ScopeJson                *json;
  gboolean                  is_same;
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
    printf ("%-40s %s\n", hyb_one_line (name), verdict);
  else if (!comparison->common->json)
    printf ("%-40s %s, %.6g\n", hyb_one_line (name), verdict, largest);
}

static gboolean
compare_lists (const ScopeCommonOptions *common,
               ScopeJson                *json,
               HybTensorList            *a,
               HybTensorList            *b)
{
  Comparison comparison = { common, json, TRUE };

  scope_json_begin_list (json, "differences");
  for (guint i = 0; i < hyb_tensor_list_n (a); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (a, i);

      compare_entry (&comparison, entry->name, entry->tensor,
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

/* Nothing for a count of 0. */
static void
print_count (gint64 count, const char *what)
{
  if (count > 0)
    printf ("  %" G_GINT64_FORMAT " %s", count, what);
}

static void
print_tensors (HybTensorList *list)
{
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      g_autofree char      *type = NULL;
      ScopeSummary          summary;

      if (!entry->tensor)
        {
          printf ("%-40s (empty)\n", hyb_one_line (entry->name));
          continue;
        }
      type = hyb_type_to_string (hyb_tensor_get_type (entry->tensor));
      scope_summary_compute (&summary, entry->tensor, NULL);
      printf ("%-40s %-24s %11.5g … %-11.5g mean %11.5g  deviation %11.5g",
              hyb_one_line (entry->name), type, summary.statistics.minimum,
              summary.statistics.maximum, summary.statistics.mean, summary.statistics.deviation);
      print_count (summary.n_zeros, "zeros");
      print_count (summary.statistics.n_nan, "NaN");
      print_count (summary.statistics.n_infinite, "infinite");
      printf ("\n");
    }
}

static void
print_list_findings (HybTensorList *list)
{
  GPtrArray *findings = hyb_tensor_list_get_findings (list);

  for (guint i = 0; i < findings->len; i++)
    scope_print_message (((HybFinding *) findings->pdata[i])->severity, "%s",
                         ((HybFinding *) findings->pdata[i])->message);
}

/* Refuses an npz archive named *.params.  With a model it is accepted, as MXNet 2 writes such
 * files; here it would mislead, since MXNet 1 cannot read it. */
static gboolean
check_file_name (const char *file, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  const HybFormat *format;

  if (!g_str_has_suffix (file, ".params"))
    return TRUE;
  bytes = hyb_file_read (file, 0, NULL);
  format = bytes ? hyb_format_of_bytes (bytes) : NULL;
  if (!format || !g_str_equal (format->id, "npz"))
    return TRUE;
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, file,
                       "Rename it to .npz; then --to FILE.params writes a file that MXNet 1 reads",
                       "the file is an npz archive (of NumPy or MXNet 2), which MXNet 1 cannot "
                       "read under this name");
}

static int
run_weights (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const WeightsOptions *options = data;
  g_autoptr (HybTensorList) read = NULL;
  g_autoptr (HybTensorList) other = NULL;
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (ScopeJson) json = NULL;
  gboolean is_same = TRUE;

  if (!check_file_name (files[0], error))
    return SCOPE_EXIT_FAILED;
  read = hyb_weights_read_file (files[0], NULL, error);
  if (!read || (files[1] && !(other = hyb_weights_read_file (files[1], NULL, error))))
    return SCOPE_EXIT_FAILED;

  print_list_findings (read);
  list = scope_rnn_convert (&options->rnn, read, error);
  if (!list || (options->to && !hyb_weights_write_file (list, options->to, error)))
    return SCOPE_EXIT_FAILED;

  json = scope_json_new ();
  if (common->json)
    scope_describe_tensors (json, list);
  else if (!other)
    print_tensors (list);
  if (other)
    is_same = compare_lists (common, json, list, other);
  if (common->json)
    scope_json_print (json);
  return is_same ? SCOPE_EXIT_DONE : SCOPE_EXIT_CHECK_FAILED;
}

static const GOptionEntry weights_options[] = {
  { SCOPE_OPTION (WeightsOptions, FILENAME, "to", to),
    "Write the arrays to another file: .npz, .params, .safetensors; a single one: .npy, .csv",
    "FILE" },
  { SCOPE_OPTION (WeightsOptions, NONE, "pack", rnn.pack),
    "Pack the weights of recurrent cells into flat vectors, as fused RNN operators take them",
    NULL },
  { SCOPE_OPTION (WeightsOptions, NONE, "unpack", rnn.unpack),
    "Unpack flat vectors into one array per gate", NULL },
  { SCOPE_OPTION (WeightsOptions, NONE, "stacked", rnn.stacked),
    "With --unpack: keep all gates of a matrix in one array, as unfused cells take them", NULL },
  { SCOPE_OPTION (WeightsOptions, FILENAME, "symbol", rnn.symbol),
    "Model that determines the layout of the flat vectors", "MODEL" },
  { SCOPE_OPTION (WeightsOptions, STRING, "cell", rnn.cell),
    "Kind of cell: lstm, gru, rnn_tanh or rnn_relu", "CELL" },
  { SCOPE_OPTION (WeightsOptions, INT64, "hidden", rnn.hidden), "Hidden units of a cell", "N" },
  { SCOPE_OPTION (WeightsOptions, INT, "layers", rnn.layers), "Number of layers (default: 1)",
    "N" },
  { SCOPE_OPTION (WeightsOptions, NONE, "bidirectional", rnn.bidirectional),
    "The cells run in both directions", NULL },
  { SCOPE_OPTION (WeightsOptions, INT64, "projection", rnn.projection),
    "Size of the projection of an LSTM, if it has one", "N" },
  { 0 },
};

static const char *const examples[] = {
  "hscope new lstm-lm --output net && hscope weights net-0000.params",
  "hscope weights net-0000.params --to net.npz",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "to", ".npz", SCOPE_ARRAY_ENDINGS },
  { 0 },
};

static const ScopeChoices weights_choices[] = {
  { "cell", "lstm gru rnn_tanh rnn_relu" },
  { 0 },
};

const ScopeCommand scope_command_weights = {
  .name = "weights",
  .arguments = "FILE [FILE]",
  .summary = "Show, compare, convert, pack or unpack the arrays of a parameter file",
  .n_files = { 1, 2 },
  .examples = examples,
  .outputs = outputs,
  .options = weights_options,
  .choices = weights_choices,
  .options_size = sizeof (WeightsOptions),
  .run = run_weights,
};
