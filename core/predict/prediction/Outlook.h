#pragma once
// Power, clock and heat of a predicted step: what each stage does is played through the power model
// of its GPU and the air of its node. Pure; any thread.

#include "core/layout/Cluster.h"
#include "core/predict/power/StepLoads.h"
#include "core/predict/prediction/Prediction.h"

namespace trainscope::predict {

// The machine of a job: nodes of GPUs in the order of the air, ascending.
layout::Cluster clusterOf(const Job& job);

Outlook outlookOf(const Job& job, const Step& step, const PowerBasis& basis);
// GPUs of a node of the job's cluster, each with the power of its stage and the temperature that it
// settles at.
std::vector<GpuOutlook> nodeOutlook(const Job& job, const std::vector<double>& stageW,
    const PowerBasis& basis, const layout::ClusterNode& node);

} // namespace trainscope::predict
