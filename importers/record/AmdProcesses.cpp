#include "importers/record/AmdProbe.h"

#include "core/model/WholeNumber.h"
#include "importers/record/PciTree.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <utility>

namespace trainscope::record {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kDeviceBits = 0xffff; // in a location: bus, device and function

std::uint64_t numberIn(const fs::path& path) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    return file >> number ? number : 0;
}

// "0000:41:00.0", of lines such as "location_id 16640"; empty: it says no place.
std::string addressOf(const fs::path& node) {
    std::ifstream properties(node / "properties");
    std::string name;
    std::uint64_t value = 0;
    std::uint64_t domain = 0;
    std::optional<std::uint64_t> location;
    while (properties >> name >> value) {
        if (name == "domain")
            domain = value;
        else if (name == "location_id")
            location = value & kDeviceBits;
    }
    return location ? pciAddress(domain << 16U | *location) : std::string();
}

// Indices of the GPUs by the driver's numbers.
std::map<std::uint64_t, int> numbersOf(const std::vector<GpuFacts>& gpus, const fs::path& tables) {
    std::map<std::string, int> byAddress;
    for (const GpuFacts& gpu : gpus) {
        if (const auto pci = gpu.facts.find("pci"); pci != gpu.facts.end())
            byAddress.emplace(pci->second, gpu.index);
    }
    std::map<std::uint64_t, int> numbers;
    for (const fs::path& node : entriesOf(tables / "topology/nodes")) {
        const std::uint64_t number = numberIn(node / "gpu_id"); // processors have none
        const auto gpu = byAddress.find(addressOf(node));
        if (number != 0 && gpu != byAddress.end())
            numbers.emplace(number, gpu->second);
    }
    return numbers;
}

} // namespace

std::optional<std::vector<GpuProcess>> amdProcesses(
    const std::vector<GpuFacts>& gpus, const std::string& root) {
    const fs::path tables = fs::path(root) / "sys/class/kfd/kfd";
    std::error_code ignored;
    if (!fs::is_directory(tables / "proc", ignored))
        return std::nullopt;
    const auto numbers = numbersOf(gpus, tables);
    std::set<std::pair<int, int>> found; // process, GPU
    for (const fs::path& process : entriesOf(tables / "proc")) {
        const auto id = wholeNumber<int>(process.filename().string());
        for (const fs::path& queue : entriesOf(process / "queues")) {
            const auto gpu = numbers.find(numberIn(queue / "gpuid"));
            if (id && gpu != numbers.end())
                found.emplace(*id, gpu->second);
        }
    }
    std::vector<GpuProcess> processes;
    for (const auto& [process, gpu] : found)
        processes.push_back({gpu, process});
    return processes;
}

} // namespace trainscope::record
