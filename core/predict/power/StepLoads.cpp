#include "core/predict/power/StepLoads.h"

#include "core/model/Try.h"
#include "core/predict/cost/Analytic.h"

namespace trainscope::predict {

namespace {

Activity activityOf(const Operator& work) {
    if (isStreamed(work))
        return Activity::Memory;
    switch (work.kind) {
    case OperatorKind::Gemm:
    case OperatorKind::GroupedGemm:
    case OperatorKind::Router:
        return Activity::Gemm;
    case OperatorKind::FlashAttention:
    case OperatorKind::AttentionScores:
    case OperatorKind::AttentionValues:
        return Activity::Attention;
    default:
        return Activity::Memory;
    }
}

void addActivities(const Breakdown& parts, double times, ActivityTimes& into) {
    for (const StepPart part : kAllStepParts) {
        if (part != StepPart::Recomputation)
            into[activityOf(part)].seconds += times * parts[part];
    }
}

// Recomputation repeats a part of the forward pass, in its proportions.
void addRecomputation(const Breakdown& pass, double again, ActivityTimes& into) {
    const double forward = pass.total();
    if (forward > 0.0 && again > 0.0)
        addActivities(pass, again / forward, into);
}

void addDecoding(const Breakdown& parts, double times, ActivityTimes& into) {
    for (const StepPart part : kAllStepParts) {
        const Activity activity = activityOf(part);
        const bool isProduct = activity == Activity::Gemm || activity == Activity::Attention;
        into[isProduct ? Activity::Memory : activity].seconds += times * parts[part];
    }
}

std::size_t gpusOfNode(const Job& job) {
    return static_cast<std::size_t>(std::min(job.layout.gpusPerNode, job.gpus()));
}

// On the seconds of each activity at the highest clock.
ByActivity<double> clockFactors(const Job& job, const Step& step, const PowerBasis& basis) {
    const GpuPower& gpu = basis.gpu;
    const SteadyPower steady = steadyPower(
        gpu, loadsOf(gpu, activitiesOf(job, step, step.slowestStage)), surroundingsOf(job, basis));
    ByActivity<double> factors;
    for (const Activity activity : kAllActivities)
        factors[activity] = 1.0 / rateAt(gpu.clockBound[activity], steady.clock);
    return factors;
}

// Costs of operators on a GPU that is slower than usual.
class SlowedCosts : public OperatorCosts {
public:
    SlowedCosts(const OperatorCosts& usual, const ByActivity<double>& factors)
        : m_usual(usual)
        , m_factors(factors) { }

    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        OperatorTime time = m_usual.timeOf(work);
        const double factor = m_factors[activityOf(work)];
        time.forward *= factor;
        time.backward *= factor;
        return time;
    }

private:
    const OperatorCosts& m_usual;
    ByActivity<double> m_factors;
};

} // namespace

Activity activityOf(StepPart part) {
    switch (part) {
    case StepPart::Gemm:
    case StepPart::Loss:
        return Activity::Gemm;
    case StepPart::Attention:
        return Activity::Attention;
    case StepPart::Elementwise:
    case StepPart::Embedding:
    case StepPart::Optimizer:
    case StepPart::Recomputation: // divided by what a forward pass is
        return Activity::Memory;
    case StepPart::TensorParallel:
    case StepPart::ContextParallel:
    case StepPart::ExpertParallel:
    case StepPart::Sharding:
    case StepPart::DataParallel:
        return Activity::Communication;
    case StepPart::Gap:
    case StepPart::Bubble:
    case StepPart::Jitter:
        break;
    }
    return Activity::Waiting;
}

Surroundings surroundingsOf(const Job& job, const PowerBasis& basis) {
    return {job.machine.powerLimitW, job.machine.clockHz, basis.airOf(gpusOfNode(job)).inletC};
}

ActivityTimes activitiesOf(const Breakdown& pass, const Breakdown& forward) {
    ActivityTimes times;
    addActivities(pass, 1.0, times);
    addRecomputation(forward, pass[StepPart::Recomputation], times);
    return times;
}

ActivityTimes decodingOf(const Breakdown& pass) {
    ActivityTimes times;
    addDecoding(pass, 1.0, times);
    return times;
}

ActivityTimes activitiesOf(const Step& step, const Breakdown& forward) {
    ActivityTimes times;
    Breakdown parts = step.breakdown;
    if (step.inference) {
        parts += step.inference->decodeParts.times(-1.0);
        addDecoding(step.inference->decodeParts, 1.0, times);
    }
    addActivities(parts, 1.0, times);
    addRecomputation(forward, parts[StepPart::Recomputation], times);
    return times;
}

ActivityTimes activitiesOf(const Job& job, const Step& step, int stage) {
    ActivityTimes times;
    const double microbatches = job.microbatches();
    const double each = microbatches * layout::shareOfMicrobatches(job.layout);
    for (const int place : layout::piecesOn(job.layout, stage)) {
        if (static_cast<std::size_t>(place) >= step.pieces.size())
            continue; // as in an estimate
        const PieceCost& piece = step.pieces[static_cast<std::size_t>(place)];
        addActivities(piece.forward, each, times);
        addActivities(piece.backward, each, times);
        addRecomputation(piece.forward, each * piece.backward[StepPart::Recomputation], times);
        const double moved = each * piece.movedLoss;
        times[Activity::Gemm].seconds -= moved;
        times[Activity::Memory].seconds += moved;
    }
    if (step.inference && job.decodes() > 0)
        addDecoding(step.inference->decodePieces[static_cast<std::size_t>(stage)].forward,
            microbatches * job.decodes(), times);
    times[Activity::Communication].seconds += step.breakdown[StepPart::DataParallel];
    times[Activity::Memory].seconds += step.breakdown[StepPart::Optimizer];
    double busy = 0.0;
    for (const Activity activity : kAllActivities)
        busy += times[activity].seconds;
    times[Activity::Waiting].seconds += std::max(0.0, step.seconds - busy);
    // One GPU waits for no other, so no kernel polls.
    times[Activity::Waiting].isBrief = job.gpus() == 1;
    times[Activity::Waiting].intensity = job.gpus() > 1 ? 1.0 : 0.0;
    return times;
}

Slowing slowingOf(const Job& job, const Rates& rates) {
    if (rates.alone > 0.0)
        return Slowing::FromHighest;
    return job.machine.powerLimitW || job.machine.clockHz ? Slowing::FromUsual : Slowing::None;
}

Result<Step> stepAtClock(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives, Slowing slowing, const PowerBasis& basis, bool simulate) {
    ASSIGN_OR_RETURN(auto step, predictStep(job, rates, operators, collectives, simulate));
    if (slowing == Slowing::None)
        return step;
    const SlowedCosts slowed(operators,
        slowing == Slowing::FromHighest
            ? clockFactors(job, step, basis)
            : relimited(
                basis.gpu, activitiesOf(job, step, step.slowestStage), surroundingsOf(job, basis))
                  .factors);
    return predictStep(job, rates, slowed, collectives, simulate);
}

Result<Step> stepAtClock(const Job& job, const Rates& rates, bool simulate) {
    if (rates.alone <= 0.0)
        return predictStep(job, rates, simulate);
    const AnalyticCosts costs(rates);
    return stepAtClock(
        job, rates, costs, costs, Slowing::FromHighest, powerBasisOf(job.machine.gpu), simulate);
}

} // namespace trainscope::predict
