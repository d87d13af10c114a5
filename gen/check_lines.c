// SPDX-License-Identifier: Apache-2.0
// Lines that repeat. A name may have several lines where each but the last has a `when`; what comes
// after a line without one can never count. In attributes that take no `when` any second line is
// one too many. In: a declaration. Out: located errors that show the earlier line.
#include "gen/check.h"
#include "gen/names.h"

void check_lines(const struct program *p, const struct decl *d, enum item_kind kind, bool once) {
    struct name_table seen = {.arena = p->arena}; // name -> the line that ends it
    for (size_t i = 0; i < d->ast->items.len; i++) {
        struct ast_item *item = d->ast->items.at[i];
        if (item->kind != kind) {
            continue;
        }
        const char *name = item->name.text;
        const struct ast_item *earlier = name_get(&seen, name);
        if (earlier) {
            bool unreachable = item->when && !once;
            struct diag *g = unreachable ? diag_add(p->diags, DIAG_A0512, item->name.span,
                                                    "this line of `%s` can never count", name)
                                         : diag_add(p->diags, DIAG_A0313, item->name.span,
                                                    "`%s` is given twice", name);
            diag_note(p->diags, g, earlier->name.span,
                      unreachable ? "the line without `when` stands here" : "first given here");
        } else if (once || !item->when) {
            name_set(&seen, name, item);
        }
    }
}
