/* containers.c — blocks that call other blocks: HybridSequential, Sequential, HybridConcurrent.
 *
 * The contents are the block's children; hyb_append() adds one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"

typedef struct
{
  HybBlock parent;
  int      axis;
} Concurrent;

static HybValue *
sequential_forward (HybF *F, HybBlock *block, HybValue *x)
{
  for (guint i = 0; i < hyb_block_n_children (block); i++)
    x = hyb_call (F, hyb_block_get_child (block, i), x);
  return x;
}

static HybValue *
concurrent_forward (HybF *F, HybBlock *block, HybValue *x)
{
  guint                 n = hyb_block_n_children (block);
  g_autofree HybValue **parts = g_new (HybValue *, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    parts[i] = hyb_call (F, hyb_block_get_child (block, i), x);
  return hyb_concat (F, hyb_list (F, n, parts), ((Concurrent *) block)->axis);
}

static const HybBlockClass sequential_class = {
  .name = "HybridSequential",
  .size = sizeof (HybBlock),
  .forward = sequential_forward,
};
static const HybBlockClass plain_sequential_class = {
  .name = "Sequential",
  .size = sizeof (HybBlock),
  .plain = TRUE,
  .forward = sequential_forward,
};
static const HybBlockClass concurrent_class = {
  .name = "HybridConcurrent",
  .size = sizeof (Concurrent),
  .forward = concurrent_forward,
};

HybBlock *
hyb_sequential (const char *prefix)
{
  return hyb_block_new (&sequential_class, prefix);
}

HybBlock *
hyb_plain_sequential (const char *prefix)
{
  return hyb_block_new (&plain_sequential_class, prefix);
}

HybBlock *
hyb_concurrent (int axis, const char *prefix)
{
  HybBlock *block = hyb_block_new (&concurrent_class, prefix);

  ((Concurrent *) block)->axis = axis;
  return block;
}

HybBlock *
hyb_append (HybBlock *container, HybBlock *child)
{
  return hyb_block_add_child (container, child, NULL);
}
