#include "core/analysis/energy/Efficiency.h"

#include "core/catalogue/GpuGuess.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/WholeNumber.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr double kMega = 1e6;
constexpr const char* kNoBatch
    = "Neither a launch configuration nor a mark states the global batch.";
constexpr const char* kNoSequence
    = "Neither a launch configuration nor a mark states the sequence length.";

// Peak of the narrowest precision that the text names, as people write it ("bf16 with fp8").
std::optional<double> peakIn(const std::string& precision, const catalogue::GpuModel& gpu) {
    const auto has
        = [&precision](const char* word) { return precision.find(word) != std::string::npos; };
    if (has("fp4"))
        return gpu.fp4Flops;
    if (has("fp8"))
        return gpu.fp8Flops;
    if (has("bf16") || has("bfloat16"))
        return gpu.bf16Flops;
    return has("16") || has("half") ? gpu.fp16Flops : std::nullopt;
}

// Makes the figures one from the other; what stops one is the reason of all that need it.
class Maker {
public:
    Maker(const EfficiencyFacts& facts, const catalogue::ModelCatalogue& catalogue)
        : m_facts(facts)
        , m_launch(facts.launch)
        , m_catalogue(catalogue)
        , m_samples(facts.samplesPerStep)
        , m_sequence(facts.launch.sequenceLength)
        , m_tokens(facts.tokensPerStep) {
        if (!m_samples && m_launch.globalBatch)
            m_samples = *m_launch.globalBatch;
        if (!m_sequence && m_tokens && m_samples && *m_samples > 0.0)
            m_sequence = nearestWhole<int>(*m_tokens / *m_samples);
        if (!m_samples && m_tokens && m_sequence && *m_sequence > 0)
            m_samples = *m_tokens / *m_sequence;
        if (!m_tokens && m_samples && m_sequence)
            m_tokens = *m_samples * *m_sequence;
    }

    Efficiency make() {
        m_made.catalogueProblem = m_catalogue.problem;
        static_cast<CountedSteps&>(m_made) = m_facts;
        takeStep();
        takeRates();
        takeModel();
        takeEnergy();
        takeUtilisation();
        takeAsCharllm();
        return std::move(m_made);
    }

private:
    void lack(std::initializer_list<const char*> keys, const std::string& why) {
        for (const char* key : keys)
            m_made.missing.try_emplace(key, why);
    }

    void takeStep() {
        if (m_made.stepTimeS)
            return;
        const std::string why
            = "The length of a step is not known: " + m_facts.stepTimeOrigin + ".";
        lack({"step_time_s", "samples_per_s", "samples_per_s_per_mj", "tflops_per_gpu", "mfu",
                 "tokens_per_j"},
            why);
        if (!isLogged())
            lack({"tokens_per_s", "tokens_per_s_per_gpu"}, why);
    }

    // Takes the rates that the program logged, where nobody states what it worked on.
    void takeLogged() {
        m_made.tokensPerS = m_facts.loggedTokensPerS;
        if (m_facts.gpus > 0)
            m_made.tokensPerSPerGpu = *m_made.tokensPerS / m_facts.gpus;
        else
            lack({"tokens_per_s_per_gpu"}, "The number of GPUs is not known.");
        if (m_made.stepTimeS && m_facts.energyPerStepJ && *m_facts.energyPerStepJ > 0.0)
            m_made.tokensPerJ = *m_made.tokensPerS * *m_made.stepTimeS / *m_facts.energyPerStepJ;
    }

    [[nodiscard]] bool isLogged() const { return m_facts.loggedTokensPerS && !m_tokens; }

    void takeRates() {
        if (isLogged())
            takeLogged();
        else
            lackTokens();
        if (!m_samples)
            lack({"samples_per_s", "samples_per_s_per_mj", "tflops_per_gpu", "mfu"}, kNoBatch);
        if (!m_sequence)
            lack({"tflops_per_gpu", "mfu"}, kNoSequence);
        if (m_facts.gpus <= 0)
            lack({"tflops_per_gpu", "mfu"}, "The number of GPUs is not known.");
        if (!m_made.stepTimeS)
            return;
        if (m_samples)
            m_made.samplesPerS = *m_samples / workTimeS();
        if (!m_tokens)
            return;
        m_made.tokensPerS = *m_tokens / workTimeS();
        if (m_facts.gpus > 0)
            m_made.tokensPerSPerGpu = *m_made.tokensPerS / m_facts.gpus;
    }

    [[nodiscard]] double workTimeS() const {
        return m_facts.meanStepTimeS.value_or(*m_made.stepTimeS);
    }

    void lackTokens() {
        if (!m_tokens)
            lack({"tokens_per_s", "tokens_per_s_per_gpu", "tokens_per_j"},
                m_samples ? kNoSequence : kNoBatch);
        if (m_facts.gpus <= 0)
            lack({"tokens_per_s_per_gpu"}, "The number of GPUs is not known.");
    }

    void takeModel() {
        const auto shape = shapeOf(m_launch, m_catalogue);
        if (!shape.hasValue()) {
            lack({"tflops_per_gpu", "mfu", "parameters"}, shape.error().message);
            return;
        }
        const auto& model = shape.value().model;
        m_made.modelOrigin = shape.value().origin;
        m_made.parameters = parametersOf(model).total;
        m_made.activeParameters = parametersOf(model).active;
        if (!m_launch.workload)
            lack({"tflops_per_gpu", "mfu"},
                "It is not stated whether this is training, LoRA or inference.");
        if (!m_launch.workload || !m_sequence || *m_sequence <= 0)
            return;
        const ModelWork work
            = workOf(model, *m_launch.workload, *m_sequence, m_launch.generatedTokens.value_or(0));
        m_made.formula = work.formula;
        if (m_samples)
            m_made.flopPerStep = work.flopPerSample * *m_samples;
        if (m_made.flopPerStep && m_made.stepTimeS && m_facts.gpus > 0)
            m_made.flopsPerGpu = *m_made.flopPerStep / workTimeS() / m_facts.gpus;
    }

    void takeEnergy() {
        if (!m_facts.windowEnergyJ || *m_facts.windowEnergyJ <= 0.0)
            lack({"samples_per_s_per_mj"}, whyNoEnergy());
        else if (m_made.samplesPerS)
            m_made.samplesPerSPerMj = *m_made.samplesPerS / (*m_facts.windowEnergyJ / kMega);
        if (!m_facts.energyPerStepJ || *m_facts.energyPerStepJ <= 0.0)
            lack({"tokens_per_j"}, whyNoEnergy());
        else if (m_tokens)
            m_made.tokensPerJ = *m_tokens / *m_facts.energyPerStepJ;
    }

    [[nodiscard]] std::string whyNoEnergy() const {
        return m_facts.whyNoEnergy.empty() ? "There is no power in the window."
                                           : m_facts.whyNoEnergy;
    }

    void takeUtilisation() {
        std::string why;
        m_made.peakFlops = peak(why);
        if (!m_made.peakFlops)
            lack({"mfu"}, why);
        else if (m_made.flopsPerGpu)
            m_made.mfu = *m_made.flopsPerGpu / *m_made.peakFlops;
        if (m_made.mfu && catalogue::isInferredName(m_facts.gpuModel))
            m_made.formula += "; MFU against the peak of " + m_facts.gpuModel;
    }

    std::optional<double> peak(std::string& why) const {
        if (!m_launch.precision) {
            why = "No launch configuration states the precision.";
            return std::nullopt;
        }
        const auto* gpu = catalogue::findGpuModel(m_facts.gpuModel);
        if (gpu == nullptr) {
            why = m_facts.gpuModel.empty()
                ? "The model of the GPUs is not known."
                : "The peak of the GPU \"" + m_facts.gpuModel + "\" is not in the catalogue.";
            return std::nullopt;
        }
        const auto found = peakIn(*m_launch.precision, *gpu);
        if (!found)
            why = "The peak of " + gpu->name + " in the precision \"" + *m_launch.precision
                + "\" is not in the catalogue.";
        return found;
    }

    void takeAsCharllm() {
        if (!m_samples || m_facts.runDurationS <= 0.0 || !m_facts.runEnergyJ
            || *m_facts.runEnergyJ <= 0.0)
            return;
        const double rate = *m_samples / m_facts.runDurationS;
        m_made.asCharllm = {rate, rate / (*m_facts.runEnergyJ / kMega)};
    }

    const EfficiencyFacts& m_facts;
    const LaunchConfig& m_launch;
    const catalogue::ModelCatalogue& m_catalogue;
    std::optional<double> m_samples; // per step
    std::optional<int> m_sequence;
    std::optional<double> m_tokens; // per step
    Efficiency m_made;
};

} // namespace

Efficiency efficiencyFrom(
    const EfficiencyFacts& facts, const catalogue::ModelCatalogue& catalogue) {
    return Maker(facts, catalogue).make();
}

bool isImplausibleMfu(const std::optional<double>& mfu) {
    return mfu && *mfu > 1.0;
}

std::string implausibleMfuText(const std::string& figures) {
    return fmt::format(
        "An MFU of {} is more than the GPUs can do: what is stated is not what ran. "
        "Likely the global batch, the sequence length or the model is smaller than "
        "stated, more GPUs took part than are counted, a part of a step is taken for "
        "all of it, or the precision is a faster one (fp8).",
        figures);
}

} // namespace trainscope::analysis
