// SPDX-License-Identifier: Apache-2.0
// Imported models as .attn text: model-level lines, then `layer all` with what most layers have,
// the exceptions as ranges and steps, and the named operators. Layers with equal attributes share a
// block. The text is ASCII, whatever the file was called.
#include <string.h>

#include "gen/import.h"
#include "gen/import_spans.h"
#include "gen/text.h"

#define WIDE_BLOCK 40 // longer layer lists are not aligned to

enum place { PLACE_SHAPE, PLACE_MASK, PLACE_LINK };

static const struct {
    const char *name, *absent;
    enum place place;
} attrs[] = {
#define IMPORT_ATTR(id, name, absent, place) {name, absent, PLACE_##place},
    IMPORT_ATTRS(IMPORT_ATTR)
#undef IMPORT_ATTR
};

struct row { // "left right // comment", `right` aligned among the layer blocks
    const char *left, *right, *comment;
};
VEC_TYPE(rows, struct row);

// The values of one operator on one layer, or what is written at some level.
struct values {
    const char *v[IMPORT_ATTR_COUNT]; // never NULL
};

struct writer {
    struct arena *a;
    const struct import_model *m;
    const struct import_op *op;
    struct values level; // as written
    struct rows lines, blocks;
};

static bool same_text(const char *a, const char *b) {
    return a == b || strcmp(a, b) == 0;
}

// ---- values by layer

static const char *value(const struct writer *w, int64_t layer, size_t attr) {
    const char *own = w->op->layers[layer].v[attr], *level = w->m->level[attr];
    return own ? own : level ? level : attrs[attr].absent;
}

static bool is_recurrent(const struct writer *w, int64_t layer) {
    return strcmp(value(w, layer, IMPORT_SSM), "none") != 0;
}

// A named recurrence ignores what it inherits, so that only `ssm` is written for it.
static bool counts(const struct writer *w, int64_t layer, size_t attr) {
    return !w->op->name || attr == IMPORT_SSM || !is_recurrent(w, layer);
}

// Attributes of one pass over the layers. Links are written for themselves: their layers seldom
// agree with those of other attributes.
struct places {
    enum place first, last;
};

static bool in_places(struct places p, size_t attr) {
    return attrs[attr].place >= p.first && attrs[attr].place <= p.last;
}

static bool alike(const struct writer *w, int64_t a, int64_t b, struct places p) {
    for (size_t t = 0; t < IMPORT_ATTR_COUNT; t++) {
        if (in_places(p, t) && counts(w, a, t) && !same_text(value(w, a, t), value(w, b, t))) {
            return false;
        }
    }
    return true;
}

// For each layer that has the operator the first one that is like it, else -1.
static int64_t *first_alike(const struct writer *w, struct places p) {
    int64_t *first = ARENA_ARRAY(w->a, int64_t, w->m->n_layers);
    struct layer_numbers distinct = {0};
    for (int64_t k = 0; k < w->m->n_layers; k++) {
        size_t d = 0;
        while (d < distinct.len && !alike(w, distinct.at[d], k, p)) {
            d++;
        }
        first[k] = !w->op->layers[k].present ? -1 : d < distinct.len ? distinct.at[d] : k;
        if (first[k] == k) {
            VEC_PUSH(w->a, &distinct, k);
        }
    }
    return first;
}

static struct layer_numbers layers_of(const struct writer *w, const int64_t *first, int64_t layer) {
    struct layer_numbers l = {0};
    for (int64_t k = layer; k < w->m->n_layers; k++) {
        if (first[k] == layer) {
            VEC_PUSH(w->a, &l, k);
        }
    }
    return l;
}

static bool is_absent(const struct writer *w, int64_t layer) {
    return strcmp(value(w, layer, IMPORT_ATTN), "none") == 0;
}

// What most layers are like; of equals the one that stands first. Not layers without an operator
// beside recurrent ones, which have no word to take back `attn = none`.
static int64_t usual_layer(const struct writer *w, const int64_t *first) {
    int64_t *count = ARENA_ARRAY(w->a, int64_t, w->m->n_layers), best = -1;
    bool recurrent = false;
    for (int64_t k = 0; k < w->m->n_layers; k++) {
        count[first[k]]++;
        recurrent = recurrent || is_recurrent(w, k);
    }
    for (int64_t k = 0; k < w->m->n_layers; k++) {
        bool usable = count[k] && !(recurrent && is_absent(w, k));
        best = usable && (best < 0 || count[k] > count[best]) ? k : best;
    }
    return best;
}

// ---- blocks

static void add_value(struct text *t, size_t attr, const char *v) {
    text_addf(t, *v == '{' ? " %s %s" : " %s = %s;", attrs[attr].name, v);
}

// "{ window = 512; }" and its comment: where the layer differs from `base`; NULL where it does not.
static const char *body(const struct writer *w, int64_t layer, const struct values *base,
                        struct places p, const char **comment) {
    struct text t = text_of(w->a);
    *comment = NULL;
    for (size_t k = 0; k < IMPORT_ATTR_COUNT; k++) {
        const char *v = value(w, layer, k);
        if (!in_places(p, k) || !counts(w, layer, k) || same_text(v, base->v[k])) {
            continue;
        }
        add_value(&t, k, v);
        if (!*comment && w->op->layers[layer].v[k] && !same_text(v, attrs[k].absent)) {
            *comment = w->op->comments[k];
        }
    }
    return t.bytes.len ? arena_printf(w->a, "{%s }", text_string(&t)) : NULL;
}

static void add_block(struct writer *w, const char *spans, const char *text, const char *comment) {
    const char *as = w->op->name ? arena_printf(w->a, " as %s", w->op->name) : "";
    VEC_PUSH(w->a, &w->blocks,
             ((struct row){arena_printf(w->a, "layer %s%s", spans, as), text, comment}));
}

// One block for each kind of layers that differs from `base`.
static void add_blocks(struct writer *w, const struct values *base, struct places p) {
    int64_t *first = first_alike(w, p);
    for (int64_t k = 0; k < w->m->n_layers; k++) {
        const char *comment = NULL;
        const char *text = first[k] == k ? body(w, k, base, p, &comment) : NULL;
        if (first[k] == k && !text && w->op->name) {
            text = "{ }"; // nothing but that it is there
        }
        if (text) {
            struct layer_numbers l = layers_of(w, first, k);
            const char *list = spans_list(w->a, &l);
            bool all = l.len == (size_t)w->m->n_layers;
            add_block(w, all ? "all" : spans_text(w->a, &l), text, comment ? comment : list);
        }
    }
}

// ---- one model

// Whether each operator that reads the attribute has the same value for it everywhere.
static bool agreed(struct writer *w, size_t attr, const char *v) {
    const struct import_op *op = w->op;
    bool good = true;
    for (size_t o = 0; o < w->m->ops.len && good; o++) {
        w->op = w->m->ops.at[o];
        for (int64_t k = 0; k < w->m->n_layers && good; k++) {
            good =
                !w->op->layers[k].present || !counts(w, k, attr) || same_text(value(w, k, attr), v);
        }
    }
    w->op = op;
    return good;
}

static void add_self(struct writer *w) {
    static const struct places own = {PLACE_SHAPE, PLACE_MASK}, links = {PLACE_LINK, PLACE_LINK};
    int64_t usual = usual_layer(w, first_alike(w, own));
    struct values base;
    for (size_t t = 0; t < IMPORT_ATTR_COUNT; t++) {
        const char *v = value(w, usual, t);
        bool up =
            attrs[t].place == PLACE_SHAPE || (attrs[t].place == PLACE_MASK && agreed(w, t, v));
        w->level.v[t] = up ? v : attrs[t].absent;
        base.v[t] = attrs[t].place == PLACE_LINK ? attrs[t].absent : v;
        if (!same_text(w->level.v[t], attrs[t].absent)) {
            const char *comment = w->m->level[t] ? w->m->comments[t] : w->op->comments[t];
            VEC_PUSH(w->a, &w->lines, ((struct row){attrs[t].name, v, comment}));
        }
    }
    const char *comment;
    const char *text = body(w, usual, &w->level, own, &comment);
    if (text) {
        add_block(w, "all", text, comment);
    }
    add_blocks(w, &base, own);
    add_blocks(w, &base, links);
}

static size_t widest(const struct rows *r, size_t limit) {
    size_t width = 0;
    for (size_t i = 0; i < r->len; i++) {
        size_t n = strlen(r->at[i].left);
        width = n > width && n <= limit ? n : width;
    }
    return width;
}

static void join(struct writer *w, const char *name, struct text *t) {
    size_t wide = widest(&w->lines, WIDE_BLOCK), span = widest(&w->blocks, WIDE_BLOCK);
    struct rows all = {0};
    for (size_t i = 0; i < w->lines.len; i++) {
        struct row r = w->lines.at[i];
        r.left = *r.right == '{' ? arena_printf(w->a, "    %s %s", r.left, r.right)
                                 : arena_printf(w->a, "    %-*s = %s;", (int)wide, r.left, r.right);
        VEC_PUSH(w->a, &all, r);
    }
    for (size_t i = 0; i < w->blocks.len; i++) {
        struct row r = w->blocks.at[i];
        r.left = arena_printf(w->a, "    %-*s %s", (int)span, r.left, r.right);
        VEC_PUSH(w->a, &all, r);
    }
    size_t width = widest(&all, 2 * WIDE_BLOCK);
    text_addf(t, "\nmodel %s%s {\n", name, w->m->suffix);
    for (size_t i = 0; i < all.len; i++) {
        const struct row *r = &all.at[i];
        if (r->comment) {
            text_addf(t, "%-*s // %s\n", (int)width, r->left, r->comment);
        } else {
            text_addf(t, "%s\n", r->left);
        }
    }
    text_add(t, "}\n");
}

static void write_model(struct arena *a, const struct import_model *m, const char *name,
                        struct text *t) {
    struct writer w = {.a = a, .m = m, .op = m->ops.at[0]};
    VEC_PUSH(a, &w.lines,
             ((struct row){"layers", arena_printf(a, "%lld", (long long)m->n_layers),
                           m->layers_comment}));
    add_self(&w);
    for (size_t o = 1; o < m->ops.len; o++) {
        w.op = m->ops.at[o];
        add_blocks(&w, &w.level, (struct places){PLACE_SHAPE, PLACE_LINK});
    }
    join(&w, name, t);
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

const char *import_write(struct arena *a, const struct import_models *m, size_t *len) {
    struct text t = text_of(a);
    text_addf(&t, "// From %s, model_type %s, by `attnc import %s`.\n", quoted(a, m->source),
              m->model_type, m->format);
    for (size_t k = 0; k < m->list.len; k++) {
        write_model(a, m->list.at[k], m->name, &t);
    }
    const char *text = text_string(&t);
    *len = strlen(text);
    return text;
}
