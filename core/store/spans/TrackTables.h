#pragma once
// Puts the encoded blocks of one track, in order, into the tables: chunks, the tree of pages above
// them (GroupPage.h), the names, and the track's own row.

#include "core/store/database/Database.h"
#include "core/store/spans/SpanBlock.h"

#include <vector>

namespace trainscope::store {

// What the track's row says.
struct TrackFacts {
    TimeRange range;
    std::int64_t count = 0;
    std::size_t depth = 0;
};

class TrackTables {
public:
    TrackTables(Database& database, TrackId track)
        : m_database(database)
        , m_track(track) { }

    Status add(EncodedBlock&& block);
    Status finish(const TrackFacts& facts);

private:
    // Pages that wait for the page above them.
    struct Level {
        std::int64_t written = 0; // pages of this level
        std::uint32_t waiting = 0;
        std::vector<GroupRecord> open; // of the first that waits
        std::vector<GroupRecord> groups;
        NameUses names;
    };
    Status addChunk(const EncodedChunk& chunk);
    Status addPage(std::size_t level, GroupPage&& page, const std::vector<NameUse>& names);
    Status closeAbove(std::size_t level);
    Status writeNames();

    Database& m_database;
    TrackId m_track;
    std::int64_t m_chunks = 0;
    NameUses m_names;
    std::vector<Level> m_levels; // from level 1
};

} // namespace trainscope::store
