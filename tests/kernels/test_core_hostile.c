// SPDX-License-Identifier: Apache-2.0
// Random damage to batches, block tables and the numbers of a table, in checked executions: a call
// is refused, or its kernels can follow every row and every block id of what they see and stay in
// the memory that the caller has. In: the fixture, a generator. Out: TAP; a sanitizer sees the
// rest.
#include "attn/span.h"
#include "tests/kernels/core_fixture.h"
#include "tests/tap.h"

#include <limits.h>

enum { ROUNDS = 8000 };

static unsigned escapes, reads, writes; // what the kernels below saw

static uint32_t draw(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

// The page of a block, looked up as a kernel does.
static unsigned char *page_of(const attn_io *io, uint32_t sequence, uint32_t block) {
    const attn_cache_view *c = &io->cache;
    int32_t id = c->table[sequence * c->table_stride + block % c->cols];
    if (id < 0 || id >= PAGES) {
        escapes++;
        return NULL;
    }
    return (unsigned char *)c->base + id * c->page_stride;
}

static attn_status follow_run(attn_exec *x, const attn_params *p, const attn_batch *batch,
                              const attn_io *io) {
    (void)x;
    const int32_t *length = p->kind == ATTN_CROSS_ATTENTION ? batch->src_len : batch->seq_len;
    for (uint32_t i = 0; i < batch->n_decode + batch->n_prefill; i++) {
        for (int32_t t = batch->q_start[i]; t < batch->q_start[i + 1]; t++) {
            int32_t position = batch->seq_len[i] - (batch->q_start[i + 1] - t);
            attn_span s =
                attn_span_of(position, length[i], p->window_left, p->window_right, p->chunk);
            float sum = 0;
            for (int32_t j = s.lo; j < s.hi && io->cache.base; j++) {
                unsigned char *page = page_of(io, i, (uint32_t)j / BLOCK);
                sum += page ? page[0] + page[PAGE_BYTES - 1] : 0;
                reads++;
            }
            for (uint32_t e = 0; e < ROW; e++) {
                ((float *)io->out)[t * io->out_token_stride + e] = sum;
            }
        }
    }
    return ATTN_OK;
}

static attn_status follow_write(attn_exec *x, const attn_params *p, const attn_batch *batch,
                                const attn_io *io) {
    (void)x;
    (void)p;
    for (uint32_t i = 0; i < batch->n_decode + batch->n_prefill; i++) {
        for (int32_t t = batch->q_start[i]; t < batch->q_start[i + 1]; t++) {
            int32_t position = batch->seq_len[i] - (batch->q_start[i + 1] - t);
            unsigned char *page = page_of(io, i, (uint32_t)position / BLOCK);
            if (page) {
                page[position % BLOCK] = 1;
            }
            writes++;
        }
    }
    return ATTN_OK;
}

static int32_t odd_number(uint32_t *state) {
    static const int32_t odd[] = {0,  1,  -1,  2,   15,  16,        17,        33,
                                  63, 64, 127, 128, 129, INT32_MAX, INT32_MIN, 1 << 30};
    return odd[draw(state, sizeof odd / sizeof odd[0])];
}

// One number of the batch or of the table gets another value. Limits, strides and pointers are
// left alone: they say how much memory the caller has.
static void damage(struct fixture *f, uint32_t *state) {
    uint32_t i = draw(state, MAX_SEQS), g = draw(state, GROUPS);
    attn_class *c = &f->data.classes[draw(state, CLASSES)];
    attn_operator *o = &f->data.operators[draw(state, OPERATORS)];
    int32_t v = odd_number(state);
    switch (draw(state, 17)) {
    case 0:
        f->q_start[i + draw(state, 2)] = v;
        break;
    case 1:
    case 2:
        f->seq_len[i] = v;
        break;
    case 3:
        f->src_start[i + draw(state, 2)] = v;
        break;
    case 4:
        f->src_len[i] = v;
        break;
    case 5:
        f->batch.n_decode = (uint32_t)v;
        break;
    case 6:
        f->batch.n_prefill = (uint32_t)v;
        break;
    case 7:
        f->batch.n_tokens = (uint32_t)v;
        break;
    case 8:
        f->tables[g].cols = draw(state, MAX_TOKENS / BLOCK + 1);
        break;
    case 9:
        f->data.groups[g].max_length = (uint32_t)v;
        break;
    case 10:
        f->data.groups[g].source = (uint8_t)draw(state, 2);
        break;
    case 11:
        *(uint16_t *[]){&c->prefill_entry, &c->decode_entry, &c->write_entry,
                        &c->group}[draw(state, 4)] = (uint16_t)v;
        break;
    case 12:
        *(uint8_t *[]){&c->kind, &c->dtype, &c->kv_dtype, &c->layout}[draw(state, 4)] = (uint8_t)v;
        break;
    case 13:
        *(uint32_t *[]){&c->heads, &c->kv_heads, &c->head_dim, &c->k_width}[draw(state, 4)] =
            (uint32_t)v;
        break;
    case 14:
        o->class_index = (uint16_t)v;
        break;
    case 15:
        *(uint32_t *[]){&o->owner, &o->slot}[draw(state, 2)] = (uint32_t)v;
        break;
    default:
        f->ids[g][i][draw(state, MAX_TOKENS / BLOCK)] = v;
    }
}

int main(void) {
    static struct fixture f;
    uint32_t state = 1;
    unsigned refused = 0, ran = 0, unknown = 0;
    for (int round = 0; round < ROUNDS; round++) {
        fixture_init(&f);
        for (uint32_t i = 0; i < CLASSES * ROLES; i++) {
            f.kernels[i].run = i % ROLES == ROLE_WRITE ? follow_write : follow_run;
        }
        f.x.flags = ATTN_EXEC_CHECKED;
        for (uint32_t n = 1 + draw(&state, 3); n > 0; n--) {
            damage(&f, &state);
        }
        attn_status status = attn_step(&f.x, &f.table, &f.batch);
        for (uint32_t op = 0; op < OPERATORS && status == ATTN_OK; op++) {
            attn_status run[] = {fixture_run(&f, op), fixture_write(&f, op)};
            for (int k = 0; k < 2; k++) {
                refused += run[k] != ATTN_OK;
                ran += run[k] == ATTN_OK;
                unknown += strcmp(attn_status_text(run[k]), "unknown status") == 0;
            }
        }
        refused += status != ATTN_OK;
    }
    is_int(escapes, 0, "no block id outside the pool reaches a kernel");
    is_int(unknown, 0, "every refusal has its status");
    ok(refused > 1000 && ran > 1000, "%u calls were refused, %u ran", refused, ran);
    ok(reads > 1000 && writes > 1000, "kernels looked up %u keys and %u new rows", reads, writes);
    return done_testing();
}
