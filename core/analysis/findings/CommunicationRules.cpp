// Findings from PyTorch's flight recorder: ranks that never came.

#include "core/analysis/findings/Rules.h"
#include "core/analysis/traces/CollectiveKind.h"
#include "core/catalogue/GpuModel.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

TimeRange windowOf(const RunFacts& facts, int rank) {
    for (const TracedDevice& device : facts.traced) {
        if (device.rank == rank)
            return device.window;
    }
    return facts.run.range;
}

const char* linkText(LinkClass link) {
    return link == LinkClass::ScaleUp ? "the links within a node"
        : link == LinkClass::ScaleOut ? "the links between nodes"
                                      : "links";
}

struct Link {
    const char* prefix; // begin of its metrics' names
    const char* name;
    std::optional<double> catalogue::GpuModel::*peak;
};
constexpr Link kNvlink{"nvlink_", "NVLink", &catalogue::GpuModel::linkBandwidth};
constexpr Link kPcie{"pcie_", "PCIe", &catalogue::GpuModel::pcieBandwidth};

// One link over the GPUs; of each GPU its busier direction.
struct LinkLoad {
    const Link* link = nullptr;
    struct OneGpu {
        const BusyTraffic* traffic = nullptr;
        double peak = 0.0; // B/s
        [[nodiscard]] double use() const { return traffic->rate() / peak; }
    };
    std::map<int, OneGpu> gpus; // by rank

    [[nodiscard]] const OneGpu& worst() const {
        return std::ranges::max_element(gpus, [](const auto& a, const auto& b) {
            return a.second.use() < b.second.use();
        })->second;
    }
    [[nodiscard]] double mean(double (*of)(const OneGpu&)) const {
        double sum = 0.0;
        for (const auto& [rank, gpu] : gpus)
            sum += of(gpu);
        return sum / static_cast<double>(gpus.size());
    }
    [[nodiscard]] double meanUse() const {
        return mean([](const OneGpu& gpu) { return gpu.use(); });
    }
};

std::string modelOf(const RunFacts& facts, int rank) {
    for (const GpuSummary& gpu : facts.whole.gpus) {
        if (gpu.gpu.rank == rank && !gpu.gpu.model.empty())
            return gpu.gpu.model;
    }
    return facts.run.gpuModel;
}

LinkLoad loadOf(const RunFacts& facts, const Link& link) {
    LinkLoad load{&link, {}};
    for (const BusyTraffic& traffic : facts.traffic) {
        if (!traffic.metric.starts_with(link.prefix))
            continue;
        const auto* model = catalogue::findGpuModel(modelOf(facts, traffic.rank));
        if (model == nullptr || !(model->*link.peak))
            continue;
        LinkLoad::OneGpu& gpu = load.gpus[traffic.rank];
        if (gpu.traffic == nullptr || traffic.rate() > gpu.traffic->rate())
            gpu = {&traffic, *(model->*link.peak)};
    }
    return load;
}

double exposedShare(const RunFacts& facts) {
    double exposed = 0.0;
    for (const TracedDevice& device : facts.traced)
        exposed += device.exposedS;
    const double all = facts.tracedS();
    return all > 0.0 ? exposed / all : 0.0;
}

void report(const LinkLoad& load, const RunFacts& facts, double exposed, Findings& found) {
    const LinkLoad::OneGpu& worst = load.worst();
    const double use = load.meanUse();
    const double rate = load.mean([](const auto& gpu) { return gpu.traffic->rate(); });
    const double peak = load.mean([](const auto& gpu) { return gpu.peak; });
    const auto full = std::ranges::count_if(
        load.gpus, [](const auto& gpu) { return gpu.second.use() >= kLinkSaturated; });
    const bool isOne = load.gpus.size() == 1;
    Finding finding{"busy_link",
        fmt::format("{} is used to {} of its peak while {} busy, {} of {} per direction{}",
            load.link->name, text::roundedPercent(use), isOne ? "the GPU is" : "the GPUs are",
            text::rounded(rate, "B/s"), text::rounded(peak, "B/s"),
            isOne ? std::string()
                  : fmt::format("; most on rank {}, {}", worst.traffic->rank,
                      text::roundedPercent(worst.use()))),
        {{"utilisation", use}, {"highest_utilisation", worst.use()}, {"rate_b_per_s", rate},
            {"peak_b_per_s", peak}, {"gpus", load.gpus.size()}, {"saturated_gpus", full}},
        {worst.traffic->rank, facts.steadyState.window, worst.traffic->metric},
        fmt::format("{} of the peak on one GPU, for attention {}; or less where exposed "
                    "communication takes {} of the traced time",
            text::roundedPercent(kLinkUse), text::roundedPercent(kLinkSaturated),
            text::roundedPercent(kExposedFraction)),
        fmt::format("peak of the GPU per direction, from the catalogue; bytes of the busier "
                    "direction over the time at a utilisation of {} or more, mean of {} over {}",
            text::roundedPercent(kBusyUtilization),
            text::counted(static_cast<std::int64_t>(load.gpus.size()), "GPU", "GPUs"),
            facts.steadyState.wording),
        full > 0 ? Severity::Attention : Severity::Note, 0.0};
    if (full > 0)
        finding.text += ". It is near saturation on " + partOfGpus(full, std::ssize(load.gpus));
    if (worst.use() < kLinkUse) {
        finding.values["exposed_fraction"] = exposed;
        finding.text += fmt::format("; exposed communication costs {} of the step all the same: "
                                    "its bandwidth is not what it waits for",
            text::roundedPercent(exposed));
    }
    finding.text += ".";
    found.push_back(std::move(finding));
}

} // namespace

void findLinkUse(const RunFacts& facts, Findings& found) {
    const double traced = facts.tracedS();
    if (!facts.communication || traced <= 0.0)
        return;
    const CommunicationRow* worst = nullptr;
    double worstTime = 0.0;
    for (const CommunicationRow& row : facts.communication->rows) {
        const double time = row.transferS * std::max(1, row.ranks) / traced;
        const bool speaks
            = row.utilisation && row.bytes && *row.utilisation < kLinkUse && time >= kLinkTime;
        if (speaks && time > worstTime) {
            worst = &row;
            worstTime = time;
        }
    }
    if (worst == nullptr)
        return;
    const std::string along = worst->dimension.empty() ? "" : " along " + worst->dimension;
    found.push_back({"link_use",
        fmt::format("{}{} uses {} to {} while busy: {} of {}, in {} calls of {} on average.",
            toString(worst->kind), along, linkText(worst->link),
            text::roundedPercent(*worst->utilisation),
            text::rounded(worst->busBandwidth.value_or(0.0), "B/s"),
            text::rounded(worst->linkPeak.value_or(0.0), "B/s"), worst->count,
            text::rounded(*worst->bytes / static_cast<double>(worst->count), "B")),
        {{"utilisation", *worst->utilisation},
            {"bus_bandwidth_b_per_s", worst->busBandwidth.value_or(0.0)},
            {"peak_b_per_s", worst->linkPeak.value_or(0.0)}, {"calls", worst->count},
            {"bytes", *worst->bytes}, {"transfer_fraction", worstTime}},
        {-1, facts.run.range, {}},
        fmt::format("below {} of the peak, in transfers that take {} of the traced time or more",
            text::roundedPercent(kLinkUse), text::roundedPercent(kLinkTime)),
        "peak of the link per direction, from the catalogue of GPUs; the time from the last rank's "
        "start to the end of the transfer",
        Severity::Attention, 0.0});
}

void findClockOffsets(const RunFacts& facts, Findings& found) {
    if (!facts.communication)
        return;
    const RankClocks& clocks = facts.communication->clocks;
    const std::int64_t largest = std::abs(clocks.largestCorrection.ns);
    if (clocks.agree || largest < kClockOffsetNs
        || static_cast<double>(largest) <= clocks.largestUncertaintyNs)
        return;
    const auto worst
        = std::ranges::max_element(clocks.ranks, [](const RankClock& a, const RankClock& b) {
              return std::abs(a.offsetNs) < std::abs(b.offsetNs);
          });
    if (worst == clocks.ranks.end())
        return;
    const auto seconds = static_cast<double>(largest) * 1e-9;
    found.push_back({"clock_offsets",
        fmt::format("The clocks of the ranks differ by up to {} (rank {}, known to {}): compare "
                    "times across ranks on the common clock only.",
            text::seconds(seconds), worst->rank,
            text::seconds(clocks.largestTraceUncertaintyNs * 1e-9)),
        {{"largest_s", seconds}, {"uncertainty_s", clocks.largestTraceUncertaintyNs * 1e-9},
            {"ranks", clocks.ranks.size()}},
        {worst->rank, windowOf(facts, worst->rank), {}},
        fmt::format("{} and more than its uncertainty",
            text::seconds(static_cast<double>(kClockOffsetNs) * 1e-9)),
        fmt::format("clock of rank {}, from matched collectives", clocks.referenceRank),
        Severity::Note, 0.0});
}

// The links of GPUs by their counters; TraceRules and CommunicationRules have what the traces tell.
void findBusyLinks(const RunFacts& facts, Findings& found) {
    const double exposed = exposedShare(facts);
    for (const Link* link : {&kNvlink, &kPcie}) {
        const LinkLoad load = loadOf(facts, *link);
        if (load.gpus.empty())
            continue;
        // PCIe carries little where NVLink is there; that says nothing.
        const bool isIdleWhileWaiting = exposed >= kExposedFraction && link == &kNvlink;
        if (load.worst().use() >= kLinkUse || isIdleWhileWaiting)
            report(load, facts, exposed, found);
    }
}

void findUnreachedCollectives(const RunFacts& facts, Findings& found) {
    const auto listed = [](const std::vector<int>& ranks) {
        return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks",
            text::numberList(std::set<int>(ranks.begin(), ranks.end())));
    };
    for (const UnreachedCollective& one : facts.unreached) {
        std::string why;
        if (!one.missing.empty())
            why = fmt::format("{} never called it", listed(one.missing));
        if (!one.different.empty())
            why += fmt::format("{}{} called something else under its number",
                why.empty() ? "" : ", ", listed(one.different));
        if (!one.unknown.empty())
            why += fmt::format(", and there is no dump of {}", listed(one.unknown));
        const std::string group = one.description.empty() ? one.group : one.description;
        const auto& blamed = one.missing.empty() ? one.different : one.missing;
        found.push_back({"unreached_collective",
            fmt::format("In {} number {} of group {} {} {}: {}. Look at what {} did there.",
                one.collective.empty() ? "the collective" : one.collective, one.sequence, group,
                listed(one.waiting), one.waiting.size() == 1 ? "waits" : "wait", why,
                blamed.size() == 1 ? "that rank" : "those ranks"),
            {{"waiting", one.waiting.size()}, {"missing", one.missing.size()},
                {"different", one.different.size()}, {"sequence", one.sequence}},
            {blamed.front(), one.range, {}}, "one rank",
            text::counted(static_cast<std::int64_t>(one.waiting.size() + one.missing.size()
                              + one.different.size() + one.unknown.size()),
                "rank")
                + " of the process group",
            Severity::Serious, 0.0});
    }
}

} // namespace trainscope::analysis
