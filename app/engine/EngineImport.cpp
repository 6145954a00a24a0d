#include "app/engine/EngineImport.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/store/RunLinks.h"
#include "core/store/Writing.h"
#include "core/text/Times.h"
#include "importers/engine/Link.h"
#include "importers/engine/Moments.h"
#include "importers/engine/PartWriter.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace trainscope::app {
namespace {

using namespace importers::engine;

// Entries of an engine's copy among the sources of a database, one per part, and the search for
// parts that are there already.

constexpr std::string_view kRunMark = "&run=";
constexpr std::string_view kNodeMark = "&node=";

std::string selectionOf(const EngineRequest& request) {
    return request.address.shown() + "/?match=" + request.selector.text();
}

std::optional<std::int64_t> numberFact(const ImportReport& report, const char* key) {
    const auto at = report.facts.find(key);
    return at == report.facts.end() ? std::nullopt : wholeNumber<std::int64_t>(at->second);
}

// "prom+http://host:9090/?match={job="dcgm"}&run=job 12": without the node.
std::string sourceBase(const EngineRequest& request, const std::string& runName) {
    return selectionOf(request) + std::string(kRunMark) + runName;
}

std::string sourceOf(const std::string& base, const std::string& node) {
    return base + std::string(kNodeMark) + node;
}

std::string askedText(const EngineRequest& request) {
    const std::string what = request.step
        ? "every " + engineDuration(request.step->ns / text::kMillisecond)
        : std::string("every sample");
    std::string asked = request.from + " to " + request.to + ", " + what;
    const std::string mapping = textOf(request.mapping);
    if (!mapping.empty())
        asked += fmt::format(", mapping {:016x}", XXH3_64bits(mapping.data(), mapping.size()));
    return asked;
}

// Short text that names ranks: equal texts mean the same ranks.
std::string rosterText(const Roster& roster) {
    std::string all;
    for (const std::string& node : roster.nodes())
        all += node + "\n";
    for (const Gpu& gpu : roster.gpus())
        all += fmt::format("{} {} {} {}\n", gpu.rank, gpu.node, gpu.local, gpu.uuid);
    return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

// Facts that all parts of a copy share; kept with each of them.
struct CopyFacts {
    std::string asked; // "-2h to now, every sample"
    TimeRange range;
    std::string roster; // short text that names ranks: equal texts mean the same ranks
    std::size_t parts = 0;

    void write(ImportReport& report) const {
        report.facts["asked"] = asked;
        report.facts["from"] = rfc3339(range.begin);
        report.facts["to"] = rfc3339(range.end);
        report.facts["engine_from_ns"] = std::to_string(range.begin.ns);
        report.facts["engine_to_ns"] = std::to_string(range.end.ns);
        report.facts["engine_roster"] = roster;
        report.facts["engine_parts"] = std::to_string(parts);
    }
    static std::optional<CopyFacts> read(const ImportReport& report) {
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
};

// An earlier call of the same import that has not come to its end.
struct Unfinished {
    CopyFacts facts;
    std::string runName;
    std::set<std::string> complete; // paths of its sources
};

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

// Makes a linked run: the catalogue of an engine in a database, samples left where they are. One
// transaction. `report` is kept with the source, completed.
Status linkEngine(store::Store& store, const EngineRequest& request,
    const importers::engine::Catalogue& catalogue, TimeRange range, const std::string& runName,
    ImportReport& report, const Progress& progress) {
    const std::string source = sourceBase(request, runName);
    ASSIGN_OR_RETURN(const auto session, store::beginImport(store, {source, 0, {}, runName}));
    Run run;
    run.name = runName;
    ASSIGN_OR_RETURN(const RunId id, session->run(run));
    for (const Gpu& gpu : catalogue.roster.gpus()) {
        RETURN_IF_ERROR(session->gpu(id, gpu));
        report.ranksFound.push_back(gpu.rank);
    }
    std::vector<SeriesDescription> series;
    series.reserve(catalogue.channels.size());
    for (const auto& channel : catalogue.channels) {
        series.push_back(channel.description);
        ++report.counts["series:" + channel.description.metric.name];
    }
    auto link
        = importers::engine::linkOf(request.address, {request.selector, range, request.mapping},
            catalogue, importers::engine::isRelative(request.to));
    link.tenant = request.tenant;
    RETURN_IF_ERROR(store::writeLink(
        store, source, {{}, id, request.address.url, textOf(link)}, series, range));
    report.importer += ", linked";
    report.rows = static_cast<std::int64_t>(series.size());
    report.facts["asked"] = askedText(request);
    report.facts["from"] = importers::engine::rfc3339(range.begin);
    report.facts["to"] = importers::engine::rfc3339(range.end);
    report.facts["samples"] = "in the engine; asked for what is shown";
    return session->finish(report, {}, catalogue.wireBytes, progress);
}

constexpr const char* kImporter = "engine 1";
constexpr std::size_t kNamesListed = 30;

// Whole milliseconds, which is what engines count in.
Result<TimeRange> rangeOf(const EngineRequest& request, TimeNs now) {
    ASSIGN_OR_RETURN(const auto from, momentFrom(request.from, now));
    ASSIGN_OR_RETURN(const auto to, momentFrom(request.to, now));
    const TimeRange range{
        {text::floorTo(from.ns, text::kMillisecond)}, {text::floorTo(to.ns, text::kMillisecond)}};
    if (range.isEmpty())
        return usageError("The time is empty: it ends (" + rfc3339(range.end)
            + ") before it begins (" + rfc3339(range.begin) + ").");
    return range;
}

std::string runNameFor(const EngineRequest& request, const Catalogue& catalogue, TimeRange range) {
    if (!request.runName.empty())
        return request.runName;
    if (catalogue.clusterJobs.size() == 1)
        return "job " + *catalogue.clusterJobs.begin();
    return request.address.host() + " " + text::date(range.begin, 0) + " "
        + text::clock(range.begin, 0, 0);
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesListed); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kNamesListed)
        text += ", and " + std::to_string(names.size() - kNamesListed) + " more";
    return text;
}

class EngineCopier {
public:
    EngineCopier(Fetcher& fetcher, EngineRequest request, store::Store& store,
        const EngineListener& listener)
        : m_fetcher(fetcher)
        , m_request(std::move(request))
        , m_store(store)
        , m_listener(listener) { }

    Result<EngineOutcome> run(TimeNs now) {
        ASSIGN_OR_RETURN(m_range, rangeOf(m_request, now));
        std::optional<Unfinished> earlier;
        if (!m_request.isLinked) {
            ASSIGN_OR_RETURN(earlier, unfinishedCopy(m_store, m_request));
            if (earlier)
                m_range = earlier->facts.range;
        }
        ASSIGN_OR_RETURN(m_catalogue,
            readCatalogue(m_fetcher, {m_request.selector, m_range, m_request.mapping},
                [this](
                    const ProgressState& state) { return tell(std::string(state.phase), 0.0); }));
        m_outcome.runName
            = earlier ? earlier->runName : runNameFor(m_request, m_catalogue, m_range);
        m_outcome.source = sourceBase(m_request, m_outcome.runName);
        m_outcome.range = m_range;
        m_outcome.nodes = m_catalogue.roster.nodes().size();
        m_outcome.gpus = m_catalogue.roster.gpus().size();
        if (m_request.isLinked) {
            RETURN_IF_ERROR(link());
            return std::move(m_outcome);
        }
        RETURN_IF_ERROR(copy(earlier));
        return std::move(m_outcome);
    }

private:
    bool tell(std::string phase, double fraction) {
        return !m_listener || m_listener({std::move(phase), fraction, m_wireBytes, m_samples});
    }

    Status link() {
        ImportReport report;
        describe(report);
        const auto progress
            = [this](const ProgressState& state) { return tell(std::string(state.phase), 0.9); };
        RETURN_IF_ERROR(linkEngine(
            m_store, m_request, m_catalogue, m_range, m_outcome.runName, report, progress));
        m_outcome.report = std::move(report);
        m_outcome.parts = m_outcome.partsDone = 1;
        return {};
    }

    void describe(ImportReport& report) const {
        report.importer = kImporter;
        report.facts["engine"] = m_request.address.shown();
        report.facts["selection"] = m_request.selector.text();
        report.facts["clock"] = "UTC, of whoever scraped";
        if (!m_catalogue.unknownNames.empty())
            report.facts["metrics_without_meaning"] = listed(m_catalogue.unknownNames);
        if (!m_catalogue.doubled.empty())
            report.facts["metrics_measured_better_by_another"] = listed(m_catalogue.doubled);
        if (!m_catalogue.jobs.empty())
            report.facts["scraped_by"] = listed({m_catalogue.jobs.begin(), m_catalogue.jobs.end()});
        if (m_catalogue.parts > 0)
            report.counts["series_of_parts_of_gpus_left_out"] = m_catalogue.parts;
    }

    Status copy(const std::optional<Unfinished>& earlier) {
        const std::string roster = rosterText(m_catalogue.roster);
        std::vector<Part> parts = partsOf(m_catalogue);
        m_facts = {askedText(m_request), m_range, roster, parts.size()};
        m_outcome.parts = parts.size();
        const bool goesOn = earlier && earlier->facts.roster == roster;
        if (goesOn) {
            m_outcome.partsKept = std::erase_if(parts, [&](const Part& part) {
                return earlier->complete.contains(sourceOf(m_outcome.source, part.name));
            });
        }
        const CopyRequest request{
            m_request.selector, m_range, m_request.step, m_request.questionsAtOnce};
        SliceFeed feed(m_fetcher, request, parts);
        for (const Part& part : parts) {
            const Status status = copyPart(feed, part, parts.size());
            if (status.hasValue()) {
                ++m_outcome.partsDone;
                continue;
            }
            if (m_outcome.partsDone + m_outcome.partsKept == 0)
                return status;
            m_outcome.error = status.error();
            break;
        }
        return {};
    }

    Status copyPart(SliceFeed& feed, const Part& part, std::size_t parts) {
        const std::string source = sourceOf(m_outcome.source, part.name);
        ASSIGN_OR_RETURN(
            const auto session, store::beginImport(m_store, {source, 0, {}, m_outcome.runName}));
        ASSIGN_OR_RETURN(const RunId run, describeRun(*session, part));
        PartWriter writer(m_catalogue, m_request.mapping, part, *session, run);
        const std::string phase = "Copying " + part.name;
        const auto before = static_cast<double>(m_outcome.partsDone);
        double inPart = 0.0;
        const auto fraction = [&] {
            return (before + inPart) / static_cast<double>(std::max<std::size_t>(1, parts));
        };
        const IsCancelled isCancelled = [&] { return !tell(phase, fraction()); };
        for (bool isLast = false; !isLast;) {
            ASSIGN_OR_RETURN(const auto slice, feed.next(isCancelled));
            if (!slice)
                return Error{ErrorCode::Internal, "The copy has lost a part.", source};
            RETURN_IF_ERROR(writer.add(*slice));
            m_wireBytes += slice->wireBytes;
            for (const AnsweredSeries& series : slice->series)
                m_samples += static_cast<std::int64_t>(series.times.size());
            isLast = slice->endsPart;
            inPart = static_cast<double>((slice->range.end - m_range.begin).ns)
                / static_cast<double>(m_range.length().ns);
        }
        ImportReport report = writer.report(source);
        describe(report);
        m_facts.write(report);
        report.facts["sampling"] = m_request.step
            ? "the last sample of every " + engineDuration(m_request.step->ns / text::kMillisecond)
            : "every sample";
        RETURN_IF_ERROR(session->finish(report, {}, report.bytes, [&](const ProgressState& state) {
            return tell(std::string(state.phase), fraction());
        }));
        m_outcome.report.importer = report.importer;
        m_outcome.report.add(report);
        return {};
    }

    Result<RunId> describeRun(Sink& sink, const Part& part) {
        Run run;
        run.name = m_outcome.runName;
        ASSIGN_OR_RETURN(const RunId id, sink.run(run));
        const auto& nodes = m_catalogue.roster.nodes();
        const auto node = std::ranges::find(nodes, part.name) - nodes.begin();
        for (const Gpu& gpu : m_catalogue.roster.gpus()) {
            if (gpu.node == static_cast<int>(node))
                RETURN_IF_ERROR(sink.gpu(id, gpu));
        }
        return id;
    }

    Fetcher& m_fetcher;
    EngineRequest m_request;
    store::Store& m_store;
    const EngineListener& m_listener;
    TimeRange m_range;
    Catalogue m_catalogue;
    CopyFacts m_facts;
    EngineOutcome m_outcome;
    std::uint64_t m_wireBytes = 0;
    std::int64_t m_samples = 0;
};

} // namespace

Result<EngineOutcome> importEngine(Fetcher& fetcher, const EngineRequest& request,
    const std::filesystem::path& database, TimeNs now, const EngineListener& listener) {
    const store::NewDatabase made(database);
    ASSIGN_OR_RETURN(auto store, store::Store::openOrCreate(database));
    return EngineCopier(fetcher, request, store, listener).run(now);
}

} // namespace trainscope::app
