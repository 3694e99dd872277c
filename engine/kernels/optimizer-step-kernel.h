/* optimizer-step-kernel.h — the loops of optimizer-step.h for one element type.
 *
 * optimizer-step.c includes this file by way of each-real.h, so there is no include guard.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define WEIGHT(step)   ((const REAL *) (step)->weight)
#define TO(step)       ((REAL *) (step)->to)
#define STATE(step, k) ((REAL *) (step)->state[k])

/* Element i of the rescaled gradient, clipped. */
static double
NAME (gradient_at) (const HybOptimizerStep *step, gint64 i)
{
  return clipped (step, (double) ((const REAL *) step->gradient)[i] * step->rescale);
}

/* Element i of the rescaled gradient plus weight decay, clipped together. */
static double
NAME (decayed_at) (const HybOptimizerStep *step, gint64 i)
{
  return clipped (step, (double) ((const REAL *) step->gradient)[i] * step->rescale +
                            step->decay * (double) WEIGHT (step)[i]);
}

/* Moves element i of the means of Adam; returns their values. */
static void
NAME (move_means) (const HybOptimizerStep *step, gint64 i, double g, double *mean, double *square)
{
  *mean = step->beta1 * (double) STATE (step, 0)[i] + (1 - step->beta1) * g;
  *square = step->beta2 * (double) STATE (step, 1)[i] + (1 - step->beta2) * g * g;
  STATE (step, 0)[i] = (REAL) *mean;
  STATE (step, 1)[i] = (REAL) *square;
}

static void
NAME (sgd) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    {
      double w = (double) WEIGHT (step)[i];
      double move = -step->rate * (NAME (gradient_at) (step, i) + step->decay * w);

      if (step->state[0])
        {
          STATE (step, 0)[i] = (REAL) (step->momentum * (double) STATE (step, 0)[i] + move);
          move = (double) STATE (step, 0)[i];
        }
      TO (step)[i] = (REAL) (w + move);
    }
}

static void
NAME (nag) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    {
      double gradient = NAME (gradient_at) (step, i), w = (double) WEIGHT (step)[i];
      double move = -step->rate * (gradient + step->decay * w);
      double velocity = step->state[0] ? step->momentum * (double) STATE (step, 0)[i] : 0;

      TO (step)[i] = (REAL) (w + move + step->momentum * (velocity + move));
      /* MXNet writes the weight first.  If that is done in place, the stored velocity has the decay of
       * the new weight. */
      if (step->state[0])
        STATE (step, 0)
      [i] = (REAL) (velocity - step->rate * (gradient + step->decay * (double) WEIGHT (step)[i]));
    }
}

static void
NAME (adam) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    {
      double mean, square;

      NAME (move_means) (step, i, NAME (decayed_at) (step, i), &mean, &square);
      TO (step)
      [i] =
          (REAL) ((double) WEIGHT (step)[i] - step->rate * mean / (sqrt (square) + step->epsilon));
    }
}

static void
NAME (rmsprop) (const HybOptimizerStep *step)
{
  double keep = step->beta1;

  for (gint64 i = 0; i < step->n; i++)
    {
      double g = NAME (decayed_at) (step, i), w = (double) WEIGHT (step)[i], move;
      double square = keep * (double) STATE (step, 0)[i] + (1 - keep) * g * g;

      STATE (step, 0)[i] = (REAL) square;
      if (step->state[1])
        {
          double mean = keep * (double) STATE (step, 1)[i] + (1 - keep) * g;

          STATE (step, 1)[i] = (REAL) mean;
          move = step->momentum * (double) STATE (step, 2)[i] -
                 step->rate * g / sqrt (square - mean * mean + step->epsilon);
          STATE (step, 2)[i] = (REAL) move;
        }
      else
        move = -step->rate * g / sqrt (square + step->epsilon);
      w += move;
      if (!isnan (step->clip_weights))
        w = CLAMP (w, -step->clip_weights, step->clip_weights);
      TO (step)[i] = (REAL) w;
    }
}

static void
NAME (adagrad) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    {
      double g = NAME (gradient_at) (step, i), w = (double) WEIGHT (step)[i];
      double history = (double) STATE (step, 0)[i] + g * g;

      STATE (step, 0)[i] = (REAL) history;
      TO (step)
      [i] = (REAL) (w - step->rate * (g / sqrt (history + step->epsilon) + step->decay * w));
    }
}

static void
NAME (adadelta) (const HybOptimizerStep *step)
{
  double keep = step->beta1;

  for (gint64 i = 0; i < step->n; i++)
    {
      double g = NAME (gradient_at) (step, i), w = (double) WEIGHT (step)[i];
      double square = keep * (double) STATE (step, 0)[i] + (1 - keep) * g * g;
      double before = (double) STATE (step, 1)[i];
      double move = sqrt (before + step->epsilon) / sqrt (square + step->epsilon) * g;

      STATE (step, 0)[i] = (REAL) square;
      STATE (step, 1)[i] = (REAL) (keep * before + (1 - keep) * move * move);
      TO (step)[i] = (REAL) (w - move - step->decay * w);
    }
}

static void
NAME (adagrad_outside) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    {
      double g = NAME (gradient_at) (step, i);
      double history = (double) STATE (step, 0)[i] + g * g;

      STATE (step, 0)[i] = (REAL) history;
      TO (step)
      [i] = (REAL) ((double) WEIGHT (step)[i] - step->rate * g / (sqrt (history) + step->epsilon));
    }
}

static void
NAME (ftml) (const HybOptimizerStep *step)
{
  double bias1 = 1 - pow (step->beta1, step->t), bias2 = 1 - pow (step->beta2, step->t);

  for (gint64 i = 0; i < step->n; i++)
    {
      double g = NAME (decayed_at) (step, i), w = (double) WEIGHT (step)[i];
      double v = step->beta2 * (double) STATE (step, 1)[i] + (1 - step->beta2) * g * g;
      double d = bias1 / step->rate * (sqrt (v / bias2) + step->epsilon);
      double z = step->beta1 * (double) STATE (step, 2)[i] + (1 - step->beta1) * g -
                 (d - step->beta1 * (double) STATE (step, 0)[i]) * w;

      STATE (step, 0)[i] = (REAL) d;
      STATE (step, 1)[i] = (REAL) v;
      STATE (step, 2)[i] = (REAL) z;
      TO (step)[i] = (REAL) (-z / d);
    }
}

static void
NAME (ftrl) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    {
      double g = NAME (gradient_at) (step, i);
      double before = (double) STATE (step, 1)[i], n = before + g * g;
      double z = (double) STATE (step, 0)[i] + g -
                 (sqrt (n) - sqrt (before)) * (double) WEIGHT (step)[i] / step->rate;
      double pull = sign_of (z) * MAX (fabs (z) - step->lambda, 0.0);

      STATE (step, 0)[i] = (REAL) z;
      STATE (step, 1)[i] = (REAL) n;
      TO (step)[i] = (REAL) (-pull / ((step->beta + sqrt (n)) / step->rate + step->decay));
    }
}

static void
NAME (sign) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    TO (step)
  [i] = (REAL) ((1 - step->rate * step->decay) * (double) WEIGHT (step)[i] -
                step->rate * sign_of ((double) ((const REAL *) step->gradient)[i]));
}

static void
NAME (signum) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    {
      double w = (double) WEIGHT (step)[i];
      double velocity = step->momentum * (double) STATE (step, 0)[i] -
                        (1 - step->momentum) * (step->decay * w + NAME (gradient_at) (step, i));

      STATE (step, 0)[i] = (REAL) velocity;
      TO (step)[i] = (REAL) ((1 - step->rate * step->eta) * w + step->rate * sign_of (velocity));
    }
}

static void
NAME (adamw) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    {
      double w = (double) WEIGHT (step)[i], mean, square;

      NAME (move_means) (step, i, NAME (gradient_at) (step, i), &mean, &square);
      TO (step)
      [i] = (REAL) (w - step->eta * (step->rate * mean / (sqrt (square) + step->epsilon) +
                                     step->decay * w));
    }
}

static void
NAME (lamb_direction) (const HybOptimizerStep *step)
{
  double bias1 = step->corrects_bias ? 1 - pow (step->beta1, step->t) : 1;
  double bias2 = step->corrects_bias ? 1 - pow (step->beta2, step->t) : 1;

  for (gint64 i = 0; i < step->n; i++)
    {
      double w = (double) WEIGHT (step)[i], mean, square;

      NAME (move_means) (step, i, NAME (gradient_at) (step, i), &mean, &square);
      TO (step)
      [i] = (REAL) (mean / bias1 / (sqrt (square / bias2) + step->epsilon) + step->decay * w);
    }
}

static void
NAME (along) (const HybOptimizerStep *step)
{
  for (gint64 i = 0; i < step->n; i++)
    TO (step)
  [i] =
      (REAL) ((double) WEIGHT (step)[i] - step->rate * (double) ((const REAL *) step->gradient)[i]);
}

static double
NAME (sum_of_squares) (const REAL *x, gint64 n)
{
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += (double) x[i] * (double) x[i];
  return sum;
}

#undef WEIGHT
#undef TO
#undef STATE
