#pragma once
// The network cards of a node below its GPUs, each with lines to the GPUs that are nearest to it by
// an imported topology. Pure.

#include "core/layout/Cluster.h"
#include "core/plot/Canvas.h"

#include <vector>

namespace trainscope::plot {

// `cells`: of the node's GPUs, in their order. Names that do not fit are numbers, or left out.
// Lines are full over PCIe bridges, faint over the CPU.
void addNics(const Canvas& canvas, const layout::Topology& topology,
    const layout::ClusterNode& node, const std::vector<Rect>& cells, const Rect& area);

} // namespace trainscope::plot
