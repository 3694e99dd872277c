/* convert-float.c — hscope convert --to float.
 *
 * The float model cannot be proved equal: quantisation has lost the values between two levels.  The
 * distance between both on one input is measured and printed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/convert/convert-float.h"

#include "app/command/describe/describe.h"
#include "engine/base/remedy.h"
#include "engine/open/open.h"
#include "engine/quantised/float-model.h"

#include <stdio.h>

static void
print_json (const HybFloatReport *report, const HybFloatDistance *distance, GPtrArray *written)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_describe_strings (json, "written", written);
  scope_json_int (json, "layers", report->n_layers);
  scope_json_int (json, "dropped", report->n_dropped);
  scope_json_int (json, "dequantised", report->n_parameters);
  if (distance)
    {
      scope_json_begin_object (json, "distance");
      scope_json_double (json, "max_abs", distance->max_abs);
      scope_json_double (json, "largest", distance->largest);
      scope_json_string (json, "output", distance->output);
      scope_json_end (json);
    }
  scope_json_print (json);
}

static void
print_text (const HybFloatReport *report, const HybFloatDistance *distance, GPtrArray *written)
{
  printf ("%u quantised or fused layers as float operators, %u conversions between floats and "
          "integers removed\n",
          report->n_layers, report->n_dropped);
  if (report->n_parameters > 0)
    printf ("%u int8 parameters as floats, each right to half a level (1/254 of its range)\n",
            report->n_parameters);
  if (distance)
    printf ("On one input the outputs differ by at most %.3g, where the largest is %.3g: what "
            "quantisation changes, not a proof that the models are equal\n",
            distance->max_abs, distance->largest);
  scope_print_all_written (written);
}

int
scope_convert_to_float (HybModel *model, const ScopeConvertFloat *options, GError **error)
{
  HybFloatReport   report;
  HybFloatDistance distance;
  g_autoptr (HybModel) floats = hyb_float_model (model, &report, error);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) local_error = NULL;
  gboolean is_compared;

  if (!floats)
    return SCOPE_EXIT_FAILED;
  is_compared = hyb_float_distance (model, floats, options->inputs, &distance, &local_error);
  if (!is_compared && !options->force)
    {
      g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED,
                   "the float model cannot be compared with the quantised one: %s",
                   local_error->message);
      hyb_error_add_remedy (error, HYB_REMEDY_UNPROVED, NULL);
      return SCOPE_EXIT_FAILED;
    }
  if (!is_compared)
    scope_print_message (HYB_SEVERITY_WARNING, "written without a comparison: %s",
                         local_error->message);
  if (hyb_model_save (floats, options->output, 0, written, error))
    {
      if (options->json)
        print_json (&report, is_compared ? &distance : NULL, written);
      else
        print_text (&report, is_compared ? &distance : NULL, written);
    }
  if (is_compared)
    g_free (distance.output);
  return *error ? SCOPE_EXIT_FAILED : SCOPE_EXIT_DONE;
}
