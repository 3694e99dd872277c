/* ctc-loss-kernel.h — the parts of ctc-loss.c that read and write operands, for float and double.
 * Everything between is in double.  Start at loss_of_sample.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* logp[t][k] = x[t][index][k] − log Σ exp x, for the steps of one sample. */
static void
NAME (log_softmax_of_sample) (const CtcBatch *batch, const CtcSample *sample, gint64 index)
{
  for (gint64 t = 0; t < sample->steps; t++)
    {
      const REAL *x =
          (const REAL *) batch->run->input[0] + (t * batch->n_samples + index) * batch->classes;
      double *logp = sample->logp + t * batch->classes;
      double  maximum = -INFINITY, sum = 0.0;

      for (gint64 k = 0; k < batch->classes; k++)
        maximum = MAX (maximum, (double) x[k]);
      for (gint64 k = 0; k < batch->classes; k++)
        sum += exp ((double) x[k] - maximum);
      for (gint64 k = 0; k < batch->classes; k++)
        logp[k] = (double) x[k] - maximum - log (sum);
    }
}

/* Gradient with respect to the activation of class k at step t: p_k − Σ alpha · beta / p (label)
 * over the positions of class k.  total: log p (label). */
static void
NAME (gradient_of_step) (const CtcBatch  *batch,
                         const CtcSample *sample,
                         gint64           index,
                         gint64           t,
                         double           total)
{
  REAL *to = (REAL *) batch->run->output[1] + (t * batch->n_samples + index) * batch->classes;
  const double *alpha = sample->alpha + t * sample->n_positions;
  const double *logp = sample->logp + t * batch->classes;

  for (gint64 k = 0; k < batch->classes; k++)
    sample->mass[k] = -INFINITY;
  for (gint64 s = 0; s < sample->n_positions; s++)
    sample->mass[sample->extended[s]] =
        log_add (sample->mass[sample->extended[s]], alpha[s] + sample->beta[s]);

  for (gint64 k = 0; k < batch->classes; k++)
    to[k] = (REAL) (exp (logp[k]) - exp (sample->mass[k] - total));
}

/* A label too long for its sequence has loss 0 and gradient 0, as in the warp-ctc of MXNet.  A
 * label with a class that does not exist has loss NaN and gradient 0. */
static void
NAME (loss_of_sample) (const CtcBatch *batch, gint64 index)
{
  REAL     *loss = (REAL *) batch->run->output[0] + index;
  CtcSample sample;
  double    total;

  *loss = 0;
  if (!init_sample (&sample, batch, index))
    {
      *loss = (REAL) NAN;
      return;
    }
  if (!is_feasible (&sample) || sample.steps == 0)
    return;

  NAME (log_softmax_of_sample) (batch, &sample, index);
  total = forward_pass (&sample);
  *loss = (REAL) -total;

  for (gint64 s = 0; s < sample.n_positions; s++)
    sample.beta[s] = s >= sample.n_positions - 2 ? 0.0 : -INFINITY;
  for (gint64 t = sample.steps - 1; t >= 0; t--)
    {
      if (t < sample.steps - 1)
        {
          memcpy (sample.next, sample.beta, sizeof (double) * (gsize) sample.n_positions);
          backward_step (&sample, t);
        }
      NAME (gradient_of_step) (batch, &sample, index, t, total);
    }
}

/* dx (steps, batch, classes) = gradient · dy (batch). */
static void
NAME (scale_gradient) (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->output[0].shape;
  const REAL     *dy = run->input[0];
  const REAL     *gradient = run->input[1];
  REAL           *dx = run->output[0];

  for (gint64 row = 0; row < shape->dim[0] * shape->dim[1]; row++)
    for (gint64 k = 0; k < shape->dim[2]; k++)
      dx[row * shape->dim[2] + k] = gradient[row * shape->dim[2] + k] * dy[row % shape->dim[1]];
}
