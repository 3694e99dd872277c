/* match-parameter-order.c — guesses which parameters belong to which variables by the kind of array
 * that their names contain, their order, and their shapes.
 *
 * The guess is rejected unless the shapes of all arrays agree.  Start at hyb_match_in_order().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/match-parameter-order.h"

#include "engine/analysis/infer-types.h"
#include "engine/doctor/counters.h"

#include <string.h>

#define MAX_EXCHANGED 24

/* The kind of array: “weight” for “0.weight”, the name without digits for others (“dense_weight” for
 * “dense3_weight”).  (transfer full) */
static char *
kind_of (const char *name)
{
  const char *dot = strrchr (name, '.');
  GString    *kind;

  if (dot)
    return g_strdup (dot + 1);

  kind = g_string_new (NULL);
  for (; *name; name++)
    if (!g_ascii_isdigit (*name))
      g_string_append_c (kind, *name);
  return g_string_free (kind, FALSE);
}

/* is_structural: kind is the last part of a name with dots. */
static gboolean
is_of_kind (const char *variable, const char *kind, gboolean is_structural)
{
  g_autofree char *variable_kind = NULL;
  gsize            n = strlen (kind), n_variable = strlen (variable);

  if (is_structural)
    return strcmp (variable, kind) == 0 || (n_variable > n && variable[n_variable - n - 1] == '_' &&
                                            g_str_has_suffix (variable, kind));

  variable_kind = kind_of (variable);
  return strcmp (variable_kind, kind) == 0;
}

/* Takes the first variable of this kind that is not taken yet; NULL if there is none. */
static const char *
take_variable (GPtrArray *missing, guint8 *is_taken, const char *kind, gboolean is_structural)
{
  for (guint i = 0; i < missing->len; i++)
    if (!is_taken[i] && is_of_kind (missing->pdata[i], kind, is_structural))
      {
        is_taken[i] = TRUE;
        return missing->pdata[i];
      }
  return NULL;
}

/* TRUE if the graph has more variables of some kind than the file has arrays: then the order is not
 * reliable. */
static gboolean
has_leftovers (GPtrArray *missing, const guint8 *is_taken, GPtrArray *unused)
{
  for (guint i = 0; i < missing->len; i++)
    for (guint k = 0; k < unused->len && !is_taken[i]; k++)
      {
        g_autofree char *kind = kind_of (unused->pdata[k]);

        if (is_of_kind (missing->pdata[i], kind, strchr (unused->pdata[k], '.') != NULL))
          return TRUE;
      }
  return FALSE;
}

static void
set_shape (HybGraph *graph, HybType *types, const char *name, HybTensor *tensor)
{
  HybNodeId id = hyb_graph_find_variable (graph, name);

  if (id != HYB_NO_ID)
    types[hyb_graph_get_node (graph, id)->first_output].shape = *hyb_tensor_get_shape (tensor);
}

gboolean
hyb_match_agrees (HybModel *model, GPtrArray *unused, const char *const *to)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  guint               n_values = hyb_graph_n_values (graph);
  g_autofree HybType *types = g_new (HybType, MAX (n_values, 1));

  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      set_shape (graph, types, name, hyb_model_get_parameter (model, name));
    }
  for (guint i = 0; i < unused->len; i++)
    set_shape (graph, types, to[i], hyb_model_get_parameter (model, unused->pdata[i]));

  return hyb_infer_types (graph, types, NULL, FALSE, NULL);
}

/* Whether counters in both names say that these arrays have the order of these variables. */
static gboolean
is_ordered (GPtrArray *unused, const char *const *to, guint i, guint k)
{
  return hyb_counters_compare (unused->pdata[i], unused->pdata[k]) < 0 &&
         hyb_counters_compare (to[i], to[k]) < 0;
}

/* Whether two arrays of one kind could have each other's names as well.  Arrays of other shapes are tried only if there
 * are few. */
static gboolean
can_be_exchanged (HybModel *model, GPtrArray *unused, const char **to, guint i, guint k)
{
  const HybShape *first = hyb_tensor_get_shape (hyb_model_get_parameter (model, unused->pdata[i]));
  const HybShape *second = hyb_tensor_get_shape (hyb_model_get_parameter (model, unused->pdata[k]));
  const char     *own = to[i];
  gboolean        agrees;

  if (hyb_shape_equal (first, second))
    return TRUE;
  if (unused->len > MAX_EXCHANGED)
    return FALSE;
  to[i] = to[k];
  to[k] = own;
  agrees = hyb_match_agrees (model, unused, to);
  to[k] = to[i];
  to[i] = own;
  return agrees;
}

/* The index of an array that could have the name of a later one, *other; unused->len if there is none. */
static guint
find_exchange (HybModel *model, GPtrArray *unused, const char **to, guint *other)
{
  g_autoptr (GPtrArray) kinds = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < unused->len; i++)
    g_ptr_array_add (kinds, kind_of (unused->pdata[i]));
  for (guint i = 0; i < unused->len; i++)
    for (guint k = i + 1; k < unused->len; k++)
      if (strcmp (kinds->pdata[i], kinds->pdata[k]) == 0 && !is_ordered (unused, to, i, k) &&
          can_be_exchanged (model, unused, to, i, k))
        {
          *other = k;
          return i;
        }
  return unused->len;
}

GPtrArray *
hyb_match_find_exchange (HybModel *model, GPtrArray *unused, const char **to)
{
  GPtrArray *rival;
  guint      other = 0, one = find_exchange (model, unused, to, &other);

  if (one == unused->len)
    return NULL;
  rival = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (rival, g_strdup (to[other]));
  g_ptr_array_add (rival, g_strdup (unused->pdata[one]));
  g_ptr_array_add (rival, g_strdup (to[one]));
  g_ptr_array_add (rival, g_strdup (unused->pdata[other]));
  return rival;
}

gboolean
hyb_match_in_order (HybModel *model, GPtrArray *missing, GPtrArray *unused, const char **to)
{
  g_autofree guint8 *is_taken = g_new0 (guint8, MAX (missing->len, 1));

  for (guint i = 0; i < unused->len; i++)
    {
      g_autofree char *kind = kind_of (unused->pdata[i]);

      to[i] = take_variable (missing, is_taken, kind, strchr (unused->pdata[i], '.') != NULL);
      if (!to[i])
        return FALSE;
    }

  return !has_leftovers (missing, is_taken, unused) && hyb_match_agrees (model, unused, to);
}
