/* convert.c — hscope convert: writes a recurrent model in another form, a quantised one with floats, or any
 * with narrower weights.
 *
 * The result is compared with the original (check_proof()) before anything is written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/convert/convert-files.h"
#include "app/command/convert/convert-float.h"
#include "app/command/convert/convert-weights.h"
#include "app/command/describe/describe-proof.h"
#include "app/command/describe/describe.h"
#include "app/command/frame/command.h"
#include "app/command/frame/complete-model.h"
#include "app/command/frame/inputs.h"
#include "app/command/frame/open-model.h"

#include "engine/analysis/model-types.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/formats/format.h"
#include "engine/formats/npz.h"
#include "engine/quantised/narrow-model.h"
#include "engine/variants/match-bodies.h"
#include "engine/variants/variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  char    *to, *weights, *input, *output;
  double   tolerance;
  gint64   length, opset;
  gboolean per_layer, force, matches, simplify;
} ConvertOptions;

/* float is not a form of a recurrent model: convert-float.c writes it. */
static gboolean
is_to_float (const ConvertOptions *options)
{
  return options->to && strcmp (options->to, "float") == 0;
}

static gboolean
check_options (const ConvertOptions *options, HybForm *form, GError **error)
{
  if (!options->output)
    scope_usage_error (error, "hscope convert needs --output NAME");
  else if (options->opset != 0 && !scope_find_output_format (options->output))
    scope_usage_error (error,
                       "--opset is a version of ONNX' operators, and the output is no *.onnx file");
  else if (options->opset < 0 || options->opset > 100 || (options->opset > 0 && options->opset < 9))
    scope_usage_error (error,
                       "--opset %" G_GINT64_FORMAT ": operators are written in versions from 9 on",
                       options->opset);
  else if (options->simplify && (options->to || options->weights || options->opset != 0))
    scope_usage_error (error, "--simplify keeps the form, the weights and the version: convert the "
                              "result again");
  else if (options->to && options->weights)
    scope_usage_error (error,
                       "--to and --weights are two conversions: convert the result of one again");
  else if (options->weights && !hyb_narrow_type_find (options->weights))
    scope_usage_error (error, "--weights %s: unknown type; there are float16, bfloat16 and int8",
                       options->weights);
  else if (options->tolerance < 0 || (options->tolerance > 0 && !options->weights))
    scope_usage_error (error, "--tolerance %g: a number above 0, together with --weights",
                       options->tolerance);
  else if (options->to && !is_to_float (options) && !hyb_form_from_name (options->to, form))
    scope_usage_error (error,
                       "--to %s: unknown form; there are unrolled, foreach, while, fused and float",
                       options->to);
  else if (options->length < 0)
    scope_usage_error (error,
                       "--length %" G_GINT64_FORMAT ": the number of steps cannot be negative",
                       options->length);
  else
    return TRUE;
  return FALSE;
}

/* Says that the models differ; FALSE with an error if nothing is written. */
static gboolean
report_difference (const HybProof *proof, gboolean is_written, GError **refused)
{
  const char *end = is_written ? "" : "; nothing was written";
  const char *output = proof->worst_output ? proof->worst_output : "an output";
  g_autoptr (GError) error = NULL;

  if (proof->verdict == HYB_PROOF_OPEN)
    g_set_error (&error, SCOPE_ERROR, SCOPE_ERROR_DIFFERS,
                 "the converted model is not shown to be equal: %s%s",
                 (char *) proof->gaps->pdata[0], end);
  else if (proof->difference)
    g_set_error (&error, SCOPE_ERROR, SCOPE_ERROR_DIFFERS,
                 "the converted model is another one: %s%s", proof->difference, end);
  else if (!isfinite (proof->max_abs))
    g_set_error (&error, SCOPE_ERROR, SCOPE_ERROR_DIFFERS,
                 "the converted model differs at %s: only one of the models returns a finite "
                 "number there%s",
                 output, end);
  else
    g_set_error (&error, SCOPE_ERROR, SCOPE_ERROR_DIFFERS,
                 "the converted model differs by %g at %s, which is more than rounding%s",
                 proof->max_abs, output, end);
  if (is_written)
    {
      scope_print_message (HYB_SEVERITY_WARNING, "%s", error->message);
      return TRUE;
    }
  hyb_error_add_remedy (&error, HYB_REMEDY_UNPROVED, NULL);
  g_propagate_error (refused, g_steal_pointer (&error));
  return FALSE;
}

/* The shapes of the inputs do not fit the model, so that no form of it can run. */
static gboolean
has_wrong_shapes (const GError *error)
{
  return g_error_matches (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES);
}

/* Comparisons before anything is written. */
typedef struct
{
  HybModel *model, *converted;
  gboolean  force; /* it is written whatever comes out */
} Compared;

/* Compares the variant with the model.  With an error unless it may be written. */
static int
check_proof (const Compared        *compared,
             const HybProveOptions *options,
             HybProof              *proof,
             GError               **error)
{
  gboolean force = compared->force;
  g_autoptr (GError) local_error = NULL;

  if (!hyb_prove (compared->model, compared->converted, options, proof, &local_error))
    {
      proof->ok = FALSE;
      if (!force)
        {
          g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED,
                       "the conversion cannot be checked: %s", local_error->message);
          if (hyb_error_get_remedy (local_error) != HYB_REMEDY_NONE)
            hyb_error_copy_remedy (error, local_error);
          else
            hyb_error_add_remedy (error,
                                  has_wrong_shapes (local_error) ? HYB_REMEDY_SHAPES
                                                                 : HYB_REMEDY_UNPROVED,
                                  NULL);
          return SCOPE_EXIT_FAILED;
        }
      scope_print_message (HYB_SEVERITY_WARNING, "written without a proof: %s",
                           local_error->message);
    }
  else if (!proof->ok && !report_difference (proof, force, error))
    return SCOPE_EXIT_CHECK_FAILED;
  return SCOPE_EXIT_DONE;
}

/* The path of a body, as the window names it: "foreach0", or "while0/body".  (transfer full) */
static char *
dup_body_name (const HybNode *loop, guint body)
{
  if (loop->n_bodies == 1 || !loop->op->body_names)
    return g_strdup (loop->name);
  return g_strdup_printf ("%s/%s", loop->name, loop->op->body_names[body]);
}

/* One [old node, new node, step or -1] per match; where the new node is a loop, the body and the node
 * inside it that has the same role follow in lists of five.  Nodes are named, since files do not keep
 * ids. */
static void
describe_matches (ScopeJson *json, HybModel *model, const HybVariant *variant)
{
  HybGraph *a = hyb_model_get_graph (model), *b = hyb_model_get_graph (variant->model);
  g_autoptr (GArray) inner = hyb_match_bodies (a, b, variant->matches);

  scope_json_begin_list (json, "matches");
  for (guint i = 0; i < variant->matches->len; i++)
    {
      const HybMatch *match = &g_array_index (variant->matches, HybMatch, i);

      scope_json_begin_list (json, NULL);
      scope_json_string (json, NULL, hyb_graph_get_node (a, match->a)->name);
      scope_json_string (json, NULL, hyb_graph_get_node (b, match->b)->name);
      scope_json_int (json, NULL, match->step);
      scope_json_end (json);
    }
  for (guint i = 0; i < inner->len; i++)
    {
      const HybBodyMatch *match = &g_array_index (inner, HybBodyMatch, i);
      const HybNode      *loop = hyb_graph_get_node (b, match->loop);
      HybGraph           *body = hyb_graph_get_bodies (b, match->loop)[match->body];
      g_autofree char    *name = dup_body_name (loop, match->body);

      scope_json_begin_list (json, NULL);
      scope_json_string (json, NULL, hyb_graph_get_node (a, match->a)->name);
      scope_json_string (json, NULL, loop->name);
      scope_json_int (json, NULL, match->step);
      scope_json_string (json, NULL, name);
      scope_json_string (json, NULL, hyb_graph_get_node (body, match->node)->name);
      scope_json_end (json);
    }
  scope_json_end (json);
}

/* The steps of the conversion, for the output. */
typedef struct
{
  HybModel              *model;
  const ScopeCompletion *completion;
  const HybVariant      *variant;
  const HybProof        *proof;
  GPtrArray             *written; /* names of files */
} Done;

static void
print_json (const ConvertOptions *options, const Done *done)
{
  const HybVariant *variant = done->variant;
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_describe_strings (json, "written", done->written);
  scope_json_begin_list (json, "recognised");
  for (guint i = 0; i < variant->recognised->len; i++)
    {
      const HybRecognised *entry = &g_array_index (variant->recognised, HybRecognised, i);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "cell", entry->cell);
      scope_json_int (json, "layers", entry->layers);
      scope_json_string (json, "direction", entry->direction);
      scope_json_int (json, "hidden", entry->hidden);
      scope_json_int (json, "steps", entry->steps);
      scope_json_end (json);
    }
  scope_json_end (json);
  if (options->to)
    scope_json_boolean (json, "unchanged", hyb_variant_is_unchanged (done->model, variant));
  scope_json_begin_object (json, "proof");
  scope_describe_proof (json, done->proof);
  scope_json_end (json);
  scope_describe_completion (json, done->model, done->completion);
  if (options->matches)
    describe_matches (json, done->model, variant);
  scope_json_print (json);
}

static void
print_text (const HybVariant *variant, const HybProof *proof, GPtrArray *written)
{
  for (guint i = 0; i < variant->recognised->len; i++)
    {
      const HybRecognised *entry = &g_array_index (variant->recognised, HybRecognised, i);
      g_autofree char     *layers = scope_dup_count (entry->layers, "layer");
      g_autofree char     *units = scope_dup_count ((guint64) entry->hidden, "unit");
      g_autofree char     *steps = scope_dup_count (entry->steps, "step");

      printf ("%s: %s, %s, %s, %s\n", entry->cell, layers, entry->direction, units, steps);
    }
  scope_print_proof (proof);
  scope_print_all_written (written);
}

/* A file that is written as it was read; its operators need not be known, and nothing has to be proved. */
static int
write_copy (const ConvertOptions *options, HybModel *model, gboolean is_json, GError **error)
{
  g_autoptr (GPtrArray) files = NULL;
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);

  files = scope_find_output_format (options->output)
              ->prepare (&(HybWriteJob){ .model = model, .path = options->output }, error);
  if (!files || !hyb_written_files_commit (files, written, error))
    return SCOPE_EXIT_FAILED;
  if (is_json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_describe_strings (json, "written", written);
      scope_json_print (json);
    }
  for (guint i = 0; i < written->len && !is_json; i++)
    printf ("wrote %s\n", (const char *) written->pdata[i]);
  return SCOPE_EXIT_DONE;
}

/* Prints the findings of the conversion, and that it changed nothing. */
static void
print_notes (const ConvertOptions *options, HybModel *model, const HybVariant *variant)
{
  if (variant->model != model)
    scope_print_findings (variant->model, HYB_SEVERITY_NOTE);
  if (options->to && hyb_variant_is_unchanged (model, variant))
    scope_print_message (HYB_SEVERITY_NOTE,
                         "the model has nothing to write as %s: layers, loops and cells stay as "
                         "they are",
                         options->to);
}

/* A note for each input whose sizes the model leaves open and the written file does not. */
static void
print_fixed_sizes (HybModel *model, HybModel *result)
{
  HybGraph           *graph = hyb_model_get_graph (model), *written = hyb_model_get_graph (result);
  g_autofree HybType *open = hyb_model_new_declared_types (model);
  g_autofree HybType *types = hyb_model_new_declared_types (result);
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, variables[i]);
      HybNodeId        id = hyb_graph_find_variable (written, node->name);
      const HybShape  *before = &open[node->first_output].shape, *after;
      g_autofree char *text = NULL;
      gboolean         is_fixed = FALSE;

      if (id == HYB_NO_ID)
        continue;
      after = &types[hyb_graph_get_node (written, id)->first_output].shape;
      for (int a = 0; a < MIN (before->rank, after->rank); a++)
        is_fixed |= before->dim[a] < 0 && after->dim[a] >= 0;
      text = hyb_shape_to_string (after);
      if (is_fixed)
        scope_print_message (HYB_SEVERITY_NOTE,
                             "%s: the written file has the shape %s, of which the model leaves "
                             "dimensions open; --shape %s=… chooses others",
                             node->name, text, node->name);
    }
}

/* TRUE and a note if a file that would be simplified keeps its number of nodes. */
static gboolean
is_simple (const ConvertOptions *options, HybModel *model, HybModel *result)
{
  guint before = scope_count_nodes (model), after = scope_count_nodes (result);

  if (!options->simplify || after < before)
    return FALSE;
  scope_print_message (HYB_SEVERITY_NOTE,
                       "there is nothing to simplify: %u nodes would be %u; the file is copied",
                       before, after);
  return TRUE;
}

static int
run_convert (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const ConvertOptions  *options = data;
  ScopeCompletionOptions complete = { .length = options->length, .fills = TRUE };
  HybConvertOptions      convert = { .length = options->length, .per_layer = options->per_layer };
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybTensorList) inputs = NULL;
  g_autoptr (HybTensorList) larger = NULL;
  g_autoptr (HybVariant) variant = NULL;
  ScopeWrittenConversion conversion;
  g_auto (HybProof) proof = { 0 };
  g_auto (ScopeCompletion) completion = { 0 };
  HybProveOptions prove = { 0 };
  gint64          opset = options->opset;
  int             code;
  g_auto (ScopeResult) result = { 0 };
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);

  if (!check_options (options, &convert.form, error))
    return SCOPE_EXIT_FAILED;
  convert.is_free = scope_find_output_format (options->output) != NULL;
  if (!(model = scope_open_model (common, files, error)))
    return SCOPE_EXIT_FAILED;
  if (options->simplify && !scope_find_own_opset (options->output, model, &opset, error))
    return SCOPE_EXIT_FAILED;
  if (!options->to && !options->weights && opset == 0 &&
      scope_is_same_format (options->output, model))
    return write_copy (options, model, common->json, error);
  if ((options->input && !(input = hyb_npz_read_file (options->input, error))))
    return SCOPE_EXIT_FAILED;

  scope_set_declared_types (input, model);
  complete.given = input;
  if (!scope_complete_model (&completion, common, model, &complete, error))
    return SCOPE_EXIT_FAILED;
  convert.input = inputs = scope_shaped_inputs (&completion.common, model, input, error);
  if (!inputs)
    return SCOPE_EXIT_FAILED;
  if (options->weights)
    return scope_convert_weights (model,
                                  &(ScopeConvertWeights){ .type = options->weights,
                                                          .is_made = !input,
                                                          .inputs = inputs,
                                                          .tolerance = options->tolerance,
                                                          .output = options->output,
                                                          .force = options->force,
                                                          .json = common->json },
                                  error);
  if (is_to_float (options))
    return scope_convert_to_float (model,
                                   &(ScopeConvertFloat){ inputs, options->output, options->force,
                                                         common->json },
                                   error);
  variant = options->to ? hyb_variant_convert (model, &convert, error)
                        : hyb_variant_keep (model, inputs, error);
  conversion = (ScopeWrittenConversion){ options->output, opset, model, &convert, &variant, NULL };
  if (!variant || !scope_result_prepare (&result, &conversion, error))
    return SCOPE_EXIT_FAILED;
  larger = conversion.input;
  if (is_simple (options, model, result.model))
    return write_copy (options, model, common->json, error);
  print_notes (options, model, variant);
  if (result.model)
    print_fixed_sizes (model, result.model);
  prove.input = inputs;
  prove.is_made = !input;
  prove.variant = result.model || variant->lowered ? NULL : variant;
  code = check_proof (&(Compared){ model, result.model ? result.model : variant->model,
                                   options->force },
                      &prove, &proof, error);
  if (code != SCOPE_EXIT_DONE)
    return code;
  if (!scope_result_write (&result, options->output, variant->model, written, error))
    return SCOPE_EXIT_FAILED;
  if (common->json)
    print_json (options, &(Done){ model, &completion, variant, &proof, written });
  else
    print_text (variant, &proof, written);
  return SCOPE_EXIT_DONE;
}

static const GOptionEntry convert_options[] = {
  { SCOPE_OPTION (ConvertOptions, STRING, "to", to),
    "Form to convert to: unrolled, foreach, while or fused; or float, from a quantised model",
    "FORM" },
  { SCOPE_OPTION (ConvertOptions, STRING, "weights", weights),
    "Instead of --to: round the weights to float16, bfloat16 or int8, and keep float arithmetic",
    "TYPE" },
  { SCOPE_OPTION (ConvertOptions, DOUBLE, "tolerance", tolerance),
    "With --weights: how much outputs may differ, relative to 1 + the largest (default: by type)",
    "X" },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (ConvertOptions, output),
    "Write NAME.onnx, or PREFIX-symbol.json and PREFIX-0000.params", "NAME.onnx|PREFIX" },
  { SCOPE_OPTION (ConvertOptions, INT64, "opset", opset),
    "Write all nodes anew in this version of ONNX' operators (default for a graph of MXNet: 17)",
    "N" },
  { SCOPE_OPTION (ConvertOptions, NONE, "simplify", simplify),
    "Write an ONNX file anew in its own version: constants are computed, unused nodes left out",
    NULL },
  { "input", 'i', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (ConvertOptions, input),
    "Arrays by variable name, which fix shapes and are used in the proof", "IN.npz" },
  { SCOPE_OPTION (ConvertOptions, INT64, "length", length),
    "Number of time steps, if nothing else determines it", "T" },
  { SCOPE_OPTION (ConvertOptions, NONE, "per-layer", per_layer),
    "With --to fused: one fused operator per layer", NULL },
  { SCOPE_OPTION (ConvertOptions, NONE, "force", force), "Write the model even if the proof fails",
    NULL },
  { SCOPE_OPTION (ConvertOptions, NONE, "matches", matches),
    "With --json: list which new node replaces which old one, and in which step", NULL },
  { 0 },
};

static const char *const examples[] = {
  "hscope convert gallery:lstm-hybrid --to fused --output fused",
  "hscope convert fused-symbol.json --to unrolled --length 5 --output unrolled",
  "hscope convert fused-symbol.json --weights float16 --output half",
  "hscope convert fused-symbol.json --output fused.onnx",
  "hscope convert fused.onnx --to unrolled --length 5 --output unrolled.onnx",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "output", NULL },
  { 0 },
};

static const ScopeChoices convert_choices[] = {
  { "to", "unrolled foreach while fused float" },
  { "weights", "float16 bfloat16 int8" },
  { 0 },
};

const ScopeCommand scope_command_convert = {
  .name = "convert",
  .arguments = "MODEL [PARAMS]",
  .summary = "Convert a model to another form or format, to floats, or to narrower weights",
  .n_files = { 1, 2 },
  .option_groups =
      SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES | SCOPE_OPTIONS_EACH | SCOPE_OPTIONS_TARGET,
  .examples = examples,
  .outputs = outputs,
  .options = convert_options,
  .choices = convert_choices,
  .options_size = sizeof (ConvertOptions),
  .run = run_convert,
};
