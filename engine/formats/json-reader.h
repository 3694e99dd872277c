/* json-reader.h — JSON from strangers, read into a flat list of tokens.
 *
 * A graph of 98,000 nodes has two million JSON values: a tree of allocated nodes
 * costs ten times the file, a token costs 16 bytes.  Values are named by
 * references that grow with their position in the file.
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

/* What we read and others (MXNet's own reader first of all) may not. */
typedef enum
{
  HYB_JSON_QUIRK_ESCAPE,        /* \u, \/, \b, \f */
  HYB_JSON_QUIRK_CONTROL,       /* raw tabs, line breaks … inside strings */
  HYB_JSON_QUIRK_ENCODING,      /* bytes that are no UTF-8, read as “?” */
  HYB_JSON_QUIRK_DUPLICATE_KEY, /* the last one counts */
  HYB_JSON_N_QUIRKS,
} HybJsonQuirk;

typedef struct
{
  gsize size;  /* bytes */
  guint depth; /* of containers in each other */
  guint count; /* of values */
} HybJsonLimits;

/* Why a text could not be read; code is one of contract.md 3. */
typedef struct
{
  const char *code;
  guint       line;
  gint64      offset;
} HybJsonTrouble;

/* limits and trouble may be NULL; where names the file in messages. */
HybJson *hyb_json_parse (GBytes              *bytes,
                         const HybJsonLimits *limits,
                         const char          *where,
                         HybJsonTrouble      *trouble,
                         GError             **error);
void     hyb_json_free (HybJson *json);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybJson, hyb_json_free)

/* The outermost value is reference 0. */
HybJsonKind hyb_json_get_kind (const HybJson *json, HybJsonRef ref);
const char *hyb_json_kind_name (HybJsonKind kind); /* “a list” */
guint       hyb_json_get_length (const HybJson *json, HybJsonRef ref);

/* The member of an object, HYB_JSON_NONE if absent (or no object). */
HybJsonRef hyb_json_find (const HybJson *json, HybJsonRef object, const char *key);

/* Lent, terminated, valid UTF-8; NULL if it is no string. */
const char *hyb_json_get_string (const HybJson *json, HybJsonRef ref);
/* FALSE if it is no number, no whole number, or too large. */
gboolean hyb_json_get_int (const HybJson *json, HybJsonRef ref, gint64 *value);
gboolean hyb_json_get_double (const HybJson *json, HybJsonRef ref, double *value);

typedef struct
{
  const HybJson *json;
  HybJsonRef     next, end;
  gboolean       has_keys;
} HybJsonIter;

HybJsonIter hyb_json_iter (const HybJson *json, HybJsonRef container);
/* key is NULL for lists and may be passed as NULL. */
gboolean hyb_json_iter_next (HybJsonIter *iter, const char **key, HybJsonRef *value);

/* Lines are counted only when asked; asking in ascending order costs one pass. */
guint hyb_json_get_line (HybJson *json, HybJsonRef ref);
/* "$.nodes[3].attrs.kernel"; (transfer full) */
char *hyb_json_dup_path (const HybJson *json, HybJsonRef ref);
/* Where such a thing came first; HYB_JSON_NONE: nowhere. */
HybJsonRef hyb_json_get_quirk (const HybJson *json, HybJsonQuirk quirk);
