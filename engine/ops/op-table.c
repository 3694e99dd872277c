/* op-table.c — finds operators by name, and answers questions about their inputs and outputs.
 *
 * The table is built from op-list.h and op-aliases.h on first use and lives until the process ends.
 * Operators of plug-ins are in a second table, which grows.  Start with hyb_op_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/op.h"

#include "engine/base/error.h"

#include <string.h>

#define HYB_OPS(folder, file) extern const HybOp hyb_ops_##file[];
#include "engine/ops/op-list.h"
#undef HYB_OPS

/* Each entry is an array of operators that ends with an empty one. */
static const HybOp *const op_arrays[] = {
#define HYB_OPS(folder, file) hyb_ops_##file,
#include "engine/ops/op-list.h"
#undef HYB_OPS
};

static const struct
{
  const char *alias, *name;
} numpy_aliases[] = {
#define HYB_ALIAS(alias, name) { alias, name },
#include "engine/ops/op-aliases.h"
#undef HYB_ALIAS
};

#define GRADIENT                                                                              \
  "It computes a gradient inside of MXNet, with inputs in MXNet's own order; open the graph " \
  "without gradients and differentiate it here"
#define CUSTOM                                                                                 \
  "The node's operator is written in Python or C++ and is not in the file; write it in C and " \
  "load it as a plug-in (docs/custom-operators.md)"
#define SPARSE_GRAPH "It reads which elements a sparse array stores, and all arrays are dense here"

static const struct
{
  const char *pattern, *reason;
} missing[] = {
#define HYB_REASON(pattern, reason) { pattern, reason },
#include "engine/ops/op-reasons.h"
#undef HYB_REASON
};

#undef GRADIENT
#undef CUSTOM
#undef SPARSE_GRAPH

/* MXNet gives operators that support sparse arrays a second name with this prefix. */
#define SPARSE_PREFIX "_sparse_"

typedef struct
{
  GHashTable *by_name;
  GPtrArray  *list;
} OpTable;

static void
table_add (OpTable *table, const char *name, const HybOp *op)
{
  if (!g_hash_table_insert (table->by_name, (gpointer) name, (gpointer) op))
    g_critical ("two operators are called %s", name);
}

/* The operator itself, or, if it has the attributes of its float form, a copy with those.  Copies
 * live until the process ends. */
static const HybOp *
complete_op (const OpTable *table, const HybOp *op)
{
  const HybOp *form = op->float_form ? g_hash_table_lookup (table->by_name, op->float_form) : NULL;
  HybOp       *copy;

  if (op->params || !form || !form->params)
    return op;
  copy = g_memdup2 (op, sizeof (HybOp));
  copy->params = form->params;
  copy->params_size = form->params_size;
  copy->check = copy->check ? copy->check : form->check;
  return copy;
}

static const OpTable *
op_table (void)
{
  static OpTable table;
  static gsize   once;

  if (g_once_init_enter (&once))
    {
      table.by_name = g_hash_table_new (g_str_hash, g_str_equal);
      table.list = g_ptr_array_new ();
      for (guint i = 0; i < G_N_ELEMENTS (op_arrays); i++)
        for (const HybOp *entry = op_arrays[i]; entry->name != NULL; entry++)
          {
            const HybOp *op = complete_op (&table, entry);

            g_ptr_array_add (table.list, (gpointer) op);
            table_add (&table, op->name, op);
            for (guint a = 0; op->aliases && op->aliases[a]; a++)
              table_add (&table, op->aliases[a], op);
          }
      for (guint i = 0; i < G_N_ELEMENTS (numpy_aliases); i++)
        table_add (&table,
                   numpy_aliases[i].alias,
                   g_hash_table_lookup (table.by_name, numpy_aliases[i].name));
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

  return !lacks || hyb_error_at (error,
                                 HYB_OP_ERROR,
                                 HYB_OP_ERROR_UNSUPPORTED,
                                 op->name,
                                 "Set it in the struct of the operator.",
                                 "the operator of the plug-in has no %s",
                                 lacks);
}

static gboolean
check_free (const char *name, GError **error)
{
  if (!g_hash_table_contains (op_table ()->by_name, name) && !hyb_op_find_registered (name))
    return TRUE;
  return hyb_error_at (error,
                       HYB_OP_ERROR,
                       HYB_OP_ERROR_UNSUPPORTED,
                       NULL,
                       "Give the operator of the plug-in another name.",
                       "there is an operator %s already",
                       name);
}

gboolean
hyb_op_register (const HybOp *op, GError **error)
{
  HybOp *copy;

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
  if (index >= G_N_ELEMENTS (missing))
    return FALSE;
  *pattern = missing[index].pattern;
  *reason = missing[index].reason;
  return TRUE;
}

const char *
hyb_op_missing_reason (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (missing); i++)
    if (g_pattern_match_simple (missing[i].pattern, name))
      return missing[i].reason;
  return NULL;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **
hyb_op_dup_names (const HybOp *op)
{
  GPtrArray     *names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer       name, known;

  g_hash_table_iter_init (&iter, op_table ()->by_name);
  while (g_hash_table_iter_next (&iter, &name, &known))
    if (known == op && strcmp (name, op->name) != 0)
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
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
  static _Thread_local CachedName cache[N_CACHED];
  CachedName                     *entry = &cache[((gsize) name ^ (gsize) name >> 6) % N_CACHED];
  gpointer                        known, op;

  if (entry->name && strcmp (entry->name, name) == 0)
    return entry->op;
  if (!g_hash_table_lookup_extended (op_table ()->by_name, name, &known, &op))
    {
      op = (gpointer) hyb_op_find_registered (name);
      return op || !g_str_has_prefix (name, SPARSE_PREFIX)
                 ? op
                 : hyb_op_find (name + strlen (SPARSE_PREFIX));
    }
  *entry = (CachedName){ known, op };
  return op;
}

const HybOp *const *
hyb_op_list (guint *n_ops)
{
  *n_ops = op_table ()->list->len;
  return (const HybOp *const *) op_table ()->list->pdata;
}

static guint
count_names (const char *const *names)
{
  guint n = 0;

  while (names && names[n])
    n++;
  return n;
}

gboolean
hyb_op_needs_compute (const HybOp *op)
{
  return !op->forward;
}

gboolean
hyb_op_writes_input (const HybOp *op, guint input)
{
  guint bit = op->group_inputs > 0 ? input % op->group_inputs : input;

  return bit < 32 && (op->mutates >> bit & 1);
}

void
hyb_op_arity (const HybOp *op, gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = count_names (op->inputs);
  *n_outputs = op->outputs ? count_names (op->outputs) : 1;
  if (op->arity)
    op->arity (params, n_inputs, n_outputs);
}

void
hyb_op_body_arity (const HybOp     *op,
                   gconstpointer    params,
                   HybGraph *const *bodies,
                   guint           *n_inputs,
                   guint           *n_outputs)
{
  hyb_op_arity (op, params, n_inputs, n_outputs);
  if (op->body_arity && bodies)
    op->body_arity (params, bodies, n_inputs, n_outputs);
}

guint
hyb_op_n_visible (const HybOp *op, gconstpointer params, guint n_outputs)
{
  guint n = 0;

  if (op->n_visible)
    return op->n_visible (params);
  if (!op->outputs)
    return n_outputs;

  /* Outputs beyond the named ones are hidden if the last name is. */
  for (guint i = 0; i < n_outputs; i++)
    n += op->outputs[MIN (i, count_names (op->outputs) - 1)][0] != '_';
  return n;
}

guint
hyb_op_n_numbered (const HybOp *op, gconstpointer params, guint n_outputs)
{
  return op->n_bodies > 0 ? hyb_op_n_visible (op, params, n_outputs) : n_outputs;
}

/* The name of operand number `index` of n: names[index], or, where the last name is repeated, that
 * name with a number: “arg” gives arg0, arg1 …, and so does “output0” give output0, output1 ….
 * NULL if there are no names. */
static char *
numbered_name (const char *const *names, guint index, guint n)
{
  guint n_names = count_names (names);
  int   length;

  if (n_names == 0)
    return NULL;
  if (index + 1 < n_names || (index + 1 == n_names && n <= n_names))
    return g_strdup (names[index]);
  length = (int) strlen (names[n_names - 1]);
  if (g_str_has_suffix (names[n_names - 1], "0"))
    length--;
  return g_strdup_printf ("%.*s%u", length, names[n_names - 1], index - (n_names - 1));
}

char *
hyb_op_dup_input_name (const HybOp *op, guint index, guint n_inputs)
{
  char *name;

  if (op->group_inputs > 0)
    return g_strdup_printf ("%s_%u",
                            op->inputs[index % op->group_inputs],
                            index / op->group_inputs);
  name = numbered_name (op->inputs, index, n_inputs);
  return name ? name : g_strdup_printf ("arg%u", index);
}

char *
hyb_op_dup_output_name (const HybOp *op, guint index, guint n_outputs)
{
  char *name = numbered_name (op->outputs, index, n_outputs);

  if (name)
    {
      if (name[0] == '_')
        memmove (name, name + 1, strlen (name));
      return name;
    }
  return n_outputs == 1 ? g_strdup ("output") : g_strdup_printf ("output%u", index);
}
