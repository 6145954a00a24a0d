#include "importers/registry/Registry.h"

#include "importers/common/Formats.h"

namespace trainscope::importers {

const std::vector<const Importer*>& registry() {
    // clang-format off
    static const std::vector<const Importer*> importers{
        &charllm::kImporter,
        &exported::kImporter,
        &operations::kImporter,
        &kineto::kImporter,
        &nsys::kImporter,
        &nsysstats::kImporter,
        &rocprof::kImporter,
        &perfetto::kImporter,
        &xplane::kImporter,
        &tracker::kWandbImporter,
        &tracker::kEventsImporter,
        &tracker::kMlflowImporter,
        &meters::kGpuImporter,
        &meters::kNodeImporter,
        &meters::kLogImporter,
        &exectrace::kImporter,
        &flightrecorder::kImporter,
        &memorysnapshot::kImporter,
        &nccl::kInspectorImporter,
        &nccl::kImporter,
        &trainlog::kImporter,
        &topology::kImporter,
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
