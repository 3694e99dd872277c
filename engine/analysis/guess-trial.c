/* guess-trial.c — tries shapes of one variable by inference, usual sizes first.
 *
 * Inference decides.  Start at hyb_guess_find_size().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/guess-trial.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/translate.h"

#include <string.h>

/* --- Trials --- */

gboolean
hyb_guess_try (HybGuess *guess, const HybShape *shape)
{
  g_autoptr (GError) error = NULL;
  gsize       n_values = hyb_graph_n_values (guess->graph);
  const char *begin, *end;

  if (guess->tries == 0)
    return FALSE;
  guess->tries--;
  memcpy (guess->trial, guess->types, n_values * sizeof *guess->types);
  guess->trial[guess->value].shape = *shape;
  if (hyb_infer_types (guess->graph, guess->trial, NULL, guess->training, &error))
    return TRUE;

  /* The message is “line 12: node “pool” (Pooling): …”, without the line in graphs that were not read
   * from a file. */
  begin = g_str_has_prefix (error->message, "line ") ? strstr (error->message, ": ") : NULL;
  begin = begin ? begin + 2 : error->message;
  end = strstr (begin, ": ");
  g_free (guess->refused_by);
  guess->refused_by = end ? g_strndup (begin, (gsize) (end - begin)) : NULL;
  return FALSE;
}

gboolean
hyb_guess_reads (const HybGuess *guess, HybNodeId variable, HybCategory category)
{
  return (guess->readers[variable] & 1u << category) != 0;
}

HybShape
hyb_guess_with_size (const HybShape *shape, guint axes, gint64 size)
{
  HybShape full = *shape;

  for (int axis = 0; axis < full.rank; axis++)
    if (axes & 1u << axis)
      full.dim[axis] = size;
  return full;
}

void
hyb_guess_add_reason (HybGuess *guess, const char *format, ...)
{
  va_list arguments;

  if (guess->reason->len > 0)
    g_string_append (guess->reason, ", ");
  va_start (arguments, format);
  g_string_append_vprintf (guess->reason, format, arguments);
  va_end (arguments);
}

/* --- Sizes --- */

gint64
hyb_guess_batch (const HybGuess *guess)
{
  return guess->batch > 0 ? guess->batch : 1;
}

void
hyb_guess_add_batch_reason (HybGuess *guess)
{
  if (guess->batch_name)
    hyb_guess_add_reason (guess, _ ("a batch of %lld as in “%s”"), (long long) guess->batch,
                          guess->batch_name);
  else
    hyb_guess_add_reason (guess,
                          guess->batch > 0 ? _ ("a batch of %lld as given") : _ ("a batch of %lld"),
                          (long long) hyb_guess_batch (guess));
}

/* A size in the name of the file, as in ssd_512_resnet50-symbol.json: a number between underscores or
 * hyphens that is a multiple of 32, or the size of a well-known network.  0: none. */
static gint64
size_of_name (const char *file)
{
  static const gint64 others[] = { 299, 300, 331 };
  g_autofree char    *name = file ? g_path_get_basename (file) : NULL;
  g_auto (GStrv) words = name ? g_strsplit_set (name, "_-.", 0) : NULL;
  gint64 size = 0;

  for (guint i = 0; words && words[i] && size == 0; i++)
    {
      char  *end;
      gint64 number = g_ascii_strtoll (words[i], &end, 10);

      if (end == words[i] || *end || number < 32 || number > 2048)
        continue;
      if (number % 32 == 0)
        size = number;
      for (guint j = 0; j < G_N_ELEMENTS (others); j++)
        if (number == others[j])
          size = number;
    }
  return size;
}

/* Adds why this size was chosen.  at: its index in the usual sizes, or beyond them. */
static void
add_size_reason (HybGuess            *guess,
                 const HybShape      *shape,
                 guint                axes,
                 const HybGuessSizes *sizes,
                 guint                at)
{
  gint64           size = sizes->usual[0];
  g_autofree char *refused_by = g_steal_pointer (&guess->refused_by);
  guint            n_others = 0;

  if (at > 0)
    {
      hyb_guess_add_reason (guess,
                            at == 1 ? _ ("%s refuses %lld")
                                    : _ ("%s refuses %lld and other usual sizes"),
                            refused_by ? refused_by : _ ("the graph"), (long long) size);
      return;
    }
  for (guint i = 1; i < sizes->n_usual && i < 4; i++)
    {
      HybShape other = hyb_guess_with_size (shape, axes, sizes->usual[i]);

      n_others += hyb_guess_try (guess, &other);
    }
  if (n_others > 0)
    hyb_guess_add_reason (guess, _ ("%lld is usual for %s and others fit, too"), (long long) size,
                          _ (sizes->what));
  else
    hyb_guess_add_reason (guess, _ ("%lld is usual for %s and %s refuses others"), (long long) size,
                          _ (sizes->what), guess->refused_by ? guess->refused_by : _ ("the graph"));
}

/* The size to try at an index: usual sizes first, then sizes of parameters, then all. */
static gint64
nth_size (const HybGuess *guess, const HybGuessSizes *sizes, guint i)
{
  guint n = guess->operands->len, k = i - sizes->n_usual;

  if (i < sizes->n_usual)
    return sizes->usual[i];
  return k < n ? g_array_index (guess->operands, gint64, k) : (gint64) k - n + 1;
}

gboolean
hyb_guess_take_named_size (HybGuess *guess, HybShape *shape, guint axes, const HybGuessSizes *sizes)
{
  gint64   named = sizes->is_length ? guess->length : size_of_name (guess->file);
  HybShape full = hyb_guess_with_size (shape, axes, named);

  if (axes == 0 || named <= 0 || !hyb_guess_try (guess, &full))
    return FALSE;
  *shape = full;
  hyb_guess_add_reason (guess,
                        sizes->is_length ? "a length of %" G_GINT64_FORMAT " as given"
                                         : "%" G_GINT64_FORMAT " as in the name of the file",
                        named);
  return TRUE;
}

gboolean
hyb_guess_find_size (HybGuess *guess, HybShape *shape, guint axes, const HybGuessSizes *sizes)
{
  HybShape full;

  if (axes == 0)
    return hyb_guess_try (guess, shape);
  g_clear_pointer (&guess->refused_by, g_free);
  for (guint i = 0; i < sizes->n_usual + guess->operands->len + sizes->last; i++)
    {
      full = hyb_guess_with_size (shape, axes, nth_size (guess, sizes, i));
      if (!hyb_guess_try (guess, &full))
        continue;
      add_size_reason (guess, shape, axes, sizes, i);
      *shape = full;
      return TRUE;
    }
  return FALSE;
}
