/* lexer.h — words, numbers and signs of a PTX text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  PTX_END,
  PTX_WORD,   /* names, directives and instructions: "ld.global.f32", "%rd4", "$L__BB0_2" */
  PTX_NUMBER, /* value holds integers, and the bits of 0f… and 0d… */
  PTX_STRING,
  PTX_SIGN, /* one character */
} PtxTokenKind;

typedef struct
{
  PtxTokenKind kind;
  const char  *at;
  guint        length;
  guint        line;
  guint64      value;
  guint        bits; /* of a number: 32 for 0f…, 64 otherwise */
  gboolean     is_float;
} PtxToken;

typedef struct
{
  const char *next;
  guint       line;
} PtxLexer;

/* The next token; at the end of the text its kind is PTX_END. */
void ptx_lexer_next (PtxLexer *lexer, PtxToken *token);

/* Whether TOKEN is the word or sign TEXT. */
gboolean ptx_token_is (const PtxToken *token, const char *text);
gboolean ptx_token_begins (const PtxToken *token, const char *prefix);
char    *ptx_token_text (const PtxToken *token);
