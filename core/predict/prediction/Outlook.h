#pragma once
// Power, clock and heat of a predicted step: what each stage does is played through the power model
// of its GPU and the air of its node. Pure; any thread.

#include "core/layout/Cluster.h"
#include "core/predict/prediction/Prediction.h"

namespace trainscope::predict {

Activity activityOf(StepPart part);
// The machine of a job: nodes of GPUs in the order of the air, ascending.
layout::Cluster clusterOf(const Job& job);
// Limits of the job's GPUs, and the air around them.
Surroundings surroundingsOf(const Job& job, const PowerBasis& basis);

// Seconds of each activity in a pass; what it recomputes is spent as its forward pass is.
ActivityTimes activitiesOf(const Breakdown& pass, const Breakdown& forward);
// Of a pass of one token a sample, which waits for what it reads, whatever it multiplies.
ActivityTimes decodingOf(const Breakdown& pass);
// The same where no more is known than the parts of a stage's step.
ActivityTimes activitiesOf(const Step& step, const Breakdown& forward);

Outlook outlookOf(const Job& job, const Step& step, const PowerBasis& basis);
// GPUs of a node of the job's cluster, each with the power of its stage and the temperature that it
// settles at.
std::vector<GpuOutlook> nodeOutlook(const Job& job, const std::vector<double>& stageW,
    const PowerBasis& basis, const layout::ClusterNode& node);

// On the seconds of each activity, where the job's power limit or clock is lowered.
ByActivity<double> limitFactors(const Job& job, const Step& step, const PowerBasis& basis);

// Costs of operators on a GPU that is slower than usual.
class SlowedCosts : public OperatorCosts {
public:
    SlowedCosts(const OperatorCosts& usual, const ByActivity<double>& factors)
        : m_usual(usual)
        , m_factors(factors) { }
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override;

private:
    const OperatorCosts& m_usual;
    ByActivity<double> m_factors;
};

} // namespace trainscope::predict
