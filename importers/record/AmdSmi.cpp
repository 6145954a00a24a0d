// AMD's management library: its GPUs, and how they hang together.
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/record/AmdApi.h"
#include "importers/record/GpuLibrary.h"
#include "importers/record/PciTree.h"

#include <fmt/format.h>

#include <fstream>
#include <set>

namespace trainscope::record {

namespace {

using amd::Handle;

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

// Processes that work on the GPUs, by the tables of the kernel's driver, which any user may read:
// sys/class/kfd/kfd/proc/PROCESS/queues/QUEUE/gpuid names the GPU of a queue by a number, and
// topology/nodes/NODE says where the GPU of a number stands (amdgpu's kfd_process.c and
// kfd_topology.c). In order of processes, then GPUs, each once; nullopt where the driver has no
// such tables. `root` has sys. A GPU of which the tables know no place is left out.
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

class AmdSmi final : public GpuLibrary {
public:
    AmdSmi(amd::Functions functions, std::string root)
        : m_functions(std::move(functions))
        , m_root(std::move(root))
        , m_tree(m_root) { }
    ~AmdSmi() override {
        if (m_functions.shutDown != nullptr)
            m_functions.shutDown();
    }

    [[nodiscard]] std::map<std::string, std::string> facts() const override { return {}; }
    [[nodiscard]] const std::vector<GpuFacts>& gpus() const override { return m_gpus; }
    // Links between GPUs; ways over PCIe are the kernel's to tell.
    [[nodiscard]] std::optional<layout::Topology> topology() const override {
        std::vector<layout::TopologyDevice> devices;
        for (const GpuFacts& gpu : m_gpus) {
            layout::TopologyDevice device;
            device.index = gpu.index;
            device.name = fmt::format("GPU{}", gpu.index);
            device.busId = addressOf(gpu);
            devices.push_back(device);
        }
        layout::Topology topology(std::move(devices));
        for (std::size_t a = 0; a < m_devices.size(); ++a) {
            for (std::size_t b = a + 1; b < m_devices.size(); ++b) {
                if (areLinked(m_devices[a], m_devices[b]))
                    topology.setPath(a, b, {layout::PathKind::Xgmi, 0, false, std::nullopt});
            }
        }
        return topology;
    }
    // The library's own list has another form in each of its versions; it reads the same tables.
    [[nodiscard]] std::optional<std::vector<GpuProcess>> processes() const override {
        return amdProcesses(m_gpus, m_root);
    }
    std::unique_ptr<Probe> probe(const GpuFacts& gpu) override {
        const auto place = m_tree.find(addressOf(gpu));
        return amdProbe(m_functions, m_devices[static_cast<std::size_t>(gpu.index)], gpu.index,
            place ? place->folder : std::filesystem::path());
    }

    Status find() {
        for (Handle socket : handlesOf(m_functions.sockets)) {
            for (Handle device : handlesOf(m_functions.processors, socket)) {
                m_gpus.push_back(describe(static_cast<int>(m_devices.size()), device));
                m_devices.push_back(device);
            }
        }
        return m_gpus.empty()
            ? Status(Error{ErrorCode::NotFound, "AMD's management library finds no GPU.", {}})
            : Status();
    }

private:
    template <typename Function, typename... Args>
    static std::vector<Handle> handlesOf(Function function, const Args&... args) {
        std::uint32_t count = 0;
        if (function(args..., &count, nullptr) != amd::kSuccess)
            return {};
        std::vector<Handle> handles(count);
        if (function(args..., &count, handles.data()) != amd::kSuccess)
            return {};
        handles.resize(count);
        return handles;
    }

    // The text that a structure begins with.
    static std::string textOf(amd::Code (*function)(Handle, void*), Handle device) {
        amd::Room room{};
        if (function == nullptr || function(device, room.data()) != amd::kSuccess)
            return {};
        const char* text = reinterpret_cast<const char*>(room.data());
        return {text, strnlen(text, 64)};
    }

    static std::string addressOf(const GpuFacts& gpu) {
        const auto pci = gpu.facts.find("pci");
        return pci == gpu.facts.end() ? std::string() : pci->second;
    }

    [[nodiscard]] bool areLinked(Handle a, Handle b) const {
        std::uint64_t hops = 0;
        std::uint32_t type = 0;
        return m_functions.link != nullptr && m_functions.link(a, b, &hops, &type) == amd::kSuccess
            && type == amd::kXgmiLink;
    }

    [[nodiscard]] GpuFacts describe(int index, Handle device) const {
        GpuFacts gpu{index, textOf(m_functions.asic, device), {}, {}};
        std::array<char, 128> uuid{};
        auto length = static_cast<unsigned>(uuid.size());
        if (m_functions.uuid != nullptr
            && m_functions.uuid(device, &length, uuid.data()) == amd::kSuccess)
            gpu.uuid = uuid.data();
        gpu.facts["driver"] = textOf(m_functions.driver, device);
        std::uint64_t address = 0;
        if (m_functions.address != nullptr
            && m_functions.address(device, &address) == amd::kSuccess)
            gpu.facts["pci"] = pciAddress(address);
        const double cap = amd::powerCap(m_functions, device);
        if (!std::isnan(cap))
            gpu.facts["power limit"] = fmt::format("{:g} W", cap);
        return gpu;
    }

    amd::Functions m_functions;
    std::string m_root; // has sys
    PciTree m_tree;
    std::vector<Handle> m_devices; // by index
    std::vector<GpuFacts> m_gpus;
};

} // namespace

Result<std::unique_ptr<GpuLibrary>> openAmdSmi(const std::string& path, const std::string& root) {
    const std::vector<std::string> names = path.empty()
        ? std::vector<std::string>{"libamd_smi.so", "/opt/rocm/lib/libamd_smi.so",
            "libamd_smi.so.26", "libamd_smi.so.25", "libamd_smi.so.24"}
        : std::vector<std::string>{path};
    auto library = DynamicLibrary::open(names);
    if (!library.hasValue())
        return Error{ErrorCode::NotFound,
            fmt::format("AMD's management library, which comes with ROCm, cannot be loaded: {}.",
                library.error().message),
            {}};
    amd::Functions functions{std::move(library.value())};
    if (functions.init == nullptr || functions.sockets == nullptr
        || functions.processors == nullptr)
        return Error{ErrorCode::NotFound,
            "AMD's management library lacks amdsmi_init or its neighbours.", {}};
    if (const amd::Code status = functions.init(amd::kGpus); status != amd::kSuccess)
        return Error{ErrorCode::NotFound,
            fmt::format("AMD's management library does not start: status {}.", status), {}};
    auto smi = std::make_unique<AmdSmi>(std::move(functions), root);
    RETURN_IF_ERROR(smi->find());
    return std::unique_ptr<GpuLibrary>(std::move(smi));
}

} // namespace trainscope::record
