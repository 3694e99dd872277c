/* parse-operands.c — operands of an instruction: registers, numbers, special registers, names of
 * variables, addresses, vectors and labels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/parser.h"

static const char *const specials[PTX_SPECIALS] = {
  [PTX_TID_X] = "%tid.x",
  [PTX_TID_Y] = "%tid.y",
  [PTX_TID_Z] = "%tid.z",
  [PTX_NTID_X] = "%ntid.x",
  [PTX_NTID_Y] = "%ntid.y",
  [PTX_NTID_Z] = "%ntid.z",
  [PTX_CTAID_X] = "%ctaid.x",
  [PTX_CTAID_Y] = "%ctaid.y",
  [PTX_CTAID_Z] = "%ctaid.z",
  [PTX_NCTAID_X] = "%nctaid.x",
  [PTX_NCTAID_Y] = "%nctaid.y",
  [PTX_NCTAID_Z] = "%nctaid.z",
  [PTX_LANEID] = "%laneid",
  [PTX_WARPID] = "%warpid",
  [PTX_WARP_SIZE] = "WARP_SZ",
  [PTX_LANEMASK_EQ] = "%lanemask_eq",
  [PTX_LANEMASK_LT] = "%lanemask_lt",
  [PTX_LANEMASK_LE] = "%lanemask_le",
  [PTX_LANEMASK_GT] = "%lanemask_gt",
  [PTX_LANEMASK_GE] = "%lanemask_ge",
};

static gboolean
find_special (PtxParser *parser, const char *name, guint32 *slot)
{
  GArray *known = parser->function->specials;

  for (guint i = 0; i < PTX_SPECIALS; i++)
    if (g_str_equal (specials[i], name))
      {
        PtxSpecialSlot added = { .slot = parser->function->slots, .special = i };

        for (guint k = 0; k < known->len; k++)
          if (g_array_index (known, PtxSpecialSlot, k).special == i)
            {
              *slot = g_array_index (known, PtxSpecialSlot, k).slot;
              return TRUE;
            }
        parser->function->slots++;
        g_array_append_val (known, added);
        *slot = added.slot;
        return TRUE;
      }
  return FALSE;
}

/* The slot that holds the address of a variable, or a register. */
static guint32
slot_of_name (PtxParser *parser, const PtxName *what, guint32 index)
{
  switch (what->space)
    {
    case PTX_IN_REGISTER:
      return (guint32) what->at + index;
    case PTX_IN_GLOBAL:
      return ptx_parser_constant (parser, PTX_ADDRESS_OF, what->at);
    case PTX_IN_DYNAMIC_SHARED:
      return ptx_parser_constant (parser, PTX_DYNAMIC_SHARED, 0);
    case PTX_IN_SHARED:
      return ptx_parser_constant (parser, what->own ? PTX_OWN_SHARED : PTX_AS_IT_IS, what->at);
    case PTX_IN_LOCAL:
    case PTX_IN_PARAM:
    default:
      return ptx_parser_constant (parser, PTX_AS_IT_IS, what->at);
    }
}

/* A register, a number or a name; a name that is not known is a label. */
static gboolean
read_simple (PtxParser *parser, PtxOperand *operand)
{
  gboolean         negative = ptx_parser_accept (parser, "-");
  const PtxName   *what;
  guint32          index;
  g_autofree char *name = NULL;

  operand->kind = PTX_OPERAND_SLOT;
  if (parser->token.kind == PTX_NUMBER)
    {
      guint64 value = parser->token.value;

      operand->slot = ptx_parser_constant (parser, PTX_AS_IT_IS, negative ? 0 - value : value);
      ptx_parser_advance (parser);
      return TRUE;
    }
  if (parser->token.kind != PTX_WORD || negative)
    return ptx_parser_fail (parser, "an operand was expected");
  name = ptx_token_text (&parser->token);
  ptx_parser_advance (parser);
  if (g_str_equal (name, "_"))
    {
      operand->slot = parser->function->slots++;
      return TRUE;
    }
  if (find_special (parser, name, &operand->slot))
    return TRUE;
  what = ptx_parser_lookup (parser, name, &index);
  if (what)
    operand->slot = slot_of_name (parser, what, index);
  else if (name[0] == '%')
    return ptx_parser_fail (parser, "the register %s is not known", name);
  else
    {
      operand->kind = PTX_OPERAND_LABEL;
      operand->label = g_steal_pointer (&name);
    }
  return TRUE;
}

static gboolean
read_address (PtxParser *parser, PtxOperand *operand)
{
  if (!read_simple (parser, operand) || operand->kind != PTX_OPERAND_SLOT)
    return ptx_parser_fail (parser, "an address was expected");
  operand->kind = PTX_OPERAND_ADDRESS;
  while (parser->token.kind == PTX_SIGN && (*parser->token.at == '+' || *parser->token.at == '-'))
    {
      gint64 sign = *parser->token.at == '-' ? -1 : 1;

      ptx_parser_advance (parser);
      if (ptx_parser_accept (parser, "-"))
        sign = -sign;
      if (parser->token.kind != PTX_NUMBER)
        return ptx_parser_fail (parser, "an offset was expected");
      operand->offset += sign * (gint64) parser->token.value;
      ptx_parser_advance (parser);
    }
  return ptx_parser_expect (parser, "]");
}

static gboolean
read_vector (PtxParser *parser, PtxOperand *operand)
{
  do
    {
      PtxOperand element = { 0 };
      gboolean   good = read_simple (parser, &element) && element.kind == PTX_OPERAND_SLOT;

      g_free (element.label);
      if (operand->count == 4 || !good)
        return ptx_parser_fail (parser, "a vector of up to four registers was expected");
      operand->list[operand->count++] = element.slot;
    }
  while (ptx_parser_accept (parser, ","));
  operand->kind = PTX_OPERAND_VECTOR;
  return ptx_parser_expect (parser, "}");
}

gboolean
ptx_parser_operand (PtxParser *parser, PtxOperand *operand)
{
  PtxOperand second = { 0 };

  *operand = (PtxOperand){ 0 };
  if (ptx_parser_accept (parser, "["))
    return read_address (parser, operand);
  if (ptx_parser_accept (parser, "{"))
    return read_vector (parser, operand);
  if (ptx_parser_accept (parser, "!"))
    return ptx_parser_fail (parser, "a negated operand is not known");
  if (!read_simple (parser, operand))
    return FALSE;
  if (ptx_parser_accept (parser, "|"))
    {
      gboolean good = read_simple (parser, &second) && second.kind == PTX_OPERAND_SLOT;

      g_free (second.label);
      if (!good)
        return ptx_parser_fail (parser, "a register was expected behind |");
      operand->second = second.slot;
    }
  else
    operand->second = G_MAXUINT32;
  operand->list[0] = operand->slot;
  operand->count = 1;
  return TRUE;
}
