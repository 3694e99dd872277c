/* common-prefix.c — the words with which nearly all names at the top level begin.
 *
 * Gluon puts the name of the net before every name: "resnetv10_conv0", "resnetv10_stage1_conv0".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/common-prefix.h"

#include <string.h>

char *
viz_common_prefix (const char *const *names, guint n_names)
{
  g_autoptr (GString) prefix = g_string_new (NULL);
  gboolean grows = TRUE;

  while (grows)
    {
      guint       n_equal = 0;
      const char *first = NULL, *end = NULL;

      for (guint i = 0; i < n_names; i++)
        {
          const char *name = names[i];

          if (!first && g_str_has_prefix (name, prefix->str))
            {
              first = name;
              end = strchr (name + prefix->len, '_');
            }
          n_equal += first && end && end[1] != '\0' &&
                     strncmp (name, first, (gsize) (end - first) + 1) == 0;
        }
      grows = n_equal >= 3 && n_equal * 10 >= n_names * 9;
      if (grows)
        g_string_append_len (prefix, first + prefix->len, end - first - (gssize) prefix->len + 1);
    }
  return g_strdup (prefix->str);
}
