// SPDX-License-Identifier: Apache-2.0
// JSON text to a tree with places: jansson reads the scanner's copy of the text, then its tree and
// the token list are walked side by side (jansson keeps the order of members and refuses repeated
// keys, so the walks agree). Every error is at the token that causes it, and there is only one.
#include <jansson.h>
#include <string.h>

#include "gen/config.h"

#define CONFIG_SHOWN_BYTES 40 // of an offending token in a message

const char *config_kind_text(enum config_kind kind) {
    static const char *const texts[] = {
#define CONFIG_KIND(id, text) text,
        CONFIG_KINDS(CONFIG_KIND)
#undef CONFIG_KIND
    };
    return texts[kind];
}

// ---- errors

// A token for a message: printable ASCII as it is, the rest as <E2>, cut when long.
static const char *shown(struct arena *a, const char *text, uint32_t len) {
    char *out = arena_alloc(a, 4 * (size_t)CONFIG_SHOWN_BYTES + sizeof "...");
    char *to = out;
    uint32_t n = len < CONFIG_SHOWN_BYTES ? len : CONFIG_SHOWN_BYTES;
    for (uint32_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c < 0x7f) {
            *to++ = (char)c;
        } else {
            *to++ = '<';
            *to++ = "0123456789ABCDEF"[c >> 4];
            *to++ = "0123456789ABCDEF"[c & 15];
            *to++ = '>';
        }
    }
    strcpy(to, n < len ? "..." : "");
    return out;
}

// The token that holds the byte before `position`, where jansson stopped; the end without one.
static struct span error_span(const struct json_tokens *tokens, uint32_t file, uint32_t len,
                              uint32_t position) {
    for (size_t i = 0; i < tokens->len; i++) {
        struct json_token t = tokens->at[i];
        if (position > t.begin && position <= t.end) {
            return (struct span){file, t.begin, t.end};
        }
    }
    return (struct span){file, len, len};
}

// jansson's text without its own " near ..."; its quotes become ours.
static const char *cause(struct arena *a, const char *text) {
    const char *near = strstr(text, " near ");
    char *out = near ? arena_strndup(a, text, (size_t)(near - text)) : arena_strdup(a, text);
    for (char *c = out; *c; c++) {
        *c = *c == '\'' ? '`' : *c;
    }
    return out;
}

// Walks back from the second key to the first one of the same object.
static void report_twice(struct arena *a, struct diags *d, const struct json_tokens *tokens,
                         struct span at) {
    const char *text = d->sources->files.at[at.file].text;
    uint32_t len = at.end - at.begin;
    const char *key = shown(a, text + at.begin, len);
    struct diag *g = diag_add(d, DIAG_A0902, at, "key `%s` is given twice in one object", key);
    unsigned depth = 0;
    for (size_t i = tokens->len; i-- > 0;) {
        struct json_token t = tokens->at[i];
        char c = text[t.begin];
        if (t.begin >= at.begin) {
            continue;
        }
        if (depth == 0 && t.end - t.begin == len &&
            memcmp(text + t.begin, text + at.begin, len) == 0 &&
            text[tokens->at[i + 1].begin] == ':') {
            diag_note(d, g, (struct span){at.file, t.begin, t.end}, "first given here");
            return;
        }
        if (depth == 0 && c == '{') {
            return; // spelled with escapes there
        }
        depth += c == '}' || c == ']';
        depth -= c == '{' || c == '[';
    }
}

// jansson expects a string or `}` after a comma, or nothing in particular in a list; what is wrong
// there is the comma. After a value it expects what closes, and would take a comma.
static void report_token(struct arena *a, struct diags *d, const struct json_tokens *tokens,
                         struct span at, const char *why) {
    const char *text = d->sources->files.at[at.file].text;
    const char *saw = shown(a, text + at.begin, at.end - at.begin);
    for (size_t i = 1; i < tokens->len; i++) {
        struct json_token t = tokens->at[i - 1];
        if (tokens->at[i].begin == at.begin && text[t.begin] == ',' && strchr("}]", *saw)) {
            diag_add(d, DIAG_A0901, (struct span){at.file, t.begin, t.end},
                     "not valid JSON: a comma must not stand before `%s`", saw);
            return;
        }
    }
    if (strcmp(why, "`}` expected") == 0 || strcmp(why, "`]` expected") == 0) {
        why = arena_printf(a, "`,` or %s", why);
    }
    diag_add(d, DIAG_A0901, at, "not valid JSON: %s%s `%s`", why,
             strstr(why, "expected") ? ", saw" : "", saw);
}

// jansson takes a byte 0 for the end. Where the text goes on behind it, the byte is what is wrong.
static struct span end_seen(const struct json_tokens *tokens, uint32_t file,
                            const struct source *s) {
    for (size_t i = 0; i < tokens->len; i++) {
        struct json_token t = tokens->at[i];
        if (s->text[t.begin] == '\0') {
            return (struct span){file, t.begin, t.end};
        }
    }
    return (struct span){file, s->len, s->len};
}

static void report(struct arena *a, struct diags *d, uint32_t file,
                   const struct json_tokens *tokens, const json_error_t *e) {
    const struct source *s = &d->sources->files.at[file];
    enum json_error_code code = json_error_code(e);
    uint32_t position = e->position > 0 ? (uint32_t)e->position : 0;
    const char *why = cause(a, e->text);
    if (code == json_error_invalid_utf8) {
        uint32_t end = position < s->len ? position + 1 : position;
        diag_add(d, DIAG_A0901, (struct span){file, position, end}, "byte `%s` is not valid UTF-8",
                 shown(a, s->text + position, end - position));
        return;
    }
    if (code == json_error_premature_end_of_input && !strstr(e->text, "premature")) {
        struct span at = end_seen(tokens, file, s);
        diag_add(d, DIAG_A0901, at, "not valid JSON: %s, saw %s", why,
                 at.begin < s->len ? "a byte 0" : "the end of the file");
        return;
    }
    struct span at = error_span(tokens, file, s->len, position);
    if (code == json_error_duplicate_key) {
        report_twice(a, d, tokens, at);
    } else if (strstr(e->text, "premature") || strstr(e->text, "unexpected newline")) {
        diag_add(d, DIAG_A0901, at, "not valid JSON: string has no closing quote");
    } else {
        report_token(a, d, tokens, at, why);
    }
}

// ---- tree

struct builder {
    struct arena *a;
    const char *text;
    uint32_t file;
    const struct json_tokens *tokens;
    size_t next;
};

static struct json_token take(struct builder *b) {
    return b->tokens->at[b->next++];
}

static char peek(const struct builder *b) {
    return b->text[b->tokens->at[b->next].begin];
}

static struct config_value *build(struct builder *b, json_t *j);

static void adopt(struct builder *b, struct config_value *parent, const char *key, json_t *j) {
    struct config_value *v = build(b, j);
    v->parent = parent;
    v->key = key;
    v->index = parent->members.len;
    VEC_PUSH(b->a, &parent->members, v);
    b->next += peek(b) == ',';
}

static void build_members(struct builder *b, json_t *j, struct config_value *v) {
    if (v->kind == CONFIG_OBJECT) {
        const char *key;
        json_t *member;
        json_object_foreach(j, key, member) {
            b->next += 2; // the key and its colon
            adopt(b, v, arena_strdup(b->a, key), member);
        }
    } else {
        for (size_t i = 0; i < json_array_size(j); i++) {
            adopt(b, v, NULL, json_array_get(j, i));
        }
    }
    v->span.end = take(b).end;
}

static struct config_value *build(struct builder *b, json_t *j) {
    struct config_value *v = ARENA_NEW(b->a, struct config_value);
    struct json_token t = take(b);
    v->span = (struct span){b->file, t.begin, t.end};
    switch (json_typeof(j)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        v->kind = json_is_object(j) ? CONFIG_OBJECT : CONFIG_ARRAY;
        build_members(b, j, v);
        break;
    case JSON_STRING:
        v->kind = CONFIG_STRING;
        v->len = json_string_length(j);
        v->text = arena_strndup(b->a, json_string_value(j), v->len);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        v->kind = CONFIG_BOOL;
        v->yes = json_is_true(j);
        break;
    case JSON_NULL:
        v->kind = CONFIG_NULL;
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        v->kind = t.kind == JSON_NONFINITE ? CONFIG_NONFINITE : CONFIG_NUMBER;
        v->len = t.end - t.begin;
        v->text = arena_strndup(b->a, b->text + t.begin, v->len);
        break;
    }
    return v;
}

// ---- jansson, in the arena. Left to itself it takes a lack of memory for an error of the text, or
// drops a member, and what it holds outlives a jump. Its functions for memory have no context, so
// that there is one arena at a time.
static struct arena *jansson_arena;

static void *jansson_alloc(size_t bytes) {
    return arena_alloc_raw(jansson_arena, bytes);
}

static void jansson_free(void *block) {
    (void)block;
}

struct loading {
    const char *text;
    size_t len;
    json_t *root;
    json_error_t error;
};

static void load(void *ctx) {
    struct loading *l = ctx;
    l->root = json_loadb(l->text, l->len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &l->error);
}

static void load_in(struct arena *a, struct loading *l) {
    json_malloc_t usual_alloc;
    json_free_t usual_free;
    json_get_alloc_funcs(&usual_alloc, &usual_free);
    json_set_alloc_funcs(jansson_alloc, jansson_free);
    jansson_arena = a;
    const bool in_memory = arena_try(a, load, l);
    jansson_arena = NULL;
    json_set_alloc_funcs(usual_alloc, usual_free);
    if (!in_memory) {
        arena_out_of_memory(a);
    }
}

struct config_value *config_read(struct arena *a, struct diags *d, uint32_t file) {
    const struct source *s = &d->sources->files.at[file];
    const char *text = s->text;
    uint32_t len = s->len, deep = 0;
    struct json_tokens tokens = {0};
    char *plain = arena_alloc(a, (size_t)len + 1);
    if (!config_scan(a, text, len, &tokens, plain, &deep)) {
        diag_add(d, DIAG_A0903, (struct span){file, deep, deep + 1},
                 "arrays and objects are nested too deeply: limit is %d", CONFIG_MAX_DEPTH);
        return NULL;
    }
    if (tokens.len == 0) {
        diag_add(d, DIAG_A0901, (struct span){file, len, len}, "the file is empty");
        return NULL;
    }
    struct loading l = {.text = plain, .len = len};
    load_in(a, &l);
    if (!l.root) {
        report(a, d, file, &tokens, &l.error);
        return NULL;
    }
    struct builder b = {a, text, file, &tokens, 0};
    struct config_value *v = build(&b, l.root);
    if (v->kind != CONFIG_OBJECT) {
        diag_add(d, DIAG_A0906, v->span, "a configuration must be an object, has %s",
                 config_kind_text(v->kind));
        return NULL;
    }
    return v;
}

const char *config_path(struct arena *a, const struct config_value *v) {
    const char *path = "";
    for (; v->parent; v = v->parent) {
        const char *rest = path[0] && path[0] != '[' ? "." : "";
        const char *key = v->shown ? v->shown : v->key;
        path = key ? arena_printf(a, "%s%s%s", shown(a, key, (uint32_t)strlen(key)), rest, path)
                   : arena_printf(a, "[%zu]%s%s", v->index, rest, path);
    }
    return path;
}

const char *config_shown(struct arena *a, const struct diags *d, const struct config_value *v) {
    if (v->kind == CONFIG_ARRAY || v->kind == CONFIG_OBJECT) {
        return config_kind_text(v->kind);
    }
    const char *text = d->sources->files.at[v->span.file].text + v->span.begin;
    return arena_printf(a, "`%s`", shown(a, text, v->span.end - v->span.begin));
}

const struct config_value *config_member(const struct config_value *object, const char *key) {
    for (size_t i = 0; i < object->members.len; i++) {
        if (object->members.at[i]->key && strcmp(object->members.at[i]->key, key) == 0) {
            return object->members.at[i];
        }
    }
    return NULL;
}

const struct config_value *config_get(const struct config_value *object, const char *key) {
    const struct config_value *v = config_member(object, key);
    return v && v->kind != CONFIG_NULL ? v : NULL;
}
