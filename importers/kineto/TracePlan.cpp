#include "importers/kineto/TracePlan.h"

#include "importers/kineto/TraceProbe.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceName.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace trainscope::importers::kineto {

namespace {

// `"key"` followed by a colon, anywhere.
bool hasKey(std::string_view head, std::string_view key) {
    for (std::size_t at = head.find(key); at != std::string_view::npos;
         at = head.find(key, at + 1)) {
        const std::size_t next = head.find_first_not_of(" \t\r\n", at + key.size());
        if (next != std::string_view::npos && head[next] == ':')
            return true;
    }
    return false;
}

// An array whose first element is an object with a phase, the older and foreign form.
bool isArrayOfEvents(std::string_view head) {
    const std::size_t brace = head.find_first_not_of(" \t\r\n", 1);
    if (brace == std::string_view::npos || head[brace] != '{')
        return false;
    constexpr std::size_t kOneEvent = 4096;
    const std::string_view first = head.substr(brace, kOneEvent);
    return hasKey(first, "\"ph\"") && (hasKey(first, "\"ts\"") || hasKey(first, "\"name\""));
}

// Absent where the head does not say what its times count from.
std::optional<TimeNs> startOfTrace(const TraceProbe& probe) {
    if (!probe.firstNs)
        return std::nullopt;
    if (isAbsolute(TimeNs{*probe.firstNs}))
        return TimeNs{*probe.firstNs};
    if (!probe.header.baseNs)
        return std::nullopt;
    return TimeNs{*probe.header.baseNs + *probe.firstNs};
}

TraceFile describeTrace(const SourceTree& tree, const SourceFile& file) {
    TraceProbe probe = probeTrace(tree, file.path, ProbeDepth::Head);
    if (!probe.header.rank && !rankOfPath(file.path))
        probe = probeTrace(tree, file.path, ProbeDepth::Members);
    TraceFacts facts;
    facts.rank = probe.header.rank;
    facts.worldSize = probe.header.worldSize;
    facts.gpuModel = probe.header.deviceName(0);
    facts.process = std::string(processInStem(traceStem(file.path)));
    if (facts.process.empty())
        facts.process = probe.process;
    const auto visible = static_cast<int>(probe.header.deviceNames.size());
    facts.gpusPerNode = visible > 1 ? visible : 0;
    facts.firstNs = probe.firstNs;
    facts.start = startOfTrace(probe);
    facts.problem = probe.problem;
    return traceFileOf(file, std::move(facts));
}

std::string unpackedPath(std::string_view path) {
    for (const std::string_view suffix : {".gz", ".zst"}) {
        if (path.ends_with(suffix))
            path.remove_suffix(suffix.size());
    }
    return std::string(path);
}

ImportUnit copyOf(const ImportUnit& original, const SourceFile& copy) {
    ImportUnit unit = original;
    unit.path = copy.path;
    unit.files = {copy.path};
    unit.bytes = copy.size;
    unit.enabled = false;
    unit.notes = {"Left out: " + std::string(namePart(original.path)) + " holds the same trace."};
    return unit;
}

bool isTrace(const SourceTree& tree, const SourceFile& file) {
    constexpr std::size_t kHead = std::size_t{64} << 10;
    return file.problem.empty()
        && sniffTrace(readHead(tree, file.path, kHead).valueOr({}), file.path) > 0;
}

// Folder that the files of one run share.
std::string placeOf(const RunFolders& folders, const std::string& path) {
    return folders.folderOf(path).value_or(traceFileOf({path, 0, {}}, {}).folder);
}

} // namespace

Confidence sniffTrace(std::string_view head, std::string_view /*path*/) {
    const std::size_t start = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (start == std::string_view::npos)
        return 0;
    head.remove_prefix(start);
    if (hasKey(head, "\"traceEvents\""))
        return 95;
    if (head.front() == '[')
        return isArrayOfEvents(head) ? 80 : 0;
    // A large pg_config can push traceEvents behind the head; execution traces have nodes instead.
    const bool hasKinetoMembers = hasKey(head, "\"schemaVersion\"")
        && (hasKey(head, "\"deviceProperties\"") || hasKey(head, "\"distributedInfo\""));
    const bool isExecutionTrace = hasKey(head, "\"nodes\"") || hasKey(head, "\"schema\"");
    return head.front() == '{' && hasKinetoMembers && !isExecutionTrace ? 70 : 0;
}

std::vector<ImportUnit> planTraces(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::string, std::string> originals; // by their unpacked path
    std::vector<TraceFile> files;
    std::vector<SourceFile> copies;
    for (const SourceFile& file : mine) {
        if (originals.try_emplace(unpackedPath(file.path), file.path).second)
            files.push_back(describeTrace(tree, file));
        else
            copies.push_back(file);
    }
    auto units = groupIntoRuns(tree, RunFolders(tree), std::move(files),
        [&tree](const TraceFile& file) { return traceExtent(tree, file.file.path); });
    for (const SourceFile& copy : copies) {
        const auto original = std::find_if(units.begin(), units.end(),
            [path = originals[unpackedPath(copy.path)]](
                const ImportUnit& unit) { return unit.path == path; });
        units.push_back(copyOf(*original, copy));
    }
    return units;
}

std::vector<std::string> otherRanks(const SourceTree& tree, const std::string& path) {
    const RunFolders folders(tree);
    const std::string place = placeOf(folders, path);
    std::vector<SourceFile> files;
    std::copy_if(tree.files().begin(), tree.files().end(), std::back_inserter(files),
        [&](const SourceFile& file) {
            return placeOf(folders, file.path) == place && isTrace(tree, file);
        });
    if (files.size() < 2)
        return {};
    const auto units = planTraces(tree, files);
    const auto own = std::find_if(
        units.begin(), units.end(), [&](const ImportUnit& unit) { return unit.path == path; });
    std::vector<std::string> others;
    for (const ImportUnit& unit : units) {
        const bool isRank = own != units.end() && unit.enabled && unit.rank != own->rank;
        if (isRank && unit.runName == own->runName)
            others.push_back(unit.path);
    }
    return others;
}

} // namespace trainscope::importers::kineto
