/* json-private.h — how parsed JSON is kept.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/json-reader.h"

/* A container's members follow it; next is where they end.  Keys of an object are
 * string tokens before their values. */
typedef struct
{
  guint32     begin, end; /* of the content, in the copy */
  HybJsonRef  next;
  HybJsonKind kind;
} HybJsonToken;

struct _HybJson
{
  GBytes       *bytes;
  char         *text;
  HybJsonToken *tokens;
  guint32       n_tokens, room;
  HybJsonRef    quirks[HYB_JSON_N_QUIRKS];
  gsize         line_at; /* lines are counted up to here */
  guint         line;
};

/* Lines are counted in the original text. */
guint hyb_json_line_of_offset (HybJson *json, gsize offset);
