#include "core/store/TrackWriter.h"

#include "core/store/GroupMerger.h"
#include "core/store/SpanReader.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace trainscope::store {
namespace {

constexpr std::int64_t kRawSpans = 8192; // tracks up to this need no groups
constexpr std::int64_t kWidthPerSpacing = 8; // the finest groups hold about so many spans
constexpr std::int64_t kWidthPerLevel = 8;
constexpr std::int64_t kCoarsest = 512; // the last level has at least so many widths in the track

// Collects the groups of one level into pages.
class GroupPageWriter {
public:
    GroupPageWriter(Database& database, TrackId track, std::int64_t level)
        : m_database(database)
        , m_track(track)
        , m_level(level) { }
    void add(const GroupRecord& group) {
        m_page.own.push_back(group);
        if (m_page.own.size() == kPageGroups)
            write();
    }
    Status finish() {
        if (!m_page.own.empty())
            write();
        return m_status;
    }

private:
    void write() {
        if (!m_status.hasValue())
            return;
        const std::int64_t begin = m_page.own.front().begin;
        std::erase_if(
            m_page.open, [begin](const GroupRecord& group) { return group.end <= begin; });
        Bytes data;
        encodeGroups(m_page, data);
        m_status = m_database.execute(
            "INSERT INTO group_page(track, level_ns, sequence, begin_ns, data) VALUES(?,?,?,?,?)",
            m_track.value, m_level, m_sequence++, begin, data);
        m_page.open.insert(m_page.open.end(), m_page.own.begin(), m_page.own.end());
        m_page.own.clear();
    }

    Database& m_database;
    TrackId m_track;
    std::int64_t m_level;
    std::int64_t m_sequence = 0;
    GroupPage m_page;
    Status m_status;
};

struct GroupLevel {
    std::unique_ptr<GroupPageWriter> pages;
    std::unique_ptr<GroupMerger> merger;
};

// From the coarsest down, since each level feeds the one above it.
std::vector<GroupLevel> makeLevels(
    Database& database, TrackId track, const std::vector<std::int64_t>& widths) {
    std::vector<GroupLevel> levels(widths.size());
    for (std::size_t i = widths.size(); i-- > 0;) {
        levels[i].pages = std::make_unique<GroupPageWriter>(database, track, widths[i]);
        GroupPageWriter* pages = levels[i].pages.get();
        GroupMerger* above = i + 1 < widths.size() ? levels[i + 1].merger.get() : nullptr;
        levels[i].merger
            = std::make_unique<GroupMerger>(widths[i], [pages, above](const GroupRecord& group) {
                  pages->add(group);
                  if (above != nullptr)
                      above->add(group);
              });
    }
    return levels;
}

} // namespace

// The first free depth: nested spans lie below their parents, and chains of spans that only graze
// each other do not grow without end.
std::uint16_t TrackWriter::depthFor(const Span& span) {
    const auto free = std::find_if(
        m_ends.begin(), m_ends.end(), [&span](std::int64_t end) { return end <= span.start.ns; });
    const auto depth = static_cast<std::size_t>(free - m_ends.begin());
    const std::size_t used
        = std::min<std::size_t>(depth, std::numeric_limits<std::uint16_t>::max());
    const std::int64_t end = span.start.ns + span.duration.ns;
    if (used == m_ends.size())
        m_ends.push_back(end);
    else
        m_ends[used] = std::max(m_ends[used], end);
    return static_cast<std::uint16_t>(used);
}

Status TrackWriter::add(Span span) {
    span.depth = depthFor(span);
    const std::int64_t end = span.start.ns + span.duration.ns;
    m_begin = m_count == 0 ? span.start.ns : std::min(m_begin, span.start.ns);
    m_end = m_count == 0 ? end : std::max(m_end, end);
    if (m_count > 0)
        m_spacing.add(span.start.ns - m_lastStart);
    m_lastStart = span.start.ns;
    ++m_count;
    NameUse& use = m_names[span.name];
    ++use.count;
    use.total += span.duration.ns;
    if (use.lastChunk != m_sequence) {
        ByteWriter(use.chunks).varint(static_cast<std::uint64_t>(m_sequence - use.lastChunk));
        use.lastChunk = m_sequence;
    }
    m_chunk.own.push_back(span);
    return m_chunk.own.size() == kChunkSpans ? writeChunk() : Status();
}

Status TrackWriter::writeChunk() {
    const std::int64_t begin = m_chunk.own.front().start.ns;
    std::erase_if(m_chunk.open,
        [begin](const Span& span) { return span.start.ns + span.duration.ns <= begin; });
    Bytes data;
    encodeSpans(m_chunk, data);
    const auto [low, high] = std::minmax_element(m_chunk.own.begin(), m_chunk.own.end(),
        [](const Span& a, const Span& b) { return a.correlation < b.correlation; });
    Status status = m_database.execute("INSERT INTO span_chunk(track, sequence, count, begin_ns, "
                                       "correlation_min, correlation_max, data)"
                                       " VALUES(?,?,?,?,?,?,?)",
        m_track.value, m_sequence, static_cast<std::int64_t>(m_chunk.own.size()), begin,
        low->correlation, high->correlation, data);
    ++m_sequence;
    m_chunk.open.insert(m_chunk.open.end(), m_chunk.own.begin(), m_chunk.own.end());
    m_chunk.own.clear();
    return status;
}

Status TrackWriter::writeNames() {
    for (const auto& [name, use] : m_names) {
        Status status = m_database.execute(
            "INSERT INTO track_name(track, name, count, total_ns, chunks) VALUES(?,?,?,?,?)",
            m_track.value, name.value, use.count, use.total, use.chunks);
        if (!status.hasValue())
            return status;
    }
    return {};
}

Status TrackWriter::writeGroups() {
    std::vector<std::int64_t> widths;
    const std::int64_t spacing = m_spacing.median();
    if (m_count > kRawSpans && spacing > 0) {
        for (std::int64_t width = spacing * kWidthPerSpacing;
             width <= (m_end - m_begin) / kCoarsest; width *= kWidthPerLevel)
            widths.push_back(width);
    }
    if (widths.empty())
        return {};
    std::vector<GroupLevel> levels = makeLevels(m_database, m_track, widths);
    Status status
        = visitSpans(m_database, m_track, kAllTime, [&levels](std::span<const Span> spans) {
              for (const Span& span : spans)
                  levels.front().merger->add(groupOf(span));
              return true;
          });
    for (std::size_t i = 0; i < levels.size() && status.hasValue(); ++i) {
        levels[i].merger->finish();
        status = levels[i].pages->finish();
    }
    return status;
}

Status TrackWriter::finish() {
    Status status;
    if (!m_chunk.own.empty())
        status = writeChunk();
    if (status.hasValue())
        status = writeNames();
    if (status.hasValue())
        status = writeGroups();
    if (!status.hasValue())
        return status;
    return m_database.execute("UPDATE track SET begin_ns=?, end_ns=?, count=?, depth=? WHERE id=?",
        m_begin, m_end, m_count, static_cast<std::int64_t>(m_ends.size()), m_track.value);
}

} // namespace trainscope::store
