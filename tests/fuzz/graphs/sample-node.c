/* sample-node.c — turns a sample of an operator into a node; see sample-node.h.
 *
 * A sample says with which attributes, shapes and numbers an operator works.  Sizes, element types and attributes are changed;
 * where the operator then refuses, it is tried as the sample says.  Inputs are values of the graph if they can be made to fit.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/graphs/sample-node.h"

#include "engine/base/random.h"
#include "engine/tensor/tensor-text.h"
#include "tests/fuzz/attribute-values.h"
#include "tests/fuzz/graphs/sample-list.h"

#include <math.h>
#include <string.h>

#define MAX_INPUTS   16
#define MAX_ELEMENTS 2048 /* of an input */

#define MAX_REAL   1e3 /* of an attribute */
#define ALL_INPUTS G_MAXUINT

/* What is changed in a sample. */
typedef struct
{
  gint64 size, new_size; /* of every dimension that has this size; 0 for none */
  guint
      resized_input; /* the only one whose sizes change, or ALL_INPUTS, which changes attributes, too */
  const char *new_type;        /* instead of f32; NULL: none */
  guint       retyped_input;   /* the only one whose type changes, or ALL_INPUTS */
  gboolean    counts_from_end; /* makes axes negative */
} Change;

/* --- Texts --- */

/* The text with each whole number that equals `old` replaced by `new_number`. */
static char *
replace_number (const char *text, gint64 old, gint64 new_number)
{
  g_autoptr (GString) changed = g_string_new (NULL);

  while (*text)
    {
      char  *end = (char *) text;
      gint64 number = g_ascii_isdigit (*text) ? g_ascii_strtoll (text, &end, 10) : 0;

      if (end == text)
        g_string_append_c (changed, *text++);
      else
        {
          if (number == old && *end != '.')
            g_string_append_printf (changed, "%" G_GINT64_FORMAT, new_number);
          else
            g_string_append_len (changed, text, end - text);
          text = end;
          while (*text == '.' || g_ascii_isalnum (*text)) /* the rest of a real number */
            g_string_append_c (changed, *text++);
        }
    }
  return g_string_free (g_steal_pointer (&changed), FALSE);
}

/* “f32[2,3] 0..1” as input i, changed. */
static char *
change_input (const char *text, guint i, const Change *change)
{
  gboolean is_resized =
      change->size > 0 && (change->resized_input == ALL_INPUTS || change->resized_input == i);
  gboolean is_retyped =
      change->new_type && (change->retyped_input == ALL_INPUTS || change->retyped_input == i);
  const char      *at = strchr (text, '['), *end = strchr (text, ']');
  g_autofree char *dtype = g_strndup (text, (gsize) (at - text));
  g_autofree char *dims = g_strndup (at, (gsize) (end - at));
  g_autofree char *changed =
      is_resized ? replace_number (dims, change->size, change->new_size) : g_strdup (dims);

  return g_strdup_printf ("%s%s%s",
                          is_retyped && g_str_equal (dtype, "f32") ? change->new_type : dtype,
                          changed, end);
}

/* The number of dimensions of “f32[2,3]”. */
static guint
count_dimensions (const char *text)
{
  guint n = 0;

  for (const char *at = strchr (text, '['); *at != ']' && at[1] != ']';
       at += 1 + strcspn (at + 1, ",]"))
    n++;
  return n;
}

/* Each attribute that is the number of an axis of the first input becomes the same, counted from the end. */
static void
count_axes_from_end (const OperatorSample *sample, char **attributes)
{
  guint rank = sample->inputs[0] ? count_dimensions (sample->inputs[0]) : 0;

  for (guint i = 0; attributes[2 * i]; i++)
    {
      const HybParam *param = hyb_params_find (sample->op->params, attributes[2 * i]);
      char           *end;
      guint64         axis = g_ascii_strtoull (attributes[2 * i + 1], &end, 10);

      if (!param || (param->kind != HYB_PARAM_INT && param->kind != HYB_PARAM_OPTIONAL_INT) ||
          end == attributes[2 * i + 1] || *end || axis >= rank)
        continue;
      g_free (attributes[2 * i + 1]);
      attributes[2 * i + 1] = g_strdup_printf ("-%u", rank - (guint) axis);
    }
}

static void
change_attributes (Scope                *scope,
                   const OperatorSample *sample,
                   const Change         *change,
                   char                **attributes)
{
  guint n = g_strv_length (attributes) / 2;

  if (change->counts_from_end)
    count_axes_from_end (sample, attributes);
  for (guint i = 0; change->size > 0 && change->resized_input == ALL_INPUTS && i < n; i++)
    if (fuzz_once_in (scope->random, 2))
      {
        char *changed = replace_number (attributes[2 * i + 1], change->size, change->new_size);

        g_free (attributes[2 * i + 1]);
        attributes[2 * i + 1] = changed;
      }
  if (n > 0 && fuzz_once_in (scope->random, 4))
    {
      guint           i = fuzz_below (scope->random, n);
      const HybParam *param = hyb_params_find (sample->op->params, attributes[2 * i]);

      if (param)
        {
          char *changed = fuzz_attribute_value (param, attributes[2 * i + 1], scope->random);

          /* Scales of regions decide how many samples are computed. */
          if (param->kind == HYB_PARAM_FLOAT && fabs (g_ascii_strtod (changed, NULL)) > MAX_REAL)
            g_free (changed);
          else
            {
              g_free (attributes[2 * i + 1]);
              attributes[2 * i + 1] = changed;
            }
        }
    }
}

/* --- Inputs --- */

/* One input of a sample. */
typedef struct
{
  HybTensor *tensor;
  double     low, high;
  gboolean   is_given; /* its values are listed */
} Wanted;

static gboolean
suits (const KnownValue *known, gconstpointer data)
{
  const Wanted  *wanted = data;
  const HybType *type = hyb_tensor_get_type (wanted->tensor),
                *has = hyb_tensor_get_type (known->tensor);
  HybStatistics statistics;

  if (has->dtype != type->dtype || !hyb_shape_equal (&has->shape, &type->shape))
    return FALSE;
  /* Drawn numbers may be no indices when the graph runs. */
  if (wanted->is_given && known->is_drawn)
    return FALSE;
  hyb_tensor_statistics (known->tensor, &statistics);
  return statistics.n_nan + statistics.n_infinite == 0 && !(statistics.minimum < wanted->low) &&
         !(statistics.maximum > wanted->high);
}

/* Other numbers in the range of the sample, now and then one that is special. */
static void
draw_numbers (Scope *scope, const Wanted *wanted)
{
  HybDType dtype = hyb_tensor_get_dtype (wanted->tensor);
  guint64  seed = fuzz_below (scope->random, 1 << 30);

  for (gint64 i = 0; i < hyb_tensor_get_size (wanted->tensor); i++)
    {
      double value =
          wanted->low + (wanted->high - wanted->low) * hyb_random_uniform (seed, (guint64) i);

      if (fuzz_once_in (scope->random, 40))
        value = fuzz_once_in (scope->random, 2) ? wanted->low : (wanted->low + wanted->high) / 2;
      hyb_dtype_set_double (hyb_tensor_get_data (wanted->tensor), dtype, (gsize) i, value);
    }
}

/* The number of elements of “f32[2,3]”. */
static double
count_elements (const char *text)
{
  double n = 1;

  for (const char *at = strchr (text, '['); *at != ']' && at[1] != ']';
       at += 1 + strcspn (at + 1, ",]"))
    n *= g_ascii_strtod (at + 1, NULL);
  return n;
}

static void
want (Wanted *wanted, const char *text, guint nth)
{
  const char   *dots = strstr (text, "..");
  HybStatistics statistics;

  if (count_elements (text) <= MAX_ELEMENTS)
    wanted->tensor = hyb_tensor_from_text (text, nth, NULL);
  if (!wanted->tensor)
    return;
  wanted->is_given = strchr (text, '=') != NULL;
  hyb_tensor_statistics (wanted->tensor, &statistics);
  wanted->low = statistics.minimum;
  wanted->high = statistics.maximum;
  if (hyb_dtype_is_float (hyb_tensor_get_dtype (wanted->tensor)) && !wanted->is_given)
    {
      wanted->low = dots ? g_ascii_strtod (strchr (text, ']') + 1, NULL) : -1;
      wanted->high = dots ? g_ascii_strtod (dots + 2, NULL) : 1;
    }
}

static guint
find_input (Scope *scope, Wanted *wanted, gboolean must_be_variable)
{
  const HybType *type = hyb_tensor_get_type (wanted->tensor);
  gboolean       draws = hyb_dtype_is_float (type->dtype) && !wanted->is_given;
  guint          index = SCOPE_NOTHING;

  if (!must_be_variable && !fuzz_once_in (scope->random, 4))
    index = scope_choose (scope, suits, wanted);
  if (index == SCOPE_NOTHING && draws && !must_be_variable && !fuzz_once_in (scope->random, 4))
    {
      index = scope_choose_float (scope);
      if (index != SCOPE_NOTHING)
        index = wanted->low == -1 && wanted->high == 1
                    ? scope_fit (scope, index, type, -8, 8)
                    : scope_fit (scope, index, type, wanted->low, wanted->high);
    }
  if (index != SCOPE_NOTHING)
    return index;
  if (draws)
    draw_numbers (scope, wanted);
  index = scope_add_variable (scope, wanted->tensor);
  scope_get (scope, index)->is_written = must_be_variable;
  return index;
}

/* In bodies, steps are not allowed: the rounding of a state would decide about later ones.  Nor are written states. */
static gboolean
may_be_here (const Scope *scope, const HybOp *op, const Wanted *wanted, guint n)
{
  gboolean has_floats = FALSE;

  if (!scope->outer)
    return TRUE;
  for (guint i = 0; i < n; i++)
    has_floats |= hyb_dtype_is_float (hyb_tensor_get_dtype (wanted[i].tensor));
  return !op->mutates && !(op->flags & HYB_OP_NO_GRADIENT && has_floats);
}

static gboolean
add_changed (Scope *scope, const OperatorSample *sample, const Change *change)
{
  g_auto (GStrv) attributes = g_strdupv (sample->attributes);
  guint    n = MIN (g_strv_length (sample->inputs), MAX_INPUTS), inputs[MAX_INPUTS];
  Wanted   wanted[MAX_INPUTS] = { { 0 } };
  gboolean is_good = TRUE;

  if (change)
    change_attributes (scope, sample, change, attributes);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text =
          change ? change_input (sample->inputs[i], i, change) : g_strdup (sample->inputs[i]);

      want (&wanted[i], text, i);
      is_good &= wanted[i].tensor &&
                 (scope->has_scalars || (hyb_tensor_get_size (wanted[i].tensor) > 0 &&
                                         hyb_tensor_get_shape (wanted[i].tensor)->rank > 0));
    }
  is_good = is_good && may_be_here (scope, sample->op, wanted, n);
  for (guint i = 0; is_good && i < n; i++)
    inputs[i] = find_input (scope, &wanted[i], hyb_op_writes_input (sample->op, i));
  is_good = is_good && scope_add_node (scope, &(NodeRequest){ .op = sample->op,
                                                              .attributes = attributes,
                                                              .n_inputs = n,
                                                              .inputs = inputs }) != SCOPE_NOTHING;
  for (guint i = 0; i < n; i++)
    hyb_tensor_unref (wanted[i].tensor);
  return is_good;
}

/* --- Choices --- */

/* A size that some input has. */
static gint64
choose_size (Scope *scope, const OperatorSample *sample)
{
  guint            n = g_strv_length (sample->inputs);
  const char      *text = n > 0 ? sample->inputs[fuzz_below (scope->random, n)] : "[]";
  g_autofree char *dims =
      g_strndup (strchr (text, '[') + 1, (gsize) (strchr (text, ']') - strchr (text, '[') - 1));
  g_auto (GStrv) sizes = g_strsplit (dims, ",", -1);

  return dims[0]
             ? g_ascii_strtoll (sizes[fuzz_below (scope->random, g_strv_length (sizes))], NULL, 10)
             : 0;
}

static Change
choose_change (Scope *scope, const OperatorSample *sample)
{
  static const gint64      sizes[] = { 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 32, 33, 64 };
  static const char *const types[] = {
    "f64", "f64", "f64", "f16", "f16", "i32", "i64", "i8", "u8"
  };
  guint  n_inputs = g_strv_length (sample->inputs);
  Change change = { .size = choose_size (scope, sample),
                    .new_size = sizes[fuzz_below (scope->random, G_N_ELEMENTS (sizes))],
                    .resized_input = ALL_INPUTS,
                    .retyped_input = ALL_INPUTS,
                    .counts_from_end = fuzz_once_in (scope->random, 8) };

  if (fuzz_once_in (scope->random, 4))
    change.new_type = types[fuzz_below (scope->random, G_N_ELEMENTS (types))];
  if (fuzz_once_in (scope->random, 3))
    change.size = 0;
  if (n_inputs > 1 && fuzz_once_in (scope->random, 5))
    {
      /* Mostly one operand that is broadcast. */
      change.resized_input = fuzz_below (scope->random, n_inputs);
      if (!fuzz_once_in (scope->random, 4))
        change.new_size = 1;
    }
  if (n_inputs > 1 && fuzz_once_in (scope->random, 6))
    change.retyped_input = fuzz_below (scope->random, n_inputs);
  return change;
}

gboolean
sample_node_add (Scope *scope)
{
  const SampledOperator *sampled =
      scope->operators->pdata[fuzz_below (scope->random, scope->operators->len)];
  const OperatorSample *sample =
      sampled->samples->pdata[fuzz_below (scope->random, sampled->samples->len)];

  for (guint i = 0; i < 2; i++)
    {
      Change change = choose_change (scope, sample);

      if (add_changed (scope, sample, &change))
        return TRUE;
    }
  return add_changed (scope, sample, NULL);
}
