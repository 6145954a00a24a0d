#include "core/analysis/comparison/Quantity.h"

namespace trainscope::analysis {

namespace {

using enum Better;

// Quantities in the order in which people look at them.
std::vector<QuantityInfo> makeQuantities() {
    return {
        {"step_time_s", "Step time", "s", Lower,
            "median duration of the counted iterations (their mean where the period of the power "
            "shows them)",
            false, TokensOf::Step},
        {"samples_per_s", "Samples / s", "1/s", Higher, "global batch / step time", true},
        {"tokens_per_s", "Tokens / s", "1/s", Higher,
            "global batch × sequence length, padding included, / step time", true},
        {"tokens_per_s_per_gpu", "Tokens / s / GPU", "1/s", Higher,
            "tokens per second / GPUs of the job"},
        {"tokens_per_j", "Tokens / J", "1/J", Higher,
            "tokens of the counted iterations / energy of all GPUs within them"},
        {"samples_per_s_per_mj", "Samples / (s·MJ)", "1/(s·MJ)", Higher,
            "samples per second / energy of all GPUs over the window in MJ: comparable only where "
            "the windows hold equally much work"},
        {"mfu", "MFU", "1", Higher,
            "FLOP of the model per second and GPU / peak of the GPU in the run's precision"},
        {"energy_per_step_j", "Energy / step", "J", Lower,
            "energy of all GPUs within the counted iterations / their number", true,
            TokensOf::Step},
        {"energy_between_steps_j", "Energy between steps", "J", Lower,
            "energy of all GPUs between the counted iterations, in none of them / their number",
            true, TokensOf::Step},
        {"energy_per_token_j", "Energy / token", "J", Lower, "energy per step / tokens of a step"},
        {"energy_j", "Energy", "J", Neither,
            "energy of all GPUs over the window: trapezoid over the samples of gpu_power", true,
            TokensOf::Window},
        {"mean_power_w", "Mean power", "W", Lower,
            "energy of all GPUs within the counted iterations / their time; where there are none, "
            "the sum over the GPUs of their time-weighted mean power in the window",
            true},
        {"peak_power_w", "Peak power", "W", Lower,
            "largest sum of the power of all GPUs in the window, each reading held until the next",
            true},
        {"p99_gpu_power_w", "GPU power, p99", "W", Lower,
            "time-weighted 99 % quantile of the power of the single GPUs together"},
        {"peak_gpu_power_w", "GPU power, peak", "W", Lower,
            "largest power of a single GPU that a reading held in the window"},
        {"peak_to_mean_power", "Peak / mean power", "1", Lower,
            "peak / mean of the power of all GPUs together"},
        {"p99_to_p50_power", "p99 / p50 power", "1", Lower,
            "99 % quantile / median of the power of all GPUs together"},
        {"max_power_ramp_w_per_s", "Largest power ramp", "W/s", Lower,
            "largest change of the power of all GPUs together between neighbouring steps", true},
        {"power_swing_w", "Strongest power line", "W", Lower,
            "amplitude of the strongest line in the spectrum of the summed power", true},
        {"power_swing_hz", "Its frequency", "Hz", Neither,
            "frequency of the strongest line in the spectrum of the summed power"},
        {"mean_temperature_c", "Mean temperature", "°C", Lower,
            "mean over the GPUs of their time-weighted mean temperature in the window"},
        {"peak_temperature_c", "Peak temperature", "°C", Lower,
            "hottest sample of a GPU in the window"},
        {"front_rear_gradient_c", "Front to rear", "°C", Lower,
            "mean over the nodes of rear half − front half of the GPUs' mean temperatures"},
        {"mean_sm_clock_hz", "Mean SM clock", "Hz", Higher,
            "mean over the GPUs of their time-weighted mean clock in the window"},
        {"mean_gpu_utilization", "GPU utilisation", "1", Neither,
            "mean over the GPUs of their time-weighted mean utilisation in the window"},
        {"throttled_fraction", "Throttled", "1", Lower,
            "mean over the GPUs of the time throttled by the driver's reasons / that over which "
            "they were read; without reasons GPU-seconds of low clocks / all GPU-seconds of the "
            "window"},
        {"thermally_throttled_fraction", "Throttled by heat", "1", Lower,
            "the part of throttled GPU-seconds whose reason, without reasons whose inferred cause, "
            "is heat"},
        {"power_throttled_fraction", "Throttled by power", "1", Lower,
            "the part of throttled GPU-seconds whose reason, without reasons whose inferred cause, "
            "is power"},
        {"clock_lost_fraction", "Clock lost", "1", Lower,
            "Σ dt·(1 − clock / reference clock) over episodes of low clocks / all GPU-seconds of "
            "the window"},
        {"slowest_gpu_clock_lost_fraction", "Clock lost, slowest GPU", "1", Lower,
            "∫ of the largest 1 − clock / reference clock of a GPU with a low clock dt / the "
            "window: in a synchronous job the others wait for it"},
        {"power_intra_node_std_w", "Power imbalance in nodes", "W", Lower,
            "mean over the nodes of the std. dev. of their GPUs' mean power"},
        {"power_inter_node_std_w", "Power imbalance of nodes", "W", Lower,
            "std. dev. of the nodes' means of GPU power"},
        {"temperature_intra_node_std_c", "Temperature imbalance in nodes", "°C", Lower,
            "mean over the nodes of the std. dev. of their GPUs' mean temperature"},
        {"temperature_inter_node_std_c", "Temperature imbalance of nodes", "°C", Lower,
            "std. dev. of the nodes' means of GPU temperature"},
        {"busy_fraction", "Busy", "1", Neither,
            "time in which a kernel, copy or memory set runs / traced time of the devices (of "
            "whole iterations where "
            "there are any)"},
        {"compute_fraction", "Compute", "1", Neither,
            "time in which a compute kernel runs / traced time of the devices (of whole iterations "
            "where there are any)"},
        {"communication_fraction", "Communication", "1", Lower,
            "time in which a collective runs / traced time of the devices (of whole iterations "
            "where there are any)"},
        {"exposed_communication_fraction", "Exposed communication", "1", Lower,
            "time in which collectives run and no compute does / traced time of the devices (of "
            "whole iterations where there are any)"},
        {"overlap_fraction", "Overlap", "1", Neither,
            "time in which collectives and compute run at once / traced time of the devices (of "
            "whole iterations where there are any)"},
        {"copy_fraction", "Copies alone", "1", Lower,
            "time in which only copies or memory sets run / traced time of the devices (of whole "
            "iterations where there are any)"},
        {"idle_fraction", "Idle", "1", Lower,
            "time in which nothing runs / traced time of the devices (of whole iterations where "
            "there are any)"},
        {"bubble_fraction", "Pipeline bubble", "1", Lower,
            "time in which nothing runs or nothing but SendRecv / time of the traced ranks"},
        {"nvlink_bytes_per_step", "NVLink / step", "B", Neither,
            "bytes sent over NVLink or xGMI by all GPUs in the window / its steps", true,
            TokensOf::Step},
        {"pcie_bytes_per_step", "PCIe / step", "B", Neither,
            "bytes sent over PCIe by all GPUs in the window / its steps", true, TokensOf::Step},
        {"ib_bytes_per_step", "InfiniBand / step", "B", Neither,
            "bytes sent over InfiniBand by all nodes in the window / its steps", true,
            TokensOf::Step},
        {"peak_memory_used_b", "Peak memory", "B", Lower,
            "largest sample of the memory used on a GPU in the window"},
    };
}

std::string divisorText(TokensOf tokens, Normalisation by) {
    if (by == Normalisation::PerGpu)
        return ", divided by the GPUs of the job";
    if (by == Normalisation::PerNode)
        return ", divided by the nodes of the job";
    return tokens == TokensOf::Window ? ", divided by the tokens of the window's iterations"
                                      : ", divided by the tokens of a step";
}

} // namespace

const std::vector<QuantityInfo>& comparedQuantities() {
    static const std::vector<QuantityInfo> kQuantities = makeQuantities();
    return kQuantities;
}

std::optional<std::size_t> quantityIndex(std::string_view key) {
    const auto& all = comparedQuantities();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].key == key)
            return i;
    }
    return std::nullopt;
}

bool isDivided(const QuantityInfo& quantity, Normalisation by) {
    switch (by) {
    case Normalisation::PerGpu:
    case Normalisation::PerNode:
        return quantity.isOfMachine;
    case Normalisation::PerToken:
        return quantity.tokens != TokensOf::Nothing;
    case Normalisation::Absolute:
        break;
    }
    return false;
}

bool isShare(const QuantityInfo& quantity) {
    return quantity.unit == "1"
        && (quantity.key.ends_with("_fraction") || quantity.key.ends_with("_utilization")
            || quantity.key == "mfu");
}

std::string unitOf(const QuantityInfo& quantity, Normalisation by) {
    if (!isDivided(quantity, by))
        return quantity.unit;
    const char* divisor = by == Normalisation::PerGpu ? "/GPU"
        : by == Normalisation::PerNode                ? "/node"
                                                      : "/token";
    return quantity.unit + divisor;
}

std::string wordingOf(const QuantityInfo& quantity, Normalisation by) {
    return quantity.title + ": " + quantity.definition
        + (isDivided(quantity, by) ? divisorText(quantity.tokens, by) : std::string());
}

} // namespace trainscope::analysis
