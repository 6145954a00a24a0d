#include "core/model/JsonDepth.h"

namespace trainscope {

bool isNestedTooDeep(std::string_view json, std::size_t most) {
    std::size_t depth = 0;
    bool isInString = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (c == '"')
            isInString = !isInString;
        else if (isInString)
            i += c == '\\' ? 1 : 0;
        else if ((c == '[' || c == '{') && ++depth > most)
            return true;
        else if ((c == ']' || c == '}') && depth > 0)
            --depth;
    }
    return false;
}

} // namespace trainscope
