#include "importers/flightrecorder/FlightImporter.h"

#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/NodeValues.h"
#include "importers/common/RunFolders.h"
#include "importers/flightrecorder/FlightDump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace trainscope::importers::flightrecorder {

namespace {

constexpr Confidence kSureOfDump = 91;

std::string_view stemOf(std::string_view path) {
    std::string_view name = namePart(path);
    for (const std::string_view ending : {".gz", ".zst", ".json", ".txt"}) {
        if (name.size() > ending.size() && name.ends_with(ending))
            name.remove_suffix(ending.size());
    }
    return name;
}

// Dumps are called by their rank: "nccl_trace_rank_3", "3".
std::optional<int> rankByName(std::string_view stem) {
    const auto end = stem.find_last_of("0123456789");
    if (end == std::string_view::npos || end + 1 != stem.size())
        return std::nullopt;
    const auto before = stem.find_last_not_of("0123456789");
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    int rank = 0;
    const auto parsed = std::from_chars(stem.data() + begin, stem.data() + stem.size(), rank);
    constexpr int kMostRanks = 1 << 20;
    return parsed.ec == std::errc() && rank < kMostRanks ? std::optional(rank) : std::nullopt;
}

ImportUnit unitOf(const SourceTree& tree, const SourceFile& source) {
    ImportUnit unit;
    unit.path = source.path;
    unit.files = {source.path};
    unit.bytes = source.size;
    unit.clock = ClockKind::Utc;
    unit.rank = rankByName(stemOf(source.path));
    const auto ignore = [](const FlightEntry&, const FlightHeader&) { return Status(); };
    if (const auto dump = readFlightDump(tree, source.path, ignore, {}); dump.hasValue()) {
        if (dump.value().header.rank)
            unit.rank = dump.value().header.rank;
        for (const auto& group : dump.value().header.groups)
            unit.worldSize = std::max(unit.worldSize, group.ranks.back() + 1);
    }
    unit.summary = fmt::format("flight recorder, rank {}", unit.rank.value_or(0));
    return unit;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<ImportUnit> units;
    std::map<std::string, std::set<std::optional<int>>> ranks; // by folder
    std::map<std::string, std::size_t> files;
    for (const SourceFile& source : mine) {
        units.push_back(unitOf(tree, source));
        const std::string folder(folderPart(source.path));
        ranks[folder].insert(units.back().rank);
        ++files[folder];
    }
    const RunFolders folders(tree);
    for (ImportUnit& unit : units) {
        const std::string folder(folderPart(unit.path));
        const bool isOneRun = files[folder] > 1 && ranks[folder].size() == files[folder];
        const std::string stem(stemOf(unit.path));
        unit.runName = isOneRun ? folders.nameOf(folder)
            : folder.empty()    ? stem
                                : folder + "/" + stem;
    }
    return units;
}

class DumpImport {
public:
    DumpImport(const ImportUnit& unit, Sink& sink)
        : m_unit(unit)
        , m_sink(sink) { }

    Status take(const FlightEntry& entry, const FlightHeader& header) {
        ++m_report.rows;
        ++m_report.counts["state: " + (entry.state.empty() ? "not said" : entry.state)];
        for (const auto& time : {std::optional(entry.created), entry.started, entry.completed}) {
            if (time)
                m_last = std::max(m_last, *time);
        }
        Held held;
        ASSIGN_OR_RETURN(
            held.span.name, m_sink.intern(entry.name.empty() ? "collective" : entry.name));
        ASSIGN_OR_RETURN(held.span.detail, m_sink.intern(detailOf(entry, header)));
        held.span.kind = SpanKind::Other;
        held.span.start = entry.started.value_or(entry.created);
        if (entry.completed && *entry.completed >= held.span.start)
            held.span.duration = *entry.completed - held.span.start;
        else if (entry.durationNs)
            held.span.duration = {*entry.durationNs};
        else
            held.isOpen = entry.state != "completed";
        m_tracks[entry.group].push_back(held);
        return {};
    }

    Result<ImportReport> finish(const FlightDump& dump) {
        Run run;
        run.name = m_unit.runName;
        run.worldSize = m_unit.worldSize;
        if (!dump.problem.empty())
            run.status = RunStatus::Partial;
        ASSIGN_OR_RETURN(const auto id, m_sink.run(run));
        for (auto& [group, held] : m_tracks)
            RETURN_IF_ERROR(writeTrack(id, group, held, dump.header));
        m_report.importer = "flightrecorder 1";
        m_report.bytes = dump.bytes;
        m_report.skipped = dump.broken;
        m_report.ranksExpected = m_unit.worldSize;
        m_report.ranksFound = {m_unit.rank.value_or(0)};
        m_report.facts["version"] = dump.header.version;
        m_report.facts["clock"] = "UTC, the host's unix nanoseconds";
        if (auto text = layout::processGroupsText(dump.header.groups); !text.empty())
            m_report.facts[std::string(layout::kProcessGroupsFact)] = std::move(text);
        if (dump.broken > 0)
            m_report.warn(m_unit.path, 0,
                text::counted(dump.broken, "entry", "entries") + " without a time was left out");
        if (!dump.problem.empty())
            m_report.warn(m_unit.path, 0, dump.problem);
        return std::move(m_report);
    }

private:
    struct Held {
        Span span;
        bool isOpen = false; // ends with the dump
    };

    static std::string detailOf(const FlightEntry& entry, const FlightHeader& header) {
        NodeJson detail{{"State", entry.state}, {"Collective name", entry.collective},
            {"Process Group Name", entry.group}, {"Seq", entry.sequence},
            {"In msg nelems", entry.elements}, {"dtype", entry.dataType}};
        if (entry.isMessage)
            detail["Point to point"] = true;
        if (!entry.inputSizes.empty())
            detail["Input Dims"] = parsedJson(entry.inputSizes);
        if (!entry.outputSizes.empty())
            detail["Output Dims"] = parsedJson(entry.outputSizes);
        for (const auto& group : header.groups) {
            if (group.name != entry.group)
                continue;
            detail["Process Group Description"] = group.description;
            detail["Group size"] = group.ranks.size();
            detail["Process Group Ranks"] = fmt::format("[{}]", fmt::join(group.ranks, ", "));
        }
        return dumpedJson(detail);
    }

    Status writeTrack(
        RunId run, const std::string& group, std::vector<Held>& held, const FlightHeader& header) {
        TrackDescription track;
        track.rank = m_unit.rank.value_or(0);
        track.process = "flight recorder";
        track.thread = group;
        const auto known = std::find_if(header.groups.begin(), header.groups.end(),
            [&group](const auto& one) { return one.name == group; });
        track.name = fmt::format("flight recorder, group {}{}", group,
            known == header.groups.end() || known->description.empty()
                ? ""
                : " (" + known->description + ")");
        std::vector<Span> spans;
        for (Held& one : held) {
            if (one.isOpen)
                one.span.duration = m_last - one.span.start;
            spans.push_back(one.span);
        }
        ASSIGN_OR_RETURN(const auto id, m_sink.track(run, track));
        m_report.spans += static_cast<std::int64_t>(spans.size());
        return m_sink.spans(id, spans);
    }

    const ImportUnit& m_unit;
    Sink& m_sink;
    ImportReport m_report;
    TimeNs m_last;
    std::map<std::string, std::vector<Held>> m_tracks; // by group
};

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    return isFlightDump(head) ? kSureOfDump : 0;
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    DumpImport into(unit, sink);
    ASSIGN_OR_RETURN(const auto dump,
        readFlightDump(
            tree, unit.path,
            [&into](const FlightEntry& entry, const FlightHeader& header) {
                return into.take(entry, header);
            },
            progress));
    return into.finish(dump);
}

} // namespace

const Importer& importer() {
    static constexpr Importer kImporter{
        {"flightrecorder", "flight recorder dump",
            "JSON dumps of PyTorch's flight recorder, one per rank", Joins::OwnRun,
            LaunchSettings::Beside, "\"collective_seq_id\"", "flight recorder dump",
            "flight recorder dumps"},
        sniff, plan, import};
    return kImporter;
}

} // namespace trainscope::importers::flightrecorder
