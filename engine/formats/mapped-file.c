/* mapped-file.c — the list of mapped files, and the handling of files that became shorter.
 *
 * A handler of signals walks the list while other threads map files, so entries are never freed, only used again,
 * and the address of an entry is set last and cleared first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mapped-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL_BYTES ((gsize) 4 << 20) /* read in some milliseconds */

typedef struct _Mapping Mapping;
struct _Mapping
{
  guint8  *start; /* atomic; NULL: the entry is free */
  gsize    size;
  gint     is_cut;    /* atomic */
  gboolean is_memory; /* contents of a small file in memory, which later changes of the file do
                       * not affect */
  char    *message;
  gpointer note;
  char    *path;
  Mapping *next;

  struct stat status; /* when it was mapped */
};

static GMutex            lock;  /* for changes of the list */
static Mapping          *first; /* atomic */
static HybMappedFileNote make_note;
static char             *overwritten; /* the path of the first such file; NULL: none */

static gsize
page_size (void)
{
  return (gsize) sysconf (_SC_PAGESIZE);
}

static Mapping *
find_mapping (gconstpointer address)
{
  const guint8 *at = address;

  for (Mapping *mapping = g_atomic_pointer_get (&first); mapping; mapping = mapping->next)
    {
      const guint8 *start = g_atomic_pointer_get (&mapping->start);

      if (start && at >= start && at < start + mapping->size)
        return mapping;
    }
  return NULL;
}

/* A free entry of the list, which becomes longer if there is none.  The lock is held. */
static Mapping *
claim_entry (void)
{
  Mapping *entry = first;

  while (entry && entry->start)
    entry = entry->next;
  if (!entry)
    {
      entry = g_new0 (Mapping, 1);
      entry->next = first;
      g_atomic_pointer_set (&first, entry);
    }
  return entry;
}

static Mapping *
add_mapping (guint8 *start, const struct stat *status, const char *where)
{
  Mapping *mapping;

  g_mutex_lock (&lock);
  mapping = claim_entry ();
  mapping->size = (gsize) status->st_size;
  mapping->is_cut = FALSE;
  mapping->is_memory = FALSE;
  mapping->path = g_strdup (where);
  mapping->status = *status;
  mapping->message =
      g_strdup_printf ("%s: %s. %s", where, HYB_MAPPED_FILE_CUT, HYB_MAPPED_FILE_HINT);
  mapping->note = make_note ? make_note (where) : NULL;
  g_atomic_pointer_set (&mapping->start, start);
  g_mutex_unlock (&lock);
  return mapping;
}

/* TRUE if the same file has other contents now. */
static gboolean
is_overwritten (const Mapping *mapping)
{
  const struct stat *then = &mapping->status;
  struct stat        now;

  return stat (mapping->path, &now) == 0 && now.st_dev == then->st_dev &&
         now.st_ino == then->st_ino &&
         (now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
          now.st_mtim.tv_nsec != then->st_mtim.tv_nsec);
}

/* For g_bytes_new_with_free_func(). */
static void
remove_mapping (gpointer data)
{
  Mapping *mapping = data;
  guint8  *start = mapping->start;

  g_mutex_lock (&lock);
  munmap (start, mapping->size + page_size ());
  if (!overwritten && !mapping->is_memory && is_overwritten (mapping))
    overwritten = g_steal_pointer (&mapping->path);
  g_clear_pointer (&mapping->path, g_free);
  g_clear_pointer (&mapping->message, g_free);
  g_clear_pointer (&mapping->note, g_free);
  g_atomic_pointer_set (&mapping->start, NULL);
  g_mutex_unlock (&lock);
}

static gboolean
fail (const char *where, GError **error)
{
  int code = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", where,
               g_strerror (code));
  return FALSE;
}

/* Reads up to size bytes to start, fewer if the file has become shorter.  FALSE and an error if it cannot be read. */
static gboolean
read_to (int descriptor, guint8 *start, gsize size, gsize *n_read)
{
  for (*n_read = 0; *n_read < size;)
    {
      gssize n = pread (descriptor, start + *n_read, size - *n_read, (off_t) *n_read);

      if (n == 0)
        break;
      if (n > 0)
        *n_read += (gsize) n;
      else if (errno != EINTR)
        return FALSE;
    }
  return TRUE;
}

/* The contents in memory, also with a page of zeros behind them. */
static GBytes *
read_bytes (int descriptor, const struct stat *status, const char *where, GError **error)
{
  gsize   size = (gsize) status->st_size, n_read;
  guint8 *start =
      mmap (NULL, size + page_size (), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Mapping *mapping;

  if (start == MAP_FAILED || !read_to (descriptor, start, size, &n_read))
    {
      fail (where, error);
      if (start != MAP_FAILED)
        munmap (start, size + page_size ());
      return NULL;
    }
  mapping = add_mapping (start, status, where);
  mapping->is_memory = TRUE;
  return g_bytes_new_with_free_func (start, n_read, remove_mapping, mapping);
}

/* Maps a file with a page of zeros behind it, into which kernels may read that load whole vectors. */
static guint8 *
map_with_slack (int descriptor, gsize size)
{
  guint8 *start = mmap (NULL, size + page_size (), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (start == MAP_FAILED)
    return NULL;
  if (mmap (start, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0) != MAP_FAILED)
    return start;
  munmap (start, size + page_size ());
  return NULL;
}

GBytes *
hyb_mapped_file_get_bytes (int descriptor, const char *where, GError **error)
{
  struct stat status;
  gsize       size;
  guint8     *start;

  if (fstat (descriptor, &status) != 0)
    {
      fail (where, error);
      return NULL;
    }
  size = (gsize) status.st_size;
  if (size <= SMALL_BYTES)
    return read_bytes (descriptor, &status, where, error);

  start = map_with_slack (descriptor, size);
  if (!start) /* some file systems cannot map */
    return read_bytes (descriptor, &status, where, error);
  return g_bytes_new_with_free_func (start, size, remove_mapping,
                                     add_mapping (start, &status, where));
}

GBytes *
hyb_mapped_file_open (const char *path, GError **error)
{
  int         descriptor = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  GBytes     *bytes = NULL;
  struct stat status;

  if (descriptor < 0)
    {
      fail (path, error);
      return NULL;
    }
  if (fstat (descriptor, &status) == 0 && !S_ISREG (status.st_mode))
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: this is not a regular file", path);
  else
    bytes = hyb_mapped_file_get_bytes (descriptor, path, error);
  close (descriptor);
  return bytes;
}

gboolean
hyb_mapped_file_fill (gconstpointer address)
{
  Mapping *mapping = find_mapping (address);
  guint8  *start = mapping ? g_atomic_pointer_get (&mapping->start) : NULL;
  gsize    page = page_size ();
  int      code = errno;
  gboolean is_filled;
  gsize    offset;

  if (!start || mapping->is_memory)
    return FALSE;
  offset = ((gsize) ((const guint8 *) address - start)) / page * page;
  g_atomic_int_set (&mapping->is_cut, TRUE);
  is_filled = mmap (start + offset, mapping->size - offset, PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  errno = code;
  return is_filled;
}

gboolean
hyb_mapped_file_has_slack (gconstpointer data)
{
  return find_mapping (data) != NULL;
}

gboolean
hyb_mapped_file_check (gconstpointer data, GError **error)
{
  const Mapping *mapping = find_mapping (data);

  if (!mapping || !g_atomic_int_get (&mapping->is_cut))
    return TRUE;
  g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_IO, mapping->message);
  return FALSE;
}

gboolean
hyb_mapped_file_check_past (GError **error)
{
  g_mutex_lock (&lock);
  if (overwritten)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_IO,
                 "%s: the file was overwritten while it was in use, so that results may mix its "
                 "old and "
                 "new contents. " HYB_MAPPED_FILE_HINT ", then run the command again",
                 overwritten);
  g_mutex_unlock (&lock);
  return !overwritten;
}

void
hyb_mapped_file_touch (gconstpointer data, gsize n)
{
  const volatile guint8 *bytes = data;
  gsize                  page = page_size ();

  if (n == 0 || !find_mapping (data))
    return;
  for (gsize i = 0; i < n; i += page)
    (void) bytes[i];
  (void) bytes[n - 1];
}

void
hyb_mapped_file_set_note (HybMappedFileNote note)
{
  make_note = note;
}

gconstpointer
hyb_mapped_file_get_note (gconstpointer address)
{
  const Mapping *mapping = find_mapping (address);

  return mapping ? mapping->note : NULL;
}
