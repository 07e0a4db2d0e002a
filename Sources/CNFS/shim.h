// SPDX-License-Identifier: Apache-2.0
// libnfs.h needs these headers, and does not include them.
#pragma once
#include <stdint.h>
#include <sys/time.h>
#include <sys/stat.h>
#include <nfsc/libnfs.h>
