/* SPDX-License-Identifier: Apache-2.0
 * The kernel functions that live in the library and read all constants at run time. Each is an
 * attn_kernel_fn; instances made by cpu_ref.inc and cpu_kv.inc point at them.
 */
#ifndef ATTN_KERNELS_CPU_H
#define ATTN_KERNELS_CPU_H

#include "attn/abi.h"

/* Attention of the kinds full, sliding_window, chunked_local, sink_full, encoder_only and cross
   over every CPU page format; ATTN_E_KIND for other kinds and layouts. */
attn_kernel_fn attn_cpu_ref;

/* Appends the step's K and V rows to the pages; ATTN_E_NO_WRITE for encoder_only_attention,
   ATTN_E_KIND for kinds and layouts that are not served. */
attn_kernel_fn attn_cpu_kv;

#endif
