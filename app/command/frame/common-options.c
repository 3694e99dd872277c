/* common-options.c — options that several commands share: the table, checks and parsers.
 *
 * Start at common_options: a new option is a row there and a member of ScopeCommonOptions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/common-options.h"

#include "app/command/frame/messages.h"

#include "engine/analysis/pass.h"
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"
#include "engine/block/plugin.h"
#include "engine/formats/model-files.h"

#include <math.h>
#include <string.h>

#define MAX_THREADS 4096
#define MAX_JOBS    256
/* Steps instead of time, so that the same file is refused on every machine. */
#define STEPS_PER_SECOND 5e6

typedef struct
{
  ScopeOptionGroups group; /* 0: every command has it */
  GOptionEntry      entry;
} CommonOption;

static const CommonOption common_options[] = {
  { 0,
    { SCOPE_OPTION (ScopeCommonOptions, NONE, "json", json),
      "Print one JSON document and nothing else on stdout", NULL } },
  { 0,
    { SCOPE_OPTION (ScopeCommonOptions, NONE, "quiet", quiet),
      "Print results, warnings and errors only: no notes, no progress, no names of files written",
      NULL } },
  { 0,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "progress", progress),
      "How to show progress on stderr: json, bar or none", "HOW" } },
  { 0,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "limit-memory", limit_memory),
      "Memory that reading a file may take (default: 256M and six times the file), and a run "
      "(default: all)",
      "BYTES[K|M|G]" } },
  { 0,
    { SCOPE_OPTION (ScopeCommonOptions, DOUBLE, "limit-work", limit_work),
      "Time that inferring the shapes of a file may take, five million steps a second (default: 2)",
      "SECONDS" } },
  { 0,
    { SCOPE_OPTION (ScopeCommonOptions, INT64, "limit-cpu", limit_cpu),
      "Processor time of all threads together (default: no limit; with hscope --sandbox one hour "
      "for each processor)",
      "SECONDS" } },
  { SCOPE_OPTIONS_MODEL,
    { SCOPE_OPTION (ScopeCommonOptions, FILENAME, "params", params),
      "Parameter file (default: found beside the model)", "FILE" } },
  { SCOPE_OPTIONS_MODEL,
    { SCOPE_OPTION (ScopeCommonOptions, INT64, "epoch", epoch),
      "Which parameter file beside the model to use (default: the highest epoch)", "N" } },
  { SCOPE_OPTIONS_MODEL,
    { SCOPE_OPTION (ScopeCommonOptions, FILENAME_ARRAY, "plugin", plugins),
      "Load operators from a module (repeatable)", "FILE.so" } },
  { SCOPE_OPTIONS_TYPES,
    { SCOPE_OPTION (ScopeCommonOptions, STRING_ARRAY, "shape", shapes),
      "Shape of an input; ? is an unknown dimension (repeatable)", "NAME=1,3,224,224" } },
  { SCOPE_OPTIONS_TYPES,
    { SCOPE_OPTION (ScopeCommonOptions, STRING_ARRAY, "dim", dims),
      "Size of a dimension that the file names (repeatable)", "NAME=4" } },
  { SCOPE_OPTIONS_TYPES,
    { SCOPE_OPTION (ScopeCommonOptions, NONE, "no-guess", no_guess),
      "Refuse inputs with open dimensions instead of guessing them", NULL } },
  { SCOPE_OPTIONS_TYPES,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "dtype", dtype),
      "Element type of the inputs named by --shape", "TYPE" } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "device", device),
      "Device to run on: cpu or gpu[:N]", "DEVICE" } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "math", math),
      "How a GPU multiplies float32: precise (default) or fast, which may round to TF32", "HOW" } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, INT, "threads", threads),
      "Number of threads (default: all cores)", "N" } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, INT64, "seed", seed), "Seed for random numbers", "N" } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "mode", mode),
      "imperative: operator by operator; hybrid: planned; static: planned, memory allocated once",
      "MODE" } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, NONE, "train", train),
      "Run the forward pass in training mode", NULL } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "init", init),
      "Fill arrays that no file provides: zeros, uniform or xavier", "HOW" } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, NONE, "random-values", random_values),
      "The parameters of the file are random, as after a conversion that filled them; noted in "
      "captures",
      NULL } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, STRING_ARRAY, "plan-without", without),
      "Skip an optimisation pass (repeatable; hscope info --passes lists them)", "PASS" } },
  { SCOPE_OPTIONS_RUN,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "dump-after", dump_after),
      "Print the graph to stderr after this pass", "PASS" } },
  { SCOPE_OPTIONS_FOLD,
    { SCOPE_OPTION (ScopeCommonOptions, NONE, "fold-parameters", fold_parameters),
      "Compute values from parameters alone once, while planning, instead of in every run; results "
      "stay the same",
      NULL } },
  { SCOPE_OPTIONS_FOLD,
    { SCOPE_OPTION (ScopeCommonOptions, NONE, "freeze-parameters", freeze_parameters),
      "Treat parameters as constants, as in ONNX files: norms and filters are folded into "
      "convolutions, and faster kernels are chosen, which round differently",
      NULL } },
  { SCOPE_OPTIONS_EACH,
    { SCOPE_OPTION (ScopeCommonOptions, FILENAME, "each", each),
      "Do this for each model in FOLDER and below it, in processes of their own; --json prints a "
      "line for each",
      "FOLDER" } },
  { SCOPE_OPTIONS_EACH,
    { SCOPE_OPTION (ScopeCommonOptions, INT, "jobs", jobs),
      "With --each: models at a time (default: one for each processor)", "N" } },
  { SCOPE_OPTIONS_TARGET,
    { SCOPE_OPTION (ScopeCommonOptions, STRING, "target", target),
      "Run on this machine of the list (hscope targets); files go there and results come back",
      "NAME" } },
};

const ScopeRange scope_common_ranges[] = {
  { "epoch", 0, 1e9, HYB_EPOCH_HIGHEST },
  { "seed", -INFINITY, INFINITY, 0 },
  { "threads", 1, MAX_THREADS, 0 },
  { "jobs", 1, MAX_JOBS, 0 },
  { 0 },
};

const ScopeChoices scope_common_choices[] = {
  { "mode", "imperative hybrid static" },
  { "init", "zeros uniform xavier" },
  { "math", "precise fast" },
  { "progress", "json bar none" },
  { 0 },
};

GArray *
scope_common_options_list (ScopeOptionGroups groups, const char *unused)
{
  GArray *entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  g_auto (GStrv) names = g_strsplit (unused ? unused : "", " ", -1);

  for (guint i = 0; i < G_N_ELEMENTS (common_options); i++)
    if ((common_options[i].group == 0 || groups & common_options[i].group) &&
        !g_strv_contains ((const char *const *) names, common_options[i].entry.long_name))
      g_array_append_val (entries, common_options[i].entry);
  return entries;
}

gboolean
scope_load_operators (const ScopeCommonOptions *common, GError **error)
{
  for (guint i = 0; common->plugins && common->plugins[i]; i++)
    if (!hyb_operators_load (common->plugins[i], error))
      return FALSE;
  return hyb_operators_load_listed (error);
}

/* --- Checks --- */

static gboolean
check_pass (const char *option, const char *name, GError **error)
{
  if (!name || hyb_pass_find (name))
    return TRUE;

  return scope_usage_error (error,
                            "--%s %s: there is no such pass; hscope info --passes lists them",
                            option, name);
}

static gboolean
check_passes (const ScopeCommonOptions *common, GError **error)
{
  for (guint i = 0; common->without && common->without[i]; i++)
    if (!check_pass ("plan-without", common->without[i], error))
      return FALSE;
  return check_pass ("dump-after", common->dump_after, error);
}

/* Parses "512M" into bytes. */
static gboolean
parse_bytes (const char *text, guint64 *bytes)
{
  static const char units[] = "KMGT";
  char             *end;
  guint64           number = g_ascii_strtoull (text, &end, 10);
  const char       *unit = *end ? strchr (units, g_ascii_toupper (*end)) : NULL;
  guint             shift = unit ? 10 * (guint) (unit - units + 1) : 0;

  if (!g_ascii_isdigit (*text) || number == 0 || (*end && (!unit || end[1])) ||
      number > G_MAXUINT64 >> shift)
    return FALSE;
  *bytes = number << shift;
  return TRUE;
}

gboolean
scope_common_options_set_limits (const ScopeCommonOptions *common, GError **error)
{
  guint64 memory = 0;

  if (common->limit_memory && !parse_bytes (common->limit_memory, &memory))
    return scope_usage_error (error,
                              "--limit-memory %s: the limit must be a number of bytes, or one with "
                              "K, M or G",
                              common->limit_memory);
  /* 0: the default. */
  hyb_limits_set (memory, common->limit_work > 0
                              ? (guint64) MAX (common->limit_work * STEPS_PER_SECOND, 1)
                              : 0);
  return TRUE;
}

static gboolean
refuse (const char *option, const char *value, const char *what, GError **error)
{
  return scope_usage_error (error, "--%s %s: %s", option, value, what);
}

/* Names and dimensions depend on the model and are checked with it. */
static gboolean
check_types (const ScopeCommonOptions *common, GError **error)
{
  if (common->dtype && hyb_dtype_from_name (common->dtype) != HYB_DTYPE_UNKNOWN && !common->shapes)
    return refuse ("dtype", common->dtype,
                   "it is the type of inputs that --shape names; add --shape", error);
  if (common->jobs > 0 && !common->each)
    return refuse ("jobs", "N", "it needs --each FOLDER", error);
  if (common->dtype && hyb_dtype_from_name (common->dtype) == HYB_DTYPE_UNKNOWN)
    return refuse ("dtype", common->dtype, "unknown element type; write it as in float32", error);
  for (guint i = 0; common->dims && common->dims[i]; i++)
    if (!scope_parse_dim (common->dims[i], NULL, NULL))
      return refuse ("dim", common->dims[i], "write it as NAME=4", error);
  for (guint i = 0; common->shapes && common->shapes[i]; i++)
    if (!strchr (common->shapes[i], '='))
      return refuse ("shape", common->shapes[i], "write it as NAME=1,3,224,224", error);
  return TRUE;
}

/* value: (nullable) the given text. */
static gboolean
check_choice (const ScopeChoices *choices, const char *value, GError **error)
{
  g_auto (GStrv) values = g_strsplit (choices->values, " ", -1);
  g_autofree char *list = g_strjoinv (", ", values);

  if (!value || g_strv_contains ((const char *const *) values, value))
    return TRUE;
  return scope_usage_error (error, "--%s %s: the value must be one of %s", choices->option, value,
                            list);
}

/* Parameters change in training, and only a plan has a place for values computed earlier. */
static gboolean
check_folding (const ScopeCommonOptions *common, GError **error)
{
  const char *option = common->freeze_parameters ? "freeze" : "fold";
  const char *clash = common->train ? "--train: training changes parameters"
                      : g_strcmp0 (common->mode, "imperative") == 0
                          ? "--mode imperative: there is no plan that could keep results"
                          : NULL;

  if ((!common->fold_parameters && !common->freeze_parameters) || !clash)
    return TRUE;
  return scope_usage_error (error, "--%s-parameters with %s", option, clash);
}

gboolean
scope_common_options_check (const ScopeCommonOptions *common, GError **error)
{
  /* In the order of scope_common_choices. */
  const char *const given[] = { common->mode, common->init, common->math, common->progress };

  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    if (!check_choice (&scope_common_choices[i], given[i], error))
      return FALSE;

  if (common->device && strcmp (common->device, "cpu") != 0 &&
      !g_str_has_prefix (common->device, "gpu"))
    return scope_usage_error (error, "--device %s: the device must be cpu or gpu[:N]",
                              common->device);
  return check_types (common, error) && check_passes (common, error) &&
         check_folding (common, error);
}

gboolean
scope_check_folding (const ScopeCommonOptions *common, gboolean backward, GError **error)
{
  if ((!common->fold_parameters && !common->freeze_parameters) || !backward)
    return TRUE;
  return scope_usage_error (error,
                            "--%s-parameters with --backward: gradients are needed of parameters, "
                            "which training changes",
                            common->freeze_parameters ? "freeze" : "fold");
}

/* --- Parsers --- */

HybMode
scope_common_options_get_mode (const ScopeCommonOptions *common)
{
  if (g_strcmp0 (common->mode, "imperative") == 0)
    return HYB_MODE_IMPERATIVE;
  return g_strcmp0 (common->mode, "hybrid") == 0 ? HYB_MODE_HYBRID : HYB_MODE_STATIC;
}

gboolean
scope_parse_dim (const char *text, char **name, gint64 *size)
{
  const char *sign = strrchr (text, '=');
  gint64      value;

  if (!sign || sign == text ||
      !g_ascii_string_to_signed (sign + 1, 10, 0, G_MAXINT32, &value, NULL))
    return FALSE;
  if (name)
    *name = g_strndup (text, (gsize) (sign - text));
  if (size)
    *size = value;
  return TRUE;
}

gboolean
scope_parse_shape (const char *text, char **name, HybShape *shape, GError **error)
{
  const char *equals = strrchr (text, '=');
  g_auto (GStrv) dims = NULL;

  if (!equals || equals == text)
    return scope_usage_error (error, "--shape %s: write it as NAME=1,3,224,224", text);

  *shape = (HybShape){ .rank = 0 };
  dims = g_strsplit_set (equals + 1, ",x", -1);
  for (guint i = 0; dims[i]; i++)
    {
      gint64 dim = HYB_UNKNOWN;
      char  *given = g_strstrip (g_strdelimit (dims[i], "()[]", ' '));

      if (!*given && !dims[i + 1]) /* "NAME=" has no dimensions, "NAME=3," one */
        break;
      if ((strcmp (given, "?") != 0 &&
           !g_ascii_string_to_signed (given, 10, 0, (gint64) 1 << 48, &dim, NULL)) ||
          shape->rank == HYB_MAX_RANK)
        return scope_usage_error (error,
                                  shape->rank == HYB_MAX_RANK
                                      ? "--shape %s: too many dimensions at “%s”"
                                  : *given
                                      ? "--shape %s: “%s” is not a valid dimension"
                                      : "--shape %s: a dimension between two commas is missing%s",
                                  text, given);
      shape->dim[shape->rank++] = dim;
    }

  *name = g_strndup (text, (gsize) (equals - text));
  return TRUE;
}
