out/gemma3.h \
 out/gemma3.c \
 out/gemma3_kernels.c \
 out/gemma3.json: \
 gemma3.attn \
 gemma3_1b.attn
