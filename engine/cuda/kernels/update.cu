/* update.cu — one update of a parameter by an optimiser of a trainer, and the norm of all gradients.
 *
 * Stored is the type of weights and gradients, and Result what an element is converted from.  They are read as
 * float and computed in double, as by the processor (engine/kernels/optimizer-step-kernel.h), and what is
 * stored is rounded to float.  The numbers of the step lie in memory, so that a recording does not keep them. */
#include "prelude.cuh"
#include "arguments.h"

DEVICE double
weight_at (const UpdateArguments &a, long long i)
{
  return (double) (float) get ((const Stored *) a.weight, i);
}

DEVICE void
put_weight (const UpdateArguments &a, long long i, double w)
{
  put ((Stored *) a.weight, i, (Result) (float) w);
}

DEVICE double
limited (const UpdateArguments &a, double x)
{
  const double clip = a.numbers[UPDATE_CLIP];

  return x > clip ? clip : x < -clip ? -clip : x;
}

/* The gradient times the factors of its norm and of the optimiser. */
DEVICE double
scaled_at (const UpdateArguments &a, long long i)
{
  const float  given = (float) get ((const Stored *) a.gradient, i);
  const double factor = a.norm[1];
  const float  x = factor != 1 ? (float) (given * factor) : given;

  return (double) x * a.numbers[UPDATE_RESCALE];
}

DEVICE double
gradient_at (const UpdateArguments &a, long long i)
{
  return limited (a, scaled_at (a, i));
}

/* With weight decay, both limited together. */
DEVICE double
decayed_at (const UpdateArguments &a, long long i)
{
  return limited (a, scaled_at (a, i) + a.numbers[UPDATE_DECAY] * weight_at (a, i));
}

extern "C" __global__ void
sgd (const UpdateArguments a)
{
  EACH (i, a.n)
  {
    const double w = weight_at (a, i);
    double move = -a.numbers[UPDATE_RATE] * (gradient_at (a, i) + a.numbers[UPDATE_DECAY] * w);

    if (a.state[0])
      {
        a.state[0][i] = (float) (a.momentum * a.state[0][i] + move);
        move = a.state[0][i];
      }
    put_weight (a, i, w + move);
  }
}

/* The stored velocity has the decay of the new weight, as in MXNet. */
extern "C" __global__ void
nag (const UpdateArguments a)
{
  EACH (i, a.n)
  {
    const double rate = a.numbers[UPDATE_RATE], decay = a.numbers[UPDATE_DECAY];
    const double g = gradient_at (a, i), w = weight_at (a, i);
    const double move = -rate * (g + decay * w);
    const double velocity = a.state[0] ? a.momentum * a.state[0][i] : 0;
    const float  after = (float) (w + move + a.momentum * (velocity + move));

    put_weight (a, i, after);
    if (a.state[0])
      a.state[0][i] = (float) (velocity - rate * (g + decay * after));
  }
}

extern "C" __global__ void
adam (const UpdateArguments a)
{
  EACH (i, a.n)
  {
    const double g = decayed_at (a, i);
    const double mean = a.beta1 * a.state[0][i] + (1 - a.beta1) * g;
    const double square = a.beta2 * a.state[1][i] + (1 - a.beta2) * g * g;

    a.state[0][i] = (float) mean;
    a.state[1][i] = (float) square;
    put_weight (a,
                i,
                weight_at (a, i) - a.numbers[UPDATE_RATE] * mean / (sqrt (square) + a.epsilon));
  }
}

extern "C" __global__ void
rmsprop (const UpdateArguments a)
{
  EACH (i, a.n)
  {
    const double rate = a.numbers[UPDATE_RATE];
    const double g = decayed_at (a, i);
    const double square = a.beta1 * a.state[0][i] + (1 - a.beta1) * g * g;
    double       w = weight_at (a, i), move;

    a.state[0][i] = (float) square;
    if (a.state[1])
      {
        const double mean = a.beta1 * a.state[1][i] + (1 - a.beta1) * g;

        a.state[1][i] = (float) mean;
        move = a.momentum * a.state[2][i] - rate * g / sqrt (square - mean * mean + a.epsilon);
        a.state[2][i] = (float) move;
      }
    else
      move = -rate * g / sqrt (square + a.epsilon);
    w += move;
    w = w > a.clip_weights ? a.clip_weights : w < -a.clip_weights ? -a.clip_weights : w;
    put_weight (a, i, w);
  }
}

extern "C" __global__ void
adagrad (const UpdateArguments a)
{
  EACH (i, a.n)
  {
    const double g = gradient_at (a, i), w = weight_at (a, i);
    const double history = a.state[0][i] + g * g;

    a.state[0][i] = (float) history;
    put_weight (a,
                i,
                w - a.numbers[UPDATE_RATE] *
                        (g / sqrt (history + a.epsilon) + a.numbers[UPDATE_DECAY] * w));
  }
}

extern "C" __global__ void
adadelta (const UpdateArguments a)
{
  EACH (i, a.n)
  {
    const double g = gradient_at (a, i), w = weight_at (a, i);
    const double square = a.beta1 * a.state[0][i] + (1 - a.beta1) * g * g;
    const double before = a.state[1][i];
    const double move = sqrt (before + a.epsilon) / sqrt (square + a.epsilon) * g;

    a.state[0][i] = (float) square;
    a.state[1][i] = (float) (a.beta1 * before + (1 - a.beta1) * move * move);
    put_weight (a, i, w - move - a.numbers[UPDATE_DECAY] * w);
  }
}

/* Part p of the sum of squares of one gradient: elements p, p + n_parts … */
extern "C" __global__ void
squares (const NormArguments a)
{
  EACH (p, a.n_parts)
  {
    double sum = 0;

    for (long long k = p; k < a.n; k += a.n_parts)
      {
        const double x = (double) (float) get ((const Stored *) a.gradient, k);

        sum += x * x;
      }
    a.parts[p] = sum;
  }
}

/* The norm from all parts, and the factor that limits it; for one block. */
extern "C" __global__ void
add_squares (const NormArguments a)
{
  __shared__ double sums[NORM_THREADS];
  double            sum = 0;

  for (long long k = threadIdx.x; k < a.n_parts; k += NORM_THREADS)
    sum += a.parts[k];
  sums[threadIdx.x] = sum;
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  for (int k = 1; k < NORM_THREADS; k++)
    sum += sums[k];
  a.y[0] = sqrt (sum);
  sum = a.limit / (a.y[0] + 1e-8);
  a.y[1] = a.limit > 0 ? (1 < sum ? 1 : sum) : 1;
}
