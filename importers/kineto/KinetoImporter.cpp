#include "importers/kineto/KinetoImporter.h"

#include "importers/kineto/RunGrouping.h"
#include "importers/kineto/Sniff.h"
#include "importers/kineto/TraceImport.h"

#include <exception>
#include <new>
#include <utility>

namespace trainscope::importers::kineto {

const Format& KinetoImporter::format() const {
    static constexpr Format kFormat{"kineto", "PyTorch Kineto trace",
        "PyTorch Kineto traces, one file per rank, .json or .json.gz", Joins::OwnRun,
        LaunchSettings::Beside};
    return kFormat;
}

Confidence KinetoImporter::sniff(std::string_view head, std::string_view /*path*/) const {
    return sniffTrace(head);
}

std::vector<ImportUnit> KinetoImporter::plan(
    const SourceTree& tree, const std::vector<SourceFile>& mine) const {
    std::vector<TraceFile> files;
    files.reserve(mine.size());
    for (const SourceFile& file : mine)
        files.push_back(describeTrace(tree, file));
    return groupIntoRuns(tree, RunFolders(tree), std::move(files));
}

Result<ImportReport> KinetoImporter::import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) const {
    try {
        return TraceImport(tree, unit, sink).run(progress);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::Unreadable, "There is not enough memory to read this trace.",
            tree.displayPath(unit.path)};
    } catch (const std::exception& problem) {
        return Error{ErrorCode::Internal,
            std::string("Reading the trace failed: ") + problem.what(),
            tree.displayPath(unit.path)};
    }
}

} // namespace trainscope::importers::kineto
