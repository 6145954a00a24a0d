#pragma once
// Numbers the nodes and ranks of a telemetry file, whose GPUs may turn up at any time: nodes in
// the natural order of their names behind those that their files number, ranks by node and index.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::importers {

class MeterNodes {
public:
    explicit MeterNodes(int firstRank)
        : m_firstRank(firstRank) { }

    // Starts a file: readings that name no node are of the number in the file's name, else of the
    // next one.
    void startFile(std::optional<int> node);
    // Tells the file's own node from those of other files.
    [[nodiscard]] int fileKey() const { return m_fileNode ? *m_fileNode : -m_files; }
    // The place of a node in the other calls; `name` is empty for the file's own.
    std::size_t node(const std::string& name);
    // A GPU of that node; its index in it.
    int addGpu(std::size_t node, std::string_view id);

    // GPUs of each node, known before they are read; 0: not known.
    void expectGpusPerNode(int gpus) { m_gpusPerNode = gpus; }
    // Nodes have numbers from now on.
    void settle();
    // 0 where there are no nodes.
    [[nodiscard]] int numberOf(std::size_t node) const;
    // GPUs that turn up when the ranks of other nodes are given away follow behind all of them.
    int rankOf(int number, int local);

    [[nodiscard]] std::size_t count() const { return m_nodes.size(); }

private:
    struct Node {
        std::string name;
        std::optional<int> number;
        int unnumbered = 0; // GPUs that have no index
        int gpus = 0; // highest index + 1
    };
    void number();
    void countGpusPerNode();

    int m_firstRank;
    int m_gpusPerNode = 0; // 0: one node
    int m_files = 0;
    std::optional<int> m_fileNode;
    bool m_isSettled = false;
    std::vector<Node> m_nodes;
    std::map<std::string, std::size_t, std::less<>> m_places;
    std::map<std::pair<int, int>, int> m_ranks; // by number of the node and index in it
    std::set<int> m_takenRanks;
};

} // namespace trainscope::importers
