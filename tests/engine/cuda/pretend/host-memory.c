/* host-memory.c — pinned memory of the program: while a copy may still write it or read it, the
 * program may not touch it, and a touch is told as a fault.
 *
 * The memory is mapped twice: the program's view is protected, the driver's is not.  A page is
 * protected only if the copy covers all of it, or all of the allocation.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/state.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u

typedef struct
{
  gsize              start, end; /* pages, as bytes of the allocation */
  const PretendWork *until;
  gboolean           reads;
} PretendHidden;

static PretendPinned *
find_pinned (gconstpointer host)
{
  for (guint i = 0; i < pretend.pinned->len; i++)
    {
      PretendPinned *pinned = g_ptr_array_index (pretend.pinned, i);

      if ((const guint8 *) host >= pinned->host &&
          (const guint8 *) host < pinned->host + MAX (pinned->bytes, 1))
        return pinned;
    }
  return NULL;
}

static gsize
whole_pages (gsize bytes)
{
  return (MAX (bytes, 1) + PAGE - 1) / PAGE * PAGE;
}

gpointer
pretend_pinned_new (gsize bytes)
{
  PretendPinned *pinned = g_new0 (PretendPinned, 1);
  int            file = memfd_create ("pinned", MFD_CLOEXEC);
  gsize          size = whole_pages (bytes);

  if (file < 0 || ftruncate (file, (off_t) size))
    g_error ("the pretend GPU gets no pinned memory");
  pinned->bytes = bytes;
  pinned->host = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  pinned->alias = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close (file);
  if (pinned->host == MAP_FAILED || pinned->alias == MAP_FAILED)
    g_error ("the pretend GPU cannot map pinned memory");
  memset (pinned->alias, 0xff, size);
  pinned->hidden = g_array_new (FALSE, FALSE, sizeof (PretendHidden));
  g_ptr_array_add (pretend.pinned, pinned);
  return pinned->host;
}

gboolean
pretend_pinned_free (gpointer host)
{
  PretendPinned *pinned = find_pinned (host);

  if (!pinned || pinned->host != host)
    return FALSE;
  if (pinned->hidden->len)
    pretend_problem ("pinned memory is freed while a copy still uses it");
  pretend_wait_all ();
  munmap (pinned->host, whole_pages (pinned->bytes));
  munmap (pinned->alias, whole_pages (pinned->bytes));
  g_array_unref (pinned->hidden);
  g_ptr_array_remove (pretend.pinned, pinned);
  g_free (pinned);
  return TRUE;
}

gpointer
pretend_alias (gconstpointer host)
{
  PretendPinned *pinned = find_pinned (host);

  return pinned ? pinned->alias + ((const guint8 *) host - pinned->host) : (gpointer) host;
}

gboolean
pretend_is_pinned (gconstpointer host, gsize bytes)
{
  PretendPinned *pinned = find_pinned (host);

  return pinned && bytes <= pinned->bytes - (gsize) ((const guint8 *) host - pinned->host);
}

/* Protects the pages of PINNED as what is hidden asks. */
static void
protect (const PretendPinned *pinned)
{
  mprotect (pinned->host, whole_pages (pinned->bytes), PROT_READ | PROT_WRITE);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < pinned->hidden->len; i++)
      {
        const PretendHidden *hidden = &g_array_index (pinned->hidden, PretendHidden, i);

        if (hidden->reads == !pass)
          mprotect (pinned->host + hidden->start, hidden->end - hidden->start,
                    pass ? PROT_NONE : PROT_READ);
      }
}

void
pretend_hide (gconstpointer host, gsize bytes, const PretendWork *until, gboolean reads)
{
  PretendPinned *pinned = find_pinned (host);
  PretendHidden  hidden = { .until = until, .reads = reads };
  gsize          start;

  if (!pinned || !pretend_checks (PRETEND_CHECK_HOST))
    return;
  start = (gsize) ((const guint8 *) host - pinned->host);
  hidden.start = (start + PAGE - 1) / PAGE * PAGE;
  hidden.end =
      start + bytes == pinned->bytes ? whole_pages (pinned->bytes) : (start + bytes) / PAGE * PAGE;
  if (hidden.start >= hidden.end)
    return;
  g_array_append_val (pinned->hidden, hidden);
  protect (pinned);
}

void
pretend_show (void)
{
  for (guint i = 0; i < pretend.pinned->len; i++)
    {
      PretendPinned *pinned = g_ptr_array_index (pretend.pinned, i);
      guint          before = pinned->hidden->len;

      for (guint k = before; k-- > 0;)
        if (pretend_host_knows (g_array_index (pinned->hidden, PretendHidden, k).until))
          g_array_remove_index_fast (pinned->hidden, k);
      if (pinned->hidden->len != before)
        protect (pinned);
    }
}

/* --- Faults of the program --- */

static struct sigaction before;

static void
say (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    abort ();
}

static void
fault (int number, siginfo_t *info, void *context)
{
  PretendPinned *pinned = find_pinned (info->si_addr);

  if (pinned)
    {
      gsize at = (gsize) ((guint8 *) info->si_addr - pinned->host);

      for (guint i = 0; i < pinned->hidden->len; i++)
        {
          const PretendHidden *hidden = &g_array_index (pinned->hidden, PretendHidden, i);

          if (at < hidden->start || at >= hidden->end)
            continue;
          say (hidden->reads
                   ? "# pretend GPU: the host changes pinned memory before it waited for "
                   : "# pretend GPU: the host touches pinned memory before it waited for ");
          say (hidden->until->deed ? hidden->until->deed->name : "a copy");
          say (hidden->reads ? ", which reads it\n" : ", which writes it\n");
          abort ();
        }
    }
  if (ptx_memory_holds (pretend.memory, (guint64) (gsize) info->si_addr))
    {
      say ("# pretend GPU: the host touches device memory\n");
      abort ();
    }
  sigaction (SIGSEGV, &before, NULL);
}

void
pretend_watch_faults (void)
{
  static gboolean  watched;
  struct sigaction action = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER };

  if (watched)
    return;
  watched = TRUE;
  sigaction (SIGSEGV, &action, &before);
}
