// SPDX-License-Identifier: Apache-2.0
// Every diagnostic code, once: id, default severity, name after -W (warnings only), title.
// 01xx lexical, 02xx syntax, 03xx names and duplicates, 04xx values and ranges, 05xx capability,
// 06xx coverage, 07xx platform, 08xx output and limits, 09xx import. A code is never reused.
#ifndef GRAMMAR_DIAG_CODES_H
#define GRAMMAR_DIAG_CODES_H

#define DIAG_CODES(X)                                                                              \
    DIAG_CODES_LEXICAL(X)                                                                          \
    DIAG_CODES_SYNTAX(X)                                                                           \
    DIAG_CODES_NAMES(X)                                                                            \
    DIAG_CODES_VALUES(X)                                                                           \
    DIAG_CODES_CAPABILITY(X)                                                                       \
    DIAG_CODES_COVERAGE(X)                                                                         \
    DIAG_CODES_PLATFORM(X)                                                                         \
    DIAG_CODES_OUTPUT(X)                                                                           \
    DIAG_CODES_IMPORT(X)

// clang-format off
#define DIAG_CODES_LEXICAL(X)                                                                      \
    X(A0101, DIAG_ERROR, NULL, "control byte in a source file")                                    \
    X(A0102, DIAG_ERROR, NULL, "text that is not UTF-8")                                           \
    X(A0103, DIAG_ERROR, NULL, "invisible character in a source file")                             \
    X(A0104, DIAG_ERROR, NULL, "string that is not closed")                                        \
    X(A0105, DIAG_ERROR, NULL, "character that has no meaning outside strings and comments")       \
    X(A0106, DIAG_ERROR, NULL, "unknown escape in a string")                                       \
    X(A0107, DIAG_ERROR, NULL, "escape that stands for no character")                              \
    X(A0108, DIAG_ERROR, NULL, "malformed number")                                                 \
    X(A0109, DIAG_ERROR, NULL, "number that does not fit 64 bits")                                 \
    X(A0110, DIAG_ERROR, NULL, "comment that is not closed")

#define DIAG_CODES_SYNTAX(X)                                                                       \
    X(A0201, DIAG_ERROR, NULL, "unexpected token")                                                 \
    X(A0202, DIAG_ERROR, NULL, "bracket that is not closed")                                       \
    X(A0203, DIAG_ERROR, NULL, "closing bracket that closes nothing")                              \
    X(A0204, DIAG_ERROR, NULL, "misspelt word")                                                    \
    X(A0205, DIAG_ERROR, NULL, "reserved word used as a name")                                     \
    X(A0206, DIAG_ERROR, NULL, "nested too deeply")                                                \
    X(A0207, DIAG_ERROR, NULL, "too many errors in one file")

#define DIAG_CODES_NAMES(X)                                                                        \
    X(A0301, DIAG_ERROR, NULL, "unknown name")                                                     \
    X(A0302, DIAG_ERROR, NULL, "name declared twice")                                              \
    X(A0303, DIAG_ERROR, NULL, "file that cannot be read")                                         \
    X(A0304, DIAG_ERROR, NULL, "files that import each other in a circle")                         \
    X(A0305, DIAG_ERROR, NULL, "imports nested too deeply")                                        \
    X(A0306, DIAG_ERROR, NULL, "no such file in the library")                                      \
    X(A0307, DIAG_ERROR, NULL, "declaration that only the library may hold")                       \
    X(A0308, DIAG_ERROR, NULL, "declarations that extend each other in a circle")                  \
    X(A0309, DIAG_ERROR, NULL, "chain of extends too long")                                        \
    X(A0310, DIAG_ERROR, NULL, "let that reaches itself")                                          \
    X(A0311, DIAG_ERROR, NULL, "let named like a word of the type it is used as")                  \
    X(A0312, DIAG_ERROR, NULL, "unknown attribute of a declaration")                               \
    X(A0313, DIAG_ERROR, NULL, "attribute given twice")                                            \
    X(A0314, DIAG_ERROR, NULL, "item that has no place in this declaration")

#define DIAG_CODES_VALUES(X)                                                                       \
    X(A0401, DIAG_ERROR, NULL, "value of the wrong type")                                          \
    X(A0402, DIAG_ERROR, NULL, "arithmetic without an exact result")                               \
    X(A0403, DIAG_ERROR, NULL, "name of a rule in a constant")                                     \
    X(A0404, DIAG_ERROR, NULL, "expression beyond a limit")                                        \
    X(A0405, DIAG_ERROR, NULL, "condition where none may stand")

#define DIAG_CODES_CAPABILITY(X)                                                                   \
    X(A0501, DIAG_ERROR, NULL, "backend cannot serve the operator")                                \
    X(A0511, DIAG_ERROR, NULL, "backend that leaves a capability unanswered")                      \
    X(A0512, DIAG_ERROR, NULL, "line that can never count")                                        \
    X(A0513, DIAG_ERROR, NULL, "capability that is not well formed")                               \
    X(A0514, DIAG_ERROR, NULL, "operator attribute that nothing reads")

#define DIAG_CODES_COVERAGE(X)                                                                     \
    X(A0601, DIAG_ERROR, NULL, "no backend accepts the operator")

#define DIAG_CODES_PLATFORM(X)                                                                     \
    X(A0701, DIAG_ERROR, NULL, "backend needs a device that the platform lacks")

#define DIAG_CODES_OUTPUT(X)                                                                       \
    X(A0801, DIAG_ERROR, NULL, "output cannot be written")

#define DIAG_CODES_IMPORT(X)                                                                       \
    X(A0901, DIAG_ERROR, NULL, "configuration is not valid JSON")                                  \
    X(A0902, DIAG_ERROR, NULL, "key given twice in one JSON object")                               \
    X(A0903, DIAG_ERROR, NULL, "JSON nested too deeply")                                           \
    X(A0904, DIAG_ERROR, NULL, "model type that attnc does not know")                              \
    X(A0905, DIAG_ERROR, NULL, "configuration field missing")                                      \
    X(A0906, DIAG_ERROR, NULL, "configuration field of the wrong type")                            \
    X(A0907, DIAG_ERROR, NULL, "configuration field out of range")                                 \
    X(A0908, DIAG_ERROR, NULL, "configuration field that is not finite")                           \
    X(A0909, DIAG_ERROR, NULL, "configuration fields that contradict each other")                  \
    X(A0910, DIAG_ERROR, NULL, "layer type that the architecture does not have")                   \
    X(A0911, DIAG_ERROR, NULL, "shared cache without an owner")                                    \
    X(A0912, DIAG_ERROR, NULL, "configuration file cannot be read")                                \
    X(A0920, DIAG_WARNING, "import-pattern", "layer pattern overruled")                            \
    X(A0921, DIAG_WARNING, "import-nonfinite", "NaN or Infinity in a field that is not used")      \
    X(A0922, DIAG_WARNING, "import-note", "field read in a way that may surprise")
// clang-format on

#endif
