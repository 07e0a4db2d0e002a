#pragma once
#include "descriptor_set.h"
#include "engine/v1/engine.pb-c.h"
#include "engine/v1/media.pb-c.h"
#include "engine/v1/state.pb-c.h"
#include "grpc/health/v1/health.pb-c.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "grpc/reflection/v1alpha/reflection.pb-c.h"
