#pragma once
// PowerBasis: what the power and heat of a kind of GPU are predicted from, and how well each of its
// constants is known. Plain values.

#include "core/predict/power/ThermalNetwork.h"

#include <map>
#include <optional>
#include <string>

namespace trainscope::predict {

// Standard deviations: of the logarithms of constants, K of the inlet.
struct PowerSpread {
    double idle = 0.15;
    double product = 0.15; // matrix products and attention, beyond idle
    double memory = 0.25;
    double communication = 0.4;
    double waiting = 0.4;
    double voltage = 0.2; // its slope's
    double resistance = 0.2;
    double rise = 0.3;
    // Six machines whose power and temperature were recorded stand in air of 26 ± 4 °C; the usual
    // inlet is that of the coldest, whose chips the resistance was fitted to.
    double inletC = 4.0;
    double inletBiasC = 5.0;
    double limit = 0.01; // distance at which the limiter keeps its limit
    // Errors that remain where all constants are known: in the mean power (Zeus traces, work that
    // was not fitted), in the clock (pgolf), and in temperatures (pgolf, K).
    double watts = 0.08;
    double held = 0.03; // busy power where the limit holds it
    double clock = 0.025;
    double celsius = 2.4;
};

struct PowerBasis {
    GpuPower gpu;
    std::optional<NodeAir> air = {}; // usualAir() where absent
    PowerSpread spread = {};
    double demandFactor = 1.0; // told by runs, on the power of work beyond idle
    std::string source = {}; // measured runs that constants come from; empty: the catalogue's alone

    [[nodiscard]] NodeAir airOf(std::size_t gpus) const;
};

// By the catalogue, which says which of its constants were measured.
PowerBasis powerBasisOf(const catalogue::GpuModel& model);

// By the names of kinds of GPU, where measured runs tell more than the catalogue.
using PowerBases = std::map<std::string, PowerBasis>;

} // namespace trainscope::predict
