// Answers of monitoring engines of any bytes, as samples, label sets, lists and complaints, and
// what is kept of a link: read or refused, and samples are as many as times.

#include "importers/engine/Answer.h"
#include "importers/engine/Link.h"
#include "importers/engine/Mapping.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace trainscope;
using namespace trainscope::importers::engine;

void readAnswer(const std::string& body) {
    const auto samples = readSamples(body, [](AnsweredSeries& series) -> Status {
        if (series.times.size() != series.values.size())
            std::abort();
        (void)meaningOf(series.labels, {});
        return {};
    });
    if (!samples.hasValue() && samples.error().message.empty())
        std::abort();
    (void)readLabelSets(body, [](Labels& labels) -> Status {
        (void)labels.text();
        return {};
    });
    (void)readTexts(body);
    (void)readComplaint(body);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    readAnswer(text);
    // The usual frame, which few mutations would find.
    readAnswer(R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{)" + text);
    readAnswer(R"({"status":"success","data":[)" + text + "]}");
    if (const auto link = linkFrom(text);
        link.hasValue() && !linkFrom(textOf(link.value())).hasValue())
        std::abort();
    if (const auto mapping = mappingFrom(text);
        mapping.hasValue() && !mappingFrom(textOf(mapping.value())).hasValue())
        std::abort();
    (void)selectorFrom(text);
    (void)addressFrom(text);
    return 0;
}
