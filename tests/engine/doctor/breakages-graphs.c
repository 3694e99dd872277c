/* breakages-graphs.c — breakages of symbol files: spelling, references, constants, given shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/doctor/breakages.h"

#include <string.h>

static gboolean
is_variable (const cJSON *node)
{
  return strcmp (breakage_text (node, "op"), "null") == 0;
}

/* The operator node in the middle of the file. */
static cJSON *
middle (const Breakage *breakage)
{
  int n = breakage_n_nodes (breakage);

  for (int i = 0; i < n; i++)
    {
      cJSON *node = breakage_node (breakage, (n / 2 + i) % n);

      if (!is_variable (node))
        return node;
    }
  return NULL;
}

static void
set_text (cJSON *object, const char *key, const char *text)
{
  cJSON_ReplaceItemInObjectCaseSensitive (object, key, cJSON_CreateString (text));
}

static void
blame (Breakage *breakage, const cJSON *node)
{
  breakage->culprit = g_strdup (breakage_text (node, "name"));
}

/* --- Spelling --- */

/* The text with the two letters in its middle exchanged; NULL if that changes nothing. */
static char *
misspell (const char *text)
{
  gsize n = strlen (text), at = n / 2;
  char *wrong = g_strdup (text);

  if (n < 6 || text[at] == text[at - 1])
    {
      g_free (wrong);
      return NULL;
    }
  wrong[at] = text[at - 1];
  wrong[at - 1] = text[at];
  return wrong;
}

/* Changes the operator of the first node behind the middle that has such a name. */
static gboolean
change_operators (Breakage *breakage, char *(*change) (const char *op))
{
  int n = breakage_n_nodes (breakage);

  for (int i = 0; i < n; i++)
    {
      cJSON           *node = breakage_node (breakage, (n / 2 + i) % n);
      const char      *op = breakage_text (node, "op");
      g_autofree char *wrong = is_variable (node) || op[0] == '_' ? NULL : change (op);

      if (!wrong)
        continue;
      blame (breakage, node);
      set_text (node, "op", wrong);
      return TRUE;
    }
  return FALSE;
}

static char *
lower (const char *text)
{
  char *small = g_ascii_strdown (text, -1);

  if (strcmp (small, text) != 0 && strcmp (text, "Flatten") != 0 && strcmp (text, "Reshape") != 0)
    return small;
  g_free (small);
  return NULL;
}

static gboolean
misspell_operator (Breakage *breakage)
{
  return change_operators (breakage, misspell);
}

static gboolean
lower_operator (Breakage *breakage)
{
  return change_operators (breakage, lower);
}

static char *
upper (const char *text)
{
  return g_ascii_strup (text, -1);
}

/* Renames the first attribute of an operator for which change() knows another name. */
static gboolean
change_keys (Breakage *breakage, char *(*change) (const char *key))
{
  for (int i = 0; i < breakage_n_nodes (breakage); i++)
    {
      cJSON *node = breakage_node (breakage, i);
      cJSON *attribute = is_variable (node) ? NULL : breakage_attributes (node)->child;

      for (; attribute; attribute = attribute->next)
        {
          g_autofree char *wrong =
              g_str_has_prefix (attribute->string, "__") ? NULL : change (attribute->string);

          if (!wrong)
            continue;
          blame (breakage, node);
          cJSON_AddStringToObject (breakage_attributes (node), wrong, attribute->valuestring);
          cJSON_DeleteItemFromObjectCaseSensitive (breakage_attributes (node), attribute->string);
          return TRUE;
        }
    }
  return FALSE;
}

static gboolean
misspell_attribute (Breakage *breakage)
{
  return change_keys (breakage, misspell);
}

static gboolean
raise_attribute (Breakage *breakage)
{
  return change_keys (breakage, upper);
}

/* Sets an attribute of the first operator that has it. */
static gboolean
set_first (Breakage *breakage, const char *key, const char *value)
{
  for (int i = 0; i < breakage_n_nodes (breakage); i++)
    {
      cJSON *node = breakage_node (breakage, i);

      if (is_variable (node) || !breakage_text (breakage_attributes (node), key))
        continue;
      blame (breakage, node);
      set_text (breakage_attributes (node), key, value);
      return TRUE;
    }
  return FALSE;
}

static gboolean
raise_value (Breakage *breakage)
{
  for (int i = 0; i < breakage_n_nodes (breakage); i++)
    {
      cJSON           *node = breakage_node (breakage, i);
      const char      *value = breakage_text (breakage_attributes (node), "act_type");
      g_autofree char *wrong = value ? upper (value) : NULL;

      if (!wrong)
        continue;
      blame (breakage, node);
      set_text (breakage_attributes (node), "act_type", wrong);
      return TRUE;
    }
  return FALSE;
}

static gboolean
spoil_value (Breakage *breakage)
{
  return set_first (breakage, "num_hidden", "many") || set_first (breakage, "state_size", "many");
}

static gboolean
add_attribute (Breakage *breakage)
{
  cJSON *node = middle (breakage);

  blame (breakage, node);
  cJSON_AddStringToObject (breakage_attributes (node), "colour", "red");
  return TRUE;
}

static gboolean
take_foreign_operator (Breakage *breakage)
{
  cJSON *node = middle (breakage);

  blame (breakage, node);
  set_text (node, "op", "Custom");
  return TRUE;
}

/* --- References --- */

static cJSON *
first_entry (cJSON *node)
{
  return cJSON_GetArrayItem (cJSON_GetObjectItemCaseSensitive (node, "inputs"), 0);
}

static gboolean
point_outside (Breakage *breakage)
{
  cJSON *entry = first_entry (middle (breakage));

  if (!entry)
    return FALSE;
  cJSON_ReplaceItemInArray (entry, 1, cJSON_CreateNumber (40));
  return TRUE;
}

static gboolean
point_back (Breakage *breakage)
{
  cJSON *node = middle (breakage), *entry = first_entry (node);
  int    index = 0;

  if (!entry)
    return FALSE;
  while (breakage_node (breakage, index) != node)
    index++;
  blame (breakage, node);
  cJSON_ReplaceItemInArray (entry, 0, cJSON_CreateNumber (index));
  return TRUE;
}

static cJSON *
first_head (const Breakage *breakage)
{
  return cJSON_GetArrayItem (cJSON_GetObjectItemCaseSensitive (breakage->symbol, "heads"), 0);
}

static gboolean
spoil_head (Breakage *breakage)
{
  cJSON_ReplaceItemInArray (first_head (breakage), 1, cJSON_CreateNumber (40));
  return TRUE;
}

/* Gives the second variable the name of the first. */
static gboolean
name_twice (Breakage *breakage)
{
  const cJSON *first = NULL;

  for (int i = 0; i < breakage_n_nodes (breakage); i++)
    {
      cJSON *node = breakage_node (breakage, i);

      if (!is_variable (node))
        continue;
      if (first)
        {
          blame (breakage, first);
          set_text (node, "name", breakage_text (first, "name"));
          return TRUE;
        }
      first = node;
    }
  return FALSE;
}

/* Adds a node to the end of the list; its input is output `output` of a node. */
static int
add_node (Breakage *breakage, const char *op, const char *name, const int *entry)
{
  cJSON *node = cJSON_CreateObject (), *inputs = cJSON_CreateArray ();

  cJSON_AddStringToObject (node, "op", op);
  cJSON_AddStringToObject (node, "name", name);
  cJSON_AddItemToArray (inputs, cJSON_CreateIntArray (entry, 3));
  cJSON_AddItemToObject (node, "inputs", inputs);
  cJSON_AddItemToArray (cJSON_GetObjectItemCaseSensitive (breakage->symbol, "nodes"), node);
  return breakage_n_nodes (breakage) - 1;
}

static gboolean
forget_node (Breakage *breakage)
{
  const cJSON *head = first_head (breakage);
  int entry[3] = { cJSON_GetArrayItem (head, 0)->valueint, cJSON_GetArrayItem (head, 1)->valueint,
                   0 };

  breakage->culprit = g_strdup ("forgotten");
  add_node (breakage, "relu", "forgotten", entry);
  return TRUE;
}

static gboolean
cut_text (Breakage *breakage)
{
  char *text = cJSON_Print (breakage->symbol);

  breakage->symbol_text = g_strndup (text, strlen (text) / 2);
  cJSON_free (text);
  return TRUE;
}

static gboolean
widen_layer (Breakage *breakage)
{
  g_auto (GStrv) parts = NULL;

  for (int i = 0; i < breakage_n_nodes (breakage); i++)
    {
      cJSON *node = breakage_node (breakage, i);

      if (strcmp (breakage_text (node, "op"), "FullyConnected") != 0)
        continue;
      set_text (breakage_attributes (node), "num_hidden", "97");
      parts = g_strsplit (breakage_text (node, "name"), "_fwd", 2);
      breakage->culprit = g_strdup (parts[0]);
      return hyb_tensor_list_n (breakage->weights) > 4;
    }
  return FALSE;
}

/* --- Constants and given shapes --- */

/* Ends the graph in a Reshape whose shape names the batch. */
static gboolean
freeze_reshape (Breakage *breakage)
{
  cJSON      *head = first_head (breakage);
  int         index = cJSON_GetArrayItem (head, 0)->valueint;
  const char *op = breakage_text (breakage_node (breakage, index), "op");
  const char *units =
      breakage_text (breakage_attributes (breakage_node (breakage, index)), "num_hidden");
  g_autofree char *shape = NULL;
  int              entry[3] = { index, 0, 0 }, added;

  if (strcmp (op, "FullyConnected") != 0 || breakage_batch (breakage) < 2)
    return FALSE;
  shape = g_strdup_printf ("(%d, %s)", (int) breakage_batch (breakage), units);
  added = add_node (breakage, "Reshape", "frozen", entry);
  cJSON_AddStringToObject (breakage_attributes (breakage_node (breakage, added)), "shape", shape);
  cJSON_ReplaceItemInArray (head, 0, cJSON_CreateNumber (added));
  breakage->culprit = g_strdup ("frozen");
  return TRUE;
}

/* Writes the batch into begin states, whose shapes leave it open with 0. */
static gboolean
freeze_states (Breakage *breakage)
{
  for (int i = 0; i < breakage_n_nodes (breakage); i++)
    {
      cJSON      *node = breakage_node (breakage, i);
      const char *shape = breakage_text (breakage_attributes (node), "shape");
      g_auto (GStrv) parts = shape ? g_strsplit (shape, "0", 2) : NULL;
      g_autofree char *batch = g_strdup_printf ("%d", (int) breakage_batch (breakage));
      g_autofree char *frozen = parts && parts[1] ? g_strjoinv (batch, parts) : NULL;

      if (strcmp (breakage_text (node, "op"), "_zeros") != 0 || !frozen)
        continue;
      if (!breakage->culprit)
        blame (breakage, node);
      set_text (breakage_attributes (node), "shape", frozen);
    }
  return breakage->culprit != NULL;
}

/* Gives the data one more channel or column than the first layer has. */
static gboolean
give_wrong_shape (Breakage *breakage)
{
  const HybNamedTensor *entry = hyb_tensor_list_get (breakage->input, 0);
  HybShape              shape = *hyb_tensor_get_shape (entry->tensor);

  if (shape.rank != 4)
    return FALSE;
  shape.dim[1] += 3;
  breakage->given = g_strdup (entry->name);
  breakage->given_shape = shape;
  breakage->culprit = g_strdup (entry->name);
  return TRUE;
}

const BreakageKind breakages_of_graphs[] = {
  { "an-operator-misspelt", "unknown-operator", misspell_operator, TRUE },
  { "an-operator-in-lower-case", "unknown-operator", lower_operator, TRUE },
  { "an-attribute-misspelt", "unknown-attribute|bad-attribute", misspell_attribute, TRUE },
  { "an-attribute-in-upper-case", "unknown-attribute|bad-attribute", raise_attribute, TRUE },
  { "a-value-in-upper-case", "bad-attribute", raise_value, TRUE },
  { "a-value-that-is-no-number", "bad-attribute", spoil_value, FALSE },
  { "an-attribute-too-many", "unknown-attribute", add_attribute, TRUE },
  { "an-operator-in-python", "unknown-operator", take_foreign_operator, FALSE },
  { "an-input-that-does-not-exist", "bad-edge", point_outside, FALSE },
  { "a-cycle", "cycle", point_back, FALSE },
  { "a-head-that-does-not-exist", "bad-head", spoil_head, FALSE },
  { "two-variables-with-one-name", "duplicate-name", name_twice, FALSE },
  { "a-node-without-readers", "dead-node", forget_node, TRUE },
  { "text-that-ends-early", "truncated|bad-json", cut_text, FALSE },
  { "a-layer-of-another-size", "wrong-shape|shape-conflict", widen_layer, FALSE },
  { "a-batch-frozen-in-a-reshape", "frozen-batch", freeze_reshape, TRUE },
  { "a-batch-frozen-in-begin-states", "frozen-batch", freeze_states, TRUE },
  { "data-with-other-channels", "shape-conflict", give_wrong_shape, FALSE },
  { 0 },
};
