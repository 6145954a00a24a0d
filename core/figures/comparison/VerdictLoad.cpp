// The verdict on two runs; of several, who leads by what, then each beside the first.
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/Names.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::figures {

using namespace plot;

namespace {

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
    const std::string change = *leader > 0 && quantity.value(0)
        ? fmt::format(" ({} {})", changeText(quantity.changes[*leader]), data.runs[0].mark)
        : std::string();
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

void addVerdict(ComparisonData& data) {
    data.verdict = data.measured.size() == 2 ? pairVerdict(data) : manyVerdict(data);
}

} // namespace trainscope::figures
