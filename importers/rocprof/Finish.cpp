#include "importers/rocprof/Finish.h"

#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::importers::rocprof {

namespace {

constexpr int kUsualNode = 8; // GPUs, where none are listed

} // namespace

Status finishTrace(ProfileWriter& writer, ImportReport& report, const ImportUnit& unit,
    const SourceTree& tree, const TracedMachine& machine, Sink& sink) {
    const auto& models = machine.models;
    RETURN_IF_ERROR(writer.finish());
    if (report.spans == 0)
        return Error{ErrorCode::Unrecognised,
            "There is nothing with times in this trace of rocprof.", tree.displayPath(unit.path)};
    ProcessOutputs& outputs = writer.outputs();
    const int perNode = models.size() > 1 ? static_cast<int>(models.size())
                                          : std::max(kUsualNode, outputs.rankCount());
    for (int i = 0; i < outputs.rankCount(); ++i) {
        const int device = outputs.output(i).firstDevice();
        if (device < 0)
            continue;
        Gpu gpu;
        gpu.rank = outputs.firstRank() + i;
        gpu.node = machine.node.value_or(gpu.rank / perNode);
        gpu.local = models.size() > 1 ? device : gpu.rank % perNode;
        if (static_cast<std::size_t>(device) < models.size())
            gpu.model = models[static_cast<std::size_t>(device)];
        RETURN_IF_ERROR(sink.gpu(writer.run(), gpu));
    }
    if (writer.kernels() == 0)
        report.lost(unit.path, 0, "there are no kernels: record with --kernel-trace");
    report.facts["clock"] = "ns since the machine started; when that was is not said";
    return {};
}

} // namespace trainscope::importers::rocprof
