/* element.h — elements of the vendor's types as doubles, and device memory that is checked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Bytes of an element of a type of cudaDataType; 0: the type is not known. */
gsize element_bytes (int type);
/* Its value. */
double element_get (const guint8 *data, int type);
/* Rounds a value to it. */
void element_put (guint8 *data, int type, double number);
/* A float32 with the 10 bits of the fraction that TF32 keeps. */
double element_to_tf32 (double value);
/* The host's address of device memory that may be read, or written; NULL and an error if it may not. */
gpointer element_reach (guint64 at, gsize bytes, gboolean write, GError **error);
