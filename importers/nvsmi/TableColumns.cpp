#include "importers/nvsmi/TableColumns.h"

#include <limits>

namespace trainscope::importers::nvsmi {

std::vector<Column> tableColumns() {
    return {columnOf("gpu_power", "W"), columnOf("power_limit", "W"),
        columnOf("gpu_temperature", "C"), columnOf("gpu_utilization", "%"),
        columnOf("mem_used", "MiB"), columnOf("mem_total", "MiB"), columnOf("fan_speed", "%"),
        columnOf("pstate", "")};
}

std::vector<double> tableNumbers(const TableGpu& gpu) {
    std::vector<double> numbers;
    for (const auto& value : {gpu.power, gpu.powerLimit, gpu.temperature, gpu.utilization,
             gpu.memoryUsed, gpu.memoryTotal, gpu.fan, gpu.pstate})
        numbers.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    return numbers;
}

} // namespace trainscope::importers::nvsmi
