#include "core/store/spans/LodPage.h"

#include "core/store/codec/IntColumn.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/SpanReader.h"

#include <bit>

namespace trainscope::store {

namespace {

constexpr std::uint64_t kWidest = std::uint64_t{1} << 62U;
constexpr std::size_t kSpacings = 1024; // as many tell the median
constexpr std::uint64_t kNeighbours = 4; // the first width tried holds about so many

// Half of the entries follow their predecessor within about this.
std::uint64_t medianSpacing(std::span<const LodRecord> entries) {
    if (entries.size() < 2)
        return 0;
    std::vector<std::uint64_t> spacing;
    const std::size_t step = 1 + entries.size() / kSpacings;
    spacing.reserve(entries.size() / step + 1);
    for (std::size_t i = 1; i < entries.size(); i += step)
        spacing.push_back(distance(entries[i - 1].begin, entries[i].begin));
    const auto middle = spacing.begin() + static_cast<std::ptrdiff_t>(spacing.size() / 2);
    std::nth_element(spacing.begin(), middle, spacing.end());
    return *middle;
}

std::vector<LodRecord> merged(std::span<const LodRecord> entries, std::uint64_t width) {
    std::vector<LodRecord> nodes;
    LodMerger merger(static_cast<std::int64_t>(width), nodes);
    for (const LodRecord& entry : entries)
        merger.add(entry);
    return nodes;
}

constexpr std::uint64_t kMaxRecords = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMaxNames = std::uint64_t{1} << 22U;
constexpr std::size_t kColumns = 8;
using Columns = std::array<std::vector<std::int64_t>, kColumns>;

void put(const LodRecord& node, std::size_t i, Columns& columns) {
    columns[0][i] = node.begin;
    columns[1][i] = static_cast<std::int64_t>(distance(node.begin, node.end));
    columns[2][i] = node.busy;
    columns[3][i] = node.longest;
    columns[4][i] = node.name.value;
    columns[5][i] = node.count;
    columns[6][i] = static_cast<std::int64_t>(node.kind);
    columns[7][i] = node.depth;
}

LodRecord take(const Columns& columns, std::size_t i) {
    const std::int64_t begin = columns[0][i];
    const std::int64_t end = wrappingSum(begin, columns[1][i]);
    return {begin, std::max(begin, end), columns[2][i], columns[3][i], {columns[4][i]},
        columns[5][i], storedSpanKind(columns[6][i]), static_cast<std::uint16_t>(columns[7][i])};
}

void resize(Columns& columns, std::size_t size) {
    for (auto& column : columns)
        column.resize(size);
}

void encodeList(std::span<const LodRecord> nodes, Bytes& out) {
    Columns columns;
    encodeInParts(nodes, [&](std::span<const LodRecord> part) {
        resize(columns, part.size());
        for (std::size_t i = 0; i < part.size(); ++i)
            put(part[i], i, columns);
        for (const auto& column : columns) // a view reads many: they shall decode fast
            encodeInts(column, out, Squeeze::No);
    });
}

bool decodeList(ByteReader& in, std::uint64_t count, std::vector<LodRecord>& nodes) {
    Columns columns;
    return decodeInParts(count, nodes, [&](std::span<LodRecord> part) {
        resize(columns, part.size());
        for (auto& column : columns) {
            if (!decodeInts(in, column))
                return false;
        }
        for (std::size_t i = 0; i < part.size(); ++i)
            part[i] = take(columns, i);
        return true;
    });
}

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

LodRecord recordOf(const Span& span) {
    return {span.start.ns, (span.start + span.duration).ns, span.duration.ns, span.duration.ns,
        span.name, 1, span.kind, span.depth};
}

LodNode nodeOf(const LodRecord& record) {
    LodNode node;
    node.range = {{record.begin}, {record.end}};
    node.count = static_cast<std::uint32_t>(
        std::min<std::int64_t>(record.count, std::numeric_limits<std::uint32_t>::max()));
    const std::uint64_t length = distance(record.begin, record.end);
    node.busyFraction = length > 0
        ? static_cast<float>(static_cast<double>(record.busy) / static_cast<double>(length))
        : 1.0F;
    node.name = record.name;
    node.kind = record.kind;
    node.depth = record.depth;
    return node;
}

LodMerger::LodMerger(std::int64_t width, std::vector<LodRecord>& out)
    : m_width(static_cast<std::uint64_t>(std::max<std::int64_t>(width, 0)))
    , m_out(out) { }

void LodMerger::add(const LodRecord& record) {
    if (record.depth >= m_open.size())
        m_open.resize(std::size_t{record.depth} + 1);
    std::size_t& open = m_open[record.depth];
    const bool narrow = distance(record.begin, record.end) < m_width;
    if (!narrow || open == 0 || distance(m_out[open - 1].begin, record.begin) >= m_width) {
        m_out.push_back(record);
        open = narrow ? m_out.size() : 0;
        return;
    }
    LodRecord& node = m_out[open - 1];
    node.end = std::max(node.end, record.end);
    node.busy = wrappingSum(node.busy, record.busy);
    node.count = wrappingSum(node.count, record.count);
    if (record.longest > node.longest) {
        node.longest = record.longest;
        node.name = record.name;
        node.kind = record.kind;
    }
}

LodPage makePage(std::vector<LodRecord> open, std::span<const LodRecord> entries) {
    const std::size_t most = std::min(kPageRecords, std::max<std::size_t>(entries.size() / 4, 64));
    const std::uint64_t first = std::min(medianSpacing(entries), kWidest / kNeighbours);
    std::uint64_t width = std::bit_ceil(std::max<std::uint64_t>(first * kNeighbours, 1));
    std::vector<LodRecord> nodes = merged(entries, width);
    while (nodes.size() > most && width < kWidest) {
        width *= 2;
        nodes = merged(nodes, width); // merged nodes stay merged
    }
    return {static_cast<std::int64_t>(width), std::move(open), std::move(nodes)};
}

void encodePage(const LodPage& page, Bytes& out) {
    ByteWriter writer(out);
    writer.varint(page.open.size());
    writer.varint(page.own.size());
    encodeList(page.open, out);
    encodeList(page.own, out);
}

bool decodePage(ByteView bytes, LodPage& page) {
    ByteReader in(bytes);
    const std::uint64_t open = in.varint();
    const std::uint64_t own = in.varint();
    if (!in.ok() || open > kMaxRecords || own > kMaxRecords)
        return false;
    return decodeList(in, open, page.open) && decodeList(in, own, page.own) && in.left() == 0;
}

void encodeNames(std::span<const NameMask> names, Bytes& out) {
    ByteWriter(out).varint(names.size());
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> masks;
    encodeInParts(names, [&](std::span<const NameMask> part) {
        ids.clear();
        masks.clear();
        for (const NameMask& name : part) {
            ids.push_back(name.name);
            masks.push_back(name.children);
        }
        encodeInts(ids, out, Squeeze::No);
        encodeInts(masks, out, Squeeze::No);
    });
}

bool decodeNames(ByteView bytes, std::vector<NameMask>& names) {
    ByteReader in(bytes);
    const std::uint64_t count = in.varint();
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> masks;
    const auto decode = [&](std::span<NameMask> part) {
        ids.resize(part.size());
        masks.resize(part.size());
        if (!decodeInts(in, ids) || !decodeInts(in, masks))
            return false;
        for (std::size_t i = 0; i < part.size(); ++i)
            part[i] = {ids[i], static_cast<std::uint32_t>(masks[i])};
        return true;
    };
    return in.ok() && count <= kMaxNames && decodeInParts(count, names, decode) && in.left() == 0;
}

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
