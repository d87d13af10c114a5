out/gemma3_swapped.h \
 out/gemma3_swapped.c \
 out/gemma3_swapped_kernels.c \
 out/gemma3_swapped.json: \
 gemma3.attn \
 gemma3_1b.attn
