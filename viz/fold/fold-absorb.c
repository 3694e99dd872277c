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
/* Longest path of attached operators that is absorbed into a step; for hinted chains, whose steps are
 * certain, it may be longer */
#define ROUNDS        4
#define HINTED_ROUNDS 32
#define PASSES        3

typedef struct
{
  const VizNames *names;
  guint32         n;                 /* boxes */
  guint32        *first_in, *tails;  /* tails of the arrows into box i, from first_in[i] on */
  guint32        *first_out, *heads; /* heads of the arrows out of box i, from first_out[i] on */
  guint32        *order;             /* boxes, tails before heads; without boxes on cycles */
  guint32         n_order;
  VizChainStep   *places; /* per box: by name, or absorbed in an earlier pass */
  VizChainStep   *source; /* per box: the latest cell that feeds it, directly or not */
  VizChainStep   *target; /* per box: the earliest cell that it feeds, directly or not */
  guint64      *after; /* per box: the chains that feed it, directly or not, as bits (chain_bit) */
  VizChainStep *current;  /* places, with the boxes absorbed so far */
  guint32      *absorbed; /* the result */
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
         k < absorb->first_out[absorb->order[done] + 1]; k++)
      if (--waiting[absorb->heads[k]] == 0)
        absorb->order[absorb->n_order++] = absorb->heads[k];
}

static gboolean
is_one_step (const VizChainStep *place)
{
  return place->chain != 0 && place->chain != MIXED;
}

static const VizChain *
chain_of (const Absorb *absorb, const VizChainStep *place)
{
  return &g_array_index (absorb->names->chains, VizChain, place->chain - 1);
}

/* The bit of a chain in Absorb.after, which it shares with every 64th chain. */
static guint64
chain_bit (guint32 chain)
{
  return (guint64) 1 << (chain % 64);
}

/* The number of a step in the order in which its chain runs. */
static guint32
turn_of (const Absorb *absorb, const VizChainStep *place)
{
  const VizChain *chain = chain_of (absorb, place);

  return chain->is_backward ? chain->n_steps - 1 - place->step : place->step;
}

/* Whether a is later than b: runs after it in one chain, or belongs to a later time. */
static gboolean
is_later (const Absorb *absorb, const VizChainStep *a, const VizChainStep *b)
{
  return a->chain == b->chain ? turn_of (absorb, a) > turn_of (absorb, b) : a->step > b->step;
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
  else if (sum->chain == 0 || (latest ? is_later (absorb, place, sum) ||
                                            (place->step == sum->step && place->chain > sum->chain)
                                      : is_later (absorb, sum, place)))
    *sum = *place;
}

/* Whether a box collects the steps of a hinted chain, as stack does: it reads three of them, or all.
 * Its readers belong to no step. */
static gboolean
is_collector (const Absorb *absorb, guint32 box)
{
  VizChainStep seen[2] = { { 0, 0 }, { 0, 0 } };
  guint        n = 0;

  for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
    {
      guint32             tail = absorb->tails[k];
      const VizChainStep *place =
          absorb->places[tail].chain != 0 ? &absorb->places[tail] : &absorb->source[tail];

      if (!is_one_step (place) || !chain_of (absorb, place)->is_hinted ||
          (n > 0 && seen[0].step == place->step) || (n > 1 && seen[1].step == place->step))
        continue;
      if (n == 2)
        return TRUE;
      seen[n++] = *place;
    }
  return FALSE;
}

/* Fills source from the first box to the last, then target from the last to the first. */
static void
find_sources_and_targets (Absorb *absorb)
{
  memset (absorb->source, 0, absorb->n * sizeof *absorb->source);
  memset (absorb->target, 0, absorb->n * sizeof *absorb->target);
  for (guint32 i = 0; i < absorb->n_order; i++)
    {
      guint32 box = absorb->order[i];

      for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
        {
          guint32 tail = absorb->tails[k];

          absorb->after[box] |= absorb->after[tail];
          if (absorb->places[tail].chain != 0)
            absorb->after[box] |= chain_bit (absorb->places[tail].chain);
        }
      if (absorb->places[box].chain == 0 && is_collector (absorb, box))
        continue;
      for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
        {
          guint32 tail = absorb->tails[k];

          combine (absorb, &absorb->source[box],
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

          combine (absorb, &absorb->target[box],
                   absorb->places[head].chain != 0 ? &absorb->places[head] : &absorb->target[head],
                   FALSE);
        }
    }
}

static void
assign (Absorb *absorb, guint32 box, const VizChainStep *place)
{
  const VizChain *chain = chain_of (absorb, place);

  absorb->absorbed[box] = chain->cells[place->step];
  absorb->current[box] = *place;
}

/* The operator of a box.  The title of an input is its name, which differs from step to step. */
static const char *
title_of (const Absorb *absorb, guint32 box)
{
  const VizBox *shown = viz_diagram_builder_box (absorb->names->builder, box);

  return shown->title && shown->kind != VIZ_BOX_INPUT ? shown->title : "";
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

/* Whether a box is irrelevant to which step of chain its reader belongs: it is a weight, an input
 * that only this reader has, as the labels of one step, or a value that as many boxes read as there
 * are steps.  The steps themselves must not feed it. */
static gboolean
is_common (const Absorb *absorb, guint32 box, guint32 chain)
{
  guint32 n_steps = g_array_index (absorb->names->chains, VizChain, chain - 1).n_steps;
  guint32 n_out = absorb->first_out[box + 1] - absorb->first_out[box];

  if (absorb->current[box].chain != 0 || absorb->after[box] & chain_bit (chain))
    return FALSE;
  return is_weight (absorb, box) ||
         (n_out == 1 &&
          viz_diagram_builder_box (absorb->names->builder, box)->kind == VIZ_BOX_INPUT) ||
         (n_steps > 2 && n_out * 10 >= n_steps * 8);
}

/* Whether all inputs of a box except weights come from step last or the step before it. */
static gboolean
is_fed_by_last_steps (const Absorb *absorb, guint32 box, const VizChainStep *last)
{
  for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
    {
      const VizChainStep *place = &absorb->current[absorb->tails[k]];

      if (is_weight (absorb, absorb->tails[k]) ||
          (chain_of (absorb, last)->is_hinted && is_common (absorb, absorb->tails[k], last->chain)))
        continue;
      if (!is_one_step (place) || turn_of (absorb, place) + 1 < turn_of (absorb, last))
        return FALSE;
    }
  return TRUE;
}

/* Whether that step feeds a box directly.  FALSE for readers of an operator that collects all
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

/* The step of all inputs (fed) or all outputs (!fed) of a box; chain 0 if they are not of one step. */
static VizChainStep
only_step (const Absorb *absorb, guint32 box, gboolean fed)
{
  const guint32 *first = fed ? absorb->first_in : absorb->first_out;
  const guint32 *ends = fed ? absorb->tails : absorb->heads;
  VizChainStep   only = { 0, 0 };
  guint32        chain = 0; /* hinted */

  for (guint32 k = first[box]; fed && chain == 0 && k < first[box + 1]; k++)
    if (is_one_step (&absorb->current[ends[k]]) &&
        chain_of (absorb, &absorb->current[ends[k]])->is_hinted)
      chain = absorb->current[ends[k]].chain;
  for (guint32 k = first[box]; k < first[box + 1]; k++)
    {
      const VizChainStep *place = &absorb->current[ends[k]];

      if (fed &&
          (is_weight (absorb, ends[k]) || (chain != 0 && is_common (absorb, ends[k], chain))))
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

/* Equal for boxes of different steps with the same operator, whatever they read. */
static char *
brief_signature (const Absorb *absorb, guint32 box, guint32 chain)
{
  return g_strdup_printf ("%u %s %u", chain, title_of (absorb, box),
                          absorb->first_in[box + 1] - absorb->first_in[box]);
}

/* Absorbs boxes that only the first step of a hinted chain reads into it: an operator that the other
 * steps have too, with the initial state, and operators without inputs of their own, as zeros.  known:
 * signatures of what was absorbed. */
static void
absorb_beginnings (Absorb *absorb, const guint8 *is_member, GHashTable *known)
{
  for (guint32 i = absorb->n_order; i-- > 0;)
    {
      guint32          box = absorb->order[i];
      VizChainStep     place;
      g_autofree char *same = NULL;
      gboolean         is_alone = TRUE;

      if (!is_member[box] || absorb->current[box].chain != 0 || is_weight (absorb, box))
        continue;
      place = only_step (absorb, box, FALSE);
      if (place.chain == 0 || !chain_of (absorb, &place)->is_hinted ||
          turn_of (absorb, &place) != 0)
        continue;
      for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
        {
          const VizChainStep *from = &absorb->current[absorb->tails[k]];

          is_alone &= (from->chain == place.chain && from->step == place.step) ||
                      is_common (absorb, absorb->tails[k], place.chain);
        }
      same = brief_signature (absorb, box, place.chain);
      if (is_alone || g_hash_table_contains (known, same))
        assign (absorb, box, &place);
    }
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
          !is_one_step (target) || is_later (absorb, source, target) ||
          !may_be_layers (absorb, source->chain, target->chain) ||
          !is_fed_by_step (absorb, box, source->step))
        continue;
      assign (absorb, box, source);
      g_hash_table_add (known, signature (absorb, box, source->chain));
      g_hash_table_add (known, brief_signature (absorb, box, source->chain));
    }
  for (guint32 i = 0; i < absorb->n_order; i++)
    {
      guint32          box = absorb->order[i];
      VizChainStep    *source = &absorb->source[box];
      g_autofree char *same = NULL;

      if (!is_member[box] || absorb->places[box].chain != 0 || absorb->absorbed[box] != 0 ||
          !is_one_step (source) || absorb->target[box].chain != 0 ||
          turn_of (absorb, source) + 1 != chain_of (absorb, source)->n_steps ||
          !is_fed_by_last_steps (absorb, box, source))
        continue;
      same = signature (absorb, box, source->chain);
      if (g_hash_table_contains (known, same))
        {
          assign (absorb, box, source);
          g_hash_table_add (known, brief_signature (absorb, box, source->chain));
        }
    }
  absorb_beginnings (absorb, is_member, known);
}

/* The latest step of a hinted chain among the inputs of a box that carries a value of its own from step to
 * step, as a running sum: it reads this step directly, and through others only earlier ones.  Chain 0
 * if it does not. */
static VizChainStep
latest_step (const Absorb *absorb, guint32 box)
{
  VizChainStep latest = { 0, 0 };
  gboolean     is_direct = FALSE;

  for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
    {
      guint32             tail = absorb->tails[k];
      gboolean            is_placed = absorb->current[tail].chain != 0;
      const VizChainStep *place = is_placed ? &absorb->current[tail] : &absorb->source[tail];

      if (place->chain == 0 && absorb->after[tail] == 0)
        continue;
      if (!is_one_step (place) || !chain_of (absorb, place)->is_hinted ||
          (latest.chain != 0 && place->chain != latest.chain))
        return (VizChainStep){ 0, 0 };
      if (latest.chain == 0 || is_later (absorb, place, &latest))
        {
          latest = *place;
          is_direct = FALSE;
        }
      is_direct |= is_placed && place->step == latest.step;
    }
  return is_direct ? latest : (VizChainStep){ 0, 0 };
}

/* Which boxes absorb_attached() looks at. */
typedef enum
{
  ATTACHED_BEHIND,  /* all their inputs are of one step */
  ATTACHED_BEFORE,  /* all their outputs are */
  ATTACHED_CARRIED, /* latest_step() */
} Attached;

static VizChainStep
attached_step (const Absorb *absorb, guint32 box, Attached how)
{
  return how == ATTACHED_CARRIED ? latest_step (absorb, box)
                                 : only_step (absorb, box, how == ATTACHED_BEHIND);
}

/* Absorbs operators that are connected to one step only, if at least 80 % of the steps have an equal
 * one: "expand_dims3" after step 3.  loose: boxes that belong to no step.  Returns whether there were
 * any. */
static gboolean
absorb_attached (Absorb *absorb, const GArray *loose, Attached how)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean any = FALSE;

  for (guint pass = 0; pass < 2; pass++)
    for (guint n = 0; n < loose->len; n++)
      {
        guint32          i = g_array_index (loose, guint32, n);
        g_autofree char *same = NULL;
        VizChainStep     place;
        guint            n_steps, n_same;

        if (absorb->current[i].chain != 0)
          continue;
        place = attached_step (absorb, i, how);
        if (place.chain == 0)
          continue;
        same = how == ATTACHED_CARRIED ? brief_signature (absorb, i, place.chain)
                                       : signature (absorb, i, place.chain);
        n_same = GPOINTER_TO_UINT (g_hash_table_lookup (counts, same));
        n_steps = chain_of (absorb, &place)->n_steps;
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

/* Absorbs the boxes attached to steps, from the steps outwards.  Returns whether there was any. */
static gboolean
absorb_outwards (Absorb *absorb, const guint8 *is_member, gboolean is_hinted)
{
  g_autoptr (GArray) loose = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean any = TRUE, any_at_all = FALSE;

  for (guint32 i = 1; i < absorb->n; i++)
    if (is_member[i] && absorb->current[i].chain == 0 && !is_weight (absorb, i))
      g_array_append_val (loose, i);
  for (guint round = 0; any && round < (is_hinted ? HINTED_ROUNDS : ROUNDS); round++)
    {
      any = absorb_attached (absorb, loose, ATTACHED_BEHIND);
      any |= absorb_attached (absorb, loose, ATTACHED_BEFORE);
      if (!any && is_hinted)
        any = absorb_attached (absorb, loose, ATTACHED_CARRIED);
      any_at_all |= any;
    }
  return any_at_all;
}

guint32 *
viz_names_absorb (const VizNames *names, const VizChainStep *places)
{
  guint32            n = names->n_boxes;
  g_autofree guint8 *is_member = g_new0 (guint8, n);
  gboolean           any = TRUE, is_hinted = FALSE;
  Absorb             absorb = {
                .names = names,
                .n = n,
                .order = g_new (guint32, n),
                .places = g_memdup2 (places, n * sizeof *places),
                .source = g_new0 (VizChainStep, n),
                .target = g_new0 (VizChainStep, n),
                .after = g_new0 (guint64, n),
                .current = g_memdup2 (places, n * sizeof *places),
                .absorbed = g_new0 (guint32, n),
  };

  for (guint m = 0; m < names->members->len; m++)
    is_member[g_array_index (names->members, guint32, m)] = TRUE;
  index_arrows (names->builder, n, TRUE, &absorb.first_in, &absorb.tails);
  index_arrows (names->builder, n, FALSE, &absorb.first_out, &absorb.heads);
  sort_boxes (&absorb);
  for (guint c = 0; c < names->chains->len; c++)
    is_hinted |= g_array_index (names->chains, VizChain, c).is_hinted;
  /* Absorbed boxes may put other operators between two steps. */
  for (guint pass = 0; any && pass < (is_hinted ? PASSES : 1); pass++)
    {
      find_sources_and_targets (&absorb);
      absorb_members (&absorb, is_member);
      any = absorb_outwards (&absorb, is_member, is_hinted);
      memcpy (absorb.places, absorb.current, n * sizeof *places);
    }
  g_free (absorb.places);
  g_free (absorb.first_in);
  g_free (absorb.tails);
  g_free (absorb.first_out);
  g_free (absorb.heads);
  g_free (absorb.order);
  g_free (absorb.current);
  g_free (absorb.source);
  g_free (absorb.target);
  g_free (absorb.after);
  return absorb.absorbed;
}
