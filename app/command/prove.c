/* prove.c — whether two pairs compute the same: hscope prove.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"
#include "app/command/describe-proof.h"

#include "engine/formats/npz.h"
#include "engine/variants/prove.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  char *input, *params_b;
} ProveOptions;

void
scope_describe_proof (ScopeJson *json, const HybProof *proof)
{
  scope_json_int (json, "inputs", proof->n_inputs);
  scope_json_double (json, "max_abs", proof->max_abs);
  scope_json_double (json, "max_rel", proof->max_rel);
  scope_json_boolean (json, "gradients", proof->gradients);
  scope_json_double (json, "tolerance", proof->tolerance);
  scope_json_boolean (json, "ok", proof->ok);
  scope_json_begin_object (json, "worst");
  scope_json_string (json, "output", proof->worst_output);
  scope_json_int (json, "index", proof->worst_index);
  scope_json_end (json);
}

void
scope_print_proof (const HybProof *proof)
{
  printf ("%s on %u inputs%s: largest difference %.3g (%.3g of the largest element), tolerance "
          "%.3g\n",
          proof->ok ? "equal" : "NOT equal",
          proof->n_inputs,
          proof->gradients ? ", with gradients" : ", without gradients",
          proof->max_abs,
          proof->max_rel,
          proof->tolerance);
  if (proof->worst_output && !proof->ok)
    printf ("largest at %s, element %" G_GINT64_FORMAT "\n",
            proof->worst_output,
            proof->worst_index);
}

static int
run_prove (const ScopeCommon *common, gpointer data, char **files, GError **error)
{
  const ProveOptions *options = data;
  char               *b_files[] = { files[1], NULL, NULL };
  char               *a_files[] = { files[0], NULL };
  ScopeCommon         b_common = *common;
  g_autoptr (HybModel) a = NULL;
  g_autoptr (HybModel) b = NULL;
  g_autoptr (HybTensorList) input = NULL;
  g_auto (HybProof) proof = { 0 };
  HybProveOptions wanted = { .seed = (guint64) common->seed };

  b_common.params = options->params_b;
  if (!(a = scope_open_model (common, a_files, error)) ||
      !(b = scope_open_model (&b_common, b_files, error)) ||
      (options->input && !(input = hyb_npz_read_file (options->input, error))))
    return SCOPE_EXIT_FILE;
  wanted.input = input;
  if (!hyb_prove (a, b, &wanted, &proof, error))
    return SCOPE_EXIT_MODEL;

  if (common->json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_describe_proof (json, &proof);
      scope_json_print (json);
    }
  else
    scope_print_proof (&proof);
  return proof.ok ? SCOPE_EXIT_DONE : SCOPE_EXIT_NO;
}

static const GOptionEntry prove_options[] = {
  { "input",
    'i',
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_INTO (ProveOptions, input),
    "Arrays by name of variable: they fix shapes, and are one of the inputs",
    "IN.npz" },
  { "params-b",
    0,
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_INTO (ProveOptions, params_b),
    "Parameters of the second model; without it those beside it",
    "FILE" },
  { 0 },
};

const ScopeCommand scope_command_prove = {
  .name = "prove",
  .arguments = "A B",
  .summary = "Run two models on random inputs, forward and backward, and compare",
  .n_files = { 2, 2 },
  .groups = SCOPE_GROUP_MODEL | SCOPE_GROUP_RUN,
  .options = prove_options,
  .options_size = sizeof (ProveOptions),
  .run = run_prove,
};
