/* test-gallery.c — runs each model of the gallery imperatively, hybridized and in static mode,
 * forwards and backwards: all must give the same numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/backward.h"
#include "engine/hybrid.h"
#include "tests/program.h"
#include "tests/small-gallery.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  HybModelSpec *spec;
  HybBlock     *block;
  GPtrArray    *inputs; /* of HybTensor */
  char         *text;
} Case;

static void
fill_tokens (HybTensor *tensor)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i,
                          (double) (hyb_random_word (5, (guint64) i) % 7));
}

static void
set_up (Case *c, const char *name)
{
  HybType    label_type;
  HybTensor *label = NULL;
  g_autoptr (GError) error = NULL;

  c->text = small_gallery_model (name);
  c->spec = hyb_model_spec_new (c->text, &error);
  g_assert_no_error (error);
  c->block = hyb_model_spec_build (c->spec, &error);
  g_assert_no_error (error);

  c->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < c->spec->types->len; i++)
    g_ptr_array_add (c->inputs,
                     hyb_tensor_new_zeros (&g_array_index (c->spec->types, HybType, i), NULL));
  if (!c->spec->klass->task.fill)
    {
      fill_tokens (c->inputs->pdata[0]);
      return;
    }
  g_assert_true (hyb_model_spec_label_type (c->spec, &label_type, &error));
  label = hyb_tensor_new_zeros (&label_type, NULL);
  c->spec->klass->task.fill (c->spec->options,
                             &(HybBatch){ .seed = 3,
                                          .n_inputs = c->inputs->len,
                                          .inputs = (HybTensor **) c->inputs->pdata,
                                          .label = label });
  hyb_tensor_unref (label);
}

static void
tear_down (Case *c)
{
  hyb_block_unref (c->block);
  hyb_model_spec_free (c->spec);
  g_ptr_array_unref (c->inputs);
  g_free (c->text);
}

/* Arrays nested as the text says. */
static HybValue *
nest (HybF *F, const char **structure, HybTensor ***next)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  if (*(*structure)++ == '0')
    return hyb_value_from_tensor (F, *(*next)++);
  for (; **structure != ']'; (*structure) += strspn (*structure, ", "))
    g_ptr_array_add (items, nest (F, structure, next));
  (*structure)++;
  return hyb_list (F, items->len, (HybValue *const *) items->pdata);
}

/* Copies of all outputs, of the block's own call. */
static GPtrArray *
call_block (Case *c)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  const char *structure = c->spec->structure;
  HybTensor **next = (HybTensor **) c->inputs->pdata;
  HybValue   *result = hyb_call (F, c->block, nest (F, &structure, &next));
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GError) error = NULL;

  hyb_f_check (F, &error);
  g_assert_no_error (error);
  hyb_flatten_into (result, arrays);
  for (guint i = 0; i < arrays->len; i++)
    g_ptr_array_add (outputs, hyb_tensor_copy (hyb_value_get_tensor (arrays->pdata[i])));
  return outputs;
}

static void
assert_near (HybTensor *got, HybTensor *want, const char *what)
{
  g_assert_cmpint (hyb_tensor_get_size (got), ==, hyb_tensor_get_size (want));
  for (gint64 i = 0; i < hyb_tensor_get_size (got); i++)
    {
      double a = hyb_tensor_get_value (got, i), b = hyb_tensor_get_value (want, i);

      if (!(fabs (a - b) <= 1e-5 + 1e-4 * fabs (b)))
        {
          g_test_message ("%s: element %d is %g and %g", what, (int) i, a, b);
          g_test_fail ();
          return;
        }
    }
}

static void
assert_all_near (GPtrArray *got, GPtrArray *want, const char *what)
{
  g_assert_cmpuint (got->len, ==, want->len);
  for (guint i = 0; i < got->len; i++)
    assert_near (got->pdata[i], want->pdata[i], what);
}

static void
test_forward (gconstpointer name)
{
  Case c;
  g_autoptr (GPtrArray) at_once = NULL;
  g_autoptr (GPtrArray) again = NULL;
  g_autoptr (GPtrArray) hybrid = NULL;
  g_autoptr (GPtrArray) kept = NULL;
  const HybHybridize how = { .static_alloc = TRUE, .static_shape = TRUE };
  guint64            calls;

  set_up (&c, name);
  calls = hyb_block_n_forward_calls (c.block);
  at_once = call_block (&c);
  again = call_block (&c);
  g_assert_cmpuint (hyb_block_n_forward_calls (c.block), ==, calls + 2);

  g_assert_true (hyb_block_hybridize (c.block, TRUE, NULL, NULL));
  calls = hyb_block_n_forward_calls (c.block);
  for (int i = 0; i < 3; i++)
    {
      g_clear_pointer (&hybrid, g_ptr_array_unref);
      hybrid = call_block (&c);
    }
  g_assert_cmpuint (hyb_block_n_forward_calls (c.block), ==, calls + 1);

  g_assert_true (hyb_block_hybridize (c.block, TRUE, &how, NULL));
  for (int i = 0; i < 2; i++)
    {
      g_clear_pointer (&kept, g_ptr_array_unref);
      kept = call_block (&c);
    }
  assert_all_near (hybrid, at_once, "hybrid");
  assert_all_near (kept, at_once, "static");
  tear_down (&c);
}

/* --- Backwards --- */

static HybTensor *
ones_like (HybTensor *tensor)
{
  HybTensor *ones = hyb_tensor_new (hyb_tensor_get_type (tensor), NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (ones); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (ones), hyb_tensor_get_dtype (ones), (gsize) i, 1);
  return ones;
}

/* Gradients of all outputs' sum with respect to parameters, by name, from the tape. */
static GHashTable *
tape_gradients (Case *c)
{
  GHashTable *gradients =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (c->block);
  g_autoptr (GPtrArray) heads = g_ptr_array_new ();
  const char *structure = c->spec->structure;
  HybTensor **next = (HybTensor **) c->inputs->pdata;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < parameters->len; i++)
    hyb_tape_attach (tape, hyb_parameter_get_data (parameters->pdata[i], NULL), HYB_REQUEST_WRITE);
  hyb_f_set_tape (F, tape);
  hyb_tape_begin (tape);
  hyb_flatten_into (hyb_call (F, c->block, nest (F, &structure, &next)), heads);
  hyb_tape_end (tape);
  hyb_f_check (F, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < heads->len; i++)
    heads->pdata[i] = hyb_value_get_tensor (heads->pdata[i]);
  hyb_tape_backward (tape,
                     &(HybBackwardPass){ .n_heads = heads->len,
                                         .heads = (HybTensor *const *) heads->pdata },
                     &error);
  g_assert_no_error (error);

  for (guint i = 0; i < parameters->len; i++)
    {
      HybTensor *data = hyb_parameter_get_data (parameters->pdata[i], NULL);
      HybTensor *gradient = hyb_tape_get_gradient (tape, data);

      if (gradient)
        g_hash_table_insert (gradients, g_strdup (hyb_parameter_get_name (parameters->pdata[i])),
                             hyb_tensor_copy (gradient));
    }
  return gradients;
}

/* The same from the graph. */
static void
check_graph_gradients (Case *c, HybMode mode, GHashTable *want, GPtrArray *outputs)
{
  g_autoptr (HybModel) model = hyb_model_open (c->text, NULL, HYB_EPOCH_HIGHEST, NULL);
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (HybGraph) whole = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;
  const HybNodeId *variables;
  guint            n, head = 0;

  variables = hyb_graph_get_arguments (graph, &n);
  for (guint i = 0; i < n; i++)
    if (g_hash_table_contains (want, hyb_graph_get_node (graph, variables[i])->name))
      g_array_append_val (wrt, variables[i]);
  whole = hyb_graph_with_gradients (graph, wrt->len, (const HybNodeId *) wrt->data, &error);
  g_assert_no_error (error);
  executor = hyb_executor_new (whole, &(HybExecutorOptions){ .mode = mode });

  for (guint i = 0; i < c->inputs->len; i++)
    {
      const char *name = hyb_model_spec_input_name (c->spec, i);

      if (hyb_graph_find_variable (whole, name) != HYB_NO_ID)
        g_assert_true (hyb_executor_bind (executor, name, c->inputs->pdata[i], NULL));
    }
  variables = hyb_graph_get_variables (whole, &n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (whole, variables[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (model, name);
      g_autoptr (HybTensor) ones = NULL;

      if (!tensor && strstr (name, "_head_gradient"))
        tensor = ones = ones_like (outputs->pdata[head++]);
      if (tensor)
        g_assert_true (hyb_executor_bind (executor, name, tensor, NULL));
    }
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < wrt->len; i++)
    {
      const char *name = hyb_graph_get_node (graph, g_array_index (wrt, HybNodeId, i))->name;

      assert_near (hyb_executor_get_output (executor, outputs->len + i),
                   g_hash_table_lookup (want, name), name);
    }
}

static void
test_backward (gconstpointer name)
{
  Case c;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GHashTable) gradients = NULL;

  set_up (&c, name);
  outputs = call_block (&c);
  gradients = tape_gradients (&c);
  g_assert_cmpuint (g_hash_table_size (gradients), >, 0);
  check_graph_gradients (&c, HYB_MODE_IMPERATIVE, gradients, outputs);
  check_graph_gradients (&c, HYB_MODE_HYBRID, gradients, outputs);
  check_graph_gradients (&c, HYB_MODE_STATIC, gradients, outputs);
  tear_down (&c);
}

/* --- What is written is read again --- */

static void
test_written (gconstpointer name)
{
  Case             c;
  g_autofree char *folder = g_dir_make_tmp ("gallery-XXXXXX", NULL);
  g_autofree char *prefix = g_build_filename (folder, "m", NULL);
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybModel) again = NULL;
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  set_up (&c, name);
  model = hyb_model_open (c.text, NULL, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  g_assert_true (hyb_model_save (model, prefix, 0, written, &error));
  again = hyb_model_open (written->pdata[0], NULL, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_graph_n_nodes (hyb_model_get_graph (model)), ==,
                    hyb_graph_n_nodes (hyb_model_get_graph (again)));
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, hyb_model_n_parameters (again));
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *parameter = hyb_model_get_parameter_name (model, i);
      HybTensor  *a = hyb_model_get_parameter (model, parameter);
      HybTensor  *b = hyb_model_get_parameter (again, parameter);

      g_assert_nonnull (b);
      g_assert_cmpmem (hyb_tensor_get_data (a), hyb_tensor_get_bytes (a), hyb_tensor_get_data (b),
                       hyb_tensor_get_bytes (b));
    }
  for (guint i = 0; i < written->len; i++)
    remove (written->pdata[i]);
  remove (folder);
  tear_down (&c);
}

static void
test_unrolled_length (void)
{
  g_autoptr (HybModel) model =
      hyb_model_open ("gallery:lstm-unrolled?length=2000&batch=1", NULL, HYB_EPOCH_HIGHEST, NULL);

  g_assert_nonnull (model);
  g_assert_cmpuint (hyb_graph_n_nodes (hyb_model_get_graph (model)), >=, 26000);
  g_assert_cmpuint (hyb_graph_n_nodes (hyb_model_get_graph (model)), <, 26100);
}

static void
test_seeds (void)
{
  g_autoptr (HybModel) a = hyb_model_open ("gallery:mlp", NULL, HYB_EPOCH_HIGHEST, NULL);
  g_autoptr (HybModel) b = hyb_model_open ("gallery:mlp?seed=0", NULL, HYB_EPOCH_HIGHEST, NULL);
  g_autoptr (HybModel) c = hyb_model_open ("gallery:mlp?seed=1", NULL, HYB_EPOCH_HIGHEST, NULL);
  const char *name = hyb_model_get_parameter_name (a, 0);
  HybTensor  *first = hyb_model_get_parameter (a, name);
  gsize       size = hyb_tensor_get_bytes (first);
  const void *bytes = hyb_tensor_get_data (first);

  g_assert_cmpmem (bytes, size, hyb_tensor_get_data (hyb_model_get_parameter (b, name)), size);
  g_assert_cmpint (memcmp (bytes, hyb_tensor_get_data (hyb_model_get_parameter (c, name)), size),
                   !=, 0);
}

TEST_PROGRAM (test_gallery)
{
  g_autoptr (GPtrArray) models = NULL;

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  models = hyb_gallery_list ();
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpuint (models->len, >=, 19);
  for (guint i = 0; i < models->len; i++)
    {
      const char      *name = ((const HybModelClass *) models->pdata[i])->name;
      g_autofree char *forward =
          g_strdup_printf ("/engine/block/gallery/%s/forward-is-equal-in-all-modes", name);
      g_autofree char *backward =
          g_strdup_printf ("/engine/block/gallery/%s/backward-is-equal-in-all-modes", name);
      g_autofree char *written =
          g_strdup_printf ("/engine/block/gallery/%s/is-read-as-it-was-written", name);

      g_test_add_data_func (forward, name, test_forward);
      g_test_add_data_func (backward, name, test_backward);
      g_test_add_data_func (written, name, test_written);
    }
  g_test_add_func ("/engine/block/gallery/two-thousand-steps-are-26000-nodes",
                   test_unrolled_length);
  g_test_add_func ("/engine/block/gallery/equal-seeds-give-equal-weights", test_seeds);
  return g_test_run ();
}
