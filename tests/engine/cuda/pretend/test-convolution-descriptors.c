/* test-convolution-descriptors.c — the vendor's cuDNN and the pretend one agree on descriptors of
 * convolutions: the sizes of outputs, and what is refused.  These functions need no GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn-convolution.h"
#include "tests/engine/cuda/pretend/driver.h"
#include "tests/program.h"

#include <dlfcn.h>

#define VENDOR   "/usr/local/cuda/lib64/libcudnn.so.9"
#define MOST     10
#define MOST_SET 8

/* The functions that are compared. */
typedef struct
{
  gboolean                                            is_open;
  __typeof__ (&cudnnCreateTensorDescriptor)           create_tensor;
  __typeof__ (&cudnnDestroyTensorDescriptor)          destroy_tensor;
  __typeof__ (&cudnnSetTensorNdDescriptor)            set_tensor;
  __typeof__ (&cudnnCreateFilterDescriptor)           create_filter;
  __typeof__ (&cudnnDestroyFilterDescriptor)          destroy_filter;
  __typeof__ (&cudnnSetFilterNdDescriptor)            set_filter;
  __typeof__ (&cudnnCreateConvolutionDescriptor)      create;
  __typeof__ (&cudnnDestroyConvolutionDescriptor)     destroy;
  __typeof__ (&cudnnSetConvolutionNdDescriptor)       set;
  __typeof__ (&cudnnSetConvolutionGroupCount)         set_groups;
  __typeof__ (&cudnnSetConvolutionMathType)           set_math;
  __typeof__ (&cudnnGetConvolutionNdForwardOutputDim) find_output;
} Library;

static Library       vendor;
static const Library ours = {
  TRUE,
  cudnnCreateTensorDescriptor,
  cudnnDestroyTensorDescriptor,
  cudnnSetTensorNdDescriptor,
  cudnnCreateFilterDescriptor,
  cudnnDestroyFilterDescriptor,
  cudnnSetFilterNdDescriptor,
  cudnnCreateConvolutionDescriptor,
  cudnnDestroyConvolutionDescriptor,
  cudnnSetConvolutionNdDescriptor,
  cudnnSetConvolutionGroupCount,
  cudnnSetConvolutionMathType,
  cudnnGetConvolutionNdForwardOutputDim,
};

static gpointer
find (gpointer library, const char *name)
{
  gpointer function = dlsym (library, name);

  if (!function)
    g_error ("%s is missing", name);
  return function;
}

#define FIND(member, name) *(gpointer *) &this->member = find (library, #name)

static void
open_library (Library *this, gpointer library)
{
  FIND (create_tensor, cudnnCreateTensorDescriptor);
  FIND (destroy_tensor, cudnnDestroyTensorDescriptor);
  FIND (set_tensor, cudnnSetTensorNdDescriptor);
  FIND (create_filter, cudnnCreateFilterDescriptor);
  FIND (destroy_filter, cudnnDestroyFilterDescriptor);
  FIND (set_filter, cudnnSetFilterNdDescriptor);
  FIND (create, cudnnCreateConvolutionDescriptor);
  FIND (destroy, cudnnDestroyConvolutionDescriptor);
  FIND (set, cudnnSetConvolutionNdDescriptor);
  FIND (set_groups, cudnnSetConvolutionGroupCount);
  FIND (set_math, cudnnSetConvolutionMathType);
  FIND (find_output, cudnnGetConvolutionNdForwardOutputDim);
  this->is_open = TRUE;
}

/* FALSE and a skipped test without the vendor's library. */
static gboolean
open_libraries (void)
{
  gpointer library;

  if (vendor.is_open)
    return TRUE;
  library = dlopen (VENDOR, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    {
      g_test_skip ("the vendor's library is not here");
      return FALSE;
    }
  open_library (&vendor, library);
  pretend_configure ("");
  return TRUE;
}

/* The vendor has finer codes, such as 2002; the thousands tell the kind. */
static int
kind (cudnnStatus_t status)
{
  return (int) status / 1000;
}

/* --- Windows and filters --- */

typedef struct
{
  int rank, pad, stride, dilate, precision, groups, math;
} Windows;

/* The answers of the three functions, as text. */
static char *
set_windows (const Library *library, const Windows *w)
{
  int                          pad[MOST], stride[MOST], dilate[MOST];
  cudnnConvolutionDescriptor_t convolution;
  char                        *text;

  for (int i = 0; i < MOST; i++)
    {
      pad[i] = i == 1 ? 0 : w->pad;
      stride[i] = i == 1 ? 1 : w->stride;
      dilate[i] = i == 1 ? 1 : w->dilate;
    }
  g_assert_cmpint (library->create (&convolution), ==, 0);
  text = g_strdup_printf ("%d %d %d",
                          kind (library->set (convolution, w->rank, pad, stride, dilate, 1,
                                              w->precision)),
                          kind (library->set_groups (convolution, w->groups)),
                          kind (library->set_math (convolution, w->math)));
  g_assert_cmpint (library->destroy (convolution), ==, 0);
  return text;
}

static void
compare_windows (const Windows *w)
{
  g_autofree char *theirs = set_windows (&vendor, w), *mine = set_windows (&ours, w);

  if (!g_str_equal (theirs, mine))
    g_error ("rank %d, pad %d, stride %d, dilate %d, precision %d, %d groups, math %d: the vendor "
             "answers %s, we answer %s",
             w->rank, w->pad, w->stride, w->dilate, w->precision, w->groups, w->math, theirs, mine);
}

static void
test_windows (void)
{
  if (!open_libraries ())
    return;
  for (int rank = -1; rank <= MOST_SET; rank++)
    compare_windows (&(Windows){ rank, 0, 1, 1, 0, 1, 0 });
  for (int pad = -1; pad <= 1; pad++)
    for (int stride = -1; stride <= 2; stride++)
      for (int dilate = -1; dilate <= 2; dilate++)
        compare_windows (&(Windows){ 2, pad, stride, dilate, 0, 1, 0 });
  for (int precision = -1; precision <= 11; precision++)
    compare_windows (&(Windows){ 2, 0, 1, 1, precision, 1, 0 });
  for (int number = -1; number <= 5; number++)
    compare_windows (&(Windows){ 2, 0, 1, 1, 0, number, number });
}

static int
set_filter (const Library *library, int type, int rank, int second)
{
  int                     dims[MOST] = { 4, second, 4, 4, 4, 4, 4, 4, 4, 4 };
  cudnnFilterDescriptor_t filter;
  int                     answer;

  g_assert_cmpint (library->create_filter (&filter), ==, 0);
  answer = kind (library->set_filter (filter, type, 0, rank, dims));
  g_assert_cmpint (library->destroy_filter (filter), ==, 0);
  return answer;
}

static void
test_filters (void)
{
  if (!open_libraries ())
    return;
  for (int rank = -1; rank < MOST; rank++)
    g_assert_cmpint (set_filter (&vendor, 0, rank, 4), ==, set_filter (&ours, 0, rank, 4));
  for (int type = -1; type <= 11; type++)
    g_assert_cmpint (set_filter (&vendor, type, 4, 4), ==, set_filter (&ours, type, 4, 4));
  for (int second = -1; second <= 2; second++)
    g_assert_cmpint (set_filter (&vendor, 0, 4, second), ==, set_filter (&ours, 0, 4, second));
  g_assert_cmpint (kind (vendor.destroy (NULL)), ==, kind (ours.destroy (NULL)));
  g_assert_cmpint (kind (vendor.destroy_filter (NULL)), ==, kind (ours.destroy_filter (NULL)));
}

/* --- Sizes of outputs --- */

typedef struct
{
  int spatial, groups, channels, depth, filters, size, kernel, pad, stride, dilate;
} Layer;

/* What a library answers, and the sizes that it gives, as text. */
static char *
describe_output (const Library *library, const Layer *l)
{
  int                          rank = l->spatial + 2, stride = 1, strides[MOST], answer;
  int                          x_dims[] = { 2, l->channels, l->size, 9, 8 };
  int                          w_dims[] = { l->filters, l->depth, l->kernel, 2, 3 };
  int                          pad[] = { l->pad, 1, 0 }, step[] = { l->stride, 2, 1 };
  int                          dilate[] = { l->dilate, 1, 2 }, dims[MOST] = { 0 };
  cudnnTensorDescriptor_t      x;
  cudnnFilterDescriptor_t      w;
  cudnnConvolutionDescriptor_t convolution;
  GString                     *text;

  for (int i = rank - 1; i >= 0; i--)
    {
      strides[i] = stride;
      stride *= x_dims[i];
    }
  g_assert_cmpint (library->create_tensor (&x), ==, 0);
  g_assert_cmpint (library->create_filter (&w), ==, 0);
  g_assert_cmpint (library->create (&convolution), ==, 0);
  g_assert_cmpint (library->set_tensor (x, 0, rank, x_dims, strides), ==, 0);
  g_assert_cmpint (library->set_filter (w, 0, 0, rank, w_dims), ==, 0);
  g_assert_cmpint (library->set (convolution, l->spatial, pad, step, dilate, 1, 0), ==, 0);
  g_assert_cmpint (library->set_groups (convolution, l->groups), ==, 0);
  answer = kind (library->find_output (convolution, x, w, rank, dims));
  text = g_string_new (NULL);
  g_string_append_printf (text, "%d", answer);
  for (int i = 0; answer == 0 && i < rank; i++)
    g_string_append_printf (text, " %d", dims[i]);
  library->destroy_tensor (x);
  library->destroy_filter (w);
  library->destroy (convolution);
  return g_string_free (text, FALSE);
}

static void
compare_output (const Layer *l)
{
  g_autofree char *theirs = describe_output (&vendor, l), *mine = describe_output (&ours, l);

  if (!g_str_equal (theirs, mine))
    g_error ("%d axes, %d groups, %d channels of %d, %d filters, size %d, kernel %d, pad %d, "
             "stride "
             "%d, dilate %d: the vendor answers %s, we answer %s",
             l->spatial, l->groups, l->channels, l->depth, l->filters, l->size, l->kernel, l->pad,
             l->stride, l->dilate, theirs, mine);
}

static void
test_outputs (void)
{
  if (!open_libraries ())
    return;
  for (int spatial = 2; spatial <= 3; spatial++)
    for (int kernel = 1; kernel <= 7; kernel++)
      for (int pad = 0; pad <= 2; pad++)
        for (int stride = 1; stride <= 3; stride++)
          for (int dilate = 1; dilate <= 2; dilate++)
            compare_output (&(Layer){ spatial, 1, 4, 4, 6, 7, kernel, pad, stride, dilate });
  for (int groups = 1; groups <= 4; groups++)
    for (int depth = 1; depth <= 4; depth++)
      for (int filters = 1; filters <= 6; filters++)
        compare_output (&(Layer){ 2, groups, 4, depth, filters, 7, 3, 1, 1, 1 });
}

TEST_PROGRAM (test_convolution_descriptors)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/pretend/convolution-descriptors/windows-are-refused-as-by-the-vendor",
                   test_windows);
  g_test_add_func ("/cuda/pretend/convolution-descriptors/filters-are-refused-as-by-the-vendor",
                   test_filters);
  g_test_add_func ("/cuda/pretend/convolution-descriptors/outputs-have-the-vendor's-sizes",
                   test_outputs);
  return g_test_run ();
}
