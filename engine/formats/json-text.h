/* json-text.h — strings and numbers in JSON: unescaping, finding their end, and writing them.
 *
 * Independent of the locale.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  gsize       end;  /* of the unescaped string; a 0 byte is written there */
  gsize       stop; /* after the closing quote, or where unescaping failed */
  gboolean    has_escapes, has_control, has_bad_bytes;
  const char *trouble; /* why it failed; static */
} HybJsonUnescape;

/* Unescapes a string in place, from the first byte after the opening quote.  FALSE if it has no
 * closing quote or an unknown escape. */
gboolean hyb_json_unescape (char *text, gsize at, gsize length, HybJsonUnescape *result);

/* The end of the number that starts at `at`; `at` itself if there is no number. */
gsize hyb_json_number_end (const char *text, gsize at, gsize length);

/* Appends text as a JSON string; bytes that are not UTF-8 are replaced. */
void hyb_json_append_string (GString *to, const char *text);
/* Appends a decimal that is read back as the same number; null if value is not finite. */
void hyb_json_append_double (GString *to, double value);
