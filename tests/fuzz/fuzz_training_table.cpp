// Tables of training runs of any bytes: each row is a job or is refused with a reason, and what is
// predicted of a job is a time.

#include "core/predict/prediction/Prediction.h"
#include "importers/trainingtable/TrainingTable.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace trainscope;

// Larger ones take longer than a fuzzer waits.
bool isSmall(const predict::Job& job) {
    constexpr int kMost = 256;
    return job.gpus() <= kMost && job.microbatches() <= kMost
        && static_cast<int>(job.layout.chunks.size()) <= kMost;
}

void predictRow(const predict::Job& job) {
    const auto made = predict::Predictor().predict(job);
    if (!made.hasValue()) {
        if (made.error().message.empty())
            std::abort();
        return;
    }
    const predict::Prediction& prediction = made.value();
    const bool isTime = std::isfinite(prediction.seconds) && prediction.seconds > 0.0;
    if (!isTime || prediction.low > prediction.seconds || prediction.high < prediction.seconds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const catalogue::ModelCatalogue models{catalogue::builtInModels(), {}};
    // Rows under the usual head, which no mutation would find.
    constexpr std::string_view kHead
        = "gpu,n_gpus,model,layers,hidden,heads,kv_heads,ffn,seq_len,vocab,precision,tp,pp,vpp,cp,"
          "ep,etp,fsdp_zero_stage,micro_batch,global_batch,recompute,step_time_s,source,notes\n";
    std::string text(reinterpret_cast<const char*>(data), size);
    if (text.starts_with('\n'))
        text = std::string(kHead) + text.substr(1);
    const auto rows = importers::readTrainingTable(text, models);
    if (!rows.hasValue())
        return 0;
    for (const importers::TableRow& row : rows.value()) {
        if (row.job.has_value() != row.unsupported.empty())
            std::abort();
        if (row.job && isSmall(*row.job))
            predictRow(*row.job);
    }
    return 0;
}
