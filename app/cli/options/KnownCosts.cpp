#include "app/cli/options/KnownCosts.h"

#include "app/cli/options/ProfileInput.h"
#include "core/model/Try.h"

namespace trainscope::cli {

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
