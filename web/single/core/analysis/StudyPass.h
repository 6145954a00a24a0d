#pragma once
// Parts of a run, asked one after the other with the study's own store. Stands before the room's
// own header.

#include "core/analysis/RunStudy.h"
#include "core/model/Try.h"

#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::analysis {

template <typename Part, typename Ask, typename Take>
Status forEachPart(const RunStudy& study, std::string_view /*phase*/,
    const std::vector<Part>& parts, Ask&& ask, Take&& take) {
    for (const Part& part : parts) {
        auto answer = ask(study.store, part, [](const ProgressState&) { return true; });
        if (!answer.hasValue())
            return answer.error();
        RETURN_IF_ERROR(take(part, std::move(answer).value()));
    }
    return {};
}

template <typename Value>
auto collectInto(std::vector<Value>& values) {
    return [&values](const auto& /*part*/, std::optional<Value>&& value) {
        if (value)
            values.push_back(std::move(*value));
        return Status();
    };
}

} // namespace trainscope::analysis
