#pragma once
// The call stacks of a snapshot, each kept once: for people as texts, and what they say of the use
// of memory that they allocated.

#include "core/analysis/machine/AllocatorMemory.h"

#include <unordered_map>

namespace trainscope::importers::memorysnapshot {

using StackId = std::uint32_t;
using FrameId = std::uint32_t;
inline constexpr StackId kNoStack = 0;

// A call as a frame tells it.
struct Call {
    std::string_view function;
    std::string_view file;
    std::int64_t line = 0;
};

class StackTable {
public:
    static constexpr std::size_t kMostFrames = std::size_t{1} << 18; // others say nothing
    static constexpr std::size_t kMostStacks = std::size_t{1} << 18;

    StackTable();

    FrameId frame(const Call& call);
    // Innermost first; its first kMostCalls are kept as texts, those in Python where there are any.
    StackId stack(const std::vector<FrameId>& frames);

    // Use of what such calls allocate: the innermost call that says anything decides.
    [[nodiscard]] analysis::MemoryUse useOf(StackId stack) const;
    [[nodiscard]] std::vector<std::string> callsOf(StackId stack) const;

private:
    struct Frame {
        std::string text;
        bool isPython = false;
        std::optional<analysis::MemoryUse> use;
    };
    using Stack = std::pair<std::vector<FrameId>, analysis::MemoryUse>;
    std::vector<Frame> m_frames; // the first is none
    std::unordered_map<std::string, FrameId> m_frameIndex;
    std::map<Stack, StackId> m_stackIndex;
    std::vector<const Stack*> m_stacks; // the first is none
};

// Use that a call says, by its function and file; absent: it says nothing.
std::optional<analysis::MemoryUse> useOfCall(const Call& call);

} // namespace trainscope::importers::memorysnapshot
