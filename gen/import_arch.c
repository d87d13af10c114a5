// SPDX-License-Identifier: Apache-2.0
// Which architecture a configuration is, by its model_type; which part of the file holds the
// fields; and what is said of the file as a whole. The rows are those of the families.
#include <string.h>

#include "gen/import.h"

static const struct family {
    const struct import_arch *archs;
    const size_t *count;
} families[] = {
#define IMPORT_FAMILY(family) {import_##family##_archs, &import_##family##_count},
    IMPORT_FAMILIES(IMPORT_FAMILY)
#undef IMPORT_FAMILY
};
#define FAMILIES (sizeof families / sizeof *families)

static const struct import_arch *arch_at(size_t n) {
    size_t f = 0;
    while (f < FAMILIES && n >= *families[f].count) {
        n -= *families[f++].count;
    }
    return f < FAMILIES ? &families[f].archs[n] : NULL;
}

static const char *known_types(struct arena *a) {
    const char *list = "";
    const struct import_arch *r;
    for (size_t n = 0; (r = arch_at(n)); n++) {
        list = arena_printf(a, "%s%s`%s`", list, *list ? ", " : "", r->model_type);
    }
    return list;
}

// Whether a string is one of `names`, "a|b"; NULL has none.
static bool is_type(const struct config_value *v, const char *names) {
    while (names && *names) {
        size_t n = strcspn(names, "|");
        if (n == v->len && memcmp(names, v->text, n) == 0) {
            return true;
        }
        names += n + (names[n] == '|');
    }
    return false;
}

// model_type of an object as a string; NULL after an error.
static const struct config_value *model_type(struct import *i, const struct config_value *in) {
    const struct config_value *v = config_get(in, "model_type");
    if (!v) {
        const struct config_value *null = config_member(in, "model_type");
        struct diag *g = diag_add(
            i->diags, DIAG_A0905,
            null ? null->span : (struct span){in->span.file, in->span.begin, in->span.begin + 1},
            "`model_type` is missing: it says which architecture this is");
        diag_note_plain(i->diags, g, "known model types: %s", known_types(i->arena));
    } else if (v->kind != CONFIG_STRING) {
        diag_add(i->diags, v->kind == CONFIG_NONFINITE ? DIAG_A0908 : DIAG_A0906, v->span,
                 "`%s` must be a string, has %s", config_path(i->arena, v),
                 config_kind_text(v->kind));
    } else {
        return v;
    }
    return NULL;
}

static const struct import_arch *find_row(const struct config_value *type, bool wrapper) {
    const struct import_arch *r;
    for (size_t n = 0; (r = arch_at(n)); n++) {
        if (is_type(type, wrapper ? r->wrapper : r->model_type)) {
            return r;
        }
    }
    return NULL;
}

static void unknown_type(struct import *i, const struct config_value *type) {
    VEC(const char *) names = {0};
    const struct import_arch *r;
    for (size_t n = 0; (r = arch_at(n)); n++) {
        VEC_PUSH(i->arena, &names, r->model_type);
    }
    struct diag *g =
        diag_add(i->diags, DIAG_A0904, type->span, "`model_type` is %s, which attnc cannot import",
                 config_shown(i->arena, i->diags, type));
    const char *near = diag_nearest(i->arena, type->text, names.at, names.len);
    if (near) {
        diag_help(i->diags, g, "a model type named `%s` exists", near);
    }
    diag_note_plain(i->diags, g, "known model types: %s", known_types(i->arena));
}

// The text_config of a file that nests its fields; what it holds decides which row it is.
static bool find_text(struct import *i, const struct config_value *type) {
    const struct config_value *text = config_get(i->root, "text_config");
    if (!text && config_get(i->root, "num_hidden_layers")) {
        diag_add(i->diags, DIAG_A0922, type->span,
                 "a `%s` keeps its attention fields in `text_config`, which is missing; those at "
                 "the top are read",
                 type->text);
        return true;
    }
    if (!text) {
        diag_add(i->diags, DIAG_A0905, type->span,
                 "`text_config` is missing: a `%s` keeps its attention fields there", type->text);
        return false;
    }
    if (text->kind != CONFIG_OBJECT) {
        diag_add(i->diags, DIAG_A0906, text->span, "`text_config` must be an object, has %s",
                 config_kind_text(text->kind));
        return false;
    }
    i->text = text;
    if (!config_get(text, "model_type")) {
        return true;
    }
    const struct config_value *inner = model_type(i, text);
    const struct import_arch *row = inner ? find_row(inner, false) : NULL;
    if (row && is_type(type, row->wrapper)) {
        i->arch = row;
        return true;
    }
    if (inner) {
        diag_add(i->diags, DIAG_A0904, inner->span, "`%s` of a `%s` must be `%s`, has %s",
                 config_path(i->arena, inner), type->text, i->arch->model_type,
                 config_shown(i->arena, i->diags, inner));
    }
    return false;
}

static bool find_arch(struct import *i) {
    const struct config_value *type = model_type(i, i->root);
    if (!type) {
        return false;
    }
    i->text = i->root;
    i->arch = find_row(type, false);
    // A type may be both: the name of the parts and that of the whole.
    const struct import_arch *wrapped = find_row(type, true);
    if (wrapped && (!i->arch || config_get(i->root, "text_config"))) {
        i->arch = wrapped;
        return find_text(i, type);
    }
    if (!i->arch) {
        unknown_type(i, type);
    }
    return i->arch;
}

// ---- NaN and Infinity that nobody read

static size_t count_nonfinite(const struct config_value *v, const struct config_value **first) {
    size_t n = v->kind == CONFIG_NONFINITE;
    if (n && !*first) {
        *first = v;
    }
    for (size_t k = 0; k < v->members.len; k++) {
        n += count_nonfinite(v->members.at[k], first);
    }
    return n;
}

// Every field that was read is finite once the import has succeeded.
static void warn_nonfinite(struct import *i) {
    const struct config_value *first = NULL;
    size_t n = count_nonfinite(i->root, &first);
    if (n == 1) {
        diag_add(i->diags, DIAG_A0921, first->span,
                 "`%s` is %s, which is not JSON; the field is not used",
                 config_path(i->arena, first), first->text);
    } else if (n > 1) {
        diag_add(i->diags, DIAG_A0921, first->span,
                 "`%s` is the first of %zu values that are NaN or Infinity, which is not JSON; the "
                 "fields are not used",
                 config_path(i->arena, first), n);
    }
}

bool import_config(struct arena *a, struct diags *d, const struct config_value *root,
                   struct import_models *out) {
    struct import i = {.arena = a, .diags = d, .out = out, .root = root};
    if (!find_arch(&i)) {
        return false;
    }
    out->model_type = i.arch->model_type;
    i.arch->fill(&i);
    import_per_layer(&i);
    if (i.failed) {
        return false;
    }
    warn_nonfinite(&i);
    return true;
}

bool import_hf(struct arena *a, struct diags *d, uint32_t file, struct import_models *out) {
    const struct config_value *root = config_read(a, d, file);
    out->format = "hf";
    return root && import_config(a, d, root, out);
}
