#pragma once
// The pyramid above the samples of a series. A node of level 1 stands for kLeafSamples consecutive
// samples, a node of level k+1 for kFanout nodes of level k; node i of a level covers the children
// i·kFanout .. , so that a node is found by arithmetic. Values are SI; floats are rounded outwards,
// so that [min, max] holds every sample.

#include "core/store/Bytes.h"

#include <cstdint>
#include <vector>

namespace trainscope::store {

inline constexpr std::int64_t kLeafSamples = 32;
inline constexpr std::int64_t kFanout = 8;
inline constexpr std::size_t kPageNodes = 512;
// Series up to this long are read raw; above, a level is kept when it has at least kLeastNodes
// nodes.
inline constexpr std::int64_t kRawSamples = 4096;
inline constexpr std::int64_t kLeastNodes = 64;

inline constexpr std::uint32_t kGapInside = 1; // a missing sample, or a hole between its samples
inline constexpr std::uint32_t kGapAfter = 2; // the interval behind its last sample is missing

struct BucketNode {
    std::int64_t begin = 0; // first sample
    std::int64_t end = 0; // last sample
    std::int64_t next = 0; // first sample behind; end when there is none
    std::int64_t weight = 0; // ns that its non-missing samples hold
    float first = 0.0F; // NaN when every sample is missing
    float last = 0.0F;
    float min = 0.0F;
    float max = 0.0F;
    float mean = 0.0F; // time-weighted
    std::uint32_t count = 0; // samples that are not missing
    std::uint32_t flags = 0;
};

std::int64_t samplesPerNode(int level); // level 1: kLeafSamples
int levelsFor(std::int64_t samples); // levels that are kept, 0: none

float roundDown(double value);
float roundUp(double value);

// A page of nodes: u8 1 and the plain structs for levels above 1, else u8 0 and compressed columns.
void encodeNodes(const std::vector<BucketNode>& nodes, int level, Bytes& out);
// False when the bytes are no such page of `count` nodes.
bool decodeNodes(ByteView bytes, std::size_t count, std::vector<BucketNode>& nodes);

} // namespace trainscope::store
