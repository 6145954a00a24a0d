
#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/nccl/NcclLog.h"

namespace trainscope::importers::nccl {

namespace {

bool isDigits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::string_view firstWord(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    text.remove_prefix(begin);
    return text.substr(0, text.find_first_of(" \t\r"));
}

std::string_view wordAfter(std::string_view text, std::string_view mark) {
    const auto at = text.find(mark);
    return at == std::string_view::npos ? std::string_view()
                                        : firstWord(text.substr(at + mark.size()));
}

std::optional<int> numberAfter(std::string_view text, std::string_view mark) {
    return wholeNumber<int>(wordAfter(text, mark));
}

std::string wayOf(std::string_view text) {
    std::string way;
    for (std::string_view part : words(text, "/\r\n")) {
        // A device, with the rank that forwards in brackets; a comm's address.
        if (isDigits(part.substr(0, part.find('('))) || part == "Shared" || part.starts_with("0x"))
            continue;
        way += (way.empty() ? "" : "/") + std::string(part);
    }
    return way.empty() ? "unknown" : way;
}

std::string withoutDevice(std::string_view text) {
    if (const auto at = text.find(" on dev "); at != std::string_view::npos)
        text = text.substr(0, at);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r'))
        text.remove_suffix(1);
    return std::string(text);
}

std::optional<NcclLine> ncclLine(std::string_view line) {
    NcclLine parsed;
    std::size_t at = line.find(" NCCL INFO ");
    if (at == std::string_view::npos) {
        at = line.find(" NCCL WARN ");
        parsed.isWarning = true;
    }
    if (at == std::string_view::npos)
        return std::nullopt;
    parsed.text = line.substr(at + 11);
    // host:pid:tid [device]; of versions that stamp their lines more stands before it.
    auto parts = words(line.substr(0, at), " \t");
    std::ranges::reverse(parts);
    for (const std::string_view part : parts) {
        if (part.starts_with('[') && part.ends_with(']')) {
            parsed.device = wholeNumber<int>(part.substr(1, part.size() - 2)).value_or(-1);
            continue;
        }
        const auto last = part.rfind(':');
        const auto first
            = last == std::string_view::npos || last == 0 ? last : part.rfind(':', last - 1);
        if (first == std::string_view::npos)
            continue;
        const auto process = wholeNumber<std::int64_t>(part.substr(first + 1, last - first - 1));
        if (!process)
            continue;
        parsed.host = part.substr(0, first);
        // A launcher's prefix without a blank: "[0]:host:1:2".
        if (const auto prefix = parsed.host.rfind(':'); prefix != std::string_view::npos)
            parsed.host.remove_prefix(prefix + 1);
        parsed.process = *process;
        return parsed;
    }
    return std::nullopt;
}

} // namespace trainscope::importers::nccl
