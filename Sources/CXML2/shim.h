// SPDX-License-Identifier: Apache-2.0
#pragma once
// The headers of Debian's libxml2 declare members with types of ICU, whose headers conflict with those in Swift's
// Foundation. The engine does not use these members.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/xmlreader.h>
