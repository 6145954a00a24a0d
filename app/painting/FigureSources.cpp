#include "app/painting/FigureSources.h"

#include <algorithm>
#include <set>

namespace trainscope::app {

FigureMetadata describedBy(const store::Store& store,
    const std::vector<std::pair<RunId, std::string>>& runs, FigureMetadata given) {
    if (given.title.isEmpty()) {
        QStringList names;
        for (const auto& [id, name] : runs)
            names.append(QString::fromStdString(name));
        given.title = names.join(QStringLiteral(", "));
    }
    const auto sources = store.sources();
    if (!given.sourceHashes.empty() || !sources.hasValue())
        return given;
    std::set<std::string> hashes;
    for (const auto& source : sources.value()) {
        const bool used = std::any_of(source.runs.begin(), source.runs.end(), [&](RunId id) {
            return std::any_of(
                runs.begin(), runs.end(), [id](const auto& run) { return run.first == id; });
        });
        if (used && !source.hash.empty())
            hashes.insert(source.hash);
    }
    given.sourceHashes.assign(hashes.begin(), hashes.end());
    return given;
}

} // namespace trainscope::app
