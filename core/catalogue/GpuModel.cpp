#include "core/catalogue/GpuModel.h"

#include "core/catalogue/Tables.h"
#include "core/model/AsciiText.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

GpuPowerFacts powerFrom(const Json& entry, int perCard) {
    const auto found = entry.find("power");
    if (found == entry.end())
        return {};
    const auto share = [&](const char* key) { return number(*found, key, 1.0 / perCard); };
    return {share("idle_w"), share("parked_w"), share("gemm_w"), number(*found, "voltage_slope"),
        number(*found, "lowest_voltage"), number(*found, "resistance_k_per_w"),
        number(*found, "seconds"), found->value("measured", std::vector<std::string>())};
}

// The table speaks of cards; a GPU is what the system sees, of which a card may hold several.
GpuModel modelFrom(const Json& entry) {
    const int perCard = wholeNumber(entry, "devices").value_or(1);
    const auto share = [&](const char* key, double factor = 1.0) {
        return number(entry, key, factor / perCard);
    };
    return {entry.at("name").get<std::string>(), entry.at("match").get<std::vector<std::string>>(),
        share("fp16_tflops", 1e12), share("bf16_tflops", 1e12), share("fp8_tflops", 1e12),
        share("fp4_tflops", 1e12), share("fp32_tflops", 1e12), share("tf32_tflops", 1e12),
        share("memory_b"), share("memory_bandwidth"), number(entry, "link_bandwidth"),
        number(entry, "pcie_bandwidth"), share("power_limit_w"), number(entry, "boost_clock_hz"),
        number(entry, "slowdown_c"), perCard, entry.value("scale_up", std::string()),
        wholeNumber(entry, "link_domain"), powerFrom(entry, perCard),
        entry.value("source", std::string()) == "data sheet"};
}

Result<std::vector<GpuModel>> modelsIn(std::string_view json, const char* list) {
    try {
        std::vector<GpuModel> models;
        const Json catalogue = Json::parse(json);
        for (const Json& entry : catalogue.at(list))
            models.push_back(modelFrom(entry));
        return models;
    } catch (const Json::exception& problem) {
        return Error{ErrorCode::Unreadable,
            std::string("The hardware catalogue cannot be read: ") + problem.what() + ".", {}};
    }
}

const GpuModel* matching(const std::vector<GpuModel>& models, const std::string& name) {
    for (const GpuModel& model : models) {
        const bool isIt = std::any_of(model.match.begin(), model.match.end(),
            [&name](const std::string& word) { return name.find(word) != std::string::npos; });
        if (isIt)
            return &model;
    }
    return nullptr;
}

} // namespace

Result<std::vector<GpuModel>> parseGpuModels(std::string_view json) {
    return modelsIn(json, "gpus");
}

const std::vector<GpuModel>& gpuModels() {
    // The built-in text is parsed by a test; were it broken, no GPU would be known.
    static const std::vector<GpuModel> models = parseGpuModels(builtInHardware()).valueOr({});
    return models;
}

std::string plainDeviceName(std::string_view deviceName) {
    std::string name = lowered(deviceName);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '-' || c == '_'; }, ' ');
    return name;
}

const GpuModel* findGpuModel(std::string_view deviceName) {
    const std::string name = plainDeviceName(deviceName);
    // The catalogue's own names first: "A100 SXM4 40GB" is no A100 of 80 GB.
    for (const GpuModel& model : gpuModels()) {
        const std::string own = lowered(model.name);
        if (name == own || name.starts_with(own + " ("))
            return &model;
    }
    return matching(gpuModels(), name);
}

const GpuModel* findAccelerator(std::string_view deviceName) {
    static const std::vector<GpuModel> tpus = modelsIn(builtInHardware(), "tpus").valueOr({});
    const GpuModel* const gpu = findGpuModel(deviceName);
    return gpu != nullptr ? gpu : matching(tpus, plainDeviceName(deviceName));
}

Vendor vendorOf(std::string_view deviceName) {
    const std::string name = lowered(deviceName);
    const auto says = [&name](const char* word) { return name.find(word) != std::string::npos; };
    if (says("nvidia") || says("tesla") || says("geforce"))
        return Vendor::Nvidia;
    if (says("amd") || says("instinct") || says("radeon") || says("rocm"))
        return Vendor::Amd;
    const GpuModel* model = findGpuModel(deviceName);
    if (model == nullptr)
        return Vendor::Unknown;
    return model->scaleUp == "xGMI" ? Vendor::Amd : Vendor::Nvidia;
}

std::string gpusText(int count, std::string_view name) {
    if (name.empty())
        return count > 0 ? text::counted(count, "GPU") : "unknown GPUs";
    return count > 0 ? fmt::format("{} × {}", count, name) : std::string(name);
}

} // namespace trainscope::catalogue
