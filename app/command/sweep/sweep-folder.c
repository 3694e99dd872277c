/* sweep-folder.c — claims cells by renaming files, and keeps their results.
 *
 * Every worker walks through a list of todo/ from a place of its own, so that neighbours are claimed by the same worker.  When it
 * meets cells of another one, it reads todo/ again and goes to another place.  So the number of calls grows with the
 * number of cells.  Start at scope_sweep_folder_claim().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-folder.h"

#include "app/command/sweep/sweep-worker.h"

#include "engine/base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_MISSES 3                   /* claims of others in a row, then the list is read again */
#define MAX_LINE   ((gsize) 256 << 10) /* bytes of a result */

struct _ScopeSweepFolder
{
  char            *path;
  int              fd;
  char            *worker;
  guint            n_cells;
  GArray          *todo;             /* of guint, as last read */
  guint            position, n_left; /* of the walk through todo */
  gboolean         is_alone;         /* no other worker was here when this one came */
  gboolean         has_walked;
  ScopeSweepEffort effort;

  GThread *toucher;
  GMutex   mutex;
  GCond    ends;
  gboolean is_ending;
};

static const char *const folders[] = { "todo", "claimed", "done", "failed", "captures", "workers" };

static gboolean
fail (const char *path, const char *what, GError **error)
{
  int code = errno;

  return hyb_error_at (error,
                       G_FILE_ERROR,
                       (int) g_file_error_from_errno (code),
                       path,
                       NULL,
                       "%s: %s",
                       what,
                       g_strerror (code));
}

static gboolean
make_empty (int fd, const char *name)
{
  int file = openat (fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

  return file >= 0 && close (file) == 0;
}

gboolean
scope_sweep_folder_create (const char *path, guint n_cells, GError **error)
{
  int  fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  char name[32];

  if (fd < 0)
    return fail (path, "the folder cannot be opened", error);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    if (mkdirat (fd, folders[i], 0777) != 0 && errno != EEXIST)
      {
        fail (path, "a folder cannot be made in it", error);
        close (fd);
        return FALSE;
      }
  for (guint cell = 0; cell < n_cells; cell++)
    {
      g_snprintf (name, sizeof name, "todo/%06u", cell);
      if (!make_empty (fd, name))
        {
          fail (path, "a file cannot be made in it", error);
          close (fd);
          return FALSE;
        }
    }
  close (fd);
  return TRUE;
}

/* --- Workers --- */

/* Tells workers on other machines every few seconds that this one is alive. */
static gpointer
touch (gpointer data)
{
  ScopeSweepFolder *folder = data;
  g_autofree char  *name = g_strconcat ("workers/", folder->worker, NULL);

  g_mutex_lock (&folder->mutex);
  while (!folder->is_ending)
    {
      utimensat (folder->fd, name, NULL, 0);
      g_cond_wait_until (&folder->ends,
                         &folder->mutex,
                         g_get_monotonic_time () + (gint64) SCOPE_SWEEP_TOUCH * G_USEC_PER_SEC);
    }
  g_mutex_unlock (&folder->mutex);
  return NULL;
}

/* Calls func with the name of each entry of a folder. */
typedef void (*EntryFunc) (ScopeSweepFolder *folder, const char *name, gpointer data);

static void
read_entries (ScopeSweepFolder *folder, const char *name, EntryFunc func, gpointer data)
{
  int                  fd = openat (folder->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR                 *dir = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *entry;

  folder->effort.n_calls++;
  while (dir && (entry = readdir (dir)))
    {
      folder->effort.n_entries++;
      if (entry->d_name[0] != '.')
        func (folder, entry->d_name, data);
    }
  if (dir)
    closedir (dir);
}

static void
count_entry (ScopeSweepFolder *folder G_GNUC_UNUSED, const char *name G_GNUC_UNUSED, gpointer count)
{
  ++*(guint *) count;
}

ScopeSweepFolder *
scope_sweep_folder_open (const char *path, guint n_cells, const char *worker, GError **error)
{
  ScopeSweepFolder *folder;
  g_autofree char  *name = g_strconcat ("workers/", worker, NULL);
  guint             n_others = 0;
  int               fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    {
      fail (path, "the folder cannot be opened", error);
      return NULL;
    }
  folder = g_new0 (ScopeSweepFolder, 1);
  folder->path = g_strdup (path);
  folder->fd = fd;
  folder->worker = g_strdup (worker);
  folder->n_cells = n_cells;
  folder->todo = g_array_new (FALSE, FALSE, sizeof (guint));
  g_mutex_init (&folder->mutex);
  g_cond_init (&folder->ends);
  read_entries (folder, "workers", count_entry, &n_others);
  folder->is_alone = n_others == 0;
  if (!make_empty (fd, name))
    {
      fail (path, "a file cannot be made in its folder “workers”", error);
      scope_sweep_folder_free (folder);
      return NULL;
    }
  folder->toucher = g_thread_new ("touch", touch, folder);
  return folder;
}

void
scope_sweep_folder_free (ScopeSweepFolder *folder)
{
  g_autofree char *name = g_strconcat ("workers/", folder->worker, NULL);

  g_mutex_lock (&folder->mutex);
  folder->is_ending = TRUE;
  g_cond_signal (&folder->ends);
  g_mutex_unlock (&folder->mutex);
  if (folder->toucher)
    g_thread_join (folder->toucher);
  unlinkat (folder->fd, name, 0);
  close (folder->fd);
  g_mutex_clear (&folder->mutex);
  g_cond_clear (&folder->ends);
  g_array_unref (folder->todo);
  g_free (folder->path);
  g_free (folder->worker);
  g_free (folder);
}

/* --- Claims --- */

gboolean
scope_sweep_parse_cell (const char *name, guint n_cells, guint *cell)
{
  char  *end;
  gint64 number = g_ascii_isdigit (*name) ? g_ascii_strtoll (name, &end, 10) : -1;

  if (number < 0 || number >= n_cells || (*end != '\0' && *end != '.'))
    return FALSE;
  *cell = (guint) number;
  return TRUE;
}

static void
add_todo (ScopeSweepFolder *folder, const char *name, gpointer data G_GNUC_UNUSED)
{
  guint cell;

  if (scope_sweep_parse_cell (name, folder->n_cells, &cell))
    g_array_append_val (folder->todo, cell);
}

static int
compare_cells (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return (x > y) - (x < y);
}

/* The first worker begins with the first cell, others and later walks anywhere. */
static void
read_todo (ScopeSweepFolder *folder)
{
  g_array_set_size (folder->todo, 0);
  read_entries (folder, "todo", add_todo, NULL);
  g_array_sort (folder->todo, compare_cells);
  folder->n_left = folder->todo->len;
  folder->position = 0;
  if (folder->todo->len > 0 && (folder->has_walked || !folder->is_alone))
    folder->position = (guint) g_random_int_range (0, (gint32) folder->todo->len);
  folder->has_walked = TRUE;
}

static void
name_claim (const ScopeSweepFolder *folder, guint cell, char *name, gsize size)
{
  g_snprintf (name, size, "claimed/%06u.%s", cell, folder->worker);
}

static gboolean
exists (ScopeSweepFolder *folder, const char *name)
{
  folder->effort.n_calls++;
  return faccessat (folder->fd, name, F_OK, 0) == 0;
}

/* A server that repeats a request may report that a file is gone which was renamed by the first one. */
static gboolean
claim (ScopeSweepFolder *folder, guint cell)
{
  char from[32], to[512];

  g_snprintf (from, sizeof from, "todo/%06u", cell);
  name_claim (folder, cell, to, sizeof to);
  folder->effort.n_calls++;
  return renameat (folder->fd, from, folder->fd, to) == 0 || exists (folder, to);
}

static void
unclaim (ScopeSweepFolder *folder, guint cell)
{
  char name[512];

  name_claim (folder, cell, name, sizeof name);
  folder->effort.n_calls++;
  unlinkat (folder->fd, name, 0);
}

/* Whether the cell has a result: its worker ended after it had stored it, or was taken for gone. */
static gboolean
has_result (ScopeSweepFolder *folder, guint cell)
{
  char name[64];

  g_snprintf (name, sizeof name, "done/%06u.json", cell);
  return exists (folder, name);
}

gboolean
scope_sweep_folder_claim (ScopeSweepFolder *folder, guint *cell)
{
  guint n_misses = 0;

  for (;;)
    {
      if (folder->n_left == 0 || n_misses == MAX_MISSES)
        {
          read_todo (folder);
          n_misses = 0;
        }
      if (folder->n_left == 0)
        return FALSE;
      *cell = g_array_index (folder->todo, guint, folder->position);
      folder->position = (folder->position + 1) % folder->todo->len;
      folder->n_left--;
      if (!claim (folder, *cell))
        n_misses++;
      else if (has_result (folder, *cell))
        unclaim (folder, *cell);
      else
        return TRUE;
    }
}

void
scope_sweep_folder_release (ScopeSweepFolder *folder, guint cell)
{
  char from[512], to[32];

  name_claim (folder, cell, from, sizeof from);
  g_snprintf (to, sizeof to, "todo/%06u", cell);
  folder->effort.n_calls++;
  renameat (folder->fd, from, folder->fd, to);
}

/* --- Results --- */

/* Writes under a name of this worker and renames. */
static gboolean
write_line (ScopeSweepFolder *folder, const char *name, const char *line)
{
  g_autofree char *own = g_strconcat ("workers/.", folder->worker, NULL);
  gsize            length = strlen (line);
  int              file = openat (folder->fd, own, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  gboolean         is_written;

  folder->effort.n_calls += 2;
  if (file < 0)
    return FALSE;
  is_written = write (file, line, length) == (gssize) length && fdatasync (file) == 0;
  if (close (file) == 0 && is_written && renameat (folder->fd, own, folder->fd, name) == 0)
    return TRUE;
  unlinkat (folder->fd, own, 0);
  return FALSE;
}

gboolean
scope_sweep_folder_finish (ScopeSweepFolder *folder,
                           guint             cell,
                           const char       *line,
                           gboolean          is_done,
                           GError          **error)
{
  char done[64], failed[64];

  g_snprintf (done, sizeof done, "done/%06u.json", cell);
  g_snprintf (failed, sizeof failed, "failed/%06u.json", cell);
  if (!write_line (folder, is_done ? done : failed, line))
    return fail (folder->path, "a result cannot be written", error);
  if (is_done)
    {
      folder->effort.n_calls++;
      unlinkat (folder->fd, failed, 0);
    }
  unclaim (folder, cell);
  return TRUE;
}

char *
scope_sweep_folder_read (ScopeSweepFolder *folder, guint cell, gboolean *is_done)
{
  for (guint i = 0; i < 2; i++)
    {
      char             name[64];
      g_autofree char *line = NULL;
      int              file;
      gssize           n;

      *is_done = i == 0;
      g_snprintf (name, sizeof name, "%s/%06u.json", *is_done ? "done" : "failed", cell);
      folder->effort.n_calls++;
      file = openat (folder->fd, name, O_RDONLY | O_CLOEXEC);
      if (file < 0)
        continue;
      line = g_malloc (MAX_LINE + 1);
      n = read (file, line, MAX_LINE);
      close (file);
      if (n <= 0)
        continue;
      line[n] = '\0';
      line[strcspn (line, "\n")] = '\0';
      return g_strdup (line);
    }
  return NULL;
}

/* --- Recovery --- */

typedef struct
{
  guint8 *is_known; /* by cell: some file names it */
  guint   n_again;
} Recovery;

static void
mark_known (ScopeSweepFolder *folder, const char *name, gpointer data)
{
  Recovery *recovery = data;
  guint     cell;

  if (scope_sweep_parse_cell (name, folder->n_cells, &cell))
    recovery->is_known[cell] = TRUE;
}

/* Seconds since the worker touched its file, by the clock of the file server; negative: it has none. */
static double
age_of (ScopeSweepFolder *folder, const char *worker)
{
  g_autofree char *own = g_strconcat ("workers/", folder->worker, NULL);
  g_autofree char *its = g_strconcat ("workers/", worker, NULL);
  struct stat      mine, status;

  folder->effort.n_calls += 3;
  if (utimensat (folder->fd, own, NULL, 0) != 0 || fstatat (folder->fd, own, &mine, 0) != 0 ||
      fstatat (folder->fd, its, &status, 0) != 0)
    return -1;
  return MAX (difftime (mine.st_mtime, status.st_mtime), 0);
}

static void
recover_claim (ScopeSweepFolder *folder, const char *name, gpointer data)
{
  Recovery        *recovery = data;
  const char      *worker = strchr (name, '.');
  g_autofree char *from = g_strconcat ("claimed/", name, NULL);
  char             to[32];
  guint            cell;

  if (!worker || !scope_sweep_parse_cell (name, folder->n_cells, &cell))
    return;
  recovery->is_known[cell] = TRUE;
  if (scope_sweep_worker_is_alive (worker + 1, age_of (folder, worker + 1)))
    return;
  folder->effort.n_calls++;
  g_snprintf (to, sizeof to, "todo/%06u", cell);
  if (has_result (folder, cell))
    unlinkat (folder->fd, from, 0);
  else if (renameat (folder->fd, from, folder->fd, to) == 0)
    recovery->n_again++;
}

static void
retry_failure (ScopeSweepFolder *folder, const char *name, gpointer data)
{
  Recovery *recovery = data;
  char      to[32];
  guint     cell;

  if (!scope_sweep_parse_cell (name, folder->n_cells, &cell))
    return;
  g_snprintf (to, sizeof to, "todo/%06u", cell);
  folder->effort.n_calls++;
  recovery->n_again += !recovery->is_known[cell] && make_empty (folder->fd, to);
  recovery->is_known[cell] = TRUE;
}

/* Removes what a worker that is gone has left. */
static void
forget_worker (ScopeSweepFolder *folder, const char *name, gpointer unused G_GNUC_UNUSED)
{
  g_autofree char *path = g_strconcat ("workers/", name, NULL);
  g_autofree char *draft = g_strconcat ("workers/.", name, NULL);

  if (scope_sweep_worker_is_alive (name, age_of (folder, name)))
    return;
  folder->effort.n_calls += 2;
  unlinkat (folder->fd, path, 0);
  unlinkat (folder->fd, draft, 0);
}

/* Cells move from todo/ to claimed/ and on to done/ or failed/.  Folders are read in this order, so that a cell that moves at
 * the same time is seen at least once. */
static guint
recover (ScopeSweepFolder *folder, gboolean retries_failed)
{
  g_autofree guint8 *is_known = g_malloc0 (MAX (folder->n_cells, 1));
  Recovery           recovery = { .is_known = is_known };
  char               name[32];

  read_entries (folder, "todo", mark_known, &recovery);
  read_entries (folder, "claimed", recover_claim, &recovery);
  read_entries (folder, "done", mark_known, &recovery);
  read_entries (folder, "failed", retries_failed ? retry_failure : mark_known, &recovery);
  read_entries (folder, "workers", forget_worker, NULL);
  for (guint cell = 0; cell < folder->n_cells; cell++)
    if (!is_known[cell])
      {
        g_snprintf (name, sizeof name, "todo/%06u", cell);
        folder->effort.n_calls++;
        recovery.n_again += make_empty (folder->fd, name);
      }
  return recovery.n_again;
}

guint
scope_sweep_folder_recover (ScopeSweepFolder *folder, gboolean retries_failed)
{
  int          lock = openat (folder->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  guint        n = 0;

  folder->effort.n_calls++;
  if (lock < 0)
    return 0;
  if (fcntl (lock, F_OFD_SETLK, &whole) == 0)
    n = recover (folder, retries_failed);
  close (lock);
  return n;
}

/* --- Counts --- */

typedef struct
{
  guint8 *state;
  guint8  mark;
} Marking;

static void
mark_state (ScopeSweepFolder *folder, const char *name, gpointer data)
{
  const Marking *marking = data;
  guint          cell;

  if (scope_sweep_parse_cell (name, folder->n_cells, &cell))
    marking->state[cell] = marking->mark;
}

ScopeSweepCounts
scope_sweep_folder_count (ScopeSweepFolder *folder)
{
  static const char *const order[] = {
    "failed", "todo", "claimed", "done"
  }; /* the last one counts */
  g_autofree guint8 *state = g_malloc0 (MAX (folder->n_cells, 1));
  guint              counts[G_N_ELEMENTS (order) + 1] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    read_entries (folder, order[i], mark_state, &(Marking){ state, (guint8) (i + 1) });
  for (guint cell = 0; cell < folder->n_cells; cell++)
    counts[state[cell]]++;
  return (ScopeSweepCounts){
    .n_failed = counts[1], .n_todo = counts[2], .n_claimed = counts[3], .n_done = counts[4]
  };
}

ScopeSweepEffort
scope_sweep_folder_get_effort (const ScopeSweepFolder *folder)
{
  return folder->effort;
}
