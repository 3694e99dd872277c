/* write-arrays.h — writes the outputs of a run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

/* Writes the arrays in the format of the name; a pipe or a device, whose name says nothing, gets an archive of NumPy. */
gboolean scope_write_arrays (HybTensorList *list, const char *path, GError **error);
/* Adds an output.  NumPy has no type for bfloat16: such an output is stored as the uint16 with the same bits, which is said. */
void scope_list_output (HybTensorList *list, const char *name, HybTensor *tensor);
