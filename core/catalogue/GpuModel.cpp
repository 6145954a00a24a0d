#include "core/catalogue/GpuModel.h"

#include "core/catalogue/HardwareTable.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace trainscope::catalogue {

namespace {

using Json = nlohmann::json;

std::optional<double> number(const Json& entry, const char* key, double factor = 1.0) {
    const auto found = entry.find(key);
    return found == entry.end() ? std::nullopt
                                : std::optional<double>(found->get<double>() * factor);
}

std::optional<int> wholeNumber(const Json& entry, const char* key) {
    const auto found = entry.find(key);
    return found == entry.end() ? std::nullopt : std::optional(found->get<int>());
}

GpuModel modelFrom(const Json& entry) {
    return {entry.at("name").get<std::string>(), entry.at("match").get<std::vector<std::string>>(),
        number(entry, "fp16_tflops", 1e12), number(entry, "bf16_tflops", 1e12),
        number(entry, "memory_b"), number(entry, "memory_bandwidth"),
        number(entry, "link_bandwidth"), number(entry, "pcie_bandwidth"),
        number(entry, "power_limit_w"), number(entry, "boost_clock_hz"),
        number(entry, "slowdown_c"), number(entry, "devices").value_or(1.0),
        entry.value("scale_up", std::string()), wholeNumber(entry, "link_domain")};
}

std::string lowerCase(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

} // namespace

Result<std::vector<GpuModel>> parseGpuModels(std::string_view json) {
    try {
        std::vector<GpuModel> models;
        const Json catalogue = Json::parse(json);
        for (const Json& entry : catalogue.at("gpus"))
            models.push_back(modelFrom(entry));
        return models;
    } catch (const Json::exception& problem) {
        return Error{ErrorCode::Unreadable,
            std::string("The hardware catalogue cannot be read: ") + problem.what() + ".", {}};
    }
}

const std::vector<GpuModel>& gpuModels() {
    // The built-in text is parsed by a test; were it broken, no GPU would be known.
    static const std::vector<GpuModel> models = parseGpuModels(builtInHardware()).valueOr({});
    return models;
}

const GpuModel* findGpuModel(std::string_view deviceName) {
    const std::string name = lowerCase(deviceName);
    for (const GpuModel& model : gpuModels()) {
        const bool isIt = std::any_of(model.match.begin(), model.match.end(),
            [&name](const std::string& word) { return name.find(word) != std::string::npos; });
        if (isIt)
            return &model;
    }
    return nullptr;
}

} // namespace trainscope::catalogue
