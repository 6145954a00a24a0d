#include "importers/nvsmi/TableColumns.h"

#include "core/model/Metric.h"

#include <limits>

namespace trainscope::importers::nvsmi {

std::vector<Column> tableColumns() {
    return {columnOf(metric::kGpuPower, "W"), columnOf(metric::kPowerLimit, "W"),
        columnOf(metric::kGpuTemperature, "C"), columnOf(metric::kGpuUtilization, "%"),
        columnOf(metric::kMemUsed, "MiB"), columnOf(metric::kMemTotal, "MiB"),
        columnOf(metric::kFanSpeed, "%"), columnOf("pstate", "")};
}

std::vector<double> tableNumbers(const TableGpu& gpu) {
    std::vector<double> numbers;
    for (const auto& value : {gpu.power, gpu.powerLimit, gpu.temperature, gpu.utilization,
             gpu.memoryUsed, gpu.memoryTotal, gpu.fan, gpu.pstate})
        numbers.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    return numbers;
}

} // namespace trainscope::importers::nvsmi
