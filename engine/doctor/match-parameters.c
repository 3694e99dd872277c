/* match-parameters.c — matches parameters to the variables of a graph, where their names differ.
 *
 * In this order: RNN weights that are stored per gate are packed, running and moving statistics are
 * renamed, and a prefix that all names share is removed or added.  Every change is reported as a
 * finding.  Start at hyb_model_match_parameters().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/match-parameters.h"

#include "engine/base/translate.h"
#include "engine/doctor/diagnosis.h"
#include "engine/doctor/match-parameter-order.h"
#include "engine/doctor/match-prefix.h"
#include "engine/doctor/rival-names.h"
#include "engine/doctor/unpack-weights.h"
#include "engine/formats/rnn-weights.h"

#include <string.h>

/* Limit of pairs of names that are compared. */
#define MAX_GUESSES 1000000

typedef struct
{
  HybModel   *model;
  HybGraph   *graph;
  GPtrArray  *missing; /* of const char *: variables without a parameter */
  GPtrArray  *unused;  /* of char *: parameters without a variable */
  HybFinding *packed;  /* one for all that was packed, owned by the model; or NULL */
} Matcher;

/* Sets missing and unused. */
static void
find_gaps (Matcher *matcher)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (matcher->graph, &n);

  g_ptr_array_set_size (matcher->missing, 0);
  g_ptr_array_set_size (matcher->unused, 0);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (matcher->graph, variables[i])->name;

      if (!hyb_model_get_parameter (matcher->model, name))
        g_ptr_array_add (matcher->missing, (gpointer) name);
    }
  for (guint i = 0; i < hyb_model_n_parameters (matcher->model); i++)
    {
      const char *name = hyb_model_get_parameter_name (matcher->model, i);

      if (hyb_graph_find_variable (matcher->graph, name) == HYB_NO_ID)
        g_ptr_array_add (matcher->unused, g_strdup (name));
    }
}

/* Adds a note to the model, which owns it. */
static HybFinding *
add_note (Matcher *matcher, const char *code, const char *message)
{
  HybFinding *finding = hyb_finding_new (code, HYB_SEVERITY_NOTE, "%s", message);

  finding->file = g_strdup (hyb_model_get_weights_file (matcher->model));
  finding->remedy = HYB_REMEDY_REPAIR;
  hyb_model_add_finding (matcher->model, finding);
  return finding;
}

static void
add_name_item (HybFinding *finding, const char *variable, const char *from)
{
  g_autofree char *expected = g_strdup_printf ("\"%s\"", variable);
  g_autofree char *got = g_strdup_printf ("\"%s\"", from);

  hyb_finding_add_item (finding, variable, expected, got);
}

static void
rename_parameter (Matcher *matcher, const char *from, const char *to)
{
  g_autoptr (HybTensor) tensor = hyb_tensor_ref (hyb_model_get_parameter (matcher->model, from));

  hyb_model_remove_parameter (matcher->model, from);
  hyb_model_set_parameter (matcher->model, to, tensor);
}

static void
report_packed (Matcher *matcher, const char *variable, const char *from)
{
  g_autofree char *got = from ? g_strdup_printf ("\"%s\"", from) : NULL;

  if (!matcher->packed)
    {
      matcher->packed = add_note (matcher, "packed-parameter",
                                  _ ("the file holds the weights of a recurrent layer as several "
                                     "arrays, as cells and "
                                     "checkpoints have them; they were packed for the graph"));
      matcher->packed->node = g_strdup (variable);
    }
  hyb_finding_add_item (matcher->packed, variable, NULL, got);
}

static HybTensorList *
list_parameters (Matcher *matcher)
{
  HybTensorList *list = hyb_tensor_list_new ();

  for (guint i = 0; i < hyb_model_n_parameters (matcher->model); i++)
    {
      const char *name = hyb_model_get_parameter_name (matcher->model, i);

      hyb_tensor_list_set (list, name, hyb_model_get_parameter (matcher->model, name));
    }
  return list;
}

/* Reports why the weights cannot be packed. */
static void
report_misfit (Matcher             *matcher,
               HybTensorList       *list,
               const HybRnnWeights *weights,
               const char          *variable)
{
  HybType          expected;
  g_autofree char *name = hyb_rnn_find_misfit (weights, list, &expected);
  HybTensor       *tensor = name ? hyb_tensor_list_find (list, name) : NULL;
  g_autofree char *expected_json = hyb_shape_to_json (&expected.shape);
  g_autofree char *got = tensor ? hyb_shape_to_json (hyb_tensor_get_shape (tensor)) : NULL;
  g_autofree char *message = NULL;
  HybFinding      *finding;

  if (!name)
    return;

  message = g_strdup_printf (_ ("“%s” cannot be packed: its part “%s” %s"), variable, name,
                             tensor ? _ ("does not fit the others") : _ ("is missing"));
  finding = add_note (matcher, tensor ? "wrong-shape" : "missing-parameter", message);
  finding->severity = HYB_SEVERITY_ERROR;
  finding->node = g_strdup (variable);
  hyb_finding_add_item (finding, name, expected_json, got);
}

/* Removes a part that was packed, under the name that it has in the file. */
static void
remove_part (Matcher *matcher, const HybRnnWeights *weights, const char *name, gboolean is_numbered)
{
  gsize            length = strlen (weights->prefix);
  g_autofree char *in_file =
      is_numbered ? g_strconcat (weights->prefix, name + length + strlen ("l0_"), NULL)
                  : g_strdup (name);

  hyb_model_remove_parameter (matcher->model, in_file);
}

/* Packs “lstm_parameters” from lstm_l0_i2h_i_weight …, or from the lstm_i2h_weight … of a single cell, if
 * list has those. */
static void
pack_flat (Matcher *matcher, HybTensorList *list, const char *variable)
{
  g_autofree char *prefix = NULL, *message = NULL;
  g_autoptr (HybTensorList) numbered = NULL;
  g_autoptr (HybTensor) packed = NULL;
  g_autoptr (GArray) parts = NULL;
  HybRnnWeights weights;

  if (!g_str_has_suffix (variable, "parameters"))
    return;
  prefix = g_strndup (variable, strlen (variable) - strlen ("parameters"));
  /* 1. Recognise the weights, if necessary after a single cell has been renamed to layer 0. */
  if (!hyb_rnn_recognise (list, prefix, &weights))
    {
      numbered = hyb_rnn_number_layer (list, prefix);
      if (!numbered || !hyb_rnn_recognise (numbered, prefix, &weights))
        return;
      list = numbered;
    }

  packed = hyb_rnn_pack (&weights, list, NULL);
  if (!packed)
    {
      report_misfit (matcher, list, &weights, variable);
      return;
    }

  hyb_model_set_parameter (matcher->model, variable, packed);
  /* 2. Remove the parts, stored as one array or by gate. */
  parts = hyb_rnn_parts (&weights);
  for (guint i = 0; i < parts->len; i++)
    {
      const HybRnnPart  *part = &g_array_index (parts, HybRnnPart, i);
      const char *const *gates = hyb_rnn_gate_suffixes (weights.mode);
      g_autofree char   *stacked = hyb_rnn_part_name (&weights, part, "");

      remove_part (matcher, &weights, stacked, numbered != NULL);
      for (guint gate = 0; gates[gate]; gate++)
        {
          g_autofree char *name = hyb_rnn_part_name (&weights, part, gates[gate]);

          remove_part (matcher, &weights, name, numbered != NULL);
        }
    }

  message = g_strdup_printf (weights.n_layers == 1 ? "%s, %u layer%s" : "%s, %u layers%s",
                             hyb_rnn_mode_name (weights.mode), weights.n_layers,
                             weights.is_bidirectional ? ", two directions" : "");
  report_packed (matcher, variable, message);
}

/* Concatenates arrays of equal type along axis 0; NULL if their types differ.  (transfer full) */
static HybTensor *
stack_rows (HybTensor *const *arrays, guint n)
{
  HybType    type = *hyb_tensor_get_type (arrays[0]);
  HybTensor *stacked;
  gsize      at = 0;

  if (type.shape.rank < 1)
    return NULL;
  for (guint i = 1; i < n; i++)
    if (!hyb_shape_equal (&type.shape, hyb_tensor_get_shape (arrays[i])) ||
        type.dtype != hyb_tensor_get_dtype (arrays[i]))
      return NULL;

  type.shape.dim[0] *= n;
  stacked = hyb_tensor_new (&type, NULL);
  for (guint i = 0; stacked && i < n; i++)
    {
      gsize size = hyb_tensor_get_bytes (arrays[i]);

      memcpy ((guint8 *) hyb_tensor_get_data (stacked) + at, hyb_tensor_get_data (arrays[i]), size);
      at += size;
    }
  return stacked;
}

/* Stacks “lstm_l0_i2h_weight” from lstm_l0_i2h_i_weight …; FALSE if they are not there. */
static gboolean
stack_gates (Matcher *matcher, const char *variable, HybRnnMode mode, const char *ending)
{
  const char *const *gates = hyb_rnn_gate_suffixes (mode);
  HybTensor         *arrays[4] = { NULL };
  guint              n = hyb_rnn_n_gates (mode);
  g_autofree char   *stem = g_strndup (variable, strlen (variable) - strlen (ending));
  g_autoptr (HybTensor) stacked = NULL;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strconcat (stem, gates[i], ending, NULL);

      arrays[i] = hyb_model_get_parameter (matcher->model, name);
      if (!arrays[i])
        return FALSE;
    }

  stacked = stack_rows (arrays, n);
  if (!stacked)
    return FALSE;

  hyb_model_set_parameter (matcher->model, variable, stacked);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strconcat (stem, gates[i], ending, NULL);

      hyb_model_remove_parameter (matcher->model, name);
    }
  report_packed (matcher, variable, NULL);
  return TRUE;
}

static void
pack_weights (Matcher *matcher)
{
  static const HybRnnMode  gated[] = { HYB_RNN_LSTM, HYB_RNN_GRU };
  static const char *const endings[] = { "_weight", "_bias" };
  g_autoptr (HybTensorList) list = NULL;

  find_gaps (matcher);
  if (matcher->unused->len == 0 || matcher->missing->len == 0)
    return;

  list = list_parameters (matcher);
  for (guint i = 0; i < matcher->missing->len; i++)
    {
      const char *variable = matcher->missing->pdata[i];

      pack_flat (matcher, list, variable);
      for (guint m = 0; m < G_N_ELEMENTS (gated); m++)
        for (guint e = 0; e < G_N_ELEMENTS (endings); e++)
          if (g_str_has_suffix (variable, endings[e]) &&
              !hyb_model_get_parameter (matcher->model, variable))
            stack_gates (matcher, variable, gated[m], endings[e]);
    }
}

/* The graph has cells, the file the flat vector of a fused layer. */
static void
unpack_vectors (Matcher *matcher)
{
  find_gaps (matcher);
  for (guint i = 0; i < matcher->unused->len && matcher->missing->len > 0; i++)
    {
      const char *vector = matcher->unused->pdata[i];
      g_autoptr (GPtrArray) unpacked = g_ptr_array_new_with_free_func (g_free);
      g_autofree char *got = g_strdup_printf ("\"%s\"", vector);
      HybFinding      *finding;

      if (!hyb_unpack_weights (matcher->model, vector, unpacked))
        continue;
      finding = add_note (matcher, "packed-parameter",
                          _ ("the file holds the flat vector of a fused recurrent layer; it was "
                             "unpacked for the cells of the graph"));
      for (guint k = 0; k < unpacked->len; k++)
        hyb_finding_add_item (finding, unpacked->pdata[k], NULL, got);
    }
}

/* Gluon calls the statistics of BatchNorm “running”, symbolic networks call them “moving”. */
static void
rename_statistics (Matcher *matcher)
{
  static const char *const pairs[][2] = {
    { "moving_mean", "running_mean" },
    { "moving_var", "running_var" },
    { "running_mean", "moving_mean" },
    { "running_var", "moving_var" },
  };
  HybFinding *finding = NULL;

  find_gaps (matcher);
  for (guint i = 0; i < matcher->missing->len; i++)
    for (guint k = 0; k < G_N_ELEMENTS (pairs); k++)
      {
        const char      *variable = matcher->missing->pdata[i];
        g_autofree char *stem = NULL, *other = NULL;

        if (!g_str_has_suffix (variable, pairs[k][0]))
          continue;
        stem = g_strndup (variable, strlen (variable) - strlen (pairs[k][0]));
        other = g_strconcat (stem, pairs[k][1], NULL);
        if (!hyb_model_get_parameter (matcher->model, other) ||
            hyb_graph_find_variable (matcher->graph, other) != HYB_NO_ID)
          continue;

        if (!finding)
          finding =
              add_note (matcher, "renamed-parameter",
                        _ ("statistics of batch normalisation are called running in one file and "
                           "moving in the other; they were renamed"));
        add_name_item (finding, variable, other);
        rename_parameter (matcher, other, variable);
      }
}

static void
change_prefix (Matcher *matcher)
{
  g_auto (HybPrefixMatch) match = { 0 };
  HybFinding      *finding;
  g_autofree char *message = NULL;

  find_gaps (matcher);
  if (matcher->unused->len == 0 || matcher->missing->len == 0 ||
      !hyb_prefix_match_find (matcher->model, matcher->missing, matcher->unused, &match))
    return;
  if (match.rival)
    {
      hyb_rival_report (matcher->model, match.pairs, match.rival);
      return;
    }

  message = g_strdup_printf (_ ("parameters were renamed to fit the graph: “%s…” became “%s…”"),
                             match.remove, match.add);
  finding = add_note (matcher, "renamed-parameter", message);
  for (guint i = 0; i < match.pairs->len; i += 2)
    {
      add_name_item (finding, match.pairs->pdata[i], match.pairs->pdata[i + 1]);
      rename_parameter (matcher, match.pairs->pdata[i + 1], match.pairs->pdata[i]);
    }
}

static Matcher
make_matcher (HybModel *model)
{
  return (Matcher){
    .model = model,
    .graph = hyb_model_get_graph (model),
    .missing = g_ptr_array_new (),
    .unused = g_ptr_array_new_with_free_func (g_free),
  };
}

static void
clear_matcher (Matcher *matcher)
{
  g_ptr_array_unref (matcher->missing);
  g_ptr_array_unref (matcher->unused);
}

void
hyb_model_match_parameters (HybModel *model)
{
  Matcher matcher;

  g_return_if_fail (hyb_model_get_graph (model) != NULL);

  matcher = make_matcher (model);
  pack_weights (&matcher);
  unpack_vectors (&matcher);
  rename_statistics (&matcher);
  change_prefix (&matcher);
  rename_statistics (&matcher);
  clear_matcher (&matcher);
}

GPtrArray *
hyb_model_guess_parameters (HybModel *model, GPtrArray **rival)
{
  Matcher                 matcher = make_matcher (model);
  g_autofree const char **to = NULL;
  GPtrArray              *pairs = NULL;

  *rival = NULL;
  find_gaps (&matcher);
  to = g_new0 (const char *, matcher.unused->len + 1);
  if (matcher.unused->len >= 2 && matcher.missing->len >= matcher.unused->len &&
      (guint64) matcher.unused->len * matcher.missing->len < MAX_GUESSES &&
      hyb_match_in_order (model, matcher.missing, matcher.unused, to))
    {
      pairs = g_ptr_array_new_with_free_func (g_free);
      for (guint i = 0; i < matcher.unused->len; i++)
        {
          g_ptr_array_add (pairs, g_strdup (to[i]));
          g_ptr_array_add (pairs, g_strdup (matcher.unused->pdata[i]));
        }
      *rival = hyb_match_find_exchange (model, matcher.unused, to);
      if (!*rival)
        *rival = hyb_rival_find (model, pairs);
    }

  clear_matcher (&matcher);
  return pairs;
}
