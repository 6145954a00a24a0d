#pragma once
// Launch configurations to ask for memory, and what comes of them on a stage.

#include "core/analysis/machine/RunMemory.h"
#include "core/layout/LayoutRequest.h"

#include <QtGlobal>

#include <cmath>
#include <optional>
#include <utility>

namespace trainscope::test {

inline layout::Layout layoutOf(const LaunchConfig& launch) {
    auto made = layout::makeLayout(layout::layoutFromLaunch(launch, std::nullopt).value());
    if (!made.hasValue())
        qFatal("%s", made.error().message.c_str());
    return std::move(made).value();
}

inline analysis::MemoryNeed needOf(
    const LaunchConfig& launch, std::optional<double> capacity = {}) {
    const auto needs = analysis::memoryNeedsOf(launch, layoutOf(launch), capacity);
    if (needs.empty())
        qFatal("no need");
    return needs.front();
}

inline analysis::MemoryRequest requestOf(const LaunchConfig& launch) {
    const auto request = analysis::memoryRequestOf(launch, layoutOf(launch));
    if (!request)
        qFatal("no request");
    return *request;
}

inline analysis::StageNeed partsOf(const LaunchConfig& launch, int stage = 0) {
    return analysis::stageNeedOf(requestOf(launch), stage);
}

// h = 1000, 10 layers, 10 heads, a batch of 8 samples of 100 tokens.
inline LaunchConfig smallLaunch() {
    LaunchConfig launch;
    launch.nodes = 1;
    launch.gpusPerNode = 1;
    launch.precision = "bf16";
    launch.workload = Workload::Training;
    launch.layers = 10;
    launch.hiddenSize = 1000;
    launch.attentionHeads = 10;
    launch.ffnSize = 4000;
    launch.gatedMlp = false;
    launch.tiedEmbeddings = true;
    launch.vocabulary = 500;
    launch.sequenceLength = 100;
    launch.microBatch = 1;
    launch.globalBatch = 8;
    return launch;
}

inline bool isAbout(double value, double expected, double within) {
    if (std::abs(value / expected - 1.0) <= within)
        return true;
    qWarning("%g instead of %g", value, expected);
    return false;
}

} // namespace trainscope::test
