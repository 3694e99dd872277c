/* json-private.h — the tokens that parsed JSON consists of.
 *
 * json-parse.c makes them, json-query.c reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/json-reader.h"

/* The tokens of a container's members follow it.  Keys of an object are string tokens before their
 * values. */
typedef struct
{
  guint32     begin, end; /* of the content, in HybJson.text */
  HybJsonRef  next;       /* the token after this value and all its members */
  HybJsonKind kind;
} HybJsonToken;

struct _HybJson
{
  GBytes       *bytes; /* the original text */
  char         *text;  /* a copy, in which strings are unescaped and terminated */
  HybJsonToken *tokens;
  guint32       n_tokens, room;            /* room: tokens allocated */
  HybJsonRef    quirks[HYB_JSON_N_QUIRKS]; /* first occurrence, or HYB_JSON_NONE */
  gsize         line_at;                   /* offset up to which lines have been counted … */
  guint         line;                      /* … and the line there */
};

/* The line, counted from 1, of an offset in the original text. */
guint hyb_json_line_of_offset (HybJson *json, gsize offset);
