/* null-calls.h — the table that null-calls.py writes, and the objects that its calls use.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/hybrid.h"

/* A call of a public function without what it needs. */
typedef struct
{
  const char *function; /* NULL: the end */
  const char *given;    /* for messages: what it is given */
  void (*call) (void);
} NullCall;

extern const NullCall null_calls[];

/* Objects that are whole; they are never freed. */
HybF         *make_f (void);
HybValue     *make_value (void);
HybBlock     *make_block (void);
HybBlock     *make_cell (void);
HybGraph     *make_graph (void);
HybModel     *make_model (void);
HybTensor    *make_tensor (void);
HybExecutor  *make_executor (void);
HybParameter *make_parameter (void);

/* Others that are whole, but not what most functions expect. */
HybGraph  *make_empty_graph (void);
HybValue  *make_traced (void);
HybTensor *make_nothing (void);
HybTensor *make_integers (void);

extern guint64 zeros[4096];
extern GError *error;
