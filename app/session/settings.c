/* settings.c — a key file in the user's configuration folder, written shortly after a change.
 *
 * Main thread only; the file is written by process/writer.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/session/settings.h"

#include "app/process/writer.h"

#include <string.h>

#define GROUP          "window"
#define MAX_RECENT     12
#define WRITE_AFTER_MS 400

/* Main thread only. */
static GKeyFile *settings;
static guint     write_timeout;

static char *
settings_path (void)
{
  return g_build_filename (g_get_user_config_dir (), "hybridscope", "settings.ini", NULL);
}

static GKeyFile *
get_settings (void)
{
  if (!settings)
    {
      g_autofree char *path = settings_path ();

      settings = g_key_file_new ();
      /* A missing or damaged file counts as empty. */
      g_key_file_load_from_file (settings, path, G_KEY_FILE_NONE, NULL);
    }
  return settings;
}

static gboolean
on_write (gpointer unused G_GNUC_UNUSED)
{
  g_autofree char *path = settings_path ();

  write_timeout = 0;
  scope_writer_write_async (path, g_key_file_to_data (get_settings (), NULL, NULL), NULL, NULL);
  return G_SOURCE_REMOVE;
}

void
scope_settings_flush (void)
{
  if (write_timeout != 0)
    {
      g_clear_handle_id (&write_timeout, g_source_remove);
      on_write (NULL);
    }
  scope_writer_wait ();
}

static void
write_soon (void)
{
  if (write_timeout == 0)
    write_timeout = g_timeout_add (WRITE_AFTER_MS, on_write, NULL);
}

gboolean
scope_settings_get_flag (const char *key, gboolean fallback)
{
  g_autoptr (GError) error = NULL;
  gboolean value = g_key_file_get_boolean (get_settings (), GROUP, key, &error);

  return error ? fallback : value;
}

void
scope_settings_set_flag (const char *key, gboolean value)
{
  g_key_file_set_boolean (get_settings (), GROUP, key, value);
  write_soon ();
}

int
scope_settings_get_int (const char *key, int fallback)
{
  g_autoptr (GError) error = NULL;
  int value = g_key_file_get_integer (get_settings (), GROUP, key, &error);

  return error ? fallback : value;
}

void
scope_settings_set_int (const char *key, int value)
{
  g_key_file_set_integer (get_settings (), GROUP, key, value);
  write_soon ();
}

char *
scope_settings_get_text (const char *key, const char *fallback)
{
  char *value = g_key_file_get_string (get_settings (), GROUP, key, NULL);

  return value ? value : g_strdup (fallback);
}

void
scope_settings_set_text (const char *key, const char *value)
{
  g_key_file_set_string (get_settings (), GROUP, key, value);
  write_soon ();
}

char **
scope_settings_get_list (const char *key)
{
  char **values = g_key_file_get_string_list (get_settings (), GROUP, key, NULL, NULL);

  return values ? values : g_new0 (char *, 1);
}

void
scope_settings_set_list (const char *key, const char *const *values)
{
  g_key_file_set_string_list (get_settings (), GROUP, key, values,
                              g_strv_length ((char **) values));
  write_soon ();
}

char **
scope_settings_get_recent (void)
{
  return scope_settings_get_list ("recent");
}

static void
set_recent (GPtrArray *uris)
{
  g_ptr_array_add (uris, NULL);
  scope_settings_set_list ("recent", (const char *const *) uris->pdata);
}

void
scope_settings_add_recent (GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);
  g_auto (GStrv) old = scope_settings_get_recent ();
  g_autoptr (GPtrArray) uris = g_ptr_array_new ();

  g_ptr_array_add (uris, uri);
  for (guint i = 0; old[i] && uris->len < MAX_RECENT; i++)
    if (strcmp (old[i], uri) != 0)
      g_ptr_array_add (uris, old[i]);
  set_recent (uris);
}

void
scope_settings_remove_recent (const char *uri)
{
  g_auto (GStrv) old = scope_settings_get_recent ();
  g_autoptr (GPtrArray) uris = g_ptr_array_new ();

  for (guint i = 0; old[i] != NULL; i++)
    if (strcmp (old[i], uri) != 0)
      g_ptr_array_add (uris, old[i]);
  set_recent (uris);
}
