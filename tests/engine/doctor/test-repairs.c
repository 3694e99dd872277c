/* test-repairs.c — a repair of names is right, or it is not made.
 *
 * Models of random layers, with few sizes so that shapes tell little, get their arrays under other names, in
 * another order, or not all.  Which array belongs where is known.  Start at check().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"
#include "engine/doctor/match-parameters.h"
#include "engine/graph/builder.h"
#include "engine/open/open.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <string.h>

/* The build with sanitizers of ./test, which is not optimised, takes seven times as long for each; the other one takes all. */
#ifdef __OPTIMIZE__
#define N_MODELS 200
#else
#define N_MODELS 40
#endif

/* --- Models --- */

typedef struct
{
  HybModel   *model; /* of which only the graph is used */
  GPtrArray  *names; /* of its parameters, in the order of the file */
  GPtrArray  *arrays;
  const char *what;
} Sample;

typedef struct
{
  guint64 seed, count;
} Dice;

static guint
roll (Dice *dice, guint n)
{
  return (guint) (hyb_random_uniform (dice->seed, dice->count++) * n);
}

static void
add_array (HybModel *model, const char *layer, const char *kind, HybShape shape)
{
  g_autofree char *name = g_strconcat (layer, "_", kind, NULL);
  HybType          type = { shape, HYB_F32 };
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, NULL);

  hyb_model_set_parameter (model, name, tensor);
}

/* attributes: key, value, NULL. */
static HybValueId
add_layer (HybBuilder        *builder,
           const char        *op,
           const char        *name,
           GPtrArray         *inputs,
           const char *const *attributes)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (HybValueId));

  for (guint i = 0; i < inputs->len; i++)
    {
      HybValueId id = GPOINTER_TO_UINT (inputs->pdata[i]);

      g_array_append_val (ids, id);
    }
  return hyb_builder_call (builder, op,
                           &(HybNodeSpec){ .name = name,
                                           .attributes = attributes,
                                           .n_inputs = ids->len,
                                           .inputs = (const HybValueId *) (gpointer) ids->data },
                           NULL);
}

/* Dense layers and normalisation, named as Gluon names them. (transfer full) */
static HybModel *
make_network (Dice *dice)
{
  static const guint       sizes[] = { 8, 8, 8, 6 };
  static const char *const statistics[] = { "gamma", "beta", "running_mean", "running_var" };
  HybModel                *model = hyb_model_new ();
  HybBuilder              *builder = hyb_builder_new ();
  HybValueId               value = hyb_builder_add_variable (builder, "data", NULL);
  guint n = 2 + roll (dice, 4), width = 8, n_dense = roll (dice, 3), n_norm = roll (dice, 2);
  g_autofree char *prefix =
      roll (dice, 2) ? g_strdup_printf ("net%u_", roll (dice, 3)) : g_strdup ("");
  g_autoptr (HybGraph) graph = NULL;

  for (guint i = 0; i < n; i++)
    {
      gboolean         is_norm = i > 0 && roll (dice, 4) == 0;
      g_autofree char *name = is_norm ? g_strdup_printf ("%sbatchnorm%u", prefix, n_norm++)
                                      : g_strdup_printf ("%sdense%u", prefix, n_dense++);
      guint            size = sizes[roll (dice, G_N_ELEMENTS (sizes))];
      g_autofree char *text = g_strdup_printf ("%u", size);
      g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

      g_ptr_array_add (inputs, GUINT_TO_POINTER (value));
      for (guint k = 0; k < (is_norm ? 4 : 2); k++)
        {
          const char      *kind = is_norm ? statistics[k] : k == 0 ? "weight" : "bias";
          g_autofree char *variable = g_strconcat (name, "_", kind, NULL);

          add_array (model, name, kind,
                     is_norm  ? hyb_shape_1d (width)
                     : k == 0 ? hyb_shape_2d (size, width)
                              : hyb_shape_1d (size));
          g_ptr_array_add (inputs,
                           GUINT_TO_POINTER (hyb_builder_add_variable (builder, variable, NULL)));
        }
      value = add_layer (builder, is_norm ? "BatchNorm" : "FullyConnected", name, inputs,
                         (const char *[]){ is_norm ? "eps" : "num_hidden", is_norm ? "0.001" : text,
                                           NULL });
      width = is_norm ? width : size;
    }
  hyb_builder_add_head (builder, value);
  graph = hyb_builder_freeze (builder);
  hyb_model_set_graph (model, graph);
  return model;
}

static Sample
make_sample (HybModel *model, const char *what)
{
  Sample sample = { .model = model, .what = what };

  sample.names = g_ptr_array_new_with_free_func (g_free);
  sample.arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      if (hyb_graph_find_variable (hyb_model_get_graph (model), name) == HYB_NO_ID)
        continue;
      g_ptr_array_add (sample.names, g_strdup (name));
      /* A copy for each name, so that arrays can be told apart. */
      g_ptr_array_add (sample.arrays,
                       hyb_tensor_convert (hyb_model_get_parameter (model, name),
                                           hyb_tensor_get_dtype (
                                               hyb_model_get_parameter (model, name))));
    }
  return sample;
}

static void
clear_sample (Sample *sample)
{
  hyb_model_unref (sample->model);
  g_ptr_array_unref (sample->names);
  g_ptr_array_unref (sample->arrays);
}

/* --- Changes of names --- */

/* The name with its last but `skip` number increased by n.  (transfer full) */
static char *
shift (const char *name, guint n)
{
  const char *at = NULL;

  for (const char *c = name; *c; c++)
    if (g_ascii_isdigit (*c) && (c == name || !g_ascii_isdigit (c[-1])))
      at = c;
  if (!at)
    return g_strdup (name);
  return g_strdup_printf ("%.*s%" G_GUINT64_FORMAT "%s", (int) (at - name), name,
                          g_ascii_strtoull (at, NULL, 10) + n, at + strspn (at, "0123456789"));
}

static char *
shift_by_one (const char *name, guint i G_GNUC_UNUSED)
{
  return shift (name, 1);
}

static char *
shift_by_two (const char *name, guint i G_GNUC_UNUSED)
{
  return shift (name, 2);
}

static char *
shift_by_nine (const char *name, guint i G_GNUC_UNUSED)
{
  return shift (name, 9);
}

static char *
shift_dense (const char *name, guint i G_GNUC_UNUSED)
{
  return strstr (name, "dense") ? shift (name, 1) : g_strdup (name);
}

static char *
add_prefix (const char *name, guint i G_GNUC_UNUSED)
{
  return g_strconcat ("outer_", name, NULL);
}

static char *
add_prefix_and_shift (const char *name, guint i G_GNUC_UNUSED)
{
  g_autofree char *shifted = shift (name, 1);

  return g_strconcat ("outer_", shifted, NULL);
}

static char *
number (const char *name, guint i)
{
  const char *kind = strrchr (name, '_');

  return g_strdup_printf ("%u.%s", i, kind ? kind + 1 : name);
}

static char *
letter (const char *name, guint i)
{
  const char *kind = strrchr (name, '_');

  return g_strdup_printf ("layer_%c_%s", 'z' - (int) (i % 26), kind ? kind + 1 : name);
}

static char *
misspell_first (const char *name, guint i)
{
  char *changed = g_strdup (name);
  gsize n = strlen (changed);

  if (i == 0 && n > 3)
    {
      char last = changed[n - 1];

      changed[n - 1] = changed[n - 2];
      changed[n - 2] = last;
    }
  return changed;
}

static char *
rename_last (const char *name, guint i)
{
  return i == 0 ? g_strconcat ("strange_", name, NULL) : g_strdup (name);
}

typedef char *(*Rename) (const char *name, guint index);

static const struct
{
  const char *name;
  Rename      rename;
} renames[] = {
  { "none", NULL },
  { "shift by one", shift_by_one },
  { "shift by two", shift_by_two },
  { "shift by nine", shift_by_nine },
  { "shift of dense", shift_dense },
  { "prefix", add_prefix },
  { "prefix and shift", add_prefix_and_shift },
  { "numbers", number },
  { "letters", letter },
  { "one misspelt", misspell_first },
  { "one prefix", rename_last },
};

typedef enum
{
  ORDER_AS_IT_WAS,
  ORDER_REVERSED,
  ORDER_SHUFFLED,
  N_ORDERS,
} Order;

/* Which arrays are in the file, in which order.  (transfer full) */
static GArray *
arrange (const Sample *sample, Order order, gboolean drops_one, Dice *dice)
{
  GArray *indices = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < sample->names->len; i++)
    g_array_append_val (indices, i);
  for (guint i = indices->len; order != ORDER_AS_IT_WAS && i-- > 1;)
    {
      guint  k = order == ORDER_REVERSED ? indices->len - 1 - i : roll (dice, i + 1);
      guint *a = &g_array_index (indices, guint, i), *b = &g_array_index (indices, guint, k),
            c = *a;

      if (order == ORDER_REVERSED && k >= i)
        continue;
      *a = *b;
      *b = c;
    }
  if (drops_one && indices->len > 1)
    g_array_remove_index (indices, roll (dice, indices->len));
  return indices;
}

/* --- The check --- */

typedef struct
{
  guint n, n_right, n_refused, n_wrong;
} Figures;

static void
count_arrays (const Sample *sample, HybModel *model, guint *n_missing, guint *n_wrong)
{
  *n_missing = *n_wrong = 0;
  for (guint i = 0; i < sample->names->len; i++)
    {
      HybTensor *tensor = hyb_model_get_parameter (model, sample->names->pdata[i]);

      *n_missing += !tensor;
      *n_wrong += tensor && tensor != sample->arrays->pdata[i];
    }
}

/* An array that has the name of another variable in the file is not wrong before a repair; a model that runs with
 * it is. */
static void
check (const Sample *sample, guint rename, Order order, gboolean drops_one, Figures *figures)
{
  Dice dice = { rename * 100 + order, 0 };
  g_autoptr (GArray) indices = arrange (sample, order, drops_one, &dice);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autofree HybType *types = NULL;
  guint               n_missing, n_wrong, n_wrong_before;

  hyb_model_set_graph (model, hyb_model_get_graph (sample->model));
  hyb_model_set_weights_file (model, "made.params");
  for (guint i = 0; i < indices->len; i++)
    {
      guint            index = g_array_index (indices, guint, i);
      const char      *name = sample->names->pdata[index];
      g_autofree char *other =
          renames[rename].rename ? renames[rename].rename (name, index) : g_strdup (name);

      hyb_model_set_parameter (model, other, sample->arrays->pdata[index]);
    }
  count_arrays (sample, model, &n_missing, &n_wrong_before);
  hyb_model_match_parameters (model);
  types = hyb_diagnose_new_types (hyb_model_get_graph (model));
  hyb_diagnose (model, types);
  hyb_diagnose_repair (model, changes);
  count_arrays (sample, model, &n_missing, &n_wrong);
  figures->n++;
  figures->n_right += n_missing == 0 && n_wrong == 0;
  figures->n_refused += n_missing > 0;
  if (n_wrong <= n_wrong_before && (n_missing > 0 || n_wrong == 0))
    return;
  figures->n_wrong++;
  g_test_message ("%s: %s, order %d%s: %u of %u arrays are wrong", sample->what,
                  renames[rename].name, order, drops_one ? ", one dropped" : "", n_wrong,
                  sample->names->len);
  for (guint i = 0; i < changes->len; i++)
    g_test_message ("  %s", hyb_change_text (changes, i));
}

static void
check_all (const Sample *sample, Figures *figures)
{
  for (guint rename = 0; rename < G_N_ELEMENTS (renames); rename++)
    for (guint order = 0; order < N_ORDERS; order++)
      for (guint drops = 0; drops < 2; drops++)
        check (sample, rename, (Order) order, drops == 1, figures);
}

static void
test_repairs (void)
{
  static const char *const folders[] = { "bn-residual-train", "cell-lstm-t6-ntc-none",
                                         "inception-block",   "layers-mixed",
                                         "lenet-static",      "lm-lstm",
                                         "mlp-dropout",       "shared-weights",
                                         "two-inputs",        "rnn-checkpoint-tanh" };
  Figures                  figures = { 0 };
  guint                    n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *file = g_strconcat (folders[i], "-symbol.json", NULL);
      g_autofree char *path = golden_path ("models", folders[i], file, NULL);
      HybModel        *model = hyb_model_open (path, NULL, HYB_EPOCH_HIGHEST, NULL);
      Sample           sample;

      if (!model)
        continue;
      sample = make_sample (model, folders[i]);
      check_all (&sample, &figures);
      clear_sample (&sample);
      n++;
    }
  for (; n < N_MODELS; n++)
    {
      Dice             dice = { n, 0 };
      g_autofree char *what = g_strdup_printf ("network %u", n);
      Sample           sample = make_sample (make_network (&dice), what);

      check_all (&sample, &figures);
      clear_sample (&sample);
    }
  g_test_message ("%u changes: %u right, %u refused, %u wrong", figures.n, figures.n_right,
                  figures.n_refused, figures.n_wrong);
  g_assert_cmpuint (figures.n_wrong, ==, 0);
  /* Refusing everything would be right as well.  Half of the changes drop an array. */
  g_assert_cmpuint (figures.n_right * 5, >, figures.n);
}

/* Gluon's counters are one ahead: the last array has no variable, and the first variable no array. */
static void
test_shifted_counters (void)
{
  Dice   dice = { 11, 0 };
  Sample sample = make_sample (make_network (&dice), "shifted");
  g_autoptr (HybModel) model = hyb_model_new ();
  GPtrArray *findings = hyb_model_get_findings (model);
  gboolean   is_reported = FALSE;

  hyb_model_set_graph (model, hyb_model_get_graph (sample.model));
  for (guint i = 0; i < sample.names->len; i++)
    {
      g_autofree char *name = shift (sample.names->pdata[i], 1);

      hyb_model_set_parameter (model, name, sample.arrays->pdata[i]);
    }
  hyb_model_match_parameters (model);
  for (guint i = 0; i < findings->len; i++)
    is_reported |= strcmp (((HybFinding *) findings->pdata[i])->code, "ambiguous-names") == 0;
  g_assert_true (is_reported);
  clear_sample (&sample);
}

TEST_PROGRAM (test_repairs)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/engine/doctor/repairs/right-or-refused", test_repairs);
  g_test_add_func ("/engine/doctor/repairs/shifted-counters-are-shown", test_shifted_counters);
  return g_test_run ();
}
