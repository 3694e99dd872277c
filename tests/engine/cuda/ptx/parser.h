/* parser.h — what reading the module, a function and an instruction share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/ptx/lexer.h"
#include "tests/engine/cuda/ptx/machine.h"

typedef enum
{
  PTX_IN_REGISTER,
  PTX_IN_GLOBAL, /* also .const */
  PTX_IN_SHARED,
  PTX_IN_DYNAMIC_SHARED,
  PTX_IN_LOCAL,
  PTX_IN_PARAM,
} PtxSpace;

/* What a name means. */
typedef struct
{
  PtxSpace space;
  guint64  at; /* slot, offset, or number of the global variable */
  gsize    bytes;
  guint32  count; /* of a range of registers: %r<12> */
  gboolean own;   /* a shared variable of a function */
} PtxName;

typedef struct
{
  char   *name;
  guint   element; /* bytes */
  guint   align;
  gsize   bytes;
  guint8 *start; /* first value, or NULL */
} PtxVariable;

typedef struct
{
  enum
  {
    PTX_OPERAND_SLOT,
    PTX_OPERAND_ADDRESS,
    PTX_OPERAND_VECTOR,
    PTX_OPERAND_LABEL,
  } kind;
  guint32 slot, second; /* second: of "a|b", otherwise a slot that nothing reads */
  gint64  offset;
  guint   count;
  guint32 list[4];
  char   *label;
} PtxOperand;

typedef struct
{
  PtxLexer     lexer;
  PtxToken     token;
  PtxModule   *module;
  PtxFunction *function;
  GPtrArray   *scopes; /* of GHashTable: name to PtxName */
  GHashTable  *labels; /* name: number of an instruction */
  GHashTable  *tables; /* name: GPtrArray of labels */
  GArray      *jumps;  /* PtxJump: labels to be found at the end of the function */
  GHashTable  *constants;
  guint32      file, source_line;
  GError      *error;
} PtxParser;

typedef struct
{
  guint instruction;
  char *label;
} PtxJump;

/* Notes the first mistake in the text, with its line.  Always FALSE. */
gboolean ptx_parser_fail (PtxParser *parser, const char *format, ...) G_GNUC_PRINTF (2, 3);
void     ptx_parser_advance (PtxParser *parser);
gboolean ptx_parser_accept (PtxParser *parser, const char *text);
gboolean ptx_parser_expect (PtxParser *parser, const char *text);

/* --- parse-names.c --- */

void           ptx_parser_push (PtxParser *parser);
void           ptx_parser_pop (PtxParser *parser);
void           ptx_parser_declare (PtxParser *parser, const char *name, const PtxName *what);
const PtxName *ptx_parser_lookup (PtxParser *parser, const char *name, guint32 *index);
guint32        ptx_parser_constant (PtxParser *parser, int kind, guint64 value);
/* ".align 4 .b8 name[12] = {…}", the part behind the space. */
gboolean ptx_parser_variable (PtxParser *parser, PtxVariable *variable);
/* ".b32 %r<12>, %x;", the part behind .reg. */
gboolean ptx_parser_registers (PtxParser *parser);

/* --- parse-operands.c --- */

gboolean ptx_parser_operand (PtxParser *parser, PtxOperand *operand);

/* --- decode.c --- */

/* The instruction of the current word, its operands read up to ";" and added to the function. */
gboolean ptx_parser_instruction (PtxParser *parser, gint32 predicate, gboolean negated);

/* --- parse-function.c --- */

/* What stands behind .entry or .func. */
gboolean ptx_parser_function (PtxParser *parser, gboolean entry);
