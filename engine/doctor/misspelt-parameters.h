/* misspelt-parameters.h — parameters whose name is a misspelt name of a variable.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Finds variables without a parameter that a parameter without a variable probably belongs to: its
 * name is near that of one variable only, has the same numbers in it, and its shape fits.  Returns
 * variable, parameter, variable, … (of char *).  Does not change the model.  (transfer full) */
GPtrArray *hyb_misspelt_parameters (HybModel *model);
