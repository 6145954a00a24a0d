#pragma once
// Jobs of models of the catalogue, as a command line asks for them.

#include "core/predict/prediction/JobRequest.h"

namespace trainscope::test {

inline predict::Job catalogueJob(
    const char* model, const char* cluster, const char* layout, int globalBatch) {
    predict::JobRequest request;
    request.model = *catalogue::modelCatalogue().byName(model);
    request.cluster = predict::clusterFrom(cluster).value();
    request.layout = predict::layoutFrom(layout).value();
    request.globalBatch = globalBatch;
    return predict::jobOf(request).value();
}

} // namespace trainscope::test
