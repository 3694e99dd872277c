/* mutate-protobuf.c — changes a message in protobuf's wire format as a tree of fields.
 *
 * A field is dropped, doubled, swapped with another, copied into another message, cut or filled; numbers become
 * others.  Lengths around it are made to fit, but now and then one lies.  What is a message inside of a message is
 * guessed: bytes that can be read as fields.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "engine/formats/protobuf/protobuf.h"

#include <string.h>

#define MAX_FIELDS 4000
#define MAX_DEPTH  40

/* A field of any message; those of a message inside follow it in the list. */
typedef struct
{
  guint            parent; /* index + 1; 0: of the file */
  gboolean         is_message;
  HybProtobufField field;
} Node;

typedef struct
{
  FuzzRandom *random;
  HybProtobuf file;
  GArray     *nodes; /* of Node */
  GByteArray *extra; /* bytes of changed fields: has room for all, so that it stays where it is */
} Tree;

/* --- Reading --- */

/* Adds the fields of a span.  FALSE if its bytes are no fields: nothing is added then. */
static gboolean
add_fields (Tree *tree, const HybProtobufSpan *span, guint parent)
{
  HybProtobufCursor cursor = hyb_protobuf_cursor (span);
  Node              node = { .parent = parent };
  guint             before = tree->nodes->len;

  while (tree->nodes->len < MAX_FIELDS &&
         hyb_protobuf_next (&tree->file, &cursor, &node.field, NULL))
    {
      g_array_append_val (tree->nodes, node);
      if (node.field.wire == HYB_WIRE_BYTES && node.field.bytes.length > 1 &&
          span->depth < MAX_DEPTH)
        {
          HybProtobufSpan inner = { .bytes = node.field.bytes, .depth = span->depth + 1 };
          guint           index = tree->nodes->len - 1;
          gboolean        is_message = add_fields (tree, &inner, index + 1);

          g_array_index (tree->nodes, Node, index).is_message = is_message;
        }
    }
  if (!cursor.has_failed && cursor.at == span->bytes.length)
    return TRUE;
  if (parent != 0)
    g_array_set_size (tree->nodes, before);
  return FALSE;
}

/* --- Writing --- */

static void
put_varint (GByteArray *out, guint64 value)
{
  guint8 byte;

  for (; value >= 0x80; value >>= 7)
    {
      byte = (guint8) (value | 0x80);
      g_byte_array_append (out, &byte, 1);
    }
  byte = (guint8) value;
  g_byte_array_append (out, &byte, 1);
}

static guint put_children (Tree *tree, GByteArray *out, guint from, guint parent);

/* Writes a field and those inside of it.  Returns the index after them. */
static guint
put_node (Tree *tree, GByteArray *out, guint index)
{
  const Node *node = &g_array_index (tree->nodes, Node, index);
  guint       next = index + 1;

  put_varint (out, (guint64) node->field.number << 3 | (guint64) node->field.wire);
  if (node->field.wire == HYB_WIRE_VARINT)
    put_varint (out, node->field.value);
  else if (node->field.wire == HYB_WIRE_BYTES)
    {
      g_autoptr (GByteArray) inner = g_byte_array_new ();

      if (node->is_message)
        next = put_children (tree, inner, index + 1, index + 1);
      else if (node->field.bytes.length > 0)
        g_byte_array_append (inner, node->field.bytes.data, (guint) node->field.bytes.length);
      put_varint (out, fuzz_once_in (tree->random, 500) ? fuzz_number (tree->random) : inner->len);
      if (inner->len > 0)
        g_byte_array_append (out, inner->data, inner->len);
    }
  else
    {
      guint64 value = GUINT64_TO_LE (node->field.value);

      g_byte_array_append (out, (const guint8 *) &value,
                           node->field.wire == HYB_WIRE_FIXED32 ? 4 : 8);
    }
  return next;
}

static guint
put_children (Tree *tree, GByteArray *out, guint from, guint parent)
{
  while (from < tree->nodes->len && g_array_index (tree->nodes, Node, from).parent == parent)
    from = put_node (tree, out, from);
  return from;
}

/* --- Changes --- */

/* Makes a field one of bytes, namely these. */
static void
set_bytes (Tree *tree, Node *node, const GByteArray *bytes)
{
  guint at = tree->extra->len;

  if (bytes->len > 0)
    g_byte_array_append (tree->extra, bytes->data, bytes->len);
  node->field.wire = HYB_WIRE_BYTES;
  node->field.bytes = (HybProtobufBytes){ .data = tree->extra->data + at, .length = bytes->len };
}

/* The place behind a field and all that is inside of it. */
static guint
find_end (const Tree *tree, guint index)
{
  guint end = index + 1;

  while (end < tree->nodes->len && g_array_index (tree->nodes, Node, end).parent > index)
    end++;
  return end;
}

/* Makes the field at `to` a copy of the one at `from`, written out, with its own number or that of the other. */
static void
copy_field (Tree *tree, guint to, guint from)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const Node *source = &g_array_index (tree->nodes, Node, from);
  Node  copy = { .parent = g_array_index (tree->nodes, Node, to).parent, .field = source->field };
  guint end = find_end (tree, to);

  if (source->is_message)
    {
      put_children (tree, bytes, from + 1, from + 1);
      set_bytes (tree, &copy, bytes);
    }
  if (fuzz_once_in (tree->random, 2))
    copy.field.number = g_array_index (tree->nodes, Node, to).field.number;
  /* Indices of parents stay true: what was inside of the changed field becomes empty fields of its parent. */
  for (guint i = to + 1; i < end; i++)
    g_array_index (tree->nodes, Node, i) =
        (Node){ .parent = copy.parent, .field = { .number = 1000, .wire = HYB_WIRE_VARINT } };
  g_array_index (tree->nodes, Node, to) = copy;
}

/* Replaces the bytes of a field by some of them, by those and others, or by numbers. */
static void
change_bytes (Tree *tree, Node *node)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint length = (guint) MIN (node->field.bytes.length, 1000);

  if (length > 0)
    g_byte_array_append (bytes, node->field.bytes.data, fuzz_below (tree->random, length + 1));
  for (guint i = fuzz_below (tree->random, 4); i > 0; i--)
    {
      guint64 value = fuzz_number (tree->random);

      if (fuzz_once_in (tree->random, 2))
        put_varint (bytes, value);
      else
        g_byte_array_append (bytes, (const guint8 *) &value, 1 + fuzz_below (tree->random, 8));
    }
  set_bytes (tree, node, bytes);
}

/* A field of another number or another wire type. */
static void
change_key (Tree *tree, Node *node)
{
  static const HybWire wires[] = { HYB_WIRE_VARINT, HYB_WIRE_FIXED64, HYB_WIRE_BYTES,
                                   HYB_WIRE_FIXED32 };

  if (fuzz_once_in (tree->random, 3) && !node->is_message)
    {
      node->field.wire = wires[fuzz_below (tree->random, G_N_ELEMENTS (wires))];
      if (node->field.wire == HYB_WIRE_BYTES)
        change_bytes (tree, node);
    }
  else
    node->field.number = 1 + fuzz_below (tree->random, 26);
}

static void
change_tree (Tree *tree)
{
  guint n = tree->nodes->len;
  guint index = fuzz_below (tree->random, n), other = fuzz_below (tree->random, n);
  Node *node = &g_array_index (tree->nodes, Node, index);

  switch (fuzz_below (tree->random, 6))
    {
    case 0:
      change_key (tree, node);
      return;
    case 1: /* one that is no field of any message */
      copy_field (tree, index, index);
      g_array_index (tree->nodes, Node, index).field.number = 1000;
      return;
    case 2:
    case 3:
      copy_field (tree, index, other);
      return;
    default:
      if (node->field.wire == HYB_WIRE_BYTES && !node->is_message)
        change_bytes (tree, node);
      else
        node->field.value = fuzz_number (tree->random);
    }
}

/* The fields of the file, of which one may be left out and one may come twice. */
static void
put_file (Tree *tree, GByteArray *out)
{
  guint twice =
      fuzz_once_in (tree->random, 4) ? fuzz_below (tree->random, tree->nodes->len) : G_MAXUINT;

  put_children (tree, out, 0, 0);
  if (twice != G_MAXUINT)
    {
      while (g_array_index (tree->nodes, Node, twice).parent != 0)
        twice = g_array_index (tree->nodes, Node, twice).parent - 1;
      put_node (tree, out, twice);
    }
}

gsize
LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, unsigned seed)
{
  FuzzRandom      random = seed;
  Tree            tree = { .random = &random, .file = { .where = "mutated", .length = size } };
  HybProtobufSpan span = { .bytes = { .data = data, .length = size } };
  g_autoptr (GByteArray) out = g_byte_array_new ();

  if (fuzz_once_in (&random, 20))
    return LLVMFuzzerMutate (data, size, max_size);
  tree.nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  tree.extra = g_byte_array_sized_new ((guint) MIN (8 * (size + 2048), G_MAXINT));
  add_fields (&tree, &span, 0);
  if (tree.nodes->len > 0)
    {
      for (guint i = 1 + fuzz_below (&random, 3); i > 0; i--)
        change_tree (&tree);
      put_file (&tree, out);
    }
  g_array_unref (tree.nodes);
  g_byte_array_unref (tree.extra);
  if (out->len == 0 || out->len > max_size)
    return LLVMFuzzerMutate (data, size, max_size);
  memcpy (data, out->data, out->len);
  return out->len;
}
