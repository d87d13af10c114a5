// SPDX-License-Identifier: Apache-2.0
// The JSON of vLLM's --attention-config. In: a registered text. Out: its settings as vLLM 0.33.0
// reads them: names of backends in any case, `auto` and null where vLLM takes them, the aliases
// that only pick MiniMax's decode kernel. Always: a key is understood or refused at its place; what
// has no effect is named in a warning.
#include "gen/import_vllm.h"

#include <ctype.h>
#include <string.h>

const struct vllm_kind_info vllm_kinds[VLLM_KIND_COUNT] = {
#define VLLM_KIND(id, name, asked, why) {name, asked, why},
    VLLM_KINDS(VLLM_KIND)
#undef VLLM_KIND
};

const struct vllm_field_info vllm_fields[VLLM_FIELD_COUNT] = {
#define VLLM_FIELD(id, key, type, null, value, words, fact)                                        \
    {key, VLLM_##type, null, value, words, fact},
    VLLM_FIELDS(VLLM_FIELD)
#undef VLLM_FIELD
};

#define INTEGER_DIGITS 18 // more may not fit 64 bits

// Of vLLM's other registry, that of recurrent layers.
static const char *const recurrent[] = {"MAMBA1", "MAMBA2", "SHORT_CONV", "LINEAR", "GDN_ATTN"};

struct reader {
    struct command *c;
    const struct program *library;
    struct vllm_config *out;
    bool good;
};

// ---- names

static bool is_recurrent(const char *name) {
    for (size_t i = 0; i < sizeof recurrent / sizeof *recurrent; i++) {
        if (strcmp(name, recurrent[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *const *vllm_backend_names(struct arena *a, const struct program *library, size_t *n) {
    const struct decls *all = &library->decls[DECL_BACKEND];
    VEC(const char *) names = {0};
    for (size_t i = 0; i < all->len; i++) {
        const struct decl *d = all->at[i];
        const char *file = library->sources->files.at[d->file].name;
        if (strcmp(file, VLLM_LIBRARY) == 0 && !backend_is_family(d) &&
            !is_recurrent(d->ast->name.text)) {
            VEC_PUSH(a, &names, d->ast->name.text);
        }
    }
    *n = names.len;
    return names.at;
}

static const char *upper(struct arena *a, const char *text) {
    char *copy = arena_strdup(a, text);
    for (char *c = copy; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    return copy;
}

const char *vllm_backend_named(struct arena *a, const struct program *library, const char *text) {
    size_t n;
    const char *const *names = vllm_backend_names(a, library, &n);
    const char *wanted = upper(a, text);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], wanted) == 0) {
            return names[i];
        }
    }
    return NULL;
}

static const char *listed(struct arena *a, const char *const *names, size_t n) {
    struct text t = text_of(a);
    for (size_t i = 0; i < n; i++) {
        text_addf(&t, "%s`%s`", i ? ", " : "", names[i]);
    }
    return text_string(&t);
}

// ---- values

static struct diag *wrong(struct reader *r, enum diag_code code, const struct config_value *v,
                          const char *wanted) {
    r->good = false;
    return diag_add(r->c->diags, v->kind == CONFIG_NONFINITE ? DIAG_A0908 : code, v->span,
                    "`%s` must be %s, has %s", config_path(r->c->arena, v), wanted,
                    config_shown(r->c->arena, r->c->diags, v));
}

static void unknown_backend(struct reader *r, const struct config_value *v, bool top) {
    struct arena *a = r->c->arena;
    size_t n;
    const char *const *names = vllm_backend_names(a, r->library, &n);
    r->good = false;
    struct diag *g = diag_add(r->c->diags, DIAG_A0932, v->span, "vLLM has no backend %s",
                              config_shown(a, r->c->diags, v));
    char *dashed = arena_strdup(a, upper(a, v->text));
    for (char *c = dashed; *c; c++) {
        *c = *c == '-' || *c == ' ' ? '_' : *c;
    }
    const char *near = vllm_backend_named(a, r->library, dashed);
    near = near ? near : diag_nearest(a, upper(a, v->text), names, n);
    if (is_recurrent(upper(a, v->text))) {
        diag_help(r->c->diags, g, "recurrent layers choose by their type; leave them out");
    } else if (!top && strcmp(upper(a, v->text), "AUTO") == 0) {
        diag_help(r->c->diags, g,
                  "`auto` is for the global `backend` alone; leave the kind out and give no global "
                  "`backend`");
    } else if (near) {
        diag_help(r->c->diags, g, "a backend named `%s` exists", near);
    }
    diag_note_plain(r->c->diags, g, "accepted, in upper or lower case: %s%s", top ? "`auto`, " : "",
                    listed(a, names, n));
}

// A string that names a backend. NULL after an error; `auto` is for the caller.
static const char *read_name(struct reader *r, const struct config_value *v, bool top) {
    if (v->kind != CONFIG_STRING) {
        wrong(r, DIAG_A0906, v,
              top ? "the name of a backend, \"auto\" or null" : "the name of a backend");
        return NULL;
    }
    bool whole = strlen(v->text) == v->len; // no NUL inside
    const char *name = whole ? vllm_backend_named(r->c->arena, r->library, v->text) : NULL;
    if (!name) {
        unknown_backend(r, v, top);
    }
    return name;
}

static void read_backend(struct reader *r, const struct config_value *v) {
    struct vllm_request *to = &r->out->backend;
    if (v->kind == CONFIG_NULL ||
        (v->kind == CONFIG_STRING && strcmp(upper(r->c->arena, v->text), "AUTO") == 0)) {
        return;
    }
    const char *name = read_name(r, v, true);
    if (!name) {
        return;
    }
    if (strcmp(name, "CUTLASS_MSA") == 0 || strcmp(name, "TRITON_MSA") == 0) {
        r->out->msa = strcmp(name, "CUTLASS_MSA") == 0 ? "cutlass" : "triton";
        diag_add(r->c->diags, DIAG_A0940, v->span,
                 "`%s` as the global backend only picks MiniMax's sparse decode kernel; backends "
                 "stay automatic",
                 name);
        return;
    }
    *to = (struct vllm_request){name, v};
}

static void read_entry(struct reader *r, const struct config_value *v) {
    const char *names[VLLM_KIND_COUNT];
    int kind = 0;
    for (int i = 0; i < VLLM_KIND_COUNT; i++) {
        names[i] = vllm_kinds[i].name;
    }
    while (kind < VLLM_KIND_COUNT && strcmp(names[kind], v->key) != 0) {
        kind++;
    }
    if (kind == VLLM_KIND_COUNT) {
        r->good = false;
        struct diag *g = diag_add(r->c->diags, DIAG_A0931, v->span,
                                  "vLLM knows no kind `%s`: keys of `backend_per_kind` are spelled "
                                  "exactly",
                                  config_path(r->c->arena, v) + strlen("backend_per_kind."));
        const char *near = diag_nearest(r->c->arena, v->key, names, VLLM_KIND_COUNT);
        if (near) {
            diag_help(r->c->diags, g, "a kind named `%s` exists", near);
        }
        diag_note_plain(r->c->diags, g, "its kinds are %s",
                        listed(r->c->arena, names, VLLM_KIND_COUNT));
        return;
    }
    const char *name = VLLM_CUSTOM;
    if (v->kind == CONFIG_NULL) {
        struct diag *g =
            diag_add(r->c->diags, DIAG_A0941, v->span,
                     "null for a kind is not automatic: vLLM takes it for `%s`", VLLM_CUSTOM);
        diag_help(r->c->diags, g, "leave `%s` out", v->key);
    } else {
        name = read_name(r, v, false);
    }
    if (name) {
        r->out->kinds[kind] = (struct vllm_request){name, v};
    }
    if (name && !vllm_kinds[kind].asked) {
        diag_add(r->c->diags, DIAG_A0940, v->span, "`%s` has no effect in vLLM: %s",
                 vllm_kinds[kind].name, vllm_kinds[kind].why);
    }
}

static void read_map(struct reader *r, const struct config_value *v) {
    if (v->kind != CONFIG_OBJECT) {
        wrong(r, DIAG_A0906, v, "an object of kinds and backends");
        return;
    }
    for (size_t i = 0; i < v->members.len; i++) {
        read_entry(r, v->members.at[i]);
    }
}

// Is a text one of the words, "a b c"?
static bool among(const char *words, const char *text) {
    size_t n = strlen(text);
    for (const char *w = words; *w;) {
        size_t len = strcspn(w, " ");
        if (len == n && memcmp(w, text, n) == 0) {
            return true;
        }
        w += len + (w[len] == ' ');
    }
    return false;
}

static bool is_integer(const struct config_value *v) {
    return v->kind == CONFIG_NUMBER && v->len <= INTEGER_DIGITS &&
           strspn(v->text, "-0123456789") == v->len;
}

static bool is_plain_text(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\') {
            return false;
        }
    }
    return true;
}

// Can a fact keep the value? Numbers are finite, text is printable ASCII without quotes.
static bool can_keep(const struct config_value *v) {
    bool text = v->kind == CONFIG_STRING || v->kind == CONFIG_NUMBER;
    bool good = v->kind != CONFIG_NONFINITE && (!text || is_plain_text(v->text, v->len)) &&
                (!v->key || is_plain_text(v->key, strlen(v->key)));
    for (size_t i = 0; good && i < v->members.len; i++) {
        good = can_keep(v->members.at[i]);
    }
    return good;
}

static const char *wanted_text(struct arena *a, const struct vllm_field_info *f) {
    static const char *const types[] = {[VLLM_INT] = "an integer",
                                        [VLLM_FLAG] = "true or false",
                                        [VLLM_WORD] = "a string",
                                        [VLLM_OBJECT] = "an object"};
    const char *null = f->null_ok ? " or null" : "";
    return f->words ? arena_printf(a, "one of %s%s", f->words, null)
                    : arena_printf(a, "%s%s", types[f->type], null);
}

// Does the value say what vLLM does without it?
static bool is_default(const struct vllm_field_info *f, const struct config_value *v) {
    if (v->kind == CONFIG_NULL) {
        return true;
    }
    if (v->kind == CONFIG_BOOL) {
        return f->value && strcmp(f->value, v->yes ? "yes" : "no") == 0;
    }
    return v->text && f->value && strcmp(v->text, f->value) == 0;
}

static void read_field(struct reader *r, enum vllm_field field, const struct config_value *v) {
    const struct vllm_field_info *f = &vllm_fields[field];
    bool null = v->kind == CONFIG_NULL && f->null_ok;
    bool right = null || (f->type == VLLM_INT && is_integer(v)) ||
                 (f->type == VLLM_FLAG && v->kind == CONFIG_BOOL) ||
                 (f->type == VLLM_WORD && v->kind == CONFIG_STRING) ||
                 (f->type == VLLM_OBJECT && v->kind == CONFIG_OBJECT);
    if (!right) {
        wrong(r, DIAG_A0906, v, wanted_text(r->c->arena, f));
    } else if (!null && f->words && !among(f->words, v->text)) {
        wrong(r, DIAG_A0907, v, wanted_text(r->c->arena, f));
    } else if (!can_keep(v)) {
        wrong(r, DIAG_A0907, v, "finite, and printable ASCII without quotes");
    } else if (!is_default(f, v)) {
        r->out->fields[field] = v;
    }
}

static void unknown_key(struct reader *r, const struct config_value *v) {
    const char *keys[VLLM_FIELD_COUNT];
    for (int i = 0; i < VLLM_FIELD_COUNT; i++) {
        keys[i] = vllm_fields[i].key;
    }
    r->good = false;
    struct diag *g =
        diag_add(r->c->diags, DIAG_A0930, v->span, "vLLM's attention configuration has no key `%s`",
                 config_path(r->c->arena, v));
    const char *near = diag_nearest(r->c->arena, v->key, keys, VLLM_FIELD_COUNT);
    if (near) {
        diag_help(r->c->diags, g, "a key named `%s` exists", near);
    }
}

static void read_member(struct reader *r, const struct config_value *v) {
    int field = 0;
    while (field < VLLM_FIELD_COUNT && strcmp(vllm_fields[field].key, v->key) != 0) {
        field++;
    }
    if (field == VLLM_FIELD_COUNT) {
        unknown_key(r, v);
    } else if (field == VLLM_FIELD_BACKEND) {
        read_backend(r, v);
    } else if (field == VLLM_FIELD_PER_KIND) {
        read_map(r, v);
    } else {
        read_field(r, (enum vllm_field)field, v);
    }
}

// A version of FlashAttention says nothing to another backend.
static void check_version(struct reader *r) {
    const struct config_value *v = r->out->fields[VLLM_FIELD_FA_VERSION];
    const char *other = r->out->backend.backend;
    bool flash = !other || strstr(other, "FLASH_ATTN");
    for (int i = 0; i < VLLM_KIND_COUNT; i++) {
        const char *name = r->out->kinds[i].backend;
        flash = flash || (name && strstr(name, "FLASH_ATTN"));
    }
    if (v && !flash) {
        r->good = false;
        struct diag *g = diag_add(r->c->diags, DIAG_A0909, v->span,
                                  "`flash_attn_version` belongs to FLASH_ATTN, and the backend is "
                                  "`%s`",
                                  other);
        diag_note(r->c->diags, g, r->out->backend.at->span, "chosen here");
    }
}

bool vllm_config_read(struct command *c, const struct program *library, uint32_t file,
                      struct vllm_config *out) {
    struct reader r = {.c = c, .library = library, .out = out, .good = true};
    *out = (struct vllm_config){.root = config_read(c->arena, c->diags, file), .msa = "triton"};
    if (!out->root) {
        return false;
    }
    for (size_t i = 0; i < out->root->members.len; i++) {
        read_member(&r, out->root->members.at[i]);
    }
    const struct config_value *msa = out->fields[VLLM_FIELD_MSA];
    out->msa = msa && !strcmp(out->msa, "triton") ? msa->text : out->msa;
    check_version(&r);
    return r.good;
}

void vllm_config_print(const struct vllm_config *v, struct text *t) {
    const char *null = "null", *comma = "";
    if (v->backend.backend) {
        text_addf(t, "{\"backend\": \"%s\", ", v->backend.backend);
    } else {
        text_addf(t, "{\"backend\": %s, ", null);
    }
    text_add(t, "\"backend_per_kind\": {");
    for (int i = 0; i < VLLM_KIND_COUNT; i++) {
        if (v->kinds[i].at) {
            text_addf(t, "%s\"%s\": \"%s\"", comma, vllm_kinds[i].name, v->kinds[i].backend);
            comma = ", ";
        }
    }
    text_addf(t, "}, \"minimax_m3_msa_decode_backend\": \"%s\"}\n", v->msa);
}
