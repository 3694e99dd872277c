/* match-parameters.c — matches parameters to the variables of a graph, where their names differ.
 *
 * In this order: RNN weights that are stored per gate are packed, running and moving statistics are
 * renamed, and a prefix that all names share is removed or added.  Every change is reported as a
 * finding.  Start at hyb_model_match_parameters().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/match-parameters.h"

#include "engine/doctor/diagnosis.h"
#include "engine/doctor/match-parameter-order.h"
#include "engine/doctor/unpack-weights.h"
#include "engine/formats/rnn-weights.h"

#include <string.h>

/* Limit of pairs of names that are compared. */
#define MAX_GUESSES 1000000
/* Limits of the search for a change of prefixes: parameters and variables that are compared, and
 * changes that are tried. */
#define MAX_SAMPLES   3
#define MAX_VARIABLES 2000
#define MAX_CHANGES   64

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
      matcher->packed = add_note (matcher,
                                  "packed-parameter",
                                  "the file holds the weights of a recurrent layer as several "
                                  "arrays, as cells and "
                                  "checkpoints have them; they were packed for the graph");
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

  message = g_strdup_printf ("“%s” cannot be packed: its part “%s” %s",
                             variable,
                             name,
                             tensor ? "does not fit the others" : "is missing");
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
                             hyb_rnn_mode_name (weights.mode),
                             weights.n_layers,
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
      finding = add_note (matcher,
                          "packed-parameter",
                          "the file holds the flat vector of a fused recurrent layer; it was "
                          "unpacked for the cells of the graph");
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
              add_note (matcher,
                        "renamed-parameter",
                        "statistics of batch normalisation are called running in one file and "
                        "moving in the other; they were renamed");
        add_name_item (finding, variable, other);
        rename_parameter (matcher, other, variable);
      }
}

/* A change of prefixes that turns names of parameters into names of variables. */
typedef struct
{
  char *remove, *add;
  guint n; /* parameters that become the name of a missing variable */
} PrefixChange;

static void
prefix_change_free (gpointer data)
{
  PrefixChange *change = data;

  g_free (change->remove);
  g_free (change->add);
  g_free (change);
}

/* The prefixes that remain when the longest common ending of both names is removed.  FALSE if they
 * have no ending of at least three characters in common. */
static gboolean
propose (const char *parameter, const char *variable, char **remove, char **add)
{
  gsize n_p = strlen (parameter), n_v = strlen (variable), common = 0;
  gsize cut;

  while (common < MIN (n_p, n_v) && parameter[n_p - common - 1] == variable[n_v - common - 1])
    common++;

  /* Names consist of words joined by “_” or “.”; the ending must start with a whole word. */
  for (cut = common; cut > 0; cut--)
    {
      gboolean starts_p = cut == n_p || strchr ("_.", parameter[n_p - cut - 1]);
      gboolean starts_v = cut == n_v || strchr ("_.", variable[n_v - cut - 1]);

      if (starts_p && starts_v)
        break;
    }
  if (cut < 3)
    return FALSE;

  *remove = g_strndup (parameter, n_p - cut);
  *add = g_strndup (variable, n_v - cut);
  return TRUE;
}

static char *
apply_change (const PrefixChange *change, const char *parameter)
{
  if (!g_str_has_prefix (parameter, change->remove))
    return NULL;

  return g_strconcat (change->add, parameter + strlen (change->remove), NULL);
}

static guint
count_hits (Matcher *matcher, const PrefixChange *change, GHashTable *missing)
{
  guint n = 0;

  for (guint i = 0; i < matcher->unused->len; i++)
    {
      g_autofree char *name = apply_change (change, matcher->unused->pdata[i]);

      n += name && g_hash_table_contains (missing, name);
    }
  return n;
}

/* The change that fits most names, or NULL.  Only the first few parameters are compared with the
 * variables, since a change that fits all parameters fits those as well.  (transfer full) */
static PrefixChange *
find_change (Matcher *matcher)
{
  g_autoptr (GHashTable) missing = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) tried = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  PrefixChange *best = NULL;

  for (guint i = 0; i < matcher->missing->len; i++)
    g_hash_table_add (missing, matcher->missing->pdata[i]);

  for (guint p = 0; p < MIN (matcher->unused->len, MAX_SAMPLES); p++)
    for (guint v = 0; v < MIN (matcher->missing->len, MAX_VARIABLES); v++)
      {
        PrefixChange *change = g_new0 (PrefixChange, 1);
        char         *id;

        if (!propose (matcher->unused->pdata[p],
                      matcher->missing->pdata[v],
                      &change->remove,
                      &change->add))
          {
            prefix_change_free (change);
            continue;
          }
        id = g_strconcat (change->remove, "\n", change->add, NULL);
        if (g_hash_table_add (tried, id) && g_hash_table_size (tried) < MAX_CHANGES)
          change->n = count_hits (matcher, change, missing);
        if (change->n > (best ? best->n : 0))
          {
            g_clear_pointer (&best, prefix_change_free);
            best = change;
          }
        else
          prefix_change_free (change);
      }

  return best;
}

/* TRUE if the names are evidence enough, since the change leaves no name over, or if the shapes of the
 * renamed arrays agree with the graph and the other arrays. */
static gboolean
is_credible (Matcher *matcher, const PrefixChange *change)
{
  g_autofree const char **to = g_new0 (const char *, matcher->unused->len + 1);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (change->n == matcher->unused->len && change->n == hyb_model_n_parameters (matcher->model))
    return TRUE;
  for (guint i = 0; i < matcher->unused->len; i++)
    {
      char *name = apply_change (change, matcher->unused->pdata[i]);

      g_ptr_array_add (names, name);
      to[i] = name ? name : matcher->unused->pdata[i];
    }
  return hyb_match_agrees (matcher->model, matcher->unused, to);
}

static void
change_prefix (Matcher *matcher)
{
  PrefixChange    *change;
  HybFinding      *finding;
  g_autofree char *message = NULL;

  find_gaps (matcher);
  if (matcher->unused->len == 0 || matcher->missing->len == 0)
    return;

  /* A change that fits fewer than three quarters of the names may be a coincidence. */
  change = find_change (matcher);
  if (!change || change->n * 4 < matcher->unused->len * 3 || !is_credible (matcher, change))
    {
      g_clear_pointer (&change, prefix_change_free);
      return;
    }

  message = g_strdup_printf ("parameters were renamed to fit the graph: “%s…” became “%s…”",
                             change->remove,
                             change->add);
  finding = add_note (matcher, "renamed-parameter", message);
  for (guint i = 0; i < matcher->unused->len; i++)
    {
      const char      *from = matcher->unused->pdata[i];
      g_autofree char *to = apply_change (change, from);

      if (!to || hyb_graph_find_variable (matcher->graph, to) == HYB_NO_ID ||
          hyb_model_get_parameter (matcher->model, to))
        continue;
      add_name_item (finding, to, from);
      rename_parameter (matcher, from, to);
    }
  prefix_change_free (change);
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
hyb_model_guess_parameters (HybModel *model)
{
  Matcher                 matcher = make_matcher (model);
  g_autofree const char **to = NULL;
  GPtrArray              *pairs = NULL;

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
    }

  clear_matcher (&matcher);
  return pairs;
}
