// Quantities with their differences, and where the step goes: from what was measured.
#include "core/analysis/comparison/Speed.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/figures/runs/RunFigures.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace trainscope::figures {

using namespace plot;

namespace {

using analysis::QuantityInfo;

// The first six that the runs have are the cards.
constexpr std::array<std::string_view, 12> kCards{"step_time_s", "tokens_per_s",
    "tokens_per_s_per_gpu", "tokens_per_j", "peak_power_w", "throttled_fraction",
    "exposed_communication_fraction", "mean_power_w", "peak_temperature_c", "energy_per_step_j",
    "samples_per_s", "mfu"};
constexpr std::size_t kMostCards = 6;
constexpr std::size_t kMostLoadedKernels = 100;

// From 0 to the greatest value with its spread.
FigureAxis axisFor(const ComparisonQuantity& quantity, analysis::Normalisation by) {
    const QuantityInfo& info = quantity.info();
    FigureAxis axis;
    axis.title = info.title;
    axis.siUnit = analysis::unitOf(info, by);
    if (analysis::isDivided(info, by))
        axis.title += fmt::format(" ({})", axis.siUnit);
    double low = 0.0;
    double high = 0.0;
    for (std::size_t run = 0; run < quantity.measures.size(); ++run) {
        const auto value = quantity.value(run);
        if (!value)
            continue;
        const double spread = quantity.spread(run).value_or(0.0);
        high = std::max(high, *value + spread);
        low = std::min(low, *value - (*value < 0.0 ? spread : 0.0));
    }
    axis.range = {low, high > low ? high : low + 1.0};
    axis.unit = analysis::isShare(info) ? text::ShownUnit{"%", 100.0}
                                        : text::shownUnit(axis.siUnit, high);
    return axis;
}

ComparisonQuantity quantityOf(const ComparisonData& data, std::size_t index) {
    ComparisonQuantity quantity;
    quantity.index = index;
    for (const auto& measured : data.measured) {
        quantity.measures.push_back(measured->normalised(index, data.query.normalisation));
        quantity.whyAbsent.push_back(
            quantity.measures.back() ? std::string() : measured->why(quantity.info().key));
    }
    quantity.changes.resize(data.measured.size());
    quantity.axis = axisFor(quantity, data.query.normalisation);
    return quantity;
}

bool isWanted(const ComparisonQuery& query, const ComparisonQuantity& quantity) {
    const auto& asked = query.quantities;
    return quantity.known() > 0
        && (asked.empty() || std::ranges::find(asked, quantity.info().key) != asked.end());
}

void chooseCards(const ComparisonQuery& query, std::vector<ComparisonQuantity>& quantities) {
    std::size_t cards = 0;
    const auto choose = [&](ComparisonQuantity& quantity) {
        if (cards < kMostCards && quantity.known() > 1 && !quantity.isCard) {
            quantity.isCard = true;
            ++cards;
        }
    };
    for (const auto key : kCards) {
        for (auto& quantity : quantities) {
            if (quantity.info().key == key)
                choose(quantity);
        }
    }
    if (!query.quantities.empty())
        std::for_each(quantities.begin(), quantities.end(), choose);
}

// Compute first, then what is exposed, then copies, then nothing.
int placeOf(const ComparisonStack::Part& part) {
    constexpr std::array<std::string_view, 15> kOrder{"gemm", "attention", "normalisation",
        "elementwise", "other", "all_reduce", "reduce_scatter", "all_gather", "all_to_all",
        "broadcast", "communication", "send_recv", "copy", "idle", "optimizer"};
    return static_cast<int>(std::ranges::find(kOrder, part.category) - kOrder.begin());
}

ComparisonStack stackOf(
    std::size_t run, std::optional<int> stage, const analysis::StageBreakdown& from) {
    ComparisonStack stack{run, stage, from.seconds, {}};
    for (const auto& part : from.parts)
        stack.parts.push_back({part.category, titleOf(part), part.seconds});
    std::ranges::stable_sort(
        stack.parts, [](const auto& a, const auto& b) { return placeOf(a) < placeOf(b); });
    return stack;
}

} // namespace

void addQuantities(ComparisonData& data) {
    for (std::size_t i = 0; i < analysis::comparedQuantities().size(); ++i) {
        auto quantity = quantityOf(data, i);
        if (isWanted(data.query, quantity))
            data.quantities.push_back(std::move(quantity));
    }
    for (std::size_t run = 1; run < data.measured.size(); ++run) {
        const auto differences = analysis::differencesOf(
            *data.measured[0], *data.measured[run], data.query.normalisation);
        for (auto& quantity : data.quantities)
            quantity.changes[run] = differences[quantity.index];
    }
    chooseCards(data.query, data.quantities);
}

void addStacks(
    const ComparisonContext& context, ComparisonData& data, std::vector<RunsNote>& notes) {
    for (std::size_t run = 0; run < context.measured.size(); ++run) {
        const auto& traced = context.measured[run]->traced;
        if (!traced) {
            addNote(notes, run, "no trace, so nothing is known of where the step goes.");
            continue;
        }
        data.stacks.push_back(stackOf(run, std::nullopt, traced->all));
        addNote(notes, run, fmt::format("traced: {}.", traced->wording));
        for (const auto& stage : traced->stages)
            data.stacks.push_back(stackOf(run, stage.stage, stage));
    }
}

void addKernels(const ComparisonContext& context, ComparisonData& data) {
    std::map<std::string, ComparisonKernel> all;
    for (std::size_t run = 0; run < context.measured.size(); ++run) {
        if (!context.measured[run]->traced)
            continue;
        for (const auto& one : context.measured[run]->traced->kernels) {
            auto& kernel = all[one.name];
            kernel.name = one.name;
            kernel.category = one.category;
            kernel.seconds.resize(context.measured.size());
            kernel.seconds[run] = one.seconds;
        }
    }
    const auto longest = [](const ComparisonKernel& kernel) {
        double most = 0.0;
        for (const auto& seconds : kernel.seconds)
            most = std::max(most, seconds.value_or(0.0));
        return most;
    };
    for (auto& [name, kernel] : all)
        data.kernels.push_back(std::move(kernel));
    std::ranges::stable_sort(
        data.kernels, [&](const auto& a, const auto& b) { return longest(a) > longest(b); });
    if (data.kernels.size() > kMostLoadedKernels)
        data.kernels.resize(kMostLoadedKernels);
}

} // namespace trainscope::figures
