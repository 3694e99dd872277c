/* match-prefix.c — finds a prefix that all names of a file lack or have too much.
 *
 * Every pair of names with a common ending proposes a change; the change that fits most names is taken if no
 * other does as well.  Start at hyb_prefix_match_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/match-prefix.h"

#include "engine/doctor/counters.h"
#include "engine/doctor/match-parameter-order.h"
#include "engine/doctor/rival-names.h"

#include <string.h>

/* Limits of the search: parameters and variables that are compared, and changes that are tried. */
#define MAX_SAMPLES   3
#define MAX_VARIABLES 2000
#define MAX_CHANGES   256

/* The state of the search. */
typedef struct
{
  HybModel   *model;
  GPtrArray  *missing, *unused;
  GHashTable *is_missing; /* the names of missing */
  GHashTable *tried;      /* proposals */
} Search;

void
hyb_prefix_match_clear (HybPrefixMatch *match)
{
  g_clear_pointer (&match->remove, g_free);
  g_clear_pointer (&match->add, g_free);
  g_clear_pointer (&match->pairs, g_ptr_array_unref);
  g_clear_pointer (&match->rival, g_ptr_array_unref);
}

/* The prefixes that remain when the longest common ending of both names is removed.  FALSE if they
 * have no ending of at least three characters in common. */
static gboolean
propose (const char *parameter, const char *variable, char **remove, char **add)
{
  gsize n_p = strlen (parameter), n_v = strlen (variable), common = 0;
  gsize cut;

  while (common < MIN (n_p, n_v) && parameter[n_p - common - 1] == variable[n_v - common - 1])
    common++;

  /* Names consist of words joined by “_” or “.”; the ending must start with a whole word. */
  for (cut = common; cut > 0; cut--)
    {
      gboolean starts_p = cut == n_p || strchr ("_.", parameter[n_p - cut - 1]);
      gboolean starts_v = cut == n_v || strchr ("_.", variable[n_v - cut - 1]);

      if (starts_p && starts_v)
        break;
    }
  if (cut < 3)
    return FALSE;

  *remove = g_strndup (parameter, n_p - cut);
  *add = g_strndup (variable, n_v - cut);
  return TRUE;
}

/* Sets pairs: the parameters that become the name of a missing variable. */
static void
apply_change (const Search *search, HybPrefixMatch *change)
{
  change->pairs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < search->unused->len; i++)
    {
      const char      *parameter = search->unused->pdata[i];
      g_autofree char *name =
          g_str_has_prefix (parameter, change->remove)
              ? g_strconcat (change->add, parameter + strlen (change->remove), NULL)
              : NULL;

      if (!name || !g_hash_table_contains (search->is_missing, name))
        continue;
      g_ptr_array_add (change->pairs, g_steal_pointer (&name));
      g_ptr_array_add (change->pairs, g_strdup (parameter));
    }
}

/* Whether the shapes of the renamed arrays agree with the graph and the other arrays. */
static gboolean
agrees (const Search *search, const HybPrefixMatch *change)
{
  g_autoptr (GPtrArray) variables = g_ptr_array_new ();
  g_autoptr (GPtrArray) parameters = g_ptr_array_new ();

  for (guint i = 0; i < change->pairs->len; i += 2)
    {
      g_ptr_array_add (variables, change->pairs->pdata[i]);
      g_ptr_array_add (parameters, change->pairs->pdata[i + 1]);
    }
  return hyb_match_agrees (search->model, parameters, (const char *const *) variables->pdata);
}

/* TRUE if the change leaves no name of the file over: then names are evidence enough. */
static gboolean
is_complete (const Search *search, const HybPrefixMatch *change)
{
  return change->pairs->len == 2 * hyb_model_n_parameters (search->model);
}

/* TRUE for a change that fits fewer than three quarters of the names, which may be a coincidence. */
static gboolean
is_coincidence (const Search *search, const HybPrefixMatch *change)
{
  return change->pairs->len * 2 < search->unused->len * 3;
}

static gboolean
is_better (const HybPrefixMatch *change, const HybPrefixMatch *best)
{
  return !best->pairs || change->pairs->len > best->pairs->len;
}

/* Whether both fit as many names but give one of them to different variables. */
static gboolean
is_rival (const HybPrefixMatch *change, const HybPrefixMatch *best)
{
  if (change->pairs->len != best->pairs->len)
    return FALSE;
  for (guint i = 0; i < change->pairs->len; i++)
    if (strcmp (change->pairs->pdata[i], best->pairs->pdata[i]) != 0)
      return TRUE;
  return FALSE;
}

/* Compares a change with the best one so far, and takes its place or becomes its rival. */
static void
consider (const Search *search, HybPrefixMatch *change, HybPrefixMatch *best)
{
  if (is_coincidence (search, change) ||
      (best->pairs && !is_better (change, best) && !is_rival (change, best)))
    return;
  /* Shapes decide between changes that fit as many names, and whether a part may be renamed. */
  if ((!is_complete (search, change) || best->pairs) && !agrees (search, change))
    return;
  if (is_better (change, best) || !agrees (search, best))
    {
      hyb_prefix_match_clear (best);
      *best = *change;
      *change = (HybPrefixMatch){ 0 };
    }
  else if (!best->rival)
    best->rival = g_ptr_array_ref (change->pairs);
}

static void
try_pair (const Search *search, const char *parameter, const char *variable, HybPrefixMatch *best)
{
  g_auto (HybPrefixMatch) change = { 0 };
  char *id;

  if (!propose (parameter, variable, &change.remove, &change.add))
    return;
  id = g_strconcat (change.remove, "\n", change.add, NULL);
  if (!g_hash_table_add (search->tried, id) || g_hash_table_size (search->tried) > MAX_CHANGES)
    return;
  apply_change (search, &change);
  if (change.pairs->len > 0)
    consider (search, &change, best);
}

static gboolean
has_pair (const HybPrefixMatch *match, const char *name)
{
  for (guint i = 0; i < match->pairs->len; i++)
    if (strcmp (match->pairs->pdata[i], name) == 0)
      return TRUE;
  return FALSE;
}

/* A missing variable and an array that are left over, although the change makes their names equal but for counters: then
 * the counters of all arrays may be shifted as well.  NULL if there are none.  (transfer full) */
static GPtrArray *
find_leftover (const Search *search, const HybPrefixMatch *match)
{
  for (guint p = 0; p < search->unused->len; p++)
    {
      const char      *parameter = search->unused->pdata[p];
      g_autofree char *name = NULL, *stem = NULL;

      if (has_pair (match, parameter) || !g_str_has_prefix (parameter, match->remove))
        continue;
      name = g_strconcat (match->add, parameter + strlen (match->remove), NULL);
      stem = hyb_counters_dup_stem (name);
      for (guint v = 0; v < search->missing->len; v++)
        {
          g_autofree char *other = hyb_counters_dup_stem (search->missing->pdata[v]);
          GPtrArray       *pair;

          if (strcmp (stem, other) != 0 || has_pair (match, search->missing->pdata[v]))
            continue;
          pair = g_ptr_array_new_with_free_func (g_free);
          g_ptr_array_add (pair, g_strdup (search->missing->pdata[v]));
          g_ptr_array_add (pair, g_strdup (parameter));
          return pair;
        }
    }
  return NULL;
}

/* Only the first few parameters are compared with the variables, since a change that fits all parameters
 * fits these as well. */
gboolean
hyb_prefix_match_find (HybModel       *model,
                       GPtrArray      *missing,
                       GPtrArray      *unused,
                       HybPrefixMatch *match)
{
  g_autoptr (GHashTable) is_missing = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) tried = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Search search = { model, missing, unused, is_missing, tried };

  *match = (HybPrefixMatch){ 0 };
  for (guint i = 0; i < missing->len; i++)
    g_hash_table_add (is_missing, missing->pdata[i]);
  for (guint p = 0; p < MIN (unused->len, MAX_SAMPLES); p++)
    for (guint v = 0; v < MIN (missing->len, MAX_VARIABLES); v++)
      try_pair (&search, unused->pdata[p], missing->pdata[v], match);
  if (!match->pairs)
    return FALSE;
  if (!match->rival && !is_complete (&search, match))
    match->rival = hyb_rival_find (model, match->pairs);
  if (!match->rival)
    match->rival = find_leftover (&search, match);
  return TRUE;
}
