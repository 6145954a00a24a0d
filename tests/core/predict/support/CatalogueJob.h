#pragma once
// Jobs of models of the catalogue, as a command line asks for them.

#include "core/predict/prediction/JobRequest.h"
#include "core/predict/search/Search.h"

#include <string_view>

namespace trainscope::test {

// Without a layout where its text is empty.
inline predict::JobRequest jobRequest(std::string_view model, std::string_view cluster,
    std::string_view layout, int globalBatch, int sequence = predict::JobRequest().sequence) {
    predict::JobRequest request;
    request.model = *catalogue::modelCatalogue().byName(model);
    request.cluster = predict::clusterFrom(cluster).value();
    if (!layout.empty())
        request.layout = predict::layoutFrom(layout).value();
    request.globalBatch = globalBatch;
    request.sequence = sequence;
    return request;
}

inline predict::SearchRequest searchRequest(std::string_view model, std::string_view cluster,
    int globalBatch, int sequence = predict::JobRequest().sequence) {
    predict::SearchRequest request;
    static_cast<predict::JobRequest&>(request)
        = jobRequest(model, cluster, {}, globalBatch, sequence);
    return request;
}

inline predict::Job catalogueJob(
    std::string_view model, std::string_view cluster, std::string_view layout, int globalBatch) {
    return predict::jobOf(jobRequest(model, cluster, layout, globalBatch)).value();
}

} // namespace trainscope::test
