/* test-fold-hints.c — tests folding of cells that the caller knows.
 *
 * The boxes have names as MXNet makes them up, so that nothing but the hints tells the steps.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "viz/diagram/short-names.h"
#include "viz/fold/fold.h"

#define MAX_BOXES 256

/* A diagram under construction, and the places of its boxes. */
typedef struct
{
  VizDiagramBuilder *builder;
  VizFoldPlace       places[MAX_BOXES];
  guint32            n;
} Net;

static guint32
add (Net *net, VizBoxKind kind, const char *title, VizFoldPlace place)
{
  g_autofree char *name = g_strdup_printf ("%s%u", title, net->n);
  guint32          box = viz_diagram_builder_add_box (net->builder, &(VizBoxInfo){ .id = name,
                                                                                   .title = title,
                                                                                   .subtitle = name,
                                                                                   .kind = kind });

  net->places[box] = place;
  net->n++;
  return box;
}

static void
connect_boxes (Net *net, guint32 tail, guint32 head)
{
  viz_diagram_builder_add_arrow (net->builder, &(VizArrowInfo){ .tail = tail, .head = head });
}

static guint32
add_after (Net *net, const char *title, VizFoldPlace place, guint32 tail)
{
  guint32 box = add (net, VIZ_BOX_OPERATOR, title, place);

  connect_boxes (net, tail, box);
  return box;
}

/* Adds a chain of two operators a step that reads from one box, and returns the last operator of each
 * step in the order of time. */
static void
add_cells (Net *net, guint32 chain, const VizFoldChain *hint, guint32 from, guint32 *out)
{
  guint   n_steps = hint->n_steps;
  guint32 zeros = add (net, VIZ_BOX_OPERATOR, "_zeros", (VizFoldPlace){ 0, 0 }), state = zeros;

  for (guint turn = 0; turn < n_steps; turn++)
    {
      guint32      step = hint->is_backward ? n_steps - 1 - turn : turn;
      VizFoldPlace place = { chain, step };
      guint32      dense = add_after (net, "dense", place, from);

      connect_boxes (net, state, dense);
      state = out[step] = add_after (net, "tanh", place, dense);
    }
}

static VizDiagram *
fold (Net *net, const VizFoldChain *chains, guint32 n_chains)
{
  VizFoldHints hints = { net->places, MAX_BOXES, chains, n_chains };

  viz_fold (net->builder, VIZ_FOLD_ALL, &hints);
  return viz_diagram_builder_freeze (net->builder);
}

static const VizBox *
cell_of (const VizDiagram *diagram, guint32 box)
{
  return viz_diagram_box (diagram, viz_diagram_box (diagram, box)->parent);
}

static void
test_two_directions_are_two_lanes (void)
{
  static const VizFoldChain chains[] = { { "LSTM", 6, 0, FALSE }, { "LSTM", 6, 0, TRUE } };
  Net                       net = { .builder = viz_diagram_builder_new (NULL), .n = 1 };
  guint32                   split = add (&net, VIZ_BOX_OPERATOR, "split", (VizFoldPlace){ 0, 0 });
  guint32                   forward[6], backward[6], joined[6], stack;
  g_autoptr (VizDiagram) diagram = NULL;

  add_cells (&net, 1, &chains[0], split, forward);
  add_cells (&net, 2, &chains[1], split, backward);
  stack = add (&net, VIZ_BOX_OPERATOR, "stack", (VizFoldPlace){ 0, 0 });
  for (guint t = 0; t < 6; t++)
    {
      joined[t] = add_after (&net, "concat", (VizFoldPlace){ 0, 0 }, forward[t]);
      connect_boxes (&net, backward[t], joined[t]);
      connect_boxes (&net, joined[t], stack);
    }
  diagram = fold (&net, chains, 2);
  for (guint t = 0; t < 6; t++)
    {
      g_assert_cmpint (cell_of (diagram, forward[t])->step, ==, (gint32) t);
      g_assert_cmpint (cell_of (diagram, forward[t])->layer, ==, 0);
      g_assert_cmpint (cell_of (diagram, backward[t])->step, ==, (gint32) t);
      g_assert_cmpint (cell_of (diagram, backward[t])->layer, ==, 1);
      /* What joins the directions at a step belongs to this step. */
      g_assert_cmpint (cell_of (diagram, joined[t])->step, ==, (gint32) t);
    }
  g_assert_cmpuint (cell_of (diagram, forward[0])->parent, ==,
                    cell_of (diagram, backward[0])->parent);
  g_assert_cmpstr (viz_diagram_box (diagram, cell_of (diagram, forward[0])->parent)->title, ==,
                   "BiLSTM × 6 steps");
  g_assert_cmpuint (viz_diagram_box (diagram, split)->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, stack)->parent, ==, VIZ_ROOT);
}

/* A decoder: each step reads all of the encoded sentence, and what it found there in the step before. */
static void
test_attention_belongs_to_its_step (void)
{
  static const VizFoldChain chains[] = { { "GRU", 10, 0, FALSE } };
  Net                       net = { .builder = viz_diagram_builder_new (NULL), .n = 1 };
  guint32                   encoded = add (&net, VIZ_BOX_OPERATOR, "stack", (VizFoldPlace){ 0, 0 });
  guint32                   words = add (&net, VIZ_BOX_OPERATOR, "split", (VizFoldPlace){ 0, 0 });
  guint32 context = add (&net, VIZ_BOX_OPERATOR, "_zeros", (VizFoldPlace){ 0, 0 });
  guint32 state = add (&net, VIZ_BOX_OPERATOR, "_zeros", (VizFoldPlace){ 0, 0 });
  guint32 first_context = context, score[10], context_of[10], read[10], stack;
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint t = 0; t < 10; t++)
    {
      guint32 dense;

      read[t] = add_after (&net, "concat", (VizFoldPlace){ 0, 0 }, words);
      connect_boxes (&net, context, read[t]);
      dense = add_after (&net, "dense", (VizFoldPlace){ 1, t }, read[t]);
      connect_boxes (&net, state, dense);
      state = add_after (&net, "tanh", (VizFoldPlace){ 1, t }, dense);
      score[t] = add_after (&net, "batch_dot", (VizFoldPlace){ 0, 0 }, encoded);
      connect_boxes (&net, state, score[t]);
      context = context_of[t] = add_after (&net, "softmax", (VizFoldPlace){ 0, 0 }, score[t]);
    }
  stack = add (&net, VIZ_BOX_OPERATOR, "stack", (VizFoldPlace){ 0, 0 });
  for (guint t = 0; t < 10; t++)
    connect_boxes (&net, context_of[t], stack);
  diagram = fold (&net, chains, 1);
  for (guint t = 0; t < 10; t++)
    {
      g_assert_cmpint (cell_of (diagram, score[t])->step, ==, (gint32) t);
      g_assert_cmpint (cell_of (diagram, context_of[t])->step, ==, (gint32) t);
      g_assert_cmpint (cell_of (diagram, read[t])->step, >=, 0);
    }
  g_assert_cmpint (cell_of (diagram, first_context)->step, ==, 0);
  g_assert_cmpuint (viz_diagram_box (diagram, encoded)->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, words)->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, stack)->parent, ==, VIZ_ROOT);
}

/* As zoneout's output: where (mask, output of the step before, h of this step). */
static void
test_a_carried_value_belongs_to_its_step (void)
{
  static const VizFoldChain chains[] = { { "LSTM", 8, 0, FALSE } };
  Net                       net = { .builder = viz_diagram_builder_new (NULL), .n = 1 };
  guint32                   split = add (&net, VIZ_BOX_OPERATOR, "split", (VizFoldPlace){ 0, 0 });
  guint32                   out[8], where[8], before;
  g_autoptr (VizDiagram) diagram = NULL;

  add_cells (&net, 1, &chains[0], split, out);
  before = add_after (&net, "zeros_like", (VizFoldPlace){ 0, 0 }, out[0]);
  for (guint t = 0; t < 8; t++)
    {
      where[t] = add_after (&net, "where", (VizFoldPlace){ 0, 0 }, before);
      connect_boxes (&net, out[t], where[t]);
      before = where[t];
    }
  diagram = fold (&net, chains, 1);
  for (guint t = 0; t < 8; t++)
    g_assert_cmpint (cell_of (diagram, where[t])->step, ==, (gint32) t);
}

/* As the mask of variational dropout: outside, it would lead out of the grid and back into it. */
static void
test_what_the_first_step_makes_for_all_stays_in_it (void)
{
  static const VizFoldChain chains[] = { { "LSTM", 8, 0, FALSE } };
  Net                       net = { .builder = viz_diagram_builder_new (NULL), .n = 1 };
  guint32                   split = add (&net, VIZ_BOX_OPERATOR, "split", (VizFoldPlace){ 0, 0 });
  guint32                   out[8], mask, masked[8];
  g_autoptr (VizDiagram) diagram = NULL;

  add_cells (&net, 1, &chains[0], split, out);
  mask = add_after (&net, "Dropout", (VizFoldPlace){ 0, 0 }, out[0]);
  for (guint t = 0; t < 8; t++)
    {
      masked[t] = add_after (&net, "mul", (VizFoldPlace){ 0, 0 }, out[t]);
      connect_boxes (&net, mask, masked[t]);
    }
  diagram = fold (&net, chains, 1);
  g_assert_cmpint (cell_of (diagram, mask)->step, ==, 0);
  for (guint t = 0; t < 8; t++)
    g_assert_cmpint (cell_of (diagram, masked[t])->step, ==, (gint32) t);
}

/* An input or output, whose title is its name. */
static guint32
add_end (Net *net, VizBoxKind kind, const char *format, guint step)
{
  g_autoptr (GString) name = g_string_new (format);

  g_string_replace (name, "#", (const char[]){ (char) ('0' + step), '\0' }, 0);
  net->n++;
  return viz_diagram_builder_add_box (net->builder, &(VizBoxInfo){ .id = name->str,
                                                                   .title = name->str,
                                                                   .kind = kind });
}

static const VizBox *
find_title (const VizDiagram *diagram, const char *title)
{
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (g_strcmp0 (viz_diagram_box (diagram, i)->title, title) == 0)
      return viz_diagram_box (diagram, i);
  return NULL;
}

/* Unrolled by hand: every step has an input, a label and an output of its own. */
static void
test_ends_of_each_step_are_one_box (void)
{
  static const VizFoldChain chains[] = { { "LSTM", 6, 0, FALSE } };
  Net                       net = { .builder = viz_diagram_builder_new (NULL), .n = 1 };
  guint32                   split = add (&net, VIZ_BOX_OPERATOR, "split", (VizFoldPlace){ 0, 0 });
  guint32                   begin = add_end (&net, VIZ_BOX_INPUT, "begin_#", 0), out[6], ends[6][3];
  g_autoptr (VizDiagram) diagram = NULL;
  static const char *const wholes[] = { "data × 6", "label × 6", "softmax × 6" };

  add_cells (&net, 1, &chains[0], split, out);
  connect_boxes (&net, begin, out[0]);
  for (guint t = 0; t < 6; t++)
    {
      guint32 loss = add_after (&net, "SoftmaxOutput", (VizFoldPlace){ 0, 0 }, out[t]);

      ends[t][0] = add_end (&net, VIZ_BOX_INPUT, "data/#", t);
      ends[t][1] = add_end (&net, VIZ_BOX_INPUT, "t#_label", t);
      ends[t][2] = add_end (&net, VIZ_BOX_OUTPUT, "net0_t#_softmax_output", t);
      connect_boxes (&net, ends[t][0], out[t]);
      connect_boxes (&net, ends[t][1], loss);
      connect_boxes (&net, loss, ends[t][2]);
    }
  diagram = fold (&net, chains, 1);
  for (guint t = 0; t < 6; t++)
    for (guint k = 0; k < 3; k++)
      g_assert_cmpint (cell_of (diagram, ends[t][k])->step, ==, (gint32) t);
  for (guint k = 0; k < 3; k++)
    {
      const VizBox *whole = find_title (diagram, wholes[k]);

      g_assert_nonnull (whole);
      g_assert_cmpuint (whole->parent, ==, VIZ_ROOT);
      g_assert_cmpint (whole->kind, ==, k == 2 ? VIZ_BOX_OUTPUT : VIZ_BOX_INPUT);
    }
  /* A state before the first step is no series. */
  g_assert_cmpuint (viz_diagram_box (diagram, begin)->parent, ==, VIZ_ROOT);
}

/* The first states of many cells are no series, but too many to be drawn one by one. */
static void
test_many_ends_of_a_chain_are_one_box (void)
{
  static const VizFoldChain chains[] = {
    { "LSTM", 6, 0, FALSE }, { "LSTM", 6, 0, TRUE }, { "LSTM", 6, 0, FALSE }, { "LSTM", 6, 0, TRUE }
  };
  static const struct
  {
    guint       n_states; /* of each layer */
    const char *formats[2], *title;
  } samples[] = {
    { 1, { "l#_begin_state_0", "l#_begin_state_1" }, NULL },
    { 2, { "l#_begin_state_0", "l#_begin_state_1" }, "begin_state × 8" },
    { 2, { "l#_c", "l#_h" }, "8 inputs" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      Net     net = { .builder = viz_diagram_builder_new (NULL), .n = 1 };
      guint32 split = add (&net, VIZ_BOX_OPERATOR, "split", (VizFoldPlace){ 0, 0 });
      guint32 state = VIZ_ROOT, out[6];
      g_autoptr (VizDiagram) diagram = NULL;

      for (guint layer = 0; layer < 4; layer++)
        {
          add_cells (&net, layer + 1, &chains[layer], split, out);
          for (guint k = 0; k < samples[i].n_states; k++)
            {
              state = add_end (&net, VIZ_BOX_INPUT, samples[i].formats[k], layer);
              connect_boxes (&net, state, out[0]);
            }
        }
      diagram = fold (&net, chains, 4);
      if (samples[i].title)
        g_assert_nonnull (find_title (diagram, samples[i].title));
      g_assert_cmpint (viz_diagram_box (diagram, state)->parent == VIZ_ROOT, ==, !samples[i].title);
    }
}

/* Beside each layer stands what tells it from the others, and cells only have the numbers of their steps. */
static void
test_layers_are_named_once (void)
{
  static const VizFoldChain chains[] = { { "LSTM", 6, 0, FALSE }, { "LSTM", 6, 0, TRUE } };

  for (guint n_layers = 1; n_layers <= 2; n_layers++)
    {
      Net     net = { .builder = viz_diagram_builder_new (NULL), .n = 1 };
      guint32 split = add (&net, VIZ_BOX_OPERATOR, "split", (VizFoldPlace){ 0, 0 }), out[6];
      guint32 n_headers = 0;
      g_autoptr (VizDiagram) diagram = NULL;

      for (guint layer = 0; layer < n_layers; layer++)
        {
          guint32 weight = add (&net, VIZ_BOX_WEIGHT, "weight", (VizFoldPlace){ 0, 0 });

          add_cells (&net, layer + 1, &chains[layer], split, out);
          for (guint t = 0; t < 6; t++)
            connect_boxes (&net, weight, out[t]);
        }
      diagram = fold (&net, chains, n_layers);
      for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
        {
          const VizBox *box = viz_diagram_box (diagram, i);

          if (box->flags & VIZ_BOX_HEADER)
            g_assert_cmpstr (box->title, ==,
                             n_layers == 1    ? "weights of all steps"
                             : n_headers == 0 ? "forward"
                                              : "backward");
          n_headers += (box->flags & VIZ_BOX_HEADER) != 0;
          if (box->step >= 0)
            {
              g_autofree char *name = viz_short_subtitle (diagram, i);

              g_assert_null (name);
            }
        }
      g_assert_cmpuint (n_headers, ==, n_layers);
    }
}

/* Hints come from a caller that may be wrong. */
static void
test_wrong_hints_are_ignored (void)
{
  static const VizFoldChain chains[] = { { "LSTM", 2, 0, FALSE } };
  Net                       net = { .builder = viz_diagram_builder_new (NULL), .n = 1 };
  guint32                   late = add (&net, VIZ_BOX_OPERATOR, "exp", (VizFoldPlace){ 1, 2 });
  guint32                   unknown = add (&net, VIZ_BOX_OPERATOR, "exp", (VizFoldPlace){ 7, 0 });
  g_autoptr (VizDiagram) diagram = fold (&net, chains, 1);

  g_assert_cmpuint (viz_diagram_box (diagram, late)->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, unknown)->parent, ==, VIZ_ROOT);
}

TEST_PROGRAM (test_fold_hints)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/fold/hints/two-directions-are-two-lanes",
                   test_two_directions_are_two_lanes);
  g_test_add_func ("/viz/fold/hints/attention-belongs-to-its-step",
                   test_attention_belongs_to_its_step);
  g_test_add_func ("/viz/fold/hints/a-carried-value-belongs-to-its-step",
                   test_a_carried_value_belongs_to_its_step);
  g_test_add_func ("/viz/fold/hints/what-the-first-step-makes-for-all-stays-in-it",
                   test_what_the_first_step_makes_for_all_stays_in_it);
  g_test_add_func ("/viz/fold/hints/inputs-and-outputs-of-each-step-are-one-box",
                   test_ends_of_each_step_are_one_box);
  g_test_add_func ("/viz/fold/hints/many-inputs-of-a-chain-are-one-box",
                   test_many_ends_of_a_chain_are_one_box);
  g_test_add_func ("/viz/fold/hints/layers-are-named-once", test_layers_are_named_once);
  g_test_add_func ("/viz/fold/hints/wrong-hints-are-ignored", test_wrong_hints_are_ignored);
  return g_test_run ();
}
