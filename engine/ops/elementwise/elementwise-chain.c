/* elementwise-chain.c — several pointwise operators as one.  passes/fuse-elementwise.c puts it
 * where one operator reads the other's result and nobody else does.
 *
 * The body holds the members.  All of them go over a block that stays in the cache
 * before the next block is read; each computes its block with its own forward function, so that
 * the results are the same to the last bit.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/analysis/subgraph-types.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* Elements that are taken through all members together: 32 KiB for each value that lives.  With
 * values of 64 MiB that was faster than 2048, which costs four times as many calls. */
#define BLOCK 8192
/* Operators that the printed plan names. */
#define MAX_NAMED 6

typedef struct
{
  gint64 num_args;
} ChainParams;

static const HybParam chain_params[] = {
  { HYB_FIELD (ChainParams, num_args),
    HYB_PARAM_INT,
    NULL,
    .low = 1,
    .high = G_MAXINT32,
    .doc = "number of inputs" },
  { 0 },
};

static void
chain_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const ChainParams *) params)->num_args;
}

/* --- Getting ready --- */

/* One operator on a block of the usual length, and on what is left at the end. */
typedef struct
{
  HybCall whole, rest;
  guint   first_operand; /* its inputs; its output follows */
} Member;

/* An operand is an input of the chain (its number), the chain's output (n_inputs) or, from
 * there on, a buffer for a block. */
typedef struct
{
  gint64   n, block, rest; /* elements: all, of a block, of the last block */
  gint64   n_blocks;
  gint64   n_slices; /* of blocks, each with its own buffers */
  guint    n_buffers;
  guint    n_operands;
  guint    result; /* the operand that the last member writes */
  guint   *operands;
  guint    n_members;
  Member  *members;
  HybType *types; /* of a block and of the last one; all operands of a member are alike */
  gsize    slice_bytes, pointers_bytes, buffer_bytes;
  char    *note;
} Chain;

/* Buffers while they are given out. */
typedef struct
{
  HybGraph *body;
  guint     n_inputs;
  guint    *operand;  /* by value of the body */
  guint    *n_unread; /* by value: readers that are still to come */
  GArray   *idle;     /* of guint: operands that are buffers nobody needs any more */
  guint     n_buffers;
} Allocation;

static gboolean
is_buffer (const Allocation *allocation, guint operand)
{
  return operand > allocation->n_inputs;
}

static guint
take_buffer (Allocation *allocation)
{
  guint operand;

  if (allocation->idle->len == 0)
    return allocation->n_inputs + ++allocation->n_buffers;
  operand = g_array_index (allocation->idle, guint, allocation->idle->len - 1);
  g_array_set_size (allocation->idle, allocation->idle->len - 1);
  return operand;
}

/* Whether a member may write over what this operand holds: its first input, and no other. */
static gboolean
writes_over_first_only (const Allocation *allocation, HybNodeId id, guint operand)
{
  const HybNode    *node = hyb_graph_get_node (allocation->body, id);
  const HybValueId *inputs = hyb_graph_get_inputs (allocation->body, id);

  for (guint i = 0; i < node->n_inputs; i++)
    if (allocation->operand[inputs[i]] == operand &&
        (i > 0 || !(node->op->flags & HYB_OP_IN_PLACE)))
      return FALSE;
  return TRUE;
}

/* The chain's output may lie over its input 0, which is why the last member may not always
 * write there. */
static guint
operand_for_output (Allocation *allocation, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (allocation->body, id);
  HybValueId        output = hyb_graph_get_node (allocation->body, id)->first_output;
  guint             first = allocation->operand[inputs[0]];
  guint             n_heads;

  if (hyb_graph_get_heads (allocation->body, &n_heads)[0] == output &&
      writes_over_first_only (allocation, id, 0))
    return allocation->n_inputs;
  if (is_buffer (allocation, first) && allocation->n_unread[inputs[0]] == 1 &&
      (hyb_graph_get_node (allocation->body, id)->op->flags & HYB_OP_IN_PLACE))
    return first;
  return take_buffer (allocation);
}

static void
place_member (Allocation *allocation, Chain *chain, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (allocation->body, id);
  const HybValueId *inputs = hyb_graph_get_inputs (allocation->body, id);
  Member           *member = &chain->members[chain->n_members++];
  guint             output = operand_for_output (allocation, id);

  member->whole = (HybCall){
    .op = node->op, .params = node->params, .n_inputs = node->n_inputs, .n_outputs = 1
  };
  member->rest = member->whole;
  member->first_operand = chain->n_operands;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      guint operand = allocation->operand[inputs[i]];

      chain->operands[chain->n_operands++] = operand;
      if (--allocation->n_unread[inputs[i]] == 0 && is_buffer (allocation, operand) &&
          operand != output)
        g_array_append_val (allocation->idle, operand);
    }
  chain->operands[chain->n_operands++] = output;
  allocation->operand[node->first_output] = output;
  chain->result = output;
}

static void
place_members (Chain *chain, HybGraph *body, guint n_inputs)
{
  guint             n_values = MAX (hyb_graph_n_values (body), 1);
  g_autofree guint *operand = g_new0 (guint, n_values);
  g_autofree guint *n_unread = g_new0 (guint, n_values);
  g_autoptr (GArray) idle = g_array_new (FALSE, FALSE, sizeof (guint));
  Allocation allocation = { body, n_inputs, operand, n_unread, idle, 0 };
  guint      n_variables = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      HybValueId value = hyb_graph_get_node (body, id)->first_output;

      hyb_graph_get_users (body, value, &n_unread[value]);
      if (hyb_node_is_variable (hyb_graph_get_node (body, id)))
        operand[value] = n_variables++;
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    if (!hyb_node_is_variable (hyb_graph_get_node (body, id)))
      place_member (&allocation, chain, id);
  chain->n_buffers = allocation.n_buffers;
}

static char *
name_members (const Chain *chain)
{
  GString *text = g_string_new (NULL);

  for (guint m = 0; m < MIN (chain->n_members, MAX_NAMED); m++)
    g_string_append_printf (text, "%s%s", m > 0 ? ", " : "", chain->members[m].whole.op->name);
  if (chain->n_members > MAX_NAMED)
    g_string_append_printf (text, " and %u more", chain->n_members - MAX_NAMED);
  return g_string_free (text, FALSE);
}

/* Types of blocks: members have up to `most` operands. */
static void
fill_types (Chain *chain, guint most, HybDType dtype)
{
  for (guint i = 0; i < most; i++)
    {
      chain->types[i] = (HybType){ hyb_shape_1d (chain->block), dtype };
      chain->types[most + i] = (HybType){ hyb_shape_1d (chain->rest), dtype };
    }
  for (guint m = 0; m < chain->n_members; m++)
    {
      Member *member = &chain->members[m];

      member->whole.input = member->whole.output = chain->types;
      member->rest.input = member->rest.output = chain->types + most;
    }
}

static void
cut_into_slices (Chain *chain)
{
  gint64 grain = HYB_EACH_GRAIN / MIN (chain->n_members, 4);

  chain->n_slices =
      MIN (chain->n_blocks, CLAMP (chain->n / grain, 1, (gint64) hyb_parallel_get_threads ()));
}

static void
measure_slice (Chain *chain, HybDType dtype)
{
  chain->pointers_bytes = 0;
  hyb_workspace_take (&chain->pointers_bytes, chain->n_operands * sizeof (gpointer));
  chain->buffer_bytes = 0;
  hyb_workspace_take (&chain->buffer_bytes, (gsize) chain->block * hyb_dtype_size (dtype));
  chain->slice_bytes = chain->pointers_bytes + chain->n_buffers * chain->buffer_bytes;
}

static gboolean
chain_prepare (HybCall *call, GError **error)
{
  HybGraph *body = call->body[0];
  Chain    *chain;
  guint     n_nodes = hyb_graph_n_nodes (body), n_operands = 0, most = 0;

  if (!hyb_subgraph_check (body, call->n_inputs, 1, "chain", error))
    return FALSE;
  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      guint n = hyb_graph_get_node (body, id)->n_inputs + 1;

      n_operands += n;
      most = MAX (most, n);
    }

  call->prepared = chain = g_new0 (Chain, 1);
  chain->n = hyb_shape_size (&call->output[0].shape);
  chain->block = CLAMP (chain->n, 1, BLOCK);
  chain->n_blocks = (chain->n + chain->block - 1) / chain->block;
  chain->rest = chain->n - (MAX (chain->n_blocks, 1) - 1) * chain->block;
  chain->operands = g_new (guint, n_operands);
  chain->members = g_new (Member, n_nodes);
  chain->types = g_new (HybType, MAX (2 * most, 1));
  place_members (chain, body, call->n_inputs);
  fill_types (chain, most, call->output[0].dtype);
  cut_into_slices (chain);
  measure_slice (chain, call->output[0].dtype);
  chain->note = name_members (chain);
  return TRUE;
}

static void
chain_release (HybCall *call)
{
  Chain *chain = call->prepared;

  if (!chain)
    return;
  g_free (chain->operands);
  g_free (chain->members);
  g_free (chain->types);
  g_free (chain->note);
  g_free (chain);
  call->prepared = NULL;
}

static gsize
chain_workspace (const HybCall *call)
{
  const Chain *chain = call->prepared;

  return (gsize) chain->n_slices * chain->slice_bytes;
}

static const char *
chain_note (const HybCall *call)
{
  return ((const Chain *) call->prepared)->note;
}

/* --- Running --- */

typedef struct
{
  const HybCall *call;
  const HybRun  *run;
} Work;

/* Where an operand's elements of this block are. */
static inline gpointer
find_operand (const Work *work, const Chain *chain, char *buffers, guint operand, gsize offset)
{
  guint n_inputs = work->call->n_inputs;

  if (operand < n_inputs)
    return (char *) work->run->input[operand] + offset;
  if (operand == n_inputs)
    return (char *) work->run->output[0] + offset;
  return buffers + (operand - n_inputs - 1) * chain->buffer_bytes;
}

static void
run_block (const Work *work, const Chain *chain, HybRun *run, char *room, gint64 block)
{
  gpointer *pointers = (gpointer *) (gpointer) room;
  char     *buffers = room + chain->pointers_bytes;
  gboolean  is_rest = block == chain->n_blocks - 1;
  gsize     size = hyb_dtype_size (work->call->output[0].dtype);
  gsize     offset = (gsize) (block * chain->block) * size;

  for (guint i = 0; i < chain->n_operands; i++)
    pointers[i] = find_operand (work, chain, buffers, chain->operands[i], offset);
  for (guint m = 0; m < chain->n_members; m++)
    {
      const Member  *member = &chain->members[m];
      const HybCall *call = is_rest ? &member->rest : &member->whole;

      run->input = (gconstpointer *) (pointers + member->first_operand);
      run->output = pointers + member->first_operand + call->n_inputs;
      call->op->forward (call, run);
    }
  if (chain->result != work->call->n_inputs)
    memcpy ((char *) work->run->output[0] + offset,
            pointers[chain->n_operands - 1],
            (gsize) (is_rest ? chain->rest : chain->block) * size);
}

static void
run_slices (gint64 begin, gint64 end, gpointer data)
{
  const Work  *work = data;
  const Chain *chain = work->call->prepared;
  HybRun       run = *work->run;

  run.workspace = NULL;
  for (gint64 slice = begin; slice < end; slice++)
    {
      char  *room = (char *) work->run->workspace + (gsize) slice * chain->slice_bytes;
      gint64 last = chain->n_blocks * (slice + 1) / chain->n_slices;

      for (gint64 block = chain->n_blocks * slice / chain->n_slices; block < last; block++)
        run_block (work, chain, &run, room, block);
    }
}

static void
chain_forward (const HybCall *call, const HybRun *run)
{
  const Chain *chain = call->prepared;
  Work         work = { call, run };

  hyb_parallel_for (chain->n_slices, 1, run_slices, &work);
}

/* Arithmetic of all members; what lies between them never reaches memory. */
static void
chain_cost (const HybCall *call, HybCost *cost)
{
  hyb_subgraph_add_cost (call->body[0], call->input, call->training, 1, cost);
  hyb_rule_cost_bytes (call, cost);
}

/* --- What the body is to the node --- */

static guint
chain_body_variable (gconstpointer params, guint n_inputs, guint body, guint variable)
{
  return variable;
}

static HybPortKind
chain_body_port (gconstpointer params, guint n_inputs, guint body, guint variable)
{
  return HYB_PORT_VALUE;
}

static guint
chain_body_next (gconstpointer params, guint body, guint head)
{
  return G_MAXUINT;
}

static guint
chain_body_result (gconstpointer params, guint body, guint head)
{
  return head;
}

const HybOp hyb_ops_elementwise_chain[] = {
  { .name = "_elementwise_chain",
    .doc = "Pointwise operators that read one another, computed together block by block.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE,
    .inputs = (const char *const[]){ "arg", NULL },
    .params = chain_params,
    .params_size = sizeof (ChainParams),
    .arity = chain_arity,
    .n_bodies = 1,
    .body_variable = chain_body_variable,
    .bodies = (const char *const[]){ "members" },
    .body_port = chain_body_port,
    .body_next = chain_body_next,
    .body_result = chain_body_result,
    .infer_shape = hyb_rule_same_shape,
    .dtypes = HYB_DTYPES_F32,
    .forward = chain_forward,
    .workspace = chain_workspace,
    .prepare = chain_prepare,
    .release = chain_release,
    .note = chain_note,
    .cost = chain_cost },
  { 0 },
};
