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

    // Reads a page's children inside the window. Spans that began before the window are in the last
    // child that began before it, or open there.
    Status readChildren(const TreeNode& page) {
        ASSIGN_OR_RETURN(const auto all, childrenOf(m_database, m_track, page));
        const auto inside = std::find_if(all.begin(), all.end(),
            [this](const TreeNode& child) { return child.begin >= m_window.begin.ns; });
        for (auto child = inside == all.begin() ? inside : inside - 1;
             child != all.end() && child->begin < m_window.end.ns; ++child)
            RETURN_IF_ERROR(read(*child));
        return {};
    }

private:
    Status read(const TreeNode& node) {
        if (node.level == 0)
            return readChunk(node.sequence);
        return node.width <= m_width ? readPage(node) : readChildren(node);
    }

    void add(const LodRecord& node) {
        if (touches(node.begin, node.end, m_window.begin.ns, m_window.end.ns))
            m_merger.add(node);
    }

    Status readPage(const TreeNode& place) {
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
            m_track.value, place.level, place.sequence);
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
    ASSIGN_OR_RETURN(const auto top, topLevel(database, track));
    std::vector<LodRecord> records;
    TreeReader reader(database, track, window, minWidth.ns, records);
    // The page above the top has the top for its only child.
    RETURN_IF_ERROR(reader.readChildren({top + 1, 0, 0, 0}));
    nodes.reserve(records.size());
    for (const LodRecord& record : records)
        nodes.push_back(nodeOf(record));
    return nodes;
}

} // namespace trainscope::store
