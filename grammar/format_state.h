// SPDX-License-Identifier: Apache-2.0
// What the formatter's steps share. A file is a row of pieces (tokens and comments), on which a
// tree of entries (items, declarations, comments between them) stands. format_read.c makes both,
// format_align.c sets the blanks that align, format_wrap.c the line ends inside an entry, and
// format.c writes the lines.
#ifndef GRAMMAR_FORMAT_STATE_H
#define GRAMMAR_FORMAT_STATE_H

#include "arena.h"
#include "source.h"
#include "token.h"

#define FORMAT_INDENT 4
#define FORMAT_WIDTH 100   // columns of code; comments may go beyond
#define FORMAT_HEAD_MAX 40 // what stands before `=` or `{` and is wider is not aligned to
#define FORMAT_NONE SIZE_MAX

// Comments among the tokens.
enum { PIECE_BLOCK_COMMENT = TOKEN_COUNT, PIECE_LINE_COMMENT };

// Where a line may begin, from what is broken first to what is broken last; a bracket around it
// counts more than all of them.
enum break_level {
    BREAK_COMMA,
    BREAK_IMPLIES,
    BREAK_OR,
    BREAK_AND,
    BREAK_WHEN,
    BREAK_SUM,
    BREAK_PRODUCT,
    BREAK_LEVELS
};

struct piece {
    uint16_t type; // of the token, or a comment
    const char *text;
    uint32_t len;
    uint32_t width;    // columns; of a comment of several lines, of its last line
    uint32_t newlines; // line ends before it in the source
    bool space;        // a blank goes before it where it does not begin a line
    bool may_break;    // a line may begin with it
    unsigned level;    // depth of brackets * BREAK_LEVELS + enum break_level
    size_t bracket;    // the innermost bracket of its entry around it, or FORMAT_NONE
    // set by later steps
    uint32_t pad;  // more blanks before it, to align
    uint32_t hang; // of a bracket: the column where lines inside it begin
    bool wrap;     // begins a line inside an entry
};

enum entry_sort { // entries of one sort align with each other
    ENTRY_COMMENT,
    ENTRY_IMPORT,
    ENTRY_CAPABILITY,
    ENTRY_SET, // NAME = , NAME.PHASE = , 0..3 =
    ENTRY_LET,
    ENTRY_FACT,
    ENTRY_REQUIRE,
    ENTRY_BLOCK, // whatever has a body in braces
};

struct entry;
VEC_TYPE(entries, struct entry *);

struct entry {
    enum entry_sort sort;
    bool blank_before;
    size_t first, end; // pieces up to and with `;` or the opening brace
    size_t stop;       // the `=` or `:` that aligns, or FORMAT_NONE
    size_t remarks;    // after `end`, comments on the same line: [end, remarks)
    uint32_t hang;     // the column where lines of the head outside of all brackets begin
    // of a block
    struct entries children;
    size_t closer,
        closer_remarks; // the closing brace; comments behind it up to here
    bool on_one_line;
};

struct format {
    struct arena *arena;
    const struct source *source;
    VEC(struct piece) pieces;
    struct entries entries;
};

bool piece_is_comment(const struct piece *p);

void format_read(struct format *f, const struct tokens *tokens);
void format_align(struct format *f, const struct entries *list);
// Line ends in the head of an entry that begins in column `indent`.
void format_wrap(struct format *f, struct entry *e, uint32_t indent);
// Columns that pieces [first, end) take on one line.
uint32_t format_width(const struct format *f, size_t first, size_t end);

#endif
