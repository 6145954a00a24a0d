#pragma once
// Builds the pyramid of one series from its samples in order of time, in one pass and constant
// memory.

#include "core/model/Result.h"
#include "core/store/BucketNode.h"

#include <functional>
#include <optional>
#include <vector>

namespace trainscope::store {

class PyramidBuilder {
public:
    // Takes the nodes of one page; firstIndex counts nodes of that level.
    using PageSink = std::function<Status(
        int level, std::int64_t firstIndex, const std::vector<BucketNode>& nodes)>;

    // holeNs: an interval longer than this is a hole in the recording.
    PyramidBuilder(int levels, std::int64_t holeNs, PageSink sink);

    // SI value, NaN for missing.
    Status add(std::int64_t time, double value);
    // `end`: until when the last sample holds; absent: it holds for no time.
    Status finish(std::optional<std::int64_t> end = std::nullopt);

private:
    struct Accumulator {
        BucketNode node;
        double min = 0.0;
        double max = 0.0;
        double weighted = 0.0; // Σ value·ns
        double plain = 0.0; // Σ value
        std::int64_t children = 0;
    };
    struct Level {
        Accumulator open;
        std::vector<BucketNode> page;
        std::int64_t written = 0;
    };
    struct Pending {
        std::int64_t time;
        double value;
    };

    Status absorb(const Pending& sample, std::int64_t next);
    Status close(std::size_t level);
    Status writePage(std::size_t level);
    static void merge(Accumulator& into, const Accumulator& child);

    std::vector<Level> m_levels;
    std::int64_t m_holeNs;
    PageSink m_sink;
    std::optional<Pending> m_pending;
};

} // namespace trainscope::store
