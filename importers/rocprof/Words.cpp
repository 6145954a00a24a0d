#include "importers/rocprof/Words.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

namespace trainscope::importers::rocprof {

std::string copyName(std::string_view direction) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDirections{
        {{"hosttodevice", "HtoD"}, {"devicetohost", "DtoH"}, {"devicetodevice", "DtoD"},
            {"hosttohost", "HtoH"}}};
    std::string said = lowered(direction);
    std::erase(said, '_');
    for (const auto& [written, name] : kDirections) {
        if (said.find(written) != std::string::npos)
            return "Memcpy " + std::string(name);
    }
    return "Memcpy";
}

SpanKind callKindOf(std::string_view domain) {
    const auto has = [&](std::string_view word) { return containsIgnoringCase(domain, word); };
    if (has("marker") || has("roctx"))
        return SpanKind::Annotation;
    return SpanKind::Runtime;
}

void describe(const KernelShape& shape, DetailText& detail) {
    std::array<std::int64_t, 3> blocks{};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t items = shape.workgroup[i];
        blocks[i] = items > 0 && shape.grid[i] > 0 ? (shape.grid[i] - 1) / items + 1 : 0;
    }
    detail.add("grid", blocks).add("block", shape.workgroup);
    if (shape.registers)
        detail.add("registers per thread", *shape.registers);
    if (shape.localMemory)
        detail.add("shared memory", *shape.localMemory);
}

std::int64_t agentNumber(std::string_view text) {
    constexpr std::string_view kWord = "Agent ";
    if (text.starts_with(kWord))
        text.remove_prefix(kWord.size());
    return wholeNumber<std::int64_t>(text).value_or(-1);
}

} // namespace trainscope::importers::rocprof
