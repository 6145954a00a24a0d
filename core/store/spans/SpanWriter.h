#pragma once
// The spans of one import session, from any order of arrival to tracks with chunks, a tree of
// nodes, and names. Sorting and encoding happen on the pool, the database is written in order.

#include "core/model/Import.h"
#include "core/store/database/Database.h"
#include "core/store/spans/SpanSorter.h"

namespace trainscope::store {

class SpanWriter {
public:
    static constexpr std::size_t kSpansInMemory = std::size_t{1} << 17U; // 7 MiB

    explicit SpanWriter(Database& database, std::size_t spansInMemory = kSpansInMemory);

    void open(TrackId track);
    // Spans come in any order, to a track that was opened; a negative duration counts as none.
    Status add(TrackId track, std::span<const Span> spans);
    // Writes every track.
    Status finish(const Progress& progress);

private:
    Database& m_database;
    std::vector<TrackId> m_tracks;
    std::unordered_map<TrackId, std::size_t> m_places; // in m_tracks
    SpanSorter m_sorter;
};

} // namespace trainscope::store
