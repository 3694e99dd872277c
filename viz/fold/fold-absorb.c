/* fold-absorb.c — assigns operators whose names belong to no cell to the cell that they work for.
 *
 * MXNet only numbers the operators that Python's + and * make: "_plus0", "_mul3".  Such an operator
 * between the steps of a chain, reading from step t and feeding t or a later step, belongs to the
 * latest cell that feeds it.  After the last step there is no later cell; there an operator belongs
 * to the cell if an equal operator with equal inputs belongs to an earlier cell.  Operators that are
 * attached to one step only, in the same way on nearly every step, belong to their steps too.
 * Start reading at viz_names_absorb().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include <string.h>

/* VizChainStep.chain of a box that is connected to chains which cannot be layers of one grid */
#define MIXED G_MAXUINT32
/* Longest path of attached operators that is absorbed into a step */
#define ROUNDS 4

typedef struct
{
  const VizNames *names;
  guint32         n;                 /* boxes */
  guint32        *first_in, *tails;  /* tails of the arrows into box i, from first_in[i] on */
  guint32        *first_out, *heads; /* heads of the arrows out of box i, from first_out[i] on */
  guint32        *order;             /* boxes, tails before heads; without boxes on cycles */
  guint32         n_order;
  const VizChainStep *places;   /* per box, by name */
  VizChainStep       *source;   /* per box: the latest cell that feeds it, directly or not */
  VizChainStep       *target;   /* per box: the earliest cell that it feeds, directly or not */
  VizChainStep       *current;  /* places, with the boxes absorbed so far */
  guint32            *absorbed; /* the result */
} Absorb;

/* Groups the arrows by head (by_head: the values are tails) or by tail (the values are heads). */
static void
index_arrows (const VizDiagramBuilder *builder,
              guint32                  n,
              gboolean                 by_head,
              guint32                **first_out,
              guint32                **ends_out)
{
  guint32  n_arrows = viz_diagram_builder_n_arrows (builder);
  guint32 *first = g_new0 (guint32, n + 2), *ends = g_new (guint32, n_arrows + 1);

  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint32 i = 0; i < n_arrows; i++)
        {
          const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);
          guint32         row = by_head ? arrow->head : arrow->tail;

          if (arrow->kind == VIZ_ARROW_FEEDBACK)
            continue;
          if (pass == 0)
            first[row + 2]++;
          else
            ends[first[row + 1]++] = by_head ? arrow->tail : arrow->head;
        }
      for (guint32 i = 0; pass == 0 && i < n; i++)
        first[i + 2] += first[i + 1];
    }
  *first_out = first;
  *ends_out = ends;
}

/* Sorts the boxes topologically.  Boxes on a cycle, and behind one, are left out: they are not
 * absorbed. */
static void
sort_boxes (Absorb *absorb)
{
  g_autofree guint32 *waiting = g_new (guint32, absorb->n);

  for (guint32 i = 0; i < absorb->n; i++)
    {
      waiting[i] = absorb->first_in[i + 1] - absorb->first_in[i];
      if (waiting[i] == 0)
        absorb->order[absorb->n_order++] = i;
    }
  for (guint32 done = 0; done < absorb->n_order; done++)
    for (guint32 k = absorb->first_out[absorb->order[done]];
         k < absorb->first_out[absorb->order[done] + 1];
         k++)
      if (--waiting[absorb->heads[k]] == 0)
        absorb->order[absorb->n_order++] = absorb->heads[k];
}

/* Chains of equal length may be layers of one grid. */
static gboolean
may_be_layers (const Absorb *absorb, guint32 a, guint32 b)
{
  const VizChain *left = &g_array_index (absorb->names->chains, VizChain, a - 1);
  const VizChain *right = &g_array_index (absorb->names->chains, VizChain, b - 1);

  return left->n_steps == right->n_steps && left->first == right->first;
}

/* Replaces sum by place if that is later (latest) or earlier (!latest). */
static void
combine (const Absorb *absorb, VizChainStep *sum, const VizChainStep *place, gboolean latest)
{
  if (place->chain == 0 || sum->chain == MIXED)
    return;
  if (place->chain == MIXED ||
      (sum->chain != 0 && !may_be_layers (absorb, sum->chain, place->chain)))
    sum->chain = MIXED;
  else if (sum->chain == 0 || (latest ? place->step > sum->step ||
                                            (place->step == sum->step && place->chain > sum->chain)
                                      : place->step < sum->step))
    *sum = *place;
}

/* Fills source from the first box to the last, then target from the last to the first. */
static void
find_sources_and_targets (Absorb *absorb)
{
  for (guint32 i = 0; i < absorb->n_order; i++)
    {
      guint32 box = absorb->order[i];

      for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
        {
          guint32 tail = absorb->tails[k];

          combine (absorb,
                   &absorb->source[box],
                   absorb->places[tail].chain != 0 ? &absorb->places[tail] : &absorb->source[tail],
                   TRUE);
        }
    }
  for (guint32 i = absorb->n_order; i-- > 0;)
    {
      guint32 box = absorb->order[i];

      for (guint32 k = absorb->first_out[box]; k < absorb->first_out[box + 1]; k++)
        {
          guint32 head = absorb->heads[k];

          combine (absorb,
                   &absorb->target[box],
                   absorb->places[head].chain != 0 ? &absorb->places[head] : &absorb->target[head],
                   FALSE);
        }
    }
}

static gboolean
is_one_step (const VizChainStep *place)
{
  return place->chain != 0 && place->chain != MIXED;
}

static void
assign (Absorb *absorb, guint32 box, const VizChainStep *place)
{
  const VizChain *chain = &g_array_index (absorb->names->chains, VizChain, place->chain - 1);

  absorb->absorbed[box] = chain->cells[place->step];
  absorb->current[box] = *place;
}

static const char *
title_of (const Absorb *absorb, guint32 box)
{
  const char *title = viz_diagram_builder_box (absorb->names->builder, box)->title;

  return title ? title : "";
}

/* Equal for boxes of different steps that do the same: the chain, the operator, and the operators
 * that feed it. */
static char *
signature (const Absorb *absorb, guint32 box, guint32 chain)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "%u\n%s", chain, title_of (absorb, box));
  for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
    g_string_append_printf (text, "\n%s", title_of (absorb, absorb->tails[k]));
  return g_string_free (text, FALSE);
}

static gboolean
is_weight (const Absorb *absorb, guint32 box)
{
  return (viz_diagram_builder_box (absorb->names->builder, box)->flags & VIZ_BOX_FOLDED) != 0;
}

/* Whether all inputs of a box except weights come from step last or the step before it. */
static gboolean
is_fed_by_last_steps (const Absorb *absorb, guint32 box, guint32 last)
{
  for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
    {
      const VizChainStep *place = &absorb->current[absorb->tails[k]];

      if (is_weight (absorb, absorb->tails[k]))
        continue;
      if (!is_one_step (place) || place->step + 1 < last)
        return FALSE;
    }
  return TRUE;
}

/* Whether that step feeds a box directly.  FALSE for what follows an operator that collects all
 * steps, as stack does. */
static gboolean
is_fed_by_step (const Absorb *absorb, guint32 box, guint32 step)
{
  for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
    {
      const VizChainStep *place = &absorb->current[absorb->tails[k]];

      if (is_one_step (place) && place->step == step)
        return TRUE;
    }
  return FALSE;
}

static void
absorb_members (Absorb *absorb, const guint8 *is_member)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 i = 0; i < absorb->n_order; i++)
    {
      guint32       box = absorb->order[i];
      VizChainStep *source = &absorb->source[box], *target = &absorb->target[box];

      if (!is_member[box] || absorb->places[box].chain != 0 || !is_one_step (source) ||
          !is_one_step (target) || target->step < source->step ||
          !may_be_layers (absorb, source->chain, target->chain) ||
          !is_fed_by_step (absorb, box, source->step))
        continue;
      assign (absorb, box, source);
      g_hash_table_add (known, signature (absorb, box, source->chain));
    }
  for (guint32 i = 0; i < absorb->n_order; i++)
    {
      guint32          box = absorb->order[i];
      VizChainStep    *source = &absorb->source[box];
      g_autofree char *same = NULL;

      if (!is_member[box] || absorb->places[box].chain != 0 || absorb->absorbed[box] != 0 ||
          !is_one_step (source) || absorb->target[box].chain != 0 ||
          source->step + 1 !=
              g_array_index (absorb->names->chains, VizChain, source->chain - 1).n_steps ||
          !is_fed_by_last_steps (absorb, box, source->step))
        continue;
      same = signature (absorb, box, source->chain);
      if (g_hash_table_contains (known, same))
        assign (absorb, box, source);
    }
}

/* The step of all inputs (fed) or all outputs (!fed) of a box; chain 0 if they are not of one step. */
static VizChainStep
only_step (const Absorb *absorb, guint32 box, gboolean fed)
{
  const guint32 *first = fed ? absorb->first_in : absorb->first_out;
  const guint32 *ends = fed ? absorb->tails : absorb->heads;
  VizChainStep   only = { 0, 0 };

  for (guint32 k = first[box]; k < first[box + 1]; k++)
    {
      const VizChainStep *place = &absorb->current[ends[k]];

      if (fed && is_weight (absorb, ends[k]))
        continue;
      if (!is_one_step (place) ||
          (only.chain != 0 &&
           (place->step != only.step || !may_be_layers (absorb, only.chain, place->chain))))
        return (VizChainStep){ 0, 0 };
      if (only.chain == 0 || place->chain > only.chain)
        only = *place;
    }
  return only;
}

/* Absorbs operators that are connected to one step only, if at least 80 % of the steps have an equal
 * one: "expand_dims3" after step 3.  Returns whether there were any. */
static gboolean
absorb_attached (Absorb *absorb, const guint8 *is_member, gboolean fed)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean any = FALSE;

  for (guint pass = 0; pass < 2; pass++)
    for (guint32 i = 1; i < absorb->n; i++)
      {
        g_autofree char *same = NULL;
        VizChainStep     place;
        guint            n_steps, n_same;

        if (!is_member[i] || absorb->current[i].chain != 0 || is_weight (absorb, i))
          continue;
        place = only_step (absorb, i, fed);
        if (place.chain == 0)
          continue;
        same = signature (absorb, i, place.chain);
        n_same = GPOINTER_TO_UINT (g_hash_table_lookup (counts, same));
        n_steps = g_array_index (absorb->names->chains, VizChain, place.chain - 1).n_steps;
        if (pass == 0)
          g_hash_table_replace (counts, g_steal_pointer (&same), GUINT_TO_POINTER (n_same + 1));
        else if (n_steps > 1 && n_same * 10 >= n_steps * 8)
          {
            assign (absorb, i, &place);
            any = TRUE;
          }
      }
  return any;
}

guint32 *
viz_names_absorb (const VizNames *names, const VizChainStep *places)
{
  guint32            n = names->n_boxes;
  g_autofree guint8 *is_member = g_new0 (guint8, n);
  Absorb             absorb = {
                .names = names,
                .n = n,
                .order = g_new (guint32, n),
                .places = places,
                .source = g_new0 (VizChainStep, n),
                .target = g_new0 (VizChainStep, n),
                .current = g_memdup2 (places, n * sizeof *places),
                .absorbed = g_new0 (guint32, n),
  };

  for (guint m = 0; m < names->members->len; m++)
    is_member[g_array_index (names->members, guint32, m)] = TRUE;
  index_arrows (names->builder, n, TRUE, &absorb.first_in, &absorb.tails);
  index_arrows (names->builder, n, FALSE, &absorb.first_out, &absorb.heads);
  sort_boxes (&absorb);
  find_sources_and_targets (&absorb);
  absorb_members (&absorb, is_member);
  for (guint round = 0; round < ROUNDS && (absorb_attached (&absorb, is_member, TRUE) ||
                                           absorb_attached (&absorb, is_member, FALSE));
       round++)
    ;
  g_free (absorb.first_in);
  g_free (absorb.tails);
  g_free (absorb.first_out);
  g_free (absorb.heads);
  g_free (absorb.order);
  g_free (absorb.current);
  g_free (absorb.source);
  g_free (absorb.target);
  return absorb.absorbed;
}
