// SPDX-License-Identifier: Apache-2.0
// Encoders (BERT, EuroBERT, ModernBERT), and encoder-decoder models (Whisper, BART, T5) as two
// models: one of an encoder, one of a decoder whose layers have `self` and `cross`.
#include "gen/import.h"

// ---- encoders

static void import_bert(struct import *i) {
    struct import_shape shape;
    import_shape(i, &shape);
    const struct config_value *decoder = import_find(i, "is_decoder");
    if (decoder && import_flag(i, "is_decoder", false)) {
        import_error(i, DIAG_A0913, decoder, "`%s` is true: attnc imports a %s as an encoder only",
                     config_path(i->arena, decoder), i->arch->model_type);
    }
    if (i->model) {
        import_set(i, IMPORT_ATTN, "encoder_only", NULL);
    }
}

#define LOCAL_ATTENTION 128
#define GLOBAL_EVERY 3

// A local layer sees half of local_attention on each side of a query, inclusive.
static void import_modernbert(struct import *i) {
    import_bert(i);
    struct import_int local = import_count(i, "local_attention", LOCAL_ATTENTION);
    struct import_int every = import_count(i, "global_attn_every_n_layers", GLOBAL_EVERY);
    const enum layer_type *types =
        import_layer_types(i, "layer_types", LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_SLIDING),
                           (struct layer_rule){every.v, 0, LAYER_FULL, LAYER_SLIDING});
    if (!types) {
        return;
    }
    struct import_op *self = import_self(i);
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        if (types[k] == LAYER_SLIDING) {
            import_at(self, k, IMPORT_WINDOW_LEFT, import_number(i, local.v / 2));
            import_at(self, k, IMPORT_WINDOW_RIGHT, import_number(i, local.v / 2));
        }
    }
    self->comments[IMPORT_WINDOW_LEFT] =
        local.given
            ? "half of local_attention"
            : arena_printf(i->arena, "half of local_attention, %s", import_default_comment(i));
}

// ---- encoder and decoder

struct seq2seq_facts {
    const char *encoder_layers, *encoder_heads, *decoder_layers, *decoder_heads, *head_dim;
    int64_t n, heads, dim; // class defaults; dim 0: width / heads
    const char *scale;     // or NULL: rsqrt(head_dim)
    bool relative_bias;    // a learned bias by distance is added to the logits of `self`
    bool decoder_as_deep;  // without a number of its own the decoder has the encoder's
};

static const struct seq2seq_facts bart = {.encoder_layers = "encoder_layers",
                                          .encoder_heads = "encoder_attention_heads",
                                          .decoder_layers = "decoder_layers",
                                          .decoder_heads = "decoder_attention_heads",
                                          .n = 12,
                                          .heads = 16};
static const struct seq2seq_facts whisper = {.encoder_layers = "encoder_layers",
                                             .encoder_heads = "encoder_attention_heads",
                                             .decoder_layers = "decoder_layers",
                                             .decoder_heads = "decoder_attention_heads",
                                             .n = 4,
                                             .heads = 6};
static const struct seq2seq_facts t5 = {.encoder_layers = "num_layers",
                                        .encoder_heads = "num_heads",
                                        .decoder_layers = "num_decoder_layers",
                                        .decoder_heads = "num_heads",
                                        .head_dim = "d_kv",
                                        .n = 6,
                                        .heads = 8,
                                        .dim = 64,
                                        .scale = "1",
                                        .relative_bias = true,
                                        .decoder_as_deep = true};

static const struct seq2seq_facts mt5 = {.encoder_layers = "num_layers",
                                         .encoder_heads = "num_heads",
                                         .decoder_layers = "num_decoder_layers",
                                         .decoder_heads = "num_heads",
                                         .head_dim = "d_kv",
                                         .n = 8,
                                         .heads = 6,
                                         .dim = 64,
                                         .scale = "1",
                                         .relative_bias = true,
                                         .decoder_as_deep = true};

static struct import_int seq2seq_dim(struct import *i, const struct seq2seq_facts *f,
                                     struct import_int heads) {
    if (f->head_dim) {
        return import_count(i, f->head_dim, f->dim);
    }
    struct import_int width = import_count(i, "d_model|hidden_size", i->arch->hidden);
    if (width.v % heads.v != 0) {
        const struct config_value *at = width.at ? width.at : heads.at;
        import_error(i, DIAG_A0909, import_here(i, at),
                     "`d_model` %lld must be a multiple of %lld attention heads",
                     (long long)width.v, (long long)heads.v);
    }
    width.v /= heads.v;
    width.v += width.v == 0; // after an error
    return width;
}

static void half(struct import *i, const char *suffix, struct import_int layers,
                 const char *heads_key) {
    const struct seq2seq_facts *f = i->arch->facts;
    struct import_int heads = import_count(i, heads_key, f->heads);
    struct import_int dim = seq2seq_dim(i, f, heads);
    import_begin(i, suffix, layers);
    import_set_int(i, IMPORT_HEADS, heads);
    import_set(i, IMPORT_HEAD_DIM, import_number(i, dim.v),
               f->head_dim ? f->head_dim : arena_printf(i->arena, "d_model / %s", heads_key));
    import_dtype_line(i);
    if (f->scale) {
        import_set(i, IMPORT_SCALE, f->scale,
                   arena_printf(i->arena, "of every %s", i->arch->model_type));
    }
}

static void import_seq2seq(struct import *i) {
    const struct seq2seq_facts *f = i->arch->facts;
    struct import_int encoder = import_int(i, f->encoder_layers, 1, IMPORT_MAX_LAYERS, f->n);
    struct import_int decoder = import_int(i, f->decoder_layers, 1, IMPORT_MAX_LAYERS,
                                           f->decoder_as_deep ? encoder.v : f->n);
    if (encoder.bad || decoder.bad) {
        return;
    }
    half(i, "_encoder", encoder, f->encoder_heads);
    import_set(i, IMPORT_ATTN, "encoder", NULL);
    half(i, "_decoder", decoder, f->decoder_heads);
    struct import_op *cross = import_operator(i, "cross");
    for (int64_t k = 0; k < decoder.v; k++) {
        import_at(cross, k, IMPORT_ATTN, "encoder_decoder");
    }
    if (f->relative_bias) {
        import_note(i, config_get(i->text, "model_type"),
                    "a %s adds a learned bias by distance to the logits of its self-attention, "
                    "which .attn does not describe",
                    i->arch->model_type);
    }
}

const struct import_arch import_encoder_archs[] = {
    {.model_type = "bert", .layers = 12, .hidden = 768, .heads = 12, .fill = import_bert},
    {.model_type = "roberta", .layers = 12, .hidden = 768, .heads = 12, .fill = import_bert},
    {.model_type = "xlm-roberta", .layers = 12, .hidden = 768, .heads = 12, .fill = import_bert},
    {.model_type = "eurobert", .layers = 12, .hidden = 768, .heads = 12, .fill = import_bert},
    {.model_type = "modernbert",
     .layers = 22,
     .hidden = 768,
     .heads = 12,
     .fill = import_modernbert},
    {.model_type = "whisper", .hidden = 384, .facts = &whisper, .fill = import_seq2seq},
    {.model_type = "bart", .hidden = 1024, .facts = &bart, .fill = import_seq2seq},
    {.model_type = "t5", .hidden = 512, .facts = &t5, .fill = import_seq2seq},
    {.model_type = "mt5", .hidden = 512, .facts = &mt5, .fill = import_seq2seq},
};
IMPORT_ARCH_COUNT(encoder);
