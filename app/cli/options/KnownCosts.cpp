#include "app/cli/options/KnownCosts.h"

#include "core/model/Try.h"
#include "core/predict/profile/ProfiledCosts.h"

#include <utility>

namespace trainscope::cli {

namespace {

// None for an empty path.
Result<std::shared_ptr<const predict::ProfiledCosts>> readProfiledCosts(const std::string& path) {
    std::shared_ptr<const predict::ProfiledCosts> costs;
    if (path.empty())
        return costs;
    ASSIGN_OR_RETURN(auto profile, predict::readProfile(path));
    costs = std::make_shared<const predict::ProfiledCosts>(std::move(profile));
    return costs;
}

} // namespace

predict::Predictor KnownCosts::predictor() const {
    auto made = calibration ? calibration->predictor() : predict::Predictor();
    made.use(profile);
    return made;
}

void KnownCosts::placeAtSite(predict::ClusterRequest& cluster) const {
    if (profile)
        cluster.site = profile->onlyFabricOf(cluster.gpu.name);
}

Result<KnownCosts> readKnownCosts(
    const CalibrationFiles& files, const std::string& profile, const Console& console) {
    KnownCosts known;
    ASSIGN_OR_RETURN(known.profile, readProfiledCosts(profile));
    ASSIGN_OR_RETURN(known.calibration, readCalibration(files, console));
    return known;
}

} // namespace trainscope::cli
