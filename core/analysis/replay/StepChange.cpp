#include "core/analysis/replay/StepChange.h"

#include "core/analysis/replay/ChangeState.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/NearWord.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace trainscope::analysis {

// A row of the table of changes.
struct ChangeForm {
    std::string_view prefix;
    std::string_view shape; // an example, for people
    Status (*parse)(std::string_view rest, StepChange& change);
    Status (*apply)(const StepChange& change, ChangeState& state);
};

namespace {

// A number with one of the units behind it, or none.
std::optional<double> changeNumber(
    std::string_view text, std::span<const std::pair<std::string_view, double>> units) {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || !std::isfinite(value))
        return {};
    const std::string_view unit = trimmed({rest, static_cast<std::size_t>(end - rest)});
    for (const auto& [name, scale] : units) {
        if (equalsIgnoringCase(unit, name))
            return value * scale;
    }
    return {};
}

Status parseFactor(std::string_view rest, StepChange& change) {
    constexpr double kMost = 1e6;
    static constexpr std::array<std::pair<std::string_view, double>, 2> kUnits{
        {{"x", 1.0}, {"", 1.0}}};
    const auto factor = changeNumber(rest, kUnits);
    if (!factor || *factor < 0.0 || *factor > kMost)
        return usageError(fmt::format("“{}” is no factor such as 0.5x or 0x", rest));
    change.value = *factor;
    return {};
}

Status parsePositiveFactor(std::string_view rest, StepChange& change) {
    RETURN_IF_ERROR(parseFactor(rest, change));
    return change.value > 0.0 ? Status() : usageError("a factor of links is above 0x");
}

// "NAME=0.5x"; names may have "=" in them.
Status parseNamedFactor(std::string_view rest, StepChange& change) {
    const std::size_t sign = rest.rfind('=');
    if (sign == std::string_view::npos)
        return usageError("it lacks a factor behind a “=”, such as 0.5x");
    change.subject = trimmed(rest.substr(0, sign));
    if (change.subject.empty())
        return usageError("it names nothing before the “=”");
    return parseFactor(trimmed(rest.substr(sign + 1)), change);
}

Status parseRank(std::string_view rest, StepChange& change) {
    const std::size_t sign = rest.find('=');
    change.subject = trimmed(rest.substr(0, sign));
    const bool isNumber = !change.subject.empty()
        && std::all_of(change.subject.begin(), change.subject.end(), isDigit);
    if (!isNumber || sign == std::string_view::npos || trimmed(rest.substr(sign + 1)) != "median")
        return usageError("it is a rank's number and “=median”");
    return {};
}

Status parseSwitch(std::string_view rest, StepChange& change) {
    change.value = rest == "on" ? 1.0 : 0.0;
    return rest == "on" || rest == "off" ? Status() : usageError("it is “on” or “off”");
}

Status parseOff(std::string_view rest, StepChange& /*change*/) {
    return rest == "off" ? Status() : usageError("it can only be “off”");
}

Status parseWatts(std::string_view rest, StepChange& change) {
    static constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
        {{"", 1.0}, {"W", 1.0}, {"kW", 1e3}}};
    change.value = changeNumber(rest, kUnits).value_or(0.0);
    return change.value > 0.0 ? Status() : usageError("it is a power in W, such as 500");
}

Status parseHertz(std::string_view rest, StepChange& change) {
    static constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
        {{"", 1e6}, {"MHz", 1e6}, {"GHz", 1e9}}};
    change.value = changeNumber(rest, kUnits).value_or(0.0);
    return change.value > 0.0 ? Status() : usageError("it is a clock in MHz, such as 1500");
}

Status parseWord(std::string_view rest, StepChange& change) {
    change.subject = rest;
    return rest.empty() ? usageError("nothing is behind the “:”") : Status();
}

constexpr std::array<ChangeForm, 13> kForms{{
    {"kernel:", "kernel:TEXT=0.5x", parseNamedFactor, changeKernels},
    {"category:", "category:NAME=0.5x", parseNamedFactor, changeCategory},
    {"operator:", "operator:NAME=0x", parseNamedFactor, changeOperators},
    {"kind:", "kind:NAME=0.5x", parseNamedFactor, changeKind},
    {"host=", "host=0x", parseFactor, changeHost},
    {"rank:", "rank:R=median", parseRank, changeRank},
    {"link=", "link=2x", parsePositiveFactor, changeLinks},
    {"overlap=", "overlap=on|off", parseSwitch, changeOverlap},
    {"recompute=", "recompute=off", parseOff, changeRecomputation},
    {"power-limit=", "power-limit=500", parseWatts, changePowerLimit},
    {"clock=", "clock=1500", parseHertz, changeClock},
    {"gpu:", "gpu:H200", parseWord, changeGpu},
    {"degrees:", "degrees:tp=2,pp=4", parseWord, changeDegrees},
}};

Error unknownForm(std::string_view text) {
    const std::string_view word = text.substr(0, text.find_first_of(":="));
    std::vector<std::string> words;
    for (const ChangeForm& form : kForms)
        words.emplace_back(form.prefix.substr(0, form.prefix.size() - 1));
    const std::string near = text::nearWord(word, words);
    const auto meant = std::find(words.begin(), words.end(), near) - words.begin();
    return usageError(fmt::format("“{}” is no change of a step{}. There are: {}", text,
        near.empty()
            ? std::string()
            : fmt::format("; did you mean {}", kForms[static_cast<std::size_t>(meant)].shape),
        fmt::join(changeForms(), ", ")));
}

bool changesOrder(const StepChange& change) {
    return change.form->apply == changeOverlap;
}

// Half of the 90 % interval of a replayed step, as a share of it.
double replayError(const StepGraph& graph, const StepTimes& replayed) {
    constexpr double kNormal = 1.645;
    double squares = 0.0;
    int count = 0;
    for (const StepIteration& iteration : graph.iterations) {
        const double measured = iteration.measured.range.length().seconds();
        if (!iteration.counts || measured <= 0.0)
            continue;
        const double error = iterationSeconds(replayed, iteration) / measured - 1.0;
        squares += error * error;
        ++count;
    }
    return count > 0 ? std::min(0.5, kNormal * std::sqrt(squares / count)) : 0.0;
}

class StepChanger {
public:
    StepChanger(
        std::shared_ptr<const StepGraph> graph, const StepTimes& replayed, const ChangeFacts& facts)
        : m_state{.facts = facts, .graph = std::move(graph), .costs = {}, .times = replayed}
        , m_error(replayError(*m_state.graph, replayed)) {
        if (!facts.categories.empty())
            m_state.measured = deviceSeconds(*m_state.graph, replayed);
        m_state.costs.likely = measuredCosts(*m_state.graph);
        m_state.costs.fast = m_state.costs.slow = m_state.costs.likely;
    }

    Result<ChangedStep> run(std::span<const StepChange> changes) {
        const auto replayedS = meanStepSeconds(*m_state.graph, m_state.times);
        if (!replayedS)
            return Error{ErrorCode::NotFound, "no iteration counts that could be changed", {}};
        m_out.seconds = *replayedS;
        m_out.changes.resize(changes.size());
        for (const bool order : {true, false}) {
            for (std::size_t i = 0; i < changes.size(); ++i) {
                if (changesOrder(changes[i]) == order)
                    RETURN_IF_ERROR(apply(changes[i], m_out.changes[i]));
            }
        }
        finish(*replayedS);
        return std::move(m_out);
    }

private:
    Status apply(const StepChange& change, AppliedChange& applied) {
        m_state.assumption.clear();
        if (const Status done = change.form->apply(change, m_state); !done.hasValue())
            return Error{done.error().code, done.error().message, change.text};
        m_state.times = simulate(*m_state.graph, m_state.costs.likely);
        const double seconds = stepOf(m_state.times);
        applied = {change.text, m_out.seconds - seconds, m_state.assumption};
        m_out.seconds = seconds;
        return {};
    }
    [[nodiscard]] double stepOf(const StepTimes& times) const {
        return meanStepSeconds(*m_state.graph, times).value_or(0.0);
    }
    void finish(double replayedS) {
        const StepTimes fast = simulate(*m_state.graph, m_state.costs.fast);
        const StepTimes slow = simulate(*m_state.graph, m_state.costs.slow);
        const auto [lowS, highS] = std::minmax({stepOf(fast), m_out.seconds, stepOf(slow)});
        // A graph that errs by some share errs by as much of what the change leaves, and no change
        // leaves no doubt beyond it.
        m_out.lowS = m_out.seconds - std::hypot(m_out.seconds - lowS, m_error * m_out.seconds);
        m_out.highS = m_out.seconds + std::hypot(highS - m_out.seconds, m_error * m_out.seconds);
        m_out.lowS = std::max(m_out.lowS, 0.0);
        if (m_state.isPowerKnown && !m_state.measured.empty()) {
            const StepGraph& graph = *m_state.graph;
            m_out.energy = changedEnergy(m_state.facts, m_state.measured,
                {deviceSeconds(graph, fast), deviceSeconds(graph, m_state.times),
                    deviceSeconds(graph, slow)},
                m_state.power, m_out.seconds / replayedS);
        }
        m_out.graph = m_state.graph;
        m_out.costs = std::move(m_state.costs.likely);
        m_out.times = std::move(m_state.times);
    }

    ChangeState m_state;
    double m_error;
    ChangedStep m_out;
};

} // namespace

std::vector<std::string> changeForms() {
    std::vector<std::string> shapes;
    for (const ChangeForm& form : kForms)
        shapes.emplace_back(form.shape);
    return shapes;
}

Result<StepChange> parseChange(std::string_view text) {
    const std::string_view plain = trimmed(text);
    for (const ChangeForm& form : kForms) {
        if (!plain.starts_with(form.prefix))
            continue;
        StepChange change{std::string(plain), {}, 1.0, &form};
        const Status parsed = form.parse(trimmed(plain.substr(form.prefix.size())), change);
        if (!parsed.hasValue())
            return usageError(
                fmt::format("“{}”: {} ({})", plain, parsed.error().message, form.shape));
        return change;
    }
    return unknownForm(plain);
}

Result<ChangedStep> changedStep(std::shared_ptr<const StepGraph> graph, const StepTimes& replayed,
    std::span<const StepChange> changes, const ChangeFacts& facts) {
    return StepChanger(std::move(graph), replayed, facts).run(changes);
}

} // namespace trainscope::analysis
