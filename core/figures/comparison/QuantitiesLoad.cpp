// Quantities with their differences, and where the step goes: from what was measured.
// The verdict on two runs; of several, who leads by what, then each beside the first.

#include "core/analysis/comparison/Speed.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/Names.h"

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

// By which leaders are named, as far as the runs have them.
constexpr std::array<std::string_view, 5> kRaces{
    "tokens_per_s_per_gpu", "tokens_per_j", "step_time_s", "mean_power_w", "peak_temperature_c"};
constexpr std::size_t kMostRaces = 3;

ComparisonVerdict pairVerdict(const ComparisonData& data) {
    ComparisonVerdict shown;
    const auto verdict = analysis::verdictOf(*data.measured[0], *data.measured[1]);
    shown.isDecided = verdict.winner != analysis::Winner::Undecided;
    shown.headline = verdict.first;
    if (auto explanation = verdict.explanation(); !explanation.empty())
        shown.statements.push_back(std::move(explanation));
    for (const auto& statement : verdict.statements)
        shown.statements.push_back(statement.text);
    return shown;
}

// Runs whose figures compare with those of the first, itself among them.
using Rivals = std::vector<std::size_t>;

std::optional<std::size_t> leaderOf(const ComparisonQuantity& quantity, const Rivals& rivals) {
    std::optional<std::size_t> leader;
    for (const std::size_t run : rivals) {
        const auto value = quantity.value(run);
        if (!value)
            continue;
        const bool leads = !leader
            || (quantity.info().better == analysis::Better::Higher
                    ? *value > *quantity.value(*leader)
                    : *value < *quantity.value(*leader));
        if (leads)
            leader = run;
    }
    return leader;
}

// "B and C are", "5 runs are".
std::string subjectOf(const std::vector<std::string>& marks) {
    constexpr std::size_t kMostMarks = 3;
    return (marks.size() > kMostMarks ? text::counted(std::ssize(marks), "run")
                                      : text::joined(marks))
        + (marks.size() > 1 ? " are" : " is");
}

// "beyond the spread, B is better than A and C is worse"
std::string standingText(
    const ComparisonData& data, const ComparisonQuantity& quantity, const Rivals& rivals) {
    std::vector<std::string> better;
    std::vector<std::string> worse;
    std::size_t unknown = 0;
    for (const std::size_t run : rivals) {
        if (run == 0)
            continue;
        if (const auto leads = betterRun(quantity, run))
            (*leads == run ? better : worse).push_back(data.runs[run].mark);
        unknown += quantity.changes[run].weight == analysis::Difference::Weight::Unknown ? 1U : 0U;
    }
    if (unknown + 1 == rivals.size())
        return "whether more than chance, the data does not tell";
    const std::string& first = data.runs[0].mark;
    if (better.empty() && worse.empty())
        return "none differs from " + first + " beyond the spread";
    std::string standing = "beyond the spread, ";
    if (!better.empty())
        standing += fmt::format("{} better than {}", subjectOf(better), first);
    if (!worse.empty())
        standing += better.empty() ? fmt::format("{} worse than {}", subjectOf(worse), first)
                                   : fmt::format(" and {} worse", subjectOf(worse));
    return standing;
}

std::string raceText(
    const ComparisonData& data, const ComparisonQuantity& quantity, const Rivals& rivals) {
    const auto leader = leaderOf(quantity, rivals);
    if (!leader)
        return {};
    const std::string value = quantityValueText(quantity.axis, quantity.value(*leader));
    std::string change;
    if (*leader > 0 && quantity.value(0)) {
        const std::string worded = changeText(quantity.changes[*leader]);
        change = fmt::format(
            " ({}{} {})", worded, worded.ends_with("×") ? "" : " against", data.runs[0].mark);
    }
    return fmt::format("{}: {} leads with {}{}; {}.", quantity.axis.title, data.runs[*leader].mark,
        value, change, standingText(data, quantity, rivals));
}

// Takes those that ran another model out of the race, and says so.
Rivals rivalsOf(const ComparisonData& data, ComparisonVerdict& shown) {
    Rivals rivals;
    std::vector<std::string> others;
    for (std::size_t run = 0; run < data.measured.size(); ++run) {
        if (analysis::ranOtherModels(*data.measured[0], *data.measured[run]))
            others.push_back(data.runs[run].mark);
        else
            rivals.push_back(run);
    }
    if (!others.empty())
        shown.statements.push_back(fmt::format("{} ran {} than {}, so that {} figures do not "
                                               "compare.",
            text::joined(others), others.size() > 1 ? "other models" : "another model",
            data.runs[0].mark, others.size() > 1 ? "their" : "its"));
    return rivals;
}

ComparisonVerdict manyVerdict(const ComparisonData& data) {
    ComparisonVerdict shown;
    shown.headline = fmt::format(
        "{} beside {}", text::counted(std::ssize(data.runs) - 1, "run"), data.runs[0].mark);
    const Rivals rivals = rivalsOf(data, shown);
    const std::size_t most = shown.statements.size() + kMostRaces;
    for (const auto key : kRaces) {
        const auto quantity = std::ranges::find_if(
            data.quantities, [key](const auto& one) { return one.info().key == key; });
        const auto known = quantity == data.quantities.end()
            ? 0
            : std::ranges::count_if(
                rivals, [&](std::size_t run) { return quantity->value(run).has_value(); });
        if (known > 1 && shown.statements.size() < most)
            shown.statements.push_back(raceText(data, *quantity, rivals));
    }
    for (std::size_t run = 1; run < data.measured.size(); ++run) {
        const auto verdict = analysis::verdictOf(*data.measured[0], *data.measured[run]);
        shown.isDecided = shown.isDecided || verdict.winner != analysis::Winner::Undecided;
        shown.statements.push_back(
            fmt::format("{} and {}: {}", data.runs[0].mark, data.runs[run].mark, verdict.first));
    }
    return shown;
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

void addVerdict(ComparisonData& data) {
    data.verdict = data.measured.size() == 2 ? pairVerdict(data) : manyVerdict(data);
}

} // namespace trainscope::figures
