/* param.h — the attributes of an operator, described as data.
 *
 * A table of HybParam lets one parser read them from a model file, one writer
 * save them, one inspector show them and one message name what is wrong.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

G_BEGIN_DECLS

/* “None” where an integer may be absent (end of a slice_axis, axis of a sum). */
#define HYB_NONE G_MININT64

/* A tuple of any length; an element may be HYB_NONE.  n == HYB_UNKNOWN: the whole is None. */
typedef struct
{
  int     n;
  gint64 *value;
} HybInts;

typedef struct
{
  int     n;
  double *value;
} HybFloats;

typedef enum
{
  HYB_PARAM_INT,            /* gint64 */
  HYB_PARAM_OPTIONAL_INT,   /* gint64, HYB_NONE for “None” */
  HYB_PARAM_FLOAT,          /* double */
  HYB_PARAM_OPTIONAL_FLOAT, /* double, NaN for “None” */
  HYB_PARAM_BOOL,           /* gboolean */
  HYB_PARAM_OPTIONAL_BOOL,  /* int: -1 for “None”, 0, 1 */
  HYB_PARAM_ENUM,           /* int, index into choices (put "None" there where it is allowed) */
  HYB_PARAM_DTYPE,          /* HybDType, HYB_DTYPE_UNKNOWN for “None” */
  HYB_PARAM_SHAPE, /* HybShape as written: codes such as 0 and -1 stay; rank HYB_UNKNOWN for “None” */
  HYB_PARAM_INTS,   /* HybInts */
  HYB_PARAM_FLOATS, /* HybFloats */
  HYB_PARAM_STRING, /* char * */
} HybParamKind;

typedef struct
{
  const char        *name;   /* as spelled in model files */
  gsize              offset; /* where it lives in the operator's own struct */
  HybParamKind       kind;
  const char        *fallback;  /* spelled as in a file; NULL: must be given */
  double             low, high; /* allowed range; equal: any number */
  const char *const *choices;   /* HYB_PARAM_ENUM only, NULL-terminated */
  const char        *doc;       /* a phrase for the inspector */
} HybParam;

/* HYB_FIELD: name and offset of one member, so that they cannot disagree. */
#define HYB_FIELD(Struct, member) .name = #member, .offset = G_STRUCT_OFFSET (Struct, member)

/* Attributes come as key, value, key, value, …, NULL.  Keys that start and end
 * with two underscores are the user's and skipped.  A key that is in no table is
 * put into unknown (a GPtrArray of const char *, may be NULL) and is no error.
 * NULL and an error naming the attribute, its text and what is allowed. */
gpointer hyb_params_parse (const HybParam    *params,
                           gsize              size,
                           const char *const *attributes,
                           GPtrArray         *unknown,
                           GError           **error);
/* Parsed values are counted, so that copies of a node share them. */
gpointer hyb_params_new (const HybParam *params, gsize size); /* all zero, for code that fills it */
gpointer hyb_params_ref (gconstpointer values);
/* By what a table says; of two structs parsed from whatever text.  param-equal.c */
gboolean hyb_params_equal (const HybParam *table, gconstpointer a, gconstpointer b);
guint    hyb_params_hash (guint hash, const HybParam *table, gconstpointer params);
void     hyb_params_unref (gpointer values); /* NULL is fine */
/* The value as MXNet's front end would write it.  (transfer full) */
char *hyb_param_to_string (const HybParam *param, gconstpointer values);
/* The tuple grammar alone: "(1, 2)", "[1,2]", "3", "None". */
gboolean hyb_params_parse_ints (const char *text, HybInts *ints);

G_END_DECLS
