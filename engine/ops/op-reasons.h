/* op-reasons.h — names of MXNet 1.9.1's operators that are missing here, each with the reason.
 *
 * HYB_REASON (pattern, reason): “*” in a pattern matches any text, and the first pattern that matches
 * counts.  A reason is a sentence without its full stop.  Only op-table.c includes this file, with its
 * own definition of HYB_REASON, so there is no include guard.  docs/operators.md and the messages for
 * nodes that cannot run are made from it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gradients.  Inputs of gradient operators are a matter of the program that computes them: MXNet passes
 * head gradients, inputs and outputs in an order that is not in the file. */
HYB_REASON ("_backward_*", GRADIENT)
HYB_REASON ("_contrib_backward_*", GRADIENT)
HYB_REASON ("_broadcast_backward", GRADIENT)
HYB_REASON ("_split_v2_backward", GRADIENT)
HYB_REASON ("_npi_backward_*", GRADIENT)
HYB_REASON ("_npi_hsplit_backward", GRADIENT)

/* Operators that hold something of a running process. */
HYB_REASON ("_CachedOp*", "It refers to a hybridised block of a running process; export the block")
HYB_REASON ("_CustomFunction", "It refers to a Python function of a running process")
HYB_REASON ("_NDArray", "Its code is a pointer into a running process; write it in C as a plug-in")
HYB_REASON ("_Native", "Its code is a pointer into a running process; write it in C as a plug-in")
HYB_REASON ("_NoGradient", "It only marks places in MXNet's gradient graphs")

/* Functions of MXNet's array interface that write into an argument.  MXNet cannot run them in a graph. */
HYB_REASON ("_onehot_encode", "It writes into its argument and cannot be in a graph; use one_hot")
HYB_REASON ("_npi_boolean_mask_assign_*",
            "It writes into its argument and cannot be in a graph; use _npi_where")
HYB_REASON ("_set_value", "It writes into its argument and cannot be in a graph; use _full")
HYB_REASON ("_imdecode", "It writes into its argument and cannot be in a graph")
HYB_REASON ("_npi_cvim*", "It reads or writes images outside of the graph")
HYB_REASON ("_cvim*", "It reads or writes images outside of the graph")
HYB_REASON ("_cvcopyMakeBorder", "It belongs to MXNet's image reader; use Pad")

/* Operators on sparse storage. */
HYB_REASON ("_contrib_dgl_*", SPARSE_GRAPH)
HYB_REASON ("_contrib_edge_id", SPARSE_GRAPH)
HYB_REASON ("_contrib_getnnz",
            "It counts the stored elements of a sparse array, and all arrays are dense here")

/* Operators for training or quantising a model, which are not in exported graphs. */
HYB_REASON (
    "_contrib_calibrate_entropy",
    "It chooses the ranges of values while a model is quantised, and is in no exported graph")
HYB_REASON ("reset_arrays", "It has no result, so no graph can hold it")

/* Operators that are not implemented. */
#define UNUSED_HERE "It is not implemented; write it in C as a plug-in (docs/custom-operators.md)"
HYB_REASON ("_contrib_quantize_asym", UNUSED_HERE)
HYB_REASON ("_contrib_quantized_rnn", UNUSED_HERE)
HYB_REASON ("_npi_choice", UNUSED_HERE)
HYB_REASON ("_npi_delete", UNUSED_HERE)
HYB_REASON ("_npi_insert_scalar", UNUSED_HERE)
HYB_REASON ("_npi_insert_slice", UNUSED_HERE)
HYB_REASON ("_npi_insert_tensor", UNUSED_HERE)
HYB_REASON ("_npi_multinomial", UNUSED_HERE)
HYB_REASON ("_npi_norm", UNUSED_HERE)
HYB_REASON ("_npi_share_memory", UNUSED_HERE)
HYB_REASON ("_npi_unique", UNUSED_HERE)
#undef UNUSED_HERE

HYB_REASON ("_npi_Custom", CUSTOM)
HYB_REASON ("Custom", CUSTOM)
