/* operator-samples.c — reads the samples that are part of the program; see operator-samples.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/operator-samples.h"

#include <string.h>

/* Built from samples.txt by embed.sh. */
static const struct
{
  const char *file, *text;
} texts[] = {
#include "app/selftest-samples.h"
};

static void
sample_free (ScopeOperatorSample *sample)
{
  g_strfreev (sample->attributes);
  g_free (sample->inputs);
  g_strfreev (sample->fields);
  g_free (sample);
}

static ScopeOperatorSample *
read_sample (const char *line)
{
  ScopeOperatorSample *sample = g_new0 (ScopeOperatorSample, 1);
  char               **fields = g_strsplit (line, "\t", -1);
  guint                n = g_strv_length (fields), n_attributes = 0, n_inputs = 0;

  g_assert (n >= 3);
  sample->fields = fields;
  sample->op = fields[0];
  sample->name = fields[1];
  sample->training_only = strcmp (fields[2], "training") == 0;
  sample->attributes = g_new0 (char *, 2 * n + 1);
  sample->inputs = g_new0 (char *, n + 1);
  for (guint i = 3; i < n; i++)
    if (fields[i][0] == '<')
      sample->inputs[n_inputs++] = fields[i] + 1;
    else
      {
        const char *equals = strchrnul (fields[i], '=');

        sample->attributes[n_attributes++] = g_strndup (fields[i], (gsize) (equals - fields[i]));
        sample->attributes[n_attributes++] = g_strdup (*equals ? equals + 1 : "");
      }
  return sample;
}

GPtrArray *
scope_operator_samples (void)
{
  GPtrArray *samples = g_ptr_array_new_with_free_func ((GDestroyNotify) sample_free);
  g_auto (GStrv) lines = g_strsplit (texts[0].text, "\n", -1);

  for (guint i = 0; lines[i]; i++)
    if (*lines[i])
      g_ptr_array_add (samples, read_sample (lines[i]));
  return samples;
}
