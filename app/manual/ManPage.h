#pragma once
// A page of the manual as a man page of section 7: troff with the macros of man(7), plain ASCII.

#include "app/manual/Manual.h"

#include <string>

namespace trainscope::app::manual {

std::string manPage(const Page& page);

} // namespace trainscope::app::manual
