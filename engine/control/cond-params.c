/* cond-params.c — attributes of _cond: their table, their check, and the inputs of each body.
 * Used by cond.c and cond-gradient.c, and relies on neither.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/control/cond-params.h"

#include "engine/base/error.h"

const HybParam hyb_cond_params[] = {
  HYB_COND_FIELDS,
  { 0 },
};

const char *const hyb_cond_body_names[] = { "predicate", "then branch", "else branch" };

const HybInts *
hyb_cond_locations (const HybCondParams *params, guint body)
{
  return body == HYB_COND_PREDICATE ? &params->cond_input_locs
         : body == HYB_COND_THEN    ? &params->then_input_locs
                                    : &params->else_input_locs;
}

gboolean
hyb_cond_check (gconstpointer values, GError **error)
{
  const HybCondParams *params = values;

  for (guint b = 0; b < HYB_COND_N_BODIES; b++)
    {
      const HybInts *locations = hyb_cond_locations (params, b);
      gboolean       is_valid = locations->n >= 0;

      for (int i = 0; i < locations->n; i++)
        is_valid &= locations->value[i] >= 0 && locations->value[i] < params->num_args - 3;
      if (!is_valid)
        return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                             "inputs of the %s must lie between 0 and %d", hyb_cond_body_names[b],
                             (int) params->num_args - 4);
    }
  return TRUE;
}
