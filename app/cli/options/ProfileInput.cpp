#include "app/cli/options/ProfileInput.h"

#include "core/model/Try.h"

#include <utility>

namespace trainscope::cli {

Result<std::shared_ptr<const predict::ProfiledCosts>> readProfiledCosts(const std::string& path) {
    std::shared_ptr<const predict::ProfiledCosts> costs;
    if (path.empty())
        return costs;
    ASSIGN_OR_RETURN(auto profile, predict::readProfile(path));
    costs = std::make_shared<const predict::ProfiledCosts>(std::move(profile));
    return costs;
}

} // namespace trainscope::cli
