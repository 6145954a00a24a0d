#include "core/store/codec/IntColumn.h"
#include "core/store/spans/GroupPage.h"

#include <algorithm>
#include <array>

namespace trainscope::store {
namespace {

constexpr std::uint64_t kMaxGroups = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMaxNames = std::uint64_t{1} << 22U;
constexpr std::size_t kColumns = 8;
using Columns = std::array<std::vector<std::int64_t>, kColumns>;

void put(const GroupRecord& group, std::size_t i, Columns& columns) {
    columns[0][i] = group.begin;
    columns[1][i] = static_cast<std::int64_t>(distance(group.begin, group.end));
    columns[2][i] = group.busy;
    columns[3][i] = group.longest;
    columns[4][i] = group.name.value;
    columns[5][i] = group.count;
    columns[6][i] = static_cast<std::int64_t>(group.kind);
    columns[7][i] = group.depth;
}

GroupRecord take(const Columns& columns, std::size_t i) {
    const std::int64_t begin = columns[0][i];
    const auto end = static_cast<std::int64_t>(
        static_cast<std::uint64_t>(begin) + static_cast<std::uint64_t>(columns[1][i]));
    const std::int64_t kind = columns[6][i];
    const bool known = kind >= 0 && kind <= static_cast<std::int64_t>(SpanKind::Other);
    return {begin, std::max(begin, end), columns[2][i], columns[3][i], {columns[4][i]},
        columns[5][i], known ? static_cast<SpanKind>(kind) : SpanKind::Other,
        static_cast<std::uint16_t>(columns[7][i])};
}

void resize(Columns& columns, std::size_t size) {
    for (auto& column : columns)
        column.resize(size);
}

void encodeList(std::span<const GroupRecord> groups, Bytes& out) {
    Columns columns;
    for (std::size_t at = 0; at < groups.size(); at += kMaxColumn) {
        const auto part = groups.subspan(at, std::min(kMaxColumn, groups.size() - at));
        resize(columns, part.size());
        for (std::size_t i = 0; i < part.size(); ++i)
            put(part[i], i, columns);
        for (const auto& column : columns) // a view reads many: they shall decode fast
            encodeInts(column, out, Squeeze::No);
    }
}

bool decodeList(ByteReader& in, std::uint64_t count, std::vector<GroupRecord>& groups) {
    groups.clear();
    Columns columns;
    while (groups.size() < count) {
        const auto size
            = static_cast<std::size_t>(std::min<std::uint64_t>(count - groups.size(), kMaxColumn));
        resize(columns, size);
        for (auto& column : columns) {
            if (!decodeInts(in, column))
                return false;
        }
        for (std::size_t i = 0; i < size; ++i)
            groups.push_back(take(columns, i));
    }
    return true;
}

} // namespace

void encodeGroups(const GroupPage& page, Bytes& out) {
    ByteWriter writer(out);
    writer.varint(page.open.size());
    writer.varint(page.own.size());
    encodeList(page.open, out);
    encodeList(page.own, out);
}

bool decodeGroups(ByteView bytes, GroupPage& page) {
    ByteReader in(bytes);
    const std::uint64_t open = in.varint();
    const std::uint64_t own = in.varint();
    if (!in.ok() || open > kMaxGroups || own > kMaxGroups)
        return false;
    return decodeList(in, open, page.open) && decodeList(in, own, page.own) && in.left() == 0;
}

void encodeNames(std::span<const NameMask> names, Bytes& out) {
    ByteWriter(out).varint(names.size());
    std::vector<std::int64_t> column;
    for (std::size_t at = 0; at < names.size(); at += kMaxColumn) {
        const auto part = names.subspan(at, std::min(kMaxColumn, names.size() - at));
        column.clear();
        for (const NameMask& name : part)
            column.push_back(name.name);
        encodeInts(column, out, Squeeze::No);
        column.clear();
        for (const NameMask& name : part)
            column.push_back(name.children);
        encodeInts(column, out, Squeeze::No);
    }
}

bool decodeNames(ByteView bytes, std::vector<NameMask>& names) {
    ByteReader in(bytes);
    const std::uint64_t count = in.varint();
    names.clear();
    if (count > kMaxNames)
        return false;
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> masks;
    while (in.ok() && names.size() < count) {
        const auto size
            = static_cast<std::size_t>(std::min<std::uint64_t>(count - names.size(), kMaxColumn));
        ids.resize(size);
        masks.resize(size);
        if (!decodeInts(in, ids) || !decodeInts(in, masks))
            return false;
        for (std::size_t i = 0; i < size; ++i)
            names.push_back({ids[i], static_cast<std::uint32_t>(masks[i])});
    }
    return in.ok() && in.left() == 0;
}

} // namespace trainscope::store
