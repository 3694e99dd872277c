/* gates.cu — from the two products of a recurrent cell to its new state, in single precision. */
#include "prelude.cuh"
#include "arguments.h"

DEVICE float
sigmoid (float x)
{
  return 1.f / (1.f + expf (-x));
}

/* c = f c' + i g; h = o tanh (c), where the gates i, f, g, o are functions of i2h + h2h. */
extern "C" __global__ void
lstm_gates (const GatesArguments a)
{
  EACH (e, a.n)
  {
    const long long at = e / a.hidden * 4 * a.hidden + e % a.hidden;
    const float     i = sigmoid (a.i2h[at] + a.h2h[at]);
    const float     f = sigmoid (a.i2h[at + a.hidden] + a.h2h[at + a.hidden]);
    const float     g = tanhf (a.i2h[at + 2 * a.hidden] + a.h2h[at + 2 * a.hidden]);
    const float     o = sigmoid (a.i2h[at + 3 * a.hidden] + a.h2h[at + 3 * a.hidden]);
    const float     c = f * a.before[e] + i * g;

    a.c[e] = c;
    a.h[e] = o * tanhf (c);
  }
}

/* candidate = tanh (x + r y); h = (1 − z) candidate + z h', where the gates r and z are sigmoids of
 * i2h + h2h, and x and y the third gates of i2h and h2h. */
extern "C" __global__ void
gru_gates (const GatesArguments a)
{
  EACH (e, a.n)
  {
    const long long at = e / a.hidden * 3 * a.hidden + e % a.hidden;
    const float     r = sigmoid (a.i2h[at] + a.h2h[at]);
    const float     z = sigmoid (a.i2h[at + a.hidden] + a.h2h[at + a.hidden]);
    const float     candidate = tanhf (a.i2h[at + 2 * a.hidden] + r * a.h2h[at + 2 * a.hidden]);

    a.h[e] = (1.f - z) * candidate + z * a.before[e];
  }
}
