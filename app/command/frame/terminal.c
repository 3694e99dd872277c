/* terminal.c — the filter in front of stdout, the same escapes for a message, and the width of a
 * line.
 *
 * The filter is a stream with functions of its own (fopencookie), which takes the place of stdout.
 * Start at escape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "app/command/frame/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- Escaping --- */

/* Characters that change how a terminal shows text. */
static gboolean
is_control (gunichar c)
{
  if (c == '\n' || c == '\t')
    return FALSE;
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Appends text to out.  Returns how many bytes were used: the beginning of a character at the end is
 * left, unless is_last. */
static gsize
escape (GString *out, const char *text, gsize length, gboolean is_last)
{
  gsize at = 0;

  while (at < length)
    {
      gunichar c = g_utf8_get_char_validated (text + at, (gssize) (length - at));

      if (c == (gunichar) -2 && !is_last)
        break;
      if (c == (gunichar) -1 || c == (gunichar) -2)
        g_string_append_printf (out, "\\u%04x", (guint8) text[at++]);
      else if (c == 0)
        {
          g_string_append (out, "\\u0000");
          at++;
        }
      else
        {
          gsize size = (gsize) g_unichar_to_utf8 (c, NULL);

          if (is_control (c))
            g_string_append_printf (out, "\\u%04x", c);
          else
            g_string_append_len (out, text + at, (gssize) size);
          at += size;
        }
    }
  return at;
}

char *
scope_terminal_escape (const char *text)
{
  g_autoptr (GString) escaped = g_string_new (NULL);

  escape (escaped, text, strlen (text), TRUE);
  g_string_replace (escaped, "\n", "\\n", 0);
  g_string_replace (escaped, "\t", "\\t", 0);
  return g_string_free (g_steal_pointer (&escaped), FALSE);
}

void
scope_terminal_pass_on (const char *text, gsize n)
{
  g_autoptr (GString) escaped = g_string_new (NULL);

  escape (escaped, text, n, TRUE);
  fwrite (escaped->str, 1, escaped->len, stderr);
}

/* --- The stream --- */

static struct
{
  char  rest[4]; /* the beginning of a character whose end has not been written yet */
  gsize n_rest;
  int   error;  /* errno of the first failure, or 0 */
  int   status; /* of a process whose output was lost */
} output;

static gboolean
write_all (const char *text, gsize length)
{
  while (length > 0)
    {
      ssize_t n = write (STDOUT_FILENO, text, length);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          if (output.error == 0)
            output.error = errno;
          return FALSE;
        }
      text += n;
      length -= (gsize) n;
    }
  return TRUE;
}

static ssize_t
write_filtered (void *unused G_GNUC_UNUSED, const char *text, size_t length)
{
  g_autoptr (GString) all = g_string_new_len (output.rest, (gssize) output.n_rest);
  g_autoptr (GString) escaped = g_string_sized_new (length + 16);
  gsize used;

  g_string_append_len (all, text, (gssize) length);
  used = escape (escaped, all->str, all->len, FALSE);
  output.n_rest = all->len - used;
  memcpy (output.rest, all->str + used, output.n_rest);
  return write_all (escaped->str, escaped->len) ? (ssize_t) length : 0;
}

/* exit() calls it before it closes the streams. */
static void
check_output (void)
{
  g_autoptr (GString) escaped = g_string_new (NULL);
  gboolean is_written = fflush (stdout) == 0 && !ferror (stdout);

  escape (escaped, output.rest, output.n_rest, TRUE);
  output.n_rest = 0;
  if (write_all (escaped->str, escaped->len) && is_written)
    return;
  fprintf (stderr, "error: the output cannot be written: %s\n",
           g_strerror (output.error ? output.error : EIO));
  _exit (output.status);
}

void
scope_terminal_protect (int status)
{
  FILE *filter = fopencookie (NULL, "w", (cookie_io_functions_t){ .write = write_filtered });

  output.status = status;
  if (filter && isatty (STDOUT_FILENO))
    setvbuf (filter, NULL, _IOLBF, 0);
  if (filter)
    stdout = filter;
  g_log_writer_default_set_use_stderr (TRUE); /* GLib writes to no stream without a file */
  atexit (check_output);
}

/* --- Paragraphs --- */

#define DEFAULT_WIDTH 80
#define MIN_WIDTH     40
#define MAX_WIDTH     120 /* longer lines are hard to read */

/* Text in lines of up to width characters, broken between words; all lines but the first begin with indent blanks.  A
 * word that is longer has a line of its own.  width 0: one line.  (transfer full) */
static char *
wrap (const char *text, guint indent, guint width)
{
  GString    *lines = g_string_new (NULL);
  guint       column = 0;
  const char *at = text;

  while (*at)
    {
      /* A word with the blanks before it, which lay out columns. */
      gsize blanks = strspn (at, " ");
      gsize length = blanks + strcspn (at + blanks, " ");
      guint n = (guint) g_utf8_strlen (at, (gssize) length);

      if (width > 0 && column > indent && column + n > width)
        {
          g_string_append_printf (lines, "\n%*s", (int) indent, "");
          column = indent;
          at += blanks;
          length -= blanks;
          n -= (guint) blanks;
        }
      g_string_append_len (lines, at, (gssize) length);
      column += n;
      at += length;
    }
  return g_string_free (lines, FALSE);
}

guint
scope_terminal_columns (int descriptor)
{
  const char    *variable = g_getenv ("COLUMNS");
  guint64        limit = variable ? g_ascii_strtoull (variable, NULL, 10) : 0;
  struct winsize size;
  guint          columns = DEFAULT_WIDTH;

  if (ioctl (descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    columns = size.ws_col;
  else if (limit > 0)
    return (guint) MIN (limit, G_MAXUINT16);
  return limit > 0 ? (guint) MIN (limit, columns) : columns;
}

/* 0: stdout is not a terminal. */
static guint
terminal_width (void)
{
  if (!isatty (STDOUT_FILENO))
    return 0;
  return CLAMP (scope_terminal_columns (STDOUT_FILENO), MIN_WIDTH, MAX_WIDTH);
}

void
scope_terminal_print (const char *text, guint indent)
{
  g_autofree char *lines = wrap (text, indent, terminal_width ());

  printf ("%s\n", lines);
}

/* --- The status line --- */

static guint
columns_of (gunichar c)
{
  return g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
}

char *
scope_terminal_fit (const char *text, guint columns)
{
  const char *cut = text; /* where the text ends if “…” follows */
  guint       n = 0;

  for (const char *at = text; *at; at = g_utf8_next_char (at))
    {
      n += columns_of (g_utf8_get_char (at));
      if (n > columns)
        return g_strdup_printf ("%.*s%s", (int) (cut - text), text, columns > 0 ? "…" : "");
      if (n < columns)
        cut = g_utf8_next_char (at);
    }
  return g_strdup (text);
}

gboolean
scope_terminal_is_capable (int descriptor)
{
  return isatty (descriptor) && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
}

void
scope_terminal_set_status (const char *line)
{
  static gboolean is_shown;

  if (line)
    fprintf (stderr, "\r%s\033[K", line);
  else if (is_shown)
    fputs ("\r\033[K", stderr);
  is_shown = line != NULL;
  fflush (stderr);
}
