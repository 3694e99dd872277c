/* test-kept-attributes.c — a conversion keeps every attribute that changes numbers, or refuses it.
 *
 * The first table has a row for each attribute of the operator RNN, and a new attribute without a row is a
 * failure.  The second test changes each attribute of each kind of node in recurrent models: what is
 * converted must compute the same as the changed model.  Start at test_rnn().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/analysis/rewrite.h"
#include "engine/base/error.h"
#include "engine/formats/rnn-weights.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/proof/prove.h"
#include "tests/engine/variants/spelling-text.h"
#include "tests/program.h"

#include <string.h>

/* --- The operator RNN --- */

typedef struct
{
  const char *attribute;
  const char *attributes;    /* of a node that has it */
  const char *refusal;       /* what the error says besides the name of the node; NULL: converted */
  const char *fused_refusal; /* the same for one operator a layer */
} Row;

#define USUAL "state_size=4;state_outputs=True;"

static const Row rows[] = {
  { "mode", USUAL "mode=lstm;num_layers=1", NULL, NULL },
  { "mode", USUAL "mode=gru;num_layers=1", NULL, NULL },
  { "mode", USUAL "mode=rnn_relu;num_layers=1", NULL, NULL },
  { "mode", USUAL "mode=rnn_tanh;num_layers=1", NULL, NULL },
  { "state_size", "state_size=3;mode=lstm;num_layers=1", NULL, NULL },
  { "num_layers", USUAL "mode=gru;num_layers=3", NULL, NULL },
  { "bidirectional", USUAL "mode=lstm;num_layers=2;bidirectional=True", NULL, NULL },
  { "p", USUAL "mode=lstm;num_layers=2;p=0.25", NULL, NULL },
  { "state_outputs", "state_size=4;mode=lstm;num_layers=1;state_outputs=False", NULL, NULL },
  { "projection_size", USUAL "mode=lstm;num_layers=1;projection_size=2", NULL, NULL },
  { "lstm_state_clip_min",
    USUAL "mode=lstm;num_layers=1;lstm_state_clip_min=-0.2;lstm_state_clip_max=100", NULL,
    "_scalar), which no fused operator does" },
  { "lstm_state_clip_max",
    USUAL "mode=lstm;num_layers=1;lstm_state_clip_min=-inf;lstm_state_clip_max=0.2", NULL,
    "_scalar), which no fused operator does" },
  { "lstm_state_clip_nan",
    USUAL "mode=lstm;num_layers=1;lstm_state_clip_min=-9;lstm_state_clip_max=9;"
          "lstm_state_clip_nan=True",
    "lstm_state_clip_nan", "lstm_state_clip_nan" },
  { "use_sequence_length", USUAL "mode=gru;num_layers=1;use_sequence_length=True", NULL, NULL },
  { "use_sequence_length", USUAL "mode=lstm;num_layers=1;use_sequence_length=True", NULL, NULL },
  { "use_sequence_length", USUAL "mode=rnn_tanh;num_layers=2;use_sequence_length=True", NULL,
    NULL },
  { "use_sequence_length",
    USUAL "mode=lstm;num_layers=2;bidirectional=True;use_sequence_length=True", NULL, NULL },
};

#define RNN_STEPS 5

static void
add_array (HybTensorList *list, const char *name, HybType type, guint64 seed)
{
  g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, NULL);
  g_autoptr (HybTensor) flat = spelling_random (seed, hyb_tensor_get_size (tensor), 0);

  memcpy (hyb_tensor_get_data (tensor), hyb_tensor_get_data (flat), hyb_tensor_get_bytes (tensor));
  hyb_tensor_list_set (list, name, tensor);
}

/* The arrays that a model of one RNN reads: parameters of the model, and inputs. */
static void
add_values (HybModel *model, HybTensorList *input, const HybNode *node)
{
  gboolean      is_lstm = hyb_node_int (node, "mode", 0) == HYB_RNN_LSTM;
  gint64        projection = hyb_node_int (node, "projection_size", HYB_NONE);
  HybRnnWeights weights = { .mode = (HybRnnMode) hyb_node_int (node, "mode", 0),
                            .n_layers = (guint) hyb_node_int (node, "num_layers", 1),
                            .is_bidirectional = hyb_node_bool (node, "bidirectional"),
                            .hidden = hyb_node_int (node, "state_size", 0),
                            .projection = projection == HYB_NONE ? 0 : projection,
                            .input = WIDTH };
  gint64        n_rows = weights.n_layers * (weights.is_bidirectional ? 2 : 1);
  gint64        h_size = weights.projection > 0 ? weights.projection : weights.hidden;
  g_autoptr (HybTensor) packed = spelling_random (1, hyb_rnn_packed_size (&weights), 0);

  hyb_model_set_parameter (model, "rnn_parameters", packed);
  add_array (input, "data", (HybType){ hyb_shape_3d (RNN_STEPS, BATCH, WIDTH), HYB_F32 }, 2);
  add_array (input, "h", (HybType){ hyb_shape_3d (n_rows, BATCH, h_size), HYB_F32 }, 3);
  if (is_lstm)
    add_array (input, "c", (HybType){ hyb_shape_3d (n_rows, BATCH, weights.hidden), HYB_F32 }, 4);
  if (hyb_node_bool (node, "use_sequence_length"))
    {
      add_array (input, "lengths", (HybType){ hyb_shape_1d (BATCH), HYB_F32 }, 5);
      for (gint64 i = 0; i < BATCH; i++)
        hyb_dtype_set_double (hyb_tensor_get_data (hyb_tensor_list_find (input, "lengths")),
                              HYB_F32, (gsize) i, 1 + (double) i);
    }
}

/* (transfer full) */
static HybModel *
make_rnn (const char *attributes, HybTensorList *input)
{
  HybModel      *model = hyb_model_new ();
  HybBuilder    *builder = hyb_builder_new ();
  ModelText      text = { .model = model, .builder = builder };
  gboolean       is_lstm = strstr (attributes, "mode=lstm") != NULL;
  gboolean       has_lengths = strstr (attributes, "use_sequence_length=True") != NULL;
  HybValueId     inputs[5], first;
  const HybNode *node;
  guint          n = 0;
  g_autoptr (HybGraph) graph = NULL;

  inputs[n++] = hyb_builder_add_variable (builder, "data", NULL);
  inputs[n++] = hyb_builder_add_variable (builder, "rnn_parameters", NULL);
  inputs[n++] = hyb_builder_add_variable (builder, "h", NULL);
  if (is_lstm)
    inputs[n++] = hyb_builder_add_variable (builder, "c", NULL);
  if (has_lengths)
    inputs[n++] = hyb_builder_add_variable (builder, "lengths", NULL);
  first = spelling_call (&text, "RNN", n, inputs, attributes);
  node = hyb_builder_get_node (builder, hyb_builder_get_producer (builder, first));
  add_values (model, input, node);
  n = hyb_op_n_visible (node->op, node->params, node->n_outputs);
  for (guint i = 0; i < n; i++)
    hyb_builder_add_head (builder, first + i);
  graph = hyb_builder_freeze (builder);
  hyb_model_set_graph (model, graph);
  return model;
}

/* may_be_open: numbers need not reach all bounds. */
static HybVariant *
convert (HybModel *model, const HybConvertOptions *options, gboolean may_be_open, GError **error)
{
  HybVariant     *variant = hyb_variant_convert (model, options, error);
  HybProveOptions proving = { .input = options->input, .variant = variant };
  g_auto (HybProof) proof = { 0 };
  g_autoptr (GError) failure = NULL;

  if (!variant)
    return NULL;
  g_assert_true (hyb_prove (model, variant->model, &proving, &proof, &failure));
  g_assert_no_error (failure);
  g_assert_cmpint (proof.verdict, !=, HYB_PROOF_DIFFERENT);
  g_assert_true (proof.ok || may_be_open);
  return variant;
}

/* per_layer alone rewrites what is fused already. */
static void
check_row (const Row *row, HybForm form, gboolean per_layer)
{
  g_autoptr (HybTensorList) input = hyb_tensor_list_new ();
  g_autoptr (HybModel) model = make_rnn (row->attributes, input);
  HybConvertOptions options = { .form = form, .input = input, .per_layer = per_layer };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybVariant) variant =
      convert (model, &options, strstr (row->attributes, "_clip_") != NULL, &error);

  const char *refusal = per_layer ? row->fused_refusal : row->refusal;

  g_test_message ("%s, form %d%s", row->attributes, form, per_layer ? ", per layer" : "");
  if (!refusal)
    {
      g_assert_no_error (error);
      return;
    }
  g_assert_null (variant);
  if (!variant)
    g_assert_nonnull (strstr (error->message, refusal));
}

static void
test_rnn (void)
{
  const HybParam *table = hyb_op_find ("RNN")->params;

  for (; table->name; table++)
    {
      gboolean is_known = FALSE;

      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        is_known |= strcmp (rows[i].attribute, table->name) == 0;
      g_test_message ("%s", table->name);
      g_assert_true (is_known);
    }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      check_row (&rows[i], HYB_FORM_UNROLLED, FALSE);
      check_row (&rows[i], HYB_FORM_FOREACH, FALSE);
      check_row (&rows[i], HYB_FORM_WHILE, FALSE);
      check_row (&rows[i], HYB_FORM_FUSED, TRUE);
    }
}

/* --- Every attribute of every kind of node --- */

/* Another value of an attribute as text; NULL if there is no further one.  (transfer full) */
static char *
dup_other_value (const HybParam *param, guint attempt)
{
  static const char *const integers[] = { "0", "1", "2", "-1", "3" };
  static const char *const floats[] = { "0.25", "-0.5", "2" };
  static const char *const truths[] = { "True", "False" };
  static const char *const shapes[] = { "(0,)", "(1,)", "(1, 0)" };
  const char *const       *values = integers;
  guint                    n = G_N_ELEMENTS (integers);

  if (param->kind == HYB_PARAM_ENUM)
    return g_strdup (attempt < g_strv_length ((char **) param->choices) ? param->choices[attempt]
                                                                        : NULL);
  if (param->kind == HYB_PARAM_FLOAT || param->kind == HYB_PARAM_OPTIONAL_FLOAT)
    {
      values = floats;
      n = G_N_ELEMENTS (floats);
    }
  else if (param->kind == HYB_PARAM_BOOL || param->kind == HYB_PARAM_OPTIONAL_BOOL)
    {
      values = truths;
      n = G_N_ELEMENTS (truths);
    }
  else if (param->kind == HYB_PARAM_SHAPE || param->kind == HYB_PARAM_INTS)
    {
      values = shapes;
      n = G_N_ELEMENTS (shapes);
    }
  else if (param->kind != HYB_PARAM_INT && param->kind != HYB_PARAM_OPTIONAL_INT)
    n = 0;
  return g_strdup (attempt < n ? values[attempt] : NULL);
}

typedef struct
{
  const HybOp *op;
  const char  *key, *value;
  guint        only; /* which of the nodes of the operator; G_MAXUINT: all */
} Change;

/* The attributes of a node with one changed.  (transfer container) */
static GPtrArray *
changed_attributes (const HybNode *node, const Change *change)
{
  GPtrArray *pairs = g_ptr_array_new ();

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (strcmp (node->attributes[i], change->key) != 0)
      {
        g_ptr_array_add (pairs, (gpointer) node->attributes[i]);
        g_ptr_array_add (pairs, (gpointer) node->attributes[i + 1]);
      }
  g_ptr_array_add (pairs, (gpointer) change->key);
  g_ptr_array_add (pairs, (gpointer) change->value);
  g_ptr_array_add (pairs, NULL);
  return pairs;
}

/* Replaces a node; an error of the rewrite if the operator does not accept the value, or returns more or less with it. */
static void
add_changed (HybRewrite *rewrite, HybNodeId id, const Change *change)
{
  const HybNode *node = hyb_graph_get_node (rewrite->from, id);
  g_autoptr (GPtrArray) pairs = changed_attributes (node, change);
  guint n_before = hyb_builder_n_nodes (rewrite->builder);

  hyb_rewrite_replace (rewrite, id,
                       &(HybNodeSpec){ .op = node->op,
                                       .attributes = (const char *const *) pairs->pdata,
                                       .n_inputs = node->n_inputs,
                                       .inputs = hyb_rewrite_inputs (rewrite, id) });
  if (!rewrite->error &&
      hyb_builder_get_node (rewrite->builder, n_before)->n_outputs != node->n_outputs)
    g_set_error_literal (&rewrite->error, HYB_GRAPH_ERROR, 0, "another number of outputs");
}

/* A model with changed attributes; NULL if the operator does not accept them.  (transfer full) */
static HybModel *
change_model (HybModel *model, const Change *change)
{
  HybGraph *graph = hyb_model_get_graph (model);
  HybModel *changed;
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (HybGraph) made = NULL;
  HybRewrite rewrite;
  guint      n = 0;

  hyb_rewrite_init (&rewrite, graph, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (hyb_graph_get_node (graph, id)->op == change->op &&
        (n++ == change->only || change->only == G_MAXUINT))
      add_changed (&rewrite, id, change);
    else
      hyb_rewrite_copy (&rewrite, id);
  made = hyb_rewrite_finish (&rewrite, NULL);
  if (!made)
    return NULL;
  changed = hyb_model_new ();
  hyb_model_set_graph (changed, made);
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      hyb_model_set_parameter (changed, name, hyb_model_get_parameter (model, name));
    }
  return changed;
}

static gboolean
accepts (HybModel *model, HybTensorList *input)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_model_new_types (model);

  for (guint i = 0; i < hyb_tensor_list_n (input); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (input, i);
      HybNodeId             id = hyb_graph_find_variable (graph, entry->name);

      if (id != HYB_NO_ID)
        types[hyb_graph_get_node (graph, id)->first_output] = *hyb_tensor_get_type (entry->tensor);
    }
  return hyb_infer_types (graph, types, NULL, FALSE, NULL);
}

/* What masks and modes the nodes of Dropout have, and how often.  (transfer full) */
static char *
describe_dropout (HybGraph *graph)
{
  gboolean is_always = FALSE, has_axes = FALSE;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      const char    *axes = hyb_node_get_attribute (node, "axes");

      if (hyb_node_kind (node) != HYB_KIND_DROPOUT)
        continue;
      is_always |= hyb_node_int (node, "mode", 0) == 1;
      has_axes |= axes && strpbrk (axes, "0123456789");
    }
  return g_strdup_printf ("%d %d", is_always, has_axes);
}

static void
check_changed (HybModel *base, HybTensorList *input, const Change *change)
{
  g_autoptr (HybModel) model = change_model (base, change);

  if (!model || !accepts (model, input))
    return;
  for (guint form = 0; form < HYB_N_FORMS; form++)
    {
      HybConvertOptions options = { .form = (HybForm) form, .input = input };
      HybProveOptions   proving = { .input = input };
      g_auto (HybProof) proof = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (HybVariant) variant = hyb_variant_convert (model, &options, NULL);
      g_autofree char *before = describe_dropout (hyb_model_get_graph (model));
      g_autofree char *after = NULL;

      if (!variant)
        continue;
      proving.variant = variant;
      g_test_message ("%s %s=%s, form %u", change->op->name, change->key, change->value, form);
      after = describe_dropout (hyb_model_get_graph (variant->model));
      if (change->op == hyb_op_find ("Dropout") && form == HYB_FORM_FUSED)
        g_assert_cmpstr (before, ==, after);
      if (strcmp (change->value, "always") == 0)
        continue;
      if (hyb_prove (model, variant->model, &proving, &proof, &error))
        g_assert_true (proof.ok);
    }
}

static void
check_all_changes (HybModel *base, HybTensorList *input)
{
  HybGraph *graph = hyb_model_get_graph (base);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (hyb_node_is_variable (node) || !node->op->params || node->n_bodies > 0 ||
          !g_hash_table_add (seen, (gpointer) node->op))
        continue;
      for (const HybParam *param = node->op->params; param->name; param++)
        for (guint attempt = 0;; attempt++)
          {
            g_autofree char *value = dup_other_value (param, attempt);

            if (!value)
              break;
            check_changed (base, input, &(Change){ node->op, param->name, value, G_MAXUINT });
            check_changed (base, input, &(Change){ node->op, param->name, value, 0 });
          }
    }
}

static void
test_spelling (gconstpointer data)
{
  g_autoptr (HybModel) model = spelling_write (GPOINTER_TO_UINT (data), FALSE, FALSE);
  g_autoptr (HybTensorList) input = spelling_input ();

  check_all_changes (model, input);
}

/* Layers in both directions with dropout between them. */
static void
test_layers (void)
{
  g_autoptr (HybTensorList) input = hyb_tensor_list_new ();
  g_autoptr (HybModel) fused =
      make_rnn (USUAL "mode=lstm;num_layers=2;bidirectional=True;p=0.25", input);
  HybConvertOptions options = { .form = HYB_FORM_UNROLLED, .input = input };
  g_autoptr (HybVariant) unrolled = hyb_variant_convert (fused, &options, NULL);

  check_all_changes (unrolled->model, input);
}

TEST_PROGRAM (test_kept_attributes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/engine/variants/kept-attributes/rnn", test_rnn);
  g_test_add_func ("/engine/variants/kept-attributes/layers", test_layers);
  for (guint i = 0; spelling_get (i); i++)
    {
      g_autofree char *name =
          g_strconcat ("/engine/variants/kept-attributes/nodes/", spelling_get (i)->name, NULL);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_spelling);
    }
  return g_test_run ();
}
