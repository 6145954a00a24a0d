#pragma once
// GpuLibrary: a vendor's management library, loaded while the program runs (DynamicLibrary), since
// machines without the device have no such library. NVIDIA's NVML and AMD's AMD SMI; where a
// machine has neither, the reason is told.

#include "core/layout/Topology.h"
#include "importers/record/Probe.h"

#include <map>
#include <memory>

namespace trainscope::record {

class DynamicLibrary {
public:
    // The first of the names that can be loaded: each where the loader looks, then those without a
    // folder in those of LD_LIBRARY_PATH and where distributions and containers keep a driver's
    // libraries. A loader that came with the program knows neither. NotFound says what the loader
    // said of a file that is there, else of the last name.
    static Result<DynamicLibrary> open(const std::vector<std::string>& names);

    // Becomes a pointer to a function of whatever type.
    struct Symbol {
        void* address = nullptr;
        template <typename Function>
        operator Function*() const {
            return reinterpret_cast<Function*>(address);
        }
    };
    // nullptr where the library, perhaps an older one, has no such function.
    Symbol operator[](const char* name) const;
    Symbol either(const char* name, const char* olderName) const;

private:
    explicit DynamicLibrary(std::shared_ptr<void> handle)
        : m_handle(std::move(handle)) { }

    std::shared_ptr<void> m_handle;
};

struct GpuFacts {
    int index = 0; // in the node, as the library counts
    std::string model;
    std::string uuid;
    std::map<std::string, std::string> facts; // "pci", "power limit", …
};

// A process that works on a GPU.
struct GpuProcess {
    int gpu = 0; // by index
    int process = 0; // as the system numbers it
};

class GpuLibrary {
public:
    GpuLibrary() = default;
    GpuLibrary(const GpuLibrary&) = delete;
    GpuLibrary& operator=(const GpuLibrary&) = delete;
    virtual ~GpuLibrary() = default;

    [[nodiscard]] virtual std::map<std::string, std::string> facts() const = 0; // driver and node's
    [[nodiscard]] virtual const std::vector<GpuFacts>& gpus() const = 0;
    // Links between the GPUs; absent: the library does not say.
    [[nodiscard]] virtual std::optional<layout::Topology> topology() const { return {}; }
    // Those that compute now; absent: the library does not say.
    [[nodiscard]] virtual std::optional<std::vector<GpuProcess>> processes() const { return {}; }
    // Probe of one of them; lives no longer than the library.
    virtual std::unique_ptr<Probe> probe(const GpuFacts& gpu) = 0;
};

// NotFound: no such library, or it finds no GPU; the message is for people. `path` instead of where
// the system keeps it, `root` the folder that has the kernel's sys.
Result<std::unique_ptr<GpuLibrary>> openNvml(const std::string& path = {});
Result<std::unique_ptr<GpuLibrary>> openAmdSmi(
    const std::string& path = {}, const std::string& root = "/");

} // namespace trainscope::record
