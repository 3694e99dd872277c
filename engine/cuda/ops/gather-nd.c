/* gather-nd.c — gather_nd and its gradient, and scatter_nd.
 *
 * As on the processor, a coordinate outside of its axis ends the run with an error that names it.  Kernels
 * cannot do that, so the launch waits for the indices and the host looks at them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256

/* The inputs of all three operators. */
enum
{
  INPUT_X,
  INPUT_INDICES,
};

typedef struct
{
  HybDevice             *device;
  CUfunction             find, move;
  CUfunction             link; /* where results are written, else NULL */
  gpointer               sent; /* pinned: the indices as they come from the device */
  struct GatherArguments arguments;
} Prepared;

static void
release (gpointer data)
{
  Prepared *prepared = data;

  if (prepared->sent)
    hyb_cuda_give (prepared->device, TRUE, prepared->sent);
  g_free (prepared);
}

/* The work of an operator on the selected rows. */
typedef struct
{
  const char *kernel;
  gboolean    writes; /* the rows of the result; else it reads those of its input */
} Form;

/* Compiles the kernels; results whose rows are written also need link_rows(). */
static gboolean
compile (Prepared *prepared, const HybCall *call, const Form *form, GError **error)
{
  HybDevice       *device = prepared->device;
  HybDType         stored = call->output[0].dtype;
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n#define Result %s\n#define Index %s\n%s",
                       hyb_cuda_stored_type (stored), hyb_cuda_result_type (stored),
                       hyb_cuda_stored_type (call->input[INPUT_INDICES].dtype),
                       hyb_cuda_kernel_text ("gather.cu"));

  prepared->find = hyb_cuda_compile (device, text, "find_rows", error);
  prepared->move = prepared->find ? hyb_cuda_compile (device, text, form->kernel, error) : NULL;
  if (!prepared->move || !form->writes)
    return prepared->move != NULL;
  prepared->link = hyb_cuda_compile (device, text, "link_rows", error);
  return prepared->link != NULL;
}

/* whole: the array that the coordinates refer to; rows: the ones that they select. */
static void
lay_out (Prepared *prepared, const HybShape *whole, const HybShape *indices, const HybShape *rows)
{
  struct GatherArguments *arguments = &prepared->arguments;

  arguments->n = hyb_shape_size (rows);
  arguments->depth = (int) indices->dim[0];
  arguments->columns = hyb_shape_count (indices, 1, indices->rank);
  arguments->row = MAX (1, hyb_shape_count (whole, arguments->depth, whole->rank));
  for (int i = 0; i < arguments->depth; i++)
    arguments->dim[i] = whole->dim[i];
}

/* One for each row of the array. */
static gsize
heads_bytes (const Prepared *prepared)
{
  gsize bytes = sizeof (gint32);

  for (int i = 0; i < prepared->arguments.depth; i++)
    bytes *= (gsize) prepared->arguments.dim[i];
  return bytes;
}

static gpointer
prepare (HybDevice *device, const HybCall *call, const Form *form, gsize *workspace, GError **error)
{
  Prepared      *prepared = g_new0 (Prepared, 1);
  const HybType *indices = &call->input[INPUT_INDICES];
  const HybType *x = &call->input[INPUT_X], *y = &call->output[0];

  prepared->device = device;
  if (form->writes)
    lay_out (prepared, &y->shape, &indices->shape, &x->shape);
  else
    lay_out (prepared, &x->shape, &indices->shape, &y->shape);
  if (compile (prepared, call, form, error))
    prepared->sent = hyb_cuda_take (device, TRUE, MAX (1, hyb_type_bytes (indices)), error);
  if (!prepared->sent)
    {
      release (prepared);
      return NULL;
    }
  *workspace = (form->writes ? 2 : 1) * sizeof (gint64) * (gsize) prepared->arguments.columns +
               (form->writes ? heads_bytes (prepared) : 0);
  return prepared;
}

#define PREPARE(stem, ...)                                                                  \
  static gpointer stem##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                  GError **error)                                           \
  {                                                                                         \
    return prepare (device, call, &(const Form){ __VA_ARGS__ }, workspace, error);          \
  }
PREPARE (gather, "gather", FALSE)
PREPARE (scatter, "scatter", TRUE)
PREPARE (add, "add_rows", TRUE)
#undef PREPARE

static const char *
refuses (const HybCall *call)
{
  const HybShape *shape = &call->input[INPUT_INDICES].shape;

  if (shape->dim[0] > AXES_MOST)
    return "it has more coordinates than the kernel's eight";
  return hyb_shape_size (shape) >= G_MAXINT ? "it has more coordinates than the kernel counts"
                                            : NULL;
}

static gboolean
waits (const HybCall *call)
{
  return TRUE;
}

/* Reports the first coordinate that is outside of its axis, if there is one.  FALSE if the queue failed. */
static gboolean
check_indices (HybQueue *queue, const HybCall *call, const HybRun *run, const Prepared *prepared)
{
  const HybType                *indices = &call->input[INPUT_INDICES];
  const struct GatherArguments *arguments = &prepared->arguments;

  if (hyb_type_bytes (indices) == 0)
    return TRUE;
  hyb_cuda_queue_copy (queue, prepared->sent, run->input[INPUT_INDICES], hyb_type_bytes (indices));
  if (!hyb_cuda_queue_finish (queue, NULL, NULL))
    return FALSE;
  for (gint64 j = 0; j < arguments->columns; j++)
    for (int i = 0; i < arguments->depth; i++)
      {
        gsize  at = (gsize) (i * arguments->columns + j);
        gint64 size = arguments->dim[i];
        double given = hyb_dtype_get_double (prepared->sent, indices->dtype, at);

        if (!(given >= -(double) size && given <= (double) (size - 1)))
          hyb_run_report_index (run, i, given, size);
      }
  return TRUE;
}

static void
start (HybQueue *queue, CUfunction function, gint64 n, struct GatherArguments *arguments)
{
  hyb_cuda_launch (queue, &(HybLaunch){ function, n, THREADS, arguments, sizeof *arguments });
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared        *prepared = data;
  struct GatherArguments arguments = prepared->arguments;
  gint64                 columns = arguments.columns;

  if (!check_indices (queue, call, run, prepared))
    return;
  arguments.x = run->input[INPUT_X];
  arguments.indices = run->input[INPUT_INDICES];
  arguments.y = run->output[0];
  arguments.rows = run->workspace;
  arguments.next = arguments.rows + columns;
  arguments.heads = (int *) (arguments.next + columns);
  start (queue, prepared->find, columns, &arguments);
  if (prepared->link)
    {
      hyb_cuda_queue_clear (queue, run->output[0], hyb_type_bytes (&call->output[0]));
      hyb_cuda_queue_clear (queue, arguments.heads, heads_bytes (prepared));
      start (queue, prepared->link, columns > 0 ? THREADS : 0, &arguments); /* one block */
    }
  start (queue, prepared->move, arguments.n, &arguments);
}

#define TWIN(id, stem)                                                                           \
  {                                                                                              \
    .name = id, .refuses = refuses, .prepare = stem##_prepare, .waits = waits, .launch = launch, \
    .release = release                                                                           \
  }

const HybDeviceOp hyb_cuda_ops_gather_nd[] = {
  TWIN ("gather_nd", gather),
  TWIN ("_backward_gather_nd", add),
  TWIN ("scatter_nd", scatter),
  { NULL },
};
