/* fold-names.c — splits the names of boxes into parts, and makes groups from the parts.
 *
 * "lstm_l0_t3_i2h" has the parts lstm, l0 and t3, and "/self_attn/norm.0/Add" has self_attn, norm
 * and 0; the last part belongs to the box alone.  The
 * parts of all names of one group form a tree (VizNames), in which parents come before children.
 * A part becomes a scope if it collects enough boxes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include <string.h>

/* Up to this many boxes in a group are easy to read: no scopes are made from underscores. */
#define SMALL_GROUP 24
/* A scope from an underscore has at least this many boxes: many names share a word by chance. */
#define MIN_BY_UNDERSCORE 3
#define MAX_PARTS         12

/* The name without the prefix of MXNet's passes: the prefix shows how a node was made, not where it belongs. */
static const char *
skip_pass_prefixes (const char *name)
{
  static const char *const prefixes[] = { "quantized_", "requantize_", "sg_mkldnn_", "sg_onednn_" };

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      name += strlen (prefixes[i]);
  return name;
}

/* The text whose parts but the last are the groups around a box.  (transfer full) */
static char *
dup_path (const VizBox *box)
{
  if (box->scope)
    return g_strconcat (box->scope, "/-", NULL);
  if (box->subtitle)
    return g_strdup (skip_pass_prefixes (box->subtitle));
  /* The title of an operator is its type, which does not show where the operator belongs. */
  return g_strdup (box->title && box->kind != VIZ_BOX_OPERATOR ? skip_pass_prefixes (box->title)
                                                               : "");
}

typedef struct
{
  guint32     parent;
  const char *token;
} PartKey;

static guint
part_key_hash (gconstpointer data)
{
  const PartKey *key = data;

  return g_direct_hash (key->token) * 31u + key->parent;
}

static gboolean
part_key_equal (gconstpointer a, gconstpointer b)
{
  const PartKey *left = a, *right = b;

  return left->parent == right->parent && left->token == right->token;
}

/* The part below parent whose token is the first length characters of name, and whose separator is
 * the character after them.  Adds it if it is new. */
static guint32
add_part (VizNames *names, GHashTable *known, guint32 parent, const char *name, gsize length)
{
  g_autofree char *copy = g_strndup (name, length);
  PartKey          key = { parent, g_string_chunk_insert_const (names->strings, copy) };
  guint32          found = GPOINTER_TO_UINT (g_hash_table_lookup (known, &key));
  VizNamePart      part = { parent, key.token, name[length], 0, VIZ_NO_CELL, VIZ_ROOT };

  if (found > 0)
    return found;
  g_array_append_val (names->parts, part);
  g_hash_table_insert (known, g_memdup2 (&key, sizeof key),
                       GUINT_TO_POINTER (names->parts->len - 1));
  return names->parts->len - 1;
}

/* Whether a name is only the operator's type and a number, as "expand_dims3": its underscore does not
 * separate a scope. */
static gboolean
is_numbered_operator (const VizBox *box)
{
  const char *name = box->subtitle, *title = box->title;
  gsize       length;

  if (!name || !title)
    return FALSE;
  name += strspn (name, "_");
  title += strspn (title, "_");
  length = strlen (title);
  return g_ascii_strncasecmp (name, title, length) == 0 &&
         strspn (name + length, "0123456789") == strlen (name + length);
}

/* Adds change to the number of boxes of a part and of all parts above it. */
static void
count_leaf (VizNames *names, guint32 part, gint32 change)
{
  for (;; part = viz_names_part (names, part)->parent)
    {
      viz_names_part (names, part)->n_leaves += (guint32) change;
      if (part == 0)
        break;
    }
}

void
viz_names_read (VizNames *names)
{
  g_autoptr (GHashTable) known =
      g_hash_table_new_full (part_key_hash, part_key_equal, g_free, NULL);

  for (guint m = 0; m < names->members->len; m++)
    {
      guint32          box = g_array_index (names->members, guint32, m), part = 0;
      const VizBox    *shown = viz_diagram_builder_box (names->builder, box);
      g_autofree char *path = dup_path (shown);
      /* Names that are paths of modules may have any other character within a module. */
      const char *separators = strchr (path, '/') ? "/." : "/_.";
      const char *at = path;
      gboolean    is_numbered = !shown->scope && is_numbered_operator (shown);

      for (guint depth = 0; depth < MAX_PARTS; depth++)
        {
          gsize length = strcspn (at, separators);

          if (at[length] == '\0' || at[length + 1] == '\0' || is_numbered)
            break;
          if (length > 0)
            part = add_part (names, known, part, at, length);
          at += length + 1;
        }
      names->part_of[box] = part;
      count_leaf (names, part, 1);
    }
}

void
viz_names_move_box (VizNames *names, guint32 box, guint32 part)
{
  count_leaf (names, names->part_of[box], -1);
  count_leaf (names, part, 1);
  names->part_of[box] = part;
}

guint32
viz_names_common_part (const VizNames *names, guint32 a, guint32 b)
{
  /* Parents have smaller numbers. */
  while (a != b)
    if (a > b)
      a = viz_names_part (names, a)->parent;
    else
      b = viz_names_part (names, b)->parent;
  return a;
}

char *
viz_names_path (const VizNames *names, guint32 part)
{
  GString *path = g_string_new (viz_names_part (names, part)->token);

  for (part = viz_names_part (names, part)->parent; part != 0;
       part = viz_names_part (names, part)->parent)
    {
      const VizNamePart *above = viz_names_part (names, part);

      g_string_prepend_c (path, above->separator);
      g_string_prepend (path, above->token);
    }
  return g_string_free (path, FALSE);
}

/* Whether a part becomes a scope, inside a group that holds n_above boxes. */
static gboolean
needs_scope (const VizNamePart *part, guint32 n_above)
{
  if (part->n_leaves >= n_above)
    return FALSE;
  if (part->separator == '/')
    return part->n_leaves >= 2;
  return part->n_leaves >= MIN_BY_UNDERSCORE && n_above > SMALL_GROUP;
}

/* Boxes that went into cells do not count for the scopes around the cells. */
static void
discount_cells (VizNames *names)
{
  for (guint32 i = 1; i < names->parts->len; i++)
    {
      const VizNamePart *part = viz_names_part (names, i);

      if (part->cell == VIZ_NO_CELL)
        continue;
      for (guint32 p = part->parent;; p = viz_names_part (names, p)->parent)
        {
          viz_names_part (names, p)->n_leaves -= part->n_leaves;
          if (p == 0)
            break;
        }
    }
}

void
viz_names_add_scopes (VizNames *names, gboolean by_name)
{
  /* Per part: the number of boxes in the group of this part, or of the nearest part above with one */
  g_autofree guint32 *n_above = g_new0 (guint32, names->parts->len);

  discount_cells (names);
  viz_names_part (names, 0)->group = names->group;
  n_above[0] = viz_names_part (names, 0)->n_leaves;
  for (guint32 i = 1; i < names->parts->len; i++)
    {
      VizNamePart     *part = viz_names_part (names, i);
      g_autofree char *path = NULL, *id = NULL;

      n_above[i] = n_above[part->parent];
      if (part->cell != VIZ_NO_CELL)
        {
          n_above[i] = part->n_leaves;
          continue;
        }
      part->group = viz_names_part (names, part->parent)->group;
      if (!by_name || !needs_scope (part, n_above[part->parent]))
        continue;
      path = viz_names_path (names, i);
      id = g_strconcat ("scope:", viz_diagram_builder_box (names->builder, names->group)->id, ":",
                        path, NULL);
      part->group =
          viz_diagram_builder_add_box (names->builder, &(VizBoxInfo){ .id = id,
                                                                      .title = path,
                                                                      .kind = VIZ_BOX_SCOPE,
                                                                      .parent = part->group,
                                                                      .user = VIZ_NO_USER });
      n_above[i] = part->n_leaves;
    }
  for (guint m = 0; m < names->members->len; m++)
    {
      guint32 box = g_array_index (names->members, guint32, m);

      viz_diagram_builder_set_parent (names->builder, box,
                                      viz_names_part (names, names->part_of[box])->group);
    }
}
