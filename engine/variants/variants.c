/* variants.c — converts a model to another form in two stages.
 *
 * The first stage writes loops and fused operators out; the second finds cells and writes them in
 * the requested form.  A stage is one HybConversion.  Start reading at hyb_variant_convert().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/form.h"

#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/graph/ports.h"
#include "engine/variants/group.h"
#include "engine/variants/loops/direct-loop.h"
#include "engine/variants/rebuild-node.h"
#include "engine/variants/recognise.h"
#include "engine/variants/structure.h"

#include <string.h>

/* The deepest level of loops and layers in each other that is written out. */
#define MAX_DEPTH 4

static const HybFormClass *const forms[HYB_N_FORMS] = {
  [HYB_FORM_UNROLLED] = &hyb_form_unrolled,
  [HYB_FORM_FOREACH] = &hyb_form_foreach,
  [HYB_FORM_WHILE] = &hyb_form_while,
  [HYB_FORM_FUSED] = &hyb_form_fused,
};

const HybFormClass *
hyb_form_class (HybForm form)
{
  return forms[form];
}

const char *
hyb_form_name (HybForm form)
{
  return forms[form]->name;
}

gboolean
hyb_form_from_name (const char *name, HybForm *form)
{
  for (guint i = 0; i < HYB_N_FORMS; i++)
    if (strcmp (forms[i]->name, name) == 0)
      {
        *form = (HybForm) i;
        return TRUE;
      }
  return FALSE;
}

void
hyb_variant_free (HybVariant *variant)
{
  if (!variant)
    return;
  g_clear_pointer (&variant->model, hyb_model_unref);
  g_clear_pointer (&variant->stages, g_ptr_array_unref);
  g_clear_pointer (&variant->stage_from, g_ptr_array_unref);
  g_clear_pointer (&variant->recognised, g_array_unref);
  g_clear_pointer (&variant->matches, g_array_unref);
  g_clear_pointer (&variant->lowered_matches, g_array_unref);
  hyb_lowered_model_free (variant->lowered);
  g_free (variant);
}

/* --- All stages --- */

static gboolean
has_form (HybGraph *graph, HybForm form)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (forms[form]->is_node (hyb_graph_get_node (graph, id)))
      return TRUE;
  return FALSE;
}

/* Appends a finished conversion to the stages of variant. */
static void
add_stage (HybVariant *variant, HybConversion *conversion)
{
  GArray *matches = variant->stages->len == 0
                        ? g_array_ref (conversion->rebuild.matches)
                        : hyb_matches_compose (variant->matches, conversion->rebuild.matches);

  g_array_unref (variant->matches);
  variant->matches = matches;
  g_ptr_array_add (variant->stages, g_array_ref (conversion->copies));
  g_ptr_array_add (variant->stage_from, hyb_model_ref (conversion->from));
  g_clear_pointer (&variant->model, hyb_model_unref);
  variant->model = hyb_model_ref (conversion->to);
}

/* The first loop or fused operator, or NULL. */
static const HybNode *
find_loop (HybModel *model)
{
  HybGraph *graph = hyb_model_get_graph (model);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    for (guint f = 0; f < HYB_N_FORMS; f++)
      if (forms[f]->is_node (hyb_graph_get_node (graph, id)))
        return hyb_graph_get_node (graph, id);
  return NULL;
}

/* Writes the loops and layers out that were in the bodies of loops, as far as that is possible. */
static void
write_inner_unrolled (HybVariant *variant, const HybConvertOptions *options)
{
  HybConvertOptions inner = *options;

  inner.length = 0; /* it is that of the outer loop */
  for (guint depth = 0; depth < MAX_DEPTH && find_loop (variant->model); depth++)
    {
      g_auto (HybConversion) conversion = { 0 };

      hyb_conversion_init (&conversion, variant->model, &inner);
      if (!hyb_unroll (&conversion, NULL))
        return;
      add_stage (variant, &conversion);
    }
}

/* First stage: writes loops and fused operators out. */
static gboolean
write_unrolled (HybVariant              *variant,
                HybModel                *model,
                const HybConvertOptions *options,
                GError                 **error)
{
  g_auto (HybConversion) conversion = { 0 };

  hyb_conversion_init (&conversion, model, options);
  if (!hyb_unroll (&conversion, error))
    return FALSE;
  add_stage (variant, &conversion);
  write_inner_unrolled (variant, options);
  return TRUE;
}

/* Sets the error for a model without a cell that could be written in another form. */
static gboolean
set_nothing_found (HybModel *model, GError **error)
{
  const HybNode *loop = find_loop (model);

  if (loop)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, loop->name, NULL,
                    "its steps are not a known cell, and they share no weight that shows where a "
                    "step "
                    "ends");
      return hyb_error_add_remedy (error, HYB_REMEDY_UNROLL, NULL);
    }
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                       "no recurrent cell, loop or fused operator was found");
}

/* Whether the model has this form, and no part of it has another. */
static gboolean
has_only_form (HybGraph *graph, HybForm form, const HybCells *cells)
{
  for (guint f = 0; f < HYB_N_FORMS; f++)
    if (f != form && has_form (graph, (HybForm) f))
      return FALSE;
  return form == HYB_FORM_UNROLLED ? cells->chains->len > 0
                                   : has_form (graph, form) && cells->chains->len == 0;
}

/* Second stage: writes the cells of the unrolled model in the requested form.  model is the
 * original, before loops were written out. */
static gboolean
write_form (HybVariant *variant, HybModel *model, const HybConvertOptions *options, GError **error)
{
  g_auto (HybConversion) conversion = { 0 };
  g_autoptr (HybCells) cells = NULL;

  hyb_conversion_init (&conversion, variant->model, options);
  cells = hyb_cells_find (conversion.graph, conversion.types, NULL);
  hyb_describe_chains (cells, variant->recognised);
  if (!forms[options->form]->write && (cells->chains->len > 0 || find_loop (model)))
    return TRUE;
  if (cells->chains->len == 0)
    return set_nothing_found (model, error);
  if (!forms[options->form]->write (&conversion, cells, error) ||
      !hyb_conversion_finish (&conversion, error))
    return FALSE;
  add_stage (variant, &conversion);
  return TRUE;
}

static gboolean
is_recurrent (HybModel *model, const HybConvertOptions *options)
{
  g_auto (HybConversion) conversion = { 0 };
  g_autoptr (HybCells) cells = NULL;

  if (find_loop (model))
    return TRUE;
  hyb_conversion_init (&conversion, model, options);
  if (hyb_rebuild_find_split_products (&conversion.rebuild, conversion.types))
    return TRUE;
  cells = hyb_cells_find (conversion.graph, conversion.types, NULL);
  return cells->chains->len > 0;
}

/* Lists the cells of a model that stays as it is. */
static void
describe_structure (HybVariant *variant, const HybConversion *conversion)
{
  g_autoptr (GArray) structure = hyb_structure_find (conversion->graph, conversion->types);

  for (guint i = 0; i < structure->len; i++)
    {
      const HybStructure *found = &g_array_index (structure, HybStructure, i);
      HybRecognised       entry = { .cell = g_intern_string (found->cell),
                                    .direction = found->direction ? found->direction : "forward",
                                    .layers = found->layers,
                                    .steps = (guint) found->steps,
                                    .hidden = found->hidden };

      if (found->cell)
        g_array_append_val (variant->recognised, entry);
    }
}

/* Matches every node with itself. */
static void
match_all (HybVariant *variant, HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      HybMatch match = { id, id, -1 };

      g_array_append_val (variant->matches, match);
    }
}

/* TRUE if the model has the requested form already; variant then holds the model itself. */
static gboolean
keep_unchanged (HybVariant *variant, HybModel *model, const HybConvertOptions *options)
{
  g_auto (HybConversion) conversion = { 0 };
  g_autoptr (HybCells) cells = NULL;

  if (options->per_layer)
    return FALSE;
  hyb_conversion_init (&conversion, model, options);
  cells = hyb_cells_find (conversion.graph, conversion.types, NULL);
  if (!has_only_form (conversion.graph, options->form, cells))
    return FALSE;
  describe_structure (variant, &conversion);
  match_all (variant, conversion.graph);
  variant->model = hyb_model_ref (model);
  return TRUE;
}

/* Writes loops as the other kind of loop, with the same bodies, instead of both stages. */
static gboolean
write_directly (HybVariant *variant, HybModel *model, const HybConvertOptions *options)
{
  g_auto (HybConversion) conversion = { 0 };

  if (options->form != HYB_FORM_FOREACH && options->form != HYB_FORM_WHILE)
    return FALSE;
  hyb_conversion_init (&conversion, model, options);
  if (!hyb_write_loops_directly (&conversion, options->form, NULL))
    return FALSE;
  g_ptr_array_set_size (variant->stages, 0);
  g_ptr_array_set_size (variant->stage_from, 0);
  g_array_set_size (variant->recognised, 0);
  describe_structure (variant, &conversion);
  add_stage (variant, &conversion);
  return TRUE;
}

static HybVariant *
variant_new (HybForm form)
{
  HybVariant *variant = g_new0 (HybVariant, 1);

  variant->form = form;
  variant->stages = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  variant->stage_from = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_model_unref);
  variant->recognised = g_array_new (FALSE, TRUE, sizeof (HybRecognised));
  variant->matches = g_array_new (FALSE, TRUE, sizeof (HybMatch));
  return variant;
}

/* has_loops: FALSE if loops over rows are layers, or loops with conditions, in the file. */
static HybVariant *
convert_own (HybModel *model, gboolean has_loops, const HybConvertOptions *options, GError **error)
{
  g_autoptr (HybVariant) variant = variant_new (options->form);
  g_autoptr (GError) found = NULL;

  if (has_loops && keep_unchanged (variant, model, options))
    return g_steal_pointer (&variant);
  if (!is_recurrent (model, options))
    {
      set_nothing_found (model, error);
      return NULL;
    }
  if (!write_unrolled (variant, model, options, &found) ||
      !write_form (variant, model, options, &found))
    {
      if (write_directly (variant, model, options))
        return g_steal_pointer (&variant);
      hyb_variant_free (g_steal_pointer (&variant));
      variant = variant_new (options->form);
      if (!has_loops && keep_unchanged (variant, model, options))
        return g_steal_pointer (&variant);
      g_propagate_error (error, g_steal_pointer (&found));
      return NULL;
    }
  return g_steal_pointer (&variant);
}

/* --- Models of other formats --- */

/* Types of inputs that the conversion did not change. */
static void
copy_input_types (HybModel *from, HybModel *to)
{
  HybGraph        *graph = hyb_model_get_graph (from);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char    *name = hyb_graph_get_node (graph, variables[i])->name;
      const HybType *type = hyb_model_get_input_type (from, name);

      if (type)
        hyb_model_set_input_type (to, name, type);
    }
}

/* Lets the variant of a lowered model be one of the model that it was lowered from. (transfer full): lowered */
static void
set_lowered (HybVariant *variant, HybLoweredModel *lowered)
{
  GArray *matches = hyb_matches_compose (lowered->matches, variant->matches);

  copy_input_types (lowered->model, variant->model);
  variant->lowered_matches = variant->matches;
  variant->matches = matches;
  variant->lowered = lowered;
}

static gboolean
is_foreign (HybModel *model)
{
  return hyb_graph_get_dialect (hyb_model_get_graph (model)) != NULL;
}

/* Whether all loops over rows that a model was lowered to are such loops in its file as well. */
static gboolean
has_loops_of (const HybLoweredModel *lowered, HybGraph *file)
{
  HybGraph *graph = hyb_model_get_graph (lowered->model);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      HybNodeId origin = hyb_graph_get_node (graph, id)->origin;

      if (hyb_node_reads_rows (graph, id) && origin < hyb_graph_n_nodes (file) &&
          !hyb_node_reads_rows (file, origin))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_variant_is_unchanged (HybModel *model, const HybVariant *variant)
{
  if (!variant->lowered)
    return variant->model == model;
  return variant->model == variant->lowered->model &&
         has_loops_of (variant->lowered, hyb_model_get_graph (model));
}

HybVariant *
hyb_variant_convert (HybModel *model, const HybConvertOptions *given, GError **error)
{
  const HybConvertOptions *options = given ? given : &(const HybConvertOptions){ 0 };
  g_autoptr (HybLoweredModel) lowered = NULL;
  HybVariant *variant;

  if (!is_foreign (model))
    return convert_own (model, TRUE, options, error);
  lowered = hyb_lowered_model_new (model, options->input, error);
  variant = lowered
                ? convert_own (lowered->model, has_loops_of (lowered, hyb_model_get_graph (model)),
                               options, error)
                : NULL;
  if (variant)
    set_lowered (variant, g_steal_pointer (&lowered));
  return variant;
}

HybVariant *
hyb_variant_keep (HybModel *model, HybTensorList *input, GError **error)
{
  HybLoweredModel *lowered =
      is_foreign (model) ? hyb_lowered_model_new (model, input, error) : NULL;
  HybVariant *variant;

  if (is_foreign (model) && !lowered)
    return NULL;
  variant = variant_new (HYB_FORM_UNROLLED);
  variant->model = hyb_model_ref (lowered ? lowered->model : model);
  match_all (variant, hyb_model_get_graph (variant->model));
  if (lowered)
    set_lowered (variant, lowered);
  return variant;
}

GArray *
hyb_variant_list (HybModel *model, const HybConvertOptions *options)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (HybPossibility));

  for (guint f = 0; f < HYB_N_FORMS; f++)
    {
      HybConvertOptions wanted = options ? *options : (HybConvertOptions){ 0 };
      HybPossibility    possibility = { .form = (HybForm) f };
      g_autoptr (HybVariant) variant = NULL;
      g_autoptr (GError) error = NULL;

      wanted.form = (HybForm) f;
      possibility.is_same = has_form (hyb_model_get_graph (model), (HybForm) f);
      variant = hyb_variant_convert (model, &wanted, &error);
      possibility.is_possible = variant != NULL;
      possibility.reason = error ? g_strdup (error->message) : NULL;
      g_array_append_val (list, possibility);
    }
  return list;
}
