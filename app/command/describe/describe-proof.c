/* describe-proof.c — the result of comparing two models' numbers, as JSON and as text.
 *
 * Differences are absolute, or relative to the largest element of the array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-proof.h"

#include "engine/base/one-line.h"

#include <stdio.h>

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
  if (!proof->device_work[0])
    return;
  scope_json_begin_list (json, "gpu_work");
  for (guint i = 0; i < G_N_ELEMENTS (proof->device_work); i++)
    scope_json_string (json, NULL, proof->device_work[i]);
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
            hyb_one_line (proof->worst_output),
            proof->worst_index);
  for (guint i = 0; i < G_N_ELEMENTS (proof->device_work); i++)
    if (proof->device_work[i])
      printf ("%s model: %s\n", i == 0 ? "first" : "second", proof->device_work[i]);
}
