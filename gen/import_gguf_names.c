// SPDX-License-Identifier: Apache-2.0
// Names in GGUF and what they are called here: architectures, and keys that mean the same under
// another name.
#include "gen/import_gguf.h"

const struct gguf_arch gguf_archs[] = {
    {"llama", "llama", NO_RECURRENCE, NULL},
    {"mistral3", "ministral3", NO_RECURRENCE, NULL},
    {"llama4", "llama4_text", NO_RECURRENCE, NULL},
    {"gemma", "gemma", NO_RECURRENCE, NULL},
    {"gemma2", "gemma2", NO_RECURRENCE, NULL},
    {"gemma3", "gemma3_text", NO_RECURRENCE, NULL},
    {"gemma-embedding", "gemma3_text", NO_RECURRENCE, NULL},
    {"gemma3n", "gemma3n_text", NO_RECURRENCE, NULL},
    {"gemma4", "gemma4_text", NO_RECURRENCE, NULL},
    {"gpt-oss", "gpt_oss", NO_RECURRENCE, NULL},
    {"phi3", "phi3", NO_RECURRENCE, NULL},
    {"qwen2", "qwen2", NO_RECURRENCE, NULL},
    {"qwen2moe", "qwen2_moe", NO_RECURRENCE, NULL},
    {"qwen3", "qwen3", NO_RECURRENCE, NULL},
    {"qwen3moe", "qwen3_moe", NO_RECURRENCE, NULL},
    {"qwen3next", "qwen3_next", DELTA_NET, "layer_types"},
    {"command-r", "cohere", NO_RECURRENCE, NULL},
    {"cohere2", "cohere2", NO_RECURRENCE, NULL},
    {"olmo2", "olmo2", NO_RECURRENCE, NULL},
    {"exaone4", "exaone4", NO_RECURRENCE, NULL},
    {"smollm3", "smollm3", NO_RECURRENCE, NULL},
    {"glm4", "glm4", NO_RECURRENCE, NULL},
    {"glm4moe", "glm4_moe", NO_RECURRENCE, NULL},
    {"hunyuan-dense", "hunyuan_v1_dense", NO_RECURRENCE, NULL},
    {"hunyuan-moe", "hunyuan_v1_moe", NO_RECURRENCE, NULL},
    {"granite", "granite", NO_RECURRENCE, NULL},
    {"granitemoe", "granitemoe", NO_RECURRENCE, NULL},
    {"granitehybrid", "granitemoehybrid", MAMBA2, "layer_types"},
    {"deepseek2", "deepseek_v3", NO_RECURRENCE, NULL},
    {"falcon-h1", "falcon_h1", MAMBA2, NULL},
    {"nemotron_h", "nemotron_h", NEMOTRON, "layers_block_type"},
    {"jamba", "jamba", MAMBA1, "layers_block_type"},
    {"mamba", "mamba", MAMBA1_ALONE, NULL},
    {"mamba2", "mamba2", MAMBA2_ALONE, NULL},
    {"bert", "bert", NO_RECURRENCE, NULL},
    {"modern-bert", "modernbert", NO_RECURRENCE, NULL},
};
const size_t gguf_arch_count = sizeof gguf_archs / sizeof *gguf_archs;

// Keys that mean the same under another name.
const char *const gguf_names[][2] = {
    {"block_count", "num_hidden_layers"},
    {"nextn_predict_layers", "num_nextn_predict_layers"},
    {"embedding_length", "hidden_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads"},
    {"attention.key_length", "head_dim"},
    {"attention.sliding_window", "sliding_window"},
    {"attention.chunk_size", "attention_chunk_size"},
    {"attention.shared_kv_layers", "num_kv_shared_layers"},
    {"attn_logit_softcapping", "attn_logit_softcapping"},
    {"attention.kv_lora_rank", "kv_lora_rank"},
    {"attention.scale", "attention_multiplier"},
    {"rope.dimension_count", "qk_rope_head_dim"},
    {"attention.value_length_mla", "v_head_dim"},
    {"attention.indexer.head_count", "index_n_heads"},
    {"attention.indexer.key_length", "index_head_dim"},
    {"attention.indexer.top_k", "index_topk"},
    {"full_attention_interval", "full_attention_interval"},
};
const size_t gguf_name_count = sizeof gguf_names / sizeof *gguf_names;
