/* json-text.h — strings and numbers inside JSON text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  gsize       end;  /* where the unescaped content ends (a 0 is put there) */
  gsize       stop; /* after the closing quote; or where the trouble is */
  gboolean    has_escapes, has_control, has_bad_bytes;
  const char *trouble;
} HybJsonUnescape;

/* In place: text stands at the first byte inside the quotes.  FALSE: no end, or an
 * escape that is none. */
gboolean hyb_json_unescape (char *text, gsize at, gsize length, HybJsonUnescape *result);

/* Where the number that starts at `at` ends; `at` itself if none does. */
gsize hyb_json_number_end (const char *text, gsize at, gsize length);

/* Appends text in quotes, escaped as JSON wants it and valid UTF-8. */
void hyb_json_append_string (GString *to, const char *text);
/* The shortest decimal that reads back the same; null when it is not finite. */
void hyb_json_append_double (GString *to, double value);
