/* describe-proof.c — the result of comparing two models' numbers, as JSON and as text.
 *
 * Differences are absolute, or relative to the largest element of the array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-proof.h"

#include "engine/base/one-line.h"

#include <stdio.h>

#define MAX_GAPS 10 /* printed */

static const char *const verdicts[] = { "equal", "different", "open" };
static const char *const verdict_texts[] = { "equal", "NOT equal", "NOT shown to be equal" };

void
scope_describe_proof (ScopeJson *json, const HybProof *proof)
{
  scope_json_int (json, "inputs", proof->n_inputs);
  scope_json_double (json, "max_abs", proof->max_abs);
  scope_json_double (json, "max_rel", proof->max_rel);
  scope_json_boolean (json, "gradients", proof->gradients);
  scope_json_double (json, "tolerance", proof->tolerance);
  scope_json_boolean (json, "ok", proof->ok);
  scope_json_string (json, "verdict", verdicts[proof->verdict]);
  scope_json_boolean (json, "training", proof->training);
  scope_json_int (json, "float64_inputs", proof->n_double);
  scope_json_double (json, "smallest_scale", proof->low);
  scope_json_double (json, "largest_scale", proof->high);
  scope_json_int (json, "not_compared", (gint64) proof->n_not_numbers);
  scope_json_begin_list (json, "not_reached");
  for (guint i = 0; proof->gaps && i < proof->gaps->len; i++)
    scope_json_string (json, NULL, proof->gaps->pdata[i]);
  scope_json_end (json);
  scope_json_string (json, "difference", proof->difference);
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

/* The runs of the proof, and the outputs that were not compared. */
static void
print_coverage (const HybProof *proof)
{
  if (proof->high > 0)
    printf ("numbers of scales 0 and %g to %g, both signs%s, in %s mode\n", proof->low, proof->high,
            proof->n_double > 0 ? ", in float64 element by element" : "",
            proof->training ? "training" : "prediction");
  if (proof->n_not_numbers > 0)
    printf ("%" G_GUINT64_FORMAT " elements are NaN in both models and were not compared\n",
            proof->n_not_numbers);
  for (guint i = 0; proof->gaps && i < MIN (proof->gaps->len, MAX_GAPS); i++)
    printf ("not reached: %s\n", hyb_one_line (proof->gaps->pdata[i]));
  if (proof->gaps && proof->gaps->len > MAX_GAPS)
    printf ("not reached: %u more\n", proof->gaps->len - MAX_GAPS);
}

void
scope_print_proof (const HybProof *proof)
{
  printf ("%s on %u inputs%s: largest difference %.3g (%.3g of the largest element), tolerance "
          "%.3g\n",
          verdict_texts[proof->verdict], proof->n_inputs,
          proof->gradients ? ", with gradients" : ", without gradients", proof->max_abs,
          proof->max_rel, proof->tolerance);
  if (proof->difference)
    printf ("%s\n", hyb_one_line (proof->difference));
  else if (proof->worst_output && proof->verdict == HYB_PROOF_DIFFERENT)
    printf ("largest at %s, element %" G_GINT64_FORMAT "\n", hyb_one_line (proof->worst_output),
            proof->worst_index);
  print_coverage (proof);
  for (guint i = 0; i < G_N_ELEMENTS (proof->device_work); i++)
    if (proof->device_work[i])
      printf ("%s model: %s\n", i == 0 ? "first" : "second", proof->device_work[i]);
}
