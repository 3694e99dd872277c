/* parameter.c — parameters: shapes that may come later, initial values, their
 * form as a variable of a graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/block/block-private.h"
#include "engine/block/initializer.h"
#include "engine/block/trace-private.h"

HybParameter *
hyb_parameter_new (const char *name, const HybParameterSpec *spec)
{
  HybParameter *parameter = g_new0 (HybParameter, 1);

  parameter->references = 1;
  parameter->name = g_strdup (name);
  parameter->shape = spec->shape;
  parameter->dtype = spec->dtype;
  parameter->init = g_strdup (spec->init);
  parameter->request = spec->is_auxiliary ? HYB_GRAD_NULL : spec->request;
  parameter->allow_deferred = spec->allow_deferred;
  parameter->is_auxiliary = spec->is_auxiliary;
  parameter->is_bare = spec->is_bare;
  parameter->lr_mult = parameter->wd_mult = 1;
  return parameter;
}

HybParameter *
hyb_parameter_ref (HybParameter *parameter)
{
  g_atomic_int_inc (&parameter->references);
  return parameter;
}

void
hyb_parameter_unref (HybParameter *parameter)
{
  if (!g_atomic_int_dec_and_test (&parameter->references))
    return;
  hyb_tensor_unref (parameter->data);
  hyb_tensor_unref (parameter->gradient);
  g_free (parameter->name);
  g_free (parameter->init);
  g_free (parameter->pending_init);
  g_free (parameter->trouble);
  g_free (parameter);
}

const char *
hyb_parameter_get_name (HybParameter *parameter)
{
  return parameter->name;
}

const HybShape *
hyb_parameter_get_shape (HybParameter *parameter)
{
  return &parameter->shape;
}

gboolean
hyb_parameter_is_auxiliary (HybParameter *parameter)
{
  return parameter->is_auxiliary;
}

gboolean
hyb_parameter_is_deferred (const HybParameter *parameter)
{
  return !parameter->data && parameter->is_pending;
}

HybTensor *
hyb_parameter_get_data (HybParameter *parameter, GError **error)
{
  if (parameter->data)
    return parameter->data;
  if (parameter->trouble)
    {
      hyb_error_at (error,
                    HYB_GRAPH_ERROR,
                    HYB_GRAPH_ERROR_MISSING,
                    NULL,
                    NULL,
                    "parameter “%s” could not be initialized: %s",
                    parameter->name,
                    parameter->trouble);
      return NULL;
    }

  hyb_error_at (error,
                HYB_GRAPH_ERROR,
                HYB_GRAPH_ERROR_MISSING,
                NULL,
                parameter->is_pending
                    ? "Run the block once on an input, or give the shape when making it"
                    : "Call hyb_block_initialize() on the outermost block, or load a file",
                parameter->is_pending
                    ? "parameter “%s” waits for its shape, which the first input decides"
                    : "parameter “%s” has not been initialized",
                parameter->name);
  return NULL;
}

gboolean
hyb_parameter_set_data (HybParameter *parameter, HybTensor *tensor, GError **error)
{
  HybShape shape = parameter->shape;

  if (!hyb_shape_assign (&shape, hyb_tensor_get_shape (tensor), error))
    {
      g_prefix_error (error, "parameter “%s”: ", parameter->name);
      return FALSE;
    }
  parameter->shape = shape;
  parameter->dtype = hyb_tensor_get_dtype (tensor);
  hyb_tensor_ref (tensor);
  hyb_tensor_unref (parameter->data);
  parameter->data = tensor;
  parameter->is_pending = FALSE;
  parameter->generation++;
  return TRUE;
}

HybTensor *
hyb_parameter_get_gradient (HybParameter *parameter)
{
  return parameter->gradient;
}

void
hyb_parameter_set_gradient (HybParameter *parameter, HybTensor *tensor)
{
  if (tensor)
    hyb_tensor_ref (tensor);
  hyb_tensor_unref (parameter->gradient);
  parameter->gradient = tensor;
}

HybGradRequest
hyb_parameter_get_request (HybParameter *parameter)
{
  return parameter->request;
}

void
hyb_parameter_set_request (HybParameter *parameter, HybGradRequest request)
{
  parameter->request = request;
}

double
hyb_parameter_get_lr_mult (HybParameter *parameter)
{
  return parameter->lr_mult;
}

double
hyb_parameter_get_wd_mult (HybParameter *parameter)
{
  return parameter->wd_mult;
}

void
hyb_parameter_set_mults (HybParameter *parameter, double lr_mult, double wd_mult)
{
  parameter->lr_mult = lr_mult;
  parameter->wd_mult = wd_mult;
}

gboolean
hyb_parameter_fill (HybParameter *parameter, const char *init, guint64 seed, GError **error)
{
  HybType    type = { parameter->shape, parameter->dtype };
  HybTensor *tensor;

  if (parameter->is_constant)
    return TRUE;
  if (!hyb_shape_is_known (&parameter->shape))
    {
      parameter->is_pending = TRUE;
      g_free (parameter->pending_init);
      parameter->pending_init = g_strdup (init);
      parameter->pending_seed = seed;
      if (parameter->allow_deferred)
        return TRUE;
      return hyb_error_at (error,
                           HYB_GRAPH_ERROR,
                           HYB_GRAPH_ERROR_UNKNOWN,
                           NULL,
                           "Give its full shape, or allow it to be deferred",
                           "parameter “%s” has a shape that is not known",
                           parameter->name);
    }

  tensor = hyb_tensor_new (&type, error);
  if (!tensor ||
      !hyb_initializer_fill (tensor, parameter->name, parameter->init, init, seed, error))
    {
      hyb_tensor_unref (tensor);
      return FALSE;
    }
  hyb_parameter_set_data (parameter, tensor, NULL);
  hyb_tensor_unref (tensor);
  return TRUE;
}

gboolean
hyb_parameter_set_shape (HybParameter *parameter, const HybShape *shape, GError **error)
{
  if (!hyb_shape_assign (&parameter->shape, shape, error))
    {
      g_prefix_error (error, "parameter “%s”: ", parameter->name);
      return FALSE;
    }
  if (!hyb_parameter_is_deferred (parameter) || !hyb_shape_is_known (&parameter->shape))
    return TRUE;
  return hyb_parameter_fill (parameter, parameter->pending_init, parameter->pending_seed, error);
}

void
hyb_block_initialize (HybBlock *block, const char *init, guint64 seed)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);

  /* What goes wrong shows when the parameter is used. */
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
  /* MXNet writes the address of an object behind the name; no reader may rely on it. */
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
    hyb_dtype_set_double (hyb_tensor_get_data (new),
                          dtype,
                          (gsize) i,
                          hyb_tensor_get_value (old, i));
  if (new)
    hyb_parameter_set_data (parameter, new, NULL);
  hyb_tensor_unref (new);
}

void
hyb_block_cast (HybBlock *block, HybDType dtype)
{
  HybDType own = block->klass->keeps_single && dtype == HYB_F16 ? HYB_F32 : dtype;

  for (guint i = 0; i < block->priv->parameters->len; i++)
    cast_parameter (g_ptr_array_index (block->priv->parameters, i), own);
  for (guint i = 0; i < block->priv->children->len; i++)
    hyb_block_cast (g_ptr_array_index (block->priv->children, i), dtype);
  hyb_block_drop_cached (block);
}

/* "(4, 0)": unknown is 0, as Gluon exports it. */
static const char *
shape_attribute (HybF *F, const HybShape *shape)
{
  g_autoptr (GString) text = g_string_new ("(");

  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (text,
                            "%s%" G_GINT64_FORMAT,
                            i > 0 ? ", " : "",
                            shape->dim[i] < 0 ? (gint64) 0 : shape->dim[i]);
  g_string_append (text, shape->rank == 1 ? ",)" : ")");
  return hyb_f_text (F, "%s", text->str);
}

static const char *
number_attribute (HybF *F, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_dtostr (buffer, sizeof buffer, value);
  return hyb_f_text (F, value == (gint64) value ? "%s.0" : "%s", buffer);
}

static HybValue *
as_variable (HybF *F, HybParameter *parameter)
{
  const char *attributes[] = {
    "__dtype__",
    hyb_f_text (F, "%d", parameter->dtype),
    "__init__",
    parameter->init,
    "__lr_mult__",
    number_attribute (F, parameter->lr_mult),
    "__shape__",
    shape_attribute (F, &parameter->shape),
    "__storage_type__",
    "0",
    "__wd_mult__",
    number_attribute (F, parameter->wd_mult),
    NULL,
  };
  const char *given[G_N_ELEMENTS (attributes)] = { NULL };
  guint       n = 0;

  for (guint i = 0; attributes[i] != NULL; i += 2)
    if (attributes[i + 1] && (!parameter->is_bare || g_str_equal (attributes[i], "__init__")))
      {
        given[n++] = attributes[i];
        given[n++] = attributes[i + 1];
      }
  /* mx.rnn's parameters are variables from the start, whatever body they are used in. */
  if (parameter->is_bare)
    for (HybF *outer = F->parent; outer != NULL; outer = outer->parent)
      if (!outer->parent)
        hyb_value_variable (outer, parameter->name, given);
  return hyb_value_variable (F, parameter->name, given);
}

HybValue *
hyb_use (HybF *F, HybParameter *parameter)
{
  g_autoptr (GError) error = NULL;
  HybTensor *data;

  if (hyb_f_is_tracing (F))
    return as_variable (F, parameter);

  data = hyb_parameter_get_data (parameter, &error);
  if (data)
    return hyb_value_from_tensor (F, data);
  hyb_f_fail (F, "%s", error->message);
  return hyb_list (F, 0, NULL);
}
