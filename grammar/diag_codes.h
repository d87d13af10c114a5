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
    X(A0313, DIAG_ERROR, NULL, "line of a backend, platform or priority given twice")                  \
    X(A0350, DIAG_ERROR, NULL, "unknown attribute of a model")                                     \
    X(A0351, DIAG_ERROR, NULL, "unknown setting of a deployment")                                  \
    X(A0352, DIAG_ERROR, NULL, "attribute of a model given twice")                                 \
    X(A0353, DIAG_ERROR, NULL, "setting given twice")                                              \
    X(A0354, DIAG_ERROR, NULL, "unknown kind")                                                     \
    X(A0355, DIAG_ERROR, NULL, "unknown operator")                                                 \
    X(A0356, DIAG_ERROR, NULL, "phase that the kind does not have")                                \
    X(A0358, DIAG_ERROR, NULL, "item that cannot stand in its place")                              \
    X(A0359, DIAG_ERROR, NULL, "name of another engine's setting")                                 \
    X(A0360, DIAG_ERROR, NULL, "operator mapped twice")                                            \
    X(A0361, DIAG_ERROR, NULL, "settings for a model that is not deployed")                        \
    X(A0362, DIAG_ERROR, NULL, "table of kinds that cannot be read")                               \
    X(A0363, DIAG_ERROR, NULL, "model deployed twice")

#define DIAG_CODES_VALUES(X)                                                                       \
    X(A0401, DIAG_ERROR, NULL, "value of the wrong type")                                          \
    X(A0402, DIAG_ERROR, NULL, "arithmetic without an exact result")                               \
    X(A0403, DIAG_ERROR, NULL, "name of a rule in a constant")                                     \
    X(A0404, DIAG_ERROR, NULL, "expression beyond a limit")                                        \
    X(A0405, DIAG_ERROR, NULL, "condition where none may stand")                                   \
    X(A0450, DIAG_ERROR, NULL, "number out of its range")                                          \
    X(A0451, DIAG_ERROR, NULL, "attribute of the wrong type")                                      \
    X(A0452, DIAG_ERROR, NULL, "model lacks a required attribute")                                 \
    X(A0453, DIAG_ERROR, NULL, "heads that KV heads do not divide")                                \
    X(A0454, DIAG_ERROR, NULL, "attribute that the kind does not have")                            \
    X(A0455, DIAG_ERROR, NULL, "layer that the model does not have")                               \
    X(A0456, DIAG_ERROR, NULL, "layer range that is empty")                                        \
    X(A0457, DIAG_ERROR, NULL, "layer named twice")                                                \
    X(A0458, DIAG_ERROR, NULL, "KV sharing with an operator that cannot share")                    \
    X(A0459, DIAG_ERROR, NULL, "index sharing with an operator that cannot share")                 \
    X(A0461, DIAG_ERROR, NULL, "model without operators")                                          \
    X(A0462, DIAG_ERROR, NULL, "deployment lacks a required setting")                              \
    X(A0463, DIAG_ERROR, NULL, "ranks that do not divide the heads")                               \
    X(A0464, DIAG_ERROR, NULL, "width that contradicts the latent")                                \
    X(A0465, DIAG_ERROR, NULL, "setting that no single model can have")

#define DIAG_CODES_CAPABILITY(X)                                                                   \
    X(A0501, DIAG_ERROR, NULL, "backend cannot serve the operator")                                \
    X(A0502, DIAG_ERROR, NULL, "backend lacks a phase")                                            \
    X(A0503, DIAG_ERROR, NULL, "phases of one operator on different devices")                      \
    X(A0504, DIAG_ERROR, NULL, "no page layout in common")                                         \
    X(A0505, DIAG_ERROR, NULL, "no block size in common")                                          \
    X(A0506, DIAG_ERROR, NULL, "page sizes that differ")                                           \
    X(A0507, DIAG_ERROR, NULL, "no common page for a unified pool")                                \
    X(A0508, DIAG_ERROR, NULL, "shared cache on different devices")                                \
    X(A0511, DIAG_ERROR, NULL, "backend that leaves a capability unanswered")                      \
    X(A0512, DIAG_ERROR, NULL, "line that can never count")                                        \
    X(A0513, DIAG_ERROR, NULL, "capability that is not well formed")                               \
    X(A0514, DIAG_ERROR, NULL, "operator attribute that nothing reads")                            \
    X(A0515, DIAG_ERROR, NULL, "priority without an order")                                        \
    X(A0550, DIAG_WARNING, "unchecked", "rule that fails, not checked on request")

#define DIAG_CODES_COVERAGE(X)                                                                     \
    X(A0601, DIAG_ERROR, NULL, "no backend accepts the operator")                                  \
    X(A0602, DIAG_ERROR, NULL, "no priority applies")                                              \
    X(A0610, DIAG_WARNING, "unused-mapping", "mapping that no operator uses")                      \
    X(A0611, DIAG_WARNING, "shadowed-mapping", "mapping that others override everywhere")          \
    X(A0612, DIAG_WARNING, "unreachable-entry", "entry of a priority that can never be reached")   \
    X(A0613, DIAG_WARNING, "mixed-windows", "different windows within one kind")                   \
    X(A0614, DIAG_WARNING, "window-past-context", "window not below the context")

#define DIAG_CODES_PLATFORM(X)                                                                     \
    X(A0701, DIAG_ERROR, NULL, "backend needs a device that the platform lacks")                   \
    X(A0702, DIAG_ERROR, NULL, "budget larger than the platform's memory")                         \
    X(A0710, DIAG_WARNING, "platform-device", "unused mapping to a backend of another device")     \
    X(A0711, DIAG_WARNING, "memory-unstated", "budget where the platform states no memory") \
    X(A0712, DIAG_WARNING, "foreign-environment", "environment variable of another engine")

#define DIAG_CODES_OUTPUT(X)                                                                       \
    X(A0801, DIAG_ERROR, NULL, "output cannot be written")                                         \
    X(A0802, DIAG_ERROR, NULL, "name too long for the files named after it")                       \
    X(A0803, DIAG_ERROR, NULL, "two deployments write the same file")                              \
    X(A0804, DIAG_ERROR, NULL, "file name that a dependency file cannot hold")                     \
    X(A0805, DIAG_ERROR, NULL, "no deployment to build")                                           \
    X(A0806, DIAG_ERROR, NULL, "unknown deployment")                                               \
    X(A0807, DIAG_ERROR, NULL, "more than one deployment")                                         \
    X(A0808, DIAG_ERROR, NULL, "no operator matches")                                              \
    X(A0811, DIAG_ERROR, NULL, "backend without a kernel to link")                                 \
    X(A0812, DIAG_ERROR, NULL, "function name that C cannot have")                                 \
    X(A0813, DIAG_ERROR, NULL, "kernel family in the wrong place")                                 \
    X(A0814, DIAG_ERROR, NULL, "operator that the runtime's ABI cannot describe")                  \
    X(A0815, DIAG_ERROR, NULL, "number beyond a limit of the table")                               \
    X(A0816, DIAG_ERROR, NULL, "kernels with the same fingerprint")                                \
    X(A0850, DIAG_ERROR, NULL, "memory over its budget")                                           \
    X(A0851, DIAG_ERROR, NULL, "size beyond 63 bits")                                              \
    X(A0860, DIAG_WARNING, "unknown-size", "size of a dtype unknown")

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
    X(A0913, DIAG_ERROR, NULL, "attention that attnc cannot describe")                             \
    X(A0914, DIAG_ERROR, NULL, "GGUF file that is damaged or not supported")                       \
    X(A0920, DIAG_WARNING, "import-pattern", "layer pattern overruled")                            \
    X(A0921, DIAG_WARNING, "import-nonfinite", "NaN or Infinity in a field that is not used")      \
    X(A0922, DIAG_WARNING, "import-note", "field read in a way that may surprise")           \
    X(A0930, DIAG_ERROR, NULL, "key that vLLM's attention configuration does not have")            \
    X(A0931, DIAG_ERROR, NULL, "kind that vLLM does not know")                                     \
    X(A0932, DIAG_ERROR, NULL, "backend that vLLM does not know")                                  \
    X(A0933, DIAG_ERROR, NULL, "layer that vLLM refuses on this platform")                         \
    X(A0934, DIAG_ERROR, NULL, "choice that vLLM's configuration cannot express")                  \
    X(A0935, DIAG_WARNING, "vllm-settle", "backends on which vLLM does not start")                 \
    X(A0936, DIAG_ERROR, NULL, "option of an import that names nothing")                           \
    X(A0940, DIAG_WARNING, "vllm-no-effect", "setting without effect in vLLM")                     \
    X(A0941, DIAG_WARNING, "vllm-ignored", "request that vLLM ignores or reads otherwise")         \
    X(A0942, DIAG_WARNING, "vllm-model", "model that names its own backend in vLLM")               \
    X(A0943, DIAG_WARNING, "vllm-drafter", "setting that a drafter inherits")                      \
    X(A0944, DIAG_WARNING, "vllm-unvalidated", "choice that vLLM does not check")                  \
    X(A0945, DIAG_WARNING, "vllm-lost", "setting that vLLM's configuration does not hold")
// clang-format on

#endif
