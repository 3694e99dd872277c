/* block.c — blocks: creation, naming, scopes, children, and running the forward function.
 *
 * An automatic prefix is the class name in lower case, a number and "_", as in Gluon.  Inside a
 * scope (hyb_block_enter_scope()) the block counts; outside of all scopes the thread does.
 * Start at hyb_block_new_full(); hyb_call() is in call.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/block.h"

#include "engine/block/block-private.h"
#include "engine/block/trace-private.h"

#include <string.h>

static GPrivate open_scope; /* the HybBlock whose scope was entered last */
static GPrivate global_counters = G_PRIVATE_INIT ((GDestroyNotify) g_hash_table_unref);

/* The counters of automatic prefixes outside of all scopes. */
static GHashTable *
get_global_counters (void)
{
  GHashTable *counters = g_private_get (&global_counters);

  if (!counters)
    {
      counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_private_set (&global_counters, counters);
    }
  return counters;
}

void
hyb_names_reset (void)
{
  g_private_replace (&global_counters, NULL);
  hyb_names_reset_subgraphs ();
}

/* "dense0_": alias in lower case and how many prefixes were made of it.  (transfer full) */
static char *
automatic_prefix (const char *alias, GHashTable *counters)
{
  char *hint = g_ascii_strdown (alias, -1);
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counters, hint));
  char *prefix = g_strdup_printf ("%s%u_", hint, count);

  g_hash_table_insert (counters, hint, GUINT_TO_POINTER (count + 1));
  return prefix;
}

static void
name_block (HybBlock *block, const char *alias, const char *given, HybBlock *shared)
{
  HybBlock        *scope = g_private_get (&open_scope);
  const char      *outer = scope ? scope->priv->prefix : "";
  const char      *outer_parameters = scope ? scope->priv->parameter_prefix : "";
  g_autofree char *own = NULL;

  own = given ? g_strdup (given)
              : automatic_prefix (alias, scope ? scope->priv->counters : get_global_counters ());
  block->priv->prefix = g_strconcat (outer, own, NULL);
  block->priv->parameter_prefix = shared ? g_strdup (shared->priv->parameter_prefix)
                                         : g_strconcat (outer_parameters, own, NULL);
  block->priv->has_scope = !given || given[0] != '\0';
  if (!shared && scope)
    shared = scope->priv->shared;
  block->priv->shared = shared ? hyb_block_ref (shared) : NULL;
}

/* Removes the block's scope from the open scopes of this thread.  FALSE if it is not open. */
static gboolean
close_scope (HybBlock *block)
{
  HybBlock *inner = NULL, *at = g_private_get (&open_scope);

  while (at && at != block)
    {
      inner = at;
      at = at->priv->outer;
    }
  if (!at)
    return FALSE;
  if (inner)
    inner->priv->outer = block->priv->outer;
  else
    g_private_set (&open_scope, block->priv->outer);
  block->priv->outer = NULL;
  return TRUE;
}

/* Drops the reference that a block holds of its child. */
static void
drop_child (gpointer data)
{
  HybBlock *child = data;

  g_atomic_int_add (&child->priv->n_parents, -1);
  hyb_block_unref (child);
}

HybBlock *
hyb_block_new_full (const HybBlockClass *klass,
                    const char          *alias,
                    const char          *prefix,
                    HybBlock            *shared)
{
  HybBlock *block;

  g_return_val_if_fail (klass && klass->name, NULL);
  block = g_malloc0 (MAX (klass->size, sizeof (HybBlock)));
  block->klass = klass;
  block->priv = g_new0 (HybBlockPrivate, 1);
  block->priv->references = 1;
  g_rec_mutex_init (&block->priv->lock);
  block->priv->counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  block->priv->children = g_ptr_array_new_with_free_func (drop_child);
  block->priv->child_names = g_ptr_array_new_with_free_func (g_free);
  block->priv->parameters = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_parameter_unref);
  block->priv->cached = g_ptr_array_new ();
  block->priv->fingerprints = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  name_block (block, alias ? alias : klass->name, prefix, shared);
  return block;
}

HybBlock *
hyb_block_new_shared (const HybBlockClass *klass, const char *prefix, HybBlock *shared)
{
  return hyb_block_new_full (klass, NULL, prefix, shared);
}

HybBlock *
hyb_block_new (const HybBlockClass *klass, const char *prefix)
{
  return hyb_block_new_shared (klass, prefix, NULL);
}

void
hyb_cached_graph_free (CachedGraph *cached)
{
  g_free (cached->structure);
  hyb_f_free (cached->trace);
  hyb_graph_unref (cached->graph);
  for (guint i = 0; i < G_N_ELEMENTS (cached->executor); i++)
    if (cached->executor[i])
      hyb_executor_free (cached->executor[i]);
  g_free (cached);
}

void
hyb_block_drop_cached (HybBlock *block)
{
  for (guint i = 0; i < block->priv->cached->len; i++)
    hyb_cached_graph_free (g_ptr_array_index (block->priv->cached, i));
  g_ptr_array_set_size (block->priv->cached, 0);
}

HybBlock *
hyb_block_ref (HybBlock *block)
{
  g_return_val_if_fail (block, NULL);
  g_atomic_int_inc (&block->priv->references);
  return block;
}

void
hyb_block_unref (HybBlock *block)
{
  HybBlockPrivate *priv;

  if (!block)
    return;
  priv = block->priv;
  if (g_atomic_int_get (&priv->references) <= g_atomic_int_get (&priv->n_parents))
    {
      g_critical ("%s: a reference is dropped that the block which holds it has taken over",
                  priv->prefix);
      return;
    }
  if (!g_atomic_int_dec_and_test (&priv->references))
    return;

  close_scope (block);
  if (block->klass->finish)
    block->klass->finish (block);
  hyb_block_drop_cached (block);
  g_ptr_array_unref (priv->cached);
  g_ptr_array_unref (priv->children);
  g_ptr_array_unref (priv->child_names);
  g_ptr_array_unref (priv->parameters);
  g_hash_table_unref (priv->counters);
  g_hash_table_unref (priv->fingerprints);
  hyb_block_unref (priv->shared);
  g_rec_mutex_clear (&priv->lock);
  g_free (priv->last_output);
  g_free (priv->prefix);
  g_free (priv->parameter_prefix);
  g_free (priv);
  g_free (block);
}

const char *
hyb_block_get_prefix (HybBlock *block)
{
  g_return_val_if_fail (block, NULL);
  return block->priv->prefix;
}

const char *
hyb_block_get_name (HybBlock *block)
{
  g_return_val_if_fail (block, NULL);

  gsize length = strlen (block->priv->prefix);

  if (length == 0)
    return g_intern_string (block->klass->name);
  if (block->priv->prefix[length - 1] != '_')
    return block->priv->prefix;
  {
    g_autofree char *name = g_strndup (block->priv->prefix, length - 1);

    return g_intern_string (name);
  }
}

void
hyb_block_enter_scope (HybBlock *block)
{
  g_return_if_fail (block);
  if (!block->priv->has_scope)
    return;
  close_scope (block); /* a scope is open once */
  block->priv->outer = g_private_get (&open_scope);
  g_private_set (&open_scope, block);
}

void
hyb_block_leave_scope (HybBlock *block)
{
  g_return_if_fail (block);
  if (!block->priv->has_scope)
    return;
  g_return_if_fail (close_scope (block));
}

HybBlock *
hyb_block_add_child (HybBlock *block, HybBlock *child, const char *name)
{
  g_return_val_if_fail (block && child && block != child, NULL);

  g_atomic_int_inc (&child->priv->n_parents);
  g_ptr_array_add (block->priv->children, child);
  g_ptr_array_add (block->priv->child_names,
                   name ? g_strdup (name) : g_strdup_printf ("%u", block->priv->child_names->len));
  hyb_block_drop_cached (block);
  g_hash_table_remove_all (block->priv->fingerprints);
  return child;
}

guint
hyb_block_n_children (HybBlock *block)
{
  g_return_val_if_fail (block, 0);
  return block->priv->children->len;
}

HybBlock *
hyb_block_get_child (HybBlock *block, guint index)
{
  g_return_val_if_fail (block && index < block->priv->children->len, NULL);
  return g_ptr_array_index (block->priv->children, index);
}

HybValue *
hyb_block_run_forward (HybF *F, HybBlock *block, HybValue *input)
{
  HybValue *result;

  g_rec_mutex_lock (&block->priv->lock);
  block->priv->n_forward_calls++;
  g_rec_mutex_unlock (&block->priv->lock);
  if (block->klass->before)
    input = block->klass->before (F, block, input);
  if (block->priv->has_scope)
    hyb_f_push_scope (F, block->priv->prefix);
  /* Gluon passes parameters to the forward function, so their variables come before its nodes. */
  for (guint i = 0; hyb_f_is_tracing (F) && i < block->priv->parameters->len; i++)
    hyb_use (F, g_ptr_array_index (block->priv->parameters, i));
  result = block->klass->forward (F, block, input);
  if (block->priv->has_scope)
    hyb_f_pop_scope (F);
  return result;
}
