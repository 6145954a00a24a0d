#include "core/model/Import.h"

#include "core/model/EnumNames.h"
#include "core/model/HarmlessText.h"
#include "core/model/Secrets.h"

#include <algorithm>
#include <utility>

namespace trainscope {

namespace {

constexpr auto kSeverityNames = enumNames<Severity>({{Severity::Failed, "failed"},
    {Severity::Lost, "lost"}, {Severity::Doubtful, "doubtful"}, {Severity::Remark, "remark"}});

} // namespace

std::string_view toString(Severity severity) {
    return kSeverityNames.nameOf(severity);
}

Severity severityFrom(std::string_view text) {
    return kSeverityNames.find(text).value_or(Severity::Doubtful);
}

void ImportReport::warn(std::string file, std::int64_t line, std::string text, Severity severity) {
    text = withoutSecrets(harmlessLine(text)); // it may quote the source
    const auto same = std::find_if(warnings.begin(), warnings.end(),
        [&](const ImportWarning& known) { return known.line == 0 && known.text == text; });
    if (line == 0 && same != warnings.end()) {
        if (same->file == file)
            return;
        ++same->files;
        ++warningCount;
        return;
    }
    ++warningCount;
    if (warnings.size() < kMaxWarnings)
        warnings.push_back({std::move(file), line, std::move(text), 1, severity});
}

Error cancelled() {
    return {ErrorCode::Cancelled, "Stopped on request; nothing of it was kept.", {}};
}

} // namespace trainscope
