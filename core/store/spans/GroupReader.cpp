#include "core/store/samples/SampleData.h"
#include "core/store/spans/GroupPage.h"
#include "core/store/spans/SpanReader.h"

#include <algorithm>

namespace trainscope::store {
namespace {

// Walks the tree from its top and takes, of each part of the window, the coarsest page that is fine
// enough.
class TreeReader {
public:
    TreeReader(Database& database, TrackId track, TimeRange window, std::int64_t width,
        std::vector<GroupRecord>& out)
        : m_database(database)
        , m_track(track)
        , m_window(window)
        , m_width(width)
        , m_merger(width, out) { }

    Status readPages(std::int64_t level, std::int64_t first, std::int64_t count) {
        std::vector<Child> pages;
        Status status = m_database.forEach(
            "SELECT sequence, begin_ns, width_ns FROM group_page WHERE track=? AND level=? AND "
            "sequence>=? AND sequence<? ORDER BY sequence",
            [&pages](const Row& row) {
                pages.push_back({row.integer(0), row.integer(1), row.integer(2)});
            },
            m_track.value, level, first, first + count);
        if (status.hasValue())
            dropOutside(pages);
        for (std::size_t i = 0; i < pages.size() && status.hasValue(); ++i) {
            const std::int64_t below = pages[i].sequence * kChildren;
            if (pages[i].width <= m_width)
                status = readGroups(level, pages[i].sequence);
            else if (level > 1)
                status = readPages(level - 1, below, kChildren);
            else
                status = readChunks(below, kChildren);
        }
        return status;
    }

    Status readChunks(std::int64_t first, std::int64_t count) {
        std::vector<Child> chunks;
        Status status = m_database.forEach(
            "SELECT sequence, begin_ns FROM span_chunk WHERE track=? AND sequence>=? AND "
            "sequence<? ORDER BY sequence",
            [&chunks](const Row& row) {
                chunks.push_back({row.integer(0), row.integer(1), 0});
            },
            m_track.value, first, first + count);
        if (status.hasValue())
            dropOutside(chunks);
        for (std::size_t i = 0; i < chunks.size() && status.hasValue(); ++i)
            status = readChunk(chunks[i].sequence);
        return status;
    }

private:
    static constexpr auto kChildren = static_cast<std::int64_t>(kFanOut);
    struct Child {
        std::int64_t sequence;
        std::int64_t begin;
        std::int64_t width;
    };

    // What began before the window is in the last child that began before it, or open there.
    void dropOutside(std::vector<Child>& children) const {
        std::erase_if(
            children, [this](const Child& child) { return child.begin >= m_window.end.ns; });
        const auto inside = std::find_if(children.begin(), children.end(),
            [this](const Child& child) { return child.begin >= m_window.begin.ns; });
        if (inside - children.begin() > 1)
            children.erase(children.begin(), inside - 1);
    }

    void add(const GroupRecord& group) {
        if (touches(group.begin, group.end, m_window.begin.ns, m_window.end.ns))
            m_merger.add(group);
    }

    Status readGroups(std::int64_t level, std::int64_t sequence) {
        return m_database.forEach(
            "SELECT data FROM group_page WHERE track=? AND level=? AND sequence=?",
            [&](const Row& row) -> Status {
                if (!decodeGroups(row.blob(0), m_page))
                    return damagedChunk(m_database, "a page of span groups");
                if (std::exchange(m_isFirst, false)) {
                    for (const GroupRecord& group : m_page.open)
                        add(group);
                }
                for (const GroupRecord& group : m_page.own)
                    add(group);
                return {};
            },
            m_track.value, level, sequence);
    }

    Status readChunk(std::int64_t sequence) {
        return m_database.forEach(
            "SELECT data FROM span_chunk WHERE track=? AND sequence=?",
            [&](const Row& row) -> Status {
                if (!decodeSpans(row.blob(0), m_chunk, SpanFields::Drawn))
                    return damagedChunk(m_database, "a chunk of spans");
                if (std::exchange(m_isFirst, false)) {
                    for (const Span& span : m_chunk.open)
                        add(groupOf(span));
                }
                for (const Span& span : m_chunk.own)
                    add(groupOf(span));
                return {};
            },
            m_track.value, sequence);
    }

    Database& m_database;
    TrackId m_track;
    TimeRange m_window;
    std::int64_t m_width;
    GroupMerger m_merger;
    GroupPage m_page;
    SpanChunk m_chunk;
    bool m_isFirst = true;
};

} // namespace

Result<std::vector<SpanGroup>> querySpanGroups(
    Database& database, TrackId track, TimeRange window, DurationNs minWidth) {
    std::vector<SpanGroup> groups;
    if (window.isEmpty())
        return groups;
    std::int64_t top = 0;
    Status status = database.forEach(
        "SELECT max(level) FROM group_page WHERE track=?",
        [&top](const Row& row) { top = row.integer(0); }, track.value);
    std::vector<GroupRecord> records;
    TreeReader reader(database, track, window, minWidth.ns, records);
    if (status.hasValue())
        status = top > 0 ? reader.readPages(top, 0, 1) : reader.readChunks(0, 1);
    if (!status.hasValue())
        return status.error();
    groups.reserve(records.size());
    for (const GroupRecord& record : records)
        groups.push_back(viewOf(record));
    return groups;
}

} // namespace trainscope::store
