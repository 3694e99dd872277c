/* parse-names.c — declarations of a PTX text: names and their scopes, registers, variables,
 * constants.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/parser.h"

#include <string.h>

#define MOST_BYTES (1u << 30)

void
ptx_parser_push (PtxParser *parser)
{
  g_ptr_array_add (parser->scopes, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free));
}

void
ptx_parser_pop (PtxParser *parser)
{
  g_ptr_array_set_size (parser->scopes, (gint) parser->scopes->len - 1);
}

void
ptx_parser_declare (PtxParser *parser, const char *name, const PtxName *what)
{
  GHashTable *scope = g_ptr_array_index (parser->scopes, parser->scopes->len - 1);

  g_hash_table_insert (scope, g_strdup (name), g_memdup2 (what, sizeof *what));
}

static const PtxName *
look_up (PtxParser *parser, const char *name)
{
  for (guint i = parser->scopes->len; i-- > 0;)
    {
      const PtxName *what = g_hash_table_lookup (g_ptr_array_index (parser->scopes, i), name);

      if (what)
        return what;
    }
  return NULL;
}

/* INDEX: the number behind the name of a range of registers, 7 of "%r7". */
const PtxName *
ptx_parser_lookup (PtxParser *parser, const char *name, guint32 *index)
{
  const PtxName   *what = look_up (parser, name);
  gsize            end = strlen (name);
  g_autofree char *range = NULL;

  *index = 0;
  if (what && !what->count)
    return what;
  while (end > 0 && g_ascii_isdigit (name[end - 1]))
    end--;
  if (!name[end])
    return NULL;
  range = g_strdup_printf ("%.*s<>", (int) end, name);
  what = look_up (parser, range);
  *index = (guint32) g_ascii_strtoull (name + end, NULL, 10);
  return what && *index < what->count ? what : NULL;
}

guint32
ptx_parser_constant (PtxParser *parser, int kind, guint64 value)
{
  char       *key = g_strdup_printf ("%d %" G_GUINT64_FORMAT, kind, value);
  gpointer    known;
  PtxConstant constant = { .kind = (guint) kind, .value = value };

  if (g_hash_table_lookup_extended (parser->constants, key, NULL, &known))
    {
      g_free (key);
      return GPOINTER_TO_UINT (known);
    }
  constant.slot = parser->function->slots++;
  g_array_append_val (parser->function->constants, constant);
  g_hash_table_insert (parser->constants, key, GUINT_TO_POINTER (constant.slot));
  return constant.slot;
}

/* Bits of ".f32"; 0: no type. */
static guint
type_bits (const PtxToken *token)
{
  static const char *const kinds = "busf";
  guint64                  bits;

  if (ptx_token_is (token, ".pred"))
    return 32;
  if (token->kind != PTX_WORD || token->length < 3 || token->at[0] != '.' ||
      !strchr (kinds, token->at[1]))
    return 0;
  bits = g_ascii_strtoull (token->at + 2, NULL, 10);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? (guint) bits : 0;
}

gboolean
ptx_parser_registers (PtxParser *parser)
{
  if (!type_bits (&parser->token))
    return ptx_parser_fail (parser, "a type was expected behind .reg");
  ptx_parser_advance (parser);
  do
    {
      g_autofree char *name = ptx_token_text (&parser->token);
      PtxName          what = { .space = PTX_IN_REGISTER, .at = parser->function->slots };

      ptx_parser_advance (parser);
      if (ptx_parser_accept (parser, "<"))
        {
          char *range = g_strdup_printf ("%s<>", name);

          g_free (name);
          name = range;
          if (parser->token.kind != PTX_NUMBER || parser->token.value > 1000000)
            return ptx_parser_fail (parser, "a number of registers was expected");
          what.count = (guint32) parser->token.value;
          ptx_parser_advance (parser);
          if (!ptx_parser_expect (parser, ">"))
            return FALSE;
        }
      parser->function->slots += MAX (what.count, 1);
      ptx_parser_declare (parser, name, &what);
    }
  while (ptx_parser_accept (parser, ","));
  return ptx_parser_expect (parser, ";");
}

static gboolean
read_values (PtxParser *parser, PtxVariable *variable)
{
  gboolean list = ptx_parser_accept (parser, "{");
  gsize    at = 0;

  variable->start = g_malloc0 (MAX (variable->bytes, 1));
  do
    {
      gboolean negative = ptx_parser_accept (parser, "-");
      guint64  value = parser->token.value;

      if (parser->token.kind != PTX_NUMBER || at + variable->element > variable->bytes)
        return ptx_parser_fail (parser, "the value of %s cannot be read", variable->name);
      if (negative)
        value = 0 - value;
      memcpy (variable->start + at, &value, variable->element);
      at += variable->element;
      ptx_parser_advance (parser);
    }
  while (list && ptx_parser_accept (parser, ","));
  return !list || ptx_parser_expect (parser, "}");
}

gboolean
ptx_parser_variable (PtxParser *parser, PtxVariable *variable)
{
  gsize count = 1;

  memset (variable, 0, sizeof *variable);
  for (; ptx_token_begins (&parser->token, "."); ptx_parser_advance (parser))
    if (ptx_token_is (&parser->token, ".align"))
      {
        ptx_parser_advance (parser);
        variable->align = (guint) parser->token.value;
      }
    else if (type_bits (&parser->token))
      variable->element = type_bits (&parser->token) / 8;
    else if (!ptx_token_is (&parser->token, ".ptr"))
      return ptx_parser_fail (parser, "%.*s is not known here", (int) parser->token.length,
                              parser->token.at);
  if (!variable->element || parser->token.kind != PTX_WORD)
    return ptx_parser_fail (parser, "the type and the name of a variable were expected");
  variable->name = ptx_token_text (&parser->token);
  ptx_parser_advance (parser);
  while (ptx_parser_accept (parser, "["))
    {
      count = parser->token.kind == PTX_NUMBER ? count * parser->token.value : 0;
      if (parser->token.kind == PTX_NUMBER)
        ptx_parser_advance (parser);
      if (count > MOST_BYTES || !ptx_parser_expect (parser, "]"))
        return ptx_parser_fail (parser, "the size of %s cannot be read", variable->name);
    }
  variable->bytes = count * variable->element;
  variable->align = MAX (variable->align, variable->element);
  return !ptx_parser_accept (parser, "=") || read_values (parser, variable);
}
