#include "core/model/Try.h"
#include "core/store/spans/LodPage.h"
#include "core/store/spans/SpanReader.h"

#include <algorithm>

namespace trainscope::store {
namespace {

// Walks the tree from its top and takes, of each part of the window, the coarsest page that is fine
// enough.
class TreeReader {
public:
    TreeReader(Database& database, TrackId track, TimeRange window, std::int64_t width,
        std::vector<LodRecord>& out)
        : m_database(database)
        , m_track(track)
        , m_window(window)
        , m_width(width)
        , m_merger(width, out) { }

    Status readPages(std::int64_t level, std::int64_t first, std::int64_t count) {
        auto pages = m_database.rows(
            "SELECT sequence, begin_ns, width_ns FROM group_page WHERE track=? AND level=? AND "
            "sequence>=? AND sequence<? ORDER BY sequence",
            [](const Row& row) {
                return Child{row.integer(0), row.integer(1), row.integer(2)};
            },
            m_track.value, level, first, first + count);
        return forEachInside(pages, [&](const Child& page) {
            const std::int64_t below = page.sequence * kChildren;
            if (page.width <= m_width)
                return readPage(level, page.sequence);
            return level > 1 ? readPages(level - 1, below, kChildren)
                             : readChunks(below, kChildren);
        });
    }

    Status readChunks(std::int64_t first, std::int64_t count) {
        auto chunks = m_database.rows(
            "SELECT sequence, begin_ns FROM span_chunk WHERE track=? AND sequence>=? AND "
            "sequence<? ORDER BY sequence",
            [](const Row& row) {
                return Child{row.integer(0), row.integer(1), 0};
            },
            m_track.value, first, first + count);
        return forEachInside(
            chunks, [this](const Child& chunk) { return readChunk(chunk.sequence); });
    }

private:
    static constexpr auto kChildren = static_cast<std::int64_t>(kFanOut);
    struct Child {
        std::int64_t sequence;
        std::int64_t begin;
        std::int64_t width;
    };

    // What began before the window is in the last child that began before it, or open there.
    template <typename Read>
    Status forEachInside(const Result<std::vector<Child>>& children, Read&& read) const {
        if (!children.hasValue())
            return children.error();
        const auto& all = children.value();
        const auto inside = std::find_if(all.begin(), all.end(),
            [this](const Child& child) { return child.begin >= m_window.begin.ns; });
        Status status;
        for (auto child = inside == all.begin() ? inside : inside - 1;
             child != all.end() && child->begin < m_window.end.ns && status.hasValue(); ++child)
            status = read(*child);
        return status;
    }

    void add(const LodRecord& node) {
        if (touches(node.begin, node.end, m_window.begin.ns, m_window.end.ns))
            m_merger.add(node);
    }

    Status readPage(std::int64_t level, std::int64_t sequence) {
        return m_database.forEach(
            "SELECT data FROM group_page WHERE track=? AND level=? AND sequence=?",
            [&](const Row& row) -> Status {
                if (!decodePage(row.blob(0), m_page))
                    return m_database.damaged("a page of span groups");
                if (std::exchange(m_isFirst, false)) {
                    for (const LodRecord& node : m_page.open)
                        add(node);
                }
                for (const LodRecord& node : m_page.own)
                    add(node);
                return {};
            },
            m_track.value, level, sequence);
    }

    Status readChunk(std::int64_t sequence) {
        RETURN_IF_ERROR(readSpanChunk(m_database, m_track, sequence, m_chunk, SpanFields::Drawn));
        if (std::exchange(m_isFirst, false)) {
            for (const Span& span : m_chunk.open)
                add(recordOf(span));
        }
        for (const Span& span : m_chunk.own)
            add(recordOf(span));
        return {};
    }

    Database& m_database;
    TrackId m_track;
    TimeRange m_window;
    std::int64_t m_width;
    LodMerger m_merger;
    LodPage m_page;
    SpanChunk m_chunk;
    bool m_isFirst = true;
};

} // namespace

Result<std::vector<LodNode>> queryLodNodes(
    Database& database, TrackId track, TimeRange window, DurationNs minWidth) {
    std::vector<LodNode> nodes;
    if (window.isEmpty())
        return nodes;
    ASSIGN_OR_RETURN(const auto top,
        database.number("SELECT max(level) FROM group_page WHERE track=?", track.value));
    std::vector<LodRecord> records;
    TreeReader reader(database, track, window, minWidth.ns, records);
    RETURN_IF_ERROR(top > 0 ? reader.readPages(top, 0, 1) : reader.readChunks(0, 1));
    nodes.reserve(records.size());
    for (const LodRecord& record : records)
        nodes.push_back(nodeOf(record));
    return nodes;
}

} // namespace trainscope::store
