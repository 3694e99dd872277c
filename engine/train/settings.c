/* settings.c — parses lists of settings, “key=value, key=value”, and checks their keys.
 *
 * Start with hyb_settings_parse().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/settings.h"

#include "engine/base/error.h"

#include <string.h>

/* Returns the length up to the next comma outside brackets. */
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
          hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, "Write it as key=value",
                        "the setting “%s” has no value", part);
          return NULL;
        }
      *equals = '\0';
      g_strv_builder_add (builder, g_strstrip (part));
      g_strv_builder_add (builder, g_strstrip (equals + 1));
    }
  return g_strv_builder_end (builder);
}

static gboolean
has_key (const HybParam *options, const char *key)
{
  for (; options->name; options++)
    if (strcmp (options->name, key) == 0)
      return TRUE;
  return FALSE;
}

gboolean
hyb_settings_check (const char *const *settings, const HybSettingRules *rules, GError **error)
{
  for (gsize i = 0; settings && settings[i]; i += 2)
    if (!has_key (rules->common, settings[i]) && !has_key (rules->specific, settings[i]))
      {
        g_autoptr (GString) known = g_string_new (rules->common_names);

        for (const HybParam *option = rules->specific; option->name; option++)
          g_string_append_printf (known, ", %s", option->name);
        return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                             "the %s %s has no setting “%s”; it has %s", rules->kind, rules->name,
                             settings[i], known->str);
      }
  return TRUE;
}
