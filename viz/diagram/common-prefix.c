/* common-prefix.c — the words with which nearly all names at the top level begin.
 *
 * Gluon puts the name of the net before every name: "resnetv10_conv0", "resnetv10_stage1_conv0".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/common-prefix.h"

#include <string.h>

/* The length of a name up to the end of the word that follows the first n bytes, with the “_” that ends it; 0 if there
 * is no other word behind it, if the name does not begin with the prefix, or if it is a path of modules, whose groups
 * have the names that are common. */
static gsize
end_of_word (const char *name, const GString *prefix)
{
  const char *end = g_str_has_prefix (name, prefix->str) && !strchr (name, '/')
                        ? strchr (name + prefix->len, '_')
                        : NULL;

  return end && end[1] != '\0' ? (gsize) (end - name) + 1 : 0;
}

/* A name whose word behind the prefix more than half of the names have, if there is such a word: each other word
 * takes one vote from it.  (nullable) */
static const char *
majority (const char *const *names, guint n_names, const GString *prefix)
{
  const char *first = NULL;
  guint       n_votes = 0;

  for (guint i = 0; i < n_names; i++)
    {
      gsize    length = n_votes > 0 ? end_of_word (first, prefix) : 0;
      gboolean is_equal = length > 0 && strncmp (names[i], first, length) == 0;

      if (n_votes == 0 && end_of_word (names[i], prefix) > 0)
        first = names[i];
      else if (n_votes == 0)
        continue;
      n_votes = n_votes == 0 || is_equal ? n_votes + 1 : n_votes - 1;
    }
  return first;
}

char *
viz_common_prefix (const char *const *names, guint n_names)
{
  g_autoptr (GString) prefix = g_string_new (NULL);
  gboolean grows = TRUE;

  while (grows)
    {
      const char *first = majority (names, n_names, prefix);
      gsize       length = first ? end_of_word (first, prefix) : 0;
      guint       n_equal = 0;

      for (guint i = 0; length > 0 && i < n_names; i++)
        n_equal +=
            end_of_word (names[i], prefix) == length && strncmp (names[i], first, length) == 0;
      grows = n_equal >= 3 && n_equal * 10 >= n_names * (prefix->len == 0 ? 8 : 9);
      if (grows)
        g_string_append_len (prefix, first + prefix->len, (gssize) (length - prefix->len));
    }
  return g_strdup (prefix->str);
}
