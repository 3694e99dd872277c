/* names.c — names of nodes, as MXNet's name managers make them.
 *
 * A name is the prefix of the innermost scope and a given name, or the prefix, a hint and a number.
 * Every scope counts from 0 for each hint.  Start at hyb_f_name().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/trace-private.h"

static GPrivate subgraph_counters = G_PRIVATE_INIT ((GDestroyNotify) g_hash_table_unref);

guint
hyb_names_count_subgraph (const char *name)
{
  GHashTable *counters = g_private_get (&subgraph_counters);
  guint       count;

  if (!counters)
    {
      counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_private_set (&subgraph_counters, counters);
    }
  count = GPOINTER_TO_UINT (g_hash_table_lookup (counters, name));
  g_hash_table_insert (counters, g_strdup (name), GUINT_TO_POINTER (count + 1));
  return count;
}

void
hyb_names_reset_subgraphs (void)
{
  g_private_replace (&subgraph_counters, NULL);
}

static void
scope_clear (gpointer data)
{
  NameScope *scope = data;

  g_free (scope->prefix);
  g_hash_table_unref (scope->counters);
}

void
hyb_names_init (HybF *F)
{
  F->scopes = g_array_new (FALSE, FALSE, sizeof (NameScope));
  g_array_set_clear_func (F->scopes, scope_clear);
  hyb_f_push_scope (F, "");
}

void
hyb_names_clear (HybF *F)
{
  g_array_unref (F->scopes);
}

void
hyb_f_push_scope (HybF *F, const char *prefix)
{
  g_return_if_fail (F);

  NameScope scope = { g_strdup (prefix),
                      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };

  g_array_append_val (F->scopes, scope);
}

void
hyb_f_pop_scope (HybF *F)
{
  g_return_if_fail (F);
  g_array_set_size (F->scopes, F->scopes->len - 1);
}

static NameScope *
top_scope (HybF *F)
{
  return &g_array_index (F->scopes, NameScope, F->scopes->len - 1);
}

const char *
hyb_f_get_prefix (HybF *F)
{
  g_return_val_if_fail (F, NULL);
  return top_scope (F)->prefix;
}

const char *
hyb_f_name (HybF *F, const char *name, const char *hint)
{
  g_return_val_if_fail (F, NULL);

  NameScope *scope = top_scope (F);
  guint      count;

  if (name)
    return hyb_f_text (F, "%s%s", scope->prefix, name);

  count = GPOINTER_TO_UINT (g_hash_table_lookup (scope->counters, hint));
  g_hash_table_insert (scope->counters, g_strdup (hint), GUINT_TO_POINTER (count + 1));
  return hyb_f_text (F, "%s%s%u", scope->prefix, hint, count);
}
