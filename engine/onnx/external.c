/* external.c — opens files of external data beside a model.
 *
 * The location comes from a stranger's file: it may only lead down from the folder of the model, through folders to
 * a regular file, without links.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/reader.h"

#include "engine/formats/mapped-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
is_inside (const char *location)
{
  g_auto (GStrv) parts = g_strsplit (location, "/", -1);

  if (location[0] == '\0' || location[0] == '/' || strchr (location, '\\'))
    return FALSE;
  for (guint i = 0; parts[i]; i++)
    if (strcmp (parts[i], "..") == 0)
      return FALSE;
  return TRUE;
}

/* A descriptor of the file, or -1. */
static int
open_below (int folder, const char *location)
{
  g_auto (GStrv) parts = g_strsplit (location, "/", -1);

  for (guint i = 0; parts[i] && folder >= 0; i++)
    {
      gboolean is_last = !parts[i + 1];
      int      flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (is_last ? O_NONBLOCK : O_DIRECTORY);
      int      next;

      if (parts[i][0] == '\0' && !is_last)
        continue;
      next = openat (folder, parts[i], flags);
      close (folder);
      folder = next;
    }
  return folder;
}

/* Reads or maps a regular file, which messages call `where`; closes the descriptor. */
static GBytes *
read_regular (int descriptor, const char *where)
{
  struct stat status;
  GBytes     *bytes = NULL;

  if (descriptor < 0)
    return NULL;
  if (fstat (descriptor, &status) == 0 && S_ISREG (status.st_mode))
    bytes = hyb_mapped_file_get_bytes (descriptor, where, NULL);
  close (descriptor);
  return bytes;
}

/* A file in the folder that may be the missing one: with the same base name, or the only one with a name ending
 * of external data.  (transfer full) */
static char *
find_candidate (const char *folder, const char *location)
{
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  g_autofree char *base = g_path_get_basename (location);
  g_autofree char *found = NULL;
  const char      *name;
  guint            n_found = 0, n_seen = 0;

  while (directory && n_seen++ < 10000 && (name = g_dir_read_name (directory)))
    {
      if (g_ascii_strcasecmp (name, base) == 0)
        return g_strdup (name);
      if (!g_str_has_suffix (name, ".data") && !g_str_has_suffix (name, ".bin") &&
          !g_str_has_suffix (name, ".weights") && !g_str_has_suffix (name, "_data"))
        continue;
      n_found++;
      g_free (found);
      found = g_strdup (name);
    }
  return n_found == 1 ? g_steal_pointer (&found) : NULL;
}

static void
report_missing (OnnxReader *reader, const char *folder, const char *location)
{
  g_autofree char *candidate = find_candidate (folder, location);
  HybFinding      *finding =
      hyb_finding_new ("missing-external-data", HYB_SEVERITY_ERROR,
                       "the weights in the external file “%s” cannot be read: there is no such "
                       "regular file in %s",
                       location, folder);

  finding->hint =
      candidate ? g_strdup_printf ("The folder has “%s”: if it is that file, rename it", candidate)
                : g_strdup ("Copy the file that was exported with the model beside it");
  hyb_onnx_report (reader, finding, NULL, "graph.initializer");
}

static void
report_outside (OnnxReader *reader, const char *location)
{
  HybFinding *finding =
      hyb_finding_new ("external-path", HYB_SEVERITY_ERROR,
                       "external data is said to be at “%s”, which is not below the "
                       "folder of the model",
                       location);

  finding->hint = g_strdup ("It is not opened. Export the model again with its data beside it");
  hyb_onnx_report (reader, finding, NULL, "graph.initializer");
}

GBytes *
hyb_onnx_open_external (OnnxReader *reader, const HybOnnxTensor *tensor)
{
  const char *location = hyb_onnx_entry_find (tensor->external, tensor->n_external, "location");
  g_autofree char *folder = g_path_get_dirname (reader->where);
  GBytes          *bytes = NULL;

  if (!location)
    location = "";
  if (g_hash_table_lookup_extended (reader->external, location, NULL, (gpointer *) &bytes))
    return bytes;
  if (is_inside (location))
    {
      g_autofree char *path = g_build_filename (folder, location, NULL);

      bytes =
          read_regular (open_below (open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), location),
                        path);
      if (!bytes)
        report_missing (reader, folder, location);
    }
  else
    report_outside (reader, location);
  g_hash_table_insert (reader->external, (gpointer) location, bytes);
  return bytes;
}
