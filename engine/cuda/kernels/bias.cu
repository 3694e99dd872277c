/* bias.cu — adds the bias of a convolution to its output, which has dim[1] elements for each of dim[0]
 * channels. */
#include "prelude.cuh"
#include "arguments.h"

extern "C" __global__ void
add_bias (const MoveArguments a)
{
  EACH (i, a.n)
  {
    put ((Stored *) a.y,
         i,
         get ((const Stored *) a.y, i) + get ((const Stored *) a.x, i / a.dim[1] % a.dim[0]));
  }
}
