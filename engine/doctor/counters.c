/* counters.c — compares names word by word.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/counters.h"

#include <string.h>

/* The length of the word, the number or the separator that begins at text; 0 at the end. */
static gsize
token_length (const char *text)
{
  gsize n = 0;

  if (g_ascii_isdigit (*text))
    while (g_ascii_isdigit (text[n]))
      n++;
  else if (g_ascii_isalpha (*text))
    while (g_ascii_isalpha (text[n]))
      n++;
  else if (*text)
    n = 1;
  return n;
}

static gboolean
is_counter (const char *token, gsize n)
{
  return n > 0 && (g_ascii_isdigit (*token) || (n == 1 && g_ascii_isalpha (*token)));
}

int
hyb_counters_compare (const char *a, const char *b)
{
  gsize n_a = token_length (a), n_b = token_length (b);

  for (; n_a > 0 && n_a == n_b && strncmp (a, b, n_a) == 0;
       n_a = token_length (a), n_b = token_length (b))
    {
      a += n_a;
      b += n_b;
    }
  if (!is_counter (a, n_a) || !is_counter (b, n_b) || g_ascii_isdigit (*a) != g_ascii_isdigit (*b))
    return 0;
  if (g_ascii_isdigit (*a))
    {
      guint64 first = g_ascii_strtoull (a, NULL, 10), second = g_ascii_strtoull (b, NULL, 10);

      return first < second ? -1 : first > second;
    }
  return *a < *b ? -1 : *a > *b;
}

char *
hyb_counters_dup_stem (const char *name)
{
  GString *stem = g_string_new (NULL);

  for (gsize n; (n = token_length (name)) > 0; name += n)
    if (is_counter (name, n))
      g_string_append_c (stem, '#');
    else
      g_string_append_len (stem, name, (gssize) n);
  return g_string_free (stem, FALSE);
}
