#pragma once
// The spans of one import session, on their way from any order of arrival to tracks.

#include "core/model/Import.h"
#include "core/store/Database.h"
#include "core/store/Spill.h"

#include <set>
#include <span>

namespace trainscope::store {

// A span on its way through the sorter.
struct SpanRow {
    std::int64_t track;
    std::int64_t start;
    std::int64_t duration;
    std::int64_t name;
    std::int64_t correlation;
    std::int64_t detail;
    std::int64_t kind;
};
struct SpanRowOrder {
    bool operator()(const SpanRow& a, const SpanRow& b) const {
        if (a.track != b.track)
            return a.track < b.track;
        return a.start != b.start ? a.start < b.start : a.duration > b.duration;
    }
};

class SpanWriter {
public:
    explicit SpanWriter(Database& database);

    void open(TrackId track);
    // In any order, to a track that was opened; a negative duration counts as none.
    Status add(TrackId track, std::span<const Span> spans);
    // Writes every track with its chunks, names and groups.
    Status finish(const Progress& progress);

private:
    Database& m_database;
    std::set<TrackId> m_tracks;
    ExternalSorter<SpanRow, SpanRowOrder> m_rows;
};

} // namespace trainscope::store
