// The links of GPUs by their counters; TraceRules and CommunicationRules have what the traces tell.

#include "core/analysis/findings/FindingText.h"
#include "core/analysis/findings/Rules.h"
#include "core/analysis/findings/Thresholds.h"

#include "core/catalogue/GpuModel.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::analysis {

namespace {

struct Link {
    const char* prefix; // of its metrics
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
        return std::max_element(gpus.begin(), gpus.end(), [](const auto& a, const auto& b) {
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
    double all = 0.0;
    for (const TracedDevice& device : facts.traced) {
        exposed += device.exposedS;
        all += device.windowS;
    }
    return all > 0.0 ? exposed / all : 0.0;
}

void report(const LinkLoad& load, const RunFacts& facts, double exposed, Findings& found) {
    const LinkLoad::OneGpu& worst = load.worst();
    const double use = load.meanUse();
    const double rate = load.mean([](const auto& gpu) { return gpu.traffic->rate(); });
    const double peak = load.mean([](const auto& gpu) { return gpu.peak; });
    const auto full = std::count_if(load.gpus.begin(), load.gpus.end(),
        [](const auto& gpu) { return gpu.second.use() >= kLinkSaturated; });
    Finding finding{"busy_link",
        fmt::format("{} is used to {} of its peak while the GPUs are busy, {} of {} per direction; "
                    "most on rank {}, {}",
            load.link->name, percent(use), scaled(rate, "B/s"), scaled(peak, "B/s"),
            worst.traffic->rank, percent(worst.use())),
        {{"utilisation", use}, {"highest_utilisation", worst.use()}, {"rate_b_per_s", rate},
            {"peak_b_per_s", peak}, {"gpus", static_cast<double>(load.gpus.size())},
            {"saturated_gpus", static_cast<double>(full)}},
        {worst.traffic->rank, facts.steadyState.window, worst.traffic->metric},
        fmt::format("{} of the peak on one GPU, for attention {}; or less where exposed "
                    "communication takes {} of the traced time",
            percent(kLinkUse), percent(kLinkSaturated), percent(kExposedFraction)),
        fmt::format("peak of the GPU per direction, from the catalogue; bytes of the busier "
                    "direction over the time at a utilisation of {} or more, mean of {} over {}",
            percent(kBusyUtilization),
            counted(static_cast<std::int64_t>(load.gpus.size()), "GPU", "GPUs"),
            facts.steadyState.wording),
        full > 0 ? Severity::Attention : Severity::Note, 0.0};
    if (full > 0)
        finding.text
            += fmt::format(". It is near saturation on {} of {} GPUs", full, load.gpus.size());
    if (worst.use() < kLinkUse) {
        finding.values["exposed_fraction"] = exposed;
        finding.text += fmt::format("; exposed communication costs {} of the step all the same: "
                                    "its bandwidth is not what it waits for",
            percent(exposed));
    }
    finding.text += ".";
    found.push_back(std::move(finding));
}

} // namespace

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

} // namespace trainscope::analysis
