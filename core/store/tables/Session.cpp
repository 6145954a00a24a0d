#include "core/store/tables/Session.h"

#include "core/model/HarmlessText.h"
#include "core/store/tables/SourceTables.h"
#include "core/store/tables/StoredJson.h"

namespace trainscope::store {
namespace {

bool proceed(
    const Progress& progress, std::string_view phase, std::uint64_t done, std::uint64_t total) {
    return !progress || progress({phase, done, total});
}

template <typename T>
const Error* errorOf(const Result<T>& result) {
    return result.hasValue() ? nullptr : &result.error();
}

} // namespace

Session::Session(Database& database, SourceDescription source, std::function<void()> ended)
    : m_database(database)
    , m_description(std::move(source))
    , m_ended(std::move(ended))
    , m_names(database)
    , m_samples(database)
    , m_spans(database) { }

Session::~Session() {
    rollBack();
    m_ended();
}

void Session::rollBack() {
    if (!m_open)
        return;
    m_open = false;
    // A failure here means that SQLite has rolled back by itself already.
    (void)m_database.script(m_isPart ? "ROLLBACK TO source; RELEASE source" : "ROLLBACK");
}

template <typename Work>
auto Session::guarded(Work&& work) -> decltype(work()) {
    if (!m_failure.hasValue())
        return m_failure.error();
    if (!m_open)
        return Error{ErrorCode::Internal, "The import is over; nothing can be added to it.", {}};
    try {
        auto outcome = work();
        if (const Error* error = errorOf(outcome)) {
            m_failure = *error;
            rollBack();
        }
        return outcome;
    } catch (const std::exception& exception) {
        m_failure = Error{ErrorCode::Internal,
            std::string("Memory or another resource ran out while writing (") + exception.what()
                + "); nothing of this import was kept.",
            m_description.path};
        rollBack();
        return m_failure.error();
    }
}

Status Session::begin() {
    RETURN_IF_ERROR(open());
    return guarded([&]() -> Status {
        ASSIGN_OR_RETURN(const auto earlier, sourcesAt(m_database, m_description.path, {}));
        return replace(earlier);
    });
}

Status Session::beginInPlaceOf(const std::vector<SourceId>& earlier) {
    RETURN_IF_ERROR(open());
    return guarded([&] { return replace(earlier); });
}

Status Session::open() {
    m_isPart = m_database.isInTransaction();
    RETURN_IF_ERROR(m_database.script(m_isPart ? "SAVEPOINT source" : "BEGIN IMMEDIATE"));
    m_open = true;
    return {};
}

Status Session::replace(const std::vector<SourceId>& earlier) {
    RETURN_IF_ERROR(dropSources(earlier));
    ASSIGN_OR_RETURN(m_source, addSource(m_database, m_description));
    m_samples.setSource(m_source.value);
    return {};
}

Status Session::dropSources(const std::vector<SourceId>& sources) {
    for (const SourceId source : sources) {
        ASSIGN_OR_RETURN(const auto runs, deleteSource(m_database, source, m_droppedNames));
        m_touched.insert(runs.begin(), runs.end());
    }
    return {};
}

Result<RunId> Session::run(const Run& run) {
    return guarded([&]() -> Result<RunId> {
        const std::string name = harmless(run.name.empty() ? m_description.runName : run.name);
        if (name.empty())
            return Error{ErrorCode::Usage, "A run needs a name.", m_description.path};
        Result<RunId> id = findOrAddRun(m_database, name);
        if (!id.hasValue())
            return id;
        m_touched.insert(id.value());
        const auto [known, added] = m_facts.try_emplace(id.value(), run);
        if (!added)
            fillRun(known->second, run);
        return id;
    });
}

Status Session::gpu(RunId run, const Gpu& gpu) {
    return guarded([&] { return addGpu(m_database, m_source, run, gpu); });
}

Result<SeriesId> Session::series(RunId run, const SeriesDescription& description) {
    return guarded([&]() -> Result<SeriesId> {
        ASSIGN_OR_RETURN(const auto id, addSeries(m_database, m_source, run, description));
        m_samples.open(id, description);
        return id;
    });
}

Status Session::counterBits(SeriesId series, int bits) {
    return guarded([&] {
        m_samples.setCounterBits(series, bits);
        return m_database.execute(
            "UPDATE series SET counter_bits=? WHERE id=?", std::int64_t{bits}, series.value);
    });
}

Status Session::samples(
    SeriesId series, std::span<const TimeNs> times, std::span<const double> values) {
    return guarded([&] { return m_samples.add(series, times, values); });
}

Result<TrackId> Session::track(RunId run, const TrackDescription& description) {
    return guarded([&]() -> Result<TrackId> {
        ASSIGN_OR_RETURN(const auto id, addTrack(m_database, m_source, run, description));
        m_spans.open(id);
        return id;
    });
}

Status Session::spans(TrackId track, std::span<const Span> spans) {
    return guarded([&] { return m_spans.add(track, spans); });
}

Result<NameId> Session::intern(std::string_view text) {
    return guarded([&] { return m_names.intern(text); });
}

Status Session::iteration(RunId run, const Iteration& iteration) {
    return guarded([&] { return addIteration(m_database, m_source, run, iteration); });
}

Status Session::capture(RunId run, const Capture& capture) {
    return guarded([&] { return addCapture(m_database, m_source, run, capture); });
}

Status Session::writeSource(
    const ImportReport& report, const std::string& hash, std::uint64_t size) {
    RETURN_IF_ERROR(writeReport(m_database, m_source, report, hash, size));
    for (const auto& [run, facts] : m_facts)
        RETURN_IF_ERROR(writeFacts(m_database, m_source, run, facts));
    return {};
}

Status Session::replaceEqualHash(const std::string& hash) {
    for (const auto& [run, facts] : m_facts) {
        ASSIGN_OR_RETURN(const auto equal, sourcesLike(m_database, hash, run, m_source));
        RETURN_IF_ERROR(dropSources(equal));
    }
    return {};
}

Status Session::write(const ImportReport& report, const std::string& hash, std::uint64_t size,
    const Progress& progress) {
    RETURN_IF_ERROR(m_samples.finish([&progress](std::uint64_t done, std::uint64_t total) {
        return proceed(progress, "Indexing samples", done * 16, total * 16);
    }));
    RETURN_IF_ERROR(m_spans.finish(progress));
    RETURN_IF_ERROR(replaceEqualHash(hash));
    RETURN_IF_ERROR(writeSource(report, hash, size));
    RETURN_IF_ERROR(writeSourceNames(m_database, m_source, m_names.used()));
    RETURN_IF_ERROR(deleteUnusedNames(m_database, std::move(m_droppedNames),
        [&progress] { return proceed(progress, "Saving", 0, 0); }));
    for (const RunId run : m_isPart ? std::set<RunId>() : m_touched)
        RETURN_IF_ERROR(refreshRun(m_database, run));
    return proceed(progress, "Saving", 0, 0) ? Status() : Status(cancelled());
}

Status Session::finish(const ImportReport& report, const std::string& hash, std::uint64_t size,
    const Progress& progress) {
    return guarded([&] {
        Status status = write(report, hash.empty() ? m_description.hash : hash,
            size == 0 ? m_description.size : size, progress);
        if (status.hasValue())
            status = m_isPart ? m_database.script("RELEASE source") : m_database.commit();
        if (status.hasValue())
            m_open = false;
        return status;
    });
}

} // namespace trainscope::store
