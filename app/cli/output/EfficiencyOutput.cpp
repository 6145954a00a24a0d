#include "app/cli/output/EfficiencyOutput.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/text/Numbers.h"

#include <ostream>
#include <vector>

namespace trainscope::cli {

namespace {

std::optional<double> inTera(const std::optional<double>& value) {
    constexpr double kTera = 1e12;
    return value ? std::optional(*value / kTera) : std::nullopt;
}

std::string mfuWarning(const analysis::Efficiency& efficiency) {
    return analysis::implausibleMfuText(text::alignedPercent(*efficiency.mfu));
}

} // namespace

void addEfficiency(Json& run, const analysis::Efficiency& made) {
    Json json = object({{"step_time_s", made.stepTimeS}, {"samples_per_s", made.samplesPerS},
        {"tokens_per_s", made.tokensPerS}, {"tokens_per_s_per_gpu", made.tokensPerSPerGpu},
        {"tokens_per_j", made.tokensPerJ}, {"samples_per_s_per_mj", made.samplesPerSPerMj},
        {"energy_per_step_j", made.energyPerStepJ}, {"tflops_per_gpu", inTera(made.flopsPerGpu)},
        {"mfu", made.mfu}, {"flop_per_step", made.flopPerStep}, {"parameters", made.parameters},
        {"active_parameters", made.activeParameters}, {"peak_tflops", inTera(made.peakFlops)},
        {"gpus", when(made.gpus > 0, made.gpus)}, {"steps", when(made.steps > 0, made.steps)},
        {"steps_from", made.stepTimeS ? given(made.stepTimeOrigin) : std::nullopt},
        {"model_from", given(made.modelOrigin)}, {"formula", given(made.formula)}});
    if (made.asCharllm)
        json["charllm"] = {{"samples_per_s", made.asCharllm->samplesPerS},
            {"samples_per_s_per_mj", made.asCharllm->samplesPerSPerMj}};
    run["efficiency"] = std::move(json);
    if (!made.missing.empty())
        run["efficiency_missing"] = made.missing;
    if (analysis::isImplausibleMfu(made.mfu))
        run["efficiency_warnings"] = Json::array({mfuWarning(made)});
}

void printEfficiency(const analysis::Efficiency& efficiency, std::ostream& out) {
    std::vector<std::string> parts;
    const auto add = [&parts](const std::optional<double>& value, const char* before,
                         const char* unit, const char* metric = "") {
        if (value)
            parts.push_back(before + text::aligned(*value, unit, metric));
    };
    add(efficiency.stepTimeS, "step ", "s");
    add(efficiency.samplesPerS, "", "samples/s");
    add(efficiency.tokensPerS, "", "tokens/s");
    add(efficiency.tokensPerSPerGpu, "per GPU ", "tokens/s");
    add(efficiency.tokensPerJ, "", "tokens/J");
    add(efficiency.samplesPerSPerMj, "", "samples/(s·MJ)");
    add(efficiency.flopsPerGpu, "per GPU ", "FLOP/s");
    add(efficiency.mfu, "MFU ", "1", "utilization");
    if (parts.empty())
        return;
    out << "\n  efficiency: ";
    for (std::size_t i = 0; i < parts.size(); ++i)
        out << (i == 0 ? "" : ", ") << parts[i];
    out << '\n';
    if (!efficiency.modelOrigin.empty() && efficiency.mfu)
        out << "  model: " << efficiency.modelOrigin << "; " << efficiency.formula << '\n';
    if (analysis::isImplausibleMfu(efficiency.mfu))
        out << "  warning: " << mfuWarning(efficiency) << '\n';
    std::string last;
    for (const auto& [key, why] : efficiency.missing) {
        if (why != last)
            out << "  not known: " << why << '\n';
        last = why;
    }
}

} // namespace trainscope::cli
