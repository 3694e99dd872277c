/* machine-store.c — reads and writes one group of a key file; see machine-store.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/machine/machine-store.h"

#include "engine/formats/own-file.h"

#include <math.h>

/* Bytes of the file: about 200 machines.  With more the file begins again. */
#define LONGEST ((gsize) 256 << 10)

char *
prof_machine_store_dup_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "hybridscope", "machine", "machine.ini", NULL);
}

/* The contents of the file; an empty key file if it is damaged or not the user's own.  (transfer full) */
static GKeyFile *
load (void)
{
  g_autofree char *path = prof_machine_store_dup_path ();
  gsize            length;
  g_autofree char *text = hyb_own_file_read (path, LONGEST, &length);
  GKeyFile        *file = g_key_file_new ();

  if (!text || g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, NULL))
    return file;
  g_key_file_unref (file); /* it may hold what came before the damage */
  return g_key_file_new ();
}

static gboolean
is_within (const ProfStoredNumber *number, double value)
{
  return value >= number->low && value <= number->high;
}

/* The number; NaN if it is missing, malformed or out of bounds. */
static double
read_number (GKeyFile *file, const char *group, const ProfStoredNumber *number)
{
  g_autofree char *text = g_key_file_get_value (file, group, number->key, NULL);
  char            *end = NULL;
  double           value = text ? g_ascii_strtod (text, &end) : NAN;

  return text && end != text && *end == '\0' && is_within (number, value) ? value : NAN;
}

/* A group of a key file has a name of printable ASCII without brackets.  (transfer full) */
static char *
dup_group (const char *name)
{
  char *group = g_strdup (name);

  for (char *c = group; *c; c++)
    if (!g_ascii_isprint (*c) || *c == '[' || *c == ']')
      *c = ' ';
  return group;
}

gboolean
prof_machine_store_read (const char *name, const ProfStoredNumber *numbers, guint n, double *values)
{
  g_autoptr (GKeyFile) file = load ();
  g_autofree char *group = dup_group (name);

  if (!g_key_file_has_group (file, group))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      values[i] = read_number (file, group, &numbers[i]);
      if (isnan (values[i]) &&
          (!numbers[i].is_optional || g_key_file_has_key (file, group, numbers[i].key, NULL)))
        return FALSE;
    }
  return TRUE;
}

void
prof_machine_store_write (const char             *name,
                          const ProfStoredNumber *numbers,
                          guint                   n,
                          const double           *values)
{
  g_autoptr (GKeyFile) file = load ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = prof_machine_store_dup_path (), *group = dup_group (name), *text = NULL;
  gsize            length;

  g_key_file_remove_group (file, group, NULL);
  for (guint i = 0; i < n; i++)
    if (is_within (&numbers[i], values[i]))
      g_key_file_set_double (file, group, numbers[i].key, values[i]);
  text = g_key_file_to_data (file, &length, NULL);
  if (!hyb_own_file_write (path, text, length, &error))
    g_debug ("the measurement of this machine cannot be stored: %s", error->message);
}
