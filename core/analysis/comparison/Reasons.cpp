#include "core/analysis/comparison/Reasons.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/comparison/Speed.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/model/AsciiText.h"
#include "core/text/Names.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

std::string spreadText(const RunMeasures& a, const RunMeasures& b, std::string_view key) {
    const Difference::Weight weight = differencesOf(a, b)[quantityIndex(key).value()].weight;
    return weight == Difference::Weight::Beyond ? ", beyond the spread over iterations"
        : weight == Difference::Weight::Within  ? ", within the spread over iterations"
                                                : "";
}

std::string linkText(const RunMeasures& run, LinkClass link) {
    if (link == LinkClass::ScaleUp)
        return run.gpu.links.empty() ? " inside nodes" : " inside nodes over " + run.gpu.links;
    return link == LinkClass::ScaleOut ? " between nodes" : "";
}

// " (PP between nodes 44 %, TP inside nodes 31 % of that; 12 % of it waits for late GPUs)"
std::string carriersText(const RunMeasures& run) {
    constexpr double worthTelling = 0.1;
    constexpr std::size_t most = 3;
    if (!run.traced)
        return {};
    std::map<std::string, double> sums;
    double all = 0.0;
    double waiting = 0.0;
    for (const ExposedCommunication& one : run.traced->exposed) {
        sums[carrierText(run, one)] += one.seconds;
        all += one.seconds;
        waiting += one.waitS.value_or(0.0);
    }
    std::vector<std::pair<double, std::string>> shares;
    for (const auto& [name, seconds] : sums) {
        if (seconds >= worthTelling * all && seconds > 0.0)
            shares.emplace_back(seconds / all, name);
    }
    std::ranges::sort(shares, std::greater<>());
    std::string text;
    for (std::size_t i = 0; i < std::min(shares.size(), most); ++i)
        text += (i == 0 ? " (" : ", ") + shares[i].second + " "
            + text::roundedPercent(shares[i].first);
    if (text.empty())
        return text;
    text += " of that";
    if (waiting >= worthTelling * all)
        text += "; " + text::roundedPercent(waiting / all) + " of it waits for late GPUs";
    return text + ")";
}

// Assumptions of an estimate.
std::string basisText(const MemoryHeadroom& memory) {
    if (!memory.isUsedEstimated)
        return {};
    std::string text = " (estimate from model and layout";
    if (memory.need && memory.need->takesShardedOptimizer)
        text += ", taking the optimizer to be sharded, which is not stated";
    if (memory.need && memory.need->takesRecomputation)
        text += ", taking activations to be recomputed, which is not stated";
    return text + ")";
}

std::string microBatchText(const MemoryHeadroom& memory, const RunMeasures& run) {
    const auto now = run.run.launch.microBatch;
    if (!memory.microBatch || !now)
        return {};
    if (*memory.microBatch <= *now)
        return fmt::format(", not enough for a larger micro-batch than {} (estimate)", *now);
    return fmt::format(
        ", enough for a micro-batch of {} (now {}; estimate)", *memory.microBatch, *now);
}

std::string headroomText(
    const MemoryHeadroom& memory, const RunMeasures& run, const std::string& label) {
    const std::string capacity = text::rounded(memory.capacity, "B");
    if (run.run.status == RunStatus::Oom)
        return fmt::format("{} ran out of memory; model and layout need about {} of the {} a GPU "
                           "(estimate)",
            label, text::rounded(memory.used, "B"), capacity);
    if (memory.free() < 0.0)
        return fmt::format("What {} leaves free of {} a GPU cannot be told: as stated, model and "
                           "layout would need {} (estimate), so more is sharded, recomputed or "
                           "moved off the GPU than the configuration says",
            label, capacity, text::rounded(memory.used, "B"));
    return fmt::format("{} leaves {} of {} a GPU free{}{}", label,
        text::rounded(memory.free(), "B"), capacity, basisText(memory),
        microBatchText(memory, run));
}

class Stater {
public:
    Stater(const RunMeasures& a, const RunMeasures& b)
        : m_a(a)
        , m_b(b)
        , m_labels(a, b) { }

    std::vector<Statement> state() {
        addImplausible();
        addThroughput();
        addPerGpu();
        addPerJoule();
        addPerStep();
        addExposed();
        addChanges(categoryChanges(m_a, m_b), "category");
        addChanges(phaseChanges(m_a, m_b), "phase");
        addMemory();
        addPeakPower();
        addThrottling();
        addUnknown();
        return std::move(m_out);
    }

private:
    struct Unknown {
        std::string why;
        std::string quantity; // the first
        std::vector<std::string> whats;
        std::vector<std::string> labels;
    };

    void add(std::string text, std::string_view quantity) {
        m_out.push_back({std::move(text), std::string(quantity), m_a.value(quantity),
            m_b.value(quantity), false});
    }

    // Notes why where one of them lacks it; true where both have it.
    bool areBothKnown(std::string_view quantity, std::string_view what) {
        bool areKnown = true;
        for (const auto& [run, label] :
            {std::pair{&m_a, &m_labels.a}, std::pair{&m_b, &m_labels.b}}) {
            if (run->value(quantity))
                continue;
            areKnown = false;
            Unknown& unknown = unknownFor(run->why(quantity), quantity);
            addOnce(unknown.whats, std::string(what));
            addOnce(unknown.labels, *label);
        }
        return areKnown;
    }

    Unknown& unknownFor(const std::string& why, std::string_view quantity) {
        for (Unknown& one : m_unknown) {
            if (one.why == why)
                return one;
        }
        return m_unknown.emplace_back(Unknown{why, std::string(quantity), {}, {}});
    }

    static void addOnce(std::vector<std::string>& list, const std::string& text) {
        if (std::ranges::find(list, text) == list.end())
            list.push_back(text);
    }

    // Each reason once, with all that it leaves unknown: "Throughput and energy of a token of A
    // and B are not known: …"
    void addUnknown() {
        for (const Unknown& one : m_unknown) {
            add(fmt::format("{} of {} {} not known: {}", capitalised(text::joined(one.whats)),
                    text::joined(one.labels), one.whats.size() > 1 ? "are" : "is", one.why),
                one.quantity);
        }
    }

    // "By category, B against A: Elementwise 72 ms against 110 ms, …"
    void addChanges(const std::vector<PartChange>& changes, std::string_view by) {
        constexpr std::size_t most = 4;
        constexpr double worthTelling = 0.005; // share of the step
        std::string text;
        for (std::size_t i = 0; i < std::min(changes.size(), most); ++i) {
            if (std::abs(changes[i].change()) < worthTelling * m_a.traced->all.seconds)
                break;
            text += fmt::format("{}{} {} against {}", text.empty() ? "" : ", ", changes[i].title,
                text::rounded(changes[i].b, "s"), text::rounded(changes[i].a, "s"));
        }
        if (!text.empty())
            add(fmt::format("The step by {}, {} against {}: {}.", by, m_labels.b, m_labels.a, text),
                fmt::format("step_by_{}", by));
    }

    void addImplausible() {
        std::string figures;
        for (const auto& [run, label] :
            {std::pair{&m_a, &m_labels.a}, std::pair{&m_b, &m_labels.b}}) {
            const auto mfu = run->value("mfu");
            if (isImplausibleMfu(mfu))
                figures += fmt::format(
                    "{}{} ({})", figures.empty() ? "" : " and ", text::percent(*mfu, 0), *label);
        }
        if (!figures.empty())
            add(implausibleMfuText(figures), "mfu");
    }

    void addThroughput() {
        if (!areBothKnown("tokens_per_s", "throughput"))
            return;
        const double a = *m_a.value("tokens_per_s");
        const double b = *m_b.value("tokens_per_s");
        const bool isFirst = a >= b;
        const double factor = isFirst ? a / b : b / a;
        const RunMeasures& fast = isFirst ? m_a : m_b;
        const RunMeasures& slow = isFirst ? m_b : m_a;
        std::string text
            = fmt::format("{} makes {:.2f} × the tokens per second of {} ({} against {})",
                isFirst ? m_labels.a : m_labels.b, text::worded(factor),
                isFirst ? m_labels.b : m_labels.a, text::rounded(std::max(a, b), "tokens/s"),
                text::rounded(std::min(a, b), "tokens/s"));
        if (fast.gpus != slow.gpus && slow.gpus > 0) {
            const double more = static_cast<double>(fast.gpus) / slow.gpus;
            text += fmt::format(", with {:.3g} × the GPUs", text::worded(more));
            if (more > 1.0)
                text += fmt::format(": {} scaling", text::roundedPercent(factor / more));
        }
        add(text + spreadText(m_a, m_b, "tokens_per_s") + ".", "tokens_per_s");
    }

    void addPerGpu() {
        if (!m_a.value("tokens_per_s_per_gpu") || !m_b.value("tokens_per_s_per_gpu"))
            return;
        const double a = *m_a.value("tokens_per_s_per_gpu");
        const double b = *m_b.value("tokens_per_s_per_gpu");
        add(fmt::format("Per GPU, {} makes {} and {} {}: {:.2f} ×{}.", m_labels.a,
                text::rounded(a, "tokens/s"), m_labels.b, text::rounded(b, "tokens/s"),
                text::worded(std::max(a, b) / std::min(a, b)),
                spreadText(m_a, m_b, "tokens_per_s_per_gpu")),
            "tokens_per_s_per_gpu");
    }

    void addPerJoule() {
        if (!areBothKnown("tokens_per_j", "energy of a token"))
            return;
        const double a = *m_a.value("tokens_per_j");
        const double b = *m_b.value("tokens_per_j");
        add(fmt::format("{} spends {} a token, {} {}: {:.2f} × the tokens per joule for {}{}.",
                m_labels.a, text::rounded(1.0 / a, "J"), m_labels.b, text::rounded(1.0 / b, "J"),
                text::worded(std::max(a, b) / std::min(a, b)), a >= b ? m_labels.a : m_labels.b,
                spreadText(m_a, m_b, "tokens_per_j")),
            "tokens_per_j");
    }

    // By the step, for runs whose tokens are not known.
    void addPerStep() {
        const auto a = m_a.value("energy_per_step_j");
        const auto b = m_b.value("energy_per_step_j");
        if (!a || !b || *a <= 0.0 || (m_a.value("tokens_per_j") && m_b.value("tokens_per_j")))
            return;
        add(fmt::format("{} spends {} a step, {} {}: {:.2f} ×{}.", m_labels.a,
                text::rounded(*a, "J"), m_labels.b, text::rounded(*b, "J"), text::worded(*b / *a),
                spreadText(m_a, m_b, "energy_per_step_j")),
            "energy_per_step_j");
    }

    void addExposed() {
        constexpr const char* key = "exposed_communication_fraction";
        if (m_a.gpus == 1 && m_b.gpus == 1)
            return; // one GPU has nobody to exchange with
        if (!areBothKnown(key, "exposed communication"))
            return;
        const auto part = [](const RunMeasures& run, const std::string& label) {
            return fmt::format("{} exposes {} of its {}{}", label,
                text::roundedPercent(*run.value(key)),
                run.run.kind == RunKind::Predicted ? "predicted step" : "traced time",
                carriersText(run));
        };
        add(part(m_a, m_labels.a) + ", " + part(m_b, m_labels.b) + ".", key);
    }

    void addMemory() {
        const auto a = memoryHeadroomOf(m_a);
        const auto b = memoryHeadroomOf(m_b);
        if (!a && !b)
            return;
        std::string text = a ? headroomText(*a, m_a, m_labels.a) : std::string();
        if (b)
            text += (text.empty() ? "" : "; ") + headroomText(*b, m_b, m_labels.b);
        const auto free = [](const std::optional<MemoryHeadroom>& memory) {
            return memory && memory->free() >= 0.0 ? std::optional(memory->free()) : std::nullopt;
        };
        m_out.push_back({text + ".", "memory_headroom_b", free(a), free(b),
            (a && a->isUsedEstimated) || (b && b->isUsedEstimated)});
    }

    void addPeakPower() {
        const auto a = m_a.value("peak_power_w");
        const auto b = m_b.value("peak_power_w");
        if (!a || !b)
            return;
        add(fmt::format("{} peaks at {}, {} at {}: {:.2f} × the supply to provide for.", m_labels.a,
                text::rounded(*a, "W"), m_labels.b, text::rounded(*b, "W"),
                text::worded(std::max(*a, *b) / std::min(*a, *b))),
            "peak_power_w");
    }

    void addThrottling() {
        const auto a = m_a.value("throttled_fraction");
        const auto b = m_b.value("throttled_fraction");
        if (!a || !b || (*a == 0.0 && *b == 0.0))
            return;
        const auto part = [](const RunMeasures& run, const std::string& label) {
            const auto heat = run.value("thermally_throttled_fraction");
            const double all = *run.value("throttled_fraction");
            std::string text = label + " throttles " + text::roundedPercent(all);
            if (heat && *heat > 0.0)
                text += *heat >= 0.995 * all
                    ? " (all by heat)"
                    : fmt::format(" ({} by heat)", text::roundedPercent(*heat));
            return text;
        };
        const auto basis = [](const RunMeasures& run) {
            return run.throttleBasis == ThrottleBasis::Reasons ? "by the driver's reasons"
                                                               : "from clocks";
        };
        add(fmt::format("{} of the GPUs' time, {}{}.", part(m_a, m_labels.a), part(m_b, m_labels.b),
                m_a.throttleBasis == m_b.throttleBasis
                    ? std::string()
                    : fmt::format("; the first is told {}, the second {}: they do not compare",
                        basis(m_a), basis(m_b))),
            "throttled_fraction");
    }

    const RunMeasures& m_a;
    const RunMeasures& m_b;
    Labels m_labels;
    std::vector<Unknown> m_unknown;
    std::vector<Statement> m_out;
};

} // namespace

Labels::Labels(const RunMeasures& first, const RunMeasures& second)
    : a(first.cluster == second.cluster ? sideName(first, second) : first.cluster)
    , b(first.cluster == second.cluster ? sideName(second, first) : second.cluster) { }

std::string carrierText(const RunMeasures& run, const ExposedCommunication& group) {
    return (group.dimension.empty() ? group.category : inCapitals(group.dimension))
        + linkText(run, group.link);
}

std::vector<Statement> statementsOf(const RunMeasures& a, const RunMeasures& b) {
    return Stater(a, b).state();
}

} // namespace trainscope::analysis
