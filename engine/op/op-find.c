/* op-find.c — finds operators by name, and registers those of plug-ins.
 *
 * The table is built from the lists of op-table.h on first use and lives until the process ends.
 * Operators of plug-ins are in a second table, which grows.  Start with hyb_op_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/compare-names.h"
#include "engine/op/op-table.h"

#include "engine/base/error.h"
#include "engine/base/name-table.h"
#include "engine/op/op-gradient.h"

#include <string.h>

/* MXNet gives operators that support sparse arrays a second name with this prefix. */
#define SPARSE_PREFIX "_sparse_"

typedef struct
{
  HybNameTable by_name;
  GPtrArray   *list;
} OpTable;

static const HybOp *
look_up (const OpTable *table, const char *name)
{
  const HybNameEntry *entry = hyb_name_table_find (&table->by_name, name);

  return entry ? entry->value : NULL;
}

static void
table_add (OpTable *table, const char *name, const HybOp *op)
{
  HybNameEntry *entry = hyb_name_table_add (&table->by_name, name);

  if (entry->value)
    g_critical ("two operators are called %s", name);
  entry->value = op;
}

/* The operator itself, or, if it has the attributes of its float form, a copy with those.  Copies
 * live until the process ends. */
static const HybOp *
complete_op (const OpTable *table, const HybOp *op)
{
  const HybOp *form = op->float_form ? look_up (table, op->float_form) : NULL;
  HybOp       *copy;

  if (op->params || !form || !form->params)
    return op;
  copy = g_memdup2 (op, sizeof (HybOp));
  copy->params = form->params;
  copy->params_size = form->params_size;
  copy->check = copy->check ? copy->check : form->check;
  return copy;
}

/* The number of names of all operators. */
static guint
count_names (void)
{
  guint n = 0;

  for (guint i = 0; hyb_op_arrays[i]; i++)
    for (const HybOp *op = hyb_op_arrays[i]; op->name; op++)
      n += 1 + (op->aliases ? g_strv_length ((char **) op->aliases) : 0);
  for (const HybOpAlias *entry = hyb_op_aliases; entry->alias; entry++)
    n++;
  return n;
}

static const OpTable *
op_table (void)
{
  static OpTable table;
  static gsize   once;

  if (g_once_init_enter (&once))
    {
      hyb_name_table_init (&table.by_name, count_names ());
      table.list = g_ptr_array_new ();
      for (guint i = 0; hyb_op_arrays[i]; i++)
        for (const HybOp *entry = hyb_op_arrays[i]; entry->name != NULL; entry++)
          {
            const HybOp *op = complete_op (&table, entry);

            g_ptr_array_add (table.list, (gpointer) op);
            table_add (&table, op->name, op);
            for (guint a = 0; op->aliases && op->aliases[a]; a++)
              table_add (&table, op->aliases[a], op);
          }
      for (const HybOpAlias *entry = hyb_op_aliases; entry->alias != NULL; entry++)
        table_add (&table, entry->alias, look_up (&table, entry->name));
      g_once_init_leave (&once, 1);
    }
  return &table;
}

/* --- Operators of plug-ins --- */

/* name → HybOp; entries are never removed. */
static GHashTable *registered;
static GRWLock     registered_lock;

const HybOp *
hyb_op_find_registered (const char *name)
{
  const HybOp *op;

  g_rw_lock_reader_lock (&registered_lock);
  op = registered ? g_hash_table_lookup (registered, name) : NULL;
  g_rw_lock_reader_unlock (&registered_lock);
  return op;
}

static gboolean
check_registered (const HybOp *op, GError **error)
{
  const char *lacks = !op->name || !op->name[0]         ? "name"
                      : !op->doc                        ? "doc"
                      : !op->inputs                     ? "inputs"
                      : !op->infer_shape                ? "infer_shape"
                      : !op->forward && !op->compute    ? "forward"
                      : op->params && !op->params_size  ? "params_size"
                      : op->n_bodies && !op->body_names ? "body_names"
                                                        : NULL;

  return !lacks || hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, op->name,
                                 "Set it in the struct of the operator",
                                 "the operator of the plug-in has no %s", lacks);
}

static gboolean
check_free (const char *name, GError **error)
{
  if (!look_up (op_table (), name) && !hyb_op_find_registered (name))
    return TRUE;
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL,
                       "Give the operator of the plug-in another name",
                       "there is an operator %s already", name);
}

gboolean
hyb_op_register (const HybOp *op, GError **error)
{
  HybOp *copy;

  g_return_val_if_fail (op, FALSE);
  if (!check_registered (op, error) || !check_free (op->name, error))
    return FALSE;
  for (guint i = 0; op->aliases && op->aliases[i]; i++)
    if (!check_free (op->aliases[i], error))
      return FALSE;

  copy = g_memdup2 (op, sizeof *op);
  copy->flags =
      (op->flags & ~(HYB_OP_INTERNAL | HYB_OP_OPAQUE | HYB_OP_NAMES_PLUGIN)) | HYB_OP_PLUGIN;
  g_rw_lock_writer_lock (&registered_lock);
  if (!registered)
    registered = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (registered, (gpointer) copy->name, copy);
  for (guint i = 0; copy->aliases && copy->aliases[i]; i++)
    g_hash_table_insert (registered, (gpointer) copy->aliases[i], copy);
  g_rw_lock_writer_unlock (&registered_lock);
  return TRUE;
}

/* --- Names --- */

gboolean
hyb_op_missing_entry (guint index, const char **pattern, const char **reason)
{
  const HybOpReason *entry = hyb_op_reasons;

  g_return_val_if_fail (pattern && reason, FALSE);
  for (guint i = 0; i < index && entry->pattern; i++)
    entry++;
  *pattern = entry->pattern;
  *reason = entry->reason;
  return entry->pattern != NULL;
}

const char *
hyb_op_missing_reason (const char *name)
{
  for (const HybOpReason *entry = hyb_op_reasons; entry->pattern != NULL; entry++)
    if (g_pattern_match_simple (entry->pattern, name))
      return entry->reason;
  return NULL;
}

char **
hyb_op_dup_names (const HybOp *op)
{
  GPtrArray          *names = g_ptr_array_new ();
  const HybNameTable *table = &op_table ()->by_name;

  g_return_val_if_fail (op, NULL);
  for (guint32 i = 0; i <= table->mask; i++)
    if (table->entries[i].value == op && strcmp (table->entries[i].name, op->name) != 0)
      g_ptr_array_add (names, g_strdup (table->entries[i].name));
  g_ptr_array_sort (names, hyb_compare_names);
  g_ptr_array_insert (names, 0, g_strdup (op->name));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* A cache of recent look-ups for each thread, indexed by the address of the name.  Most names are
 * string constants of the program, and comparing a name is faster than hashing it. */
#define N_CACHED 64

typedef struct
{
  const char  *name; /* the table's copy, which stays valid */
  const HybOp *op;
} CachedName;

const HybOp *
hyb_op_find (const char *name)
{
  g_return_val_if_fail (name, NULL);

  static _Thread_local CachedName cache[N_CACHED];
  CachedName                     *entry = &cache[((gsize) name ^ (gsize) name >> 6) % N_CACHED];
  const HybNameEntry             *known;

  if (entry->name && strcmp (entry->name, name) == 0)
    return entry->op;
  known = hyb_name_table_find (&op_table ()->by_name, name);
  if (!known)
    {
      const HybOp *op = hyb_op_find_registered (name);

      return op || !g_str_has_prefix (name, SPARSE_PREFIX)
                 ? op
                 : hyb_op_find (name + strlen (SPARSE_PREFIX));
    }
  *entry = (CachedName){ known->name, known->value };
  return known->value;
}

/* The operators that name another one in gradient_of, by its name.  Made at the first gradient: only training reads it. */
static GHashTable *
gradient_table (void)
{
  static GHashTable *gradients;

  if (g_once_init_enter (&gradients))
    {
      GHashTable      *made = g_hash_table_new (g_str_hash, g_str_equal);
      const GPtrArray *list = op_table ()->list;

      for (guint i = 0; i < list->len; i++)
        {
          const HybOp *op = list->pdata[i];

          if (op->gradient_of)
            g_hash_table_insert (made, (gpointer) op->gradient_of, (gpointer) op);
        }
      g_once_init_leave (&gradients, made);
    }
  return gradients;
}

const HybOp *
hyb_op_find_gradient (const HybOp *op)
{
  return g_hash_table_lookup (gradient_table (), op->name);
}

const HybOp *const *
hyb_op_list (guint *n_ops)
{
  g_return_val_if_fail (n_ops, NULL);
  *n_ops = op_table ()->list->len;
  return (const HybOp *const *) op_table ()->list->pdata;
}
