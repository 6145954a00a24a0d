#include "importers/record/PcieMeter.h"

#include <chrono>
#include <fstream>
#include <limits>

namespace trainscope::record {

namespace {

constexpr double kUnread = std::numeric_limits<double>::quiet_NaN();

} // namespace

PcieMeter::PcieMeter(const std::filesystem::path& device)
    : m_file(device / "pcie_bw")
    , m_received(kUnread)
    , m_sent(kUnread)
    , m_thread([this] { run(); }) { }

PcieMeter::~PcieMeter() {
    {
        const std::scoped_lock lock(m_mutex);
        m_stops = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

bool PcieMeter::isThere(const std::filesystem::path& device) {
    std::error_code ignored; // what cannot be asked for is not there
    return std::filesystem::exists(device / "pcie_bw", ignored);
}

// Once a second, which the driver takes itself.
void PcieMeter::run() {
    std::unique_lock lock(m_mutex);
    while (!m_stops) {
        const auto next = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        lock.unlock();
        readOnce();
        lock.lock();
        m_wake.wait_until(lock, next, [this] { return m_stops; });
    }
}

// "received sent bytes": packets, packets, largest packet.
void PcieMeter::readOnce() {
    std::ifstream file(m_file);
    double received = 0.0;
    double sent = 0.0;
    double packet = 0.0;
    const bool isRead = static_cast<bool>(file >> received >> sent >> packet);
    m_received = isRead ? received * packet : kUnread;
    m_sent = isRead ? sent * packet : kUnread;
}

} // namespace trainscope::record
