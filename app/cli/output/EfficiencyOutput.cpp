#include "app/cli/output/EfficiencyOutput.h"

#include "app/cli/text/Rows.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/report/RunTables.h"
#include "core/text/Numbers.h"

#include <algorithm>
#include <ostream>

namespace trainscope::cli {

namespace {

std::optional<double> inTera(const std::optional<double>& value) {
    constexpr double kTera = 1e12;
    return value ? std::optional(*value / kTera) : std::nullopt;
}

} // namespace

void addEfficiency(Json& run, const analysis::Efficiency& made) {
    Json json = object({{"step_time_s", made.stepTimeS}, {"samples_per_s", made.samplesPerS},
        {"tokens_per_s", made.tokensPerS}, {"tokens_per_s_per_gpu", made.tokensPerSPerGpu},
        {"tokens_per_j", made.tokensPerJ}, {"samples_per_s_per_mj", made.samplesPerSPerMj},
        {"energy_per_step_j", made.energyPerStepJ},
        {"energy_between_steps_j", made.energyBetweenStepsJ}, {"step_power_w", made.stepPowerW},
        {"tflops_per_gpu", inTera(made.flopsPerGpu)}, {"mfu", made.mfu},
        {"flop_per_step", made.flopPerStep}, {"parameters", made.parameters},
        {"active_parameters", made.activeParameters}, {"peak_tflops", inTera(made.peakFlops)},
        {"gpus", when(made.gpus > 0, made.gpus)}, {"steps", when(made.steps > 0, made.steps)},
        {"step_window", given(made.stepWindow)},
        {"steps_from", made.stepTimeS ? given(made.stepTimeOrigin) : std::nullopt},
        {"model_from", given(made.modelOrigin)}, {"formula", given(made.formula)}});
    if (made.asCharllm)
        json["charllm"] = {{"samples_per_s", made.asCharllm->samplesPerS},
            {"samples_per_s_per_mj", made.asCharllm->samplesPerSPerMj}};
    run["efficiency"] = std::move(json);
    if (!made.missing.empty())
        run["efficiency_missing"] = made.missing;
    if (analysis::isImplausibleMfu(made.mfu))
        run["efficiency_warnings"]
            = Json::array({analysis::implausibleMfuText(text::alignedPercent(*made.mfu))});
}

void printEfficiency(
    const std::string& run, const analysis::Efficiency& efficiency, std::ostream& out) {
    const auto table = report::efficiencyTable({{run, efficiency}});
    const auto& cells = table.rows.front();
    if (std::all_of(
            cells.begin() + 1, cells.end(), [](const auto& one) { return one.isMissing(); }))
        return;
    printBelow(out, table);
}

} // namespace trainscope::cli
