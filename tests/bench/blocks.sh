#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# blocks.sh — writes a graph of N transformer blocks as MXNet's JSON to stdout.
#
#   tests/bench/blocks.sh N
#
# A block has 24 nodes, with residuals, weights and names as Gluon writes them.
awk -v blocks="$1" 'function node(op, name, attrs, inputs) {
  printf "%s{\"op\":\"%s\",\"name\":\"%s\",\"attrs\":{%s},\"inputs\":[%s]}", n ? ",\n" : "", op, name, attrs, inputs
  return n++
}
function from(i) { return "[" i ",0,0]" }
function dense(name, x,  w, b) {
  w = node("null", name "_weight", "", ""); b = node("null", name "_bias", "", "")
  return node("FullyConnected", name, "\"num_hidden\":\"64\",\"flatten\":\"False\"", from(x) "," from(w) "," from(b))
}
BEGIN {
  printf "{\"nodes\":["
  x = node("null", "data", "", "")
  for (i = 0; i < blocks; i++) {
    p = "net_block" i "_"
    q = dense(p "query", x); k = dense(p "key", x); v = dense(p "value", x)
    s = node("batch_dot", p "scores", "\"transpose_b\":\"True\"", from(q) "," from(k))
    s = node("softmax", p "softmax", "", from(s))
    s = node("batch_dot", p "mix", "", from(s) "," from(v))
    o = dense(p "project", s)
    x = node("elemwise_add", p "residual0", "", from(x) "," from(o))
    h = dense(p "wide", x)
    h = node("Activation", p "relu", "\"act_type\":\"relu\"", from(h))
    h = dense(p "narrow", h)
    x = node("elemwise_add", p "residual1", "", from(x) "," from(h))
  }
  printf "],\"arg_nodes\":[0],\"heads\":[[%d,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}\n", x
}'
