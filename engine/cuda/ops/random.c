/* random.c — numbers that are drawn from a distribution: _random_… and _sample_….
 *
 * A row holds the formula of a distribution.  Those by rejection, such as gamma, take any number of words and
 * are left to the host.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/draws.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256

typedef struct
{
  const char *draw;   /* of the seed, the number i and the parameters p and q */
  const char *single; /* the same for float32; NULL: draw, rounded */
  const char *parameters[2];
} Distribution;

static const Distribution uniform = {
  "scaled (p, q - p, uniform (seed, i))",
  "scaled ((float) p, (float) (q - p), uniform_single (seed, i))",
  { "low", "high" }
};
static const Distribution normal = { "scaled (p, q, normal (seed, i))", NULL, { "loc", "scale" } };
static const Distribution exponential = { "-log1p (-uniform (seed, i)) / p", NULL, { "lam" } };
static const Distribution integers = { "integer (seed, i, a.first, (U64) a.range)",
                                       NULL,
                                       { NULL } };

/* With parameters from tensors uniform float32 numbers have 53 bits before they are rounded, too. */
static const Distribution sampled_uniform = { "scaled (p, q - p, uniform (seed, i))",
                                              NULL,
                                              { NULL } };

typedef struct
{
  CUfunction             function;
  gboolean               is_sampled; /* the inputs are parameters */
  struct RandomArguments arguments;
} Prepared;

static gpointer
prepare (HybDevice          *device,
         const HybCall      *call,
         const Distribution *distribution,
         gboolean            is_sampled,
         GError            **error)
{
  HybDType    dtype = call->output[0].dtype;
  const char *draw =
      dtype == HYB_F32 && distribution->single ? distribution->single : distribution->draw;
  const char      *parameter = hyb_cuda_stored_type (is_sampled ? call->input[0].dtype : HYB_F64);
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n#define Result %s\n#define Parameter %s\n"
                       "#define DRAW %s\n%s",
                       hyb_cuda_stored_type (dtype), hyb_cuda_result_type (dtype), parameter, draw,
                       hyb_cuda_kernel_text ("random.cu"));
  CUfunction function = hyb_cuda_compile (device, text, "draw", error);
  gint64     n = hyb_shape_size (&call->output[0].shape), n_parameters = 1;
  Prepared  *prepared;

  if (!function)
    return NULL;
  if (is_sampled)
    n_parameters = hyb_shape_size (&call->input[0].shape);
  prepared = g_new0 (Prepared, 1);
  prepared->function = function;
  prepared->is_sampled = is_sampled;
  prepared->arguments.n = n;
  prepared->arguments.n_drawn = n > 0 ? n / n_parameters : 1;
  for (guint i = 0; i < 2 && distribution->parameters[i]; i++)
    prepared->arguments.numbers[i] = hyb_cuda_get_double (call, distribution->parameters[i]);
  if (distribution == &integers)
    {
      gint64 first = hyb_cuda_get_int (call, "low", 0);
      gint64 end = hyb_cuda_get_int (call, "high", 1);

      prepared->arguments.first = first;
      prepared->arguments.range = (gint64) ((guint64) end - (guint64) first);
    }
  return prepared;
}

#define PREPARE(stem, distribution, is_sampled)                                             \
  static gpointer stem##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                  GError **error)                                           \
  {                                                                                         \
    return prepare (device, call, &(distribution), (is_sampled), error);                    \
  }
PREPARE (uniform, uniform, FALSE)
PREPARE (normal, normal, FALSE)
PREPARE (exponential, exponential, FALSE)
PREPARE (integers, integers, FALSE)
PREPARE (sampled_uniform, sampled_uniform, TRUE)
PREPARE (sampled_normal, normal, TRUE)
PREPARE (sampled_exponential, exponential, TRUE)
#undef PREPARE

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared        *prepared = data;
  struct RandomArguments arguments = prepared->arguments;

  arguments.draws = hyb_cuda_draws (run);
  arguments.y = run->output[0];
  if (prepared->is_sampled)
    arguments.p = run->input[0];
  if (prepared->is_sampled && call->n_inputs > 1)
    arguments.q = run->input[1];
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->function, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

#define TWIN(id, stem)                                                         \
  {                                                                            \
    .name = id, .prepare = stem##_prepare, .launch = launch, .release = g_free \
  }

const HybDeviceOp hyb_cuda_ops_random[] = {
  TWIN ("_random_uniform", uniform),
  TWIN ("_random_uniform_like", uniform),
  TWIN ("_random_normal", normal),
  TWIN ("_random_normal_like", normal),
  TWIN ("_random_exponential", exponential),
  TWIN ("_random_exponential_like", exponential),
  TWIN ("_random_randint", integers),
  TWIN ("_sample_uniform", sampled_uniform),
  TWIN ("_sample_normal", sampled_normal),
  TWIN ("_sample_exponential", sampled_exponential),
  { NULL },
};
