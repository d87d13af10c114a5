// SPDX-License-Identifier: Apache-2.0
// An imported model as .attn text: model-level lines, then for each per-layer attribute the usual
// value as `layer all` and the exceptions as ranges and steps. Attributes that split the layers in
// the same way share their blocks. The text is ASCII, whatever the file was called.
#include <string.h>

#include "gen/import.h"
#include "gen/text.h"

#define LISTED_LAYERS 8 // a comment spells out the layers of a step up to so many

static const char *const attr_names[] = {
#define IMPORT_LAYER_ATTR(id, name) name,
    IMPORT_LAYER_ATTRS(IMPORT_LAYER_ATTR)
#undef IMPORT_LAYER_ATTR
};

// Attributes first..last are written in one block; `usual`: with a `layer all` for most layers.
static const struct attr_group {
    enum import_layer_attr first, last;
    bool usual;
} attr_groups[] = {
    {IMPORT_WINDOW, IMPORT_WINDOW_RIGHT, true},
    {IMPORT_KV_SHARE, IMPORT_KV_SHARE, false},
};

struct row { // "left right // comment", `right` aligned among the layer blocks
    const char *left, *right, *comment;
};
VEC_TYPE(rows, struct row);

struct writer {
    struct arena *a;
    const struct import_model *m;
    struct rows lines, blocks;
};

// ---- layers as spans

typedef VEC(int64_t) layer_list;

// How many members from `i` on are in arithmetic progression.
static size_t run_length(const layer_list *l, size_t i, int64_t *step) {
    size_t n = 1;
    *step = i + 1 < l->len ? l->at[i + 1] - l->at[i] : 1;
    while (i + n < l->len && l->at[i + n] - l->at[i + n - 1] == *step) {
        n++;
    }
    return n;
}

// "0..4, 6..10" or "5..23 step 6": a range from two neighbours or three steps on.
static const char *spans_text(struct arena *a, const layer_list *l, bool *stepped) {
    struct text t = text_of(a);
    *stepped = false;
    for (size_t i = 0; i < l->len;) {
        int64_t step;
        size_t n = run_length(l, i, &step);
        n = step > 1 && n < 3 ? 1 : n;
        text_addf(&t, "%s%lld", i ? ", " : "", (long long)l->at[i]);
        if (n > 1) {
            text_addf(&t, "..%lld", (long long)l->at[i + n - 1]);
        }
        if (n > 1 && step > 1) {
            text_addf(&t, " step %lld", (long long)step);
            *stepped = true;
        }
        i += n;
    }
    return text_string(&t);
}

static const char *list_text(struct arena *a, const layer_list *l) {
    struct text t = text_of(a);
    for (size_t i = 0; i < l->len; i++) {
        text_addf(&t, "%s%lld", i ? ", " : "", (long long)l->at[i]);
    }
    return text_string(&t);
}

// ---- attributes by layer

static bool same(const struct writer *w, const struct attr_group *g, int64_t a, int64_t b) {
    const struct import_layer *l = w->m->layers;
    size_t n = (size_t)g->last - g->first + 1;
    return memcmp(&l[a].v[g->first], &l[b].v[g->first], n * sizeof l->v[0]) == 0;
}

// For each layer the first one that is like it.
static int64_t *first_alike(const struct writer *w, const struct attr_group *g) {
    int64_t *first = ARENA_ARRAY(w->a, int64_t, w->m->n_layers);
    for (int64_t k = 0; k < w->m->n_layers; k++) {
        while (!same(w, g, first[k], k)) {
            first[k]++;
        }
    }
    return first;
}

static layer_list layers_like(const struct writer *w, const int64_t *first, int64_t layer) {
    layer_list l = {0};
    for (int64_t k = 0; k < w->m->n_layers; k++) {
        if (first[k] == layer) {
            VEC_PUSH(w->a, &l, k);
        }
    }
    return l;
}

// What most layers are like; of equals the one that stands first.
static int64_t usual_layer(const struct writer *w, const int64_t *first) {
    int64_t best = 0;
    size_t most = 0;
    for (int64_t k = 0; k < w->m->n_layers; k++) {
        size_t n = first[k] == k ? layers_like(w, first, k).len : 0;
        if (n > most) {
            most = n;
            best = k;
        }
    }
    return best;
}

// "{ window = 512; }": where the layer differs from `usual`; NULL where it does not.
static const char *body(const struct writer *w, const struct attr_group *g,
                        const struct import_layer *layer, const struct import_layer *usual) {
    struct text t = text_of(w->a);
    for (size_t k = g->first; k <= (size_t)g->last; k++) {
        if (layer->v[k] == usual->v[k]) {
            continue;
        }
        text_addf(&t, " %s = ", attr_names[k]);
        if (layer->v[k] == IMPORT_ABSENT) {
            text_add(&t, "none;");
        } else {
            text_addf(&t, "%lld;", (long long)layer->v[k]);
        }
    }
    return t.bytes.len ? arena_printf(w->a, "{%s }", text_string(&t)) : NULL;
}

static const char *group_comment(const struct writer *w, const struct attr_group *g,
                                 const struct import_layer *layer) {
    for (size_t t = g->first; t <= (size_t)g->last; t++) {
        if (layer->v[t] != IMPORT_ABSENT && w->m->comments[t]) {
            return w->m->comments[t];
        }
    }
    return NULL;
}

static void add_block(struct writer *w, const char *spans, const char *text, const char *comment) {
    VEC_PUSH(w->a, &w->blocks,
             ((struct row){arena_printf(w->a, "layer %s", spans), text, comment}));
}

static void add_group(struct writer *w, const struct attr_group *g) {
    struct import_layer nothing;
    for (size_t t = 0; t < IMPORT_LAYER_ATTR_COUNT; t++) {
        nothing.v[t] = IMPORT_ABSENT;
    }
    const struct import_layer *layers = w->m->layers, *usual = &nothing;
    int64_t *first = first_alike(w, g);
    if (g->usual) {
        usual = &layers[usual_layer(w, first)];
        const char *text = body(w, g, usual, &nothing);
        if (text) {
            add_block(w, "all", text, group_comment(w, g, usual));
        }
    }
    for (int64_t k = 0; k < w->m->n_layers; k++) {
        const char *text = first[k] == k ? body(w, g, &layers[k], usual) : NULL;
        if (text) {
            bool stepped;
            layer_list l = layers_like(w, first, k);
            const char *spans = spans_text(w->a, &l, &stepped);
            const char *comment = group_comment(w, g, &layers[k]);
            comment = comment || !stepped || l.len > LISTED_LAYERS ? comment : list_text(w->a, &l);
            add_block(w, spans, text, comment);
        }
    }
}

// ---- text

// Any bytes as printable ASCII between quotes: nothing ends the comment, joins lines or reorders.
static const char *quoted(struct arena *a, const char *text) {
    struct text t = text_of(a);
    text_add(&t, "\"");
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte >= 0x20 && byte < 0x7f && byte != '\\' && byte != '"') {
            text_add_n(&t, c, 1);
        } else {
            text_addf(&t, "\\x%02X", byte);
        }
    }
    text_add(&t, "\"");
    return text_string(&t);
}

static size_t widest(const struct rows *r, size_t limit) {
    size_t width = 0;
    for (size_t i = 0; i < r->len; i++) {
        size_t n = strlen(r->at[i].left);
        width = n > width && n <= limit ? n : width;
    }
    return width;
}

#define WIDE_BLOCK 40 // longer layer lists are not aligned to

static const char *join(struct writer *w) {
    size_t name = widest(&w->lines, WIDE_BLOCK), span = widest(&w->blocks, WIDE_BLOCK);
    struct rows all = {0};
    for (size_t i = 0; i < w->lines.len; i++) {
        struct row r = w->lines.at[i];
        r.left = arena_printf(w->a, "    %-*s = %s;", (int)name, r.left, r.right);
        VEC_PUSH(w->a, &all, r);
    }
    for (size_t i = 0; i < w->blocks.len; i++) {
        struct row r = w->blocks.at[i];
        r.left = arena_printf(w->a, "    %-*s %s", (int)span, r.left, r.right);
        VEC_PUSH(w->a, &all, r);
    }
    size_t width = widest(&all, 2 * WIDE_BLOCK);
    struct text t = text_of(w->a);
    text_addf(&t, "// From %s, model_type %s, by `attnc import hf`.\n\nmodel %s {\n",
              quoted(w->a, w->m->source), w->m->model_type, w->m->name);
    for (size_t i = 0; i < all.len; i++) {
        const struct row *r = &all.at[i];
        if (r->comment) {
            text_addf(&t, "%-*s // %s\n", (int)width, r->left, r->comment);
        } else {
            text_addf(&t, "%s\n", r->left);
        }
    }
    text_add(&t, "}\n");
    return text_string(&t);
}

const char *import_write(struct arena *a, const struct import_model *m, size_t *len) {
    struct writer w = {.a = a, .m = m};
    for (size_t i = 0; i < m->lines.len; i++) {
        const struct import_line *l = &m->lines.at[i];
        VEC_PUSH(a, &w.lines, ((struct row){l->name, l->value, l->comment}));
    }
    for (size_t i = 0; i < sizeof attr_groups / sizeof *attr_groups; i++) {
        add_group(&w, &attr_groups[i]);
    }
    const char *text = join(&w);
    *len = strlen(text);
    return text;
}
