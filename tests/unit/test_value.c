// SPDX-License-Identifier: Apache-2.0
// Values: versions, equality, membership, text.
#include <stdlib.h>

#include "gen/value.h"
#include "tests/tap.h"

static jmp_buf out_of_memory;
static struct arena arena;

static struct value ints(size_t n, const int *v) {
    struct value set = {.kind = VALUE_SET};
    for (size_t i = 0; i < n; i++) {
        VEC_PUSH(&arena, &set.elems, value_int(v[i]));
    }
    return set;
}

static struct value any(void) {
    return (struct value){.kind = VALUE_ANY};
}

static struct value range(struct value low, struct value high, struct value step) {
    struct value parts[] = {low, high, step};
    struct value r = value_set(&arena, parts, 3);
    r.kind = VALUE_RANGE;
    return r;
}

static struct value multiple(int n) {
    struct value v = value_int(n);
    v.kind = VALUE_MULTIPLE;
    return v;
}

static struct value version(const char *text) {
    return (struct value){.kind = VALUE_VERSION, .text = text};
}

static bool is_in(struct value v, struct value set) {
    return value_in(&v, &set);
}

static bool equal(struct value a, struct value b) {
    return value_equal(&a, &b);
}

static void versions(void) {
    is_int(version_compare("2.10", "2.9"), 1, "2.10 is later than 2.9");
    is_int(version_compare("9", "9.0"), 0, "9 is 9.0");
    is_int(version_compare("8.0.1", "8.0"), 1, "8.0.1 is later than 8.0");
    is_int(version_compare("08.6", "8.6"), 0, "zeros in front do not count");
    is_int(version_compare("8.9", "12.0"), -1, "8.9 is earlier than 12.0");
    is_int(version_compare("99999999999999999999999.0", "99999999999999999999998"), 1,
           "components have any length");
    struct value literal = value_int(9);
    literal.text = "9.0"; // a dotted literal keeps its spelling
    ok(equal(version("9.0"), literal), "a dotted literal is a version beside a version");
    ok(equal(version("9.0"), value_int(9)), "so is an integer");
    ok(equal(literal, value_int(9)), "beside a number it is a number");
    ok(is_in(version("8.10"), range(version("8.9"), version("12.1"), value_none())),
       "a range of versions goes by component");
    ok(!is_in(version("12.10"), range(version("8.0"), version("12.9"), value_none())),
       "12.10 is beyond 12.9");
}

static void membership(void) {
    struct value dims = ints(3, (const int[]){64, 96, 128});
    ok(is_in(value_int(96), dims) && !is_in(value_int(88), dims), "a member of a set");
    ok(is_in(value_int(64), value_int(64)), "a single value is a set of one");
    ok(!is_in(value_none(), dims), "none is in no set that does not list it");
    struct value with_none[] = {value_int(1), value_none()};
    ok(is_in(value_none(), value_set(&arena, with_none, 2)), "unless the set lists it");
    ok(is_in(value_none(), any()), "or is `any`");
    ok(!is_in(value_none(), range(value_int(1), any(), value_none())),
       "an open range does not hold none");
    struct value steps = range(value_int(8), value_int(512), value_int(8));
    ok(is_in(value_int(8), steps) && is_in(value_int(512), steps), "both ends of a range are in");
    ok(!is_in(value_int(12), steps) && !is_in(value_int(520), steps), "a step leaves values out");
    ok(is_in(value_int(4096), range(value_int(32), any(), value_none())), "`any` is an open end");
    ok(is_in(value_int(48), multiple(16)) && !is_in(value_int(40), multiple(16)), "multiples");
    struct value half;
    half = value_int(0);
    half.number.coef = (struct rational){3, 2};
    ok(is_in(half, range(value_int(1), value_int(16), value_none())),
       "a range without step holds every number between");
    ok(!is_in(half, multiple(1)), "no fraction is a multiple");
    ok(!is_in(value_word("f16"), steps), "a word is in no range");
    ok(is_in(ints(2, (const int[]){64, 96}), dims) && !is_in(ints(2, (const int[]){64, 65}), dims),
       "a set is in another when each element is");
    struct value some = ints(2, (const int[]){65, 96});
    ok(value_meets(&some, &dims), "two sets meet in one element");
}

static void equality(void) {
    ok(equal(ints(2, (const int[]){1, 2}), ints(2, (const int[]){2, 1})), "sets have no order");
    struct value list = ints(2, (const int[]){1, 2}), turned = ints(2, (const int[]){2, 1});
    list.kind = turned.kind = VALUE_LIST;
    ok(!equal(list, turned) && equal(list, list), "lists have one");
    ok(equal(ints(1, (const int[]){4}), value_int(4)), "a set of one is its element");
    ok(!equal(value_set(&arena, NULL, 0), value_int(4)), "the empty set is no element");
    ok(equal(value_none(), value_none()) && !equal(value_none(), value_int(0)),
       "none is none and not zero");
    ok(!equal(value_bool(false), value_none()), "no is not none");
    ok(!equal(value_word("a"), value_word("b")) && equal(value_word("a"), value_word("a")),
       "words by spelling");
}

static void text(void) {
    struct value dims = ints(3, (const int[]){64, 96, 128});
    is_str(value_text(&arena, &dims), "{64, 96, 128}", "a set");
    int many[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct value ten = ints(10, many);
    is_str(value_text(&arena, &ten), "{1, 2, 3, 4, 5, 6, 7, 8 and 2 more}", "a long set is cut");
    struct value steps = range(value_int(8), any(), value_int(8));
    is_str(value_text(&arena, &steps), "8..any step 8", "a range");
    struct value sixteen = multiple(16);
    is_str(value_text(&arena, &sixteen), "multiple_of 16", "multiples");
    struct value no = value_bool(false);
    is_str(value_text(&arena, &no), "no", "no");
}

int main(void) {
    if (setjmp(out_of_memory)) {
        return EXIT_FAILURE;
    }
    arena_init(&arena, &out_of_memory);
    versions();
    membership();
    equality();
    text();
    arena_free(&arena);
    return done_testing();
}
