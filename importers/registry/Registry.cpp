#include "importers/registry/Registry.h"

#include "importers/charllm/CharllmImporter.h"
#include "importers/kineto/KinetoImporter.h"
#include "importers/nvsmi/NvsmiImporter.h"
#include "importers/topology/TopologyImporter.h"

#include <algorithm>

namespace trainscope::importers {

const std::vector<std::unique_ptr<Importer>>& registry() {
    static const auto importers = [] {
        std::vector<std::unique_ptr<Importer>> list;
        list.push_back(std::make_unique<charllm::CharllmImporter>());
        list.push_back(std::make_unique<kineto::KinetoImporter>());
        list.push_back(std::make_unique<NvsmiImporter>());
        list.push_back(std::make_unique<topology::TopologyImporter>());
        std::stable_sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return a->format().joins < b->format().joins; });
        return list;
    }();
    return importers;
}

const Importer* findImporter(std::string_view id) {
    const auto& importers = registry();
    const auto found = std::find_if(importers.begin(), importers.end(),
        [id](const auto& importer) { return importer->format().id == id; });
    return found == importers.end() ? nullptr : found->get();
}

std::string formatList(std::string_view Format::*words) {
    std::vector<std::string> all;
    for (const auto& importer : registry())
        all.emplace_back(importer->format().*words);
    return listNames(all, all.size());
}

} // namespace trainscope::importers
