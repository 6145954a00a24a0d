#include "app/cli/KernelsJson.h"

namespace trainscope::cli {

namespace {

using analysis::CategoryTime;
using analysis::TimeBreakdown;

Json countJson(const CategoryTime& time) {
    return {{"count", time.count}, {"time_us", microseconds(time.time)}};
}

// Adds to an object what every window has.
void addTimes(Json& json, const TimeBreakdown& times) {
    json["window_us"] = microseconds(times.window.length());
    json["kernel_count"] = times.kernelCount;
    json["kernel_time_us"] = microseconds(times.kernelTime);
    json["busy_us"] = microseconds(times.busy);
    json["compute_us"] = microseconds(times.compute);
    json["communication_us"] = microseconds(times.communication);
    json["exposed_communication_us"] = microseconds(times.exposedCommunication);
    json["overlap_us"] = microseconds(times.overlap);
    json["idle_us"] = microseconds(times.idle);
    json["copies"] = countJson(times.copies);
    json["memsets"] = countJson(times.sets);
    json["categories"] = Json::object();
    for (const auto& [category, time] : times.categories)
        json["categories"][category] = countJson(time);
}

Json iterationJson(const analysis::IterationBreakdown& iteration) {
    Json json{{"index", iteration.index}, {"start_ns", iteration.window.begin.ns},
        {"warmup", iteration.warmup}};
    addTimes(json, iteration);
    return json;
}

Json deviceJson(const analysis::DeviceBreakdown& device) {
    Json json{{"rank", device.rank}, {"device", device.device}};
    addTimes(json, device);
    json["kernels"] = Json::array();
    for (const auto& kernel : device.kernels) {
        json["kernels"].push_back({{"name", kernel.name}, {"count", kernel.count},
            {"time_us", microseconds(kernel.time)}, {"category", kernel.category}});
    }
    json["iterations"] = Json::array();
    for (const auto& iteration : device.iterations)
        json["iterations"].push_back(iterationJson(iteration));
    return json;
}

} // namespace

Json kernelsJson(const KernelsReport& report) {
    Json json{{"run", report.run.name}};
    if (!report.windowText.empty())
        json["window"] = report.windowText;
    json["ranks"] = Json::array();
    for (const auto& device : report.devices)
        json["ranks"].push_back(deviceJson(device));
    return json;
}

} // namespace trainscope::cli
