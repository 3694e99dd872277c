/* suggest.c — the nearest of several names, by the Damerau-Levenshtein distance (optimal string
 * alignment).  Start with hyb_suggest_name().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/suggest.h"

#include <string.h>

/* Longer names are never suggested. */
#define MAX_TEXT 64

/* The number of letters to change, add, drop or swap with their neighbour to turn a into b; at
 * most limit + 1. */
static guint
edit_distance (const char *a, const char *b, guint limit)
{
  gsize  n_a = strlen (a), n_b = strlen (b);
  guint  rows[3][MAX_TEXT + 1];
  guint *second = rows[0], *last = rows[1],
        *row = rows[2]; /* two rows back, one row back, this row */
  guint least_before = 0;

  if (n_a > MAX_TEXT || n_b > MAX_TEXT || MAX (n_a, n_b) - MIN (n_a, n_b) > limit)
    return limit + 1;

  for (gsize j = 0; j <= n_b; j++)
    last[j] = (guint) j;

  for (gsize i = 1; i <= n_a; i++)
    {
      guint *oldest = second;
      guint  least = row[0] = (guint) i;

      for (gsize j = 1; j <= n_b; j++)
        {
          guint best = last[j - 1] + (a[i - 1] != b[j - 1]);

          best = MIN (best, MIN (last[j], row[j - 1]) + 1);
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            best = MIN (best, second[j - 2] + 1);
          row[j] = best;
          least = MIN (least, best);
        }
      /* Every later number is at least the least one of two rows. */
      if (MIN (least, least_before) > limit)
        return limit + 1;
      least_before = least;
      second = last;
      last = row;
      row = oldest;
    }

  return MIN (last[n_b], limit + 1);
}

const char *
hyb_suggest_param (const HybParam *params, const char *key)
{
  const char *found = NULL;
  guint       best = MIN (2, (guint) strlen (key) / 3) + 1;

  for (; params && params->name; params++)
    {
      guint distance = edit_distance (params->name, key, best - 1);

      if (distance < best)
        {
          best = distance;
          found = params->name;
        }
    }

  return found;
}

const char *
hyb_suggest_name (const char *const *names, guint n, const char *name)
{
  const char *found = NULL;
  guint       best = MIN (2, (guint) strlen (name) / 3) + 1;

  for (guint i = 0; i < n; i++)
    {
      guint distance = edit_distance (names[i], name, best - 1);

      if (distance < best)
        {
          best = distance;
          found = names[i];
        }
    }

  return found;
}

/* TRUE if the names differ in nothing but case and underscores. */
static gboolean
is_same_word (const char *a, const char *b)
{
  for (;; a++, b++)
    {
      while (*a == '_')
        a++;
      while (*b == '_')
        b++;
      if (g_ascii_tolower (*a) != g_ascii_tolower (*b))
        return FALSE;
      if (!*a)
        return TRUE;
    }
}

const char *
hyb_suggest_only (const char *const *names, guint n, const char *name)
{
  const char *found = NULL;
  guint       best = MIN (2, (guint) strlen (name) / 3), n_words = 0;
  gboolean    is_only = FALSE;

  for (guint i = 0; i < n; i++)
    if (is_same_word (names[i], name))
      {
        n_words++;
        found = names[i];
      }
  if (n_words > 0)
    return n_words == 1 ? found : NULL;

  for (guint i = 0; i < n; i++)
    {
      guint distance = edit_distance (names[i], name, best);

      if (distance > best || (found && distance == best && strcmp (found, names[i]) == 0))
        continue;
      is_only = !found || distance < best;
      best = distance;
      found = names[i];
    }
  return is_only ? found : NULL;
}

/* The number of letters with which both begin, in any case. */
static gsize
count_common (const char *a, const char *b)
{
  gsize n = 0;

  while (a[n] && g_ascii_tolower (a[n]) == g_ascii_tolower (b[n]))
    n++;
  return n;
}

static const char *
nearest_choice (const HybParam *param, const char *text)
{
  guint       n = g_strv_length ((char **) param->choices);
  const char *near = hyb_suggest_name (param->choices, n, text);
  gsize       best = 2;

  for (guint i = 0; !near && i < n; i++)
    best = MAX (best, count_common (param->choices[i], text));
  for (guint i = 0; !near && i < n; i++)
    if (count_common (param->choices[i], text) == best)
      near = param->choices[i];
  return near;
}

const char *
hyb_suggest_choice (const HybParam *params, const char *const *attributes)
{
  for (gsize i = 0; attributes && attributes[i]; i += 2)
    {
      const HybParam *param = hyb_params_find (params, attributes[i]);

      if (param && param->kind == HYB_PARAM_ENUM &&
          !g_strv_contains (param->choices, attributes[i + 1]))
        return nearest_choice (param, attributes[i + 1]);
    }
  return NULL;
}
