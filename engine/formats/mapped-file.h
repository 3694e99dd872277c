/* mapped-file.h — maps files into memory so that a file which becomes shorter does not look like a crash.
 *
 * The kernel raises SIGBUS where a mapped file has ended in the meantime.  A program that opens files of others calls
 * hyb_mapped_file_fill() from its handler of that signal, and hyb_mapped_file_check() before it uses the contents.
 * Small files are read, and are never a cause of the signal.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The contents of the regular file of that name.  (transfer full) NULL and an error: it cannot be read, or is not a
 * regular file. */
GBytes *hyb_mapped_file_open (const char *path, GError **error);
/* The contents of a regular file, which a descriptor is open for; the descriptor can be closed afterwards.  where: its
 * name, in messages.  (transfer full) NULL and an error: it cannot be read. */
GBytes *hyb_mapped_file_get_bytes (int descriptor, const char *where, GError **error);

/* TRUE if data is in a mapped file, so that a page behind its last byte may be read as well. */
gboolean hyb_mapped_file_has_slack (gconstpointer data);
/* Puts zeros where the file that is mapped at address no longer has contents, up to its former end, and marks it as
 * cut.  FALSE: no file is mapped there.  May be called from a handler of signals. */
gboolean hyb_mapped_file_fill (gconstpointer address);
/* FALSE and an error of the domain G_FILE_ERROR that names the file: a file is mapped at data, and
 * hyb_mapped_file_fill() was called for it. */
gboolean hyb_mapped_file_check (gconstpointer data, GError **error);
/* Reads one byte of each page of n bytes, if a file is mapped there.  The kernel fails to write such bytes without a
 * signal if their file has become shorter; this raises it. */
void hyb_mapped_file_touch (gconstpointer data, gsize n);

/* Fails if a file was overwritten in place while it was mapped: the contents that were read may be partly old and
 * partly new.  A file that was replaced by another one is not affected. */
gboolean hyb_mapped_file_check_past (GError **error);

/* The message of hyb_mapped_file_check() after the name of the file, and the way out. */
#define HYB_MAPPED_FILE_CUT  "the file became shorter while it was in use"
#define HYB_MAPPED_FILE_HINT "Write a new file under another name and rename it"

/* Makes the data about a file that a signal handler reads, before the file is mapped.  (transfer
 * full), freed with g_free() */
typedef gpointer (*HybMappedFileNote) (const char *where);
/* Notes are made for all files that are mapped from now on.  note: (nullable) */
void hyb_mapped_file_set_note (HybMappedFileNote note);
/* The note about the file that is mapped at address; NULL: none.  May be called from a handler of signals. */
gconstpointer hyb_mapped_file_get_note (gconstpointer address);
