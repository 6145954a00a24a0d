#pragma once
// The texts of the manual's pages, resources/manual/*.md, compiled in.

#include <span>
#include <string_view>

namespace trainscope::app::manual {

struct PageText {
    std::string_view id; // "numbers"
    std::string_view text;
};

// In the order of the manual.
std::span<const PageText> pageTexts();

} // namespace trainscope::app::manual
