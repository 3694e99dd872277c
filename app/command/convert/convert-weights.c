/* convert-weights.c — hscope convert --weights float16, bfloat16 and int8.
 *
 * Rounded weights change the outputs: the difference that hyb_prove() measures on several inputs is
 * printed, and refused above the tolerance.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/convert/convert-weights.h"

#include "app/command/describe/describe-proof.h"
#include "app/command/describe/describe.h"
#include "engine/base/remedy.h"
#include "engine/open/open.h"
#include "engine/quantised/narrow-model.h"
#include "engine/variants/proof/prove.h"

#include <stdio.h>

/* Whether MXNet 1.9.1 has all operators of the written graph: int8 rows need one of our own. */
static gboolean
mxnet_can_load (const HybNarrowType *type)
{
  return type->dtype != HYB_I8;
}

static void
print_json (const ScopeConvertWeights *options,
            const HybNarrowReport     *report,
            const HybProof            *proof,
            GPtrArray                 *written)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_describe_strings (json, "written", written);
  scope_json_string (json, "weights", options->type);
  scope_json_int (json, "parameters", report->n_parameters);
  scope_json_int (json, "bytes_before", (gint64) report->bytes_before);
  scope_json_int (json, "bytes_after", (gint64) report->bytes_after);
  scope_json_boolean (json, "mxnet", mxnet_can_load (hyb_narrow_type_find (options->type)));
  scope_json_begin_object (json, "proof");
  scope_describe_proof (json, proof);
  scope_json_end (json);
  scope_json_print (json);
}

static void
print_text (const ScopeConvertWeights *options,
            const HybNarrowReport     *report,
            const HybProof            *proof,
            GPtrArray                 *written)
{
  printf ("%u parameters as %s: %" G_GSIZE_FORMAT " bytes instead of %" G_GSIZE_FORMAT "\n",
          report->n_parameters, options->type, report->bytes_after, report->bytes_before);
  scope_print_proof (proof);
  scope_print_all_written (written);
}

/* How much the outputs may differ. */
static double
allowed_difference (const ScopeConvertWeights *options)
{
  return options->tolerance > 0 ? options->tolerance
                                : hyb_narrow_type_find (options->type)->tolerance;
}

/* Measures how far the outputs are apart.  FALSE and an error if that cannot be measured. */
static gboolean
measure (HybModel                  *model,
         HybModel                  *narrow,
         const ScopeConvertWeights *options,
         HybProof                  *proof,
         GError                   **error)
{
  HybProveOptions prove = { .input = options->inputs,
                            .is_made = options->is_made,
                            .tolerance = allowed_difference (options) };

  if (hyb_prove (model, narrow, &prove, proof, error))
    return TRUE;
  g_prefix_error (error, "the model with %s weights cannot be compared: ", options->type);
  return FALSE;
}

/* Says that the outputs are too far apart; FALSE with an error if the model must not be written. */
static gboolean
report_difference (const ScopeConvertWeights *options, const HybProof *proof, GError **refused)
{
  g_autoptr (GError) error = NULL;

  g_set_error (&error, SCOPE_ERROR, SCOPE_ERROR_DIFFERS,
               "with %s weights the model differs by %g at %s; the tolerance is %g", options->type,
               proof->max_abs, proof->worst_output, allowed_difference (options));
  if (options->force)
    {
      scope_print_message (HYB_SEVERITY_WARNING, "%s", error->message);
      return TRUE;
    }
  hyb_error_add_remedy (&error, HYB_REMEDY_UNPROVED, NULL);
  g_propagate_error (refused, g_steal_pointer (&error));
  return FALSE;
}

int
scope_convert_weights (HybModel *model, const ScopeConvertWeights *options, GError **error)
{
  const HybNarrowType *type = hyb_narrow_type_find (options->type);
  HybNarrowReport      report;
  g_auto (HybProof) proof = { 0 };
  g_autoptr (HybModel) narrow = hyb_narrow_model (model, type, &report, error);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);

  if (!narrow)
    return SCOPE_EXIT_FAILED;
  if (!measure (model, narrow, options, &proof, error))
    return SCOPE_EXIT_FAILED;
  if (!proof.ok && !report_difference (options, &proof, error))
    return SCOPE_EXIT_CHECK_FAILED;
  if (!hyb_model_save (narrow, options->output, 0, written, error))
    return SCOPE_EXIT_FAILED;
  if (!mxnet_can_load (type))
    scope_print_message (HYB_SEVERITY_NOTE,
                         "MXNet cannot load the %s weights: it has no operator "
                         "_hybridscope_int8_rows. For MXNet, use --weights float16 or bfloat16",
                         options->type);
  if (options->json)
    print_json (options, &report, &proof, written);
  else
    print_text (options, &report, &proof, written);
  return SCOPE_EXIT_DONE;
}
