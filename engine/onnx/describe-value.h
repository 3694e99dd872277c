/* describe-value.h — the meaning of an attribute of an ONNX node whose text is a code.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* "float32" for the type 1; "[end, 3]" for the ends of a slice that reaches to the end of an axis.  (transfer full) NULL:
 * the text is clear by itself. */
char *hyb_onnx_describe_value (const char *name, const char *value);
