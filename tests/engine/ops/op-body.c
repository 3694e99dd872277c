/* op-body.c — builds small graphs for tests; see op-body.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-body.h"

#include "tests/engine/ops/op-tensor.h"

#include <stdarg.h>

HybValueId
op_node_with_bodies (HybBuilder       *builder,
                     const char       *op,
                     const char       *attributes,
                     const OpOperands *operands)
{
  g_auto (GStrv) pairs = op_attributes_from_text (attributes);
  g_autoptr (GError) error = NULL;
  HybNodeId id = hyb_builder_add (builder,
                                  &(HybNodeSpec){
                                      .op = hyb_op_find (op),
                                      .name = op,
                                      .attributes = (const char *const *) pairs,
                                      .n_inputs = operands->n_inputs,
                                      .inputs = operands->inputs,
                                      .n_bodies = operands->n_bodies,
                                      .bodies = operands->bodies,
                                  },
                                  &error);

  g_assert_no_error (error);
  for (guint i = 0; i < operands->n_bodies; i++)
    hyb_graph_unref (operands->bodies[i]);
  return hyb_builder_output (builder, id, 0);
}

HybValueId
op_node (HybBuilder *builder, const char *op, const char *attributes, ...)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybValueId input;
  va_list    list;

  va_start (list, attributes);
  while ((input = va_arg (list, HybValueId)) != HYB_NO_ID)
    g_array_append_val (inputs, input);
  va_end (list);
  return op_node_with_bodies (builder, op, attributes,
                              &(OpOperands){ inputs->len, (const HybValueId *) inputs->data, 0,
                                             NULL });
}

HybValueId
op_variable (HybBuilder *builder, const char *name)
{
  return hyb_builder_add_variable (builder, name, NULL);
}

HybGraph *
op_finish (HybBuilder *builder, ...)
{
  HybValueId head;
  va_list    list;

  va_start (list, builder);
  while ((head = va_arg (list, HybValueId)) != HYB_NO_ID)
    hyb_builder_add_head (builder, head);
  va_end (list);
  return hyb_builder_freeze (builder);
}
