/* lexer.c — cuts a PTX text into words, numbers and signs; skips comments.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/lexer.h"

#include <string.h>

static void
skip_space (PtxLexer *lexer)
{
  for (;; lexer->next++)
    {
      const char *s = lexer->next;

      if (s[0] == '/' && s[1] == '/')
        lexer->next = s + strcspn (s, "\n");
      else if (s[0] == '/' && s[1] == '*')
        {
          const char *end = strstr (s + 2, "*/");

          for (; *lexer->next && (!end || lexer->next < end + 1); lexer->next++)
            lexer->line += *lexer->next == '\n';
        }
      if (*lexer->next == '\n')
        lexer->line++;
      if (!*lexer->next || !(g_ascii_isspace (*lexer->next) || *lexer->next == '/'))
        return;
    }
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || (c && strchr ("._$%", c));
}

static void
read_number (PtxToken *token)
{
  const char *s = token->at;
  char       *end;

  token->kind = PTX_NUMBER;
  token->bits = 64;
  if (s[0] == '0' && s[1] && strchr ("fFdD", s[1]))
    {
      token->is_float = TRUE;
      token->bits = strchr ("fF", s[1]) ? 32 : 64;
      token->value = g_ascii_strtoull (s + 2, &end, 16);
    }
  else
    token->value = g_ascii_strtoull (s, &end, 0);
  if (*end == 'U')
    end++;
  token->length = (guint) (end - s);
}

void
ptx_lexer_next (PtxLexer *lexer, PtxToken *token)
{
  const char *s;

  skip_space (lexer);
  s = lexer->next;
  memset (token, 0, sizeof *token);
  token->at = s;
  token->line = lexer->line;
  if (!*s)
    return;
  if (g_ascii_isdigit (*s))
    read_number (token);
  else if (is_word (*s))
    {
      token->kind = PTX_WORD;
      /* "L1::no_allocate" is one modifier. */
      for (;
           is_word (s[token->length]) || (s[token->length] == ':' && s[token->length + 1] == ':');)
        token->length += s[token->length] == ':' ? 2 : 1;
    }
  else if (*s == '"')
    {
      token->kind = PTX_STRING;
      token->at = s + 1;
      token->length = (guint) strcspn (s + 1, "\"\n");
      lexer->next = s + 1 + token->length + (s[1 + token->length] == '"');
      return;
    }
  else
    {
      token->kind = PTX_SIGN;
      token->length = 1;
    }
  lexer->next = s + MAX (token->length, 1);
}

gboolean
ptx_token_is (const PtxToken *token, const char *text)
{
  return token->kind != PTX_END && token->length == strlen (text) &&
         !strncmp (token->at, text, token->length);
}

gboolean
ptx_token_begins (const PtxToken *token, const char *prefix)
{
  return token->kind == PTX_WORD && token->length >= strlen (prefix) &&
         !strncmp (token->at, prefix, strlen (prefix));
}

char *
ptx_token_text (const PtxToken *token)
{
  return g_strndup (token->at, token->length);
}
