/* block-parameters.c — the parameters of a block and of the blocks below it: adding, collecting,
 * initialising, casting.
 *
 * parameter.c has the parameters themselves.  Start at hyb_block_add_parameter().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "engine/block/block-private.h"

HybParameter *
hyb_block_add_parameter (HybBlock *block, const HybParameterSpec *spec)
{
  g_return_val_if_fail (block && spec, NULL);

  g_autofree char *name = g_strconcat (block->priv->parameter_prefix, spec->name, NULL);
  HybParameter    *parameter = NULL;

  for (HybBlock *from = block->priv->shared; from && !parameter; from = from->priv->shared)
    parameter = hyb_parameters_find (from->priv->parameters, name);

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

  g_return_val_if_fail (block, NULL);
  collect_parameters (block, all);
  return all;
}

void
hyb_block_initialize (HybBlock *block, const char *init, guint64 seed)
{
  g_return_if_fail (block);

  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);

  /* A failure is reported by hyb_parameter_get_data(). */
  for (guint i = 0; i < parameters->len; i++)
    {
      g_autoptr (GError) error = NULL;
      HybParameter *parameter = g_ptr_array_index (parameters, i);

      g_clear_pointer (&parameter->trouble, g_free);
      if (!hyb_parameter_fill (parameter, init, hyb_random_mix (seed, i), &error))
        parameter->trouble = g_strdup (error->message);
    }
}

HybParameter *
hyb_block_add_constant (HybBlock *block, const char *name, HybTensor *tensor)
{
  g_return_val_if_fail (block && name && tensor, NULL);
  /* MXNet writes the address of an object after the name, which no reader can rely on: 0 here. */
  g_autofree char *init = g_strdup_printf ("Constant_%s%s_0", block->priv->parameter_prefix, name);
  HybParameterSpec spec = { .name = name,
                            .shape = *hyb_tensor_get_shape (tensor),
                            .dtype = hyb_tensor_get_dtype (tensor),
                            .init = init,
                            .request = HYB_GRAD_NULL };
  HybParameter    *parameter = hyb_block_add_parameter (block, &spec);

  parameter->is_constant = TRUE;
  hyb_parameter_set_data (parameter, tensor, NULL);
  return parameter;
}

static void
cast_parameter (HybParameter *parameter, HybDType dtype)
{
  HybType    type = { parameter->shape, dtype };
  HybTensor *old = parameter->data, *new;

  if (parameter->dtype == dtype)
    return;
  parameter->dtype = dtype;
  if (!old)
    return;
  new = hyb_tensor_new (&type, NULL);
  for (gint64 i = 0; new &&i < hyb_tensor_get_size (old); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (new), dtype, (gsize) i,
                          hyb_tensor_get_value (old, i));
  if (new)
    hyb_parameter_set_data (parameter, new, NULL);
  hyb_tensor_unref (new);
}

void
hyb_block_cast (HybBlock *block, HybDType dtype)
{
  g_return_if_fail (block);

  HybDType parameter_dtype = block->klass->keeps_single && dtype == HYB_F16 ? HYB_F32 : dtype;

  for (guint i = 0; i < block->priv->parameters->len; i++)
    cast_parameter (g_ptr_array_index (block->priv->parameters, i), parameter_dtype);
  for (guint i = 0; i < block->priv->children->len; i++)
    hyb_block_cast (g_ptr_array_index (block->priv->children, i), dtype);
  hyb_block_drop_cached (block);
}
