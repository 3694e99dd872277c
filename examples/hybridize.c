/* hybridize.c — one network called operator by operator, as a graph, and from an export.
 *
 * Follows the tutorial docs/tutorials/hybridize.md.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <stdio.h>

static int
fail (const GError *error)
{
  fprintf (stderr, "%s\n", error->message);
  return 1;
}

/* --- A network of ready-made layers --- */

static HybBlock *
new_dense_network (void)
{
  HybBlock *net = hyb_sequential (NULL);

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_dense (.units = 256, .activation = "relu"));
  hyb_append (net, hyb_dense (.units = 128, .activation = "relu"));
  hyb_append (net, hyb_dense (.units = 2));
  hyb_block_leave_scope (net);
  return net;
}

/* --- A network with a forward function of its own --- */

typedef struct
{
  HybBlock      parent; /* must be the first member */
  HybBlock     *conv1, *conv2, *pool, *fc1, *fc2;
  HybParameter *fc3_weight;
} Net;

static HybValue *
net_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Net *self = (Net *) block;

  printf ("forward: %s\n", hyb_f_is_tracing (F) ? "tracing" : "computing");
  x = hyb_call (F, self->pool, hyb_unary (F, "relu", hyb_call (F, self->conv1, x)));
  x = hyb_call (F, self->pool, hyb_unary (F, "relu", hyb_call (F, self->conv2, x)));
  x = hyb_reshape (F, x, "(0, -1)"); /* 0: keep this dimension; -1: all the others */
  x = hyb_unary (F, "relu", hyb_call (F, self->fc1, x));
  x = hyb_unary (F, "relu", hyb_call (F, self->fc2, x));
  /* A dense layer could do this; hyb_use() shows how a parameter of one's own is read. */
  return hyb_dot (F, x, hyb_use (F, self->fc3_weight), TRUE);
}

static const HybBlockClass net_class = {
  .name = "Net",
  .size = sizeof (Net),
  .forward = net_forward,
};

static HybBlock *
new_net (void)
{
  HybBlock *block = hyb_block_new (&net_class, NULL);
  Net      *self = (Net *) block;
  HybShape  kernel = hyb_shape_2d (5, 5), half = hyb_shape_2d (2, 2);

  hyb_block_enter_scope (block);
  self->conv1 = hyb_append (block, hyb_conv (.channels = 6, .kernel = kernel));
  self->pool = hyb_append (block, hyb_pool (.size = half, .stride = half));
  self->conv2 = hyb_append (block, hyb_conv (.channels = 16, .kernel = kernel));
  self->fc1 = hyb_append (block, hyb_dense (.units = 120));
  self->fc2 = hyb_append (block, hyb_dense (.units = 84));
  self->fc3_weight = hyb_block_add_parameter (block,
                                              &(HybParameterSpec){ .name = "fc3_weight",
                                                                   .shape = hyb_shape_2d (10, 84),
                                                                   .dtype = HYB_F32 });
  hyb_block_leave_scope (block);
  return block;
}

/* An image of one channel whose numbers are drawn from a seed. */
static HybTensor *
new_image (guint64 seed)
{
  HybTensor *image = hyb_tensor_new_float (4, (const gint64[]){ 1, 1, 28, 28 }, NULL);
  float     *values = hyb_tensor_get_data (image);

  for (gint64 i = 0; i < hyb_tensor_get_size (image); i++)
    values[i] = (float) hyb_random_normal (seed, (guint64) i);
  return image;
}

/* --- What tracing cannot know --- */

/* Reads a number while it computes, which a graph does not have yet. */
static HybValue *
reads_a_number (HybF *F, HybValue *x)
{
  if (hyb_value_get_double (hyb_sum (F, x, "None")) > 0)
    return x;
  return hyb_rsub_scalar (F, x, 0);
}

static void
show_what_cannot_be_traced (HybTensor *image)
{
  g_autoptr (HybBlock) block = hyb_lambda_new (reads_a_number, NULL);
  g_autoptr (HybTensor) output = hyb_block_predict (block, image, NULL);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  printf ("computed: %s\n", output ? "yes" : "no");
  graph = hyb_block_trace (block, 1, "0", FALSE, &error);
  printf ("traced: %s\n", graph ? "yes" : error->message);
}

int
main (void)
{
  g_autoptr (HybBlock) dense = new_dense_network ();
  g_autoptr (HybBlock) net = new_net ();
  g_autoptr (HybTensor) row = hyb_tensor_new_float (2, (const gint64[]){ 1, 512 }, NULL);
  g_autoptr (HybTensor) image = new_image (1);
  g_autoptr (HybTensor) before = NULL;
  g_autoptr (HybTensor) after = NULL;
  g_autoptr (HybTensor) again = NULL;
  g_autoptr (HybTensor) loaded = NULL;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybBlock) imported = NULL;
  g_autoptr (GError) error = NULL;

  /* 1. Layers: call, hybridize, call. */
  for (gint64 i = 0; i < 512; i++)
    ((float *) hyb_tensor_get_data (row))[i] = (float) i / 512;
  hyb_block_initialize (dense, "xavier", 0);
  before = hyb_block_predict (dense, row, &error);
  if (!before || !hyb_block_hybridize (dense, TRUE, NULL, &error))
    return fail (error);
  after = hyb_block_predict (dense, row, &error);
  if (!after)
    return fail (error);
  printf ("equal: %d\n",
          hyb_tensor_get_value (before, 0) == hyb_tensor_get_value (after, 0) &&
              hyb_tensor_get_value (before, 1) == hyb_tensor_get_value (after, 1));

  /* 2. A forward function: called each time, then once for its trace, then never. */
  hyb_block_initialize (net, "xavier", 0);
  g_clear_pointer (&before, hyb_tensor_unref);
  before = hyb_block_predict (net, image, &error);
  if (!before || !hyb_block_hybridize (net, TRUE, &(HybHybridize){ TRUE, TRUE }, &error))
    return fail (error);
  for (int call = 0; call < 3; call++)
    {
      g_clear_pointer (&again, hyb_tensor_unref);
      again = hyb_block_predict (net, image, &error);
      if (!again)
        return fail (error);
    }
  printf ("calls of the forward function: %" G_GUINT64_FORMAT "\n",
          hyb_block_n_forward_calls (net));

  /* 3. The export, opened again as a block. */
  if (!hyb_block_export (net, "net", 1, &error))
    return fail (error);
  model = hyb_model_open ("net-symbol.json", NULL, HYB_EPOCH_HIGHEST, &error);
  if (!model)
    return fail (error);
  imported = hyb_symbol_block_new (model, (const char *const[]){ "data", NULL }, &error);
  if (!imported)
    return fail (error);
  loaded = hyb_block_predict (imported, image, &error);
  if (!loaded)
    return fail (error);
  for (gint64 i = 0; i < 10; i++)
    if (hyb_tensor_get_value (loaded, i) != hyb_tensor_get_value (again, i))
      return 1;
  printf ("the export predicts the same\n");

  show_what_cannot_be_traced (image);
  return 0;
}
