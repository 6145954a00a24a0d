#pragma once
// A page of the manual as a man page of section 7: troff with the macros of man(7), plain ASCII.

#include "app/manual/Manual.h"

#include <string>
#include <string_view>

namespace trainscope::app::manual {

std::string manPage(const Page& page);
// A section, "numbers#step-time", as a paragraph under its title for another man page; empty where
// there is none.
std::string manSection(std::string_view place);

} // namespace trainscope::app::manual
