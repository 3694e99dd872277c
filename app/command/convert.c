/* convert.c — a model in another form: hscope convert.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"
#include "app/command/describe-proof.h"

#include "engine/formats/npz.h"
#include "engine/open/open.h"
#include "engine/variants/variant.h"

#include <stdio.h>

typedef struct
{
  char    *to, *input, *output;
  gint64   length;
  gboolean per_layer, force, matches;
} ConvertOptions;

static gboolean
check_options (const ConvertOptions *options, HybForm *form, GError **error)
{
  if (!options->to || !options->output)
    g_set_error_literal (error,
                         SCOPE_ERROR,
                         SCOPE_ERROR_USAGE,
                         "hscope convert needs --to FORM and --output PREFIX");
  else if (!hyb_form_from_name (options->to, form))
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_USAGE,
                 "--to %s: one of unrolled, foreach, while, fused is possible",
                 options->to);
  else if (options->length < 0)
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_USAGE,
                 "--length %" G_GINT64_FORMAT " is no number of steps",
                 options->length);
  else
    return TRUE;
  return FALSE;
}

/* FALSE: it may not be written; without an error it was compared and is not equal. */
static gboolean
check_proof (const ConvertOptions *options,
             HybModel             *model,
             const HybVariant     *variant,
             HybTensorList        *input,
             HybProof             *proof,
             GError              **error)
{
  HybProveOptions wanted = { .input = input, .variant = variant };
  g_autoptr (GError) own = NULL;

  if (!hyb_prove (model, variant->model, &wanted, proof, &own))
    {
      proof->ok = FALSE;
      if (!options->force)
        {
          g_set_error (error,
                       SCOPE_ERROR,
                       SCOPE_ERROR_FAILED,
                       "the conversion cannot be proved: %s (--force writes it all the same)",
                       own->message);
          return FALSE;
        }
      scope_say (HYB_SEVERITY_WARNING, "not proved: %s", own->message);
    }
  else if (!proof->ok)
    scope_say (options->force ? HYB_SEVERITY_WARNING : HYB_SEVERITY_ERROR,
               "the two differ by %g at %s, which is more than rounding%s",
               proof->max_abs,
               proof->worst_output ? proof->worst_output : "an output",
               options->force ? "" : "; nothing is written without --force");
  return proof->ok || options->force;
}

/* [old node, what stands for it, step or -1]: by name, for ids are not kept in files. */
static void
describe_matches (ScopeJson *json, HybModel *model, const HybVariant *variant)
{
  HybGraph *a = hyb_model_get_graph (model), *b = hyb_model_get_graph (variant->model);

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
  scope_json_end (json);
}

static void
print_json (const ConvertOptions *options,
            HybModel             *model,
            const HybVariant     *variant,
            const HybProof       *proof,
            GPtrArray            *written)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_begin_list (json, "written");
  for (guint i = 0; i < written->len; i++)
    scope_json_string (json, NULL, written->pdata[i]);
  scope_json_end (json);
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
  scope_json_begin_object (json, "proof");
  scope_describe_proof (json, proof);
  scope_json_end (json);
  if (options->matches)
    describe_matches (json, model, variant);
  scope_json_print (json);
}

static void
print_text (const HybVariant *variant, const HybProof *proof, GPtrArray *written)
{
  for (guint i = 0; i < variant->recognised->len; i++)
    {
      const HybRecognised *entry = &g_array_index (variant->recognised, HybRecognised, i);

      printf ("%s: %u layers, %s, %" G_GINT64_FORMAT " units, %u steps\n",
              entry->cell,
              entry->layers,
              entry->direction,
              entry->hidden,
              entry->steps);
    }
  scope_print_proof (proof);
  for (guint i = 0; i < written->len; i++)
    printf ("written: %s\n", (const char *) written->pdata[i]);
}

/* What a model of the gallery is usually run with, unless other shapes are given. */
static gboolean
add_usual (HybModel *model, HybTensorList *list, GError **error)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (hyb_model_get_graph (model), &n);

  for (guint i = 0; i < n; i++)
    {
      const char    *name = hyb_graph_get_node (hyb_model_get_graph (model), variables[i])->name;
      const HybType *usual = hyb_model_get_input_type (model, name);
      g_autoptr (HybTensor) zeros = NULL;

      if (!usual || !hyb_type_is_known (usual))
        continue;
      zeros = hyb_tensor_new_zeros (usual, error);
      if (!zeros)
        return FALSE;
      hyb_tensor_list_set (list, name, zeros);
    }
  return TRUE;
}

/* Zeros for every --shape: they fix shapes as arrays from a file do. */
static HybTensorList *
add_shapes (const ScopeCommon *common, HybModel *model, HybTensorList *input, GError **error)
{
  g_autoptr (HybTensorList) list = input ? hyb_tensor_list_ref (input) : hyb_tensor_list_new ();

  if (!input && !common->shapes && !add_usual (model, list, error))
    return NULL;
  for (guint i = 0; common->shapes && common->shapes[i]; i++)
    {
      HybType          type = { .dtype = HYB_F32 };
      g_autofree char *name = NULL;
      g_autoptr (HybTensor) zeros = NULL;

      if (!scope_parse_shape (common->shapes[i], &name, &type.shape, error))
        return NULL;
      if (!hyb_shape_is_known (&type.shape) || hyb_tensor_list_has (list, name))
        continue;
      zeros = hyb_tensor_new_zeros (&type, error);
      if (!zeros)
        return NULL;
      hyb_tensor_list_set (list, name, zeros);
    }
  return g_steal_pointer (&list);
}

static int
run_convert (const ScopeCommon *common, gpointer data, char **files, GError **error)
{
  const ConvertOptions *options = data;
  HybConvertOptions     wanted = { .length = options->length, .per_layer = options->per_layer };
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybTensorList) shaped = NULL;
  g_autoptr (HybVariant) variant = NULL;
  g_auto (HybProof) proof = { 0 };
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);

  if (!check_options (options, &wanted.form, error))
    return SCOPE_EXIT_USAGE;
  if (!(model = scope_open_model (common, files, error)) ||
      (options->input && !(input = hyb_npz_read_file (options->input, error))))
    return SCOPE_EXIT_FILE;

  wanted.input = shaped = add_shapes (common, model, input, error);
  if (!shaped)
    return SCOPE_EXIT_USAGE;
  variant = hyb_variant_convert (model, &wanted, error);
  if (!variant)
    return SCOPE_EXIT_MODEL;
  if (variant->model != model)
    scope_say_findings (variant->model, HYB_SEVERITY_NOTE);
  if (!check_proof (options, model, variant, shaped, &proof, error))
    return *error ? SCOPE_EXIT_MODEL : SCOPE_EXIT_NO;
  if (!hyb_model_save (variant->model, options->output, 0, written, error))
    return SCOPE_EXIT_FILE;
  if (common->json)
    print_json (options, model, variant, &proof, written);
  else
    print_text (variant, &proof, written);
  return SCOPE_EXIT_DONE;
}

static const GOptionEntry convert_options[] = {
  { "to",
    0,
    0,
    G_OPTION_ARG_STRING,
    SCOPE_INTO (ConvertOptions, to),
    "unrolled, foreach, while or fused",
    "FORM" },
  { "output",
    'o',
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_INTO (ConvertOptions, output),
    "PREFIX-symbol.json and PREFIX-0000.params are written",
    "PREFIX" },
  { "input",
    'i',
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_INTO (ConvertOptions, input),
    "Arrays by name of variable: they fix shapes, and the proof uses them",
    "IN.npz" },
  { "length",
    0,
    0,
    G_OPTION_ARG_INT64,
    SCOPE_INTO (ConvertOptions, length),
    "Number of steps, where nothing else says it",
    "T" },
  { "per-layer",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_INTO (ConvertOptions, per_layer),
    "One fused operator a layer",
    NULL },
  { "force",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_INTO (ConvertOptions, force),
    "Write even what could not be proved",
    NULL },
  { "matches",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_INTO (ConvertOptions, matches),
    "With --json: which new node stands for which old one, and in which step",
    NULL },
  { 0 },
};

const ScopeCommand scope_command_convert = {
  .name = "convert",
  .arguments = "MODEL [PARAMS]",
  .summary = "Write a recurrent model in another form: unrolled, foreach, while, fused",
  .n_files = { 1, 2 },
  .groups = SCOPE_GROUP_MODEL | SCOPE_GROUP_TYPES,
  .options = convert_options,
  .options_size = sizeof (ConvertOptions),
  .run = run_convert,
};
