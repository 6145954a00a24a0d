#include "importers/operators/FileName.h"

#include "core/predict/Job.h"

#include <filesystem>

namespace trainscope::importers::operators {

FileName fileNameOf(std::string_view path) {
    const std::string stem = std::filesystem::path(path).stem().string();
    const auto gpuEnd = stem.find('_');
    if (gpuEnd == std::string::npos)
        return {stem, {}};
    FileName name{stem.substr(0, gpuEnd), stem.substr(gpuEnd + 1)};
    for (auto at = name.work.find('_'); at != std::string::npos; at = name.work.find('_', at + 1)) {
        const auto end = name.work.find('_', at + 1);
        if (predict::precisionFrom(name.work.substr(at + 1, end - at - 1))) {
            name.work.resize(at);
            break;
        }
    }
    return name;
}

std::string fabricOf(std::string_view path) {
    std::string folder = std::filesystem::path(path).parent_path().filename().string();
    for (const std::string_view prefix : {"nccl_", "rccl_"}) {
        if (folder.starts_with(prefix))
            return folder.substr(prefix.size());
    }
    return folder;
}

} // namespace trainscope::importers::operators
