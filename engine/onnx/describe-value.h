/* describe-value.h — what an attribute of an ONNX node means, where its text is a code.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* "float32" for the type 1; "[end, 3]" for the ends of a slice that reaches to the end of an axis.  (transfer full) NULL: the
 * text tells. */
char *hyb_onnx_describe_value (const char *name, const char *value);
