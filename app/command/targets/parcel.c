/* parcel.c — names files for a target, and finds the places of those that come back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/parcel.h"

#include "app/command/targets/file-receiver.h"
#include "engine/formats/json-text.h"

#include <string.h>

/* What commands append to a prefix: PREFIX-symbol.json, PREFIX-0001.params, PREFIX-fused.hscope. */
#define INTERRUPTED "interrupted"
static const char *const endings[] = { ".params", ".states", NULL };

static void
file_free (gpointer data)
{
  ScopeParcelFile *file = data;

  g_free (file->path);
  g_free (file->name);
  g_free (file);
}

static void
output_free (gpointer data)
{
  ScopeParcelOutput *output = data;

  g_free (output->path);
  g_free (output->name);
  g_free (output);
}

ScopeParcel *
scope_parcel_new (void)
{
  ScopeParcel *parcel = g_new0 (ScopeParcel, 1);

  parcel->folders = g_ptr_array_new_with_free_func (g_free);
  parcel->files = g_ptr_array_new_with_free_func (file_free);
  parcel->outputs = g_ptr_array_new_with_free_func (output_free);
  return parcel;
}

void
scope_parcel_free (ScopeParcel *parcel)
{
  g_ptr_array_unref (parcel->folders);
  g_ptr_array_unref (parcel->files);
  g_ptr_array_unref (parcel->outputs);
  g_free (parcel);
}

/* --- Names --- */

/* The folder of a path as it was written, with its slash, and what follows it. */
static char *
split (const char *path, const char **base)
{
  const char *slash = strrchr (path, '/');

  *base = slash ? slash + 1 : path;
  return g_strndup (path, (gsize) (*base - path));
}

static char *
dup_name (ScopeParcel *parcel, const char *path)
{
  const char      *base;
  g_autofree char *folder = split (path, &base);
  guint            index;

  if (!g_ptr_array_find_with_equal_func (parcel->folders, folder, g_str_equal, &index))
    {
      index = parcel->folders->len;
      g_ptr_array_add (parcel->folders, g_steal_pointer (&folder));
    }
  return g_strdup_printf (SCOPE_FILE_FOLDER "%u/%s", index, base);
}

char *
scope_parcel_add_file (ScopeParcel *parcel, const char *path)
{
  g_autofree char *name = dup_name (parcel, path);
  ScopeParcelFile *file;

  for (guint i = 0; i < parcel->files->len; i++)
    if (strcmp (((ScopeParcelFile *) parcel->files->pdata[i])->name, name) == 0)
      return g_steal_pointer (&name);
  file = g_new0 (ScopeParcelFile, 1);
  file->path = g_strdup (path);
  file->name = g_strdup (name);
  g_ptr_array_add (parcel->files, file);
  return g_steal_pointer (&name);
}

char *
scope_parcel_add_output (ScopeParcel *parcel, const char *path, gboolean is_prefix)
{
  ScopeParcelOutput *output = g_new0 (ScopeParcelOutput, 1);

  output->path = g_strdup (path);
  output->name = dup_name (parcel, path);
  output->is_prefix = is_prefix;
  g_ptr_array_add (parcel->outputs, output);
  return g_strdup (output->name);
}

/* --- Outputs --- */

/* Whether a name, without its folder, is one of those that the output stands for. */
static gboolean
fits (const ScopeParcelOutput *output, const char *output_base, const char *base)
{
  const char *rest;

  if (strcmp (base, output_base) == 0)
    return TRUE;
  if (!output->is_prefix || !g_str_has_prefix (base, output_base))
    return FALSE;
  rest = base + strlen (output_base);
  if (*rest != '-')
    return FALSE;
  if (strcmp (rest, "-symbol.json") == 0 || g_str_has_suffix (rest, ".hscope"))
    return TRUE;
  rest++;
  for (guint i = 0; endings[i]; i++)
    {
      gsize n_digits = strspn (rest, "0123456789");

      if (n_digits >= 4 && strcmp (rest + n_digits, endings[i]) == 0)
        return TRUE;
      if (g_str_has_prefix (rest, INTERRUPTED) &&
          strcmp (rest + strlen (INTERRUPTED), endings[i]) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
add_old_output (ScopeParcel *parcel, const ScopeParcelOutput *output)
{
  const char      *output_base, *base;
  g_autofree char *folder = split (output->path, &output_base);
  g_autoptr (GDir) dir = g_dir_open (*folder ? folder : ".", 0, NULL);

  while (dir && (base = g_dir_read_name (dir)))
    if (fits (output, output_base, base))
      {
        g_autofree char *path = g_strconcat (folder, base, NULL);

        if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
          g_free (scope_parcel_add_file (parcel, path));
      }
}

void
scope_parcel_add_old_outputs (ScopeParcel *parcel)
{
  for (guint i = 0; i < parcel->outputs->len; i++)
    add_old_output (parcel, parcel->outputs->pdata[i]);
}

char *
scope_parcel_resolve (const ScopeParcel *parcel, const char *name)
{
  const char      *base, *output_base;
  g_autofree char *folder = split (name, &base);

  for (guint i = 0; scope_file_name_is_safe (name) && i < parcel->outputs->len; i++)
    {
      const ScopeParcelOutput *output = parcel->outputs->pdata[i];
      g_autofree char         *output_folder = split (output->name, &output_base);

      if (strcmp (folder, output_folder) == 0 && fits (output, output_base, base))
        {
          const char      *unused;
          g_autofree char *place = split (output->path, &unused);

          return g_strconcat (place, base, NULL);
        }
    }
  return NULL;
}

void
scope_parcel_note_arrival (const ScopeParcel *parcel, const char *name)
{
  for (guint i = 0; i < parcel->outputs->len; i++)
    {
      ScopeParcelOutput *output = parcel->outputs->pdata[i];

      output->has_arrived |= strcmp (output->name, name) == 0;
    }
}

const char *
scope_parcel_find_missing (const ScopeParcel *parcel)
{
  for (guint i = 0; i < parcel->outputs->len; i++)
    {
      const ScopeParcelOutput *output = parcel->outputs->pdata[i];

      if (!output->is_prefix && !output->has_arrived)
        return output->path;
    }
  return NULL;
}

/* --- Texts --- */

char *
scope_parcel_dup_names (const ScopeParcel *parcel)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < parcel->folders->len; i++)
    if (!strpbrk (parcel->folders->pdata[i], "\n\t"))
      g_string_append_printf (names,
                              SCOPE_FILE_FOLDER "%u\t%s\n",
                              i,
                              (const char *) parcel->folders->pdata[i]);
  return g_string_free (names, FALSE);
}

char *
scope_parcel_restore_names (const ScopeParcel *parcel, const char *text, gboolean is_json)
{
  GString *restored = g_string_new (text);

  for (guint i = 0; i < parcel->folders->len; i++)
    {
      g_autofree char *there = g_strdup_printf (SCOPE_FILE_FOLDER "%u/", i);
      g_autoptr (GString) here = g_string_new (NULL);

      if (is_json)
        {
          hyb_json_append_string (here, parcel->folders->pdata[i]);
          g_string_truncate (here, here->len - 1);
          g_string_erase (here, 0, 1);
        }
      else
        g_string_append (here, parcel->folders->pdata[i]);
      g_string_replace (restored, there, here->str, 0);
    }
  return g_string_free (restored, FALSE);
}
