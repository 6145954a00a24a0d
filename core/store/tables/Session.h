#pragma once
// The import session behind beginImport() of Writing.h.

#include "core/store/Writing.h"
#include "core/store/samples/SampleWriter.h"
#include "core/store/spans/SpanSorter.h"
#include "core/store/tables/StringTable.h"

#include <set>

namespace trainscope::store {

class Session final : public ImportSession {
public:
    // `ended` is called when the session is over, however.
    Session(Database& database, SourceDescription source, std::function<void()> ended);
    ~Session() override;

    // Opens the transaction, or a part of the caller's, and removes what the source had written
    // before: that of its path, or these sources.
    Status begin();
    Status beginInPlaceOf(const std::vector<SourceId>& earlier);

    Result<RunId> run(const Run& run) override;
    Status gpu(RunId run, const Gpu& gpu) override;
    Result<SeriesId> series(RunId run, const SeriesDescription& description) override;
    Status counterBits(SeriesId series, int bits) override;
    Status samples(
        SeriesId series, std::span<const TimeNs> times, std::span<const double> values) override;
    Result<TrackId> track(RunId run, const TrackDescription& description) override;
    Status spans(TrackId track, std::span<const Span> spans) override;
    Result<NameId> intern(std::string_view text) override;
    Status iteration(RunId run, const Iteration& iteration) override;
    Status capture(RunId run, const Capture& capture) override;
    Status finish(const ImportReport& report, const std::string& hash, std::uint64_t size,
        const Progress& progress) override;
    // Runs that have changed. A part of the caller's transaction leaves refreshRun() to the caller,
    // once for all of its parts.
    [[nodiscard]] const std::set<RunId>& touched() const { return m_touched; }

private:
    // The first failure undoes everything at once and answers all later calls.
    template <typename Work>
    auto guarded(Work&& work) -> decltype(work());
    Status writeSource(const ImportReport& report, const std::string& hash, std::uint64_t size);
    Status replaceEqualHash(const std::string& hash);
    Status write(const ImportReport& report, const std::string& hash, std::uint64_t size,
        const Progress& progress);
    Status open();
    Status replace(const std::vector<SourceId>& earlier);
    Status dropSources(const std::vector<SourceId>& sources);
    void rollBack();

    Database& m_database;
    SourceDescription m_description;
    std::function<void()> m_ended;
    SourceId m_source;
    StringTable m_names;
    IdSet m_droppedNames; // names of sources that this one replaces
    SampleWriter m_samples;
    SpanWriter m_spans;
    std::map<RunId, Run> m_facts; // said by this source
    std::set<RunId> m_touched; // runs to refresh
    bool m_open = false;
    bool m_isPart = false; // part of a transaction of the caller
    Status m_failure;
};

} // namespace trainscope::store
