#pragma once
// The pyramid above the samples of a series. A node of level 1 stands for kLeafSamples consecutive
// samples, a node of level k+1 for kFanout nodes of level k; node i of a level covers the children
// i·kFanout .. , so that a node is found by arithmetic.
//
// A page of nodes: u8 shift, varint nodes, then columns of integers (IntColumn.h): begin >> shift;
// (next - end) >> shift, where next is the begin of the node behind; ns that are missing; count;
// flags. Behind the first: signed varint next of the last node. Then u8 kind of the values: 1 u8 k,
// the columns min·10^k and (max - min)·10^k; 2 the same of the order of the floats that hold them.
// Then the columns of first and last (0..255) and mean (0..65535) between min and max. Times are
// rounded outwards by less than 2^shift ns, which is a small part of a period, floats too: what a
// node says contains its samples.

#include "core/model/Result.h"
#include "core/store/codec/Bytes.h"
#include "core/store/codec/IntColumn.h"

#include <functional>

namespace trainscope::store {

inline constexpr std::int64_t kLeafSamples = 64;
inline constexpr std::int64_t kFanout = 4;
inline constexpr std::size_t kPageNodes = 512;
// Series up to this long are read raw; above, a level is kept when it has at least kLeastNodes
// nodes.
inline constexpr std::int64_t kRawSamples = 16384;
inline constexpr std::int64_t kLeastNodes = 64;

inline constexpr std::uint32_t kGapInside = 1; // a missing sample, or a hole between its samples
inline constexpr std::uint32_t kGapAfter = 2; // the interval behind its last sample is missing

// A node while it is built; values as they are handed in.
struct NodeSums {
    std::int64_t begin = 0; // first sample
    std::int64_t end = 0; // last sample
    std::int64_t next = 0; // first sample behind; end when there is none
    std::int64_t weight = 0; // ns that its non-missing samples hold
    double first = 0.0; // among the non-missing ones
    double last = 0.0;
    double min = 0.0;
    double max = 0.0;
    double weighted = 0.0; // Σ value·ns
    double plain = 0.0; // Σ value
    std::uint32_t count = 0; // samples that are not missing
    std::uint32_t flags = 0;

    // Adds the node behind this one.
    void append(const NodeSums& node);
    [[nodiscard]] double mean() const; // time-weighted; of samples that hold for no time, plain
};

// A node as it is read; SI.
struct BucketNode {
    std::int64_t begin = 0;
    std::int64_t end = 0; // may be a little behind next
    std::int64_t next = 0;
    std::int64_t weight = 0;
    float first = 0.0F; // NaN when every sample is missing
    float last = 0.0F;
    float min = 0.0F;
    float max = 0.0F;
    float mean = 0.0F; // time-weighted
    std::uint32_t count = 0;
    std::uint32_t flags = 0;
};

std::int64_t samplesPerNode(int level); // level 1: kLeafSamples
int levelsFor(std::int64_t samples); // levels that are kept, 0: none

float roundDown(double value);
float roundUp(double value);

// Appends the nodes of level 1 of these samples, of which the first begins one. `next`: until when
// the last sample holds. holeNs: an interval longer than this is a hole in the recording.
void appendLeaves(std::span<const std::int64_t> times, std::span<const double> values,
    std::int64_t next, std::int64_t holeNs, std::vector<NodeSums>& leaves);

// At most kPageNodes nodes in a row. periodNs: of the samples, for the precision of times.
void encodeNodes(std::span<const NodeSums> nodes, std::int64_t periodNs, Bytes& out,
    Squeeze squeeze = Squeeze::No);
// `scale` brings the values to SI. False when the bytes are no page of nodes.
bool decodeNodes(ByteView bytes, double scale, std::vector<BucketNode>& nodes);
// Appends the same page with no column under zstd, for a reader without it. False: see above.
bool unsqueezeNodes(ByteView bytes, Bytes& out);

// Builds the pyramid of one series from its nodes of level 1 in order of time, in one pass and
// constant memory.
class PyramidBuilder {
public:
    // Takes the nodes of one page; firstIndex counts nodes of that level.
    using PageSink = std::function<Status(
        int level, std::int64_t firstIndex, std::span<const NodeSums> nodes)>;

    PyramidBuilder(int levels, PageSink sink);

    Status add(std::span<const NodeSums> leaves);
    Status finish();

private:
    struct Level {
        NodeSums open;
        std::int64_t children = 0; // in `open`
        std::vector<NodeSums> page;
        std::int64_t written = 0;
    };

    Status put(std::size_t level, const NodeSums& node);
    Status writePage(std::size_t level);

    std::vector<Level> m_levels;
    PageSink m_sink;
};

} // namespace trainscope::store
