/* module.c — a PTX text as a module: directives outside of functions, global variables and their
 * first values, calls between functions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/parser.h"

#include <string.h>

/* clang-format off */
G_DEFINE_QUARK (ptx-error, ptx_error)
/* clang-format on */

gboolean
ptx_parser_fail (PtxParser *parser, const char *format, ...)
{
  va_list          args;
  g_autofree char *message = NULL;

  if (parser->error)
    return FALSE;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  parser->error = g_error_new (PTX_ERROR, PTX_ERROR_TEXT, "line %u of the PTX: %s",
                               parser->token.line, message);
  return FALSE;
}

void
ptx_parser_advance (PtxParser *parser)
{
  ptx_lexer_next (&parser->lexer, &parser->token);
}

gboolean
ptx_parser_accept (PtxParser *parser, const char *text)
{
  if (!ptx_token_is (&parser->token, text))
    return FALSE;
  ptx_parser_advance (parser);
  return TRUE;
}

gboolean
ptx_parser_expect (PtxParser *parser, const char *text)
{
  return ptx_parser_accept (parser, text) ||
         ptx_parser_fail (parser, "%s was expected before \"%.*s\"", text,
                          (int) parser->token.length, parser->token.at);
}

/* --- Outside of functions --- */

static gboolean
read_global (PtxParser *parser)
{
  PtxVariable variable;
  PtxGlobal  *global = g_new0 (PtxGlobal, 1);
  PtxName     what = { .space = PTX_IN_GLOBAL, .at = parser->module->globals->len };
  gboolean    good = ptx_parser_variable (parser, &variable);

  *global = (PtxGlobal){ variable.name, 0, variable.bytes, variable.start };
  g_ptr_array_add (parser->module->globals, global);
  if (!good)
    return FALSE;
  what.bytes = variable.bytes;
  ptx_parser_declare (parser, variable.name, &what);
  return ptx_parser_expect (parser, ";");
}

static gboolean
read_shared (PtxParser *parser, gboolean external)
{
  PtxVariable variable;
  PtxName     what = { .space = external ? PTX_IN_DYNAMIC_SHARED : PTX_IN_SHARED };
  gsize      *total = &parser->module->shared_bytes;
  gboolean    good = ptx_parser_variable (parser, &variable);

  if (good)
    {
      *total = (*total + variable.align - 1) / variable.align * variable.align;
      what.at = *total;
      *total += variable.bytes;
      ptx_parser_declare (parser, variable.name, &what);
    }
  g_free (variable.name);
  g_free (variable.start);
  return good && ptx_parser_expect (parser, ";");
}

static void
skip_line (PtxParser *parser)
{
  guint line = parser->token.line;

  while (parser->token.kind != PTX_END && parser->token.line == line)
    ptx_parser_advance (parser);
}

static gboolean
read_file (PtxParser *parser)
{
  guint64          number = parser->token.value;
  g_autofree char *path = NULL;

  ptx_parser_advance (parser);
  path = ptx_token_text (&parser->token);
  if (parser->token.kind != PTX_STRING)
    return ptx_parser_fail (parser, "a name was expected behind .file");
  g_hash_table_insert (parser->module->files, GUINT_TO_POINTER ((guint) number),
                       g_path_get_basename (path));
  skip_line (parser);
  return TRUE;
}

static gboolean
skip_section (PtxParser *parser)
{
  while (parser->token.kind != PTX_END && !ptx_token_is (&parser->token, "}"))
    ptx_parser_advance (parser);
  return ptx_parser_expect (parser, "}");
}

static gboolean
read_directive (PtxParser *parser)
{
  gboolean external = FALSE;

  while (ptx_token_is (&parser->token, ".visible") || ptx_token_is (&parser->token, ".weak") ||
         ptx_token_is (&parser->token, ".extern") || ptx_token_is (&parser->token, ".common"))
    {
      external = external || ptx_token_is (&parser->token, ".extern");
      ptx_parser_advance (parser);
    }
  if (ptx_token_is (&parser->token, ".version") || ptx_token_is (&parser->token, ".target") ||
      ptx_token_is (&parser->token, ".address_size"))
    {
      skip_line (parser);
      return TRUE;
    }
  if (ptx_parser_accept (parser, ".global") || ptx_parser_accept (parser, ".const"))
    return read_global (parser);
  if (ptx_parser_accept (parser, ".shared"))
    return read_shared (parser, external);
  if (ptx_parser_accept (parser, ".entry"))
    return ptx_parser_function (parser, TRUE);
  if (ptx_parser_accept (parser, ".func"))
    return ptx_parser_function (parser, FALSE);
  if (ptx_parser_accept (parser, ".file"))
    return read_file (parser);
  if (ptx_parser_accept (parser, ".section"))
    return skip_section (parser);
  if (ptx_parser_accept (parser, ".pragma"))
    {
      ptx_parser_advance (parser);
      return ptx_parser_expect (parser, ";");
    }
  return ptx_parser_fail (parser, "\"%.*s\" is not known outside of a function",
                          (int) parser->token.length, parser->token.at);
}

/* --- Calls and first values --- */

static gboolean
connect_calls (PtxParser *parser, PtxFunction *function)
{
  for (guint i = 0; i < function->calls->len; i++)
    {
      PtxCall     *call = g_ptr_array_index (function->calls, i);
      PtxFunction *callee = g_hash_table_lookup (parser->module->functions, call->name);

      if (callee && callee->instructions->len)
        {
          call->function = callee;
          if (callee->parameters->len != call->arguments->len ||
              callee->results->len != call->results->len)
            return ptx_parser_fail (parser, "a call of %s has other parameters", call->name);
        }
      else if (!ptx_find_native (call))
        return ptx_parser_fail (parser, "the function %s is not known", call->name);
    }
  return TRUE;
}

static gboolean
place_globals (PtxParser *parser)
{
  for (guint i = 0; i < parser->module->globals->len; i++)
    {
      PtxGlobal *global = g_ptr_array_index (parser->module->globals, i);
      PtxAccess  access = { .bytes = global->bytes, .write = TRUE, .unchecked = ~0u };
      guint8    *data;

      global->address = ptx_memory_take (parser->module->memory, global->bytes);
      if (!global->address)
        return ptx_parser_fail (parser, "there is no memory for %s", global->name);
      access.address = global->address;
      data = ptx_memory_reach (parser->module->memory, &access, NULL);
      memset (data, 0, global->bytes);
      if (global->start)
        memcpy (data, global->start, global->bytes);
    }
  return TRUE;
}

static gboolean
finish (PtxParser *parser)
{
  GHashTableIter iter;
  gpointer       function;

  g_hash_table_iter_init (&iter, parser->module->functions);
  while (g_hash_table_iter_next (&iter, NULL, &function))
    if (!connect_calls (parser, function))
      return FALSE;
  return place_globals (parser);
}

static gboolean
read_module (PtxParser *parser)
{
  gboolean good = TRUE;

  parser->scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  parser->labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  parser->tables =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  parser->constants = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  parser->jumps = g_array_new (FALSE, FALSE, sizeof (PtxJump));
  ptx_parser_push (parser);
  ptx_parser_advance (parser);
  while (good && parser->token.kind != PTX_END)
    good = read_directive (parser);
  good = good && finish (parser);
  g_ptr_array_unref (parser->scopes);
  g_hash_table_unref (parser->labels);
  g_hash_table_unref (parser->tables);
  g_hash_table_unref (parser->constants);
  g_array_unref (parser->jumps);
  return good;
}

/* --- Public --- */

static void
free_call (PtxCall *call)
{
  g_free (call->name);
  g_array_unref (call->arguments);
  g_array_unref (call->results);
  g_free (call);
}

static void
free_function (gpointer data)
{
  PtxFunction *function = data;

  for (guint i = 0; i < function->instructions->len; i++)
    g_clear_pointer (&g_array_index (function->instructions, PtxInstruction, i).targets,
                     g_array_unref);
  for (guint i = 0; i < function->calls->len; i++)
    free_call (g_ptr_array_index (function->calls, i));
  g_ptr_array_unref (function->calls);
  g_array_unref (function->instructions);
  g_array_unref (function->constants);
  g_array_unref (function->specials);
  g_array_unref (function->parameters);
  g_array_unref (function->results);
  g_free (function->name);
  g_free (function);
}

PtxModule *
ptx_module_new (const char *text, PtxMemory *memory, GError **error)
{
  PtxModule *module = g_new0 (PtxModule, 1);
  PtxParser  parser = { .module = module };

  module->text = g_strdup (text);
  module->memory = memory;
  module->functions = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_function);
  module->globals = g_ptr_array_new ();
  module->files = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  parser.lexer = (PtxLexer){ module->text, 1 };
  if (read_module (&parser))
    return module;
  g_propagate_error (error, parser.error);
  ptx_module_free (module);
  return NULL;
}

void
ptx_module_free (PtxModule *module)
{
  for (guint i = 0; i < module->globals->len; i++)
    {
      PtxGlobal *global = g_ptr_array_index (module->globals, i);

      if (global->address)
        ptx_memory_give (module->memory, global->address);
      g_free (global->name);
      g_free (global->start);
      g_free (global);
    }
  g_ptr_array_unref (module->globals);
  g_hash_table_unref (module->functions);
  g_hash_table_unref (module->files);
  g_free (module->text);
  g_free (module);
}

const PtxFunction *
ptx_module_find (const PtxModule *module, const char *name)
{
  PtxFunction *function = g_hash_table_lookup (module->functions, name);

  return function && function->entry ? function : NULL;
}

gboolean
ptx_module_global (const PtxModule *module, const char *name, guint64 *address, gsize *bytes)
{
  for (guint i = 0; i < module->globals->len; i++)
    {
      PtxGlobal *global = g_ptr_array_index (module->globals, i);

      if (!g_str_equal (global->name, name))
        continue;
      *address = global->address;
      *bytes = global->bytes;
      return TRUE;
    }
  return FALSE;
}

const char *
ptx_kernel_name (const PtxFunction *kernel)
{
  return kernel->name;
}

gsize
ptx_kernel_argument_bytes (const PtxFunction *kernel)
{
  return kernel->parameter_bytes;
}

gboolean
ptx_kernel_parameter (const PtxFunction *kernel, guint index, gsize *offset, gsize *bytes)
{
  if (index >= kernel->parameters->len)
    return FALSE;
  *offset = g_array_index (kernel->parameters, PtxPlace, index).offset;
  *bytes = g_array_index (kernel->parameters, PtxPlace, index).bytes;
  return TRUE;
}

gsize
ptx_kernel_shared_bytes (const PtxFunction *kernel)
{
  return kernel->module->shared_bytes + kernel->shared_bytes;
}

gsize
ptx_kernel_local_bytes (const PtxFunction *kernel)
{
  return kernel->local_bytes;
}

guint
ptx_kernel_most_threads (const PtxFunction *kernel)
{
  return kernel->most_threads;
}
