// Texts kept between sessions, of any bytes: arrangements of the views, comparisons, layouts, facts
// of a machine, and the user's tables of kernels, operators, models and GPUs. Read, or refused in
// words; what was read and written again reads the same.

#include "app/comparing/SavedComparison.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/catalogue/GpuModel.h"
#include "core/catalogue/TrainingModel.h"
#include "core/layout/LayoutRequest.h"
#include "core/layout/Topology.h"
#include "core/work/WorkTable.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace trainscope;

namespace {

template <typename T>
bool isRead(const Result<T>& result) {
    if (!result.hasValue() && result.error().message.empty())
        std::abort();
    return result.hasValue();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const QByteArray bytes = QByteArray::fromStdString(text);
    const QByteArray once = app::encodeTimeline(app::decodeTimeline(bytes));
    if (app::encodeTimeline(app::decodeTimeline(once)) != once)
        std::abort();
    const auto settings = app::decodeComparison(app::comparisonJson(text));
    const std::string kept = app::comparisonText(app::encodeComparison(settings));
    if (app::comparisonText(app::encodeComparison(app::decodeComparison(app::comparisonJson(kept))))
        != kept)
        std::abort();
    if (const auto request = layout::requestFromJson(text);
        isRead(request) && !isRead(layout::requestFromJson(layout::requestToJson(request.value()))))
        std::abort();
    if (const auto facts = layout::machineFromJson(text);
        isRead(facts) && !isRead(layout::machineFromJson(layout::machineToJson(facts.value()))))
        std::abort();
    isRead(analysis::KernelCategories::fromJson(text));
    isRead(work::WorkTable::fromJson(text));
    isRead(catalogue::parseTrainingModels(text));
    isRead(catalogue::parseGpuModels(text));
    return 0;
}
