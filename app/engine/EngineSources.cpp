#include "app/engine/EngineSources.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"
#include "importers/engine/Moments.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <map>

namespace trainscope::app {

namespace {

constexpr std::string_view kRunMark = "&run=";
constexpr std::string_view kNodeMark = "&node=";

std::string selectionOf(const EngineRequest& request) {
    return request.address.shown() + "/?match=" + request.selector.text();
}

std::optional<std::int64_t> numberFact(const ImportReport& report, const char* key) {
    const auto at = report.facts.find(key);
    return at == report.facts.end() ? std::nullopt : wholeNumber<std::int64_t>(at->second);
}

} // namespace

std::string sourceBase(const EngineRequest& request, const std::string& runName) {
    return selectionOf(request) + std::string(kRunMark) + runName;
}

std::string sourceOf(const std::string& base, const std::string& node) {
    return base + std::string(kNodeMark) + node;
}

std::string askedText(const EngineRequest& request) {
    const std::string what = request.step
        ? "every " + importers::engine::engineDuration(request.step->ns / text::kMillisecond)
        : std::string("every sample");
    std::string asked = request.from + " to " + request.to + ", " + what;
    const std::string mapping = importers::engine::textOf(request.mapping);
    if (!mapping.empty())
        asked += fmt::format(", mapping {:016x}", XXH3_64bits(mapping.data(), mapping.size()));
    return asked;
}

std::string rosterText(const importers::engine::Roster& roster) {
    std::string all;
    for (const std::string& node : roster.nodes())
        all += node + "\n";
    for (const Gpu& gpu : roster.gpus())
        all += fmt::format("{} {} {} {}\n", gpu.rank, gpu.node, gpu.local, gpu.uuid);
    return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

void CopyFacts::write(ImportReport& report) const {
    report.facts["asked"] = asked;
    report.facts["from"] = importers::engine::rfc3339(range.begin);
    report.facts["to"] = importers::engine::rfc3339(range.end);
    report.facts["engine_from_ns"] = std::to_string(range.begin.ns);
    report.facts["engine_to_ns"] = std::to_string(range.end.ns);
    report.facts["engine_roster"] = roster;
    report.facts["engine_parts"] = std::to_string(parts);
}

std::optional<CopyFacts> CopyFacts::read(const ImportReport& report) {
    const auto from = numberFact(report, "engine_from_ns");
    const auto to = numberFact(report, "engine_to_ns");
    const auto parts = numberFact(report, "engine_parts");
    const auto asked = report.facts.find("asked");
    const auto roster = report.facts.find("engine_roster");
    if (!from || !to || !parts || asked == report.facts.end() || roster == report.facts.end())
        return std::nullopt;
    return CopyFacts{asked->second, {{*from}, {*to}}, roster->second,
        static_cast<std::size_t>(std::max<std::int64_t>(0, *parts))};
}

Result<std::optional<Unfinished>> unfinishedCopy(
    const store::Store& store, const EngineRequest& request) {
    const std::string prefix = request.runName.empty()
        ? selectionOf(request) + std::string(kRunMark)
        : sourceBase(request, request.runName) + std::string(kNodeMark);
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    std::map<std::string, Unfinished> byRun;
    for (const store::Source& source : sources) {
        const auto facts = CopyFacts::read(source.report);
        if (!source.path.starts_with(prefix) || !facts || facts->asked != askedText(request))
            continue;
        const auto begin = source.path.find(kRunMark) + kRunMark.size();
        const auto end = source.path.rfind(kNodeMark);
        if (end == std::string::npos || end < begin)
            continue;
        const std::string name = source.path.substr(begin, end - begin);
        Unfinished& found = byRun[name];
        const bool isOther = !found.complete.empty() && !(found.facts.range == facts->range);
        if (isOther && facts->range.end < found.facts.range.end)
            continue;
        if (isOther)
            found.complete.clear();
        found.facts = *facts;
        found.runName = name;
        found.complete.insert(source.path);
    }
    std::optional<Unfinished> latest;
    for (auto& [name, found] : byRun) {
        const bool isWhole = found.complete.size() >= found.facts.parts;
        if (!isWhole && (!latest || latest->facts.range.end < found.facts.range.end))
            latest = std::move(found);
    }
    return latest;
}

} // namespace trainscope::app
