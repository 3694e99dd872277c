/* pass-list.h — the passes over a graph in the order in which they run, with the reason
 * for each place.
 *
 * HYB_PASS (merge_equal) stands for hyb_pass_merge_equal at the end of merge-equal.c.
 * pipeline.c includes this file twice, to declare the passes and to list them, so it has
 * no include guard.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* clang-format off */
HYB_PASS (lower)                /* all others handle the engine's operators only */
HYB_PASS (infer_types)          /* every later pass needs types */
HYB_PASS (fold_literals)        /* the next passes look for constant operands */
HYB_PASS (integer_layers)       /* before folding, which would make floats of the weights */
HYB_PASS (recognise_layers)     /* before folding, which packs their matrices */
HYB_PASS (fold_batch_norm)      /* turns batch normalisation into filters and bias of a convolution */
HYB_PASS (fold_scales)          /* folds the nodes after a convolution into its filters and bias, folded norms
                                 * included */
HYB_PASS (transform_filters)    /* transforms those filters too */
HYB_PASS (finish_convolutions)  /* appends sums and rectifiers to convolutions of either kind */
HYB_PASS (read_narrow)          /* before folding, which would make floats of narrow weights */
HYB_PASS (fold_constants)       /* before merging, which then compares fewer nodes */
HYB_PASS (hoist_products)       /* the backward pass needs the same products as the loop */
HYB_PASS (batch_products)       /* before merging, because it may stack the same rows more than once */
HYB_PASS (merge_equal)          /* leaves nodes without readers behind, which drop_dead removes */
HYB_PASS (keep_products)        /* after merging, so that a loop and its backward pass read the same values */
HYB_PASS (cancel_transposes)    /* after merging, and before the patterns that it brings together
                                 * are recognised */
HYB_PASS (recognise_gates)      /* after merging, as the next three: they count the readers of values */
HYB_PASS (recognise_norms)      /* after merging */
HYB_PASS (finish_integers)      /* after merging, and before scales are fused with other nodes */
HYB_PASS (fuse_attention)       /* after norms and gates, which its operands may end with */
HYB_PASS (fuse_gates)           /* after merging, because it counts the readers of a value */
HYB_PASS (finish_products)      /* after batching and merging, because it counts the readers of a product */
HYB_PASS (pack_weights)         /* after batching and hoisting, when all rows of a product are known */
HYB_PASS (keep_panels)          /* folds the results of pack_weights from constants */
HYB_PASS (drop_dead)            /* before any later pass counts readers */
HYB_PASS (fuse_elementwise)     /* after every pass that looks for operators by name */
HYB_PASS (share_views)          /* concerns memory, which is laid out last */
/* clang-format on */
