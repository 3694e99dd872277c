/* conversion.h — a model in another form, written and proved by the child process.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Which node of the new form stands for which of the old one. */
typedef struct
{
  const char *from, *to; /* names, owned by the conversion */
  gint32      step;      /* -1: none in particular */
} ScopeNameMatch;

typedef struct
{
  char         *path;    /* of the symbol file that was written */
  double        max_abs; /* proved equal to this; NAN: nothing was compared */
  GArray       *matches; /* of ScopeNameMatch */
  GStringChunk *names;
} ScopeConversion;

void scope_conversion_free (ScopeConversion *conversion);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeConversion, scope_conversion_free)

/* The forms as hscope names them, NULL-terminated, and as people call them. */
const char *const *scope_conversion_forms (void);
const char        *scope_conversion_title (const char *form);

/* model: as the child calls it.  params, shapes: (nullable).  title: what the new file is called. */
void             scope_conversion_run_async (const char         *model,
                                             const char         *params,
                                             const char *const  *shapes,
                                             const char         *form,
                                             const char         *title,
                                             GCancellable       *cancellable,
                                             GAsyncReadyCallback callback,
                                             gpointer            user_data);
ScopeConversion *scope_conversion_run_finish (GAsyncResult *result, GError **error);
/* “proved equal to 2e-7”; (transfer full) */
char *scope_conversion_describe_proof (const ScopeConversion *conversion);
