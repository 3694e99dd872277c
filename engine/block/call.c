/* call.c — calling a block: hybridizing, and the choice between a cached graph and the forward
 * function.
 *
 * A call runs the cached graph (cached.c) if the block is hybridized and nothing records or traces;
 * otherwise it runs the block's own forward function.  Start at hyb_call().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/block/block-private.h"
#include "engine/block/trace-private.h"

#include <stdarg.h>

/* --- Hybridizing --- */

/* The prefix of a plain block below a hybrid one; NULL if there is none.  (transfer full) */
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
  static const HybHybridize defaults;
  g_autofree char          *plain = NULL;

  g_return_val_if_fail (block, FALSE);
  if (how && how->static_shape && !how->static_alloc)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, block->priv->prefix,
                         "Set both, or neither", "static_shape needs static_alloc");
  plain = active ? plain_below (block, FALSE) : NULL;
  if (plain)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, block->priv->prefix,
                         "Make it a hybrid block, or hybridize the parts around it one by one",
                         "its child %s is a plain block, which cannot become part of a graph",
                         plain);

  set_active (block, active, how ? how : &defaults);
  return TRUE;
}

guint64
hyb_block_n_forward_calls (HybBlock *block)
{
  g_return_val_if_fail (block, 0);
  return block->priv->n_forward_calls;
}

/* --- Calling --- */

/* If a parameter of the block itself waits for its shape, traces this block and infers the shapes
 * from the input. */
static gboolean
infer_locked (HybF *F, HybBlock *block, HybValue *input)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autofree char *structure = NULL;
  GError          *error = NULL;
  gboolean         is_deferred = FALSE;

  for (guint i = 0; i < block->priv->parameters->len; i++)
    is_deferred |= hyb_parameter_is_deferred (g_ptr_array_index (block->priv->parameters, i));
  if (!is_deferred || block->klass->plain)
    return TRUE;

  hyb_flatten_into (input, arrays);
  structure = hyb_value_structure (input);
  graph = hyb_block_trace (block, arrays->len, structure, FALSE, &error);
  block->priv->n_forward_calls--; /* this trace is not a call of the user's */
  if (graph && hyb_block_infer_parameters (block, graph, arrays, &error))
    return TRUE;

  hyb_f_fail (F, "%s", error->message);
  g_error_free (error);
  return FALSE;
}

static gboolean
infer_own_parameters (HybF *F, HybBlock *block, HybValue *input)
{
  gboolean is_done;

  g_rec_mutex_lock (&block->priv->lock);
  is_done = infer_locked (F, block, input);
  g_rec_mutex_unlock (&block->priv->lock);
  return is_done;
}

/* Runs the block in the way that F and the block request; an empty list after an error. */
static HybValue *
call_block (HybF *F, HybBlock *block, HybValue *input)
{
  if (hyb_f_get_error (F) || hyb_value_is_failed (input))
    return hyb_list (F, 0, NULL);

  if (hyb_f_is_tracing (F) && block->klass->plain)
    hyb_f_fail (F, "a plain block cannot be traced. Make it a hybrid block, or call it outside");
  else if (!hyb_f_is_tracing (F) && block->priv->is_active && !hyb_f_get_tape (F))
    return hyb_block_call_cached (F, block, input);
  else if (hyb_f_is_tracing (F) || infer_own_parameters (F, block, input))
    return hyb_block_run_forward (F, block, input);

  return hyb_list (F, 0, NULL);
}

/* Keeps the shape of the first output for hyb_block_summary(). */
static void
remember_output (HybBlock *block, HybValue *result)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();

  hyb_flatten_into (result, arrays);
  g_rec_mutex_lock (&block->priv->lock);
  g_clear_pointer (&block->priv->last_output, g_free);
  if (arrays->len > 0 && !hyb_value_is_failed (g_ptr_array_index (arrays, 0)))
    block->priv->last_output =
        hyb_shape_to_string (&hyb_value_get_type (g_ptr_array_index (arrays, 0))->shape);
  g_rec_mutex_unlock (&block->priv->lock);
}

HybValue *
hyb_call (HybF *F, HybBlock *block, HybValue *input)
{
  HybValue *result;

  g_return_val_if_fail (F, NULL);
  if (!block)
    {
      hyb_f_fail (F, "a block that is called is NULL; check that it could be created");
      return hyb_value_new_failed (F);
    }
  hyb_f_push_path (F, hyb_block_get_name (block));
  if (!input)
    hyb_f_fail (F, "it is called with NULL instead of an array or a list");
  result = call_block (F, block, input);
  hyb_f_pop_path (F);
  if (!hyb_f_is_tracing (F))
    remember_output (block, result);
  return result;
}

HybValue *
hyb_call_list (HybF *F, HybBlock *block, ...)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  va_list arguments;

  g_return_val_if_fail (F, NULL);
  va_start (arguments, block);
  for (HybValue *item; (item = va_arg (arguments, HybValue *)) != NULL;)
    g_ptr_array_add (items, item);
  va_end (arguments);
  return hyb_call (F, block, hyb_list (F, items->len, (HybValue *const *) items->pdata));
}
