// SPDX-License-Identifier: Apache-2.0
// Names of other engines' settings, so that a person who writes one is told what it is called here.
// In: a name that is unknown. Out: the name to write instead, or NULL.
#ifndef GEN_FOREIGN_H
#define GEN_FOREIGN_H

#include "grammar/diag.h"

// X(the other engine's name, where it is written here, the name here)
#define FOREIGN_NAMES(X)                                                                           \
    X("attention_backend", "deployment", "backend")                                                \
    X("attn_backend", "deployment", "backend")                                                     \
    X("attention_backend_per_kind", "deployment", "backend_per_kind")                              \
    X("kv_cache_dtype", "deployment", "kv_dtype")                                                  \
    X("page_size", "deployment", "block_size")                                                     \
    X("max_model_len", "deployment", "max_tokens")                                                 \
    X("context_length", "deployment", "max_tokens")                                                \
    X("max_num_seqs", "deployment", "max_seqs")                                                    \
    X("max_num_batched_tokens", "deployment", "max_batch_tokens")                                  \
    X("gpu_memory_utilization", "deployment", "memory")                                            \
    X("tensor_parallel_size", "deployment", "tp")                                                  \
    X("decode_context_parallel_size", "deployment", "dcp")                                         \
    X("prefill_context_parallel_size", "deployment", "pcp")                                        \
    X("num_hidden_layers", "model", "layers")                                                      \
    X("num_attention_heads", "model", "heads")                                                     \
    X("num_key_value_heads", "model", "kv_heads")                                                  \
    X("head_size", "model", "head_dim")                                                            \
    X("torch_dtype", "model", "dtype")                                                             \
    X("sliding_window", "model", "window")                                                         \
    X("attention_chunk_size", "model", "chunk")                                                    \
    X("attn_logit_softcapping", "model", "softcap")                                                \
    X("logits_soft_cap", "model", "softcap")

const char *foreign_name(const char *where, const char *name); // or NULL

// Environment variables that other engines read and attnc does not.
// X(variable, the name of the setting here)
#define FOREIGN_ENVIRONMENT(X) X("VLLM_ATTENTION_BACKEND", "backend")

// Warns of each such variable that `get` (getenv, or a test's) finds.
void foreign_environment(struct diags *d, char *(*get)(const char *name));

#endif
