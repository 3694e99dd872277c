/* other-sizes.c — the same variant for other sizes of open dimensions.
 *
 * A file that leaves the batch open is lowered for one size.  Where the same conversion for another size gives the same
 * nodes, the differences follow from the size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/model-types.h"
#include "engine/variants/variant.h"

#include <string.h>

typedef struct
{
  HybModel                *model;
  const HybConvertOptions *options;
  const HybVariant        *variant;
  guint                    n;
  const HybNodeId         *variables;
} Search;

/* A dimension of a variable that the file leaves open. */
typedef struct
{
  guint variable;
  int   axis;
} Place;

static HybTensor *
find_input (const Search *search, guint variable)
{
  HybGraph *graph = hyb_model_get_graph (search->model);

  return hyb_tensor_list_find (search->options->input,
                               hyb_graph_get_node (graph, search->variables[variable])->name);
}

static gint64
get_size (const Search *search, Place place)
{
  return hyb_tensor_get_shape (find_input (search, place.variable))->dim[place.axis];
}

/* Open dimensions of inputs whose size is given. (transfer full), of Place */
static GArray *
find_places (const Search *search)
{
  HybGraph           *graph = hyb_model_get_graph (search->model);
  g_autofree HybType *types = hyb_model_new_declared_types (search->model);
  GArray             *places = g_array_new (FALSE, FALSE, sizeof (Place));

  for (guint i = 0; i < search->n; i++)
    {
      const HybShape *shape =
          &types[hyb_graph_get_node (graph, search->variables[i])->first_output].shape;

      for (int axis = 0; axis < shape->rank && find_input (search, i); axis++)
        if (shape->dim[axis] < 0)
          g_array_append_val (places, ((Place){ i, axis }));
    }
  return places;
}

/* Names of steps differ where the numbers of steps do; only names of variables identify a value. */
static gboolean
is_same_node (HybGraph *a, HybGraph *b, HybNodeId id)
{
  const HybNode *x = hyb_graph_get_node (a, id), *y = hyb_graph_get_node (b, id);

  return x->op == y->op && x->n_inputs == y->n_inputs && x->n_outputs == y->n_outputs &&
         x->n_bodies == y->n_bodies &&
         (!hyb_node_is_variable (x) || strcmp (x->name, y->name) == 0) &&
         (x->n_inputs == 0 || memcmp (hyb_graph_get_inputs (a, id), hyb_graph_get_inputs (b, id),
                                      x->n_inputs * sizeof (HybValueId)) == 0);
}

static gboolean
is_same_graph (HybGraph *a, HybGraph *b)
{
  gboolean is_same = hyb_graph_n_nodes (a) == hyb_graph_n_nodes (b);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (a) && is_same; id++)
    {
      is_same = is_same_node (a, b, id);
      for (guint i = 0; is_same && i < hyb_graph_get_node (a, id)->n_bodies; i++)
        is_same = is_same_graph (hyb_graph_get_bodies (a, id)[i], hyb_graph_get_bodies (b, id)[i]);
    }
  return is_same;
}

/* Whether a given input, in either choice of sizes, has a dimension of this size. */
static gboolean
is_size (const Search *search, gint64 size, GHashTable *larger)
{
  GHashTableIter iter;
  gpointer       chosen;

  for (guint i = 0; i < search->n; i++)
    {
      HybTensor *given = find_input (search, i);

      for (int axis = 0; given && axis < hyb_tensor_get_shape (given)->rank; axis++)
        if (hyb_tensor_get_shape (given)->dim[axis] == size)
          return TRUE;
    }
  g_hash_table_iter_init (&iter, larger);
  while (g_hash_table_iter_next (&iter, NULL, &chosen))
    if (GPOINTER_TO_SIZE (chosen) == (gsize) size)
      return TRUE;
  return FALSE;
}

/* Whether both models have the same parameters: parameters computed from sizes while planning
 * differ. */
static gboolean
has_same_parameters (HybModel *a, HybModel *b)
{
  for (guint i = 0; i < hyb_model_n_parameters (a); i++)
    {
      const char *name = hyb_model_get_parameter_name (a, i);
      HybTensor  *x = hyb_model_get_parameter (a, name), *y = hyb_model_get_parameter (b, name);

      if (x == y)
        continue;
      if (!x || !y || hyb_tensor_get_bytes (x) != hyb_tensor_get_bytes (y) ||
          !hyb_shape_equal (hyb_tensor_get_shape (x), hyb_tensor_get_shape (y)) ||
          memcmp (hyb_tensor_get_data (x), hyb_tensor_get_data (y), hyb_tensor_get_bytes (x)) != 0)
        return FALSE;
    }
  return TRUE;
}

/* The other choice for a size: equal sizes stay equal, and different ones do not become so.  larger: size → its other choice. */
static gint64
choose_larger (const Search *search, gint64 size, GHashTable *larger)
{
  gpointer found = g_hash_table_lookup (larger, GSIZE_TO_POINTER (size));
  gint64   other = 2 * size + 3;

  if (found)
    return (gint64) GPOINTER_TO_SIZE (found);
  while (is_size (search, other, larger))
    other++;
  g_hash_table_insert (larger, GSIZE_TO_POINTER (size), GSIZE_TO_POINTER (other));
  return other;
}

/* The inputs with larger sizes at these places.  (transfer full) */
static HybTensorList *
enlarge_inputs (const Search *search, const GArray *places)
{
  HybGraph      *graph = hyb_model_get_graph (search->model);
  HybTensorList *input = hyb_tensor_list_new ();
  g_autoptr (GHashTable) chosen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < search->n; i++)
    {
      HybTensor *given = find_input (search, i);
      HybType    type = given ? *hyb_tensor_get_type (given) : HYB_TYPE_UNKNOWN;
      g_autoptr (HybTensor) larger = NULL;
      gboolean is_larger = FALSE;

      for (guint k = 0; k < places->len && given; k++)
        {
          const Place *place = &g_array_index (places, Place, k);

          /* Axes of one size may be one dimension, such as the batch: chosen gives equal sizes the same larger one. */
          if (place->variable == i)
            {
              type.shape.dim[place->axis] =
                  choose_larger (search, type.shape.dim[place->axis], chosen);
              is_larger = TRUE;
            }
        }
      larger = is_larger ? hyb_tensor_new_zeros (&type, NULL) : NULL;
      if (given && (larger || !is_larger))
        hyb_tensor_list_set (input, hyb_graph_get_node (graph, search->variables[i])->name,
                             larger ? larger : given);
    }
  return input;
}

/* The same conversion for these inputs.  (transfer full) */
static HybVariant *
convert_for (const Search *search, HybTensorList *input)
{
  HybConvertOptions options = *search->options;

  options.input = input;
  options.length = 0; /* the inputs determine it */
  return search->variant->recognised->len > 0 || search->variant->stages->len > 0
             ? hyb_variant_convert (search->model, &options, NULL)
             : hyb_variant_keep (search->model, input, NULL);
}

/* The variant with larger sizes at these places; NULL: it has other nodes.  (transfer full) */
static HybVariant *
enlarge (const Search *search, const GArray *places)
{
  g_autoptr (HybTensorList) input = enlarge_inputs (search, places);
  g_autoptr (HybVariant) variant = convert_for (search, input);

  if (!variant ||
      !is_same_graph (hyb_model_get_graph (search->variant->model),
                      hyb_model_get_graph (variant->model)) ||
      !has_same_parameters (search->variant->model, variant->model))
    return NULL;
  return g_steal_pointer (&variant);
}

/* The places whose size is that of number `index`: a batch is an axis of several inputs.  (transfer full) */
static GArray *
list_equal (const Search *search, const GArray *places, guint index)
{
  GArray *equal = g_array_new (FALSE, FALSE, sizeof (Place));
  Place   place = g_array_index (places, Place, index);

  for (guint k = 0; k < places->len; k++)
    {
      Place other = g_array_index (places, Place, k);

      if (get_size (search, other) == get_size (search, place))
        g_array_append_val (equal, other);
    }
  return equal;
}

/* Whether the form fixes a dimension: its size is the number of steps that are written out. */
static gboolean
is_fixed_by_form (const Search *search, Place place)
{
  gint64 size = get_size (search, place);

  if (search->options->form != HYB_FORM_UNROLLED || size == 1)
    return FALSE;
  for (guint i = 0; i < search->variant->recognised->len; i++)
    if (g_array_index (search->variant->recognised, HybRecognised, i).steps == (guint64) size)
      return TRUE;
  return FALSE;
}

/* Keeps the places whose dimension is open in the variant as well.  TRUE if the form fixes all others. */
static gboolean
keep_open (const Search *search, GArray *places)
{
  gboolean is_whole = TRUE;

  for (guint i = places->len; i-- > 0;)
    {
      Place place = g_array_index (places, Place, i);
      g_autoptr (GArray) equal = list_equal (search, places, i);
      g_autoptr (HybVariant) variant =
          is_fixed_by_form (search, place) ? NULL : enlarge (search, equal);

      is_whole &= variant || is_fixed_by_form (search, place);
      if (!variant)
        g_array_remove_index (places, i);
    }
  return is_whole;
}

HybVariant *
hyb_variant_with_other_sizes (HybModel                *model,
                              const HybConvertOptions *options,
                              const HybVariant        *variant,
                              gboolean                *is_whole)
{
  Search search = { .model = model, .options = options, .variant = variant };
  g_autoptr (GArray) places = NULL;
  HybVariant *other;

  *is_whole = TRUE;
  if (!variant->lowered || !options->input)
    return NULL;
  search.variables = hyb_graph_get_variables (hyb_model_get_graph (model), &search.n);
  places = find_places (&search);
  if (places->len == 0)
    return NULL;
  other = enlarge (&search, places);
  if (other)
    return other;
  *is_whole = keep_open (&search, places);
  return places->len > 0 ? enlarge (&search, places) : NULL;
}

/* The variant with larger sizes at these places, and in *other with still larger ones, if both have the same nodes; else
 * NULL. *input: the input for the first.  (transfer full) */
static HybVariant *
enlarge_twice (const Search   *search,
               const GArray   *places,
               HybTensorList **input,
               HybVariant    **other)
{
  HybConvertOptions chosen = *search->options;
  Search            second = *search;
  g_autoptr (HybTensorList) larger = enlarge_inputs (search, places);
  g_autoptr (HybVariant) converted = convert_for (search, larger);

  chosen.input = larger;
  second.options = &chosen;
  second.variant = converted;
  *other = converted ? enlarge (&second, places) : NULL;
  if (!*other)
    return NULL;
  *input = g_steal_pointer (&larger);
  return g_steal_pointer (&converted);
}

/* All places whose dimension is open in the variant for larger sizes. */
static void
keep_larger (const Search *search, GArray *places)
{
  for (guint i = places->len; i-- > 0;)
    {
      g_autoptr (GArray) equal = list_equal (search, places, i);
      g_autoptr (HybTensorList) input = NULL;
      g_autoptr (HybVariant) variant = NULL;
      g_autoptr (HybVariant) other = NULL;

      if (!is_fixed_by_form (search, g_array_index (places, Place, i)))
        variant = enlarge_twice (search, equal, &input, &other);
      if (!variant)
        g_array_remove_index (places, i);
    }
}

HybVariant *
hyb_variant_larger (HybModel                *model,
                    const HybConvertOptions *options,
                    const HybVariant        *variant,
                    HybTensorList          **input,
                    HybVariant             **other)
{
  Search      search = { .model = model, .options = options, .variant = variant };
  HybVariant *larger = NULL;
  g_autoptr (GArray) places = NULL;

  if (!variant->lowered || !options->input)
    return NULL;
  search.variables = hyb_graph_get_variables (hyb_model_get_graph (model), &search.n);
  places = find_places (&search);
  if (places->len > 0 && options->form != HYB_FORM_UNROLLED)
    larger = enlarge_twice (&search, places, input, other);
  if (larger)
    return larger;
  keep_larger (&search, places);
  return places->len > 0 ? enlarge_twice (&search, places, input, other) : NULL;
}
