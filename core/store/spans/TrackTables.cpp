#include "core/store/spans/TrackTables.h"

#include <utility>

namespace trainscope::store {

Status TrackTables::add(EncodedBlock&& block) {
    for (const EncodedChunk& chunk : block.chunks) {
        if (Status status = addChunk(chunk); !status.hasValue())
            return status;
    }
    for (const NameUse& use : block.names)
        m_names.add(use);
    if (block.page.own.empty())
        return {};
    return addPage(0, std::move(block.page), block.names);
}

Status TrackTables::addChunk(const EncodedChunk& chunk) {
    return m_database.execute("INSERT INTO span_chunk(track, sequence, count, begin_ns, "
                              "correlation_min, correlation_max, data) VALUES(?,?,?,?,?,?,?)",
        m_track.value, m_chunks++, chunk.count, chunk.begin, chunk.lowestCorrelation,
        chunk.highestCorrelation, chunk.data);
}

Status TrackTables::addPage(
    std::size_t index, GroupPage&& page, const std::vector<NameUse>& names) {
    if (index == m_levels.size())
        m_levels.emplace_back();
    Bytes data;
    encodeGroups(page, data);
    std::vector<NameMask> masks;
    for (const NameUse& use : names)
        masks.push_back({use.name, use.children});
    Bytes nameData;
    encodeNames(masks, nameData);
    Level& level = m_levels[index];
    Status status = m_database.execute("INSERT INTO group_page(track, level, sequence, begin_ns, "
                                       "width_ns, names, data) VALUES(?,?,?,?,?,?,?)",
        m_track.value, static_cast<std::int64_t>(index + 1), level.written++,
        page.own.front().begin, page.width, nameData, data);
    if (!status.hasValue())
        return status;
    if (level.waiting == 0)
        level.open = std::move(page.open);
    level.groups.insert(level.groups.end(), page.own.begin(), page.own.end());
    for (const NameUse& use : names)
        level.names.add({use.name, 0, 0, std::uint32_t{1} << level.waiting});
    return ++level.waiting == kFanOut ? closeAbove(index) : Status();
}

// Makes the page above those that wait.
Status TrackTables::closeAbove(std::size_t index) {
    Level level = std::move(m_levels[index]);
    m_levels[index] = {};
    m_levels[index].written = level.written;
    return addPage(index + 1, makePage(std::move(level.open), level.groups), level.names.take());
}

Status TrackTables::writeNames() {
    for (const NameUse& use : m_names.take()) {
        Status status = m_database.execute(
            "INSERT INTO track_name(track, name, count, total_ns) VALUES(?,?,?,?)", m_track.value,
            use.name, use.count, use.total);
        if (!status.hasValue())
            return status;
    }
    return {};
}

Status TrackTables::finish(const TrackFacts& facts) {
    Status status;
    // Upwards until a level has a single page.
    for (std::size_t i = 0; i < m_levels.size() && status.hasValue(); ++i) {
        if (m_levels[i].written > 1 && m_levels[i].waiting > 0)
            status = closeAbove(i);
    }
    if (status.hasValue())
        status = writeNames();
    if (!status.hasValue())
        return status;
    return m_database.execute("UPDATE track SET begin_ns=?, end_ns=?, count=?, depth=? WHERE id=?",
        facts.range.begin.ns, facts.range.end.ns, facts.count,
        static_cast<std::int64_t>(facts.depth), m_track.value);
}

} // namespace trainscope::store
