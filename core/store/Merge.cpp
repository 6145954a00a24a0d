#include "core/store/Merge.h"

#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/RunNotes.h"
#include "core/store/Writing.h"
#include "core/store/database/FileStart.h"
#include "core/store/database/Schema.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/spans/SpanReader.h"
#include "core/store/tables/Catalogue.h"
#include "core/store/tables/LinkTables.h"
#include "core/store/tables/RecordedNodes.h"
#include "core/store/tables/RunLabels.h"
#include "core/store/tables/Session.h"
#include "core/store/tables/UserTables.h"
#include "core/text/Times.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace trainscope::store {

namespace {

// Of SQLite's file format.
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kIdPlace = 68;
constexpr std::size_t kHeaderBytes = 100;

class Merger {
public:
    Merger(Database& into, const Store& from, const std::function<std::string(const Run&)>& nameOf,
        const Progress& progress)
        : m_into(into)
        , m_from(from)
        , m_nameOf(nameOf)
        , m_progress(progress) { }

    Result<MergeOutcome> merge() {
        ASSIGN_OR_RETURN(const auto runs, m_from.runs());
        for (const Run& run : runs)
            m_runs[run.id] = run;
        ASSIGN_OR_RETURN(m_links, runLinks(m_from));
        ASSIGN_OR_RETURN(const auto sources, m_from.sources());
        for (const Source& source : sources)
            m_bytesTotal += std::max<std::uint64_t>(source.size, 1);
        for (const Source& source : sources) {
            RETURN_IF_ERROR(mergeReadable(source));
            m_bytesDone += std::max<std::uint64_t>(source.size, 1);
        }
        RETURN_IF_ERROR(copyWords());
        RETURN_IF_ERROR(orderNodes());
        return std::move(m_outcome);
    }

private:
    // A source that the other database has lost is left out, so that the rest is saved.
    Status mergeReadable(const Source& source) {
        const auto merged = m_merged;
        const auto outcome = m_outcome;
        ASSIGN_OR_RETURN(const bool wouldEmpty, wouldEmptyWhatIsThere(source));
        if (wouldEmpty) {
            m_outcome.remarks.push_back("The source " + source.path
                + " was left out, because it belongs to no run; what is there of it stays.");
            return {};
        }
        const Status status = mergeSource(source);
        if (status.hasValue() || status.error().code != ErrorCode::Unreadable
            || status.error().where != m_from.path().string())
            return status;
        m_session.reset();
        m_merged = merged;
        m_outcome = outcome;
        m_outcome.remarks.push_back("The source " + source.path
            + " was left out, because what was read from it is damaged; import it again.");
        return {};
    }

    [[nodiscard]] Result<bool> wouldEmptyWhatIsThere(const Source& source) const {
        if (!source.runs.empty())
            return false;
        ASSIGN_OR_RETURN(const auto runs,
            m_into.number("SELECT count(*) FROM source_run WHERE source IN (SELECT id FROM source "
                          "WHERE path=?)",
                source.path));
        return runs > 0;
    }

    Status mergeSource(const Source& source) {
        m_session = std::make_unique<Session>(
            m_into, SourceDescription{source.path, source.size, source.hash, {}}, [] {});
        m_names.clear();
        RETURN_IF_ERROR(m_session->begin());
        for (const RunId id : source.runs) {
            const auto run = m_runs.find(id);
            if (run == m_runs.end())
                return Error{ErrorCode::Unreadable,
                    "The database is damaged: a source of it belongs to a run that is not there.",
                    m_from.path().string()};
            RETURN_IF_ERROR(mergeRun(source, run->second));
        }
        RETURN_IF_ERROR(m_session->finish(source.report, source.hash, source.size, m_progress));
        m_session.reset();
        ++m_outcome.sources;
        return {};
    }

    Status mergeRun(const Source& source, Run run) {
        const RunId old = run.id;
        run.name = m_nameOf(run);
        ASSIGN_OR_RETURN(const auto id, m_session->run(run));
        m_merged[old] = id;
        if (std::find(m_outcome.runs.begin(), m_outcome.runs.end(), run.name)
            == m_outcome.runs.end())
            m_outcome.runs.push_back(run.name);
        RETURN_IF_ERROR(copyGpus(source.id, old, id));
        RETURN_IF_ERROR(copySeries(source.id, old, id));
        RETURN_IF_ERROR(copyTracks(source.id, old, id));
        return copyIterations(source.id, old, id);
    }

    Status copyGpus(SourceId source, RunId old, RunId id) {
        ASSIGN_OR_RETURN(const auto gpus, gpusOf(database(), source, old));
        for (const Gpu& gpu : gpus)
            RETURN_IF_ERROR(m_session->gpu(id, gpu));
        return {};
    }

    // A link is copied as one.
    Status copyLink(RunLink link, RunId old, RunId id) {
        ASSIGN_OR_RETURN(const auto all, m_from.series(old));
        std::vector<SeriesDescription> series;
        TimeRange range = m_runs[old].range;
        for (const Series& one : all) {
            if (one.source != link.source)
                continue;
            series.push_back(one.description);
            range = one.range;
        }
        link.run = id;
        ASSIGN_OR_RETURN(link.source.value, m_into.number("SELECT max(id) FROM source"));
        return addLink(m_into, link, series, range);
    }

    Status copySeries(SourceId source, RunId old, RunId id) {
        const auto link = std::find_if(m_links.begin(), m_links.end(),
            [source](const RunLink& one) { return one.source == source; });
        if (link != m_links.end())
            return copyLink(*link, old, id);
        ASSIGN_OR_RETURN(const auto all, m_from.series(old));
        for (const Series& series : all) {
            if (series.source != source)
                continue;
            ASSIGN_OR_RETURN(const auto to, m_session->series(id, series.description));
            RETURN_IF_ERROR(copySamples(series, to));
        }
        return {};
    }

    Status copySamples(const Series& series, SeriesId to) {
        SampleReader reader(database(), series.id);
        std::vector<TimeNs> times;
        Status copied;
        RETURN_IF_ERROR(reader.forEach(0, series.count, [&](auto ns, auto values) {
            times.clear();
            for (const std::int64_t time : ns)
                times.push_back({time});
            copied = m_session->samples(to, times, values);
            m_outcome.samples += static_cast<std::int64_t>(times.size());
            if (copied.hasValue() && !goesOn())
                copied = cancelled();
            return copied.hasValue();
        }));
        return copied;
    }

    Status copyTracks(SourceId source, RunId old, RunId id) {
        ASSIGN_OR_RETURN(const auto all, m_from.tracks(old));
        for (const Track& track : all) {
            if (track.source != source)
                continue;
            ASSIGN_OR_RETURN(const auto to, m_session->track(id, track.description));
            RETURN_IF_ERROR(copySpans(track.id, to));
        }
        return {};
    }

    Status copySpans(TrackId from, TrackId to) {
        SpanStream stream(database(), from, kAllTime);
        std::vector<Span> renamed;
        while (true) {
            ASSIGN_OR_RETURN(const auto spans, stream.next());
            if (spans.empty())
                return {};
            renamed.assign(spans.begin(), spans.end());
            for (Span& span : renamed) {
                ASSIGN_OR_RETURN(span.name, nameOf(span.name));
                ASSIGN_OR_RETURN(span.detail, nameOf(span.detail));
            }
            RETURN_IF_ERROR(m_session->spans(to, renamed));
            m_outcome.spans += static_cast<std::int64_t>(renamed.size());
            if (!goesOn())
                return cancelled();
        }
    }

    Result<NameId> nameOf(NameId old) {
        if (!old.isValid())
            return old;
        if (const auto known = m_names.find(old); known != m_names.end())
            return known->second;
        ASSIGN_OR_RETURN(const auto text, m_from.name(old));
        ASSIGN_OR_RETURN(const auto id, m_session->intern(text));
        m_names[old] = id;
        return id;
    }

    Status copyIterations(SourceId source, RunId old, RunId id) {
        ASSIGN_OR_RETURN(const auto all, iterationsOf(database(), source, old));
        for (const Iteration& iteration : all)
            RETURN_IF_ERROR(m_session->iteration(id, iteration));
        return {};
    }

    // What people said.
    Status copyWords() {
        ASSIGN_OR_RETURN(const auto labels, runLabels(m_from));
        for (const RunLabels& said : labels)
            RETURN_IF_ERROR(copyLabels(said));
        for (const auto& [old, id] : m_merged) {
            ASSIGN_OR_RETURN(const auto layout, m_from.enteredLayout(old));
            ASSIGN_OR_RETURN(const auto layoutThere, readEnteredLayout(m_into, id));
            if (layout && !layoutThere)
                RETURN_IF_ERROR(writeEnteredLayout(m_into, id, layout));
            ASSIGN_OR_RETURN(const auto machine, m_from.machine(old));
            ASSIGN_OR_RETURN(const auto machineThere, readMachine(m_into, id));
            if (machine && !machineThere)
                RETURN_IF_ERROR(writeMachine(m_into, id, machine));
            ASSIGN_OR_RETURN(const auto airflow, m_from.airflow(old));
            ASSIGN_OR_RETURN(const auto airflowThere, readAirflow(m_into, id));
            if (!airflow.empty() && airflowThere.empty())
                RETURN_IF_ERROR(writeAirflow(m_into, id, airflow));
        }
        return {};
    }

    Status copyLabels(const RunLabels& said) {
        const auto merged = m_merged.find(said.run);
        if (merged == m_merged.end())
            return {};
        ASSIGN_OR_RETURN(const auto labels, readLabels(m_into));
        const auto there = std::find_if(labels.begin(), labels.end(),
            [&](const RunLabels& other) { return other.run == merged->second; });
        std::vector<std::string> tags = said.tags;
        if (there != labels.end())
            tags.insert(tags.end(), there->tags.begin(), there->tags.end());
        RETURN_IF_ERROR(writeTags(m_into, merged->second, tags));
        const bool hasNote = there != labels.end() && !there->note.empty();
        return hasNote || said.note.empty() ? Status()
                                            : writeNote(m_into, merged->second, said.note);
    }

    Status orderNodes() {
        std::set<RunId> runs;
        for (const auto& [old, id] : m_merged)
            runs.insert(id);
        for (const RunId run : runs) {
            ASSIGN_OR_RETURN(const auto words, orderRecordedNodes(m_into, run));
            if (!words.empty())
                m_outcome.remarks.push_back(
                    "Nothing numbers the nodes of this job (--node, or a launcher): they are "
                    "ordered by the names of their hosts; "
                    + words + ".");
        }
        return {};
    }

    [[nodiscard]] Database& database() const { return m_from.connection().database; }
    [[nodiscard]] bool goesOn() const {
        return !m_progress || m_progress({"Merging", m_bytesDone, m_bytesTotal});
    }

    Database& m_into;
    const Store& m_from;
    const std::function<std::string(const Run&)>& m_nameOf;
    const Progress& m_progress;
    std::map<RunId, Run> m_runs; // of `from`
    std::vector<RunLink> m_links; // likewise
    std::map<RunId, RunId> m_merged;
    std::unique_ptr<Session> m_session;
    std::unordered_map<NameId, NameId> m_names; // of the session
    std::uint64_t m_bytesDone = 0;
    std::uint64_t m_bytesTotal = 0;
    MergeOutcome m_outcome;
};

// The job that a recorder says a run is of.
Result<std::map<RunId, std::string>> jobsOf(const Store& store) {
    std::map<RunId, std::string> jobs;
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    for (const Source& source : sources) {
        const auto job = source.report.facts.find("job");
        for (const RunId run : source.runs) {
            if (job != source.report.facts.end())
                jobs.try_emplace(run, job->second);
        }
    }
    return jobs;
}

} // namespace

bool isRunDatabase(const std::filesystem::path& path) {
    std::error_code failure;
    std::array<std::uint8_t, kHeaderBytes> header{};
    if (!std::filesystem::is_regular_file(path, failure)
        || readStart(path, header).valueOr(0) < header.size())
        return false;
    std::uint32_t id = 0; // big-endian
    for (std::size_t i = 0; i < sizeof id; ++i)
        id = id << 8U | header[kIdPlace + i];
    return std::equal(kMagic.begin(), kMagic.end(), header.begin())
        && id == static_cast<std::uint32_t>(kApplicationId);
}

Result<std::function<std::string(const Run&)>> joinByJob(const Store& into, const Store& from) {
    ASSIGN_OR_RETURN(const auto jobsThere, jobsOf(into));
    ASSIGN_OR_RETURN(const auto jobs, jobsOf(from));
    ASSIGN_OR_RETURN(const auto there, into.runs());
    return std::function<std::string(const Run&)>([jobsThere, jobs, there](const Run& run) {
        const auto job = jobs.find(run.id);
        if (job == jobs.end())
            return run.name;
        std::string name = run.name;
        for (const Run& other : there) {
            const auto otherJob = jobsThere.find(other.id);
            if (otherJob == jobsThere.end() || otherJob->second != job->second)
                continue;
            if (other.range.overlaps(run.range))
                return other.name;
            // The job was recorded twice.
            if (other.name == name)
                name += " " + text::moment(run.range.begin);
        }
        return name;
    });
}

Result<MergeOutcome> mergeInto(Store& into, const Store& from,
    const std::function<std::string(const Run&)>& nameOf, const Progress& progress) {
    Connection& connection = into.connection();
    RETURN_IF_ERROR(requireWritable(connection));
    if (into.uuid() == from.uuid())
        return Error{
            ErrorCode::Usage, "A database cannot be merged into itself.", into.path().string()};
    MergeOutcome outcome;
    const ReadSnapshot snapshot(from.connection().database); // a recorder may be writing to it
    RETURN_IF_ERROR(connection.call([&](Database& database) {
        return database.transaction([&]() -> Status {
            ASSIGN_OR_RETURN(outcome, Merger(database, from, nameOf, progress).merge());
            return {};
        });
    }));
    return outcome;
}

} // namespace trainscope::store
