// Numbers of any bytes: no crash, and the fast path of telemetry lines agrees with the tolerant
// one.

#include "importers/charllm/RunPlan.h"
#include "importers/common/Number.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace trainscope::importers;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    (void)parseNumber(text);
    (void)isMissingText(text);
    for (const std::int64_t unit :
        {std::int64_t{1}, std::int64_t{1'000}, std::int64_t{1'000'000'000}})
        (void)decimalToNs(text, unit);

    const std::string line = text.substr(0, text.find('\n')) + "\n";
    const std::string padded = line + std::string(16, '9');
    charllm::PlainLine plain;
    if (charllm::parsePlainLine(padded.data(), padded.data() + line.size(), plain) == nullptr)
        return 0;
    const auto slow = charllm::parseTelemetryLine(line);
    const bool isMissing = slow.kind == charllm::LineKind::Missing;
    const bool isSample = slow.kind == charllm::LineKind::Sample && slow.value == plain.value;
    if (slow.ns != plain.ns || (std::isnan(plain.value) ? !isMissing : !isSample))
        std::abort();
    return 0;
}
