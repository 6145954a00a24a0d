#include "importers/common/HeadLines.h"

#include "importers/common/LineBlocks.h"

namespace trainscope::importers {

namespace {

constexpr std::size_t kLongestHeadLine = 8192; // a header, or a row that is guessed from

} // namespace

std::vector<std::string> linesOfHead(std::string_view head, std::size_t most) {
    const bool isCut = head.size() >= kHeadOfLines;
    std::vector<std::string> lines;
    const std::string_view looked = head.substr(0, kHeadOfLines);
    LineReader reader(memoryStream(looked), looked.size() + 1);
    while (lines.size() < most) {
        const auto line = reader.next();
        if (!line.hasValue() || !line.value())
            break;
        lines.emplace_back(line.value()->size() <= kLongestHeadLine ? *line.value() : "");
    }
    if (isCut && lines.size() > 1 && lines.size() < most)
        lines.pop_back();
    return lines;
}

} // namespace trainscope::importers
