#include "app/cli/output/RunOutput.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::cli {

namespace {

constexpr std::size_t kKernelsAboveShown = 20;
constexpr std::size_t kKernelNameShown = 72;

Json kernelAboveJson(const analysis::KernelAboveLimit& kernel) {
    return object({{"name", kernel.name}, {"category", kernel.category}, {"count", kernel.count},
        {"time_us", 1e6 * kernel.time.seconds()}, {"energy_j", kernel.joules}});
}

Json deviceAboveJson(const analysis::DeviceAboveLimit& device, report::RankedBy by) {
    Json json{{"rank", device.rank}, {"device", device.device}};
    json.update(limitShareJson(device.gpu));
    add(json,
        {{"traced_us", 1e6 * device.traced.seconds()}, {"traced_energy_j", device.tracedJoules},
            {"idle_us", 1e6 * device.none.seconds()}, {"idle_energy_j", device.noneJoules}});
    auto kernels = device.kernels;
    if (by == report::RankedBy::Time)
        std::stable_sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.time > b.time; });
    json["kernels"] = listOf(kernels, kernelAboveJson);
    return json;
}

} // namespace

Json limitShareJson(const analysis::LimitShare& share) {
    return object(
        {{"limit_w", share.limitW}, {"limit_source", share.source}, {"seconds", share.seconds},
            {"share", share.share}, {"highest_w", share.highestW}, {"energy_j", share.joules}});
}

void addAboveLimit(Json& summary, const std::vector<analysis::AboveLimit>& gpus) {
    const auto all = analysis::together(gpus);
    if (!all)
        return;
    summary["above_limit"] = limitShareJson(*all);
    for (Json& gpu : summary["gpus"]) {
        const auto own = std::find_if(
            gpus.begin(), gpus.end(), [&gpu](const auto& one) { return gpu["rank"] == one.rank; });
        if (own != gpus.end())
            gpu["above_limit"] = limitShareJson(*own);
    }
}

Json aboveLimitJson(
    const Run& run, const std::vector<analysis::DeviceAboveLimit>& devices, report::RankedBy by) {
    return {{"run", run.name}, {"above_limit", listOf(devices, [by](const auto& device) {
                                    return deviceAboveJson(device, by);
                                })}};
}

void printAboveLimit(std::ostream& out, const Run& run,
    const std::vector<analysis::DeviceAboveLimit>& devices, report::RankedBy by) {
    out << run.name << '\n';
    for (const auto& device : devices) {
        out << fmt::format("  rank {}: {}\n", device.rank, report::aboveLimitText(device.gpu));
        if (device.traced.ns > 0)
            out << fmt::format("    {} of it traced, with {}; {} of that with no work on the GPU\n",
                text::aligned(device.traced.seconds(), "s"),
                text::aligned(device.tracedJoules, "J"), text::aligned(device.none.seconds(), "s"));
    }
    auto made = report::kernelsAboveLimitTable({devices}, by);
    for (std::size_t i = 0; i < made.table.rows.size(); ++i)
        made.table.rows[i].front() = text::elidedInMiddle(made.sources[i].name, kKernelNameShown);
    printBelow(out, firstOf(std::move(made.table), kKernelsAboveShown, "more kernel"));
}

} // namespace trainscope::cli
