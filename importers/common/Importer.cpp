#include "importers/common/Importer.h"

#include <algorithm>

namespace trainscope::importers {

std::string listNames(const std::vector<std::string>& names, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more"
                               : text;
}

std::string runText(const ImportUnit& unit) {
    return unit.runName.empty() && unit.machine ? listNames(unit.machine->runs) : unit.runName;
}

} // namespace trainscope::importers
