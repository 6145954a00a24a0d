// Clusters, layouts and catalogues of models of any bytes: a value or an error that says something,
// and jobs of them that can be predicted or are refused.

#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace trainscope;

namespace {

template <typename T>
const T* valueOf(const Result<T>& result) {
    if (!result.hasValue() && result.error().message.empty())
        std::abort();
    return result.hasValue() ? &result.value() : nullptr;
}

void predictSmall(const predict::JobRequest& request) {
    constexpr int kMost = 256;
    const auto job = predict::jobOf(request);
    const predict::Job* made = valueOf(job);
    if (made == nullptr || made->gpus() > kMost || made->microbatches() > kMost
        || static_cast<int>(made->layout.chunks.size()) > kMost)
        return;
    const auto prediction = predict::Predictor().predict(*made);
    const predict::Prediction* value = valueOf(prediction);
    if (value != nullptr && !(std::isfinite(value->seconds) && value->seconds > 0.0))
        std::abort();
}

} // namespace

// "CLUSTER LAYOUT MODELS": the models are JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto next = [&text] {
        const std::size_t end = text.find(' ');
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        return part;
    };
    predict::JobRequest request;
    request.globalBatch = 64;
    const auto cluster = predict::clusterFrom(next());
    const auto layout = predict::layoutFrom(next());
    const auto models = catalogue::parseTrainingModels(text);
    if (const auto* read = valueOf(layout))
        request.layout = *read;
    const auto* known = valueOf(models);
    if (const auto* read = valueOf(cluster)) {
        request.cluster = *read;
        request.model = known != nullptr && !known->empty() ? known->front()
                                                            : catalogue::builtInModels().front();
        predictSmall(request);
    }
    return 0;
}
