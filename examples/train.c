/* train.c — builds a network, trains it on a tape, exports it and predicts with the export.
 *
 * The task: whether a point lies inside a circle.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <stdio.h>

#define BATCH 32

static int
fail (const GError *error)
{
  fprintf (stderr, "%s\n", error->message);
  return 1;
}

static HybBlock *
new_network (void)
{
  HybBlock *net = hyb_sequential (NULL);

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_dense (.units = 16, .in_units = 2, .activation = "tanh"));
  hyb_append (net, hyb_dense (.units = 2, .in_units = 16));
  hyb_block_leave_scope (net);
  hyb_block_initialize (net, "xavier", 0);
  return net;
}

/* Points between −1 and 1, and 1 for each that is less than 0.8 from the centre. */
static void
draw_points (guint64 seed, HybTensor *points, HybTensor *labels)
{
  float *point = hyb_tensor_get_data (points), *label = hyb_tensor_get_data (labels);

  for (guint64 i = 0; i < BATCH; i++)
    {
      double x = 2 * hyb_random_uniform (seed, 2 * i) - 1;
      double y = 2 * hyb_random_uniform (seed, 2 * i + 1) - 1;

      point[2 * i] = (float) x;
      point[2 * i + 1] = (float) y;
      label[i] = x * x + y * y < 0.8 * 0.8;
    }
}

/* Records the loss of a batch on the tape and computes the gradients.  Returns the mean loss. */
static gboolean
backward (HybBlock  *net,
          HybBlock  *loss,
          HybTape   *tape,
          HybTensor *points,
          HybTensor *labels,
          double    *mean,
          GError   **error)
{
  g_autoptr (HybF) F = hyb_f_new (TRUE, 0);
  HybValue  *value;
  HybTensor *head;

  hyb_f_set_tape (F, tape);
  hyb_tape_begin (tape);
  value = hyb_call (F, net, hyb_value_from_tensor (F, points));
  value = hyb_call_list (F, loss, value, hyb_value_from_tensor (F, labels), NULL);
  hyb_tape_end (tape);
  *mean = hyb_value_get_double (hyb_mean (F, value, "None"));
  head = hyb_value_get_tensor (value);
  return hyb_f_check (F, error) &&
         hyb_tape_backward (tape, &(HybBackwardPass){ .n_heads = 1, .heads = &head }, error);
}

/* The share of points on which the network is right. */
static double
accuracy (HybBlock *net, HybTensor *points, HybTensor *labels)
{
  g_autoptr (HybTensor) scores = hyb_block_predict (net, points, NULL);
  int right = 0;

  for (gint64 i = 0; scores && i < BATCH; i++)
    right += (hyb_tensor_get_value (scores, 2 * i + 1) > hyb_tensor_get_value (scores, 2 * i)) ==
             (hyb_tensor_get_value (labels, i) > 0);
  return (double) right / BATCH;
}

int
main (void)
{
  static const char *const settings[] = { "learning_rate", "0.05", NULL };
  g_autoptr (HybBlock) net = new_network ();
  g_autoptr (HybBlock) loss = hyb_loss_new ("softmax-cross-entropy", NULL);
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGluonTrainer) trainer = hyb_gluon_trainer_new (net, tape, "adam", settings, &error);
  g_autoptr (HybTensor) points = hyb_tensor_new_float (2, (const gint64[]){ BATCH, 2 }, NULL);
  g_autoptr (HybTensor) labels = hyb_tensor_new_float (1, (const gint64[]){ BATCH }, NULL);
  g_autoptr (HybTensor) scores = NULL;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybBlock) loaded = NULL;
  double mean, first = 0;

  if (!trainer)
    return fail (error);
  for (guint64 step = 0; step < 400; step++)
    {
      draw_points (step, points, labels);
      if (!backward (net, loss, tape, points, labels, &mean, &error) ||
          !hyb_gluon_trainer_step (trainer, BATCH, &error))
        return fail (error);
      if (step == 0)
        first = mean;
    }
  printf ("the loss fell to less than a third: %s\n", mean < first / 3 ? "yes" : "no");

  draw_points (1000, points, labels);
  printf ("right on more than 90 %% of new points: %s\n",
          accuracy (net, points, labels) > 0.9 ? "yes" : "no");

  /* The graph is traced by the first call of a hybridized block. */
  if (!hyb_block_hybridize (net, TRUE, NULL, &error))
    return fail (error);
  scores = hyb_block_predict (net, points, &error);
  if (!scores || !hyb_block_export (net, "circle", 0, &error))
    return fail (error);
  model = hyb_model_open ("circle-symbol.json", NULL, HYB_EPOCH_HIGHEST, &error);
  loaded =
      model ? hyb_symbol_block_new (model, (const char *const[]){ "data", NULL }, &error) : NULL;
  if (!loaded)
    return fail (error);
  printf ("the export is right as often: %s\n",
          accuracy (loaded, points, labels) == accuracy (net, points, labels) ? "yes" : "no");
  return 0;
}
