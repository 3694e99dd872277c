/* spelling.c — corrects misspelt operators, attributes and values, where one correct spelling is near.
 *
 * A reader keeps a node that its operator refuses as an opaque node, so a corrected node is built again.
 * Start at hyb_spelling_correct().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/spelling.h"

#include "engine/base/translate.h"
#include "engine/doctor/change.h"
#include "engine/doctor/edit-nodes.h"
#include "engine/op/suggest.h"

#include <string.h>

#define MIN_SHORT 3 /* letters that say which word is shortened */

/* TRUE if both names have the same digits: conv2 is not a misspelt conv1. */
static gboolean
has_same_digits (const char *a, const char *b)
{
  for (;; a++, b++)
    {
      while (*a && !g_ascii_isdigit (*a))
        a++;
      while (*b && !g_ascii_isdigit (*b))
        b++;
      if (*a != *b || !*a)
        return *a == *b;
    }
}

const HybOp *
hyb_spelling_find_op (const char *type)
{
  guint               n_ops;
  const HybOp *const *ops = hyb_op_list (&n_ops);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *only;

  /* A name of MXNet is spelt right, even if there is no such operator here. */
  if (hyb_op_missing_reason (type))
    return NULL;
  for (guint i = 0; i < n_ops; i++)
    {
      /* Gradients are not operators of files. */
      if (g_str_has_prefix (ops[i]->name, "_backward") || !has_same_digits (ops[i]->name, type))
        continue;
      g_ptr_array_add (names, (gpointer) ops[i]->name);
    }
  only = hyb_suggest_only ((const char *const *) names->pdata, names->len, type);
  return only ? hyb_op_find (only) : NULL;
}

static gboolean
is_user_key (const char *key)
{
  return g_str_has_prefix (key, "__") && g_str_has_suffix (key, "__");
}

/* The attribute that is meant by an unknown key and that the node does not have yet, or NULL. */
static const char *
find_key (const HybNodeEdit *edit, const char *key)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (const HybParam *param = edit->op->params; param && param->name; param++)
    if (!hyb_node_edit_get (edit, param->name))
      g_ptr_array_add (names, (gpointer) param->name);
  return hyb_suggest_only ((const char *const *) names->pdata, names->len, key);
}

/* Corrects or removes one attribute; returns whether it was kept. */
static gboolean
correct_key (HybNodeEdit *edit, guint at)
{
  const char *key = edit->attributes->pdata[at], *correct;

  if (is_user_key (key) || hyb_params_find (edit->op->params, key))
    return TRUE;

  correct = find_key (edit, key);
  if (!correct)
    {
      hyb_changes_add (edit->changes, edit->node->name,
                       _ ("removed the attribute “%s” of %s, which %s does not have"), key,
                       HYB_CHANGE_NAME, edit->op->name);
      g_ptr_array_remove_range (edit->attributes, at, 2);
      return FALSE;
    }
  hyb_changes_add (edit->changes, edit->node->name,
                   _ ("renamed the attribute “%s” of %s (%s) to “%s”"), key, HYB_CHANGE_NAME,
                   edit->op->name, correct);
  g_free (edit->attributes->pdata[at]);
  edit->attributes->pdata[at] = g_strdup (correct);
  return TRUE;
}

/* TRUE if one of two words is the beginning of the other, in any case. */
static gboolean
is_short_for (const char *a, const char *b)
{
  gsize length = MIN (strlen (a), strlen (b));

  return length >= MIN_SHORT && g_ascii_strncasecmp (a, b, length) == 0;
}

/* The choice that is meant by a value without doubt, as “max” by “maximum”; NULL if there is none. */
static const char *
find_choice (const HybParam *param, const char *value)
{
  const char *found =
      hyb_suggest_only (param->choices, g_strv_length ((char **) param->choices), value);
  guint n_found = 0;

  if (found)
    return found;
  for (guint i = 0; param->choices[i]; i++)
    if (is_short_for (param->choices[i], value))
      {
        found = param->choices[i];
        n_found++;
      }
  return n_found == 1 ? found : NULL;
}

/* Corrects a value that is not among the choices of its attribute. */
static void
correct_value (HybNodeEdit *edit, guint at)
{
  const char     *key = edit->attributes->pdata[at], *value = edit->attributes->pdata[at + 1];
  const HybParam *param = hyb_params_find (edit->op->params, key);
  const char     *correct;

  if (!param || param->kind != HYB_PARAM_ENUM || !param->choices ||
      g_strv_contains (param->choices, value))
    return;
  correct = find_choice (param, value);
  if (!correct)
    return;
  hyb_changes_add (edit->changes, edit->node->name, _ ("changed %s of %s (%s) from “%s” to “%s”"),
                   key, HYB_CHANGE_NAME, edit->op->name, value, correct);
  g_free (edit->attributes->pdata[at + 1]);
  edit->attributes->pdata[at + 1] = g_strdup (correct);
}

static void
correct_node (HybNodeEdit *edit, gpointer data G_GNUC_UNUSED)
{
  const HybNode *node = edit->node;

  if (hyb_node_is_variable (node))
    return;
  if (!edit->op)
    {
      edit->op = hyb_op_find (node->type);
      if (!edit->op)
        {
          edit->op = hyb_spelling_find_op (node->type);
          if (edit->op)
            hyb_changes_add (edit->changes, node->name,
                             _ ("changed the operator of %s from “%s” to “%s”"), HYB_CHANGE_NAME,
                             node->type, edit->op->name);
        }
    }
  if (!edit->op)
    return;

  for (guint i = 0; i + 1 < edit->attributes->len;)
    if (correct_key (edit, i))
      {
        correct_value (edit, i);
        i += 2;
      }
}

HybGraph *
hyb_spelling_correct (HybGraph *graph, GPtrArray *changes)
{
  return hyb_edit_nodes (graph, correct_node, NULL, changes);
}
