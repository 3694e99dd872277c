/* param.h — the attributes of an operator, described by a table.
 *
 * Each operator has a struct for its attributes and a table of HybParam that says which text of a model file fills which
 * member.  From the table attributes are parsed, saved, compared and shown in the inspector.  Start with hyb_params_parse().
 * Threads: any thread; parsed attributes do not change and may be shared.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/tensor/shape.h"

G_BEGIN_DECLS

/* The value “None” of an integer that may be absent (the end of slice_axis, the axis of a sum). */
#define HYB_NONE G_MININT64

/* A tuple of any length; elements may be HYB_NONE.  n is HYB_UNKNOWN if the whole is None. */
typedef struct
{
  int     n;
  gint64 *value;
} HybInts;

/* The same for numbers. */
typedef struct
{
  int     n;
  double *value;
} HybFloats;

/* The C type of the member, and how its text is read. */
typedef enum
{
  HYB_PARAM_INT,            /* gint64 */
  HYB_PARAM_OPTIONAL_INT,   /* gint64, HYB_NONE for “None” */
  HYB_PARAM_FLOAT,          /* double */
  HYB_PARAM_OPTIONAL_FLOAT, /* double, NaN for “None” */
  HYB_PARAM_BOOL,           /* gboolean */
  HYB_PARAM_OPTIONAL_BOOL,  /* int: -1 for “None”, 0, 1 */
  HYB_PARAM_ENUM,           /* int, index into choices (which may contain “None”) */
  HYB_PARAM_DTYPE,          /* HybDType, HYB_DTYPE_UNKNOWN for “None” */
  HYB_PARAM_SHAPE,  /* HybShape as written, so codes such as 0 and -1 stay; rank HYB_UNKNOWN for
                     * “None” */
  HYB_PARAM_INTS,   /* HybInts */
  HYB_PARAM_FLOATS, /* HybFloats */
  HYB_PARAM_STRING, /* char * */
  HYB_PARAM_TENSOR, /* HybTensor *, which no text can give: set by hyb_constant_params_new() */
} HybParamKind;

/* One attribute.  Tables end with an entry whose name is NULL. */
typedef struct
{
  const char  *name;   /* as spelled in model files */
  gsize        offset; /* of the member in the operator's params struct */
  HybParamKind kind;
  const char  *fallback;      /* default, spelled as in a file; NULL if the attribute is required */
  double       low, high;     /* allowed range, both ends included; any number if they are equal */
  const char *const *choices; /* HYB_PARAM_ENUM only, NULL-terminated */
  const char        *doc;     /* a phrase for the inspector */
} HybParam;

/* Initialises name and offset of a HybParam from one member, so that they cannot disagree. */
#define HYB_FIELD(Struct, member) .name = #member, .offset = G_STRUCT_OFFSET (Struct, member)

/* Initialises params and params_size of a HybOp: the table and the struct that it fills. */
#define HYB_PARAMS(table, Struct) .params = table, .params_size = sizeof (Struct)

/* The value of a key in key, value, key, value, …, NULL, which may be NULL; NULL if the key does not
 * occur.  The last value counts if it occurs several times, as it does in MXNet. */
HYB_API const char *hyb_attributes_get (const char *const *attributes, const char *key);

/* Parses attributes given as key, value, key, value, …, NULL into a new params struct of `size`
 * bytes, which the caller releases with hyb_params_unref().  Keys that begin and end with two
 * underscores belong to users and are skipped.  Of equal keys the last counts.  A key that the table
 * does not have is not an error: it is appended to unknown (a GPtrArray of const char *, owned by
 * attributes; may be NULL).  NULL and an error if a required attribute is missing, or a text does
 * not parse or is out of range. */
HYB_API gpointer hyb_params_parse (const HybParam    *params,
                                   gsize              size,
                                   const char *const *attributes,
                                   GPtrArray         *unknown,
                                   GError           **error);
/* A params struct of zeros with one reference, for code that fills in the members itself.  params:
 * the table of the members that are freed with it; NULL: none. */
HYB_API gpointer hyb_params_new (const HybParam *params, gsize size);
/* Params structs are reference-counted, so that copies of a node share them.  Adds a reference and
 * returns values; NULL is allowed. */
HYB_API gpointer hyb_params_ref (gconstpointer values);
/* Drops a reference, the last of which frees the struct; NULL is allowed. */
HYB_API void hyb_params_unref (gpointer values);

/* TRUE if both structs hold the same values, however their texts were spelled. */
HYB_API gboolean hyb_params_equal (const HybParam *table, gconstpointer a, gconstpointer b);
/* Continues `hash` with the values; equal structs give equal hashes. */
HYB_API guint hyb_params_hash (guint hash, const HybParam *table, gconstpointer params);

/* --- Reading parsed attributes by name (param-get.c) ---
 *
 * For code that handles many operators without their params structs.  table and values may be
 * NULL. */

/* The entry of this name; NULL if the table has none. */
HYB_API const HybParam *hyb_params_find (const HybParam *table, const char *name);
/* The value of an integer, enum or boolean (-1: None); fallback if there is no such attribute. */
HYB_API gint64 hyb_params_get_int (const HybParam *table,
                                   gconstpointer   values,
                                   const char     *name,
                                   gint64          fallback);
/* The value of a float; fallback if there is no such attribute. */
HYB_API double hyb_params_get_double (const HybParam *table,
                                      gconstpointer   values,
                                      const char     *name,
                                      double          fallback);
/* TRUE if there is such an attribute and it is True. */
HYB_API gboolean hyb_params_get_bool (const HybParam *table,
                                      gconstpointer   values,
                                      const char     *name);
/* The tuple of integers, which belongs to values; NULL if there is no such attribute. */
HYB_API const HybInts *
hyb_params_get_ints (const HybParam *table, gconstpointer values, const char *name);

/* --- Text --- */

/* The value of one attribute as MXNet's Python front end writes it.  (transfer full) */
HYB_API char *hyb_param_to_string (const HybParam *param, gconstpointer values);
/* Parses a tuple of integers: "(1, 2)", "[1,2]", "3" or "None".  FALSE if the text is malformed;
 * else the caller frees ints->value. */
HYB_API gboolean hyb_params_parse_ints (const char *text, HybInts *ints);

G_END_DECLS
