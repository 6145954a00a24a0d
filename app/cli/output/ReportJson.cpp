#include "app/cli/output/ReportJson.h"

namespace trainscope::cli {

Json reportJson(const ImportReport& report) {
    return {{"importer", report.importer}, {"bytes", report.bytes}, {"rows", report.rows},
        {"skipped", report.skipped}, {"samples", report.samples}, {"missing", report.missing},
        {"spans", report.spans}, {"counter_falls", report.counterFalls}, {"gaps", report.gaps},
        {"ranks_expected", report.ranksExpected}, {"ranks_found", report.ranksFound},
        {"counts", report.counts}, {"facts", report.facts}, {"warning_count", report.warningCount},
        {"warnings", listOf(report.warnings, [](const auto& warning) {
             return Json{{"file", warning.file}, {"line", warning.line}, {"text", warning.text},
                 {"files", warning.files}, {"severity", toString(warning.severity)}};
         })}};
}

} // namespace trainscope::cli
