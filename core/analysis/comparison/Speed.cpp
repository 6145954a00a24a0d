#include "core/analysis/comparison/Speed.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/text/Names.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

// A part that explains less of the difference is not named beside it.
constexpr double kLeastPart = 0.2;
// From this factor on, people read "2.4 ×" more easily than "140 % more".
constexpr double kManifold = 2.0;

std::vector<PartChange> changesOf(const std::map<std::string, std::pair<double, double>>& byTitle) {
    std::vector<PartChange> changes;
    for (const auto& [title, seconds] : byTitle) {
        if (seconds.first != seconds.second)
            changes.push_back({title, seconds.first, seconds.second});
    }
    std::ranges::stable_sort(changes, [](const auto& one, const auto& other) {
        return std::abs(one.change()) > std::abs(other.change());
    });
    return changes;
}

class SpeedSentence {
public:
    SpeedSentence(const RunMeasures& a, const RunMeasures& b)
        : m_a(a)
        , m_b(b)
        , m_nameA(sideName(a, b))
        , m_nameB(sideName(b, a))
        , m_perToken(a.tokensPerStep && b.tokensPerStep
              && std::abs(*a.tokensPerStep / *b.tokensPerStep - 1.0) > 1e-9
              && a.value(kTokens).value_or(0.0) > 0.0 && b.value(kTokens).value_or(0.0) > 0.0)
        , m_difference(differencesOf(a, b)[*quantityIndex(m_perToken ? kTokens : kStep)]) { }

    Speed say() {
        if (m_a.run.status == RunStatus::Oom || m_b.run.status == RunStatus::Oom)
            return outOfMemory();
        if (!m_difference.a || !m_difference.b || *m_difference.a <= 0.0 || *m_difference.b <= 0.0)
            return unknown();
        const double ratio = timeOf(*m_difference.b) / timeOf(*m_difference.a);
        if (m_difference.weight == Difference::Weight::Within)
            return {fmt::format("No difference beyond the spread: {}", times()),
                fmt::format("They differ by {}{}, within the spread over iterations ({}).",
                    text::percent(std::abs(ratio - 1.0)), windowsText(), m_difference.why)};
        if (ratio == 1.0)
            return {fmt::format("No difference: {}", times()), m_difference.why};
        return {fmt::format("{} takes {} per {}{}", m_nameB, moreText(ratio),
                    m_perToken ? "token" : "step", partText()),
            reason()};
    }

private:
    static constexpr std::string_view kTokens = "tokens_per_s";
    static constexpr std::string_view kStep = "step_time_s";

    [[nodiscard]] double timeOf(double value) const { return m_perToken ? 1.0 / value : value; }

    // "60.8 ms and 60.5 ms per step"
    [[nodiscard]] std::string times() const {
        return fmt::format("{} and {} per {}", text::rounded(timeOf(*m_difference.a), "s"),
            text::rounded(timeOf(*m_difference.b), "s"), m_perToken ? "token" : "step");
    }

    // " (iterations 4 to 20 and 2 to 18)"
    [[nodiscard]] std::string windowsText() const {
        if (m_a.iterations.empty() || m_b.iterations.empty())
            return {};
        const auto range = [](const RunMeasures& run) {
            const std::int64_t first = run.iterations.front().iteration.index;
            const std::int64_t last = run.iterations.back().iteration.index;
            return first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
        };
        const std::string a = range(m_a);
        const std::string b = range(m_b);
        return a == b ? fmt::format(" (iterations {} of each)", a)
                      : fmt::format(" (iterations {} and {})", a, b);
    }

    [[nodiscard]] static std::string moreText(double ratio) {
        if (ratio >= kManifold)
            return fmt::format("{:.2f} × the time", text::worded(ratio));
        return fmt::format(
            "{} {} time", text::percent(std::abs(ratio - 1.0)), ratio > 1.0 ? "more" : "less");
    }

    // ": Elementwise 72 ms against 110 ms", the part that changed most in the same direction.
    [[nodiscard]] std::string partText() const {
        if (m_perToken)
            return {};
        const double all = *m_difference.b - *m_difference.a;
        for (const PartChange& part : categoryChanges(m_a, m_b)) {
            if (part.change() * all > 0.0 && std::abs(part.change()) >= kLeastPart * std::abs(all))
                return fmt::format(": {} {} against {}", part.title, text::rounded(part.b, "s"),
                    text::rounded(part.a, "s"));
        }
        return {};
    }

    [[nodiscard]] std::string reason() const {
        if (m_difference.weight == Difference::Weight::Beyond)
            return fmt::format("{}{}, a difference beyond the spread over iterations ({}).",
                times(), windowsText(), m_difference.why);
        return fmt::format("{}{}. Whether that is more than chance is not known: {}", times(),
            windowsText(), m_difference.why);
    }

    [[nodiscard]] Speed outOfMemory() const {
        const bool isFirst = m_a.run.status == RunStatus::Oom;
        if (isFirst && m_b.run.status == RunStatus::Oom)
            return {"Both ran out of memory", "Neither has steps to compare."};
        return {(isFirst ? m_nameA : m_nameB) + " ran out of memory",
            "A run that ended out-of-memory has no steps to compare."};
    }

    [[nodiscard]] Speed unknown() const {
        const bool lacksA = !m_difference.a;
        const bool lacksB = !m_difference.b;
        const std::string who = lacksA && lacksB ? m_nameA + " and " + m_nameB
            : lacksA                             ? m_nameA
                                                 : m_nameB;
        Speed speed{"The step time of " + who + " is not known", m_difference.why};
        const auto a = m_a.value("mean_power_w");
        const auto b = m_b.value("mean_power_w");
        if (a && b)
            speed.headline += fmt::format(
                "; the mean power is {} and {}", text::rounded(*a, "W"), text::rounded(*b, "W"));
        return speed;
    }

    const RunMeasures& m_a;
    const RunMeasures& m_b;
    std::string m_nameA;
    std::string m_nameB;
    bool m_perToken; // they do unequal work in a step
    Difference m_difference; // in tokens per second, or in the step time
};

} // namespace

std::string sideName(const RunMeasures& side, const RunMeasures& other) {
    if (side.run.id != other.run.id || side.capture == other.capture)
        return text::tellingNames(std::vector{side.run.name, other.run.name}).front();
    return side.capture.empty() ? "the whole run" : side.capture;
}

std::string titleOf(const BreakdownPart& part) {
    if (part.category == "idle")
        return "Idle";
    const std::string label(KernelCategories::label(part.category));
    return part.isCommunication ? label + " exposed" : label;
}

std::vector<PartChange> categoryChanges(const RunMeasures& a, const RunMeasures& b) {
    if (!a.speaksForSteps() || !b.speaksForSteps())
        return {};
    std::map<std::string, std::pair<double, double>> byTitle;
    for (const BreakdownPart& part : a.traced->all.parts)
        byTitle[titleOf(part)].first += part.seconds;
    for (const BreakdownPart& part : b.traced->all.parts)
        byTitle[titleOf(part)].second += part.seconds;
    return changesOf(byTitle);
}

std::vector<PartChange> phaseChanges(const RunMeasures& a, const RunMeasures& b) {
    if (!a.speaksForSteps() || !b.speaksForSteps())
        return {};
    // All phases would differ if one trace alone tells forward from backward.
    const auto untold
        = [](const RunMeasures& run) { return run.traced->phases[Phase::Compute] > 0.0; };
    if (untold(a) != untold(b))
        return {};
    std::map<std::string, std::pair<double, double>> byTitle;
    for (const Phase phase : kAllPhases)
        byTitle[phaseTitle(phase)] = {a.traced->phases[phase], b.traced->phases[phase]};
    return changesOf(byTitle);
}

Speed speedOf(const RunMeasures& a, const RunMeasures& b) {
    return SpeedSentence(a, b).say();
}

} // namespace trainscope::analysis
