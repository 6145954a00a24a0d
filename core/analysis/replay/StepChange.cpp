#include "core/analysis/replay/StepChange.h"

#include "core/analysis/replay/ChangeState.h"
#include "core/analysis/statistics/Means.h"
#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/text/NearWord.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace trainscope::analysis {

enum class ChangeValue { Factor, Median, Switch, Watts, Hertz, Word };

// A row of the table of changes: texts begin with the prefix; of those with a subject a value
// stands behind its last "=".
struct ChangeForm {
    std::string_view prefix;
    std::string_view shape; // an example, for people
    ChangeValue value;
    ApplyChange* apply;
};

namespace {

constexpr std::array<ChangeForm, 13> kForms{{
    {"kernel:", "kernel:TEXT=0.5x", ChangeValue::Factor, changeKernels},
    {"category:", "category:NAME=0.5x", ChangeValue::Factor, changeCategory},
    {"operator:", "operator:NAME=0x", ChangeValue::Factor, changeOperators},
    {"kind:", "kind:NAME=0.5x", ChangeValue::Factor, changeKind},
    {"host=", "host=0x", ChangeValue::Factor, changeHost},
    {"rank:", "rank:R=median", ChangeValue::Median, changeRank},
    {"link=", "link=2x", ChangeValue::Factor, changeLinks},
    {"overlap=", "overlap=on|off", ChangeValue::Switch, changeOverlap},
    {"recompute=", "recompute=off", ChangeValue::Switch, changeRecomputation},
    {"power-limit=", "power-limit=500", ChangeValue::Watts, changePowerLimit},
    {"clock=", "clock=1500", ChangeValue::Hertz, changeClock},
    {"gpu:", "gpu:H200", ChangeValue::Word, changeGpu},
    {"degrees:", "degrees:tp=2,pp=4", ChangeValue::Word, changeDegrees},
}};

// A number with one of the units of its kind behind it, or none; absent: it is none.
std::optional<double> changeNumber(ChangeValue kind, std::string_view text) {
    struct Unit {
        ChangeValue kind;
        std::string_view name; // in lower case
        double scale;
    };
    static constexpr std::array<Unit, 8> kUnits{
        {{ChangeValue::Factor, "x", 1.0}, {ChangeValue::Factor, "", 1.0},
            {ChangeValue::Watts, "w", 1.0}, {ChangeValue::Watts, "", 1.0},
            {ChangeValue::Watts, "kw", 1e3}, {ChangeValue::Hertz, "mhz", 1e6},
            {ChangeValue::Hertz, "", 1e6}, {ChangeValue::Hertz, "ghz", 1e9}}};
    constexpr double kMost = 1e6;
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || !(value >= 0.0) || value > kMost)
        return {};
    const std::string unit
        = lowered(trainscope::trimmed({rest, static_cast<std::size_t>(end - rest)}));
    for (const Unit& one : kUnits) {
        if (one.kind == kind && one.name == unit)
            return value * one.scale;
    }
    return {};
}

bool takeValue(std::string_view text, StepChange& change) {
    const ChangeForm& form = *change.form;
    const auto number = changeNumber(form.value, text);
    change.value = number.value_or(text == "off" ? 0.0 : 1.0);
    switch (form.value) {
    case ChangeValue::Factor:
        return number && (*number > 0.0 || form.apply != changeLinks);
    case ChangeValue::Median:
        return text == "median";
    case ChangeValue::Switch:
        return text == "off" || (text == "on" && form.apply == changeOverlap);
    case ChangeValue::Watts:
    case ChangeValue::Hertz:
        return number && *number > 0.0;
    case ChangeValue::Word:
        break;
    }
    change.subject = text;
    return !text.empty();
}

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

// Halves of 90 % intervals, as shares of a step.
struct StepDoubt {
    double replay = 0.0; // error of a step that is replayed as it was measured
    double otherJob = 0.0; // more, of another job's, were it the same
};
StepDoubt stepDoubt(const StepGraph& graph, const StepTimes& replayed) {
    constexpr double kNormal = 1.645;
    constexpr double kOfNeighbours = 1.72; // over the median difference of two that are normal
    constexpr double kSameJobs = 0.03; // nine of ten epochs of one job differ by less (Zeus)
    constexpr double kMost = 0.5;
    double squares = 0.0;
    double before = 0.0;
    int count = 0;
    std::vector<double> steps; // differences of one to the next
    for (const StepIteration& iteration : graph.iterations) {
        const double measured = iteration.measured.range.length().seconds();
        if (!iteration.counts || measured <= 0.0)
            continue;
        squares += std::pow(iterationSeconds(replayed, iteration) / measured - 1.0, 2);
        if (++count > 1)
            steps.push_back(std::abs(measured / before - 1.0));
        before = measured;
    }
    const double spread = steps.empty() ? 0.0 : medianOf(std::move(steps));
    return {std::min(kMost, kNormal * std::sqrt(squares / std::max(count, 1))),
        std::min(kMost, std::hypot(kSameJobs, kOfNeighbours * spread))};
}

class StepChanger {
public:
    StepChanger(
        std::shared_ptr<const StepGraph> graph, const StepTimes& replayed, const ChangeFacts& facts)
        : m_state{.facts = facts, .graph = std::move(graph), .costs = {}, .times = replayed}
        , m_doubt(stepDoubt(*m_state.graph, replayed)) {
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
                if ((changes[i].form->apply == changeOverlap) == order)
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
        m_state.times = simulate(*m_state.graph, m_state.costs.likely, std::move(m_state.times));
        const double seconds = stepOf(m_state.times);
        applied = {change.text, m_out.seconds - seconds, m_state.assumption};
        m_out.seconds = seconds;
        return {};
    }
    [[nodiscard]] double stepOf(const StepTimes& times) const {
        return meanStepSeconds(*m_state.graph, times).value_or(0.0);
    }
    // Those that there are where a bound costs the same.
    const StepTimes& timesOf(const StepCosts& costs, StepTimes& simulated) const {
        const StepCosts& likely = m_state.costs.likely;
        const bool isSame = costs.duration == likely.duration && costs.delay == likely.delay
            && costs.lag == likely.lag && costs.hostEdges == likely.hostEdges;
        return isSame ? m_state.times : simulated = simulate(*m_state.graph, costs);
    }
    void finish(double replayedS) {
        StepTimes fastTimes;
        StepTimes slowTimes;
        const StepTimes& fast = timesOf(m_state.costs.fast, fastTimes);
        const StepTimes& slow = timesOf(m_state.costs.slow, slowTimes);
        const auto [lowS, highS] = std::minmax({stepOf(fast), m_out.seconds, stepOf(slow)});
        // Beside what the changes say themselves: a graph that errs by some share errs by as much
        // after them, what is gained is gained within a part of it, and it is another job.
        constexpr double kGainDoubt = 0.15;
        const double gainS = m_out.seconds - replayedS;
        const bool isSameJob = gainS == 0.0 && lowS == highS;
        const double doubt = std::hypot(m_doubt.replay * m_out.seconds, kGainDoubt * gainS,
            isSameJob ? 0.0 : m_doubt.otherJob * m_out.seconds);
        m_out.lowS = std::max(0.0, m_out.seconds - std::hypot(m_out.seconds - lowS, doubt));
        m_out.highS = m_out.seconds + std::hypot(highS - m_out.seconds, doubt);
        if (m_state.isPowerKnown && !m_state.measured.empty()) {
            const StepGraph& graph = *m_state.graph;
            m_out.energy = changedEnergy(m_state.facts, m_state.measured,
                {deviceSeconds(graph, fast), deviceSeconds(graph, m_state.times),
                    deviceSeconds(graph, slow)},
                m_state.clock);
        }
        m_out.graph = m_state.graph;
        m_out.costs = std::move(m_state.costs.likely);
        m_out.times = std::move(m_state.times);
    }

    ChangeState m_state;
    StepDoubt m_doubt;
    ChangedStep m_out;
};

} // namespace

std::vector<std::string> changeForms() {
    return vectorOf(kForms, [](const ChangeForm& form) { return std::string(form.shape); });
}

Result<StepChange> parseChange(std::string_view text) {
    const std::string_view plain = trainscope::trimmed(text);
    const auto* const form = std::ranges::find_if(
        kForms, [&](const ChangeForm& one) { return plain.starts_with(one.prefix); });
    if (form == kForms.end())
        return unknownForm(plain);
    StepChange change{std::string(plain), {}, 1.0, form};
    const auto wrong = [&](const std::string& how) {
        return usageError(fmt::format("“{}”: {}; it reads {}", plain, how, form->shape));
    };
    std::string_view value = trainscope::trimmed(plain.substr(form->prefix.size()));
    if (form->prefix.ends_with(':') && form->value != ChangeValue::Word) {
        const std::size_t sign = value.rfind('=');
        if (sign == std::string_view::npos)
            return wrong("it lacks a “=” and what stands behind it");
        change.subject = trainscope::trimmed(value.substr(0, sign));
        value = trainscope::trimmed(value.substr(sign + 1));
        if (change.subject.empty())
            return wrong("it names nothing before the “=”");
    }
    if (!takeValue(value, change))
        return wrong(fmt::format("“{}” is no such value", value));
    return change;
}

Result<ChangedStep> changedStep(std::shared_ptr<const StepGraph> graph, const StepTimes& replayed,
    std::span<const StepChange> changes, const ChangeFacts& facts) {
    return StepChanger(std::move(graph), replayed, facts).run(changes);
}

} // namespace trainscope::analysis
