/* tab-titles.c — short titles for tabs, which keep the part of each name that differs from the others.
 *
 * A tab in a narrow window shows about a dozen letters, and exports of one family begin alike.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/tab-titles.h"

#include <string.h>

#define SEPARATORS "_-. /" /* between words */
#define LONG       6 /* bytes: less is not worth an ellipsis, and says little about a family */

/* Whether a name may be cut before this byte: where a word begins. */
static gboolean
begins_word (const char *name, gsize at)
{
  return at == 0 || strchr (SEPARATORS, name[at - 1]) != NULL;
}

/* The length in bytes of the whole words that this name shares with all names that begin alike; less than the whole name. */
static gsize
common_begin (const ScopeTab *tabs, guint n, const char *name)
{
  gsize begin = strlen (name);

  for (guint i = 0; i < n; i++)
    {
      gsize same = 0;

      while (name[same] && name[same] == tabs[i].name[same])
        same++;
      /* Names that are equal, or begin differently, need no distinction. */
      if (same >= LONG && strcmp (tabs[i].name, name) != 0)
        begin = MIN (begin, same);
    }
  if (begin == strlen (name))
    return 0;
  while (!begins_word (name, begin))
    begin--;
  return begin >= LONG ? begin : 0;
}

/* The bytes of whole words, with the separator before them, with which this name and all those that end like it end;
 * at most `most`. */
static gsize
common_end (const ScopeTab *tabs, guint n, const char *name, gsize most)
{
  gsize length = strlen (name), end = G_MAXSIZE;

  for (guint i = 0; i < n; i++)
    {
      const char *other = tabs[i].name;
      gsize       of_other = strlen (other), same = 0;

      while (same < MIN (length, of_other) && name[length - same - 1] == other[of_other - same - 1])
        same++;
      /* A whole name at the end of another one is what both are about, as in “Compare: lstm”. */
      if (same >= LONG && same < MIN (length, of_other))
        end = MIN (end, same);
    }
  if (end == G_MAXSIZE)
    return 0;
  end = MIN (end, most);
  while (end > 0 && !strchr (SEPARATORS, name[length - end]))
    end--;
  return end >= LONG ? end : 0;
}

/* How much of a name is left out. */
typedef enum
{
  CUT_BOTH, /* the words that another name begins or ends with, too */
  CUT_END,
  CUT_NOTHING,
  ADD_FOLDER,
  N_LEVELS,
} Level;

/* (transfer full) */
static char *
make_title (const ScopeTab *tabs, guint n, guint index, Level level, guint room)
{
  const char      *name = tabs[index].name;
  g_autofree char *folder = tabs[index].folder ? g_path_get_basename (tabs[index].folder) : NULL;
  gboolean         is_long = (gulong) g_utf8_strlen (name, -1) > room;
  gsize            length = strlen (name), end = 0;
  gsize            begin = is_long && level == CUT_BOTH ? common_begin (tabs, n, name) : 0;

  if (is_long && level <= CUT_END)
    end = common_end (tabs, n, name, length - begin - 1);
  return g_strdup_printf ("%s%s%s%.*s%s", level == ADD_FOLDER && folder ? folder : "",
                          level == ADD_FOLDER && folder ? "/" : "", begin > 0 ? "…" : "",
                          (int) (length - begin - end), name + begin, end > 0 ? "…" : "");
}

static gboolean
is_unique (char **titles, const char *title)
{
  guint n_equal = 0;

  for (guint i = 0; titles[i]; i++)
    n_equal += strcmp (titles[i], title) == 0;
  return n_equal == 1;
}

char **
scope_tab_titles_new (const ScopeTab *tabs, guint n, guint room)
{
  char **titles = g_new0 (char *, n + 1);

  for (Level level = 0; level < N_LEVELS; level++)
    {
      g_auto (GStrv) made = g_new0 (char *, n + 1);

      for (guint i = 0; i < n; i++)
        made[i] = make_title (tabs, n, i, level, room);
      for (guint i = 0; i < n; i++)
        if (!titles[i] && (level == N_LEVELS - 1 || is_unique (made, made[i])))
          titles[i] = g_strdup (made[i]);
    }
  return titles;
}
