#include "core/analysis/machine/GroupText.h"

namespace trainscope::analysis {

std::string groupText(const CollectiveDetail& detail) {
    std::string text = detail.description.empty() || detail.description == "undefined"
        ? detail.group
        : detail.description;
    if (detail.ranksText.empty())
        return text;
    return text + (text.empty() ? "" : " ") + detail.ranksText;
}

} // namespace trainscope::analysis
