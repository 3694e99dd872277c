/* layers-pool.c — Gluon's pooling layers, local and global (hyb_pool_new()).
 *
 * The attributes of the node and their spelling are those of Gluon's exports.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"

#include "engine/block/layers-private.h"

#include <string.h>

typedef struct
{
  HybBlock    parent;
  const char *type;
  HybShape    size, stride, pad;
  gboolean    ceil_mode, global, exclude_pad;
} Pool;

static HybValue *
pool_forward (HybF *F, HybBlock *block, HybValue *x)
{
  static const char *const layouts[] = { "NC", "NCW", "NCHW", "NCDHW" };
  Pool                    *self = (Pool *) block;
  gboolean                 counts = !self->global && strcmp (self->type, "avg") == 0;

  return HYB_OP (F, "Pooling", .name = "fwd", .in = { x },
                 .attributes =
                     HYB_WITH ("count_include_pad",
                               counts ? hyb_gluon_bool (!self->exclude_pad) : NULL, "global_pool",
                               hyb_gluon_bool (self->global), "kernel",
                               hyb_gluon_shape (F, &self->size), "layout", layouts[self->size.rank],
                               "pad", hyb_gluon_shape (F, &self->pad), "pool_type", self->type,
                               "pooling_convention", self->ceil_mode ? "full" : "valid", "stride",
                               hyb_gluon_shape (F, &self->stride)));
}

static const HybBlockClass pool_class = {
  .name = "Pool",
  .size = sizeof (Pool),
  .forward = pool_forward,
};

HybBlock *
hyb_pool_new (const HybPoolOptions *given)
{
  const HybPoolOptions *options = given ? given : &(const HybPoolOptions){ 0 };
  HybBlock             *block = hyb_block_new (&pool_class, options->prefix);
  Pool                 *self = (Pool *) block;
  int                   rank = options->global ? options->rank : options->size.rank;

  self->type = g_intern_string (options->type ? options->type : "max");
  self->global = options->global;
  self->ceil_mode = options->global || options->ceil_mode;
  self->exclude_pad = options->exclude_pad;
  self->size = hyb_gluon_extent (&options->size, rank, 1);
  self->pad = hyb_gluon_extent (&options->pad, rank, 0);
  self->stride = options->stride.rank > 0 ? options->stride : self->size;
  return block;
}
