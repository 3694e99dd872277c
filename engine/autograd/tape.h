/* tape.h — recording calls as they are computed, and going back over them.
 *
 * What is recorded becomes a graph with a tensor beside every value; going back adds
 * gradients to that graph and computes them alone.  A tensor is known by its address:
 * an operator's output is a new one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/op/run.h"

G_BEGIN_DECLS

typedef struct _HybTape HybTape;

/* What becomes of a tensor's gradient. */
typedef enum
{
  HYB_REQUEST_NULL,  /* nobody wants it */
  HYB_REQUEST_WRITE, /* the last one */
  HYB_REQUEST_ADD,   /* the sum over all backward passes */
} HybRequest;

HybTape *hyb_tape_new (void);
void     hyb_tape_free (HybTape *tape);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybTape, hyb_tape_free)

/* Scopes nest; a pause inside a recording leaves out what is computed in it. */
void     hyb_tape_begin (HybTape *tape);
void     hyb_tape_pause (HybTape *tape);
void     hyb_tape_end (HybTape *tape); /* of the innermost scope of either kind */
gboolean hyb_tape_is_recording (const HybTape *tape);

/* Asks for gradients of a parameter or input; it stays attached until told NULL. */
void hyb_tape_attach (HybTape *tape, HybTensor *tensor, HybRequest request);
/* (transfer none) (nullable): NULL before the first backward pass that reaches it. */
HybTensor *hyb_tape_get_gradient (HybTape *tape, HybTensor *tensor);
void       hyb_tape_clear_gradients (HybTape *tape);

/* As hyb_imperative_call(), recorded if the tape records. */
gboolean hyb_tape_call (HybTape          *tape,
                        const HybOp      *op,
                        gconstpointer     params,
                        HybGraph *const  *bodies,
                        guint             n_inputs,
                        HybTensor *const *inputs,
                        HybTensor       **outputs,
                        const HybRun     *context,
                        GError          **error);

/* From heads (which must have been computed while recording, or be attached) back to
 * all that is attached.  head_gradients: NULL, or one per head; a NULL among them
 * stands for ones.  Forgets what was recorded, unless retain. */
gboolean hyb_tape_backward (HybTape          *tape,
                            guint             n_heads,
                            HybTensor *const *heads,
                            HybTensor *const *head_gradients,
                            gboolean          retain,
                            GError          **error);
/* Forgets what was recorded; attachments and gradients stay. */
void hyb_tape_clear (HybTape *tape);

G_END_DECLS
