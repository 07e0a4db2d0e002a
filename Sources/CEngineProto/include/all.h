#pragma once
#include "engine/v1/engine.pb-c.h"
#include "engine/v1/media.pb-c.h"
#include "engine/v1/state.pb-c.h"
