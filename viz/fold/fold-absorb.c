/* fold-absorb.c — gives operators without a cell's name to the cell they work for.
 *
 * MXNet numbers the operators that Python's + and * make: "_plus0", "_mul3".  One
 * that stands between the steps of a chain, behind step t and before t or a later
 * step, belongs to the latest cell that feeds it.  The last step has nothing behind
 * it: there an operator belongs to its cell if the same one, fed by the same,
 * belonged to an earlier cell.  What hangs on every single step in the same way
 * goes with it, too.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include <string.h>

#define MIXED  G_MAXUINT32
#define ROUNDS 4 /* lengths of what may hang on a step */

typedef struct
{
  const VizNames *names;
  guint32         n;
  guint32        *first_in, *tails, *first_out, *heads;
  guint32        *order; /* tails before heads */
  guint32         n_order;
  const VizPlace *places;
  VizPlace       *before, *behind; /* latest cell that feeds a box, earliest it feeds */
  VizPlace       *now;             /* places, and what was absorbed so far */
  guint32        *absorbed;
} Absorb;

/* Ends of arrows by row: one side gives the row, the other the value. */
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

/* Boxes on a cycle are left out: they belong to nobody. */
static void
sort (Absorb *absorb)
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

static void
combine (const Absorb *absorb, VizPlace *sum, const VizPlace *place, gboolean latest)
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

static void
reach (Absorb *absorb)
{
  for (guint32 i = 0; i < absorb->n_order; i++)
    {
      guint32 box = absorb->order[i];

      for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
        {
          guint32 tail = absorb->tails[k];

          combine (absorb,
                   &absorb->before[box],
                   absorb->places[tail].chain != 0 ? &absorb->places[tail] : &absorb->before[tail],
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
                   &absorb->behind[box],
                   absorb->places[head].chain != 0 ? &absorb->places[head] : &absorb->behind[head],
                   FALSE);
        }
    }
}

static gboolean
is_real (const VizPlace *place)
{
  return place->chain != 0 && place->chain != MIXED;
}

static void
take (Absorb *absorb, guint32 box, const VizPlace *place)
{
  const VizChain *chain = &g_array_index (absorb->names->chains, VizChain, place->chain - 1);

  absorb->absorbed[box] = chain->cells[place->step];
  absorb->now[box] = *place;
}

static const char *
title_of (const Absorb *absorb, guint32 box)
{
  const char *title = viz_diagram_builder_box (absorb->names->builder, box)->title;

  return title ? title : "";
}

/* Operator, and operators that feed it: what makes two boxes of different steps the same. */
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

/* Whether everything that feeds a box belongs to its last step or the one before. */
static gboolean
is_fed_by_last_steps (const Absorb *absorb, guint32 box, guint32 last)
{
  for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
    {
      const VizPlace *place = &absorb->now[absorb->tails[k]];

      if (is_weight (absorb, absorb->tails[k]))
        continue;
      if (!is_real (place) || place->step + 1 < last)
        return FALSE;
    }
  return TRUE;
}

/* Whether something of that step feeds a box at once: what comes from all steps together, a
 * stack, starts anew. */
static gboolean
is_fed_by_step (const Absorb *absorb, guint32 box, guint32 step)
{
  for (guint32 k = absorb->first_in[box]; k < absorb->first_in[box + 1]; k++)
    {
      const VizPlace *place = &absorb->now[absorb->tails[k]];

      if (is_real (place) && place->step == step)
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
      guint32   box = absorb->order[i];
      VizPlace *before = &absorb->before[box], *behind = &absorb->behind[box];

      if (!is_member[box] || absorb->places[box].chain != 0 || !is_real (before) ||
          !is_real (behind) || behind->step < before->step ||
          !may_be_layers (absorb, before->chain, behind->chain) ||
          !is_fed_by_step (absorb, box, before->step))
        continue;
      take (absorb, box, before);
      g_hash_table_add (known, signature (absorb, box, before->chain));
    }
  for (guint32 i = 0; i < absorb->n_order; i++)
    {
      guint32          box = absorb->order[i];
      VizPlace        *before = &absorb->before[box];
      g_autofree char *same = NULL;

      if (!is_member[box] || absorb->places[box].chain != 0 || absorb->absorbed[box] != 0 ||
          !is_real (before) || absorb->behind[box].chain != 0 ||
          before->step + 1 !=
              g_array_index (absorb->names->chains, VizChain, before->chain - 1).n_steps ||
          !is_fed_by_last_steps (absorb, box, before->step))
        continue;
      same = signature (absorb, box, before->chain);
      if (g_hash_table_contains (known, same))
        take (absorb, box, before);
    }
}

/* The one step that everything a box is fed by (or feeds) belongs to; chain 0: there is none. */
static VizPlace
only_step (const Absorb *absorb, guint32 box, gboolean fed)
{
  const guint32 *first = fed ? absorb->first_in : absorb->first_out;
  const guint32 *ends = fed ? absorb->tails : absorb->heads;
  VizPlace       only = { 0, 0 };

  for (guint32 k = first[box]; k < first[box + 1]; k++)
    {
      const VizPlace *place = &absorb->now[ends[k]];

      if (fed && is_weight (absorb, ends[k]))
        continue;
      if (!is_real (place) ||
          (only.chain != 0 &&
           (place->step != only.step || !may_be_layers (absorb, only.chain, place->chain))))
        return (VizPlace){ 0, 0 };
      if (only.chain == 0 || place->chain > only.chain)
        only = *place;
    }
  return only;
}

/* What hangs on one step only, the same on nearly every step: "expand_dims3" behind step 3. */
static gboolean
absorb_attached (Absorb *absorb, const guint8 *is_member, gboolean fed)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean any = FALSE;

  for (guint pass = 0; pass < 2; pass++)
    for (guint32 i = 1; i < absorb->n; i++)
      {
        g_autofree char *same = NULL;
        VizPlace         place;
        guint            n_steps, n_same;

        if (!is_member[i] || absorb->now[i].chain != 0 || is_weight (absorb, i))
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
            take (absorb, i, &place);
            any = TRUE;
          }
      }
  return any;
}

guint32 *
viz_names_absorb (const VizNames *names, const VizPlace *places)
{
  guint32            n = names->n_boxes;
  g_autofree guint8 *is_member = g_new0 (guint8, n);
  Absorb             absorb = {
                .names = names,
                .n = n,
                .order = g_new (guint32, n),
                .places = places,
                .before = g_new0 (VizPlace, n),
                .behind = g_new0 (VizPlace, n),
                .now = g_memdup2 (places, n * sizeof *places),
                .absorbed = g_new0 (guint32, n),
  };

  for (guint m = 0; m < names->members->len; m++)
    is_member[g_array_index (names->members, guint32, m)] = TRUE;
  index_arrows (names->builder, n, TRUE, &absorb.first_in, &absorb.tails);
  index_arrows (names->builder, n, FALSE, &absorb.first_out, &absorb.heads);
  sort (&absorb);
  reach (&absorb);
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
  g_free (absorb.now);
  g_free (absorb.before);
  g_free (absorb.behind);
  return absorb.absorbed;
}
