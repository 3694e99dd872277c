/* decode.c — from "fma.rn.f32 %f1, %f2, %f3, %f4" to an entry of the array of instructions: finds
 * the row of the tables and puts the operands into their places.
 *
 * A name matches a row if its parts are those of the row, in order, with nothing between but
 * modifiers that the row allows.  What matches no row is an error.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/parser.h"

#include <string.h>

static const PtxOpcode *const tables[] = {
  ptx_opcodes_integer, ptx_opcodes_wide,        ptx_opcodes_bits,   ptx_opcodes_compare,
  ptx_opcodes_float,   ptx_opcodes_approximate, ptx_opcodes_half,   ptx_opcodes_convert,
  ptx_opcodes_move,    ptx_opcodes_memory,      ptx_opcodes_atomic, ptx_opcodes_control,
  ptx_opcodes_warp,
};

static const struct
{
  const char *name;
  guint32     flag;
} modifiers[] = {
  { "ftz", PTX_FTZ },
  { "sat", PTX_SAT },
  { "rz", PTX_RZ },
  { "rm", PTX_RM },
  { "rp", PTX_RP },
  { "rni", PTX_RNI },
  { "rzi", PTX_RZI },
  { "rmi", PTX_RMI },
  { "rpi", PTX_RPI },
  { "global", PTX_GLOBAL },
  { "shared", PTX_SHARED },
  { "local", PTX_LOCAL },
  { "param", PTX_PARAM },
  { "const", PTX_CONST },
  { "cc", PTX_CC },
  { "v2", PTX_V2 },
  { "v4", PTX_V4 },
  { "wrap", PTX_WRAP },
  { "shared::cta", PTX_SHARED },
  { "and", PTX_AND },
  { "or", PTX_OR },
  { "xor", PTX_XOR },
};

static gboolean
is_optional (const char *optional, const char *part)
{
  const char *at = optional;
  gsize       length = strlen (part);

  while (length && (at = strstr (at, part)))
    {
      if ((at == optional || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
        return TRUE;
      at += length;
    }
  return FALSE;
}

static gboolean
matches (const PtxOpcode *opcode, char **parts)
{
  g_auto (GStrv) wanted = g_strsplit (opcode->name, ".", -1);
  guint at = 0;

  for (guint i = 0; parts[i]; i++)
    if (wanted[at] && g_str_equal (wanted[at], parts[i]))
      at++;
    else if (!is_optional (opcode->optional, parts[i]))
      return FALSE;
  return !wanted[at];
}

/* Rows by the part before the first point, made once. */
static GPtrArray *
rows_of (const char *base)
{
  static GHashTable *rows;

  if (!rows)
    {
      rows = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
        for (const PtxOpcode *row = tables[i]; row->name; row++)
          {
            char      *name = g_strndup (row->name, strcspn (row->name, "."));
            GPtrArray *list = g_hash_table_lookup (rows, name);

            if (!list)
              g_hash_table_insert (rows, name, list = g_ptr_array_new ());
            else
              g_free (name);
            g_ptr_array_add (list, (gpointer) row);
          }
    }
  return g_hash_table_lookup (rows, base);
}

/* mov has rows of one name: HINT is the letter of the form that is wanted, v where a vector is
 * written, w where one is read. */
static const PtxOpcode *
search_row (const char *name, char hint, guint32 *flags)
{
  g_auto (GStrv) parts = g_strsplit (name, ".", -1);
  GPtrArray       *rows = rows_of (parts[0]);
  const PtxOpcode *found = NULL;

  for (guint i = 0; rows && i < rows->len; i++)
    {
      const PtxOpcode *row = g_ptr_array_index (rows, i);

      if (matches (row, parts) && (!found || (hint && strchr (row->form, hint))))
        found = row;
    }
  for (guint k = 0; found && parts[k]; k++)
    for (guint m = 0; m < G_N_ELEMENTS (modifiers); m++)
      if (g_str_equal (parts[k], modifiers[m].name))
        *flags |= modifiers[m].flag;
  return found;
}

/* Modules have many instructions of few names, and tests read the same modules again and again:
 * what was found is kept. */
static const PtxOpcode *
find_row (const char *name, char hint, guint32 *flags)
{
  typedef struct
  {
    const PtxOpcode *row;
    guint32          flags;
  } Found;
  static GHashTable *known[3]; /* without a hint, v, w: name to Found */
  GHashTable       **names = &known[hint ? hint - 'v' + 1 : 0];
  Found             *found;

  if (!*names)
    *names = g_hash_table_new (g_str_hash, g_str_equal);
  found = g_hash_table_lookup (*names, name);
  if (!found)
    {
      found = g_new0 (Found, 1);
      found->row = search_row (name, hint, &found->flags);
      g_hash_table_insert (*names, g_strdup (name), found);
    }
  *flags |= found->flags;
  return found->row;
}

/* Whether the first operand of the instruction at TOKEN is a vector (v), another one (w) or none. */
static char
vector_hint (const PtxToken *token)
{
  const char *at = token->at + token->length;
  const char *brace = at + strcspn (at, "{;");

  if (*brace != '{')
    return 0;
  while (g_ascii_isspace (*at))
    at++;
  return at == brace ? 'v' : 'w';
}

/* --- Operands --- */

static void
add_jump (PtxParser *parser, char *label)
{
  PtxJump jump = { .instruction = parser->function->instructions->len, .label = label };

  g_array_append_val (parser->jumps, jump);
}

/* Puts OPERAND where the letter KIND of a form says; FALSE if it does not fit. */
static gboolean
place (PtxParser *parser, PtxInstruction *in, char kind, PtxOperand *operand)
{
  gboolean slot = operand->kind == PTX_OPERAND_SLOT;
  gboolean list = slot || operand->kind == PTX_OPERAND_VECTOR;

  if (kind == 'd' || kind == 'D')
    in->d = operand->slot;
  else if (kind == 'a')
    in->a = operand->slot;
  else if (kind == 'b')
    in->b = operand->slot;
  else if (kind == 'c')
    in->c = operand->slot;
  else if (kind == 'e')
    in->e = operand->slot;
  if (kind == 'D')
    in->p = operand->second == G_MAXUINT32 ? parser->function->slots++ : operand->second;
  if (strchr ("dDabce", kind))
    return slot;
  if (kind == 'm' && operand->kind == PTX_OPERAND_ADDRESS)
    {
      in->a = operand->slot;
      in->offset = operand->offset;
      return TRUE;
    }
  if ((kind == 'v' || kind == 'w') && list)
    {
      memcpy (in->list, operand->list, sizeof in->list);
      in->count = (guint8) operand->count;
      return TRUE;
    }
  if (kind == 'l' && operand->kind == PTX_OPERAND_LABEL)
    {
      add_jump (parser, g_steal_pointer (&operand->label));
      return TRUE;
    }
  return FALSE;
}

/* What is known once all operands are: the number of elements of a vector. */
static gboolean
complete (PtxInstruction *in)
{
  guint vector = in->flags & PTX_V4 ? 4 : in->flags & PTX_V2 ? 2 : 1;

  return !(in->flags & (PTX_V2 | PTX_V4)) || in->count == vector;
}

static gboolean
read_operands (PtxParser *parser, PtxInstruction *in, const char *form)
{
  gboolean optional = FALSE;

  for (; *form; form++)
    {
      PtxOperand operand;
      gboolean   fits;

      if (*form == '?')
        {
          optional = TRUE;
          continue;
        }
      if (optional && ptx_token_is (&parser->token, ";"))
        break;
      fits = ptx_parser_operand (parser, &operand) && place (parser, in, *form, &operand);
      g_free (operand.label);
      if (!fits)
        return ptx_parser_fail (parser, "an operand does not fit the instruction");
      if (!ptx_token_is (&parser->token, ";") && !ptx_parser_expect (parser, ","))
        return FALSE;
    }
  if (!complete (in))
    return ptx_parser_fail (parser, "the vector has another number of elements");
  return TRUE;
}

/* --- Calls --- */

static gboolean
read_places (PtxParser *parser, GArray *places)
{
  while (!ptx_parser_accept (parser, ")"))
    {
      g_autofree char *name = ptx_token_text (&parser->token);
      guint32          index;
      const PtxName   *what = ptx_parser_lookup (parser, name, &index);
      PtxPlace         place;

      if (!what || what->space != PTX_IN_PARAM)
        return ptx_parser_fail (parser, "a variable of the space .param was expected");
      place = (PtxPlace){ what->at, what->bytes };
      g_array_append_val (places, place);
      ptx_parser_advance (parser);
      ptx_parser_accept (parser, ",");
    }
  return TRUE;
}

static gboolean
read_call (PtxParser *parser, PtxInstruction *in)
{
  PtxCall *call = g_new0 (PtxCall, 1);

  call->arguments = g_array_new (FALSE, FALSE, sizeof (PtxPlace));
  call->results = g_array_new (FALSE, FALSE, sizeof (PtxPlace));
  g_ptr_array_add (parser->function->calls, call);
  in->call = call;
  if (ptx_parser_accept (parser, "(") &&
      (!read_places (parser, call->results) || !ptx_parser_expect (parser, ",")))
    return FALSE;
  if (parser->token.kind != PTX_WORD || *parser->token.at == '%')
    return ptx_parser_fail (parser, "only calls of a function by its name are known");
  call->name = ptx_token_text (&parser->token);
  ptx_parser_advance (parser);
  if (ptx_parser_accept (parser, ","))
    return ptx_parser_expect (parser, "(") && read_places (parser, call->arguments);
  return TRUE;
}

gboolean
ptx_parser_instruction (PtxParser *parser, gint32 predicate, gboolean negated)
{
  g_autofree char *name = ptx_token_text (&parser->token);
  const char      *end = strchr (parser->token.at, ';');
  PtxInstruction   in = { .predicate = predicate, .negated = (guint8) negated };
  const PtxOpcode *row = find_row (name, vector_hint (&parser->token), &in.flags);

  if (!row)
    return ptx_parser_fail (parser, "the instruction %s is not known", name);
  in.step = row->step;
  in.bytes = row->bytes;
  in.extra = row->extra;
  in.line = parser->token.line;
  in.file = parser->file;
  in.source_line = parser->source_line;
  in.text = parser->token.at;
  in.length = end ? (guint32) (end - in.text) : parser->token.length;
  ptx_parser_advance (parser);
  if (!(g_str_equal (row->form, "call") ? read_call (parser, &in)
                                        : read_operands (parser, &in, row->form)))
    return FALSE;
  g_array_append_val (parser->function->instructions, in);
  return ptx_parser_expect (parser, ";");
}
