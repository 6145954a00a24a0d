#include "core/store/Merge.h"

#include "core/model/Gather.h"
#include "core/model/HarmlessText.h"
#include "core/store/Connection.h"
#include "core/store/RunLinks.h"
#include "core/store/RunNotes.h"
#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/maintenance/Maintenance.h"
#include "core/store/tables/Catalogue.h"
#include "core/store/tables/Session.h"
#include "core/store/tables/SourceTables.h"
#include "core/store/tables/StoredJson.h"
#include "core/text/Times.h"

namespace trainscope::store {
namespace {

// Sources that come from another database: which of those that are there one of them replaces. The
// same path alone says nothing, since every node has its /var/log/dcgm.csv.

struct MergedPlace {
    std::string path; // its own, or one beside what only has the same path: "smi.csv (2)"
    std::vector<SourceId> earlier; // replaced by it
};

constexpr const char* kOriginFact = "merged from";

struct Kept {
    SourceId id;
    std::string hash;
    std::string origin;
};

Result<bool> isOfNoOtherRun(Database& database, SourceId source, const std::vector<RunId>& runs) {
    bool isOfOther = false;
    RETURN_IF_ERROR(database.forEach(
        "SELECT run FROM source_run WHERE source=?",
        [&](const Row& row) {
            const RunId run{row.integer(0)};
            isOfOther |= std::ranges::find(runs, run) == runs.end();
        },
        source.value));
    return !isOfOther;
}

// Path and database where the source was imported, whatever it was merged into since; `uuid`: of
// the database that has it.
std::string originOf(const ImportReport& report, const std::string& path, const std::string& uuid) {
    const auto said = report.facts.find(kOriginFact);
    return said != report.facts.end() ? said->second : path + " of the database " + uuid;
}

// A source is replaced by one of the same path that has the same contents or origin, and only where
// no run but `runs`, which the source is of, loses anything.
// `uuid`: of `into`.
Result<MergedPlace> placeFor(Database& into, const std::string& uuid, const Source& source,
    const std::string& origin, const std::vector<RunId>& runs) {
    MergedPlace place{source.path, {}};
    for (int number = 2;; ++number) {
        ASSIGN_OR_RETURN(const auto there,
            into.rows(
                "SELECT id, hash, report FROM source WHERE path=?",
                [&](const Row& row) {
                    return Kept{{row.integer(0)}, row.string(1),
                        originOf(reportFromJson(row.text(2)), place.path, uuid)};
                },
                place.path));
        for (const Kept& kept : there) {
            // Recordings have no hash, and a path that no two share.
            const bool isSame = kept.hash == source.hash || kept.origin == origin;
            ASSIGN_OR_RETURN(const bool isFree, isOfNoOtherRun(into, kept.id, runs));
            if (isSame && isFree)
                place.earlier.push_back(kept.id);
        }
        if (there.empty() || !place.earlier.empty())
            return place;
        place.path = source.path + " (" + std::to_string(number) + ")";
    }
}

// Merges what people entered in a database into another: tags, notes, layouts, machines and saved
// comparisons. Nothing that is there already is lost or entered twice.

constexpr const char* kBetweenNotes = "\n\n";

bool contains(const std::string& notes, const std::string& note) {
    const std::string framed = kBetweenNotes + notes + kBetweenNotes;
    return framed.find(kBetweenNotes + note + kBetweenNotes) != std::string::npos;
}

std::string joined(const std::string& there, const std::string& said) {
    if (there.empty() || contains(said, there))
        return said;
    return said.empty() || contains(there, said) ? there : there + kBetweenNotes + said;
}

Status mergeLabels(Store& into, RunId run, const RunLabels& said) {
    ASSIGN_OR_RETURN(const auto labels, runLabels(into));
    const auto there = std::ranges::find(labels, run, &RunLabels::run);
    RunLabels all = there != labels.end() ? *there : RunLabels{};
    all.tags.insert(all.tags.end(), said.tags.begin(), said.tags.end());
    RETURN_IF_ERROR(setTags(into, run, all.tags));
    return setNote(into, run, joined(all.note, said.note));
}

// Merges layout, machine and airflow where `into` has none.
Status mergeEntered(Store& into, RunId run, const Store& from, RunId old) {
    ASSIGN_OR_RETURN(const auto layout, from.enteredLayout(old));
    ASSIGN_OR_RETURN(const auto layoutThere, into.enteredLayout(run));
    if (layout && !layoutThere)
        RETURN_IF_ERROR(setEnteredLayout(into, run, layout));
    ASSIGN_OR_RETURN(const auto machine, from.machine(old));
    ASSIGN_OR_RETURN(const auto machineThere, into.machine(run));
    if (machine && !machineThere)
        RETURN_IF_ERROR(setMachine(into, run, machine));
    ASSIGN_OR_RETURN(const auto airflow, from.airflow(old));
    ASSIGN_OR_RETURN(const auto airflowThere, into.airflow(run));
    return airflow.empty() || !airflowThere.empty() ? Status() : setAirflow(into, run, airflow);
}

Status mergeComparison(
    Store& into, const SavedComparison& saved, std::vector<std::string>& remarks) {
    ASSIGN_OR_RETURN(const auto all, into.comparisons());
    std::string name = saved.name;
    for (int number = 2;; ++number) {
        const auto there = std::ranges::find(all, name, &SavedComparison::name);
        if (there != all.end() && there->spec == saved.spec)
            return {};
        if (there == all.end())
            break;
        name = saved.name + " (" + std::to_string(number) + ")";
    }
    if (name != saved.name)
        remarks.push_back("Another comparison is already named \"" + saved.name
            + "\"; the one that was merged is named \"" + name + "\" here.");
    return saveComparison(into, name, saved.spec);
}

// `merged`: which run of `into` each run of `from` has become. Adds to `remarks`, for people.
// Within the caller's transaction.
Status mergeWords(Store& into, const Store& from, const std::map<RunId, RunId>& merged,
    std::vector<std::string>& remarks) {
    ASSIGN_OR_RETURN(const auto labels, runLabels(from));
    for (const RunLabels& said : labels) {
        if (const auto run = merged.find(said.run); run != merged.end())
            RETURN_IF_ERROR(mergeLabels(into, run->second, said));
    }
    for (const auto& [old, run] : merged)
        RETURN_IF_ERROR(mergeEntered(into, run, from, old));
    ASSIGN_OR_RETURN(const auto comparisons, from.comparisons());
    for (const SavedComparison& saved : comparisons)
        RETURN_IF_ERROR(mergeComparison(into, saved, remarks));
    return {};
}

// Reading a source that may be damaged.

std::string ofRank(const std::string& name, int rank) {
    return rank < 0 ? name : name + " of rank " + std::to_string(rank);
}

// True where the status says that `database` is damaged.
bool isLoss(const Database& database, const Status& status) {
    return !status.hasValue() && status.error().code == ErrorCode::Unreadable
        && status.error().where == database.shownPath();
}

class Merger {
public:
    Merger(Store& into, const Store& from, const std::function<std::string(const Run&)>& nameOf,
        const Progress& progress)
        : m_store(into)
        , m_into(into.connection().database)
        , m_from(from)
        , m_nameOf(nameOf)
        , m_progress(progress) { }

    Result<MergeOutcome> merge() {
        ASSIGN_OR_RETURN(const auto runs, m_from.runs());
        for (const Run& run : runs)
            m_runs[run.id] = run;
        RETURN_IF_ERROR(m_into.forEach("SELECT id FROM run",
            [this](const Row& row) { m_runsThere.insert(RunId{row.integer(0)}); }));
        ASSIGN_OR_RETURN(m_links, runLinks(m_from));
        ASSIGN_OR_RETURN(const auto sources, m_from.sources());
        for (const Source& source : sources)
            m_bytesTotal += std::max<std::uint64_t>(source.size, 1);
        for (const Source& source : sources) {
            RETURN_IF_ERROR(mergeOrLeaveOut(source));
            m_bytesDone += std::max<std::uint64_t>(source.size, 1);
        }
        for (const RunId run : m_touched)
            RETURN_IF_ERROR(refreshRun(m_into, run));
        RETURN_IF_ERROR(mergeWords(m_store, m_from, m_merged, m_outcome.remarks));
        for (const auto& [old, id] : m_merged)
            RETURN_IF_ERROR(carryImportedName(m_runs[old], id));
        RETURN_IF_ERROR(orderNodes());
        return std::move(m_outcome);
    }

private:
    // A damaged source is left out as a whole; one that is there already stays as it is.
    Status mergeOrLeaveOut(const Source& source) {
        ASSIGN_OR_RETURN(const auto place, placeOf(source));
        const auto merged = m_merged;
        const auto outcome = m_outcome;
        m_part.clear();
        Status status = mergeSource(source, place);
        if (!isLoss(database(), status))
            return status;
        m_session.reset();
        m_merged = merged;
        m_outcome = outcome;
        ++m_outcome.lost;
        m_outcome.remarks.push_back("The source " + source.path + " was left out, because "
            + (m_part.empty() ? "what was read from it" : m_part)
            + " is damaged; import it again.");
        return {};
    }

    Result<MergedPlace> placeOf(const Source& source) {
        std::vector<RunId> runs; // those that are there
        for (const RunId old : source.runs) {
            const auto run = m_runs.find(old);
            if (run == m_runs.end())
                continue;
            ASSIGN_OR_RETURN(
                const auto there, findRunNamed(m_into, harmless(m_nameOf(run->second))));
            if (there.isValid())
                runs.push_back(there);
        }
        return placeFor(m_into, m_store.uuid(), source,
            originOf(source.report, source.path, m_from.uuid()), runs);
    }

    Status mergeSource(const Source& source, const MergedPlace& place) {
        ImportReport report = source.report;
        // Kept with the source, so that the next merge of it is recognised.
        report.facts[kOriginFact] = originOf(source.report, source.path, m_from.uuid());
        m_session = std::make_unique<Session>(
            m_into, SourceDescription{place.path, source.size, source.hash, {}}, [] {});
        m_path = place.path;
        m_names.clear();
        RETURN_IF_ERROR(m_session->beginInPlaceOf(place.earlier));
        for (const RunId id : source.runs) {
            const auto run = m_runs.find(id);
            if (run == m_runs.end())
                return Error{ErrorCode::Unreadable,
                    "The database is damaged: a source of it belongs to a run that is not there.",
                    m_from.path().string()};
            RETURN_IF_ERROR(mergeRun(source, run->second));
        }
        if (place.path != source.path && place.earlier.empty())
            m_outcome.remarks.push_back("The source " + source.path
                + " is there already, in another run or with other contents. Both are kept, this "
                  "one as "
                + place.path + ".");
        RETURN_IF_ERROR(m_session->finish(report, source.hash, source.size, m_progress));
        m_touched.insert(m_session->touched().begin(), m_session->touched().end());
        m_session.reset();
        ++m_outcome.sources;
        return {};
    }

    // With what this source says of the run; what others say, or is guessed, is not its own.
    Status mergeRun(const Source& source, const Run& run) {
        const RunId old = run.id;
        ASSIGN_OR_RETURN(const auto said, readFacts(database(), source.id, old));
        Run facts = said.value_or(Run{});
        facts.name = m_nameOf(run);
        ASSIGN_OR_RETURN(const auto id, m_session->run(facts));
        m_merged[old] = id;
        if (std::ranges::find(m_outcome.runs, facts.name) == m_outcome.runs.end())
            m_outcome.runs.push_back(facts.name);
        RETURN_IF_ERROR(copyGpus(source.id, old, id));
        RETURN_IF_ERROR(copySeries(source.id, old, id));
        RETURN_IF_ERROR(copyTracks(source.id, old, id));
        return copyStretches(source.id, old, id);
    }

    Status copyGpus(SourceId source, RunId old, RunId id) {
        ASSIGN_OR_RETURN(const auto gpus, readGpus(database(), old, source));
        for (const Gpu& gpu : gpus)
            RETURN_IF_ERROR(m_session->gpu(id, gpu));
        return {};
    }

    // A link is copied as one.
    Status copyLink(RunLink link, RunId old, RunId id) {
        ASSIGN_OR_RETURN(const auto all, readSeries(database(), old, link.source));
        std::vector<SeriesDescription> series;
        TimeRange range = m_runs[old].range;
        for (const Series& one : all) {
            series.push_back(one.description);
            range = one.range;
        }
        link.run = id;
        return writeLink(m_store, m_path, link, series, range);
    }

    Status copySeries(SourceId source, RunId old, RunId id) {
        const auto link = std::ranges::find(m_links, source, &RunLink::source);
        if (link != m_links.end())
            return copyLink(*link, old, id);
        ASSIGN_OR_RETURN(const auto all, readSeries(database(), old, source));
        for (const Series& series : all) {
            const SeriesDescription& said = series.description;
            m_part = ofRank(said.metric.name, said.subject.rank);
            ASSIGN_OR_RETURN(const auto to, m_session->series(id, series.description));
            RETURN_IF_ERROR(copySamples(series, to));
        }
        return {};
    }

    Status copySamples(const Series& series, SeriesId to) {
        std::vector<TimeNs> times;
        return readAll(database(), series, [&](auto ns, auto values) -> Status {
            times.clear();
            for (const std::int64_t time : ns)
                times.push_back({time});
            m_outcome.samples += static_cast<std::int64_t>(times.size());
            RETURN_IF_ERROR(m_session->samples(to, times, values));
            return goesOn() ? Status() : Status(cancelled());
        });
    }

    Status copyTracks(SourceId source, RunId old, RunId id) {
        ASSIGN_OR_RETURN(const auto all, readTracks(database(), old, source));
        for (const Track& track : all) {
            m_part = ofRank(track.description.name, track.description.rank);
            ASSIGN_OR_RETURN(const auto to, m_session->track(id, track.description));
            RETURN_IF_ERROR(copySpans(track, to));
        }
        return {};
    }

    Status copySpans(const Track& track, TrackId to) {
        std::vector<Span> renamed;
        return readAll(database(), track, [&](std::span<const Span> spans) -> Status {
            renamed.assign(spans.begin(), spans.end());
            for (Span& span : renamed) {
                ASSIGN_OR_RETURN(span.name, nameOf(span.name));
                ASSIGN_OR_RETURN(span.detail, nameOf(span.detail));
            }
            m_outcome.spans += static_cast<std::int64_t>(renamed.size());
            RETURN_IF_ERROR(m_session->spans(to, renamed));
            return goesOn() ? Status() : Status(cancelled());
        });
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

    Status copyStretches(SourceId source, RunId old, RunId id) {
        ASSIGN_OR_RETURN(const auto all, readIterations(database(), old, source));
        for (const Iteration& iteration : all)
            RETURN_IF_ERROR(m_session->iteration(id, iteration));
        ASSIGN_OR_RETURN(const auto captures, readCaptures(database(), old, source));
        for (const Capture& capture : captures)
            RETURN_IF_ERROR(m_session->capture(id, capture));
        return {};
    }

    // By which its sources, when they are imported again, find a run that was renamed.
    Status carryImportedName(const Run& run, RunId id) {
        if (m_runsThere.contains(id) || m_nameOf(run) != run.name)
            return {};
        ASSIGN_OR_RETURN(const auto name,
            database().single(
                "SELECT imported_name FROM run WHERE id=?",
                [](const Row& row) { return row.string(0); }, run.id.value));
        return m_into.execute("UPDATE run SET imported_name=?2 WHERE id=?1 AND NOT EXISTS"
                              " (SELECT 1 FROM run WHERE id<>?1 AND (name=?2 OR imported_name=?2))",
            id.value, name.value_or(run.name));
    }

    Status orderNodes() {
        const std::set<RunId> runs = setOf(m_merged, [](const auto& one) { return one.second; });
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

    Store& m_store; // the store merged into
    Database& m_into; // its database
    const Store& m_from;
    const std::function<std::string(const Run&)>& m_nameOf;
    const Progress& m_progress;
    std::map<RunId, Run> m_runs; // runs of `from`
    std::vector<RunLink> m_links; // links of `from`
    std::set<RunId> m_runsThere; // before
    std::map<RunId, RunId> m_merged;
    std::set<RunId> m_touched; // runs of `into`
    std::string m_path; // path of the source at hand
    std::string m_part; // series or track that is being read
    std::unique_ptr<Session> m_session;
    std::unordered_map<NameId, NameId> m_names; // ids in the session
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

Result<MergeOutcome> mergeInto(Store& into, const Store& from,
    const std::function<std::string(const Run&)>& nameOf, const Progress& progress) {
    RETURN_IF_ERROR(requireWritable(into.connection()));
    std::error_code none; // stands for files that cannot be compared
    if (std::filesystem::equivalent(into.path(), from.path(), none))
        return Error{
            ErrorCode::Usage, "A database cannot be merged into itself.", into.path().string()};
    MergeOutcome outcome;
    const ReadSnapshot snapshot(from.connection().database); // a recorder may be writing to it
    RETURN_IF_ERROR(into.connection().change([&](Database&) -> Status {
        ASSIGN_OR_RETURN(outcome, Merger(into, from, nameOf, progress).merge());
        return {};
    }));
    return outcome;
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

} // namespace trainscope::store
