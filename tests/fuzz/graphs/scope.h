/* scope.h — a graph or a body while it grows: the values that exist so far, each with an example of its contents.
 *
 * Values are named by their index in Scope.known.  A node is computed when it is added; one that the engine refuses, or that
 * is too large, is not added.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"
#include "tests/fuzz/fuzz.h"

/* No value. */
#define SCOPE_NOTHING G_MAXUINT

typedef struct
{
  HybValueId value;
  HybTensor *tensor; /* an example: in a body, that of the first step */
  guint      n_readers;
  gboolean   is_written; /* a state of an operator, which nothing else reads */
  gboolean   is_drawn;   /* depends on drawn numbers, which are others in each graph */
} KnownValue;

typedef struct _Scope Scope;
struct _Scope
{
  GPtrArray         *
      operators; /* of SampledOperator; what follows up to has_scalars is the same in all scopes of a graph */
  FuzzRandom *random;
  guint      *n_names;
  gboolean    has_scalars; /* not MXNet's legacy rules for shapes */

  Scope      *outer; /* NULL outside of bodies */
  HybBuilder *builder;
  GArray     *known;   /* of KnownValue */
  GArray     *sources; /* of a body, by variable: the index of a value of the outer scope */
  GPtrArray  *values;  /* of the graph, by variable: of HybTensor */
};

/* A node to add. */
typedef struct
{
  const HybOp     *op;
  char           **attributes; /* key, value, …, NULL */
  guint            n_inputs;
  const guint     *inputs;
  guint            n_bodies;
  HybGraph *const *bodies;
} NodeRequest;

/* Whether a graph or its bodies draw numbers. */
gboolean draws_numbers (HybGraph *graph);
/* Begins a graph (outer NULL, the members that scopes share set) or a body. */
void scope_init (Scope *scope, Scope *outer);
void scope_clear (Scope *scope);
/* How many bodies the scope is in. */
guint scope_depth (const Scope *scope);

KnownValue    *scope_get (Scope *scope, guint index);
const HybType *scope_type (Scope *scope, guint index);
/* A value that a random choice finds, TRUE in `suits`; SCOPE_NOTHING if there is none. */
guint scope_choose (Scope *scope,
                    gboolean (*suits) (const KnownValue *known, gconstpointer data),
                    gconstpointer data);
/* A value of floats, late ones more often. */
guint scope_choose_float (Scope *scope);

/* A new variable with these contents; in a body, one of the graph that all bodies around read. */
guint scope_add_variable (Scope *scope, HybTensor *tensor);
/* A variable of a body that reads a value of the outer scope, or a row of it: then tensor is the first row. */
guint scope_add_port (Scope *body, guint outer_index, HybTensor *tensor);
/* Adds a node and returns the index of its first output; its other visible outputs follow.  SCOPE_NOTHING if it is refused. */
guint scope_add_node (Scope *scope, const NodeRequest *request);
/* Adds a node with one or two inputs; b may be SCOPE_NOTHING.  attributes as in "axis=0 pad=(1, 1)". */
guint scope_call (Scope *scope, const char *op, const char *attributes, guint a, guint b);
/* A value of this type that is computed from another one, all elements between low and high if there is need. */
guint scope_fit (Scope *scope, guint index, const HybType *type, double low, double high);
