/* device-memory.c — the sentence about a plan that needs more memory than the device has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/device-memory.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/device/gpu-private.h"

/* Values that the sentence names. */
#define MAX_LISTED 3

/* "2.289 MiB", "9.1 GiB". */
static void
append_size (GString *text, gsize bytes)
{
  gboolean is_large = bytes >= (gsize) 1 << 30;

  g_string_append_printf (text, "%.4g %s", (double) bytes / (is_large ? 1 << 30 : 1 << 20),
                          is_large ? "GiB" : "MiB");
}

/* The nodes that take memory of the device: steps, and variables that steps of the device read.  Of HybNodeId;
 * (transfer full) */
static GArray *
list_nodes (const HybPlan *plan)
{
  GArray          *nodes = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (plan->graph, &n);

  for (guint i = 0; i < plan->n_steps; i++)
    g_array_append_val (nodes, plan->steps[i].node);
  for (guint i = 0; i < n; i++)
    if (plan->device->reads_variable[i])
      g_array_append_val (nodes, variables[i]);
  return nodes;
}

/* The nodes with the largest outputs, as “name” 2.1 MiB, … (transfer full) */
static char *
list_largest (const HybPlan *plan)
{
  g_autoptr (GArray) nodes = list_nodes (plan);
  GString *text = g_string_new (NULL);
  gsize    below = G_MAXSIZE;

  for (guint n = 0; n < MAX_LISTED; n++)
    {
      HybNodeId most = HYB_NO_ID;
      gsize     most_bytes = 0;

      for (guint i = 0; i < nodes->len; i++)
        {
          HybNodeId id = g_array_index (nodes, HybNodeId, i);
          gsize     bytes = hyb_type_bytes (
                  hyb_plan_type (plan, hyb_graph_get_node (plan->graph, id)->first_output));

          /* A few passes over the list instead of a sort: the largest below the one listed last.
           * Of nodes of equal size only the first is listed. */
          if (bytes < below && bytes > most_bytes)
            {
              most = id;
              most_bytes = bytes;
            }
        }
      if (most == HYB_NO_ID)
        break;
      g_string_append_printf (text, "%s“%s” ", n > 0 ? ", " : "",
                              hyb_graph_get_node (plan->graph, most)->name);
      append_size (text, most_bytes);
      below = most_bytes;
    }
  return g_string_free (text, FALSE);
}

/* The memory of the device for a run: the block, constants, and variables. */
static gsize
count_needs (const HybPlan *plan)
{
  gsize            bytes = plan->memory;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (plan->graph, &n);

  for (guint i = 0; i < n; i++)
    if (plan->device->reads_variable[i])
      bytes += hyb_type_bytes (
          hyb_plan_type (plan, hyb_graph_get_node (plan->graph, variables[i])->first_output));
  for (guint i = 0; i < plan->constants->len; i++)
    if (plan->device->reads_constant[i])
      bytes += hyb_tensor_get_bytes (g_ptr_array_index (plan->constants, i));
  return bytes;
}

gboolean
hyb_device_refuse_memory (const HybPlan *plan, gsize held, GError **error)
{
  HybGpu        *gpu = plan->device->gpu;
  HybDeviceFacts facts = { 0 };
  g_autoptr (GString) text = g_string_new ("the plan needs ");
  g_autofree char *largest = list_largest (plan);

  gpu->backend->facts (gpu->device, &facts);
  append_size (text, count_needs (plan));
  g_string_append (text, ", the GPU has ");
  append_size (text, facts.unused + held);
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL,
                "Use a smaller batch, or the processor", "%s free; the largest: %s", text->str,
                largest);
  return hyb_error_add_remedy (error, HYB_REMEDY_DEVICE, NULL);
}
