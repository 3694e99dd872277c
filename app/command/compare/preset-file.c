/* preset-file.c — reads and writes the list of finished groups, as a GKeyFile.
 *
 * Times, modes and variants are in the captures; the list adds what the group knows.  Files are not
 * trusted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/preset-file.h"

#include "app/command/frame/messages.h"
#include "engine/formats/file.h"
#include "profiler/summary/measured-capture.h"

#include <string.h>

#define HEADER     "preset"
#define MAX_GROUPS 1000

/* --- Writing --- */

/* FILE-rnn-b32-training-unrolled-static.hscope, without the folder. */
static char *
dup_capture_name (const char *path, const ScopeGroup *group, const ScopeCandidate *candidate)
{
  g_autofree char *base = g_path_get_basename (path);

  return g_strdup_printf ("%s-%s-b%" G_GINT64_FORMAT "-%s-%s-%s%s.hscope", base,
                          group->cell ? group->cell : "model", group->batch,
                          group->backward ? "training" : "inference", candidate->variant,
                          scope_mode_name (candidate->mode), candidate->no_passes ? "-plain" : "");
}

/* Adds one group, and writes its captures unless they are there. */
static gboolean
add_group (GKeyFile         *file,
           const char       *path,
           const char       *name,
           const ScopeGroup *group,
           GError          **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  guint            n = group->candidates->len;
  g_autoptr (GPtrArray) captures = g_ptr_array_new_with_free_func (g_free);
  g_autofree int *plans = g_new (int, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      ScopeCandidate  *candidate = group->candidates->pdata[i];
      char            *base = dup_capture_name (path, group, candidate);
      g_autofree char *full = g_build_filename (folder, base, NULL);

      g_ptr_array_add (captures, base);
      plans[i] = (int) candidate->plan;
      if (candidate->path)
        continue;
      if (!prof_capture_write (candidate->capture, full, error))
        return FALSE;
      candidate->path = g_steal_pointer (&full);
    }
  if (group->cell)
    g_key_file_set_string (file, name, "cell", group->cell);
  g_key_file_set_int64 (file, name, "batch", group->batch);
  g_key_file_set_int64 (file, name, "length", group->length);
  g_key_file_set_boolean (file, name, "training", group->backward);
  g_key_file_set_integer (file, name, "stop", (int) group->stop);
  g_key_file_set_double (file, name, "difference", group->equality.max_abs);
  g_key_file_set_double (file, name, "tolerance", group->equality.tolerance);
  g_key_file_set_integer (file, name, "compared", (int) group->equality.n_compared);
  g_key_file_set_integer_list (file, name, "plans", plans, n);
  g_key_file_set_string_list (file, name, "captures", (const char *const *) captures->pdata, n);
  return TRUE;
}

gboolean
scope_preset_file_save (const char      *path,
                        const char      *conditions,
                        const GPtrArray *groups,
                        GError         **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *text = NULL;
  gsize            length;

  g_key_file_set_string (file, HEADER, "conditions", conditions);
  for (guint i = 0; i < groups->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("group %u", i);

      if (scope_group_is_measured (groups->pdata[i]) &&
          !add_group (file, path, name, groups->pdata[i], error))
        return FALSE;
    }
  text = g_key_file_to_data (file, &length, NULL);
  return hyb_file_replace_contents (path, text, length, error);
}

/* --- Reading --- */

/* Adds the candidate of a capture.  FALSE if the capture is not one of a preset. */
static gboolean
add_candidate (ScopeGroup *group, const char *folder, const char *base, int plan)
{
  g_autofree char *full = g_build_filename (folder, base, NULL);
  g_autoptr (ProfCapture) capture = strchr (base, '/') ? NULL : prof_capture_open (full, NULL);
  const char     *variant = capture ? prof_capture_get_text (capture, "variant") : NULL;
  const char     *mode_name = capture ? prof_capture_get_text (capture, "mode") : NULL;
  const char     *without = capture ? prof_capture_get_text (capture, "without") : NULL;
  HybMode         mode = HYB_MODE_IMPERATIVE;
  ScopeCandidate *candidate;

  while (mode_name && mode <= HYB_MODE_STATIC && strcmp (mode_name, scope_mode_name (mode)) != 0)
    mode++;
  if (!variant || !mode_name || mode > HYB_MODE_STATIC)
    return FALSE;
  candidate = scope_group_add (group, variant, mode, NULL);
  candidate->no_passes = without && strcmp (without, "all passes") == 0;
  candidate->has_plain_plan = candidate->no_passes;
  candidate->plan = (guint) plan;
  candidate->path = g_steal_pointer (&full);
  candidate->peak_bytes = prof_capture_get_number (capture, "memory.planned");
  candidate->resident_bytes = prof_capture_get_number (capture, "memory.resident");
  scope_candidate_take_capture (candidate, g_steal_pointer (&capture));
  return candidate->clean.n > 0;
}

/* NULL if the group cannot be read completely.  (transfer full) */
static ScopeGroup *
read_group (GKeyFile *file, const char *path, const char *name)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *cell = g_key_file_get_string (file, name, "cell", NULL);
  gsize            n = 0, n_plans = 0;
  g_auto (GStrv) captures = g_key_file_get_string_list (file, name, "captures", &n, NULL);
  g_autofree int *plans = g_key_file_get_integer_list (file, name, "plans", &n_plans, NULL);
  ScopeGroup     *group;
  gboolean        is_whole = captures && n > 0 && n == n_plans;
  int             stop = g_key_file_get_integer (file, name, "stop", NULL);

  group = scope_group_new (cell, g_key_file_get_int64 (file, name, "batch", NULL),
                           g_key_file_get_int64 (file, name, "length", NULL),
                           g_key_file_get_boolean (file, name, "training", NULL));
  group->stop = (ProfStop) CLAMP (stop, PROF_STOP_NOT, PROF_STOP_CANCELLED);
  group->equality = (ProfEquality){
    .max_abs = g_key_file_get_double (file, name, "difference", NULL),
    .tolerance = g_key_file_get_double (file, name, "tolerance", NULL),
    .n_compared = (guint) g_key_file_get_integer (file, name, "compared", NULL),
    .ok = TRUE,
  };
  for (gsize i = 0; is_whole && i < n; i++)
    is_whole = add_candidate (group, folder, captures[i], plans[i]);
  if (is_whole)
    {
      scope_group_compare (group);
      return group;
    }
  scope_group_free (group);
  return NULL;
}

gboolean
scope_preset_file_load (const char *path, const char *conditions, GPtrArray *groups, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *known = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    known = g_key_file_get_string (file, HEADER, "conditions", NULL);
  if (g_strcmp0 (known, conditions) != 0)
    return scope_usage_error (error,
                              "--resume %s: it %s%s%s, but this preset is “%s”. Give another file, "
                              "or the options of the preset that it belongs to",
                              path, known ? "belongs to “" : "is not a list of finished groups",
                              known ? known : "", known ? "”" : "", conditions);
  for (guint i = 0; i < MAX_GROUPS; i++)
    {
      g_autofree char *name = g_strdup_printf ("group %u", i);
      ScopeGroup *group = g_key_file_has_group (file, name) ? read_group (file, path, name) : NULL;

      if (group)
        g_ptr_array_add (groups, group);
    }
  return TRUE;
}
