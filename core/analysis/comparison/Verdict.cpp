#include "core/analysis/comparison/Verdict.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/comparison/Reasons.h"
#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/comparison/Speed.h"
#include "core/catalogue/TrainingModel.h"
#include "core/model/AsciiText.h"
#include "core/text/Names.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <cmath>

namespace trainscope::analysis {
namespace {

// Roles of two runs: the scale-up one and the scale-out one, and whether both did the same work.

struct Roles {
    std::optional<std::size_t> scaleUp; // 0: a, 1: b; absent: not such a pair
    std::string why; // for people: by what it is told, or why it is none
    bool isAssumed = false; // the GPUs are not known: by their number alone
};

// The model, global batch, sequence length, precision and kind of work that both were told to do.
struct WorkDifference {
    std::string what; // "global batch"
    std::string a; // as stated, "128"; empty: not stated
    std::string b;
    bool isEqual = false; // though it may be written differently
    [[nodiscard]] bool isKnown() const { return !a.empty() && !b.empty(); }
    [[nodiscard]] std::string text() const; // "global batch (128 against 64)"
};

enum class Order { Less, Equal, Greater, Unknown };

Order orderOf(const std::optional<double>& a, const std::optional<double>& b) {
    constexpr double alike = 0.02; // drivers keep back different parts of equal memories
    if (!a || !b)
        return Order::Unknown;
    if (std::abs(*a - *b) <= alike * std::max(*a, *b))
        return Order::Equal;
    return *a < *b ? Order::Less : *a > *b ? Order::Greater : Order::Equal;
}

// Compares the GPUs of a with those of b: larger is more of something and less of nothing.
Order sizeOf(const GpuFacts& a, const GpuFacts& b) {
    const Order memory = orderOf(a.memoryBytes, b.memoryBytes);
    const Order compute = orderOf(a.bf16Flops, b.bf16Flops);
    if (memory == Order::Unknown && compute == Order::Unknown)
        return !a.name.empty() && a.name == b.name ? Order::Equal : Order::Unknown;
    if (memory == Order::Equal || memory == Order::Unknown)
        return compute == Order::Unknown ? memory : compute;
    if (compute == Order::Equal || compute == Order::Unknown || compute == memory)
        return memory;
    return Order::Unknown;
}

double perNode(const RunMeasures& run) {
    return run.nodes > 0 ? static_cast<double>(run.gpus) / run.nodes : 0.0;
}

Roles ofEqualGpus(const RunMeasures& a, const RunMeasures& b) {
    const bool isFirst = perNode(a) > perNode(b);
    const RunMeasures& large = isFirst ? a : b;
    const RunMeasures& small = isFirst ? b : a;
    if (a.nodes <= 0 || b.nodes <= 0 || perNode(a) == perNode(b) || large.gpus > small.gpus)
        return {std::nullopt,
            "Both ran on GPUs of one kind, and neither has fewer of them in larger nodes: "
                + a.cluster + " and " + b.cluster + ".",
            false};
    return {isFirst ? 0U : 1U,
        fmt::format("{} has nodes of {:.0f} GPUs, {} of {:.0f}.", large.run.name, perNode(large),
            small.run.name, perNode(small)),
        false};
}

std::string layersText(int layers, int hidden) {
    return fmt::format("{} layers of {}", layers, hidden);
}

std::string shapeKey(const LaunchConfig& launch, const catalogue::ModelCatalogue& models) {
    if (launch.layers && launch.hiddenSize)
        return layersText(*launch.layers, *launch.hiddenSize);
    const auto* known = launch.model ? models.byName(*launch.model) : nullptr;
    return known != nullptr ? layersText(known->layers, known->hidden) : std::string();
}

// One model may be written differently; where one of them names none, their shapes tell.
std::pair<std::string, std::string> modelKeys(const LaunchConfig& a, const LaunchConfig& b) {
    const catalogue::ModelCatalogue& models = catalogue::modelCatalogue();
    if (!a.model || !b.model)
        return {shapeKey(a, models), shapeKey(b, models)};
    const auto nameKey = [&models](const std::string& name) {
        const auto* known = models.byName(name);
        return known != nullptr ? known->name : lettersAndDigits(name);
    };
    return {nameKey(*a.model), nameKey(*b.model)};
}

// "bf16", "bf16-mixed" and "bfloat16" are one.
std::string precisionKey(const std::optional<std::string>& precision) {
    if (!precision)
        return {};
    const std::string text = lettersAndDigits(*precision);
    const auto has = [&text](const char* word) { return text.find(word) != std::string::npos; };
    if (has("fp8") || has("float8"))
        return "fp8";
    if (has("bf16") || has("bfloat16"))
        return "bf16";
    if (has("16") || has("half"))
        return "fp16";
    return text;
}

std::string textOf(const std::optional<int>& value) {
    return value ? std::to_string(*value) : std::string();
}

Roles rolesOf(const RunMeasures& a, const RunMeasures& b) {
    if (a.gpus <= 0 || b.gpus <= 0)
        return {std::nullopt, "The number of GPUs is not known.", false};
    const Order size = sizeOf(a.gpu, b.gpu);
    if (size == Order::Equal)
        return ofEqualGpus(a, b);
    if (a.gpus == b.gpus)
        return {std::nullopt,
            fmt::format(
                "Both ran on {}, so that neither scaled out.", text::counted(a.gpus, "GPU")),
            false};
    const bool isFirst = a.gpus < b.gpus;
    const RunMeasures& few = isFirst ? a : b;
    const RunMeasures& many = isFirst ? b : a;
    const std::size_t at = isFirst ? 0 : 1;
    const bool areNamed = !a.gpu.name.empty() && !b.gpu.name.empty();
    if (size == Order::Unknown && areNamed)
        return {std::nullopt,
            "Which of " + a.gpu.name + " and " + b.gpu.name + " is the larger GPU cannot be told.",
            false};
    if (size == Order::Unknown)
        return {at,
            fmt::format("The kind of the GPUs is not known; {} has fewer of them, {} against {}.",
                few.run.name, few.gpus, many.gpus),
            true};
    if (size == (isFirst ? Order::Less : Order::Greater))
        return {std::nullopt,
            "The run on fewer GPUs has the smaller ones, too: " + few.cluster + " against "
                + many.cluster + ".",
            false};
    return {at, few.cluster + " against " + many.cluster + ".", false};
}

std::string WorkDifference::text() const {
    if (a.empty() && b.empty())
        return what + " (not stated)";
    if (!isKnown())
        return what + " (" + (a.empty() ? "not stated" : a) + " against "
            + (b.empty() ? "not stated" : b) + ")";
    return what + " (" + a + " against " + b + ")";
}

// Those that differ, and those that one of them does not state.
std::vector<WorkDifference> workDifferences(const RunMeasures& a, const RunMeasures& b) {
    const LaunchConfig& first = a.run.launch;
    const LaunchConfig& second = b.run.launch;
    const auto models = modelKeys(first, second);
    const auto workload = [](const LaunchConfig& launch) {
        return launch.workload ? std::string(toString(*launch.workload)) : std::string();
    };
    const auto plain = [](std::string what, std::string one, std::string other) {
        const bool isEqual = one == other;
        return WorkDifference{std::move(what), std::move(one), std::move(other), isEqual};
    };
    std::vector<WorkDifference> all{
        plain("model", models.first, models.second),
        plain("global batch", textOf(first.globalBatch), textOf(second.globalBatch)),
        plain("sequence length", textOf(first.sequenceLength), textOf(second.sequenceLength)),
        plain("precision", precisionKey(first.precision), precisionKey(second.precision)),
        plain("workload", workload(first), workload(second)),
    };
    // As they were written.
    if (first.model && second.model) {
        all[0].a = *first.model;
        all[0].b = *second.model;
    }
    all[3].a = first.precision.value_or(all[3].a);
    all[3].b = second.precision.value_or(all[3].b);
    // Hardly any source states the workload, and where none does there is nothing to point at.
    std::erase_if(all, [](const WorkDifference& one) {
        return (one.isKnown() || one.what == "workload") && one.isEqual;
    });
    return all;
}

// Result of one deciding quantity.
struct Standing {
    enum class Kind { Missing, TooFew, Unclear, Equal, First, Second } kind = Kind::Missing;
    double factor = 1.0; // better one / other
    std::string why;

    [[nodiscard]] bool isDecided() const { return kind == Kind::First || kind == Kind::Second; }
    // 0 or 1, where decided.
    [[nodiscard]] std::size_t winner() const { return kind == Kind::First ? 0 : 1; }
};

bool isPredicted(const RunMeasures& run) {
    return run.run.kind == RunKind::Predicted;
}

// Without a spread, what predictions are off by has to speak.
Standing standingOfPrediction(double ratio) {
    using Kind = Standing::Kind;
    const double factor = std::max(ratio, 1.0 / ratio);
    if (factor - 1.0 >= kPredictedWithin)
        return {ratio > 1.0 ? Kind::Second : Kind::First, factor, {}};
    return {Kind::Unclear, factor,
        fmt::format("They differ by {}, and a prediction may be off by {}.",
            text::percent(factor - 1.0), text::percent(kPredictedWithin, 0))};
}

Standing standingOf(const RunMeasures& a, const RunMeasures& b, std::string_view key) {
    using Kind = Standing::Kind;
    const Measure* first = a.find(key);
    const Measure* second = b.find(key);
    for (const auto& [measure, run] : {std::pair{first, &a}, std::pair{second, &b}}) {
        if (measure == nullptr || measure->value <= 0.0)
            return {Kind::Missing, 1.0, run->run.name + ": " + run->why(key)};
    }
    if (isPredicted(a) || isPredicted(b))
        return standingOfPrediction(second->value / first->value);
    const bool hasSpread = first->spread && second->spread;
    const auto difference = hasSpread
        ? differenceOf(*first->spread, *second->spread, kVerdictConfidence)
        : std::nullopt;
    if (!difference)
        return {Kind::TooFew, 1.0,
            fmt::format("{} and {} iterations are too few to tell a difference from chance; {} of "
                        "each are needed.",
                first->spread ? first->spread->count : 0,
                second->spread ? second->spread->count : 0, kLeastIterations)};
    const double ratio = second->value / first->value;
    const double factor = std::max(ratio, 1.0 / ratio);
    if (difference->isBeyond() && factor - 1.0 >= kLeastDifference)
        return {ratio > 1.0 ? Kind::Second : Kind::First, factor, {}};
    const double mean = std::min(first->spread->mean, second->spread->mean);
    const double most = (std::abs(difference->difference) + difference->margin) / mean;
    if (most <= kTieWithin)
        return {Kind::Equal, factor, {}};
    return {Kind::Unclear, factor,
        fmt::format("The iterations vary so much that a difference of up to {} would not "
                    "show.",
            text::percent(most, 0))};
}

std::string_view roleText(bool isScaleUp) {
    return isScaleUp ? "Scale-up" : "Scale-out";
}

class Judge {
public:
    Judge(const RunMeasures& a, const RunMeasures& b)
        : m_a(a)
        , m_b(b)
        , m_roles(rolesOf(a, b))
        , m_joule(standingOf(a, b, kTokensPerJoule))
        , m_gpu(standingOf(a, b, kTokensPerGpu)) { }

    Verdict judge() {
        const Speed speed = speedOf(m_a, m_b);
        m_verdict.first = speed.headline;
        m_verdict.scaleUp = m_roles.scaleUp;
        if (!hindered(speed))
            decide();
        namePredictions();
        m_verdict.statements = statementsOf(m_a, m_b);
        if (m_verdict.winner == Winner::ScaleUp || m_verdict.winner == Winner::ScaleOut)
            addWhatDecided();
        return std::move(m_verdict);
    }

private:
    void undecided(const std::string& headline, const std::string& reason) {
        m_verdict.winner = Winner::Undecided;
        m_verdict.headline = "Undecided: " + headline;
        m_verdict.reason = reason;
    }

    [[nodiscard]] bool arePartsOfOneRun() const {
        return m_a.run.id == m_b.run.id && m_a.capture != m_b.capture;
    }

    // Gives an undecided verdict where the runs forbid one before any value is looked at.
    bool hindered(const Speed& speed) {
        const bool isOom = m_a.run.status == RunStatus::Oom || m_b.run.status == RunStatus::Oom;
        if (isOom || !m_roles.scaleUp || arePartsOfOneRun()) {
            compareSpeed(speed);
            return true;
        }
        return isOtherWork();
    }

    // The first sentence is all there is to say.
    void compareSpeed(const Speed& speed) {
        m_verdict.winner = Winner::Undecided;
        if (arePartsOfOneRun())
            m_verdict.scaleUp.reset();
        m_verdict.headline = speed.headline;
        m_verdict.reason = speed.reason;
        std::string differing;
        for (const WorkDifference& one : workDifferences(m_a, m_b)) {
            if (one.isKnown())
                differing += (differing.empty() ? "" : ", ") + one.text();
        }
        if (!differing.empty())
            m_verdict.reason += " They did different work: " + differing + ".";
    }

    bool isOtherWork() {
        std::string differing;
        for (const WorkDifference& one : workDifferences(m_a, m_b)) {
            std::string& list = one.isKnown() ? differing : m_unstated;
            list += (list.empty() ? "" : ", ") + one.text();
        }
        if (!differing.empty()) {
            undecided("the runs did different work",
                "They differ in " + differing + ", so that their figures do not compare.");
            return true;
        }
        if (m_unstated.find("model") != std::string::npos) {
            undecided("whether the runs did the same work is not known",
                "What is not stated of both: " + m_unstated + ".");
            return true;
        }
        return false;
    }

    [[nodiscard]] bool isScaleUp(std::size_t run) const { return run == *m_roles.scaleUp; }

    void win(std::size_t run, const Standing& by, std::string_view quantity) {
        m_verdict.winner = isScaleUp(run) ? Winner::ScaleUp : Winner::ScaleOut;
        m_verdict.by = quantity;
        m_verdict.reason = fmt::format("{} makes {:.2f} × the tokens per {} of {}",
            run == 0 ? sideName(m_a, m_b) : sideName(m_b, m_a), text::worded(by.factor),
            quantity == kTokensPerJoule ? "joule" : "second and GPU",
            run == 0 ? sideName(m_b, m_a) : sideName(m_a, m_b));
    }

    // "Scale-up wins per joule and per GPU, scale-out per second"
    [[nodiscard]] std::string winsText(std::size_t winner, std::vector<std::string> by) const {
        const auto a = m_a.value("tokens_per_s");
        const auto b = m_b.value("tokens_per_s");
        std::string other;
        if (a && b && *a != *b) {
            const std::size_t faster = *a > *b ? 0 : 1;
            if (faster == winner)
                by.emplace_back("per second");
            else
                other = isScaleUp(faster) ? ", scale-up per second" : ", scale-out per second";
        }
        return fmt::format("{} wins {}{}", roleText(isScaleUp(winner)), text::joined(by), other);
    }

    void decide() {
        using Kind = Standing::Kind;
        if (m_gpu.kind == Kind::Missing)
            undecided("the throughput is not known", m_gpu.why);
        else if (m_gpu.kind == Kind::TooFew)
            undecided("too few iterations", m_gpu.why);
        else if (m_joule.isDecided() && m_gpu.isDecided() && m_joule.winner() != m_gpu.winner())
            disagree();
        else if (m_joule.isDecided())
            winByJoule();
        else if (m_gpu.isDecided())
            winByGpu();
        else if (m_gpu.kind == Kind::Equal
            && (m_joule.kind == Kind::Equal || m_joule.kind == Kind::Missing))
            tie();
        else
            undecided(isPredicted(m_a) || isPredicted(m_b)
                    ? "the difference is within what predictions are off by"
                    : "the spread over iterations is too large",
                m_gpu.kind == Kind::Unclear ? m_gpu.why : m_joule.why);
    }

    void disagree() {
        const auto nameOf
            = [this](std::size_t run) { return isScaleUp(run) ? "scale-up" : "scale-out"; };
        undecided(fmt::format("{} wins per joule, {} per GPU", nameOf(m_joule.winner()),
                      nameOf(m_gpu.winner())),
            fmt::format("Energy ({:.2f} ×) and GPUs ({:.2f} ×) speak for different runs; which "
                        "weighs more is for you to say.",
                text::worded(m_joule.factor), text::worded(m_gpu.factor)));
    }

    void winByJoule() {
        win(m_joule.winner(), m_joule, kTokensPerJoule);
        std::vector<std::string> by{"per joule"};
        if (m_gpu.isDecided())
            by.emplace_back("per GPU");
        m_verdict.headline = winsText(m_joule.winner(), by);
        m_verdict.reason += m_gpu.isDecided()
            ? fmt::format(", and {:.2f} × per second and GPU.", text::worded(m_gpu.factor))
            : ".";
    }

    void winByGpu() {
        win(m_gpu.winner(), m_gpu, kTokensPerGpu);
        m_verdict.headline = winsText(m_gpu.winner(), {"per GPU"});
        m_verdict.reason += m_joule.kind == Standing::Kind::Equal
            ? "; per joule they are alike."
            : ". Energy does not tell: " + m_joule.why;
    }

    void tie() {
        const bool hasEnergy = m_joule.kind == Standing::Kind::Equal;
        m_verdict.winner = Winner::Tie;
        m_verdict.by = hasEnergy ? kTokensPerJoule : kTokensPerGpu;
        m_verdict.headline
            = hasEnergy ? "A tie per joule and per GPU" : "A tie per GPU; the energy is not known";
        const std::string joule = hasEnergy
            ? fmt::format("{} per joule and ", text::percent(m_joule.factor - 1.0))
            : std::string();
        m_verdict.reason
            = fmt::format("They differ by {}{} per second and GPU; what is under {}, or within the "
                          "spread and for sure under {}, counts as a tie.",
                joule, text::percent(m_gpu.factor - 1.0), text::percent(kLeastDifference, 0),
                text::percent(kTieWithin, 0));
    }

    void namePredictions() {
        if (!isPredicted(m_a) && !isPredicted(m_b))
            return;
        const bool areBoth = isPredicted(m_a) && isPredicted(m_b);
        const std::string who
            = areBoth ? "Both runs are" : (isPredicted(m_a) ? m_a : m_b).run.name + " is";
        for (std::string* sentence : {&m_verdict.first, &m_verdict.headline})
            *sentence += areBoth ? " (both predicted)" : " (one of them predicted)";
        if (!m_roles.scaleUp)
            return; // the reason for no difference says so
        m_verdict.reason += fmt::format(" {} predicted, not measured: a difference counts from "
                                        "{} on.",
            who, text::percent(kPredictedWithin, 0));
    }

    void addWhatDecided() {
        const std::size_t winner = isScaleUp(0) == (m_verdict.winner == Winner::ScaleUp) ? 0 : 1;
        addCause(m_verdict, m_a, m_b, winner);
        addBreakEvenPoints(m_verdict, m_a, m_b);
        if (m_roles.isAssumed)
            m_verdict.reason += " " + m_roles.why;
        if (!m_unstated.empty())
            m_verdict.reason += " Taken to be the same: " + m_unstated + ".";
    }

    const RunMeasures& m_a;
    const RunMeasures& m_b;
    Roles m_roles;
    Standing m_joule;
    Standing m_gpu;
    std::string m_unstated; // facts of the work that one or both do not state
    Verdict m_verdict;
};

} // namespace

std::string Verdict::explanation() const {
    return headline == first ? reason : headline + ": " + reason;
}

bool ranOtherModels(const RunMeasures& a, const RunMeasures& b) {
    const auto models = modelKeys(a.run.launch, b.run.launch);
    return !models.first.empty() && !models.second.empty() && models.first != models.second;
}

Verdict verdictOf(const RunMeasures& a, const RunMeasures& b) {
    return Judge(a, b).judge();
}

} // namespace trainscope::analysis
