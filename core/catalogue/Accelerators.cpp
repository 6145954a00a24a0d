#include "core/catalogue/Accelerators.h"

#include "core/catalogue/Tables.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace trainscope::catalogue {

namespace {

std::vector<GpuModel> tpuModels() {
    std::vector<GpuModel> models;
    const auto table = nlohmann::json::parse(builtInHardware(), nullptr, false);
    const auto tpus = table.is_object() ? table.find("tpus") : table.end();
    if (tpus == table.end() || !tpus->is_array())
        return models;
    for (const auto& entry : *tpus) {
        GpuModel model;
        model.name = entry.value("name", std::string());
        model.match = entry.value("match", std::vector<std::string>());
        model.bf16Flops = entry.value("bf16_tflops", 0.0) * 1e12;
        model.memoryBytes = entry.value("memory_b", 0.0);
        model.memoryBandwidth = entry.value("memory_bandwidth", 0.0);
        models.push_back(std::move(model));
    }
    return models;
}

} // namespace

const GpuModel* findAccelerator(std::string_view deviceName) {
    if (const GpuModel* const gpu = findGpuModel(deviceName))
        return gpu;
    static const std::vector<GpuModel> kTpus = tpuModels();
    const std::string name = plainDeviceName(deviceName);
    const auto found = std::find_if(kTpus.begin(), kTpus.end(), [&](const GpuModel& model) {
        return std::any_of(model.match.begin(), model.match.end(),
            [&](const std::string& word) { return name.find(word) != std::string::npos; });
    });
    return found == kTpus.end() ? nullptr : &*found;
}

} // namespace trainscope::catalogue
