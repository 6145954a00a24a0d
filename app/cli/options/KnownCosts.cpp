#include "app/cli/options/KnownCosts.h"

#include "app/cli/options/ProfileInput.h"
#include "app/cli/options/TableInput.h"
#include "core/model/Try.h"

#include <cmath>
#include <utility>

namespace trainscope::cli {

predict::Predictor KnownCosts::predictor() const {
    auto made = calibration ? predict::Predictor(predict::RateTable::builtIn(), *calibration)
                            : predict::Predictor();
    made.use(profile);
    return made;
}

void KnownCosts::placeAtSite(predict::ClusterRequest& cluster) const {
    if (profile)
        cluster.site = profile->onlyFabricOf(cluster.gpu.name);
}

std::map<std::string, double> KnownCosts::leftOutErrors() const {
    std::map<std::string, double> errors;
    if (!calibration)
        return errors;
    const auto others = calibration->residuals().leftOut();
    const auto& logs = calibration->residuals().logs();
    std::map<std::string, std::pair<double, int>> sums;
    for (std::size_t i = 0; i < others.size() && i < measured.size(); ++i) {
        auto& [sum, count] = sums[measured[i].source];
        sum += std::abs(std::exp(others[i].log - logs[i]) - 1.0);
        ++count;
    }
    for (const auto& [source, sum] : sums)
        errors[source] = sum.first / sum.second;
    return errors;
}

Result<KnownCosts> readKnownCosts(const std::string& table, const std::string& profile) {
    KnownCosts known;
    ASSIGN_OR_RETURN(known.profile, readProfiledCosts(profile));
    if (table.empty())
        return known;
    ASSIGN_OR_RETURN(const auto rows, tableFrom(table));
    for (const importers::TableRow& row : rows) {
        const auto seconds = row.measuredSeconds();
        if (row.job && seconds)
            known.measured.push_back(
                {*row.job, *seconds, row.publisher, row.version, row.isQualified});
    }
    if (known.measured.empty())
        return Error{ErrorCode::Unrecognised,
            "No row of the table has both a complete configuration and a measured time.", table};
    known.calibration = predict::Calibration::of(known.measured);
    return known;
}

} // namespace trainscope::cli
