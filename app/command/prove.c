/* prove.c — hscope prove: checks that two models compute the same numbers.
 *
 * hyb_prove() runs both on random inputs, forward and backward, and compares.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-proof.h"
#include "app/command/frame/command.h"
#include "app/command/frame/complete-model.h"
#include "app/command/frame/inputs.h"
#include "app/command/frame/open-model.h"
#include "app/command/open-device.h"

#include "engine/formats/model-files.h"
#include "engine/formats/npz.h"
#include "engine/variants/proof/prove.h"

typedef struct
{
  char *input, *params_b;
} ProveOptions;

/* Shapes are guessed for one model and then hold for both: for the second one if only its shapes fit the other, as
 * the shapes of an unrolled loop fit a loop of any length. */
static gboolean
leads_second (const ScopeCommonOptions *common, HybModel *a, HybModel *b)
{
  return !common->no_guess && !scope_guesses_fit (common, a, b) && scope_guesses_fit (common, b, a);
}

/* FALSE and a usage error if --init was given but all parameters have values. */
static gboolean
check_init (const ScopeCommonOptions *common, guint n_filled, GError **error)
{
  if (!common->init || n_filled > 0)
    return TRUE;
  return scope_usage_error (error,
                            "--init %s: the models have values for their parameters; leave the "
                            "option out",
                            common->init);
}

static int
run_prove (const ScopeCommonOptions *given, gpointer data, char **files, GError **error)
{
  const ProveOptions       *options = data;
  char                     *b_files[] = { files[1], NULL, NULL };
  char                     *a_files[] = { files[0], NULL };
  ScopeCommonOptions        a_common = *given, b_common = *given;
  const ScopeCommonOptions *common = &a_common;
  g_autoptr (HybModel) a = NULL;
  g_autoptr (HybModel) b_read = NULL;
  g_autoptr (HybModel) b = NULL;
  g_autoptr (HybTensorList) input = NULL;
  g_auto (HybProof) proof = { 0 };
  g_auto (ScopeCompletion) completion = { 0 };
  g_auto (ScopeCompletion) other_completion = { 0 };
  g_autoptr (HybTensorList) inputs = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  gboolean               is_swapped;
  HybModel              *first, *second;
  ScopeCompletionOptions complete = { 0 };
  HybExecutorOptions     run = { .mode = common->mode ? scope_common_options_get_mode (common)
                                                      : HYB_MODE_HYBRID,
                                 .training = common->train,
                                 .without = (const char *const *) common->without,
                                 .seed = (guint64) common->seed };
  HybProveOptions        prove_options = { .seed = (guint64) common->seed, .run = &run };

  if (!scope_open_device (common, &gpu, error))
    return SCOPE_EXIT_FAILED;
  prove_options.gpu = gpu;
  b_common.params = options->params_b;
  /* An epoch belongs to the model whose file is not named. */
  if (common->params && !b_common.params)
    a_common.epoch = HYB_EPOCH_HIGHEST;
  if (b_common.params && !common->params)
    b_common.epoch = HYB_EPOCH_HIGHEST;
  if (!(a = scope_open_model (common, a_files, error)) ||
      !(b_read = scope_open_model (&b_common, b_files, error)) ||
      (options->input && !(input = hyb_npz_read_file (options->input, error))))
    return SCOPE_EXIT_FAILED;
  b = scope_align_inputs (b_read, a);
  scope_set_declared_types (input, a);
  /* Random values beside real ones would only prove that they differ. */
  complete.given = input;
  complete.fills = hyb_model_n_parameters (a) == 0 && hyb_model_n_parameters (b) == 0;
  is_swapped = !input && leads_second (common, a, b);
  first = is_swapped ? b : a;
  second = is_swapped ? a : b;
  if (!scope_complete_model (&completion, is_swapped ? &b_common : common, first, &complete,
                             error) ||
      !(inputs = scope_shaped_inputs (&completion.common, first, input, error)))
    return SCOPE_EXIT_FAILED;
  complete.given = inputs;
  if (!scope_complete_model (&other_completion, is_swapped ? common : &b_common, second, &complete,
                             error))
    return SCOPE_EXIT_FAILED;
  if (!check_init (common, completion.n_filled + other_completion.n_filled, error))
    return SCOPE_EXIT_FAILED;
  prove_options.input = hyb_tensor_list_n (inputs) > 0 ? inputs : NULL;
  prove_options.is_made = !input;
  if (!hyb_prove (a, b, &prove_options, &proof, error))
    return SCOPE_EXIT_FAILED;

  if (common->json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_describe_proof (json, &proof);
      scope_describe_completion (json, first, &completion);
      scope_json_print (json);
    }
  else
    scope_print_proof (&proof);
  return proof.ok ? SCOPE_EXIT_DONE : SCOPE_EXIT_CHECK_FAILED;
}

static const GOptionEntry prove_options[] = {
  { "input", 'i', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (ProveOptions, input),
    "Arrays by variable name, which fix shapes and are one of the inputs compared", "IN.npz" },
  { SCOPE_OPTION (ProveOptions, FILENAME, "params-b", params_b),
    "Parameter file of the second model (default: found beside it)", "FILE" },
  { 0 },
};

static const char *const examples[] = {
  "hscope prove gallery:lstm-hybrid gallery:lstm-hybrid",
  "hscope new lenet --output net && hscope prove net-symbol.json net-symbol.json --seed 7",
  NULL,
};

const ScopeCommand scope_command_prove = {
  .name = "prove",
  .arguments = "A B",
  .summary =
      "Check that two models compute the same, forward and backward, on inputs of many scales",
  .n_files = { 2, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES | SCOPE_OPTIONS_RUN |
                   SCOPE_OPTIONS_EACH | SCOPE_OPTIONS_TARGET,
  .unused_options = "dump-after random-values",
  .examples = examples,
  .options = prove_options,
  .options_size = sizeof (ProveOptions),
  .run = run_prove,
};
