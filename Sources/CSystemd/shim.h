// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
