/* parse-function.c — a kernel or function of a PTX text: its parameters, its body with scopes and
 * labels, and at the end the jumps to the labels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/parser.h"

static guint64
place_bytes (gsize *total, const PtxVariable *variable)
{
  *total = (*total + variable->align - 1) / variable->align * variable->align;
  *total += variable->bytes;
  return *total - variable->bytes;
}

/* One variable of the current function in SPACE. */
static gboolean
declare_variable (PtxParser *parser, PtxSpace space, PtxPlace *place)
{
  PtxFunction *function = parser->function;
  PtxVariable  variable;
  PtxName      what = { .space = space, .own = TRUE };
  gboolean     good = ptx_parser_variable (parser, &variable);

  if (good)
    {
      what.bytes = variable.bytes;
      if (space == PTX_IN_SHARED)
        what.at =
            place_bytes (function->entry ? &function->shared_bytes : &parser->module->shared_bytes,
                         &variable);
      else if (space == PTX_IN_LOCAL)
        what.at = place_bytes (&function->local_bytes, &variable);
      else if (function->entry && place)
        what.at = place_bytes (&function->parameter_bytes, &variable);
      else
        what.at = PTX_CALL_PARAM + place_bytes (&function->call_bytes, &variable);
      what.own = function->entry;
      ptx_parser_declare (parser, variable.name, &what);
      if (place)
        *place = (PtxPlace){ what.at, what.bytes };
    }
  g_free (variable.name);
  g_free (variable.start);
  return good;
}

static gboolean
read_parameters (PtxParser *parser, GArray *places)
{
  if (!ptx_parser_accept (parser, "("))
    return TRUE;
  while (!ptx_parser_accept (parser, ")"))
    {
      PtxPlace place;

      if (!ptx_parser_expect (parser, ".param") || !declare_variable (parser, PTX_IN_PARAM, &place))
        return FALSE;
      g_array_append_val (places, place);
      ptx_parser_accept (parser, ",");
    }
  return TRUE;
}

/* --- Statements --- */

/* .loc FILE LINE COLUMN and what else stands on its line. */
static void
read_location (PtxParser *parser)
{
  guint line = parser->token.line;

  ptx_parser_advance (parser);
  parser->file = (guint32) parser->token.value;
  ptx_parser_advance (parser);
  parser->source_line = (guint32) parser->token.value;
  while (parser->token.kind != PTX_END && parser->token.line == line)
    ptx_parser_advance (parser);
}

static gboolean
read_branch_targets (PtxParser *parser, const char *name)
{
  GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);

  g_hash_table_insert (parser->tables, g_strdup (name), labels);
  do
    {
      g_ptr_array_add (labels, ptx_token_text (&parser->token));
      ptx_parser_advance (parser);
    }
  while (ptx_parser_accept (parser, ","));
  return ptx_parser_expect (parser, ";");
}

/* A label, or the instruction that begins with the current word. */
static gboolean
read_word (PtxParser *parser)
{
  PtxLexer ahead = parser->lexer;
  PtxToken next;

  ptx_lexer_next (&ahead, &next);
  if (ptx_token_is (&next, ":"))
    {
      char *name = ptx_token_text (&parser->token);

      ptx_parser_advance (parser);
      ptx_parser_advance (parser);
      g_hash_table_insert (parser->labels, name,
                           GUINT_TO_POINTER (parser->function->instructions->len));
      return !ptx_parser_accept (parser, ".branchtargets") || read_branch_targets (parser, name);
    }
  return ptx_parser_instruction (parser, -1, FALSE);
}

static gboolean
read_predicated (PtxParser *parser)
{
  gboolean   negated = ptx_parser_accept (parser, "!");
  PtxOperand predicate;
  gboolean   good = ptx_parser_operand (parser, &predicate) && predicate.kind == PTX_OPERAND_SLOT;

  g_free (predicate.label);
  if (!good)
    return ptx_parser_fail (parser, "a predicate was expected behind @");
  return ptx_parser_instruction (parser, (gint32) predicate.slot, negated);
}

static gboolean
read_statement (PtxParser *parser)
{
  if (ptx_token_is (&parser->token, ".loc"))
    {
      read_location (parser);
      return TRUE;
    }
  if (ptx_parser_accept (parser, ".reg"))
    return ptx_parser_registers (parser);
  if (ptx_parser_accept (parser, ".shared"))
    return declare_variable (parser, PTX_IN_SHARED, NULL) && ptx_parser_expect (parser, ";");
  if (ptx_parser_accept (parser, ".local"))
    return declare_variable (parser, PTX_IN_LOCAL, NULL) && ptx_parser_expect (parser, ";");
  if (ptx_parser_accept (parser, ".param"))
    return declare_variable (parser, PTX_IN_PARAM, NULL) && ptx_parser_expect (parser, ";");
  if (ptx_parser_accept (parser, ".pragma"))
    {
      ptx_parser_advance (parser);
      return ptx_parser_expect (parser, ";");
    }
  if (ptx_parser_accept (parser, ";"))
    return TRUE;
  if (ptx_parser_accept (parser, "@"))
    return read_predicated (parser);
  if (parser->token.kind == PTX_WORD && *parser->token.at != '.')
    return read_word (parser);
  return ptx_parser_fail (parser, "%.*s is not known in a function", (int) parser->token.length,
                          parser->token.at);
}

static gboolean
read_body (PtxParser *parser)
{
  guint depth = 1;

  ptx_parser_push (parser);
  while (depth > 0)
    {
      if (ptx_parser_accept (parser, "{"))
        {
          ptx_parser_push (parser);
          depth++;
        }
      else if (ptx_parser_accept (parser, "}"))
        {
          ptx_parser_pop (parser);
          depth--;
        }
      else if (parser->token.kind == PTX_END)
        return ptx_parser_fail (parser, "the text ends within %s", parser->function->name);
      else if (!read_statement (parser))
        return FALSE;
    }
  return TRUE;
}

/* --- The end of a function --- */

static gboolean
find_label (PtxParser *parser, const char *label, gint64 *target)
{
  gpointer at;

  if (!g_hash_table_lookup_extended (parser->labels, label, NULL, &at))
    return ptx_parser_fail (parser, "there is no label %s in %s", label, parser->function->name);
  *target = GPOINTER_TO_UINT (at);
  return TRUE;
}

static gboolean
resolve_jump (PtxParser *parser, const PtxJump *jump)
{
  PtxInstruction *in =
      &g_array_index (parser->function->instructions, PtxInstruction, jump->instruction);
  GPtrArray *labels = g_hash_table_lookup (parser->tables, jump->label);

  if (!labels)
    return find_label (parser, jump->label, &in->target);
  in->targets = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < labels->len; i++)
    {
      gint64 target;

      if (!find_label (parser, g_ptr_array_index (labels, i), &target))
        return FALSE;
      g_array_append_val (in->targets, target);
    }
  return TRUE;
}

static void
end_with_return (PtxFunction *function)
{
  const PtxOpcode *row = ptx_opcodes_control;
  PtxInstruction   in = { .predicate = -1, .text = "ret", .length = 3 };

  while (!g_str_equal (row->name, "ret"))
    row++;
  in.step = row->step;
  g_array_append_val (function->instructions, in);
}

/* .maxntid 256, 1, 1 and the like, which stand between the parameters and the body. */
static gboolean
read_limits (PtxParser *parser)
{
  while (ptx_token_begins (&parser->token, "."))
    {
      gboolean most = ptx_token_is (&parser->token, ".maxntid");
      guint64  product = 1;

      if (!most && !ptx_token_is (&parser->token, ".minnctapersm") &&
          !ptx_token_is (&parser->token, ".noreturn") && !ptx_token_is (&parser->token, ".maxnreg"))
        return ptx_parser_fail (parser, "%.*s is not known", (int) parser->token.length,
                                parser->token.at);
      ptx_parser_advance (parser);
      for (; parser->token.kind == PTX_NUMBER; ptx_parser_accept (parser, ","))
        {
          product *= parser->token.value;
          ptx_parser_advance (parser);
        }
      if (most)
        parser->function->most_threads = (guint) MIN (product, PTX_MOST_THREADS);
    }
  return TRUE;
}

static PtxFunction *
start_function (PtxParser *parser, gboolean entry)
{
  PtxFunction *function = g_new0 (PtxFunction, 1);

  function->module = parser->module;
  function->entry = entry;
  function->instructions = g_array_new (FALSE, FALSE, sizeof (PtxInstruction));
  function->constants = g_array_new (FALSE, FALSE, sizeof (PtxConstant));
  function->specials = g_array_new (FALSE, FALSE, sizeof (PtxSpecialSlot));
  function->parameters = g_array_new (FALSE, FALSE, sizeof (PtxPlace));
  function->results = g_array_new (FALSE, FALSE, sizeof (PtxPlace));
  function->calls = g_ptr_array_new ();
  function->most_threads = PTX_MOST_THREADS;
  parser->function = function;
  g_hash_table_remove_all (parser->labels);
  g_hash_table_remove_all (parser->tables);
  g_hash_table_remove_all (parser->constants);
  parser->file = parser->source_line = 0;
  return function;
}

static gboolean
read_function (PtxParser *parser)
{
  PtxFunction *function = parser->function;

  if (!function->entry && !read_parameters (parser, function->results))
    return FALSE;
  function->name = ptx_token_text (&parser->token);
  ptx_parser_advance (parser);
  if (!read_parameters (parser, function->parameters) || !read_limits (parser))
    return FALSE;
  /* A body replaces what an earlier declaration left. */
  if (ptx_parser_accept (parser, ";"))
    return TRUE;
  if (!ptx_parser_expect (parser, "{") || !read_body (parser))
    return FALSE;
  end_with_return (function);
  for (guint i = 0; i < parser->jumps->len; i++)
    if (!resolve_jump (parser, &g_array_index (parser->jumps, PtxJump, i)))
      return FALSE;
  return TRUE;
}

gboolean
ptx_parser_function (PtxParser *parser, gboolean entry)
{
  PtxFunction *function = start_function (parser, entry);
  gboolean     good;

  ptx_parser_push (parser);
  good = read_function (parser);
  if (!function->name)
    function->name = g_strdup ("?");
  g_hash_table_replace (parser->module->functions, function->name, function);
  for (guint i = 0; i < parser->jumps->len; i++)
    g_free (g_array_index (parser->jumps, PtxJump, i).label);
  g_array_set_size (parser->jumps, 0);
  while (parser->scopes->len > 1)
    ptx_parser_pop (parser);
  return good;
}
