// SPDX-License-Identifier: Apache-2.0
// For x86 processors with AVX2, FMA and F16C.
#include "kinds.h"
#if defined(__x86_64__)
#include <string.h>

#define NAME(what) cpixels_avx2_##what
#define HAS_F16C
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#include "rows.h"
#pragma clang attribute pop
#endif
