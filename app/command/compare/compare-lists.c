/* compare-lists.c — reads the lists that options of hscope compare take.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-lists.h"

#include "app/command/compare/compare-group.h"
#include "app/command/frame/command.h"

#include <string.h>

gboolean
scope_compare_parse_numbers (const char *option, const char *text, GArray *numbers, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text ? text : "0", ",", -1);

  for (guint i = 0; words[i]; i++)
    {
      gint64 number;

      if (!g_ascii_string_to_signed (g_strstrip (words[i]), 10, text ? 1 : 0, 1 << 24, &number,
                                     NULL))
        return scope_usage_error (error, "--%s %s: “%s” is not a number from 1 to 16777216", option,
                                  text, words[i]);
      g_array_append_val (numbers, number);
    }
  return TRUE;
}

gboolean
scope_compare_parse_modes (const ScopeCommonOptions *common,
                           const char               *text,
                           GArray                   *modes,
                           GError                  **error)
{
  g_auto (GStrv) words = g_strsplit (text ? text : common->mode ? common->mode : "static", ",", -1);

  for (guint i = 0; words[i]; i++)
    {
      HybMode mode = HYB_MODE_IMPERATIVE;

      while (mode <= HYB_MODE_STATIC && strcmp (g_strstrip (words[i]), scope_mode_name (mode)) != 0)
        mode++;
      if (mode > HYB_MODE_STATIC)
        return scope_usage_error (error,
                                  "--modes %s: “%s” is not a mode; there are imperative, hybrid "
                                  "and static",
                                  text, words[i]);
      g_array_append_val (modes, mode);
    }
  return TRUE;
}
