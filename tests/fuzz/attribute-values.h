/* attribute-values.h — texts for attributes of operators that their tables allow.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/fuzz/fuzz.h"

#include "engine/op/param.h"

/* A value of the kind and within the range of param, now and then one that is not.  old: the value before,
 * whose number of dimensions a tuple mostly keeps; may be NULL.  (transfer full) */
char *fuzz_attribute_value (const HybParam *param, const char *old, FuzzRandom *random);
/* A small shape as text, mostly with the number of dimensions of old, which may be NULL.  (transfer full) */
char *fuzz_shape (const char *old, FuzzRandom *random);
