/* show-results.h — prints the results of a self-test, as text and as members of JSON.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/json-writer.h"
#include "app/command/selftest/operator-results.h"
#include "app/command/selftest/test-models.h"

/* Prints the line of one operator. */
void scope_results_print_operator (const char *op, const ScopeOperatorResult *result);
/* Prints the lines of an operator that was tested alone, of its gradients, and of others that are wrong. */
void scope_results_print_operator_part (const char *op, const ScopeOperatorResults *results);
/* Prints the line of one model in one mode. */
void scope_results_print_model (const ScopeModelResult *result);

/* Appends the results of all operators: a list, and the number of samples computed. */
void scope_results_describe_operators (ScopeJson *json, const ScopeOperatorResults *results);
/* Appends the members for one model in one mode. */
void scope_results_describe_model (ScopeJson *json, const ScopeModelResult *result);
