#pragma once
// One import of one trace file, from opening it to the report.

#include "importers/common/Importer.h"
#include "importers/kineto/EventMapper.h"

#include <optional>
#include <string>

namespace trainscope::importers::kineto {

class TraceImport {
public:
    TraceImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink);

    Result<ImportReport> run(const Progress& progress);

private:
    // Writes what is held back, as soon as the base time is known or has been looked up.
    Status writeHeld();
    Status finish(bool isTruncated);
    Status describeRun(RunStatus status);
    Status describeGpu();
    Result<DurationNs> base();
    [[nodiscard]] bool hasAbsoluteTimes() const;
    void describeClock();
    [[nodiscard]] Error nothingUsable(std::uint64_t bytes) const;

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    int m_rank;
    std::string m_path;
    std::uint64_t m_bytesOnDisk = 0;
    Progress m_progress;
    ImportReport m_report;
    TraceOutput m_output;
    EventMapper m_mapper;
    std::optional<RunId> m_run;
    std::optional<DurationNs> m_base;
};

} // namespace trainscope::importers::kineto
