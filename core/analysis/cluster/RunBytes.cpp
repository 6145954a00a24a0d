#include "core/analysis/cluster/RunBytes.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::analysis {

namespace {

using layout::Layout;

class Builder {
public:
    Builder(const Run& run, const Layout& layout, const std::optional<int>& domain)
        : m_layout(layout)
        , m_domains(domainsAsNodes(layout, domain))
        , m_nodesPerDomain(nodesOfDomain(domain, layout.gpusPerNode))
        , m_world(static_cast<std::size_t>(layout.grid.worldSize())) {
        m_result.ranks.resize(m_world);
        for (int node = 0; node < layout.nodes; ++node)
            m_result.nodes.push_back({node, {}, {}, std::nullopt, std::nullopt});
        const auto* model = catalogue::findGpuModel(run.gpuModel);
        m_isPcie = model != nullptr && model->scaleUp == "PCIe";
    }

    void compute(const LaunchConfig& launch) {
        const auto model = trafficModelOf(launch, catalogue::modelCatalogue());
        if (!model.hasValue()) {
            m_result.notes.push_back("Not computed: " + model.error().message);
            return;
        }
        layout::EdgeSums sums(m_layout, m_nodesPerDomain);
        for (std::size_t rank = 0; rank < m_world; ++rank) {
            const auto traffic = trafficOf(m_domains, model.value(), static_cast<int>(rank));
            if (!traffic.hasValue()) {
                m_result.notes.push_back("Not computed: " + traffic.error().message);
                return;
            }
            for (const auto& one : traffic.value()) {
                m_result.ranks[rank].push_back(
                    {one.group, one.link, one.bytes, std::nullopt, std::nullopt, one.what});
                sums.add(static_cast<int>(rank), one.group, one.bytes, one.replicaShare);
            }
        }
        for (std::size_t node = 0; node < m_result.nodes.size(); ++node) {
            m_result.nodes[node].scaleUp.computed = sums.nodes()[node].inside;
            m_result.nodes[node].scaleOut.computed = sums.nodes()[node].outside;
        }
        for (const auto& edge : sums.edges())
            m_result.edges.push_back({edge.a, edge.b, edge.group, edge.bytes, std::nullopt});
    }

    void take(const MeasuredCollectives& measured) {
        if (!measured.why.empty()) {
            m_result.notes.push_back("Bytes by group are not measured: " + measured.why + ".");
            return;
        }
        layout::EdgeSums sums(m_layout);
        for (const auto& [rank, groups] : measured.ranks) {
            if (rank < 0 || static_cast<std::size_t>(rank) >= m_world)
                continue;
            for (const auto& [group, sum] : groups) {
                takeGroup(rank, group, sum);
                if (sum.bytes && *sum.bytes > 0.0)
                    sums.add(rank, keyOf(rank, group), *sum.bytes, sum.replicaBytes / *sum.bytes);
            }
        }
        const auto isTraced = [&](int node) {
            for (int rank = 0; rank < m_layout.grid.worldSize(); ++rank) {
                if (m_layout.nodeOf(rank) == node && !measured.ranks.contains(rank))
                    return false;
            }
            return true;
        };
        for (const auto& edge : sums.edges()) {
            if (isTraced(edge.a) && isTraced(edge.b))
                takeEdge(edge);
        }
        if (measured.ranks.size() < m_world)
            m_result.notes.push_back(
                fmt::format("Bytes by group are measured of {} of {} ranks, those with traces.",
                    measured.ranks.size(), m_world));
        compareGroups();
    }

    void take(const MeasuredCounters& counters) {
        m_result.stepSeconds = counters.stepSeconds;
        if (!counters.why.empty())
            m_result.notes.push_back("Links are not measured: " + counters.why + ".");
        for (NodeBytes& node : m_result.nodes) {
            const auto found = counters.nodes.find(node.node);
            if (found == counters.nodes.end())
                continue;
            const MeasuredCounters::Node& counted = found->second;
            node.pcie = wholeOf(node.node, counted.pcie, counted.pcieGpus, "PCIe");
            node.scaleUp.counters = m_isPcie
                ? node.pcie
                : wholeOf(node.node, counted.nvlink, counted.nvlinkGpus, "NVLink");
            node.scaleOut.counters = counted.network;
            node.scaleUpRate = counted.nvlinkRate;
        }
        tellPartly();
        const bool isNode = m_nodesPerDomain == 1;
        compareLinks(isNode ? "Inside nodes" : "Inside NVLink domains", &NodeBytes::scaleUp);
        compareLinks(isNode ? "Between nodes" : "Between NVLink domains", &NodeBytes::scaleOut);
    }

    RunBytes finish() {
        for (auto& groups : m_result.ranks)
            std::stable_sort(groups.begin(), groups.end(),
                [](const GroupBytes& a, const GroupBytes& b) { return most(a) > most(b); });
        return std::move(m_result);
    }

private:
    // The sum over some of a node's GPUs is none of the node.
    std::optional<double> wholeOf(
        int node, const std::optional<double>& sum, int gpus, const char* link) {
        const int all = std::min(
            m_layout.gpusPerNode, m_layout.grid.worldSize() - node * m_layout.gpusPerNode);
        if (!sum || gpus >= all)
            return sum;
        ++m_partly[link];
        return std::nullopt;
    }

    void tellPartly() {
        for (const auto& [link, nodes] : m_partly)
            m_result.notes.push_back(
                fmt::format("The {} counters of {} are of some of the GPUs only, and left out.",
                    link, text::counted(nodes, "node")));
    }

    static double most(const GroupBytes& one) {
        return one.computed.value_or(one.measured.value_or(0.0));
    }

    // Traces call the gradients' group "dp" or "dp_cp": that of the computed.
    [[nodiscard]] std::string keyOf(int rank, const std::string& group) const {
        const auto& known = m_result.ranks[static_cast<std::size_t>(rank)];
        const auto has = [&](std::string_view key) {
            return std::any_of(known.begin(), known.end(),
                [&](const GroupBytes& one) { return one.group == key; });
        };
        if (group == "dp" && !has("dp") && has("dp_cp"))
            return "dp_cp";
        return group;
    }

    [[nodiscard]] layout::LinkClass linkOf(int rank, const std::string& group) const {
        for (const auto& one : communicatorsOf(m_domains, rank)) {
            if (infoOf(one.kind).key == group)
                return one.link;
        }
        return layout::LinkClass::None;
    }

    void takeGroup(int rank, const std::string& group, const MeasuredGroup& sum) {
        auto& groups = m_result.ranks[static_cast<std::size_t>(rank)];
        const std::string key = keyOf(rank, group);
        auto found = std::find_if(
            groups.begin(), groups.end(), [&](const GroupBytes& one) { return one.group == key; });
        if (found == groups.end()) {
            groups.push_back({key.empty() ? "other" : key, linkOf(rank, key), std::nullopt,
                std::nullopt, std::nullopt, "as traced"});
            found = groups.end() - 1;
        }
        if (sum.bytes)
            found->measured = found->measured.value_or(0.0) + *sum.bytes;
        found->busySeconds = found->busySeconds.value_or(0.0) + sum.seconds;
    }

    void takeEdge(const layout::NodeEdge& edge) {
        const auto found
            = std::find_if(m_result.edges.begin(), m_result.edges.end(), [&](const EdgeBytes& one) {
                  return one.a == edge.a && one.b == edge.b && one.group == edge.group;
              });
        if (found != m_result.edges.end())
            found->measured = edge.bytes;
        else
            m_result.edges.push_back({edge.a, edge.b, edge.group, std::nullopt, edge.bytes});
    }

    // Over the ranks that have both.
    void compareGroups() {
        std::map<std::string, std::pair<double, double>> sums;
        for (const auto& groups : m_result.ranks) {
            for (const GroupBytes& one : groups) {
                if (one.computed && one.measured) {
                    sums[one.group].first += *one.computed;
                    sums[one.group].second += *one.measured;
                }
            }
        }
        for (const auto& [group, sum] : sums)
            tell(fmt::format("In {}", group), "the traces' collectives", sum.first, sum.second);
    }

    void compareLinks(const char* where, LinkBytes NodeBytes::*link) {
        double computed = 0.0;
        double counted = 0.0;
        for (const NodeBytes& node : m_result.nodes) {
            if (const LinkBytes& one = node.*link; one.computed && one.counters) {
                computed += *one.computed;
                counted += *one.counters;
            }
        }
        tell(where, "the counters", computed, counted);
    }

    void tell(const std::string& where, const char* who, double computed, double measured) {
        if (computed <= 0.0 || std::abs(measured / computed - 1.0) <= kDisagreement)
            return;
        m_result.notes.push_back(
            fmt::format("{} {} show {} against what is computed from model and layout.", where, who,
                text::signedPercent(measured / computed - 1.0, 0)));
    }

    const Layout& m_layout;
    Layout m_domains; // tell the links of groups
    int m_nodesPerDomain;
    std::size_t m_world;
    bool m_isPcie = false;
    std::map<std::string, int> m_partly; // nodes, by link
    RunBytes m_result;
};

} // namespace

std::optional<double> GroupBytes::bandwidth() const {
    if (!measured || !busySeconds || *busySeconds <= 0.0)
        return std::nullopt;
    return *measured / *busySeconds;
}

Result<RunBytes> runBytes(const RunStudy& study, const layout::Layout& layout) {
    ASSIGN_OR_RETURN(const auto domain, linkDomainOf(study));
    Builder builder(study.run, layout, domain);
    builder.compute(study.run.launch);
    ASSIGN_OR_RETURN(const auto collectives, measuredCollectives(study, layout));
    builder.take(collectives);
    ASSIGN_OR_RETURN(const auto counters, measuredCounters(study));
    builder.take(counters);
    return builder.finish();
}

} // namespace trainscope::analysis
