#pragma once
// Reports of the parts of an import, summed.

#include "core/model/Import.h"

namespace trainscope::importers {

// Adds what the part counts, and its facts and warnings; the importer's name stays.
inline void addReport(ImportReport& all, const ImportReport& part) {
    all.bytes += part.bytes;
    all.rows += part.rows;
    all.skipped += part.skipped;
    all.samples += part.samples;
    all.missing += part.missing;
    all.spans += part.spans;
    all.counterFalls += part.counterFalls;
    all.gaps += part.gaps;
    all.ranksFound.insert(all.ranksFound.end(), part.ranksFound.begin(), part.ranksFound.end());
    for (const auto& [name, count] : part.counts)
        all.counts[name] += count;
    all.facts.insert(part.facts.begin(), part.facts.end());
    for (const ImportWarning& warning : part.warnings)
        all.warn(warning.file, warning.line, warning.text, warning.severity);
}

} // namespace trainscope::importers
