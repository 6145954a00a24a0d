#pragma once
// GpuModel: the facts of a kind of GPU, as the system sees one: a card of AMD's MI250 is two. SI;
// absent: not known. Source of the numbers: resources/hardware.json.

#include "core/model/EnumNames.h"
#include "core/model/Result.h"

#include <vector>

namespace trainscope::catalogue {

// Measured facts that the model of its power and heat is made from
// (core/predict/power/ThermalNetwork.h).
struct GpuPowerFacts {
    std::optional<double> idleW; // no work, highest clock
    std::optional<double> parkedW; // no work, lowest clock
    std::optional<double> gemmW; // large matrix products at the highest clock, were there no limit
    std::optional<double> voltageSlope;
    std::optional<double> lowestVoltage; // fraction of the voltage at the highest clock
    std::optional<double> thermalResistance; // chip to the air around its heat sink, K/W
    std::optional<double> thermalSeconds;
    std::vector<std::string> measured; // keys of what was measured; the others are estimates
};

struct GpuModel {
    std::string name;
    std::vector<std::string> match; // a device name that contains one of them, in plainDeviceName()
    std::optional<double> fp16Flops; // dense, 1/s
    std::optional<double> bf16Flops;
    std::optional<double> fp8Flops;
    std::optional<double> fp4Flops;
    std::optional<double> fp32Flops; // vector units, full precision
    std::optional<double> tf32Flops;
    std::optional<double> memoryBytes;
    std::optional<double> memoryBandwidth; // B/s
    std::optional<double> linkBandwidth; // scale-up, of the card, per direction, B/s
    std::optional<double> pcieBandwidth; // card to host, per direction, B/s
    std::optional<double> powerLimitW;
    std::optional<double> boostClockHz;
    std::optional<double> slowdownC;
    int gpusPerCard = 1; // GPUs that share the card's links
    std::string scaleUp; // links of the usual node: "NVSwitch", "NVLink", "xGMI"; empty: not known
    std::optional<int> linkDomain; // GPUs that they join, where these are more than a node's
    GpuPowerFacts power;
    bool isFromDataSheet = false; // nothing of it was measured: predictions are less sure
};

// The built-in models, special forms before general ones.
const std::vector<GpuModel>& gpuModels();

enum class Vendor { Unknown, Nvidia, Amd };
constexpr auto namesOf(Vendor) {
    return enumNames("unknown", "NVIDIA", "AMD");
}
// By the model, else by the vendor's own words in the name.
Vendor vendorOf(std::string_view deviceName);
// Both are known, and not the same.
constexpr bool areOther(Vendor a, Vendor b) {
    return a != b && a != Vendor::Unknown && b != Vendor::Unknown;
}

// In lower case, with blanks for hyphens and underscores: "NVIDIA A100-SXM4-40GB", "a100_40gb".
std::string plainDeviceName(std::string_view deviceName);

// The model of a device name as drivers and people write it ("NVIDIA H100 80GB HBM3", "h200");
// nullptr when it is none of them.
const GpuModel* findGpuModel(std::string_view deviceName);
// The same, else the TPU of that name ("TPU v5 lite"), of which only the peak of bf16 and the
// memory are known: for the roofline of what was traced on it, not for predictions.
const GpuModel* findAccelerator(std::string_view deviceName);

// "64 × H200"; "64 GPUs" where the name is not known, else the name, or "unknown GPUs".
std::string gpusText(int count, std::string_view name);

// A catalogue of that form. Unreadable names what is wrong.
Result<std::vector<GpuModel>> parseGpuModels(std::string_view json);

} // namespace trainscope::catalogue
