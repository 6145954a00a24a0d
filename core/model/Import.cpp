#include "core/model/Import.h"

#include "core/model/HarmlessText.h"
#include "core/model/Secrets.h"

namespace trainscope {

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

void ImportReport::add(const ImportReport& part) {
    bytes += part.bytes;
    rows += part.rows;
    skipped += part.skipped;
    samples += part.samples;
    missing += part.missing;
    spans += part.spans;
    counterFalls += part.counterFalls;
    gaps += part.gaps;
    ranksFound.insert(ranksFound.end(), part.ranksFound.begin(), part.ranksFound.end());
    for (const auto& [name, count] : part.counts)
        counts[name] += count;
    facts.insert(part.facts.begin(), part.facts.end());
    for (const ImportWarning& warning : part.warnings)
        warn(warning.file, warning.line, warning.text, warning.severity);
}

Error cancelled() {
    return {ErrorCode::Cancelled, "Stopped on request; nothing of it was kept.", {}};
}

} // namespace trainscope
