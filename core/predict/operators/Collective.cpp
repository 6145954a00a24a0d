#include "core/predict/operators/Collective.h"

namespace trainscope::predict {
namespace {

using layout::Decomposition;

int linkDomainOf(const Job& job) {
    return std::max(job.layout.gpusPerNode,
        job.machine.linkDomain.value_or(job.machine.gpu.linkDomain.value_or(0)));
}

// The number that the rank has in Megatron-LM's order.
int usualRankOf(const layout::RankGrid& grid, int rank, Decomposition decomposition) {
    const layout::RankPosition at = grid.position(rank);
    const layout::Degrees& degrees = grid.degrees();
    if (decomposition == Decomposition::Dense)
        return at.tensor
            + degrees.tensor
            * (at.context + degrees.context * (at.data + degrees.data * at.pipeline));
    return at.expertTensor
        + degrees.expertTensor
        * (at.expert + degrees.expert * (at.expertData + grid.expertData() * at.pipeline));
}

} // namespace

RankGroup RankGroup::shard(int most) const {
    return {std::min(most, ranks), stride, decomposition};
}

RankGroup RankGroup::acrossShards(int most) const {
    const int each = shard(most).ranks;
    return {ranks / each, stride * each, decomposition};
}

RankGroup denseReplicas(const Job& job) {
    const layout::Degrees& degrees = job.layout.grid.degrees();
    return {degrees.data * degrees.context, degrees.tensor, Decomposition::Dense};
}

RankGroup expertReplicas(const Job& job) {
    const layout::Degrees& degrees = job.layout.grid.degrees();
    return {
        job.layout.grid.expertData(), degrees.expertTensor * degrees.expert, Decomposition::Expert};
}

int ranksInside(const Job& job, const RankGroup& group) {
    const layout::RankGrid& grid = job.layout.grid;
    const int domain = linkDomainOf(job);
    if (grid.order() == layout::kMegatronOrder)
        return std::clamp(domain / std::max(1, group.stride), 1, group.ranks);
    int inside = 0;
    for (int rank = 0; rank < std::min(domain, grid.worldSize()); ++rank) {
        const int usual = usualRankOf(grid, rank, group.decomposition);
        inside += usual % group.stride == 0 && usual / group.stride < group.ranks ? 1 : 0;
    }
    return inside;
}

} // namespace trainscope::predict
