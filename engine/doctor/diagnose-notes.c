/* diagnose-notes.c — notes on limitations and differences of MXNet 1.9.1.
 *
 * Such a model is correct, but its results may differ from MXNet's.  A note is a row of the table
 * notes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/base/translate.h"

#include <string.h>

/* A node and its surroundings. */
typedef struct
{
  HybGraph      *graph;
  const HybNode *node;
  const HybNode *around; /* the innermost node whose body it is in; NULL in the main graph */
} NodePlace;

static gboolean
is_true (const HybNode *node, const char *key)
{
  const char *text = hyb_node_get_attribute (node, key);

  return text && (g_ascii_strcasecmp (text, "true") == 0 || strcmp (text, "1") == 0);
}

/* Recurrent layers ignore sequence lengths on the CPU; the other operators that have this attribute
 * (SequenceMask, SequenceLast, SequenceReverse) respect them. */
static gboolean
has_lengths (const NodePlace *place)
{
  return hyb_params_find (place->node->op->params, "state_size") &&
         is_true (place->node, "use_sequence_length");
}

static gboolean
clips_states (const NodePlace *place)
{
  const char *text = hyb_node_get_attribute (place->node, "lstm_state_clip_min");

  return text && strcmp (text, "None") != 0;
}

/* Control flow is recognised by its number of bodies: one for foreach, two for a while loop, three
 * for a condition. */
static gboolean
is_in_foreach (const NodePlace *place)
{
  return place->around && place->around->n_bodies == 1 &&
         place->around->op->category == HYB_CATEGORY_CONTROL;
}

static gboolean
is_choice_in_foreach (const NodePlace *place)
{
  return is_in_foreach (place) && place->node->n_bodies >= 2;
}

static gboolean
is_while (const NodePlace *place)
{
  return place->node->n_bodies == 2;
}

static gboolean
is_random_in_foreach (const NodePlace *place)
{
  HybOpFlags dropout = HYB_OP_RANDOM | HYB_OP_TRAINING_DEPENDENT;

  return is_in_foreach (place) && place->node->n_bodies == 0 &&
         (place->node->op->flags & dropout) == dropout;
}

static const struct
{
  const char *code;
  gboolean (*applies) (const NodePlace *place);
  const char *message, *hint;
} notes[] = {
  { "mxnet-differs", has_lengths,
    N_ ("MXNet 1.9.1 ignores the sequence lengths of recurrent layers on the CPU"),
    N_ ("Its outputs past a sequence’s length differ from those computed here; compare on a GPU, "
        "or "
        "mask them") },
  { "mxnet-cannot-run", clips_states, N_ ("MXNet 1.9.1 clips the states of an LSTM on GPUs only"),
    NULL },
  { "mxnet-cannot-run", is_choice_in_foreach,
    N_ ("MXNet 1.9.1 cannot run a condition or a while loop inside a foreach"),
    N_ ("Replace the condition by “where” to run the model there") },
  { "mxnet-cannot-train", is_while, N_ ("MXNet 1.9.1 cannot train a hybridized while loop"),
    N_ ("Train it there imperatively or as a bound symbol") },
  { "mxnet-differs", is_random_in_foreach,
    N_ ("dropout inside a foreach does nothing when MXNet 1.9.1 trains the graph as a bound "
        "symbol"),
    N_ ("Train it there as a hybridized block") },
};

typedef struct
{
  HybDiagnosis *diagnosis;
  HybFinding   *findings[G_N_ELEMENTS (notes)];
} Notes;

/* shown: the node of the main graph that findings point at. */
static void
note_node (Notes *all, const NodePlace *place, HybNodeId shown)
{
  for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
    {
      if (!notes[i].applies (place))
        continue;
      if (!all->findings[i])
        all->findings[i] =
            hyb_diagnosis_report (all->diagnosis,
                                  &(DiagnosisIssue){ HYB_SEVERITY_NOTE, notes[i].code, shown,
                                                     notes[i].hint ? _ (notes[i].hint) : NULL },
                                  "%s", _ (notes[i].message));
      hyb_diagnosis_add_node (all->findings[i], place->node);
    }
}

static void
note_graph (Notes *all, HybGraph *graph, const HybNode *around, HybNodeId outer)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      NodePlace        place = { graph, hyb_graph_get_node (graph, id), around };
      HybNodeId        shown = outer == HYB_NO_ID ? id : outer;
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      if (hyb_node_is_variable (place.node))
        continue;
      note_node (all, &place, shown);
      for (guint b = 0; b < place.node->n_bodies; b++)
        note_graph (all, bodies[b], place.node, shown);
    }
}

void
hyb_diagnose_differences (HybDiagnosis *diagnosis)
{
  Notes all = { .diagnosis = diagnosis };

  note_graph (&all, diagnosis->graph, NULL, HYB_NO_ID);
}
