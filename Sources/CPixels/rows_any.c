// SPDX-License-Identifier: Apache-2.0
// For every processor of the architecture.
#define NAME(what) cpixels_any_##what
#include "kinds.h"

#include <string.h>
#include "rows.h"
