#pragma once
// One track from its spans in order: depth by nesting, chunks, the names in it, the levels of
// groups, its row.

#include "core/store/Database.h"
#include "core/store/PeriodHistogram.h"
#include "core/store/SpanCodec.h"

#include <map>
#include <vector>

namespace trainscope::store {

class TrackWriter {
public:
    TrackWriter(Database& database, TrackId track)
        : m_database(database)
        , m_track(track) { }
    // In order of start, the longer first among equals.
    Status add(Span span);
    Status finish();

private:
    struct NameUse {
        std::int64_t count = 0;
        std::int64_t total = 0;
        std::int64_t lastChunk = -1;
        Bytes chunks; // their numbers as differences, varints; the first counts from -1
    };
    std::uint16_t depthFor(const Span& span);
    Status writeChunk();
    Status writeNames();
    Status writeGroups();

    Database& m_database;
    TrackId m_track;
    SpanChunk m_chunk;
    std::vector<std::int64_t> m_ends; // by depth: until when it is taken
    std::map<NameId, NameUse> m_names;
    PeriodHistogram m_spacing;
    std::int64_t m_sequence = 0;
    std::int64_t m_count = 0;
    std::int64_t m_begin = 0;
    std::int64_t m_end = 0;
    std::int64_t m_lastStart = 0;
};

} // namespace trainscope::store
