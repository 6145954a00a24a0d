#pragma once
// SpanFilter: the spans of a chunk that a query's constraints select.

#include "core/model/Span.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/SpanSearch.h"
#include "core/store/sql/VirtualTable.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::store {

// The columns of `spans` that the store knows by itself; the computed ones follow.
enum OwnSpanColumn {
    kRun,
    kRank,
    kDevice,
    kTrack,
    kName,
    kKind,
    kStart,
    kDuration,
    kDepth,
    kCorrelation,
    kDetail,
    kTrackId,
    kStream,
    kOwnSpanColumns
};

// True where any constraint is on that column.
bool asks(const Scan& scan, int column);
// Fields of a span that have to be decoded.
SpanFields fieldsOf(const Scan& scan);

class SpanFilter {
public:
    SpanFilter() = default;
    // names: ids of the only names that are wanted.
    SpanFilter(const Scan& scan, std::optional<NameList> names);

    [[nodiscard]] const IntegerRange& start() const { return m_start; }
    // The places of those that are wanted; replaces `wanted`.
    void apply(std::span<const Span> spans, std::vector<std::uint32_t>& wanted) const;

private:
    static constexpr std::size_t kKinds = static_cast<std::size_t>(SpanKind::Other) + 1;
    [[nodiscard]] bool isWanted(const Span& span) const;

    IntegerRange m_start;
    std::optional<NameList> m_names;
    std::vector<Constraint> m_numbers; // on what follows
    std::array<bool, kKinds> m_kinds{};
    bool m_asksCorrelation = false;
};

} // namespace trainscope::store
