#pragma once
// The registry of metrics: names, SI units and kinds of the quantities that Trainscope knows. A new
// metric is one line in Metric.cpp. Sources may bring further metrics under their own names.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope {

enum class MetricKind {
    Gauge, // holds until the next sample: power, temperature, clock
    Counter, // a running total that may wrap: bytes
    Rate, // a gauge that is already a derivative: B/s
};

struct Metric {
    std::string name; // "gpu_power"
    std::string unit; // SI symbol: W, °C, Hz, B, B/s, J, s, or 1 for fractions and plain numbers
    MetricKind kind = MetricKind::Gauge;
    std::string label; // "GPU power", for people

    bool operator==(const Metric&) const = default;
};

const std::vector<Metric>& metricRegistry();

// The registered metric of that name, or nullptr.
const Metric* findMetric(std::string_view name);

std::string_view toString(MetricKind kind); // "gauge", "counter", "rate"
MetricKind metricKindFromString(std::string_view text); // Gauge for unknown text

} // namespace trainscope
