#include "core/plot/CsvText.h"

namespace trainscope::plot {

std::string csvText(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos)
        return std::string(text);
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"')
            result += '"';
        result += c;
    }
    return result + "\"";
}

} // namespace trainscope::plot
