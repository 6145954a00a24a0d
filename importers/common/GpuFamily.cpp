#include "importers/common/GpuFamily.h"

#include "core/model/AsciiText.h"
#include "importers/common/RunFolders.h"

#include <array>

namespace trainscope::importers {

namespace {

constexpr std::array<std::string_view, 18> kFamilies{"h100", "h200", "h800", "h20", "a100", "a800",
    "v100", "p100", "b100", "b200", "b300", "gh200", "gb200", "gb300", "mi210", "mi250", "mi300",
    "mi355"};

bool isWordCharacter(char c) {
    return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z');
}

} // namespace

bool standsAsWord(std::string_view text, std::string_view word) {
    for (std::size_t at = word.empty() ? std::string_view::npos : text.find(word);
         at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isWordCharacter(text[at - 1]))
            && (end == text.size() || !isWordCharacter(text[end])))
            return true;
    }
    return false;
}

std::vector<std::string_view> gpuFamiliesIn(std::string_view folderName) {
    const std::string name = lowered(folderName);
    std::vector<std::string_view> found;
    for (const std::string_view family : kFamilies) {
        if (standsAsWord(name, family))
            found.push_back(family);
    }
    return found;
}

std::string gpuFamilyOfPath(std::string_view path) {
    for (; !path.empty(); path = folderPart(path)) {
        const auto families = gpuFamiliesIn(namePart(path));
        if (families.size() != 1)
            continue;
        std::string name(families.front());
        for (char& c : name)
            c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        return name;
    }
    return {};
}

} // namespace trainscope::importers
