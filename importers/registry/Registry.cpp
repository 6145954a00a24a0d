#include "importers/registry/Registry.h"

#include "importers/charllm/CharllmImporter.h"
#include "importers/exectrace/ExecutionTraceImporter.h"
#include "importers/exported/ExportedImporter.h"
#include "importers/flightrecorder/FlightImporter.h"
#include "importers/kineto/KinetoImporter.h"
#include "importers/memorysnapshot/MemorySnapshotImporter.h"
#include "importers/meters/MetersImporter.h"
#include "importers/nccl/NcclImporter.h"
#include "importers/nsys/NsysImporter.h"
#include "importers/nsysstats/StatsImporter.h"
#include "importers/rocprof/RocprofImporter.h"
#include "importers/topology/TopologyImporter.h"
#include "importers/tracker/TrackerImporter.h"
#include "importers/trainlog/TrainlogImporter.h"
#include "importers/xplane/XplaneImporter.h"

#include <algorithm>

namespace trainscope::importers {

const std::vector<const Importer*>& registry() {
    // clang-format off
    static const std::vector<const Importer*> importers{
        &charllm::importer(),
        &exported::importer(),
        &kineto::importer(),
        &nsys::importer(),
        &nsysstats::importer(),
        &rocprof::importer(),
        &xplane::importer(),
        &tracker::wandbImporter(),
        &tracker::eventsImporter(),
        &tracker::mlflowImporter(),
        &meters::gpuImporter(),
        &meters::nodeImporter(),
        &meters::logImporter(),
        &exectrace::importer(),
        &flightrecorder::importer(),
        &memorysnapshot::importer(),
        &nccl::inspectorImporter(),
        &nccl::importer(),
        &trainlog::importer(),
        &topology::importer(),
    };
    // clang-format on
    return importers;
}

const Importer* findImporter(std::string_view id) {
    const auto& importers = registry();
    const auto found = std::find_if(importers.begin(), importers.end(),
        [id](const auto& importer) { return importer->format.id == id; });
    return found == importers.end() ? nullptr : *found;
}

std::string formatList(std::string_view Format::*words) {
    std::vector<std::string> all;
    for (const auto& importer : registry())
        all.emplace_back(importer->format.*words);
    return listNames(all, all.size());
}

} // namespace trainscope::importers
