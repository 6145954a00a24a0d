// Profiles of any bytes: an error that says something, or a profile that is the same after it was
// written and read, and that a job can be predicted from.

#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

using namespace trainscope;

namespace {

predict::Job smallJob() {
    predict::JobRequest request;
    request.model = catalogue::builtInModels().front();
    request.cluster = predict::clusterFrom("1x2xA100").value();
    request.layout = predict::layoutFrom("tp=2").value();
    return predict::jobOf(request).value();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const predict::Job job = smallJob();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    auto profile = predict::parseProfile(text, "fuzz");
    if (!profile.hasValue()) {
        if (profile.error().message.empty())
            std::abort();
        return 0;
    }
    const std::string written = predict::profileText(profile.value());
    const auto again = predict::parseProfile(written, "fuzz");
    if (!again.hasValue() || predict::profileText(again.value()) != written)
        std::abort();
    auto costs = std::make_shared<const predict::ProfiledCosts>(std::move(profile).value());
    predict::Job placed = job;
    placed.machine.site = costs->onlyFabricOf(job.machine.gpu.name);
    predict::Predictor predictor;
    predictor.use(std::move(costs));
    const auto made = predictor.predict(placed);
    if (made.hasValue() && !(made.value().seconds > 0.0))
        std::abort();
    return 0;
}
