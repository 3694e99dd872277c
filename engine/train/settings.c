/* settings.c — taking “key=value, key=value” apart.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/settings.h"

#include "engine/base/error.h"

#include <string.h>

/* Up to the next comma that no bracket encloses. */
static gsize
length_of_part (const char *text)
{
  int   depth = 0;
  gsize i = 0;

  for (; text[i] != '\0'; i++)
    {
      depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
      if (text[i] == ',' && depth <= 0)
        break;
    }
  return i;
}

char **
hyb_settings_parse (const char *text, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  while (text && *text != '\0')
    {
      gsize            length = length_of_part (text);
      g_autofree char *part = g_strstrip (g_strndup (text, length));
      char            *equals = strchr (part, '=');

      text += length + (text[length] == ',');
      if (part[0] == '\0')
        continue;
      if (!equals || equals == part)
        {
          hyb_error_at (error,
                        HYB_OP_ERROR,
                        HYB_OP_ERROR_ATTRIBUTE,
                        NULL,
                        "Write it as key=value",
                        "the setting “%s” has no value",
                        part);
          return NULL;
        }
      *equals = '\0';
      g_strv_builder_add (builder, g_strstrip (part));
      g_strv_builder_add (builder, g_strstrip (equals + 1));
    }
  return g_strv_builder_end (builder);
}

const char *
hyb_settings_get (const char *const *settings, const char *key)
{
  const char *value = NULL;

  for (gsize i = 0; settings && settings[i]; i += 2)
    if (strcmp (settings[i], key) == 0)
      value = settings[i + 1];
  return value;
}
