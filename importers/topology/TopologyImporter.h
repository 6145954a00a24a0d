#pragma once
// Topologies of a node (TopologyFile.h) as sources: each describes the machine of runs that other
// sources make, of those that lie beside it or are named. No clock.

#include "importers/common/Importer.h"

namespace trainscope::importers::topology {

class TopologyImporter final : public Importer {
public:
    [[nodiscard]] const Format& format() const override;
    [[nodiscard]] Confidence sniff(std::string_view head, std::string_view path) const override;
    // One unit per file, of no run yet.
    [[nodiscard]] std::vector<ImportUnit> plan(
        const SourceTree& tree, const std::vector<SourceFile>& mine) const override;
    // Of the runs in unit.machine, or runName; each must be there already.
    [[nodiscard]] Result<ImportReport> import(const SourceTree& tree, const ImportUnit& unit,
        Sink& sink, const Progress& progress) const override;
    [[nodiscard]] Result<std::string> machineFacts(
        const SourceTree& tree, const ImportUnit& unit) const override;
};

} // namespace trainscope::importers::topology
