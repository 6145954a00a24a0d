#pragma once
// PcieMeter: the traffic of an AMD GPU over PCIe as its driver counts it: packets in each direction
// during a second, for which reading the file blocks, so that a thread of its own reads. The size
// of a packet is not counted: the largest that the GPU sends is taken, which makes the rate an
// upper bound (Documentation/gpu/amdgpu/driver-misc, pcie_bw). MI300 and later have no such file.

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

namespace trainscope::record {

class PcieMeter {
public:
    // `device`: the GPU's folder of the kernel.
    explicit PcieMeter(const std::filesystem::path& device);
    PcieMeter(const PcieMeter&) = delete;
    PcieMeter& operator=(const PcieMeter&) = delete;
    ~PcieMeter(); // after the reading under way

    static bool isThere(const std::filesystem::path& device);

    // B/s of the last second that was counted; NaN before, and where it cannot be read.
    [[nodiscard]] double received() const { return m_received; }
    [[nodiscard]] double sent() const { return m_sent; }

private:
    void run();
    void readOnce();

    std::filesystem::path m_file;
    std::atomic<double> m_received;
    std::atomic<double> m_sent;
    std::mutex m_mutex; // of m_stops
    std::condition_variable m_wake;
    bool m_stops = false;
    std::thread m_thread;
};

} // namespace trainscope::record
