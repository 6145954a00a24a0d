#include "core/store/GroupMerger.h"
#include "core/store/IntColumn.h"

#include <array>

namespace trainscope::store {
namespace {

constexpr std::uint64_t kMaxGroups = std::uint64_t{1} << 20U;
constexpr std::size_t kColumns = 8;

std::array<std::int64_t, kColumns> numbersOf(const GroupRecord& group) {
    return {group.begin, group.end - group.begin, group.busy, group.longest, group.name.value,
        group.count, static_cast<std::int64_t>(group.kind), group.depth};
}

GroupRecord groupFrom(const std::array<std::int64_t, kColumns>& n) {
    const auto end = static_cast<std::uint64_t>(n[0]) + static_cast<std::uint64_t>(n[1]);
    const bool known = n[6] >= 0 && n[6] <= static_cast<std::int64_t>(SpanKind::Other);
    return {n[0], static_cast<std::int64_t>(end), n[2], n[3], {n[4]}, n[5],
        known ? static_cast<SpanKind>(n[6]) : SpanKind::Other, static_cast<std::uint16_t>(n[7])};
}

void encodeList(const std::vector<GroupRecord>& groups, Bytes& out) {
    std::vector<std::int64_t> column;
    for (std::size_t at = 0; at < groups.size(); at += kMaxColumn) {
        const auto part = std::span(groups).subspan(at, std::min(kMaxColumn, groups.size() - at));
        column.resize(part.size());
        for (std::size_t field = 0; field < kColumns; ++field) {
            for (std::size_t i = 0; i < part.size(); ++i)
                column[i] = numbersOf(part[i])[field];
            encodeInts(column, out);
        }
    }
}

bool decodeList(ByteReader& in, std::uint64_t count, std::vector<GroupRecord>& groups) {
    groups.clear();
    while (groups.size() < count) {
        const auto size
            = static_cast<std::size_t>(std::min<std::uint64_t>(count - groups.size(), kMaxColumn));
        std::array<std::vector<std::int64_t>, kColumns> columns;
        for (auto& column : columns) {
            column.resize(size);
            if (!decodeInts(in, column))
                return false;
        }
        for (std::size_t i = 0; i < size; ++i) {
            std::array<std::int64_t, kColumns> numbers{};
            for (std::size_t field = 0; field < kColumns; ++field)
                numbers[field] = columns[field][i];
            groups.push_back(groupFrom(numbers));
        }
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
    if (!in.ok() || open > kMaxGroups || own > kMaxColumn)
        return false;
    return decodeList(in, open, page.open) && decodeList(in, own, page.own) && in.left() == 0;
}

} // namespace trainscope::store
