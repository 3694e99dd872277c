/* param-get.c — reads parsed attributes by their names.
 *
 * Used by code that handles many operators without their params structs: passes, the export doctor
 * and the recogniser of cells.  An operator reads its own struct directly.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/param.h"

#include <string.h>

const HybParam *
hyb_params_find (const HybParam *table, const char *name)
{
  for (; table && table->name; table++)
    if (strcmp (table->name, name) == 0)
      return table;
  return NULL;
}

/* The member that holds the attribute, and its kind; NULL if there is no such attribute. */
static gconstpointer
find_field (const HybParam *table, gconstpointer values, const char *name, HybParamKind *kind)
{
  const HybParam *param = values ? hyb_params_find (table, name) : NULL;

  if (!param)
    return NULL;
  *kind = param->kind;
  return (const char *) values + param->offset;
}

gint64
hyb_params_get_int (const HybParam *table, gconstpointer values, const char *name, gint64 fallback)
{
  HybParamKind  kind;
  gconstpointer field = find_field (table, values, name, &kind);

  if (!field)
    return fallback;
  if (kind == HYB_PARAM_INT || kind == HYB_PARAM_OPTIONAL_INT)
    return *(const gint64 *) field;
  if (kind == HYB_PARAM_ENUM || kind == HYB_PARAM_BOOL || kind == HYB_PARAM_OPTIONAL_BOOL)
    return *(const int *) field;
  return fallback;
}

double
hyb_params_get_double (const HybParam *table,
                       gconstpointer   values,
                       const char     *name,
                       double          fallback)
{
  HybParamKind  kind;
  gconstpointer field = find_field (table, values, name, &kind);

  if (!field || (kind != HYB_PARAM_FLOAT && kind != HYB_PARAM_OPTIONAL_FLOAT))
    return fallback;
  return *(const double *) field;
}

gboolean
hyb_params_get_bool (const HybParam *table, gconstpointer values, const char *name)
{
  return hyb_params_get_int (table, values, name, FALSE) == TRUE;
}

const HybInts *
hyb_params_get_ints (const HybParam *table, gconstpointer values, const char *name)
{
  HybParamKind  kind;
  gconstpointer field = find_field (table, values, name, &kind);

  return field && kind == HYB_PARAM_INTS ? field : NULL;
}
