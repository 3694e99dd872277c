/* two-models.c — a plug-in with two models, one of which cannot be traced.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

static const char *const kinds[] = { "relu", "tanh", NULL };

typedef struct
{
  gint64 units;
  int    kind;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, units), HYB_PARAM_INT, "3", 1, 100, .doc = "of the layer" },
  { HYB_FIELD (Options, kind), HYB_PARAM_ENUM, "relu", .choices = kinds, .doc = "activation" },
  { 0 },
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;

  return hyb_dense (.units = given->units, .activation = kinds[given->kind]);
}

static HybBlock *
build_plain (gconstpointer data)
{
  return hyb_plain_sequential (NULL);
}

static HybBlock *
build_nothing (gconstpointer data)
{
  return NULL;
}

static const HybModelClass good = {
  .name = "good",
  .doc = "One layer",
  .options = options,
  .options_size = sizeof (Options),
  .inputs = "float32(2, 2*units)",
  .build = build,
};
static const HybModelClass plain = {
  .name = "plain",
  .doc = "No hybrid block",
  .inputs = "float32(2, 2)",
  .build = build_plain,
};
static const HybModelClass nothing = {
  .name = "nothing",
  .doc = "No block at all",
  .inputs = "float32(2, 2)",
  .build = build_nothing,
};
static const HybModelClass unreadable = {
  .name = "unreadable",
  .doc = "Inputs that cannot be read",
  .inputs = "float32(2, width)",
  .build = build,
};

HYB_PLUGIN (&good, &plain, &nothing, &unreadable);
