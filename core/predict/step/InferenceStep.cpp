#include "core/predict/step/InferenceStep.h"

#include "core/predict/step/StageCosts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::predict {

namespace {

// One pass of a micro-batch through all stages.
struct PipelinePass {
    std::vector<PieceCost> stages; // forward alone
    std::vector<double> seconds; // of them
    double send = 0.0; // to the next

    [[nodiscard]] double through() const {
        double sum = 0.0;
        for (const double stage : seconds)
            sum += stage;
        return sum;
    }
    [[nodiscard]] double slowest() const {
        return *std::max_element(seconds.begin(), seconds.end());
    }
};

class InferenceBuilder {
public:
    InferenceBuilder(const Job& job, const Rates& rates, const LayerCosts& layers,
        const CollectiveCosts& collectives)
        : m_job(job)
        , m_rates(rates)
        , m_collectives(collectives)
        , m_shares(stageShares(job))
        , m_prefill(passOf(layers, 1.0 * job.prompt() / job.layout.grid.degrees().context)) {
        if (layers.decode)
            m_decode = passOf(*layers.decode, 1.0);
    }

    Step build(bool detailed) {
        m_made.inFlight = m_job.inFlight();
        m_made.firstTokenSeconds = prefillOf(m_made.inFlight);
        const int groups = m_job.microbatches() / m_made.inFlight;
        addGroups(m_made.inFlight, groups);
        addGroups(m_job.microbatches() % m_made.inFlight, 1);
        addSlowest();
        addAround();
        if (detailed)
            m_step.schedule = schedule();
        m_step.pieces = m_prefill.stages;
        if (m_decode) {
            m_made.tokenSeconds = roundOf(m_made.inFlight);
            m_made.decodePieces = m_decode->stages;
        }
        m_step.inference = std::move(m_made);
        return std::move(m_step);
    }

private:
    [[nodiscard]] PipelinePass passOf(const PassCosts& layers, double tokensOfSample) const {
        PipelinePass pass;
        for (const ModelShare& share : m_shares) {
            pass.stages.push_back(costOf(m_job, layers, share));
            pass.seconds.push_back(pass.stages.back().forward.total());
        }
        pass.send = sendSeconds(m_job, m_rates, m_collectives, m_job.microBatch * tokensOfSample);
        return pass;
    }

    [[nodiscard]] double sends(int number) const { return m_shares.size() > 1 ? number : 0; }

    [[nodiscard]] double prefillOf(int inFlight) const {
        const int stages = static_cast<int>(m_shares.size());
        return m_prefill.through() + sends(stages - 1) * m_prefill.send
            + (inFlight - 1) * m_prefill.slowest();
    }

    [[nodiscard]] double roundOf(int inFlight) const {
        const int stages = static_cast<int>(m_shares.size());
        return std::max(
            inFlight * m_decode->slowest(), m_decode->through() + sends(stages) * m_decode->send);
    }

    void addGroups(int inFlight, int groups) {
        if (inFlight < 1)
            return;
        m_made.prefillSeconds += groups * prefillOf(inFlight);
        if (m_decode)
            m_made.decodeSeconds += groups * m_job.decodes() * roundOf(inFlight);
    }

    // Time of all micro-batches' decoding on a stage.
    [[nodiscard]] Breakdown decodedBy(std::size_t stage) const {
        return m_decode
            ? m_decode->stages[stage].forward.times(1.0 * m_job.microbatches() * m_job.decodes())
            : Breakdown{};
    }

    void addSlowest() {
        double all = 0.0;
        double most = -1.0;
        for (std::size_t stage = 0; stage < m_shares.size(); ++stage) {
            const Breakdown decode = decodedBy(stage);
            Breakdown step = m_prefill.stages[stage].forward.times(m_job.microbatches());
            step += decode;
            const double seconds = step.total();
            all += seconds;
            if (seconds <= most)
                continue;
            most = seconds;
            m_step.slowestStage = static_cast<int>(stage);
            m_step.breakdown = step;
            m_made.decodeParts = decode;
        }
        m_step.balance = most > 0.0 ? all / static_cast<double>(m_shares.size()) / most : 1.0;
    }

    void addAround() {
        const double passes = m_made.prefillSeconds + m_made.decodeSeconds;
        m_step.breakdown[StepPart::Bubble] = std::max(0.0, passes - m_step.breakdown.total());
        m_step.breakdown[StepPart::Gap] += m_rates.stepSeconds;
        const double gpus = 1.0 * m_job.gpus() / m_job.layout.grid.degrees().data;
        const double doublings = std::max(0.0, std::log2(gpus / 8.0));
        m_step.breakdown[StepPart::Jitter] = m_step.breakdown.total() * m_rates.jitter * doublings;
        m_step.seconds = m_step.least = m_step.breakdown.total();
    }

    // The schedule of the prompts in flight.
    [[nodiscard]] layout::Schedule schedule() const {
        layout::Schedule plan;
        plan.kind = layout::ScheduleKind::GPipe;
        plan.stages = static_cast<int>(m_shares.size());
        plan.microbatches = m_made.inFlight;
        plan.makespan = m_made.firstTokenSeconds;
        double first = 0.0;
        double slowest = 0.0;
        double busy = 0.0;
        for (int stage = 0; stage < plan.stages; ++stage) {
            const double seconds = m_prefill.seconds[static_cast<std::size_t>(stage)];
            slowest = std::max(slowest, seconds);
            for (int i = 0; i < plan.microbatches; ++i) {
                const double begin = first + i * slowest;
                plan.tasks.push_back(
                    {stage, 0, i, layout::TaskKind::Forward, begin, begin + seconds});
            }
            first += seconds + m_prefill.send;
            busy += seconds * plan.microbatches;
            plan.stageBubble.push_back(1.0 - seconds * plan.microbatches / plan.makespan);
            plan.peakInFlight.push_back(plan.microbatches);
        }
        plan.bubbleFraction = 1.0 - busy / (plan.stages * plan.makespan);
        return plan;
    }

    const Job& m_job;
    const Rates& m_rates;
    const CollectiveCosts& m_collectives;
    std::vector<ModelShare> m_shares;
    PipelinePass m_prefill;
    std::optional<PipelinePass> m_decode;
    InferenceTimes m_made;
    Step m_step;
};

} // namespace

Step inferenceStep(const Job& job, const Rates& rates, const LayerCosts& layers,
    const CollectiveCosts& collectives, bool detailed) {
    return InferenceBuilder(job, rates, layers, collectives).build(detailed);
}

} // namespace trainscope::predict
