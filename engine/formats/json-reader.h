/* json-reader.h — parses untrusted JSON into a flat array of tokens.
 *
 * A graph of 98,000 nodes has two million JSON values.  A tree of allocated values would take ten
 * times the size of the file; a token takes 16 bytes.  Values are identified by references
 * (HybJsonRef), which increase with their position in the file.  Start at hyb_json_parse().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _HybJson HybJson;
typedef guint32         HybJsonRef;

#define HYB_JSON_NONE G_MAXUINT32

typedef enum
{
  HYB_JSON_NULL,
  HYB_JSON_FALSE,
  HYB_JSON_TRUE,
  HYB_JSON_NUMBER,
  HYB_JSON_STRING,
  HYB_JSON_ARRAY,
  HYB_JSON_OBJECT,
} HybJsonKind;

/* Extensions of JSON that this parser accepts but MXNet's reader, or others, may not. */
typedef enum
{
  HYB_JSON_QUIRK_ESCAPE,        /* \u, \/, \b, \f */
  HYB_JSON_QUIRK_CONTROL,       /* unescaped tabs, line breaks … in strings */
  HYB_JSON_QUIRK_ENCODING,      /* bytes that are not UTF-8, read as “?” */
  HYB_JSON_QUIRK_DUPLICATE_KEY, /* the last value is used */
  HYB_JSON_N_QUIRKS,
} HybJsonQuirk;

typedef struct
{
  gsize size;  /* of the text, in bytes */
  guint depth; /* of nested containers */
  guint count; /* of values */
} HybJsonLimits;

/* Where and why parsing failed; code is the code of a finding ("truncated", "bad-json" …). */
typedef struct
{
  const char *code;
  guint       line;
  gint64      offset;
} HybJsonTrouble;

/* Parses bytes.  limits: NULL for the defaults; where: name of the file in messages; trouble: set on
 * failure, may be NULL.  (transfer full) */
HybJson *hyb_json_parse (GBytes              *bytes,
                         const HybJsonLimits *limits,
                         const char          *where,
                         HybJsonTrouble      *trouble,
                         GError             **error);
/* Frees all tokens and strings. */
void hyb_json_free (HybJson *json);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybJson, hyb_json_free)

/* The kind of a value; the outermost value is reference 0. */
HybJsonKind hyb_json_get_kind (const HybJson *json, HybJsonRef ref);
/* For messages: “a list”. */
const char *hyb_json_kind_name (HybJsonKind kind);
/* The number of members of a container; 0 for other values. */
guint hyb_json_get_length (const HybJson *json, HybJsonRef ref);

/* The value of a key; HYB_JSON_NONE if the object lacks it or the value is not an object. */
HybJsonRef hyb_json_find (const HybJson *json, HybJsonRef object, const char *key);

/* A string, valid UTF-8 and owned by json; NULL if the value is not a string. */
const char *hyb_json_get_string (const HybJson *json, HybJsonRef ref);
/* FALSE if the value is not an integer of at most 18 characters. */
gboolean hyb_json_get_int (const HybJson *json, HybJsonRef ref, gint64 *value);
/* FALSE if the value is not a number. */
gboolean hyb_json_get_double (const HybJson *json, HybJsonRef ref, double *value);

typedef struct
{
  const HybJson *json;
  HybJsonRef     next, end;
  gboolean       has_keys;
} HybJsonIter;

/* Iterates over the members of a container; a value that is not one has no members. */
HybJsonIter hyb_json_iter (const HybJson *json, HybJsonRef container);
/* The next member, or FALSE.  *key is set to NULL in lists; key and value may be NULL. */
gboolean hyb_json_iter_next (HybJsonIter *iter, const char **key, HybJsonRef *value);

/* The line of a value, counted from 1.  Asking in ascending order costs one pass over the text. */
guint hyb_json_get_line (HybJson *json, HybJsonRef ref);
/* The path of a value: "$.nodes[3].attrs.kernel".  (transfer full) */
char *hyb_json_dup_path (const HybJson *json, HybJsonRef ref);
/* The value with the first occurrence of a quirk; HYB_JSON_NONE if there is none. */
HybJsonRef hyb_json_get_quirk (const HybJson *json, HybJsonQuirk quirk);
