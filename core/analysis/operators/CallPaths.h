#pragma once
// The paths of a call tree, and the totals that they count in, while spans are read: each has a
// number, to which kept sums refer. One thread.

#include "core/analysis/operators/CallTree.h"
#include "core/store/codec/Bytes.h"

#include <map>
#include <unordered_map>

namespace trainscope::analysis {

inline constexpr std::uint32_t kNoPath = CallNode::kNone;

// Pass that a frame's name or its operator's sequence number tells.
enum class Told : std::uint8_t {
    Nothing,
    Forward, // by name
    Backward, // by name
    Optimizer, // by name
    ForwardNode, // an operator that made a node of the backward graph
    BackwardNode, // an operator that runs one
};

struct CallFrame {
    FrameKind kind = FrameKind::Root;
    Told told = Told::Nothing;
    std::uint32_t name = 0;
    std::uint32_t signature = 0;

    bool operator==(const CallFrame&) const = default;
};

// Spreads numbers that come in rows over all bits.
struct SpreadHash {
    std::size_t operator()(std::uint64_t key) const {
        constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
        key = (key ^ (key >> 32U)) * kOdd;
        return static_cast<std::size_t>(key ^ (key >> 29U));
    }
};

class CallPaths {
public:
    static constexpr std::size_t kMost = std::size_t{1} << 18U;

    struct Path {
        std::uint32_t parent = kNoPath;
        std::uint32_t frame = 0;
        StepPass pass = StepPass::None;
        FrameKind kind = FrameKind::Root;
        std::uint32_t nearestOperator = kNoPath; // at or above it
        // Totals; of operators: of its name and of its shape, of modules and annotations the first.
        std::uint32_t total = kNoPath;
        std::uint32_t shapeTotal = kNoPath;
        bool launches = false; // work is below it
    };

    CallPaths(); // the root is there

    std::uint32_t name(std::string_view text) { return m_names.add(text); }
    std::uint32_t signature(std::string_view detail) { return m_signatures.add(detail); }
    std::uint32_t frame(const CallFrame& frame);
    // The parent itself where no more are kept.
    std::uint32_t below(std::uint32_t parent, std::uint32_t frame);

    // The leaf of a path that holds its self time.
    std::uint32_t selfOf(std::uint32_t path);

    [[nodiscard]] const Path& operator[](std::uint32_t path) const { return m_paths[path]; }
    [[nodiscard]] std::size_t size() const { return m_paths.size(); }
    [[nodiscard]] std::size_t totals() const { return m_totals.size(); }
    [[nodiscard]] static std::uint32_t totalOf(StepPass pass) {
        return static_cast<std::uint32_t>(pass);
    }
    void tellHost() { m_hasHost = true; }
    void tellSelfTime() { m_isOfHost = true; }

    // Everything but sums.
    [[nodiscard]] CallTree tree() const;

    void encode(store::Bytes& out) const;
    static bool decode(store::ByteView bytes, CallPaths& paths);

private:
    struct Texts {
        std::vector<std::string> list;
        std::unordered_map<std::string, std::uint32_t> numbers;
        std::uint32_t add(std::string_view text);
        void encode(store::Bytes& out) const;
        bool decode(store::ByteReader& in);
    };
    [[nodiscard]] StepPass passBelow(StepPass parent, Told told) const;
    std::uint32_t total(const CallTotal& total);

    Texts m_names;
    Texts m_signatures;
    std::vector<CallFrame> m_frames;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>, SpreadHash> m_framesByKey;
    std::vector<Path> m_paths;
    std::unordered_map<std::uint64_t, std::uint32_t, SpreadHash> m_pathsByKey; // parent and frame
    std::vector<CallTotal> m_totals; // without sums; the first are those of passes
    std::unordered_map<std::uint64_t, std::uint32_t, SpreadHash> m_totalsByKey;
    bool m_hasHost = false;
    bool m_isOfHost = false;
    bool m_isFull = false;
};

// The sums of a part of a rank's time over the paths of its call tree, as they are kept.

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
