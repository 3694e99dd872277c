/* fold-grids.c — makes groups of the chains that fold-steps.c found.
 *
 * The chains of a band become the layers of one VIZ_BOX_STEPS.  Weights that all steps of a layer
 * share are listed in a box before its first step.  Start reading at viz_names_add_chains().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include "viz/diagram/translate.h"

#include <string.h>

/* The innermost part that contains all chains of the band of chain. */
static guint32
common_part (const VizNames *names, const VizChain *chain)
{
  guint32 part = chain->part;

  for (guint32 c = 0; c < names->chains->len; c++)
    {
      const VizChain *other = &g_array_index (names->chains, VizChain, c);
      guint32         at = other->part;

      if (other->band != chain->band)
        continue;
      /* Parents have smaller numbers. */
      while (at != part)
        if (at > part)
          at = viz_names_part (names, at)->parent;
        else
          part = viz_names_part (names, part)->parent;
    }
  return part;
}

/* An id for a box of a chain: chains of which all names have the same path have different numbers.
 * (transfer full) */
static char *
chain_id (const VizChain *chain, const char *prefix, const char *path)
{
  return chain->twin > 0 ? g_strdup_printf ("%s%s#%u", prefix, path, chain->twin)
                         : g_strconcat (prefix, path, NULL);
}

/* The title of a grid: its name, how long it is and how many layers it has.  (transfer full) */
static char *
grid_title (const VizNames *names, const VizChain *chain, const char *path)
{
  guint32  n_rows = 1, n_backward = 0, n_chains = 0;
  GString *title;

  for (guint32 c = 0; c < names->chains->len; c++)
    {
      const VizChain *other = &g_array_index (names->chains, VizChain, c);

      if (other->band != chain->band)
        continue;
      n_rows = MAX (n_rows, (guint32) other->layer + 1);
      n_chains++;
      n_backward += other->is_backward;
    }
  if (chain->is_blocks)
    return g_strdup_printf (chain->is_equal ? _ ("%u equal blocks") : _ ("%u blocks"),
                            chain->n_steps * n_rows);
  title =
      g_string_new (n_backward > 0 && n_backward < n_chains && path == chain->stem ? "Bi" : NULL);
  g_string_append (title, path);
  g_string_append_printf (title, _ (" × %u steps"), chain->n_steps);
  if (n_backward > 0 && n_backward < n_chains)
    n_rows = MAX (n_rows - MIN (n_backward, n_rows), 1);
  if (n_rows > 1)
    g_string_append_printf (title, _ (" × %u layers"), n_rows);
  return g_string_free (title, FALSE);
}

/* Adds the VIZ_BOX_STEPS for the band of a chain, and returns its number. */
static guint32
add_steps_box (VizNames *names, const VizChain *chain)
{
  guint32          part = common_part (names, chain);
  g_autofree char *named = part == 0 ? NULL : viz_names_path (names, part);
  const char      *path = named ? named : chain->stem;
  g_autofree char *title = grid_title (names, chain, path);
  g_autofree char *prefix =
      g_strconcat ("steps:", viz_diagram_builder_box (names->builder, names->group)->id, ":", NULL);
  g_autofree char *id = chain_id (chain, prefix, path);

  return viz_diagram_builder_add_box (names->builder,
                                      &(VizBoxInfo){ .id = id,
                                                     .title = title,
                                                     .subtitle = chain->is_blocks ? path : NULL,
                                                     .kind = VIZ_BOX_STEPS,
                                                     .flags = chain->is_blocks ? VIZ_BOX_BLOCKS : 0,
                                                     .category = chain->is_blocks
                                                                     ? VIZ_CATEGORY_OTHER
                                                                     : VIZ_CATEGORY_RECURRENT,
                                                     .parent = names->group,
                                                     .user = VIZ_NO_USER });
}

/* Where a folded weight is used. */
typedef struct
{
  guint32  chain;        /* index + 1 of the first chain that uses it; 0: none */
  guint32  step;         /* the first step that uses it */
  gboolean is_shared;    /* other steps use it too */
  gboolean is_elsewhere; /* it is also used outside that chain */
} Use;

static Use *
find_uses (const VizNames *names, const VizChainStep *places)
{
  Use *uses = g_new0 (Use, names->n_boxes);

  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (names->builder); i++)
    {
      const VizArrow     *arrow = viz_diagram_builder_arrow (names->builder, i);
      const VizChainStep *user = &places[arrow->head];
      Use                *use = &uses[arrow->tail];

      if ((viz_diagram_builder_box (names->builder, arrow->tail)->flags & VIZ_BOX_FOLDED) == 0)
        continue;
      if (use->chain == 0)
        {
          use->chain = user->chain;
          use->step = user->step;
        }
      use->is_elsewhere |= user->chain == 0 || use->chain != user->chain;
      use->is_shared |= use->step != user->step;
    }
  return uses;
}

/* The label of a layer in a grid: "l0", or "layer 1 backward" if it has no name.  NULL if it is the only one.
 * (transfer full) */
static char *
layer_name (const VizNames *names, const VizChain *layer)
{
  guint32          above = common_part (names, layer), n_chains = 0, n_backward = 0, number = 0;
  g_autofree char *path = viz_names_path (names, layer->part), *common = NULL;
  const char      *direction;

  for (guint32 c = 0; c < names->chains->len; c++)
    {
      const VizChain *other = &g_array_index (names->chains, VizChain, c);

      if (other->band != layer->band)
        continue;
      n_chains++;
      n_backward += other->is_backward;
      number += other->is_backward == layer->is_backward && other->layer < layer->layer;
    }
  if (n_chains == 1)
    return NULL;
  common = viz_names_path (names, above);
  if (layer->part != above && path[0] != '\0')
    return g_strdup (above != 0 && g_str_has_prefix (path, common) && path[strlen (common)] != '\0'
                         ? path + strlen (common) + 1
                         : path);
  direction = layer->is_backward ? "backward" : n_backward > 0 ? "forward" : "";
  if (n_backward * 2 == n_chains && n_chains == 2)
    return g_strdup (direction);
  return g_strdup_printf ("layer %u%s%s", number, *direction != '\0' ? " " : "", direction);
}

/* Weights that the steps of a layer share are listed once, in a box before its first step. */
static void
add_header (VizNames *names, const Use *uses, guint32 chain, guint32 steps)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);
  const VizChain  *layer = &g_array_index (names->chains, VizChain, chain);
  g_autofree char *path = viz_names_path (names, layer->part);
  g_autofree char *id = chain_id (layer, "weights:", path);
  g_autofree char *name_of_layer = layer_name (names, layer);
  guint32          header;

  for (guint32 i = 1; i < names->n_boxes; i++)
    {
      const VizBox *weight = viz_diagram_builder_box (names->builder, i);
      const char   *name = weight->subtitle ? weight->subtitle : weight->title;
      gsize         length = strlen (path);

      if (uses[i].chain != chain + 1 || !uses[i].is_shared || uses[i].is_elsewhere || !name)
        continue;
      if (strncmp (name, path, length) == 0 && name[length] == '_')
        name += length + 1;
      g_ptr_array_add (rows, g_strconcat (name, weight->shape ? "  " : "",
                                          weight->shape ? weight->shape : "", NULL));
    }
  if (rows->len == 0)
    return;
  g_ptr_array_add (rows, NULL);
  header = viz_diagram_builder_add_box (names->builder,
                                        &(VizBoxInfo){
                                            .id = id,
                                            .title = name_of_layer ? name_of_layer
                                                                   : _ ("weights of all steps"),
                                            .subtitle = name_of_layer ? _ ("weights of all steps")
                                                        : layer->part != 0 ? path
                                                        : layer->is_hinted ? layer->stem
                                                                           : NULL,
                                            .attributes = (const char *const *) rows->pdata,
                                            .kind = VIZ_BOX_WEIGHT,
                                            .category = VIZ_CATEGORY_DATA,
                                            .parent = steps,
                                            .user = VIZ_NO_USER });
  viz_diagram_builder_set_header (names->builder, header, layer->layer);
}

void
viz_names_add_chains (VizNames *names)
{
  g_autofree guint32      *boxes = g_new0 (guint32, names->chains->len + 1);
  g_autofree VizChainStep *places = g_new0 (VizChainStep, names->n_boxes);
  g_autofree Use          *uses = NULL;

  if (names->chains->len == 0)
    return;
  viz_names_place_boxes (names, NULL, places);
  uses = find_uses (names, places);
  for (guint32 c = 0; c < names->chains->len; c++)
    {
      const VizChain *chain = &g_array_index (names->chains, VizChain, c);

      boxes[c] = chain->band == c ? add_steps_box (names, chain) : boxes[chain->band];
      for (guint32 s = 0; s < chain->n_steps; s++)
        {
          g_autofree char *path = viz_names_path (names, chain->cells[s]);
          g_autofree char *id = chain_id (chain, "cell:", path);
          guint32          cell;

          cell =
              viz_diagram_builder_add_box (names->builder,
                                           &(VizBoxInfo){
                                               .id = id,
                                               .title =
                                                   viz_names_part (names, chain->cells[s])->token,
                                               .subtitle = chain->is_hinted && chain->part == 0
                                                               ? chain->stem
                                                               : path,
                                               .kind = VIZ_BOX_SCOPE,
                                               .category = chain->is_blocks
                                                               ? VIZ_CATEGORY_OTHER
                                                               : VIZ_CATEGORY_RECURRENT,
                                               .parent = boxes[c],
                                               .user = VIZ_NO_USER });
          viz_diagram_builder_set_step (names->builder, cell, chain->first + (gint32) s,
                                        chain->layer);
          viz_names_part (names, chain->cells[s])->cell = cell;
          viz_names_part (names, chain->cells[s])->group = cell;
        }
      add_header (names, uses, c, boxes[c]);
    }
}
