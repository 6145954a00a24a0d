#include "app/cli/output/EfficiencyOutput.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/text/Numbers.h"

#include <ostream>
#include <vector>

namespace trainscope::cli {

namespace {

constexpr double kTera = 1e12;

void setText(Json& json, const char* key, const std::string& text) {
    if (!text.empty())
        json[key] = text;
}

Json figuresJson(const analysis::Efficiency& made) {
    Json json = Json::object();
    setIfPresent(json, "step_time_s", made.stepTimeS);
    setIfPresent(json, "samples_per_s", made.samplesPerS);
    setIfPresent(json, "tokens_per_s", made.tokensPerS);
    setIfPresent(json, "tokens_per_s_per_gpu", made.tokensPerSPerGpu);
    setIfPresent(json, "tokens_per_j", made.tokensPerJ);
    setIfPresent(json, "samples_per_s_per_mj", made.samplesPerSPerMj);
    setIfPresent(json, "energy_per_step_j", made.energyPerStepJ);
    if (made.flopsPerGpu)
        json["tflops_per_gpu"] = *made.flopsPerGpu / kTera;
    setIfPresent(json, "mfu", made.mfu);
    setIfPresent(json, "flop_per_step", made.flopPerStep);
    setIfPresent(json, "parameters", made.parameters);
    setIfPresent(json, "active_parameters", made.activeParameters);
    if (made.peakFlops)
        json["peak_tflops"] = *made.peakFlops / kTera;
    if (made.gpus > 0)
        json["gpus"] = made.gpus;
    if (made.steps > 0)
        json["steps"] = made.steps;
    return json;
}

std::string mfuWarning(const analysis::Efficiency& efficiency) {
    return analysis::implausibleMfuText(text::alignedPercent(*efficiency.mfu));
}

} // namespace

void addEfficiency(Json& run, const analysis::Efficiency& efficiency) {
    Json json = figuresJson(efficiency);
    if (efficiency.stepTimeS)
        setText(json, "steps_from", efficiency.stepTimeOrigin);
    setText(json, "model_from", efficiency.modelOrigin);
    setText(json, "formula", efficiency.formula);
    if (efficiency.asCharllm)
        json["charllm"] = {{"samples_per_s", efficiency.asCharllm->samplesPerS},
            {"samples_per_s_per_mj", efficiency.asCharllm->samplesPerSPerMj}};
    run["efficiency"] = std::move(json);
    if (!efficiency.missing.empty())
        run["efficiency_missing"] = efficiency.missing;
    if (analysis::isImplausibleMfu(efficiency.mfu))
        run["efficiency_warnings"] = Json::array({mfuWarning(efficiency)});
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
