/* diagnose-repair.c — repairs that need no decision of the user.
 *
 * Opening has already renamed, packed and densified parameters, and writing corrects prefixes and
 * leaves dead nodes out.  hyb_diagnose_repair() does the rest.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnose.h"

#include "engine/doctor/match-parameters.h"
#include "engine/graph/builder.h"

#include <string.h>

/* Codes of findings about changes that were made when the files were opened. */
static const char *const codes_of_opening[] = {
  "renamed-parameter",   "packed-parameter", "sparse-parameter",
  "duplicate-parameter", "wrong-prefix",     NULL,
};

/* TRUE if MXNet refuses the node because of this attribute. */
static gboolean
is_unknown_key (const HybNode *node, const char *key)
{
  if (hyb_node_is_variable (node) || node->op->flags & HYB_OP_OPAQUE)
    return FALSE;
  if (g_str_has_prefix (key, "__") && g_str_has_suffix (key, "__"))
    return FALSE;
  return !hyb_params_find (node->op->params, key);
}

static HybGraph *without_unknown (HybGraph *graph, GPtrArray *changes);

/* Copies a node without unknown attributes, and its bodies likewise. */
static HybNodeId
copy_without (HybBuilder       *builder,
              HybGraph         *graph,
              HybNodeId         id,
              const HybValueId *inputs,
              GPtrArray        *changes)
{
  const HybNode   *node = hyb_graph_get_node (graph, id);
  HybGraph *const *old = hyb_graph_get_bodies (graph, id);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  g_autoptr (GPtrArray) bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);
  HybNodeSpec spec;

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (is_unknown_key (node, node->attributes[i]))
      g_ptr_array_add (changes,
                       g_strdup_printf ("removed the attribute “%s” of “%s”, which %s does not "
                                        "have",
                                        node->attributes[i],
                                        node->name,
                                        node->type));
    else
      {
        g_ptr_array_add (kept, (gpointer) node->attributes[i]);
        g_ptr_array_add (kept, (gpointer) node->attributes[i + 1]);
      }
  g_ptr_array_add (kept, NULL);
  for (guint b = 0; b < node->n_bodies; b++)
    g_ptr_array_add (bodies, without_unknown (old[b], changes));

  spec = (HybNodeSpec){
    .op = node->op->flags & HYB_OP_OPAQUE ? NULL : node->op,
    .type = node->type,
    .name = node->name,
    .attributes = (const char *const *) kept->pdata,
    .n_inputs = node->n_inputs,
    .inputs = inputs,
    .n_bodies = bodies->len,
    .bodies = (HybGraph *const *) bodies->pdata,
    .n_outputs = node->n_outputs,
    .key = node->key,
    .line = node->line,
  };
  return hyb_builder_add (builder, &spec, NULL);
}

/* A copy of the graph without unknown attributes, which MXNet refuses; the graph itself if it cannot
 * be copied.  (transfer full) */
static HybGraph *
without_unknown (HybGraph *graph, GPtrArray *changes)
{
  HybBuilder            *builder = hyb_builder_new ();
  guint                  n_heads;
  const HybValueId      *heads = hyb_graph_get_heads (graph, &n_heads);
  g_autofree HybValueId *map = g_new (HybValueId, MAX (hyb_graph_n_values (graph), 1));

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (graph));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode         *node = hyb_graph_get_node (graph, id);
      const HybValueId      *old = hyb_graph_get_inputs (graph, id);
      g_autofree HybValueId *inputs = g_new (HybValueId, MAX (node->n_inputs, 1));
      HybNodeId              copy;

      for (guint i = 0; i < node->n_inputs; i++)
        inputs[i] = map[old[i]];
      copy = copy_without (builder, graph, id, inputs, changes);
      if (copy == HYB_NO_ID)
        {
          hyb_builder_free (builder);
          return hyb_graph_ref (graph);
        }
      for (guint i = 0; i < node->n_outputs; i++)
        map[node->first_output + i] = hyb_builder_output (builder, copy, i);
    }
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (builder, map[heads[i]]);

  return hyb_builder_freeze (builder);
}

/* Removes parameters without a variable, unless others are missing: an unused parameter may be a
 * missing one under another name. */
static void
drop_unused (HybModel *model, GPtrArray *changes)
{
  HybGraph  *graph = hyb_model_get_graph (model);
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((HybFinding *) findings->pdata[i])->code, "missing-parameter") == 0)
      return;

  for (guint i = hyb_model_n_parameters (model); i-- > 0;)
    {
      g_autofree char *name = g_strdup (hyb_model_get_parameter_name (model, i));

      if (hyb_graph_find_variable (graph, name) != HYB_NO_ID)
        continue;
      hyb_model_remove_parameter (model, name);
      g_ptr_array_add (changes,
                       g_strdup_printf ("left out “%s”, for which the graph has no variable",
                                        name));
    }
}

/* Casts the parameters that a “wrong-dtype” finding lists to the type that it expects. */
static void
cast_parameters (HybModel *model, const HybFinding *finding, GPtrArray *changes)
{
  for (guint i = 0; finding->items && i < finding->items->len; i++)
    {
      const HybFindingItem *item = &g_array_index (finding->items, HybFindingItem, i);
      HybTensor            *tensor = hyb_model_get_parameter (model, item->name);
      g_autofree char      *type =
          item->expected ? g_strndup (item->expected + 1, strlen (item->expected) - 2) : NULL;
      HybDType dtype = type ? hyb_dtype_from_name (type) : HYB_DTYPE_UNKNOWN;
      g_autoptr (HybTensor) cast = NULL;

      if (!tensor || dtype == HYB_DTYPE_UNKNOWN)
        continue;
      cast = hyb_tensor_convert (tensor, dtype);
      if (!cast)
        continue;
      hyb_model_set_parameter (model, item->name, cast);
      g_ptr_array_add (changes, g_strdup_printf ("cast “%s” to %s", item->name, type));
    }
}

/* Renames parameters that were matched by kind, order and shape. */
static void
rename_guessed (HybModel *model, GPtrArray *changes)
{
  g_autoptr (GPtrArray) pairs = hyb_model_guess_parameters (model);

  for (guint i = 0; pairs && i < pairs->len; i += 2)
    {
      g_autoptr (HybTensor) tensor =
          hyb_tensor_ref (hyb_model_get_parameter (model, pairs->pdata[i + 1]));

      hyb_model_remove_parameter (model, pairs->pdata[i + 1]);
      hyb_model_set_parameter (model, pairs->pdata[i], tensor);
      g_ptr_array_add (changes,
                       g_strdup_printf ("renamed “%s” to “%s”, by kind, order and shape",
                                        (char *) pairs->pdata[i + 1],
                                        (char *) pairs->pdata[i]));
    }
}

void
hyb_diagnose_repair (HybModel *model, GPtrArray *changes)
{
  GPtrArray *findings = hyb_model_get_findings (model);
  g_autoptr (HybGraph) graph = NULL;

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      if (g_strv_contains (codes_of_opening, finding->code))
        g_ptr_array_add (changes, g_strdup (finding->message));
      if (strcmp (finding->code, "wrong-dtype") == 0)
        cast_parameters (model, finding, changes);
    }

  rename_guessed (model, changes);
  drop_unused (model, changes);
  graph = without_unknown (hyb_model_get_graph (model), changes);
  hyb_model_set_graph (model, graph);
}
