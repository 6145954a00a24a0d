#pragma once
// The paths of a call tree, and the totals that they count in, while spans are read: each has a
// number, to which kept sums refer. One thread.

#include "core/analysis/operators/CallTree.h"
#include "core/store/codec/Bytes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

    std::uint32_t name(std::string_view text);
    std::uint32_t signature(std::string_view detail);
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

} // namespace trainscope::analysis
