/* conversion.h — a model in another form, converted and proved equal by the child process.
 *
 * Start with scope_conversion_run_async().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* A node of the old form and its match in the new one. */
typedef struct
{
  const char *from, *to; /* names, owned by the conversion */
  gint32      step;      /* of the old node in its chain; -1: all steps */
  const char *body;      /* (nullable) path of the body of to, a loop, that inner is in */
  const char *inner;     /* (nullable) the node of that body with the same role */
} ScopeNameMatch;

typedef struct
{
  char         *path;    /* of the symbol file that was written */
  double        max_abs; /* largest difference found by the proof; NAN: not proved */
  GArray       *matches; /* of ScopeNameMatch */
  GStringChunk *names;
} ScopeConversion;

/* Frees a conversion.  Accepts NULL. */
void scope_conversion_free (ScopeConversion *conversion);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeConversion, scope_conversion_free)

/* Names of all forms as hscope uses them, NULL-terminated. */
const char *const *scope_conversion_forms (void);
/* The translated title of a form; "As Written" for unknown names and NULL. */
const char *scope_conversion_title (const char *form);

/* A model that is to be converted. */
typedef struct
{
  const char *model;  /* as the child process opens it */
  const char *params; /* (nullable) the parameter file, by default the one beside the model */
  const char *const *shapes; /* (nullable) of inputs */
  const char        *form;   /* the new form */
  const char        *title;  /* names the new file */
} ScopeConversionOptions;

/* Runs hscope convert, which writes into the user's cache. */
void scope_conversion_run_async (const ScopeConversionOptions *options,
                                 GCancellable                 *cancellable,
                                 GAsyncReadyCallback           callback,
                                 gpointer                      user_data);
/* (transfer full) NULL and an error: the model cannot be converted, or the proof failed. */
ScopeConversion *scope_conversion_run_finish (GAsyncResult *result, GError **error);
/* Runs hscope diff, which matches the nodes of two files by their role; finish it with scope_conversion_run_finish().  The
 * result has the path of the second file, matches from the first one, and no proof. */
void scope_conversion_match_async (const char *const   files[2],
                                   const char *const  *shapes,
                                   GCancellable       *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer            user_data);
/* "proved equal to 2e-7"; (transfer full) */
char *scope_conversion_describe_proof (const ScopeConversion *conversion);
