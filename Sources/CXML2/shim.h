// SPDX-License-Identifier: Apache-2.0
#pragma once
// Debian's libxml2 shows members with types of ICU, whose headers contradict those in Swift's Foundation. Nothing here uses
// these members.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/xmlreader.h>
