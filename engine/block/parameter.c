/* parameter.c — parameters: contents, shapes that the first input completes, initialisation, and
 * their form as variables of a graph (hyb_use()).
 *
 * A parameter whose shape is not known yet when it is initialised is pending: it keeps the
 * initialiser and the seed until hyb_parameter_set_shape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/block/block-private.h"
#include "engine/block/initializer.h"
#include "engine/block/trace-private.h"

#include <string.h>

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

  g_free (parameter->name);
  g_free (parameter->init);
  g_free (parameter->pending_init);
  g_free (parameter->trouble);
  g_free (parameter);
}

HybParameter *
hyb_parameters_find (GPtrArray *parameters, const char *name)
{
  for (guint i = 0; i < parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (parameters, i);

      if (strcmp (parameter->name, name) == 0)
        return parameter;
    }
  return NULL;
}

const char *
hyb_parameter_get_name (HybParameter *parameter)
{
  g_return_val_if_fail (parameter, NULL);
  return parameter->name;
}

const HybShape *
hyb_parameter_get_shape (HybParameter *parameter)
{
  g_return_val_if_fail (parameter, NULL);
  return &parameter->shape;
}

gboolean
hyb_parameter_is_auxiliary (HybParameter *parameter)
{
  g_return_val_if_fail (parameter, FALSE);
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
  g_return_val_if_fail (parameter, NULL);
  if (parameter->data)
    return parameter->data;
  if (parameter->trouble)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                    "parameter “%s” could not be initialized: %s", parameter->name,
                    parameter->trouble);
      return NULL;
    }

  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL,
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
  g_return_val_if_fail (parameter && tensor, FALSE);

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

  return TRUE;
}

HybGradRequest
hyb_parameter_get_request (HybParameter *parameter)
{
  g_return_val_if_fail (parameter, 0);
  return parameter->request;
}

void
hyb_parameter_set_request (HybParameter *parameter, HybGradRequest request)
{
  g_return_if_fail (parameter);
  parameter->request = request;
}

double
hyb_parameter_get_lr_mult (HybParameter *parameter)
{
  g_return_val_if_fail (parameter, 0);
  return parameter->lr_mult;
}

double
hyb_parameter_get_wd_mult (HybParameter *parameter)
{
  g_return_val_if_fail (parameter, 0);
  return parameter->wd_mult;
}

void
hyb_parameter_set_mults (HybParameter *parameter, double lr_mult, double wd_mult)
{
  g_return_if_fail (parameter);
  parameter->lr_mult = lr_mult;
  parameter->wd_mult = wd_mult;
}

gboolean
hyb_parameter_fill (HybParameter *parameter, const char *init, guint64 seed, GError **error)
{
  HybType     type = { parameter->shape, parameter->dtype };
  const char *initializer = parameter->init;
  HybTensor  *tensor;

  if (parameter->is_constant)
    return TRUE;
  if (!hyb_shape_is_known (&parameter->shape))
    {
      char *own = g_strdup (init); /* which may be the text that is freed */

      parameter->is_pending = TRUE;
      g_free (parameter->pending_init);
      parameter->pending_init = own;
      parameter->pending_seed = seed;
      if (parameter->allow_deferred)
        return TRUE;
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL,
                           "Give its full shape, or allow it to be deferred",
                           "parameter “%s” has a shape that is not known", parameter->name);
    }

  if (!initializer)
    initializer = hyb_initializer_for_name (parameter->name, init);
  tensor = hyb_tensor_new (&type, error);
  if (!tensor || !hyb_initializer_fill (tensor, parameter->name, initializer, seed, error))
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

/* "(4, 0)"; unknown dimensions are 0, as in Gluon's exports. */
static const char *
shape_attribute (HybF *F, const HybShape *shape)
{
  g_autoptr (GString) text = g_string_new ("(");

  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
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

/* The variable of a trace, with the attributes that Gluon writes. */
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

  for (guint i = 0; attributes[i]; i += 2)
    if (attributes[i + 1] && (!parameter->is_bare || g_str_equal (attributes[i], "__init__")))
      {
        given[n++] = attributes[i];
        given[n++] = attributes[i + 1];
      }
  /* mx.rnn creates variables together with the cell, so they belong to the outermost graph even if
   * only a body uses them. */
  if (parameter->is_bare)
    for (HybF *outer = F->parent; outer; outer = outer->parent)
      if (!outer->parent)
        hyb_value_variable (outer, parameter->name, given);
  return hyb_value_variable (F, parameter->name, given);
}

HybValue *
hyb_use (HybF *F, HybParameter *parameter)
{
  g_autoptr (GError) error = NULL;
  HybTensor *data;

  g_return_val_if_fail (F && parameter, NULL);
  if (hyb_f_is_tracing (F))
    return as_variable (F, parameter);

  data = hyb_parameter_get_data (parameter, &error);
  if (data)
    return hyb_value_from_tensor (F, data);
  hyb_f_fail (F, "%s", error->message);
  return hyb_list (F, 0, NULL);
}
