#pragma once
// The sums of a part of a rank's time over the paths of its call tree, as they are kept.

#include "core/analysis/operators/CallPaths.h"
#include "core/model/Time.h"
#include "core/store/codec/Bytes.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace trainscope::analysis {

// A forward operator that made a node of the backward graph.
struct ForwardCall {
    std::uint32_t path = 0;
    std::uint32_t thread = 0; // its number in the walk
};

// The sums of a part, sparse; indices are those of CallPaths.
struct CallPart {
    struct Frame {
        std::int64_t path = 0;
        std::int64_t begun = 0; // calls that begin in the part on the host
        std::int64_t launching = 0; // calls whose first own work begins in it
        DurationNs hostTime;
        DurationNs busy;
        DurationNs ownBusy;
    };
    struct Work {
        std::int64_t path = 0;
        std::int64_t count = 0; // works that begin in the part
        std::int64_t carried = 0; // works that began before it
        DurationNs time;
        DurationNs busy;
        DurationNs shortest; // whole works that touch the part
        DurationNs longest;
        TimeNs longestAt;
    };
    struct Total {
        std::int64_t total = 0;
        std::int64_t calls = 0;
        std::int64_t works = 0;
        std::int64_t carried = 0;
        DurationNs time;
        DurationNs busy;
    };

    TimeNs since; // begin of the first call that launched work of the part
    std::vector<Frame> frames; // each by number
    std::vector<Work> works;
    std::vector<Total> totals;
    std::map<std::int64_t, ForwardCall> forward; // by sequence number: what its backward calls need
};

// The columns of a frame (SumColumns.h), of which the first is its path.
inline constexpr auto kFrameColumns = [](auto& row) {
    return std::array{
        &row.path, &row.begun, &row.launching, &row.hostTime.ns, &row.busy.ns, &row.ownBusy.ns};
};

void encodePart(const CallPart& part, store::Bytes& out);
// Absent: the bytes are none, or refer to paths that are not there.
std::optional<CallPart> decodePart(store::ByteView bytes, const CallPaths& paths);

} // namespace trainscope::analysis
