// SPDX-License-Identifier: Apache-2.0
// Test Anything Protocol for C tests, header only: ok, is_int, is_str, skip, diag, done_testing.
// Output is TAP 13 (Debian's prove refuses 14). A failed point says where it stands, what was got
// and what was wanted. End main with `return done_testing();`.
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_run_, tap_failed_;

__attribute__((format(printf, 1, 2), unused)) static void diag(const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("# ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

__attribute__((format(printf, 4, 5), unused)) static bool
tap_point(bool pass, const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (tap_run_ == 0) {
        printf("TAP version 13\n");
    }
    tap_run_++;
    tap_failed_ += !pass;
    printf("%sok %d - ", pass ? "" : "not ", tap_run_);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    if (!pass) {
        diag("at %s:%d", file, line);
    }
    return pass;
}

__attribute__((unused)) static bool tap_is_str(const char *got, const char *want, const char *file,
                                               int line, const char *name) {
    bool same = got && want ? strcmp(got, want) == 0 : got == want;
    tap_point(same, file, line, "%s", name);
    if (!same) {
        diag("got:  %s", got ? got : "(null)");
        diag("want: %s", want ? want : "(null)");
    }
    return same;
}

__attribute__((unused)) static bool tap_is_int(long long got, long long want, const char *file,
                                               int line, const char *name) {
    tap_point(got == want, file, line, "%s", name);
    if (got != want) {
        diag("got:  %lld", got);
        diag("want: %lld", want);
    }
    return got == want;
}

// ok(condition, format, ...): one point.
#define ok(pass, ...) tap_point((pass), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, name) tap_is_str((got), (want), __FILE__, __LINE__, (name))
#define is_int(got, want, name) tap_is_int((got), (want), __FILE__, __LINE__, (name))
#define skip(reason, name) (tap_point(true, __FILE__, __LINE__, "%s # SKIP %s", (name), (reason)))

__attribute__((unused)) static int done_testing(void) {
    printf("1..%d\n", tap_run_);
    if (tap_failed_) {
        diag("%d of %d failed", tap_failed_, tap_run_);
    }
    return tap_failed_ ? 1 : 0;
}

#endif
