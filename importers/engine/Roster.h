#pragma once
// Roster: the nodes and GPUs of an engine's series, numbered as a run has them. The same GPU is
// known by its UUID under whatever other labels it appears, after a restart too; one without a UUID
// by its node and index. Nodes are ordered by name, GPUs of a node by index.

#include "core/model/Run.h"
#include "core/model/Series.h"
#include "importers/common/ExporterMetrics.h"

#include <map>
#include <unordered_map>

namespace trainscope::importers::engine {

class Roster {
public:
    Roster() = default;
    // As it was settled before.
    Roster(std::vector<std::string> nodes, std::vector<Gpu> gpus,
        std::map<std::string, std::string> aliases);

    // Another name of a node: where one exporter names the host and another its address.
    void alias(std::string_view name, std::string_view node);
    void add(const ExporterSubject& whom);
    // Numbers everyone; nothing is added afterwards.
    void settle();

    // Absent for whom it does not know.
    [[nodiscard]] std::optional<Subject> find(const ExporterSubject& whom) const;
    [[nodiscard]] const std::vector<std::string>& nodes() const { return m_nodes; }
    [[nodiscard]] const std::vector<Gpu>& gpus() const { return m_gpus; } // by rank
    [[nodiscard]] const std::map<std::string, std::string>& aliases() const { return m_aliases; }

private:
    struct Met {
        std::string uuid;
        std::string node;
        int index = -1;
        std::string model;
    };
    [[nodiscard]] std::string nodeName(std::string_view name) const;
    [[nodiscard]] int nodeNumber(std::string_view name) const; // -1: not known
    void meet(const Met& gpu);
    void joinShortNames();
    void number();
    void remember();

    std::vector<std::string> m_nodes;
    std::vector<Gpu> m_gpus;
    std::map<std::string, std::string> m_aliases;
    std::vector<Met> m_met;
    std::unordered_map<std::string, std::size_t> m_metByKey; // uuid, else node and index
    std::map<std::string, bool> m_metNodes;
    std::unordered_map<std::string, int> m_nodeNumbers;
    std::unordered_map<std::string, int> m_ranksByUuid;
    std::unordered_map<std::string, int> m_ranksByPlace;
};

} // namespace trainscope::importers::engine
