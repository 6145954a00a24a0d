#include "core/store/Recording.h"

#include "core/store/Connection.h"
#include "core/store/samples/GrowingSamples.h"
#include "core/store/spans/SpanSorter.h"
#include "core/store/tables/SourceTables.h"
#include "core/store/tables/StringTable.h"

namespace trainscope::store {

namespace {

class RecordingSession final : public Recording {
public:
    RecordingSession(Connection& connection, Run run)
        : m_connection(connection)
        , m_facts(std::move(run)) {
        connection.importing = true;
    }
    ~RecordingSession() override { m_connection.importing = false; }

    Status open(const SourceDescription& source) {
        m_path = source.path;
        return transact([&](Database& database) -> Status {
            IdSet names;
            ASSIGN_OR_RETURN(const auto old, sourcesAt(database, source.path, {}));
            for (const SourceId before : old)
                RETURN_IF_ERROR(deleteSource(database, before, names));
            ASSIGN_OR_RETURN(m_source, addSource(database, source));
            ASSIGN_OR_RETURN(m_run, findOrAddRun(database, m_facts.name));
            m_samples = std::make_unique<GrowingSamples>(database, m_source);
            RETURN_IF_ERROR(writeRun(database, RunStatus::Partial));
            return deleteUnusedNames(database, std::move(names), [] { return true; });
        });
    }

    Status reopen(const std::string& path) {
        m_path = path;
        return transact([&](Database& database) -> Status {
            ASSIGN_OR_RETURN(m_run, findOrAddRun(database, m_facts.name));
            ASSIGN_OR_RETURN(const auto source,
                database.number("SELECT id FROM source WHERE path=? AND id IN"
                                " (SELECT source FROM source_run WHERE run=?)",
                    path, m_run.value));
            if (source == 0)
                return Error{ErrorCode::NotFound,
                    "There is no recording " + path + " in the run " + m_facts.name + ".", {}};
            m_source = SourceId{source};
            m_samples = std::make_unique<GrowingSamples>(database, m_source);
            return writeRun(database, RunStatus::Partial);
        });
    }

    Status gpu(const Gpu& gpu) override {
        m_isDescribed = false;
        return transactOnOwn(
            [&](Database& database) { return addGpu(database, m_source, m_run, gpu); });
    }

    Result<SeriesId> series(const SeriesDescription& description) override {
        m_isDescribed = false;
        SeriesId id;
        bool isNew = false;
        RETURN_IF_ERROR(transactOnOwn([&](Database& database) -> Status {
            ASSIGN_OR_RETURN(const auto earlier, seriesLike(database, description));
            isNew = !earlier;
            if (earlier) {
                id = *earlier;
                return m_samples->reopen(id, description);
            }
            ASSIGN_OR_RETURN(id, addSeries(database, m_source, m_run, description));
            return {};
        }));
        if (isNew)
            m_samples->open(id, description);
        return id;
    }

    void sample(SeriesId series, TimeNs time, double value) override {
        m_samples->add(series, time, value);
    }
    void iteration(const Iteration& iteration) override { m_iterations.push_back(iteration); }
    void phases(std::vector<NamedPhase> phases) override {
        m_phases = std::move(phases);
        m_hasNewPhases = true;
    }
    void describe(const Run& run) override {
        m_isDescribed = false;
        m_facts = run;
    }

    Status commit(const ImportReport& report) override {
        RETURN_IF_ERROR(transactOnOwn([&](Database& database) -> Status {
            RETURN_IF_ERROR(m_samples->write());
            RETURN_IF_ERROR(writeRest(database, report));
            return m_isDescribed ? refreshRange(database, m_run)
                                 : writeRun(database, RunStatus::Partial);
        }));
        m_isDescribed = true;
        remember();
        return {};
    }

    [[nodiscard]] Result<std::uint64_t> bytes() const override {
        return m_connection.call([](Database& database) { return database.bytes(); });
    }

    Status finish(const ImportReport& report, const Progress& progress) override {
        const auto proceed = [&progress](std::uint64_t done, std::uint64_t total) {
            return !progress || progress({"Indexing samples", done, total});
        };
        RETURN_IF_ERROR(transactOnOwn([&](Database& database) -> Status {
            RETURN_IF_ERROR(m_samples->finish(proceed));
            RETURN_IF_ERROR(writeRest(database, report));
            return writeRun(database, m_facts.status);
        }));
        m_isDescribed = false;
        remember();
        return {};
    }

private:
    template <typename Work>
    Status transact(Work&& work) {
        return m_connection.call([&](Database& database) {
            return database.transaction([&] { return work(database); });
        });
    }
    template <typename Work>
    Status transactOnOwn(Work&& work) {
        return transact([&](Database& database) -> Status {
            RETURN_IF_ERROR(requireSource(database));
            return work(database);
        });
    }

    // Whoever removed the run gave its numbers free: what has them now is another's.
    Status requireSource(Database& database) const {
        ASSIGN_OR_RETURN(const auto count,
            database.number("SELECT count(*) FROM source JOIN source_run ON source=id WHERE id=?"
                            " AND path=? AND run=?",
                m_source.value, m_path, m_run.value));
        if (count > 0)
            return {};
        return Error{ErrorCode::Refused,
            "The run \"" + m_facts.name
                + "\" was removed from the database while it was being recorded, and takes "
                  "nothing more.",
            database.shownPath()};
    }

    // The series with that description from an earlier part of this recording.
    Result<std::optional<SeriesId>> seriesLike(
        Database& database, const SeriesDescription& description) const {
        const Subject& subject = description.subject;
        return database.single(
            "SELECT id FROM series WHERE source=? AND run=? AND metric=? AND subject=? AND rank=?"
            " AND node=? AND device=? AND scale=? AND counter_bits=?",
            [](const Row& row) { return SeriesId{row.integer(0)}; }, m_source.value, m_run.value,
            description.metric.name, toString(subject.kind), subject.rank, subject.node,
            subject.device, description.scale, description.counterBits);
    }

    Status writeRest(Database& database, const ImportReport& report) {
        for (const Iteration& iteration : m_iterations)
            RETURN_IF_ERROR(addIteration(database, m_source, m_run, iteration));
        if (m_hasNewPhases)
            RETURN_IF_ERROR(writePhases(database));
        return writeReport(database, m_source, report, {}, 0);
    }

    // The track anew: phases are few. Names stay until the source goes.
    Status writePhases(Database& database) {
        const TrackId track = m_phaseTrack;
        for (const char* table : {"span_chunk", "group_page", "track_name"})
            RETURN_IF_ERROR(database.execute(
                std::string("DELETE FROM ") + table + " WHERE track=?", track.value));
        RETURN_IF_ERROR(database.execute("DELETE FROM track WHERE id=?", track.value));
        IdSet names;
        RETURN_IF_ERROR(readSourceNames(database, m_source, names));
        StringTable texts(database);
        std::vector<Span> spans;
        for (const NamedPhase& phase : m_phases) {
            Span span;
            ASSIGN_OR_RETURN(span.name, texts.intern(phase.name));
            span.start = phase.range.begin;
            span.duration = phase.range.length();
            span.kind = SpanKind::Annotation;
            spans.push_back(span);
        }
        ASSIGN_OR_RETURN(m_nextPhaseTrack, addTrack(database, m_source, m_run, phaseTrack()));
        SpanWriter writer(database);
        writer.open(m_nextPhaseTrack);
        RETURN_IF_ERROR(writer.add(m_nextPhaseTrack, spans));
        RETURN_IF_ERROR(writer.finish({}));
        names.add(texts.used());
        return writeSourceNames(database, m_source, names);
    }

    Status writeRun(Database& database, RunStatus status) {
        Run facts = m_facts;
        facts.status = status;
        RETURN_IF_ERROR(writeFacts(database, m_source, m_run, facts));
        return refreshRun(database, m_run);
    }

    void remember() {
        m_samples->written();
        m_iterations.clear();
        m_phaseTrack = m_nextPhaseTrack;
        m_hasNewPhases = false;
    }

    Connection& m_connection;
    Run m_facts;
    std::string m_path; // the source's
    SourceId m_source;
    RunId m_run;
    bool m_isDescribed = false; // the run stands there with all that is said of it, as partial
    std::unique_ptr<GrowingSamples> m_samples;
    std::vector<Iteration> m_iterations; // not yet in any commit
    std::vector<NamedPhase> m_phases;
    bool m_hasNewPhases = false; // not yet in any commit
    TrackId m_phaseTrack; // has them now
    TrackId m_nextPhaseTrack; // has them once the transaction holds
};

} // namespace

Result<std::unique_ptr<Recording>> Recording::begin(
    Store& store, const SourceDescription& source, const Run& run) {
    Connection& connection = store.connection();
    RETURN_IF_ERROR(requireWritable(connection));
    auto session = std::make_unique<RecordingSession>(connection, run);
    RETURN_IF_ERROR(session->open(source));
    return std::unique_ptr<Recording>(std::move(session));
}

Result<std::unique_ptr<Recording>> Recording::resume(
    Store& store, const std::string& path, const Run& run) {
    Connection& connection = store.connection();
    RETURN_IF_ERROR(requireWritable(connection));
    auto session = std::make_unique<RecordingSession>(connection, run);
    RETURN_IF_ERROR(session->reopen(path));
    return std::unique_ptr<Recording>(std::move(session));
}

} // namespace trainscope::store
