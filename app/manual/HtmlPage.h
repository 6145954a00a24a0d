#pragma once
// A page of the manual as rich text of the window: the part of HTML and CSS that QTextDocument
// understands, in the colours of the theme. Headings are anchors by their names.

#include "app/manual/Manual.h"

#include <string>

namespace trainscope::app::manual {

// Colours as "#rrggbb"; sizes in pixels.
struct HtmlStyle {
    std::string text;
    std::string secondary;
    std::string accent;
    std::string line;
    std::string raised;
    int bodySize = 13;
    int titleSize = 22;
    int space = 8;
};

std::string htmlPage(const Page& page, const HtmlStyle& style);
// `text` with the words in bold, for Text.StyledText.
std::string withBoldWords(const std::string& text, const std::vector<std::string>& words);

} // namespace trainscope::app::manual
