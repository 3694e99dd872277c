/* remedy.h — the user's immediate way out of a finding or an error, beside its text, which names no options and no buttons:
 * the command line words the remedy as an option, and the window shows it as a button.  Threads: any thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS
/* The user's way out of an error or a finding. */
typedef enum
{
  HYB_REMEDY_NONE,
  HYB_REMEDY_REPAIR,     /* hyb_diagnose_repair() can repair it */
  HYB_REMEDY_PARAMETERS, /* choose another parameter file */
  HYB_REMEDY_SHAPES,     /* give the shapes of the inputs */
  HYB_REMEDY_VALUES,     /* give arrays, or have them filled */
  HYB_REMEDY_OPERATOR,   /* load a plug-in with the operator, or replace it */
  HYB_REMEDY_ATTRIBUTES, /* edit the attributes of a node */
  HYB_REMEDY_UNROLL,     /* write the steps of a loop out */
  HYB_REMEDY_LENGTH,     /* give the number of steps */
  HYB_REMEDY_FLOAT,      /* write the float model */
  HYB_REMEDY_UNPROVED,   /* write the result without a proof */
  HYB_REMEDY_SMALLER,    /* use smaller inputs */
  HYB_REMEDY_MEMORY,     /* allow more memory while the file is read */
  HYB_REMEDY_WORK,       /* allow more work while the file is read */
  HYB_REMEDY_TIME,       /* allow more time */
  HYB_REMEDY_DEVICE,     /* choose another device */
  HYB_N_REMEDIES,
} HybRemedy;

/* A stable name for use in JSON, such as "shapes"; NULL for HYB_REMEDY_NONE.  Static. */
HYB_API const char *hyb_remedy_name (HybRemedy remedy);
/* The remedy of that name, or HYB_REMEDY_NONE; name may be NULL. */
HYB_API HybRemedy hyb_remedy_find (const char *name);

/* Registers an error domain whose errors can carry a remedy, and returns its quark; once per
 * name. name: static, the name of the function that returns the quark, with dashes. */
HYB_API GQuark hyb_error_domain_register (const char *name);
/* Adds a remedy to an error of such a domain; others stay as they are.  subject: (nullable) the node or
 * variable that it concerns.  Returns FALSE, as hyb_error_at() does.  error and *error may be NULL. */
HYB_API gboolean hyb_error_add_remedy (GError **error, HybRemedy remedy, const char *subject);
/* Adds the remedy and subject of cause, if it has any, to an error that repeats its text. */
HYB_API void hyb_error_copy_remedy (GError **error, const GError *cause);
/* The remedy of the error; HYB_REMEDY_NONE if it has none. */
HYB_API HybRemedy hyb_error_get_remedy (const GError *error);
/* The node or variable that the error concerns, owned by the error; NULL: unknown. */
HYB_API const char *hyb_error_get_subject (const GError *error);

G_END_DECLS
