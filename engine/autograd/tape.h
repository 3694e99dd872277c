/* tape.h — records operator calls as they are computed, and computes gradients from the recording.
 * The recording is a graph with a tensor beside every value.  The backward pass adds gradient nodes to that graph and
 * computes only those.  Tensors are identified by their address, since every operator returns new ones.  Start with
 * hyb_tape_begin(), hyb_tape_call(), hyb_tape_backward().
 * Threads: one thread at a time uses a tape and the HybF that records on it.  Tapes of several threads are independent, but
 * two must not train the same parameters at the same time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/graph/graph.h"
#include "engine/op/run.h"

G_BEGIN_DECLS
/* A recording of operator calls, see the head of the file. */
typedef struct _HybTape HybTape;

/* How a backward pass stores the gradient of a tensor. */
typedef enum
{
  HYB_REQUEST_NULL,  /* not at all */
  HYB_REQUEST_WRITE, /* replaces the one of the backward pass before */
  HYB_REQUEST_ADD,   /* adds to the gradients of earlier backward passes */
} HybRequest;

/* An empty tape, outside any scope. */
HYB_API HybTape *hyb_tape_new (void);
/* Frees a tape.  Accepts NULL. */
HYB_API void hyb_tape_free (HybTape *tape);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybTape, hyb_tape_free)

/* Open and close scopes, which nest.  Calls are recorded if the innermost scope is a recording,
 * not a pause. */
/* Opens a scope in which calls are recorded. */
HYB_API void hyb_tape_begin (HybTape *tape);
/* Opens a scope in which calls are not recorded. */
HYB_API void hyb_tape_pause (HybTape *tape);
/* Closes the innermost scope. */
HYB_API void hyb_tape_end (HybTape *tape);
/* TRUE if the innermost scope records. */
HYB_API gboolean hyb_tape_is_recording (const HybTape *tape);

/* Requests gradients of a parameter or input in all further backward passes; HYB_REQUEST_NULL
 * withdraws the request.  The tape holds a reference to the tensor. */
HYB_API void hyb_tape_attach (HybTape *tape, HybTensor *tensor, HybRequest request);
/* Returns the gradient of an attached tensor; NULL before the first backward pass that reaches it.
 * (transfer none) (nullable) */
HYB_API HybTensor *hyb_tape_get_gradient (HybTape *tape, HybTensor *tensor);
/* Drops the gradients of all attached tensors. */
HYB_API void hyb_tape_clear_gradients (HybTape *tape);

/* Computes one operator call like hyb_imperative_call(), and records it if the tape is
 * recording.  context gives seed and training; NULL means inference with seed 0. */
HYB_API gboolean hyb_tape_call (HybTape                 *tape,
                                const HybImperativeCall *call,
                                const HybRun            *context,
                                GError                 **error);

/* The start of a backward pass. */
typedef struct
{
  guint             n_heads;
  HybTensor *const *heads;          /* outputs of recorded calls, or attached tensors */
  HybTensor *const *head_gradients; /* one for each head, where NULL means ones; or NULL */
  gboolean          retain;         /* keep the recording afterwards, for another backward pass */
} HybBackwardPass;

/* Computes the gradients of all attached tensors that the heads depend on.  Returns FALSE and an
 * error if a head was not recorded or a gradient cannot be computed. */
HYB_API gboolean hyb_tape_backward (HybTape *tape, const HybBackwardPass *pass, GError **error);
/* Drops the recording; attachments and gradients stay. */
HYB_API void hyb_tape_clear (HybTape *tape);

G_END_DECLS
