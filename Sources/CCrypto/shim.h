// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
