/* gates.cu — from the two products of a recurrent cell to its new state, and from the gradient of that state to those of
 * the products, in single precision.  Recording kernels write what the gradient reads. */
#include "prelude.cuh"
#include "arguments.h"

DEVICE float
sigmoid (float x)
{
  return 1.f / (1.f + expf (-x));
}

/* The place of the first gate of an element. */
DEVICE long long
first_gate (long long e, long long hidden, int gates)
{
  return e / hidden * gates * hidden + e % hidden;
}

/* c = f c' + i g; h = o tanh (c), where the gates i, f, g, o are functions of i2h + h2h. */
DEVICE void
step_lstm (const GatesArguments &a, long long e, bool keeps)
{
  const long long at = first_gate (e, a.hidden, 4);
  const float     i = sigmoid (a.i2h[at] + a.h2h[at]);
  const float     f = sigmoid (a.i2h[at + a.hidden] + a.h2h[at + a.hidden]);
  const float     g = tanhf (a.i2h[at + 2 * a.hidden] + a.h2h[at + 2 * a.hidden]);
  const float     o = sigmoid (a.i2h[at + 3 * a.hidden] + a.h2h[at + 3 * a.hidden]);
  const float     c = f * a.before[e] + i * g;
  const float     t = tanhf (c);

  a.c[e] = c;
  a.h[e] = o * t;
  if (keeps)
    {
      a.kept[0][e] = i;
      a.kept[1][e] = f;
      a.kept[2][e] = g;
      a.kept[3][e] = o;
      a.kept[4][e] = t;
    }
}

extern "C" __global__ void
lstm_gates (const GatesArguments a)
{
  EACH (e, a.n)
    step_lstm (a, e, false);
}

extern "C" __global__ void
recording_lstm_gates (const GatesArguments a)
{
  EACH (e, a.n)
    step_lstm (a, e, true);
}

/* candidate = tanh (x + r y); h = (1 − z) candidate + z h', where the gates r and z are sigmoids of
 * i2h + h2h, and x and y the third gates of i2h and h2h. */
DEVICE void
step_gru (const GatesArguments &a, long long e, bool keeps)
{
  const long long at = first_gate (e, a.hidden, 3);
  const float     r = sigmoid (a.i2h[at] + a.h2h[at]);
  const float     z = sigmoid (a.i2h[at + a.hidden] + a.h2h[at + a.hidden]);
  const float     candidate = tanhf (a.i2h[at + 2 * a.hidden] + r * a.h2h[at + 2 * a.hidden]);

  a.h[e] = (1.f - z) * candidate + z * a.before[e];
  if (keeps)
    {
      a.kept[0][e] = r;
      a.kept[1][e] = z;
      a.kept[2][e] = candidate;
    }
}

extern "C" __global__ void
gru_gates (const GatesArguments a)
{
  EACH (e, a.n)
    step_gru (a, e, false);
}

extern "C" __global__ void
recording_gru_gates (const GatesArguments a)
{
  EACH (e, a.n)
    step_gru (a, e, true);
}

/* dc = dc' + dh o (1 − tanh² c); then the gradients of the sums of i, f, g, o, and f dc. */
extern "C" __global__ void
backward_lstm_gates (const GateGradientArguments a)
{
  EACH (e, a.n)
  {
    const long long at = first_gate (e, a.hidden, 4);
    const float     i = a.kept[0][e], f = a.kept[1][e], g = a.kept[2][e], o = a.kept[3][e];
    const float     t = a.kept[4][e], dh = a.h[e];
    const float     dc = (a.c ? a.c[e] : 0.f) + (1.f - t * t) * (dh * o);

    a.to_i2h[at] = (1.f - i) * i * (dc * g);
    a.to_i2h[at + a.hidden] = (1.f - f) * f * (dc * a.before[e]);
    a.to_i2h[at + 2 * a.hidden] = (1.f - g * g) * (dc * i);
    a.to_i2h[at + 3 * a.hidden] = (1.f - o) * o * (dh * t);
    a.to_before[e] = dc * f;
  }
}

/* dn = dh (1 − z) (1 − n²), dz = dh (h' − n), dr = dn y; both products get the gradients of the sums of r and z, i2h
 * gets dn, h2h r dn, and h' gets z dh. */
extern "C" __global__ void
backward_gru_gates (const GateGradientArguments a)
{
  EACH (e, a.n)
  {
    const long long at = first_gate (e, a.hidden, 3);
    const float     r = a.kept[0][e], z = a.kept[1][e], n = a.kept[2][e], dh = a.h[e];
    const float     dn = (1.f - n * n) * (dh * (1.f - z));
    const float     dr = (1.f - r) * r * (dn * a.h2h[at + 2 * a.hidden]);
    const float     dz = (1.f - z) * z * (dh * a.before[e] - dh * n);

    a.to_i2h[at] = dr;
    a.to_i2h[at + a.hidden] = dz;
    a.to_i2h[at + 2 * a.hidden] = dn;
    a.to_h2h[at] = dr;
    a.to_h2h[at + a.hidden] = dz;
    a.to_h2h[at + 2 * a.hidden] = dn * r;
    a.to_before[e] = dh * z;
  }
}
