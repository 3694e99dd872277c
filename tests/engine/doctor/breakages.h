/* breakages.h — the mutator: breaks a good pair of a symbol file and parameters in one way.
 *
 * A kind of breakage is a row of a table with a function that changes the pair in memory.  Which node or
 * array is changed depends on the pair alone, so every run breaks the same things.
 * README.md lists the kinds and the results.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

#include <cjson/cJSON.h>

/* A pair that is broken; a kind changes or replaces its members. */
typedef struct
{
  cJSON         *symbol;
  HybTensorList *weights;      /* with the names of the file, such as "arg:fc_weight" */
  HybTensorList *input;        /* inputs of a run, which tell the batch size */
  HybTensorList *other;        /* parameters of another model */
  char          *symbol_text;  /* replaces symbol; NULL: symbol is written */
  GBytes        *weights_file; /* replaces weights; NULL: weights are written */
  gboolean       is_newer; /* the parameters are epoch 1, and the good ones beside them epoch 0 */
  char          *given;    /* an input of which a shape is given that does not fit, or NULL */
  HybShape       given_shape;
  char          *culprit; /* what a finding must name: a node, an array, a program; NULL: nothing */
} Breakage;

typedef struct
{
  const char *name;
  const char *code;                       /* of the finding that names the cause */
  gboolean (*apply) (Breakage *breakage); /* FALSE if the pair cannot be broken in this way */
  gboolean is_mended;                     /* the facts are in the files, so it must be repaired */
} BreakageKind;

/* Tables that end with an empty row: what breaks parameters, and what breaks graphs. */
extern const BreakageKind breakages_of_weights[], breakages_of_files[], breakages_of_graphs[];

/* --- For the kinds --- */

/* Replaces the list by one in which each array is what the function returns: NULL leaves it out. */
typedef HybTensor *(*BreakageMapFunc) (Breakage *breakage, const char *name, HybTensor *tensor);
/* Names may be changed by setting *renamed (transfer full). */
typedef char *(*BreakageNameFunc) (Breakage *breakage, const char *name, guint index);
void breakage_map (Breakage *breakage, BreakageMapFunc map, BreakageNameFunc rename);

/* A node of the symbol by index; NULL behind the last one. */
cJSON *breakage_node (const Breakage *breakage, int index);
int    breakage_n_nodes (const Breakage *breakage);
/* A text member of a node: "op" or "name". */
const char *breakage_text (const cJSON *node, const char *key);
/* The attributes of a node, made if there are none. */
cJSON *breakage_attributes (cJSON *node);
/* TRUE if the array (with or without prefix) is input number `input` of a node with this operator. */
gboolean
breakage_is_operand (const Breakage *breakage, const char *array, const char *op, int input);
/* The batch size: the leading axis of the first input. */
gint64 breakage_batch (const Breakage *breakage);
