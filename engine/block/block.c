/* block.c — blocks: naming, children, calling.
 *
 * Prefixes follow Gluon: class name, number, "_", counted process-wide at the top
 * and per block inside hyb_block_enter_scope().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/block.h"

#include "engine/base/error.h"
#include "engine/block/block-private.h"
#include "engine/block/trace-private.h"

#include <stdarg.h>
#include <string.h>

static GPrivate open_scope; /* the innermost HybBlock whose scope is entered */
static GPrivate top_counters = G_PRIVATE_INIT ((GDestroyNotify) g_hash_table_unref);

static GHashTable *
counters_at_top (void)
{
  GHashTable *counters = g_private_get (&top_counters);

  if (!counters)
    {
      counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_private_set (&top_counters, counters);
    }
  return counters;
}

void
hyb_names_reset (void)
{
  g_private_replace (&top_counters, NULL);
  hyb_names_reset_subgraphs ();
}

/* "dense0_": the class name in lower case and how many there were. */
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
              : automatic_prefix (alias, scope ? scope->priv->counters : counters_at_top ());
  block->priv->prefix = g_strconcat (outer, own, NULL);
  block->priv->parameter_prefix = shared ? g_strdup (shared->priv->parameter_prefix)
                                         : g_strconcat (outer_parameters, own, NULL);
  block->priv->has_scope = !given || given[0] != '\0';
  if (!shared && scope)
    shared = scope->priv->shared;
  block->priv->shared = shared ? hyb_block_ref (shared) : NULL;
}

HybBlock *
hyb_block_new_full (const HybBlockClass *klass,
                    const char          *alias,
                    const char          *prefix,
                    HybBlock            *shared)
{
  HybBlock *block = g_malloc0 (MAX (klass->size, sizeof (HybBlock)));

  block->klass = klass;
  block->priv = g_new0 (HybBlockPrivate, 1);
  block->priv->references = 1;
  block->priv->counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  block->priv->children = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_block_unref);
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

HybBlock *
hyb_block_ref (HybBlock *block)
{
  g_atomic_int_inc (&block->priv->references);
  return block;
}

void
hyb_block_unref (HybBlock *block)
{
  HybBlockPrivate *priv;

  if (!block || !g_atomic_int_dec_and_test (&block->priv->references))
    return;

  priv = block->priv;
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
  g_free (priv->last_output);
  g_free (priv->prefix);
  g_free (priv->parameter_prefix);
  g_free (priv);
  g_free (block);
}

const char *
hyb_block_get_prefix (HybBlock *block)
{
  return block->priv->prefix;
}

void
hyb_block_enter_scope (HybBlock *block)
{
  if (!block->priv->has_scope)
    return;
  block->priv->outer = g_private_get (&open_scope);
  g_private_set (&open_scope, block);
}

void
hyb_block_leave_scope (HybBlock *block)
{
  if (!block->priv->has_scope)
    return;
  g_private_set (&open_scope, block->priv->outer);
  block->priv->outer = NULL;
}

HybBlock *
hyb_block_add_child (HybBlock *block, HybBlock *child, const char *name)
{
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
  return block->priv->children->len;
}

HybBlock *
hyb_block_get_child (HybBlock *block, guint index)
{
  return g_ptr_array_index (block->priv->children, index);
}

static HybParameter *
find_own (HybBlock *block, const char *name)
{
  for (guint i = 0; i < block->priv->parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (block->priv->parameters, i);

      if (strcmp (parameter->name, name) == 0)
        return parameter;
    }
  return NULL;
}

HybParameter *
hyb_block_add_parameter (HybBlock *block, const HybParameterSpec *spec)
{
  g_autofree char *name = g_strconcat (block->priv->parameter_prefix, spec->name, NULL);
  HybParameter    *parameter = NULL;

  for (HybBlock *from = block->priv->shared; from && !parameter; from = from->priv->shared)
    parameter = find_own (from, name);

  if (parameter)
    hyb_parameter_ref (parameter);
  else
    parameter = hyb_parameter_new (name, spec);
  g_ptr_array_add (block->priv->parameters, parameter);
  return parameter;
}

static void
collect_parameters (HybBlock *block, GPtrArray *all)
{
  for (guint i = 0; i < block->priv->parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (block->priv->parameters, i);

      if (!g_ptr_array_find (all, parameter, NULL))
        g_ptr_array_add (all, parameter);
    }
  for (guint i = 0; i < block->priv->children->len; i++)
    collect_parameters (g_ptr_array_index (block->priv->children, i), all);
}

GPtrArray *
hyb_block_collect_parameters (HybBlock *block)
{
  GPtrArray *all = g_ptr_array_new ();

  collect_parameters (block, all);
  return all;
}

/* --- Hybridizing --- */

/* The path of a plain block below a hybrid one; NULL if there is none. */
static char *
plain_below (HybBlock *block, gboolean inside_hybrid)
{
  if (inside_hybrid && block->klass->plain)
    return g_strdup (block->priv->prefix);
  for (guint i = 0; i < block->priv->children->len; i++)
    {
      char *found = plain_below (g_ptr_array_index (block->priv->children, i),
                                 inside_hybrid || !block->klass->plain);

      if (found)
        return found;
    }
  return NULL;
}

static void
set_active (HybBlock *block, gboolean active, const HybHybridize *how)
{
  block->priv->is_active = active && !block->klass->plain;
  block->priv->how = *how;
  hyb_block_drop_cached (block);
  for (guint i = 0; i < block->priv->children->len; i++)
    set_active (g_ptr_array_index (block->priv->children, i), active, how);
}

gboolean
hyb_block_hybridize (HybBlock *block, gboolean active, const HybHybridize *how, GError **error)
{
  static const HybHybridize plain_memory;
  g_autofree char          *plain = NULL;

  if (how && how->static_shape && !how->static_alloc)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_STRUCTURE,
                         block->priv->prefix,
                         "Set both, or neither",
                         "static_shape needs static_alloc");
  plain = active ? plain_below (block, FALSE) : NULL;
  if (plain)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_STRUCTURE,
                         block->priv->prefix,
                         "Make it a hybrid block, or hybridize the parts around it one by one",
                         "its child %s is a plain block, which cannot become part of a graph",
                         plain);

  set_active (block, active, how ? how : &plain_memory);
  return TRUE;
}

guint64
hyb_block_n_forward_calls (HybBlock *block)
{
  return block->priv->n_forward_calls;
}

/* --- Calling --- */

HybValue *
hyb_block_run_forward (HybF *F, HybBlock *block, HybValue *input)
{
  HybValue *result;

  block->priv->n_forward_calls++;
  if (block->klass->before)
    input = block->klass->before (F, block, input);
  if (block->priv->has_scope)
    hyb_f_push_scope (F, block->priv->prefix);
  /* Gluon hands parameters to the forward: they exist before anything in it does. */
  for (guint i = 0; hyb_f_is_tracing (F) && i < block->priv->parameters->len; i++)
    hyb_use (F, g_ptr_array_index (block->priv->parameters, i));
  result = block->klass->forward (F, block, input);
  if (block->priv->has_scope)
    hyb_f_pop_scope (F);
  return result;
}

/* Own parameters that still wait for their shape: traces this block alone. */
static gboolean
infer_own_parameters (HybF *F, HybBlock *block, HybValue *input)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autofree char *structure = NULL;
  GError          *error = NULL;
  gboolean         waiting = FALSE;

  for (guint i = 0; i < block->priv->parameters->len; i++)
    waiting |= hyb_parameter_is_deferred (g_ptr_array_index (block->priv->parameters, i));
  if (!waiting || block->klass->plain)
    return TRUE;

  hyb_flatten_into (input, arrays);
  structure = hyb_value_structure (input);
  graph = hyb_block_trace (block, arrays->len, structure, FALSE, &error);
  block->priv->n_forward_calls--; /* asking for shapes is not a call of the user's */
  if (graph && hyb_block_infer_parameters (block, graph, arrays, &error))
    return TRUE;

  hyb_f_fail (F, "%s", error->message);
  g_error_free (error);
  return FALSE;
}

static HybValue *
call_inside (HybF *F, HybBlock *block, HybValue *input)
{
  g_autoptr (GPtrArray) nothing = NULL;

  if (hyb_f_get_error (F) || hyb_value_is_failed (input))
    nothing = g_ptr_array_new (); /* fall through: the first mistake is kept already */
  else if (hyb_f_is_tracing (F) && block->klass->plain)
    hyb_f_fail (F, "a plain block cannot be traced. Make it a hybrid block, or call it outside");
  else if (!hyb_f_is_tracing (F) && block->priv->is_active && !hyb_f_get_tape (F))
    return hyb_block_call_cached (F, block, input);
  else if (hyb_f_is_tracing (F) || infer_own_parameters (F, block, input))
    return hyb_block_run_forward (F, block, input);

  return hyb_list (F, 0, NULL);
}

static void
remember_output (HybBlock *block, HybValue *result)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();

  hyb_flatten_into (result, arrays);
  g_clear_pointer (&block->priv->last_output, g_free);
  if (arrays->len > 0 && !hyb_value_is_failed (g_ptr_array_index (arrays, 0)))
    block->priv->last_output =
        hyb_shape_to_string (&hyb_value_get_type (g_ptr_array_index (arrays, 0))->shape);
}

HybValue *
hyb_call (HybF *F, HybBlock *block, HybValue *input)
{
  HybValue *result;

  hyb_f_push_path (F, hyb_block_get_name (block));
  result = call_inside (F, block, input);
  hyb_f_pop_path (F);
  if (!hyb_f_is_tracing (F))
    remember_output (block, result);
  return result;
}

const char *
hyb_block_get_name (HybBlock *block)
{
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

HybValue *
hyb_call_list (HybF *F, HybBlock *block, ...)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  va_list arguments;

  va_start (arguments, block);
  for (HybValue *item; (item = va_arg (arguments, HybValue *)) != NULL;)
    g_ptr_array_add (items, item);
  va_end (arguments);
  return hyb_call (F, block, hyb_list (F, items->len, (HybValue *const *) items->pdata));
}
