#pragma once
// Functions marked TRAINSCOPE_VECTORIZED are compiled twice, for every x86-64 and for AVX2, and the
// machine's own variant is chosen when the program starts. They are plain loops over arrays; both
// variants give the same bits (floating-point contraction is off in this project's C++ mode).

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)                                \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRAINSCOPE_VECTORIZED __attribute__((target_clones("avx2", "default")))
#else
#define TRAINSCOPE_VECTORIZED
#endif
