/* spelling-text.c — adds nodes and random weights to the model of a spelling.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/variants/spelling-text.h"

#include "engine/base/random.h"

#include <string.h>

HybTensor *
spelling_random (guint64 seed, gint64 rows, gint64 columns)
{
  HybType    type = { columns > 0 ? hyb_shape_2d (rows, columns) : hyb_shape_1d (rows), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    ((float *) hyb_tensor_get_data (tensor))[i] =
        (float) (hyb_random_uniform (seed, (guint64) i) - 0.5);
  return tensor;
}

HybValueId
spelling_weight (ModelText *text, const char *name, gint64 rows, gint64 columns)
{
  for (HybNodeId id = 0; id < hyb_builder_n_nodes (text->builder); id++)
    if (strcmp (hyb_builder_get_node (text->builder, id)->name, name) == 0)
      return hyb_builder_output (text->builder, id, 0);
  {
    g_autoptr (HybTensor) tensor = spelling_random (g_str_hash (name), rows, columns);

    hyb_model_set_parameter (text->model, name, tensor);
  }
  return hyb_builder_add_variable (text->builder, name, NULL);
}

HybValueId
spelling_call (ModelText        *text,
               const char       *op,
               guint             n,
               const HybValueId *inputs,
               const char       *attributes)
{
  g_autofree char *name = g_strdup_printf ("n%u", hyb_builder_n_nodes (text->builder));
  g_auto (GStrv) words = g_strsplit_set (attributes ? attributes : "", "=;", -1);
  g_autoptr (GError) error = NULL;
  HybValueId value = hyb_builder_call (text->builder, op,
                                       &(HybNodeSpec){ .name = name,
                                                       .n_inputs = n,
                                                       .inputs = inputs,
                                                       .attributes = (const char *const *) words },
                                       &error);

  g_assert_no_error (error);
  return value;
}

HybValueId
spelling_unary (ModelText *text, const char *op, HybValueId x, const char *attributes)
{
  return spelling_call (text, op, 1, &x, attributes);
}

HybValueId
spelling_binary (ModelText *text, const char *op, HybValueId a, HybValueId b)
{
  return spelling_call (text, op, 2, (const HybValueId[]){ a, b }, NULL);
}

HybValueId
spelling_add (ModelText *text, HybValueId a, HybValueId b)
{
  return spelling_binary (text, "elemwise_add", a, b);
}

HybValueId
spelling_mul (ModelText *text, HybValueId a, HybValueId b)
{
  return spelling_binary (text, "elemwise_mul", a, b);
}

HybValueId
spelling_join (ModelText *text, HybValueId a, HybValueId b)
{
  return spelling_call (text, "Concat", 2, (const HybValueId[]){ a, b }, "dim=1;num_args=2");
}

HybValueId
spelling_call_product (ModelText *text, guint n_inputs, const HybValueId *inputs, gint64 rows)
{
  g_autofree char *attributes = g_strdup_printf ("num_hidden=%d;flatten=False;no_bias=%s",
                                                 (int) rows, n_inputs == 2 ? "True" : "False");

  return spelling_call (text, "FullyConnected", n_inputs, inputs, attributes);
}

HybValueId
spelling_product (ModelText *text, HybValueId x, const char *name, gint64 rows, gint64 columns)
{
  g_autofree char *bias = g_strconcat (name, "_bias", NULL);
  HybValueId       w = spelling_weight (text, name, rows, columns),
             b = spelling_weight (text, bias, rows, 0);

  return spelling_call_product (text, 3, (HybValueId[]){ x, w, b }, rows);
}

HybValueId
spelling_plain_product (ModelText  *text,
                        HybValueId  x,
                        const char *name,
                        gint64      rows,
                        gint64      columns)
{
  return spelling_call_product (text, 2,
                                (HybValueId[]){ x, spelling_weight (text, name, rows, columns) },
                                rows);
}

HybValueId
spelling_products (ModelText *text, const char *gate, gint64 rows)
{
  g_autofree char *i2h = g_strconcat (gate, "_i2h_weight", NULL);
  g_autofree char *h2h = g_strconcat (gate, "_h2h_weight", NULL);

  return spelling_add (text, spelling_product (text, text->x, i2h, rows, WIDTH),
                       spelling_product (text, text->h, h2h, rows, UNITS));
}
