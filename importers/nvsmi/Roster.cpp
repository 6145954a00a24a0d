#include "importers/nvsmi/Roster.h"

#include "importers/nvsmi/Layout.h"

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::size_t kMostGpus = 4096;

} // namespace

Result<std::size_t> Roster::slotOf(const Identity& identity) {
    m_key.assign(identity.host);
    m_key += '\n';
    m_key += identity.id;
    if (const auto known = m_slots.find(m_key); known != m_slots.end())
        return known->second;
    return add(identity);
}

Result<std::size_t> Roster::add(const Identity& identity) {
    const std::string id(identity.id);
    if (m_slots.size() >= kMostGpus)
        return Error{
            ErrorCode::Usage, "More than 4096 different GPUs; \"" + id + "\" is left out.", {}};
    const int newNode = m_placement.firstNode + static_cast<int>(m_hosts.size());
    const int node = m_hosts.try_emplace(std::string(identity.host), newNode).first->second;
    const auto index = gpuIndexOf(identity.id);
    const int local = index ? *index : m_unnumbered[node]++;
    if (m_placement.gpusPerNode > 0 && local >= m_placement.gpusPerNode) {
        return Error{ErrorCode::Usage,
            "GPU \"" + id + "\" turns up late: the nodes were taken to have "
                + std::to_string(m_placement.gpusPerNode) + " GPUs each.",
            {}};
    }
    Gpu gpu;
    gpu.node = node;
    gpu.local = local;
    gpu.rank = m_placement.firstRank + node * m_placement.gpusPerNode + local;
    gpu.model = identity.model;
    gpu.uuid = identity.uuid;
    auto slot = m_recorder.addGpu(gpu);
    if (slot.hasValue())
        m_slots.emplace(m_key, slot.value());
    return slot;
}

} // namespace trainscope::importers::nvsmi
